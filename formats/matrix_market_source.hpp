// SPDX-License-Identifier: MIT
// Private to formats: from a file to the text in it. What the file is (plain, gzip, tar) is decided
// by its first bytes, not by its name.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>

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

/// The file name without folder and without .mtx, .gz, .tar.gz, .tgz.
std::string plain_name(const std::filesystem::path& file);

/// Throws input_error in one line for whatever cannot be read.
source_file load(const std::filesystem::path& file, int threads);

/// Private to load(): unpacks a gzip file, or the two members of a tar inside it.
source_file unpack(const buffer& packed, const std::filesystem::path& file);

}  // namespace dwell::mm
