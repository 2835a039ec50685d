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
#include <vector>

#include "dwell/formats/complex_matrix_market.hpp"
#include "dwell/formats/input_file.hpp"
#include "dwell/formats/matrix_market.hpp"
#include "dwell/formats/matrix_market_header.hpp"
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
  std::string plain_name;  ///< name of the file or, if that has none, of the archive's matrix
  std::optional<document> companion;  ///< NAME_b.mtx of an archive
  std::string companion_refusal;      ///< why it cannot be read, if it cannot
};

/// Throws device_error if the machine has less memory than so many bytes.
void require_memory(std::uint64_t bytes, const std::string& name);
/// If it has less than a text of so many bytes and the matrix that its head announces.
void require_memory(const header_found& h, const text& t, std::uint64_t bytes);

/// Throws input_error in one line for whatever cannot be read; but for a companion. Sizes that
/// cannot be are refused as soon as the head is read, as is what `check` refuses: of the matrix, or
/// of the vector.
source_file load(input_file& file, int threads, const head_check& check = {});

/// Private to load(): unpacks a gzip file, or the two members of a tar inside it. `first` are the
/// bytes of `in` that have been read.
source_file unpack(input_file& in, const std::string& first, const head_check& check);

/// Reads what read_matrix_market() does, from an open file.
mm_matrix read_matrix(input_file& file, int threads);
/// What a file says of itself, and where it says its sizes: "FILE:LINE".
struct head {
  mm_header header;
  std::string where;
};
/// Reads no more than that.
head read_head(input_file& file);
/// And what the functions of complex_matrix_market.hpp do.
mm_complex_matrix read_complex_matrix(input_file& file, int threads);
std::variant<mm_matrix, mm_complex_matrix> read_any_matrix(input_file& file, int threads);
std::vector<std::complex<double>> read_complex_vector(input_file& file, int threads);
/// Reads what read_matrix_market_vector() does, from an open file.
std::vector<double> read_vector(input_file& file, int threads);

}  // namespace dwell::mm
