// SPDX-License-Identifier: MIT
// The atomic output file on POSIX. What is not a regular file (/dev/null, /dev/stdout, a pipe)
// cannot be replaced by a rename and is written directly. A link to a file stays a link: the file
// changes.
#include "dwell/formats/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <random>
#include <system_error>
#include <utility>

#include "dwell/formats/error.hpp"

namespace dwell {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void fail(const fs::path& file, int code) {
  throw input_error(fmt::format("{}: expected a writable file, found: {}", file.string(),
                                std::generic_category().message(code)));
}

/// Names such as /dev/stdout and /dev/fd/3 stand for something open already, even when that is a
/// regular file which the shell has redirected to.
bool stands_for_open_file(const fs::path& target) {
  std::error_code ignored;
  const fs::path folder = fs::canonical(fs::absolute(target, ignored).parent_path(), ignored);
  return folder == "/dev" || folder.string().starts_with("/proc/");
}

/// Names of temporaries, owned by whoever takes them out. A signal handler can neither lock nor
/// allocate, hence the fixed number; a file beyond it is merely not known to discard_unfinished().
std::array<std::atomic<char*>, 32> unfinished;

std::atomic<char*>* enlist(const fs::path& temporary) {
  char* name = ::strdup(temporary.c_str());
  for (auto& slot : unfinished) {
    char* none = nullptr;
    if (name && slot.compare_exchange_strong(none, name)) return &slot;
  }
  std::free(name);
  return nullptr;
}

void strike_off(std::atomic<char*>* slot) {
  if (slot) std::free(slot->exchange(nullptr));
}

/// Opens a new file. It is enlisted before it exists: a signal may come in between.
int create_beside(const fs::path& target, fs::path& temporary, std::atomic<char*>*& enlisted) {
  constexpr std::size_t longest = 200;  // of the 255 bytes of a file name, the rest is ours
  const auto stem = fmt::format(".{}.tmp", target.filename().string().substr(0, longest));
  std::random_device random;
  for (int attempt = 0; attempt < 100; ++attempt) {
    temporary = target.parent_path() / fmt::format("{}{:08x}", stem, random());
    enlisted = enlist(temporary);
    const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0) return fd;
    const int why = errno;
    strike_off(std::exchange(enlisted, nullptr));
    errno = why;
    if (why != EEXIST) return fd;
  }
  return -1;
}

}  // namespace

atomic_file::atomic_file(fs::path target) : target_(std::move(target)) {
  std::error_code ignored;
  if (fs::is_directory(target_, ignored)) fail(target_, EISDIR);
  if (target_.filename().empty()) fail(target_, ENOENT);
  const bool other = fs::exists(target_, ignored) && !fs::is_regular_file(target_, ignored);
  if (other || stands_for_open_file(target_)) {
    fd_ = ::open(target_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  } else {
    fs::path real = fs::weakly_canonical(target_, ignored);
    if (!ignored && !real.empty()) target_ = std::move(real);
    fd_ = create_beside(target_, temporary_, registered_);
  }
  if (fd_ < 0) fail(target_, errno);
}

atomic_file::~atomic_file() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  strike_off(registered_);
}

void atomic_file::discard_unfinished() noexcept {
  for (auto& slot : unfinished)
    if (const char* name = slot.exchange(nullptr)) ::unlink(name);
}

void atomic_file::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(target_, errno);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

void atomic_file::commit() {
  if (!temporary_.empty() && ::fsync(fd_) != 0) fail(target_, errno);
  const int closed = ::close(std::exchange(fd_, -1));
  if (closed != 0 && errno != EINTR) fail(target_, errno);
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(target_, errno);
  temporary_.clear();
  // The new name is durable once its folder is; a file system that cannot sync a folder is not an
  // error, for the content is whole either way.
  const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0) {
    ::fsync(fd);
    ::close(fd);
  }
}

}  // namespace dwell
