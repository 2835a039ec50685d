// SPDX-License-Identifier: MIT
// The Matrix Market writer. Numbers are the shortest text that reads back to the same bits,
// formatted by several threads and written in order; the file appears under its name when it is
// whole.
#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <complex>
#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <string_view>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/parallel.hpp"
#include "dwell/base/printable.hpp"
#include "dwell/formats/atomic_file.hpp"
#include "dwell/formats/complex_matrix_market.hpp"
#include "dwell/formats/matrix_market.hpp"
#include "dwell/formats/number_words.hpp"

namespace dwell {
namespace {

/// A file that is plain, or compressed if its name ends in .gz.
class output {
 public:
  explicit output(const std::filesystem::path& file) : name_(file.string()), file_(file) {
    if (!name_.ends_with(".gz")) return;
    gzip_.reset(archive_write_new());
    entry_.reset(archive_entry_new());
    if (!gzip_ || !entry_) throw std::bad_alloc();
    archive_write_add_filter_gzip(gzip_.get());
    archive_write_set_format_raw(gzip_.get());
    // Equal matrices give equal bytes on any day; nothing is padded to a tape block.
    require(archive_write_set_filter_option(gzip_.get(), "gzip", "timestamp", nullptr));
    require(archive_write_set_bytes_in_last_block(gzip_.get(), 1));
    require(archive_write_open(gzip_.get(), this, nullptr, &output::sink, nullptr));
    archive_entry_set_filetype(entry_.get(), AE_IFREG);
    require(archive_write_header(gzip_.get(), entry_.get()));
  }

  void write(std::string_view bytes) {
    if (!gzip_) return file_.write(bytes);
    while (!bytes.empty()) {
      const la_ssize_t n = archive_write_data(gzip_.get(), bytes.data(), bytes.size());
      require(n <= 0 ? ARCHIVE_FATAL : ARCHIVE_OK);
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
  }

  void commit() {
    if (gzip_) require(archive_write_close(gzip_.get()));
    file_.commit();
  }

 private:
  struct closer {
    void operator()(archive* a) const { archive_write_free(a); }
    void operator()(archive_entry* e) const { archive_entry_free(e); }
  };

  /// libarchive is C: an exception stays here until require() throws it again.
  static la_ssize_t sink(archive*, void* self, const void* bytes, std::size_t n) {
    auto& out = *static_cast<output*>(self);
    if (out.failed_) return -1;
    try {
      out.file_.write({static_cast<const char*>(bytes), n});
      return static_cast<la_ssize_t>(n);
    } catch (...) {
      out.failed_ = std::current_exception();
      return -1;
    }
  }

  void require(int status) const {
    if (failed_) std::rethrow_exception(failed_);
    if (status == ARCHIVE_OK) return;
    const char* why = archive_error_string(gzip_.get());
    throw input_error(fmt::format("{}: expected a writable gzip file, found: {}", printable(name_),
                                  why ? why : "an unknown error"));
  }

  // gzip_ is declared last and so freed first: freeing it may still write to file_.
  std::string name_;
  atomic_file file_;
  std::exception_ptr failed_;
  std::unique_ptr<archive_entry, closer> entry_;
  std::unique_ptr<archive, closer> gzip_;
};

std::string head(std::string_view kind, std::string_view comment) {
  std::string out = fmt::format("%%MatrixMarket matrix {}\n", kind);
  while (!comment.empty()) {
    const auto line = comment.substr(0, comment.find('\n'));
    out += fmt::format("% {}\n", printable(line));
    comment.remove_prefix(std::min(comment.size(), line.size() + 1));
  }
  return out;
}

bool equal_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}
bool equal_bits(std::complex<double> a, std::complex<double> b) {
  return equal_bits(a.real(), b.real()) && equal_bits(a.imag(), b.imag());
}
/// May `twin` stand at the mirror place of v?
bool is_image(double v, double twin, mm_symmetry) { return equal_bits(v, twin); }
bool is_image(std::complex<double> v, std::complex<double> twin, mm_symmetry symmetry) {
  if (symmetry != mm_symmetry::hermitian) return equal_bits(v, twin);
  return equal_bits(v.real(), twin.real()) && v.imag() == -twin.imag();
}

template <class V>
void append(std::string& out, V v, char behind) {
  char digits[32];  // a double takes at most 24
  const auto stop = std::to_chars(digits, digits + sizeof digits, v).ptr;
  out.append(digits, stop);
  out += behind;
}

void append(std::string& out, std::complex<double> v, char behind) {
  append(out, v.real(), ' ');
  append(out, v.imag(), behind);
}

/// Writes lines 0 .. n - 1, each given by format(line, text): batches formatted in parallel.
template <class Format>
void write_lines(output& out, index n, Format&& format) {
  constexpr index batch = 1 << 15;  // about a megabyte of text for each thread
  const int threads = default_threads();
  std::vector<std::string> parts(static_cast<std::size_t>(threads));
  for (index begin = 0; begin < n;) {
    const auto size =
        static_cast<index>(std::min<std::int64_t>(n - begin, std::int64_t{batch} * threads));
    const int used = std::min(threads, (size - 1) / batch + 1);
    for_parts(used, [&](int part) {
      const auto [from, to] = piece(size, part, used);
      std::string& text = parts[static_cast<std::size_t>(part)];
      text.clear();
      for (index k = from; k < to; ++k) format(begin + k, text);
    });
    for (int part = 0; part < used; ++part) out.write(parts[static_cast<std::size_t>(part)]);
    begin += size;
  }
}

template <class T>
void check_symmetric(const csr_view<T>& a, mm_symmetry symmetry) {
  if (a.rows != a.cols)
    throw input_error(fmt::format("matrix: expected a {} matrix, found {} rows and {} columns",
                                  to_string(symmetry), a.rows, a.cols));
  for (index i = 0; i < a.rows; ++i)
    for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
      const index j = a.col[k];
      const index *first = a.col + a.row_ptr[j], *last = a.col + a.row_ptr[j + 1];
      const index* twin = std::lower_bound(first, last, i);
      const bool there = twin != last && *twin == i;
      if (there && is_image(a.val[k], a.val[twin - a.col], symmetry)) continue;
      throw input_error(
          fmt::format("matrix: expected a {} matrix, found {} at row {}, column {} and {} "
                      "at row {}, column {} (counted from 1)",
                      to_string(symmetry), numbers::words_of(a.val[k]), i + 1, j + 1,
                      there ? numbers::words_of(a.val[twin - a.col]) : "nothing", j + 1, i + 1));
    }
}

template <class T>
void write_matrix(const std::filesystem::path& file, const csr_view<T>& a,
                  const mm_write_options& options) {
  constexpr bool complex = sizeof(T) > sizeof(double);
  check(a, "matrix");
  if (options.symmetry == mm_symmetry::skew_symmetric ||
      (options.symmetry == mm_symmetry::hermitian && !complex))
    throw unsupported_error(fmt::format("matrix: expected to be written as general{}, found {}",
                                        complex ? ", symmetric or hermitian" : " or symmetric",
                                        to_string(options.symmetry)));
  const bool symmetric = options.symmetry != mm_symmetry::general;
  if (symmetric) check_symmetric(a, options.symmetry);
  std::vector<index> row_of;  // lines are formatted by entry, so that a dense row is shared too
  std::vector<index> lower;   // the entries written, if not all of them are
  row_of.reserve(static_cast<std::size_t>(a.nonzeros()));
  for (index i = 0; i < a.rows; ++i)
    for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
      if (symmetric && a.col[k] > i) continue;
      row_of.push_back(i);
      if (symmetric) lower.push_back(k);
    }
  const auto entries = static_cast<index>(row_of.size());
  output out(file);
  out.write(head(
      fmt::format("coordinate {} {}", complex ? "complex" : "real", to_string(options.symmetry)),
      options.comment));
  out.write(fmt::format("{} {} {}\n", a.rows, a.cols, entries));
  write_lines(out, entries, [&](index line, std::string& text) {
    const index k = symmetric ? lower[static_cast<std::size_t>(line)] : line;
    append(text, row_of[static_cast<std::size_t>(line)] + 1, ' ');
    append(text, a.col[k] + 1, ' ');
    append(text, a.val[k], '\n');
  });
  out.commit();
}

