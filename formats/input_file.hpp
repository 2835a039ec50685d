// SPDX-License-Identifier: MIT
// Private to formats: a file opened once and read from front to end, be it a file, a pipe or what
// the process has open already (descriptor.hpp).
#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dwell {

class input_file {
 public:
  /// Throws input_error "FILE: expected a readable KIND, found: ..." unless it can be read.
  explicit input_file(std::filesystem::path file, std::string kind = "file");
  ~input_file();
  input_file(const input_file&) = delete;
  input_file& operator=(const input_file&) = delete;

  const std::filesystem::path& path() const { return path_; }
  const std::string& name() const { return name_; }  ///< for messages
  int descriptor() const { return fd_; }
  /// Does the name stand for a descriptor? It then says nothing of the content.
  bool nameless() const { return nameless_; }

  /// Where the next byte of a regular file lies, and how many there are; none of a pipe, or of a
  /// file of /proc, which does not know its size.
  struct extent {
    std::size_t begin, bytes;
  };
  std::optional<extent> left() const;

  /// Fills n bytes, fewer only at the end; the number of them.
  std::size_t read(char* to, std::size_t n);
  /// The next bytes as they come, at most 1 MiB, valid until the next call; empty at the end.
  std::string_view next();
  /// The first bytes, at most 8 of them, which are read again by read().
  std::string_view peek();

 private:
  [[noreturn]] void fail(int code) const;
  std::size_t fill(char* to, std::size_t n);

  std::filesystem::path path_;
  std::string name_, kind_;
  int fd_ = -1;
  bool nameless_ = false;
  std::vector<char> block_;
  std::string ahead_;  ///< read by peek(), not yet by read()
};

}  // namespace dwell
