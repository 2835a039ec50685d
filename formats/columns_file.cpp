// SPDX-License-Identifier: MIT
// Reads and writes columns in both formats, and checks their number.
#include "dwell/formats/columns_file.hpp"

#include <fmt/format.h>

#include <cmath>

#include "dwell/base/error.hpp"
#include "dwell/base/printable.hpp"
#include "dwell/formats/input_file.hpp"
#include "dwell/formats/matrix_market.hpp"
#include "dwell/formats/matrix_market_body.hpp"
#include "dwell/formats/matrix_market_source.hpp"
#include "dwell/formats/npy.hpp"
#include "dwell/formats/npy_header.hpp"
#include "dwell/formats/vector_file.hpp"

namespace dwell {
namespace {

void require_count(const std::string& name, long long rows, long long cols, index most) {
  if (rows < 1 || cols < 1 || cols > most)
    throw input_error(
        fmt::format("{}: expected 1 to {} columns of at least one value, found {} x {}", name, most,
                    rows, cols));
}

dense_columns columns_of(const std::string& name, const csr<double>& a, index most) {
  require_count(name, a.rows, a.cols, most);
  dense_columns out{a.rows, a.cols, {}};
  out.values.assign(static_cast<std::size_t>(a.rows) * static_cast<std::size_t>(a.cols), 0.0);
  for (index i = 0; i < a.rows; ++i)
    for (index k = a.row_ptr[static_cast<std::size_t>(i)];
         k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      out.values[static_cast<std::size_t>(a.col[static_cast<std::size_t>(k)]) *
                     static_cast<std::size_t>(a.rows) +
                 static_cast<std::size_t>(i)] = a.val[static_cast<std::size_t>(k)];
  return out;
}

dense_columns read_npy(input_file& in, index most) {
  const npy_array a = read_npy_array(in, [&](const std::vector<long long>& shape) {
    if (shape.size() != 1 && shape.size() != 2) return false;
    require_count(in.name(), shape[0], shape.size() == 2 ? shape[1] : 1, most);
    return true;
  });
  dense_columns out{
      static_cast<index>(a.shape[0]), a.shape.size() == 2 ? static_cast<index>(a.shape[1]) : 1, {}};
  const auto rows = static_cast<std::size_t>(out.rows), cols = static_cast<std::size_t>(out.cols);
  out.values.resize(a.values.size());
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < cols; ++j) out.values[j * rows + i] = a.values[i * cols + j];
  return out;
}

}  // namespace

dense_columns read_columns(const std::filesystem::path& file, index most, int threads) {
  input_file in(file);
  if (!is_vector_name(file))
    throw input_error(
        printable(fmt::format("{}: expected {}, found another", file.string(), vector_names)));
  const bool npy =
      file.extension() == ".npy" || (in.nameless() && in.peek().starts_with(npy_magic));
  dense_columns out = npy ? read_npy(in, most) : [&] {
    const mm::head_check few = [&](const mm::text& t, const mm::header_found& h) {
      require_count(mm::line_of(t, h.size_line), h.header.rows, h.header.cols, most);
      return true;
    };
    const mm::source_file source = mm::load(in, threads, few);
    return columns_of(in.name(), mm::parse(source.matrix.view(), {}, threads).matrix, most);
  }();
  for (std::size_t k = 0; k < out.values.size(); ++k)
    if (!std::isfinite(out.values[k]))
      throw input_error(
          fmt::format("{}: expected finite values, found {} in row {}, column {} (counted from 1)",
                      in.name(), out.values[k], k % static_cast<std::size_t>(out.rows) + 1,
                      k / static_cast<std::size_t>(out.rows) + 1));
  return out;
}

void write_columns(const std::filesystem::path& file, const dense_columns& a,
                   const std::string& comment) {
  if (!is_vector_name(file))
    throw input_error(
        printable(fmt::format("{}: expected {}, found another", file.string(), vector_names)));
  if (file.extension() != ".npy")
    return write_matrix_market_array(file, a.rows, a.cols, a.values, comment);
  grid<double> by_rows(extents(a.rows, a.cols));
  for (index i = 0; i < a.rows; ++i)
    for (index j = 0; j < a.cols; ++j)
      by_rows.cells()[static_cast<std::size_t>(i) * static_cast<std::size_t>(a.cols) +
                      static_cast<std::size_t>(j)] =
          a.values[static_cast<std::size_t>(j) * static_cast<std::size_t>(a.rows) +
                   static_cast<std::size_t>(i)];
  write_npy<double>(file, std::as_const(by_rows).view());
}

}  // namespace dwell
