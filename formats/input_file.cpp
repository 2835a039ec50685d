// SPDX-License-Identifier: MIT
// Buffered reads from a descriptor.
#include "dwell/formats/input_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/base/printable.hpp"
#include "dwell/formats/descriptor.hpp"

namespace dwell {

input_file::input_file(std::filesystem::path file, std::string kind)
    : path_(std::move(file)), name_(printable(path_.string())), kind_(std::move(kind)) {
  const int own = descriptor_named(path_);
  nameless_ = own >= 0;
  fd_ = nameless_ ? ::fcntl(own, F_DUPFD_CLOEXEC, 3) : ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat facts = {};
  const int failed = fd_ < 0 || ::fstat(fd_, &facts) != 0 ? errno
                     : S_ISDIR(facts.st_mode)             ? EISDIR
                                                          : 0;
  if (failed == 0) return;
  if (fd_ >= 0) ::close(fd_);
  fail(failed);
}

input_file::~input_file() { ::close(fd_); }

void input_file::fail(int code) const {
  const auto found =
      code == EISDIR ? std::string("a directory") : std::generic_category().message(code);
  throw input_error(fmt::format("{}: expected a readable {}, found: {}", name_, kind_, found));
}

std::optional<input_file::extent> input_file::left() const {
  struct stat facts = {};
  if (::fstat(fd_, &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_size == 0)
    return std::nullopt;
  const off_t taken = ::lseek(fd_, 0, SEEK_CUR);
  const off_t at = std::max<off_t>(taken, 0) - static_cast<off_t>(ahead_.size());
  const off_t bytes = std::max<off_t>(facts.st_size - at, 0);
  return extent{static_cast<std::size_t>(at), static_cast<std::size_t>(bytes)};
}

std::size_t input_file::fill(char* to, std::size_t n) {
  std::size_t got = 0;
  while (got < n) {
    const ssize_t more = ::read(fd_, to + got, n - got);
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) fail(errno);
    if (more == 0) break;
    got += static_cast<std::size_t>(more);
  }
  return got;
}

std::size_t input_file::read(char* to, std::size_t n) {
  const std::size_t known = std::min(n, ahead_.size());
  std::memcpy(to, ahead_.data(), known);
  ahead_.erase(0, known);
  return known + fill(to + known, n - known);
}

std::string_view input_file::next() {
  block_.resize(std::size_t{1} << 20);
  const std::size_t known = ahead_.size();
  std::memcpy(block_.data(), ahead_.data(), known);
  ahead_.clear();
  if (known > 0) return {block_.data(), known};
  for (;;) {
    const ssize_t n = ::read(fd_, block_.data(), block_.size());
    if (n >= 0) return {block_.data(), static_cast<std::size_t>(n)};
    if (errno != EINTR) fail(errno);
  }
}

std::string_view input_file::peek() {
  if (ahead_.empty()) {
    ahead_.resize(8);
    ahead_.resize(fill(ahead_.data(), ahead_.size()));
  }
  return ahead_;
}

}  // namespace dwell
