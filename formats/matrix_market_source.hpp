// SPDX-License-Identifier: MIT
// Private to formats: from a file to the text in it. What the file is (plain, gzip, tar) is decided
// by its first bytes, not by its name.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dwell/formats/matrix_market_text.hpp"

namespace dwell::mm {

/// Bytes that grow without being cleared first, and without a copy where the system can move pages.
class buffer {
 public:
  const char* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  /// Room for n bytes behind the present ones, which the caller fills and then counts by added().
  char* room(std::size_t n);
  void added(std::size_t n) { size_ += n; }

 private:
  struct release {
    void operator()(char* p) const { std::free(p); }
  };
  std::unique_ptr<char, release> data_;
  std::size_t size_ = 0, capacity_ = 0;
};

/// One Matrix Market text and the name that stands for it in messages.
struct document {
  buffer bytes;
  std::string name;

  text view() const { return {bytes.data(), bytes.data() + bytes.size(), name}; }
};

struct source_file {
  document matrix;
  std::optional<document> companion;  ///< NAME_b.mtx of an archive
};

/// Throws device_error if the machine has less memory than a text of so many bytes needs.
void require_memory(std::uint64_t bytes, const std::string& name);

/// A file open for reading, from front to end; the blocks are as large as they come, at most 1 MiB.
class input_file {
 public:
  /// Throws input_error in one line.
  input_file(const std::filesystem::path& file, std::string name);
  ~input_file();
  input_file(const input_file&) = delete;
  input_file& operator=(const input_file&) = delete;

  /// Valid until the next call; empty at the end.
  std::string_view next();
  /// All of a regular file, whatever was read before, by several threads.
  buffer whole(int threads) const;
  /// Of a regular file; 0: not one, or one of /proc, which says so.
  std::uint64_t size() const { return size_; }

 private:
  std::string name_;
  int fd_;
  std::uint64_t size_ = 0;
  std::vector<char> block_;
};

/// The file name without folder and without .mtx, .gz, .tar.gz, .tgz.
std::string plain_name(const std::filesystem::path& file);

/// Throws input_error in one line for whatever cannot be read.
source_file load(const std::filesystem::path& file, int threads);

/// Private to load(): unpacks a gzip file, or the two members of a tar inside it. `first` are the
/// bytes of `in` that have been read.
source_file unpack(input_file& in, const std::string& first, const std::filesystem::path& file);

}  // namespace dwell::mm
