// SPDX-License-Identifier: MIT
// The atomic output file on POSIX. What is not a regular file (/dev/null, a pipe) cannot be
// replaced by a rename and is written directly, what is open already through its descriptor. A link
// to a file stays a link: the file changes, or appears. A file that is replaced lends its owner and
// its permissions to the new one, and one that may not be written may not be replaced.
#include "dwell/formats/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <random>
#include <system_error>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/base/printable.hpp"
#include "dwell/formats/descriptor.hpp"

namespace dwell {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void fail(const fs::path& file, const std::string& found) {
  throw input_error(
      printable(fmt::format("{}: expected a writable file, found: {}", file.string(), found)));
}
[[noreturn]] void fail(const fs::path& file, int code) {
  fail(file, std::generic_category().message(code));
}

/// Names in these folders stand for devices and for what processes have open, even when that is a
/// regular file which a shell has redirected to: they are never replaced.
bool belongs_to_system(const fs::path& target) {
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
int create_beside(const fs::path& target, mode_t mode, fs::path& temporary,
                  std::atomic<char*>*& enlisted) {
  constexpr std::size_t longest = 200;  // a file name has 255 bytes, the rest is ours
  const auto stem = fmt::format(".{}.tmp", target.filename().string().substr(0, longest));
  std::random_device random;
  for (int attempt = 0; attempt < 100; ++attempt) {
    temporary = target.parent_path() / fmt::format("{}{:08x}", stem, random());
    enlisted = enlist(temporary);
    const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd >= 0) return fd;
    const int why = errno;
    strike_off(std::exchange(enlisted, nullptr));
    errno = why;
    if (why != EEXIST) return fd;
  }
  return -1;
}

/// Gives a new file, which none but its owner may open, what the file that it will replace has. Who
/// may not give it that group does not open it to another one.
void take_over(int fd, const struct stat& old) {
  mode_t mode = old.st_mode & 0777;
  if (::fchown(fd, old.st_uid, old.st_gid) != 0 && ::fchown(fd, uid_t(-1), old.st_gid) != 0)
    mode &= ~mode_t{S_IRWXG};
  ::fchmod(fd, mode);
}

}  // namespace

fs::path behind_links(const fs::path& file) {
  constexpr int most_links = 40;  // Linux's own limit
  fs::path at = file;
  std::error_code failed;
  for (int links = 0; fs::is_symlink(fs::symlink_status(at, failed)); ++links) {
    if (belongs_to_system(at)) return at;
    if (links == most_links) fail(file, ELOOP);
    const fs::path to = fs::read_symlink(at, failed);
    if (failed) fail(file, failed.value());
    at = at.parent_path() / to;  // `to` alone if it is absolute
  }
  return at;
}

atomic_file::atomic_file(fs::path target) : target_(std::move(target)) {
  std::error_code ignored;
  if (fs::is_directory(target_, ignored)) fail(target_, EISDIR);
  if (target_.filename().empty()) fail(target_, ENOENT);
  const bool other = fs::exists(target_, ignored) && !fs::is_regular_file(target_, ignored);
  const int own = descriptor_to_write(target_);
  shared_ = own >= 0;
  if (shared_) {
    fd_ = ::fcntl(own, F_DUPFD_CLOEXEC, 3);
  } else if (other || belongs_to_system(target_)) {
    fd_ = ::open(target_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  } else {
    const fs::path named = std::exchange(target_, behind_links(target_));
    const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
    if (named != target_ && !fs::is_directory(folder, ignored))
      fail(named, fmt::format("a link to '{}', and there is no folder '{}'", target_.string(),
                              folder.string()));
    fs::path real = fs::weakly_canonical(target_, ignored);
    if (!ignored && !real.empty()) target_ = std::move(real);
    struct stat old = {};
    const bool there = ::stat(target_.c_str(), &old) == 0;
    if (there && ::faccessat(AT_FDCWD, target_.c_str(), W_OK, AT_EACCESS) != 0)
      fail(target_, errno);
    fd_ = create_beside(target_, there ? 0600 : 0666, temporary_, registered_);
    if (fd_ >= 0 && there) take_over(fd_, old);
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
  const int failed = write_fully(fd_, bytes);
  if (failed != 0 && !(shared_ && nobody_reads(fd_, failed))) fail(target_, failed);
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
