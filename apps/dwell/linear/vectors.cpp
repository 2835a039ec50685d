// SPDX-License-Identifier: MIT
// Lengths are checked here, where the name of the file is known.
#include "linear/vectors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string_view>
#include <system_error>
#include <utility>

#include "cli/file_options.hpp"
#include "linear/fitting_columns.hpp"

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"
#include "dwell/formats/descriptor.hpp"
#include "dwell/formats/file_sizes.hpp"
#include "dwell/formats/vector_file.hpp"
#include "dwell/linear/solve.hpp"

namespace dwell::app {

namespace {

template <class Offset>
std::vector<double> row_sums(const csr<double, Offset>& a) {
  std::vector<double> sums(static_cast<std::size_t>(a.rows));
  for (std::size_t i = 0; i < sums.size(); ++i)
    for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
      sums[i] += a.val[static_cast<std::size_t>(k)];
  return sums;
}

void require_length(const std::string& where, std::int64_t found, const char* what,
                    const std::string& matrix, std::int64_t rows) {
  if (found != rows)
    throw input_error(fmt::format("{}: expected {} values for the {}, one per row of {}, found {}",
                                  where, rows, what, matrix, found));
}

}  // namespace

void require_fitting(const std::string& file, const char* what, const std::string& matrix,
                     std::int64_t rows) {
  if (!is_vector_name(file)) return;  // its reader says so
  const auto sizes = sizes_of_file(file);
  if (!sizes) return;
  if (sizes->cols != 1 && sizes->rows != 1)
    throw input_error(fmt::format(
        "{}: expected a vector (one column or one row) for the {}, found {} rows and {} columns",
        sizes->where, what, sizes->rows, sizes->cols));
  require_length(sizes->where, sizes->cols == 1 ? sizes->rows : sizes->cols, what, matrix, rows);
}

std::vector<double> read_fitting(const std::string& file, const char* what,
                                 const std::string& matrix, std::int64_t rows, int threads) {
  require_fitting(file, what, matrix, rows);
  auto v = dwell::read_vector(file, threads);
  require_length(file, static_cast<std::int64_t>(v.size()), what, matrix, rows);
  return v;
}

void refuse_companion(const std::string& matrix, std::int64_t rows) {
  throw input_error(fmt::format(
      "--rhs companion: {} has none (expected a .tar.gz that holds {}_b.mtx of {} values)", matrix,
      matrix, rows));
}

rhs_source parse_rhs(const std::string& text) {
  using kind = rhs_source::kind;
  if (text == "ones") return {kind::ones, {}};
  if (text == "row-sums") return {kind::row_sums, {}};
  if (text == "companion") return {kind::companion, {}};
  return {kind::file, input_name(text)};
}

void require_rhs(const std::string& text) {
  const rhs_source rhs = parse_rhs(text);
  std::error_code unknown;
  if (rhs.what != rhs_source::kind::file || is_stream(rhs.file) ||
      std::filesystem::exists(rhs.file, unknown) || unknown)
    return;
  constexpr std::string_view words[] = {"ones", "row-sums", "companion"};
  throw input_error(fmt::format("--rhs: expected {} or the name of a file that is there, found {}",
                                fmt::join(words, ", "), found_word(text, words)));
}

std::string option_text(const rhs_source& rhs) {
  switch (rhs.what) {
    case rhs_source::kind::ones:
      return "ones";
    case rhs_source::kind::row_sums:
      return "row-sums";
    case rhs_source::kind::companion:
      return "companion";
    case rhs_source::kind::file:
      return rhs.file;
  }
  return {};
}

std::string describe(const rhs_source& rhs) {
  switch (rhs.what) {
    case rhs_source::kind::ones:
      return "ones";
    case rhs_source::kind::row_sums:
      return "row sums of the matrix (exact solution: all ones)";
    case rhs_source::kind::companion:
      return "the companion in the archive of the matrix";
    case rhs_source::kind::file:
      return rhs.file;
  }
  return {};
}

std::vector<double> make_rhs(const rhs_source& rhs, const matrix_source& source, int threads) {
  const auto& a = source.content.matrix;
  switch (rhs.what) {
    case rhs_source::kind::ones:
      return std::vector<double>(static_cast<std::size_t>(source.rows()), 1.0);
    case rhs_source::kind::row_sums:
      return source.large ? row_sums(*source.large) : row_sums(a);
    case rhs_source::kind::companion:
      if (const auto& why = source.content.companion_refusal; !why.empty())
        throw input_error("--rhs companion: " + why);
      if (!source.content.companion_rhs) refuse_companion(source.name, a.rows);
      return *source.content.companion_rhs;
    case rhs_source::kind::file:
      return read_fitting(rhs.file, "right-hand side", source.name, source.rows(), threads);
  }
  return {};
}

consistent_rhs make_consistent_rhs(const rhs_source& rhs, const matrix_source& source,
                                   int threads) {
  consistent_rhs out{make_rhs(rhs, source, threads), {}};
  const auto& a = source.content.matrix;
  const auto n = static_cast<std::size_t>(a.rows);
  if (a.rows != a.cols || a.rows == 0) return out;
  std::vector<double> of_row(n), of_column(n), row_size(n), column_size(n);
  for (index i = 0; i < a.rows; ++i)
    for (index k = a.row_ptr[static_cast<std::size_t>(i)];
         k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k) {
      const auto row = static_cast<std::size_t>(i),
                 column = static_cast<std::size_t>(a.col[static_cast<std::size_t>(k)]);
      const double v = a.val[static_cast<std::size_t>(k)];
      of_row[row] += v, row_size[row] += std::abs(v);
      of_column[column] += v, column_size[column] += std::abs(v);
    }
  constexpr double rounding = 1e-12;
  for (std::size_t i = 0; i < n; ++i)
    if (std::abs(of_row[i]) > rounding * row_size[i] ||
        std::abs(of_column[i]) > rounding * column_size[i])
      return out;
  // Signs that are no smooth vector, and the same on every machine.
  std::vector<double> signs(n);
  for (std::size_t i = 0; i < n; ++i)
    signs[i] = (static_cast<std::uint32_t>(i) * 2654435769U) >> 31 ? 1.0 : -1.0;
  for (index i = 0; i < a.rows; ++i) {
    double sum = 0;
    for (index k = a.row_ptr[static_cast<std::size_t>(i)];
         k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      sum += a.val[static_cast<std::size_t>(k)] *
             signs[static_cast<std::size_t>(a.col[static_cast<std::size_t>(k)])];
    out.b[static_cast<std::size_t>(i)] = sum;
  }
  out.note =
      "rows and columns have sums of zero, so b is A times a vector of signs instead: the "
      "system has a solution, up to a constant";
  return out;
}

std::vector<double> make_null_vectors(const std::string& file, const std::string& matrix,
                                      std::int64_t rows, int threads) {
  if (file.empty()) return {};
  return std::move(
      read_columns_that(file, most_null_vectors, threads, [&](const file_sizes& found) {
        if (found.rows != rows)
          throw input_error(
              fmt::format("{}: expected {} rows of null vectors, one per row of {}, found {}",
                          found.where, rows, matrix, found.rows));
      }).values);
}

std::vector<float> to_single(std::span<const double> v, const std::string& what,
                             std::int64_t first) {
  std::vector<float> out(v.size());
  for (std::size_t i = 0; i < v.size(); ++i) {
    out[i] = static_cast<float>(v[i]);
    if (!std::isfinite(out[i]))
      throw input_error(fmt::format("{}: value {} ({}) is too large for --precision f32; use f64",
                                    what, first + static_cast<std::int64_t>(i) + 1, v[i]));
  }
  return out;
}

void require_rhs_in_single(double most) {
  if (most > 0 && most < std::numeric_limits<float>::min())
    throw input_error(fmt::format(
        "right-hand side: its largest value ({}) is too small for --precision f32; use f64", most));
}

std::vector<float> rhs_to_single(std::span<const double> b) {
  require_rhs_in_single(largest_of(b));
  return to_single(b, "right-hand side");
}

double largest_of(std::span<const double> v) {
  double largest = 0;
  for (const double e : v) largest = std::max(largest, std::abs(e));
  return largest;
}
double add_squares(std::span<const double> v, double by, double sum) {
  for (const double e : v) sum += (e / by) * (e / by);
  return sum;
}
double norm_of(std::span<const double> v) {
  const double largest = largest_of(v);
  return largest == 0 ? 0 : largest * std::sqrt(add_squares(v, largest, 0));
}

}  // namespace dwell::app