/// An array with lines 0 .. n - 1, one value each.
template <class T>
void write_array(const std::filesystem::path& file, const std::string& size, std::span<const T> v,
                 const std::string& comment) {
  output out(file);
  out.write(
      head(sizeof(T) > sizeof(double) ? "array complex general" : "array real general", comment));
  out.write(size);
  write_lines(out, static_cast<index>(v.size()), [&](index i, std::string& text) {
    append(text, v[static_cast<std::size_t>(i)], '\n');
  });
  out.commit();
}

template <class T>
void write_vector_lines(const std::filesystem::path& file, std::span<const T> v,
                        const std::string& comment) {
  for (std::size_t i = 0; i < v.size(); ++i)
    if (!numbers::is_finite(v[i]))
      throw input_error(
          fmt::format("vector: expected finite values, found {} in row {} (counted from 1)",
                      numbers::words_of(v[i]), i + 1));
  if (v.size() > static_cast<std::size_t>(std::numeric_limits<index>::max()))
    throw input_error(
        fmt::format("vector: expected at most 2147483647 values, found {}", v.size()));
  write_array(file, fmt::format("{} 1\n", v.size()), v, comment);
}

}  // namespace

void write_matrix_market(const std::filesystem::path& file, const csr_view<double>& a,
                         const mm_write_options& options) {
  write_matrix(file, a, options);
}
void write_matrix_market(const std::filesystem::path& file, const csr_view<std::complex<double>>& a,
                         const mm_write_options& options) {
  write_matrix(file, a, options);
}

void write_matrix_market_array(const std::filesystem::path& file, index rows, index cols,
                               std::span<const double> v, const std::string& comment) {
  if (rows < 0 || cols < 0 ||
      v.size() != static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols) ||
      v.size() > static_cast<std::size_t>(std::numeric_limits<index>::max()))
    throw input_error(
        fmt::format("array: expected the values of {} x {}, at most 2147483647, "
                    "found {}",
                    rows, cols, v.size()));
  for (std::size_t i = 0; i < v.size(); ++i)
    if (!std::isfinite(v[i]))
      throw input_error(fmt::format(
          "array: expected finite values, found {} in row {}, column {} (counted from 1)", v[i],
          i % static_cast<std::size_t>(rows) + 1, i / static_cast<std::size_t>(rows) + 1));
  write_array(file, fmt::format("{} {}\n", rows, cols), v, comment);
}

void write_matrix_market_vector(const std::filesystem::path& file, std::span<const double> v,
                                const std::string& comment) {
  write_vector_lines(file, v, comment);
}
void write_complex_matrix_market_vector(const std::filesystem::path& file,
                                        std::span<const std::complex<double>> v,
                                        const std::string& comment) {
  write_vector_lines(file, v, comment);
}

}  // namespace dwell
