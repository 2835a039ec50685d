// SPDX-License-Identifier: MIT
// On Linux all such names lead to /proc/PID/fd/N, itself a link that is not to be followed any
// further.
#include "dwell/formats/descriptor.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <string>
#include <system_error>

namespace dwell {
namespace fs = std::filesystem;
namespace {

/// The number that all of `text` is, or -1.
int whole_number(const std::string& text) {
  int n = -1;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), n);
  return failed == std::errc() && end == text.data() + text.size() && n >= 0 ? n : -1;
}

/// Is this the folder of the process's own descriptors, by any of its names?
bool lists_own_descriptors(const fs::path& folder) {
  std::error_code failed;
  for (const char* own : {"/proc/self/fd", "/proc/thread-self/fd"})
    if (folder == fs::canonical(own, failed) && !failed) return true;
  return false;
}

bool written_in_turn(const struct stat& facts) {
  return S_ISREG(facts.st_mode) || S_ISFIFO(facts.st_mode) ||
         (S_ISCHR(facts.st_mode) && ::isatty(1) == 1);
}

}  // namespace

int descriptor_named(const fs::path& file) {
  constexpr int most_links = 40;
  std::error_code failed;
  fs::path at = fs::absolute(file, failed);
  for (int links = 0; links < most_links && !failed; ++links) {
    const fs::path folder = fs::canonical(at.parent_path(), failed);
    if (failed) return -1;
    if (lists_own_descriptors(folder)) return whole_number(at.filename().string());
    if (folder == "/dev") {
      int n = 0;
      for (const char* name : {"stdin", "stdout", "stderr"}) {
        if (at.filename() == name) return n;
        ++n;
      }
    }
    if (!fs::is_symlink(fs::symlink_status(at, failed))) return -1;
    at = folder / fs::read_symlink(at, failed);
  }
  return -1;
}

int descriptor_to_write(const fs::path& file) {
  if (const int own = descriptor_named(file); own >= 0) return own;
  struct stat out = {}, named = {};
  if (::fstat(1, &out) != 0 || !written_in_turn(out)) return -1;
  const bool same =
      ::stat(file.c_str(), &named) == 0 && named.st_dev == out.st_dev && named.st_ino == out.st_ino;
  return same ? 1 : -1;
}

bool is_stream(const fs::path& file) {
  if (descriptor_named(file) >= 0) return true;
  std::error_code none;
  const auto status = fs::status(file, none);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

int write_fully(int fd, std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const auto n = ::write(fd, bytes.data(), bytes.size());
    if (n >= 0)
      bytes.remove_prefix(static_cast<std::size_t>(n));
    else if (errno != EINTR)
      return errno;
  }
  return 0;
}

bool nobody_reads(int fd, int error) noexcept {
  struct stat facts = {};
  return error == EPIPE || (error == EIO && ::fstat(fd, &facts) == 0 && S_ISCHR(facts.st_mode));
}

}  // namespace dwell
