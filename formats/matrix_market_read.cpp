// SPDX-License-Identifier: MIT
// The Matrix Market reader, of files: a file becomes text, the text a matrix (matrix_market.cpp).
#include <fmt/format.h>

#include "dwell/base/error.hpp"
#include "dwell/formats/matrix_market.hpp"
#include "dwell/formats/matrix_market_body.hpp"
#include "dwell/formats/matrix_market_source.hpp"

namespace dwell {
namespace {

/// The entries of a matrix of one column or one row, zeros where it has none.
template <class T>
std::vector<T> as_vector(const csr<T>& a) {
  const bool column = a.cols == 1;
  std::vector<T> v(static_cast<std::size_t>(column ? a.rows : a.cols), T(0.0));
  for (index i = 0; i < a.rows; ++i)
    for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) v[column ? i : a.col[k]] = a.val[k];
  return v;
}

/// The companion, or what is wrong with it: that matters only to who asks for it.
void add_companion(const mm::source_file& source, int threads, mm_matrix& to) {
  to.companion_refusal = source.companion_refusal;
  if (!source.companion) return;
  try {
    const mm_matrix b = mm::parse(source.companion->view(), {}, threads);
    if (b.matrix.cols == 1 && b.matrix.rows == to.matrix.rows)
      to.companion_rhs = as_vector(b.matrix);
  } catch (const unsupported_error&) {
    // Complex: no right-hand side of a real matrix.
  } catch (const input_error& e) {
    to.companion_refusal = e.what();
  }
}

void add_companion(const mm::source_file& source, int threads, mm_complex_matrix& to) {
  to.companion_refusal = source.companion_refusal;
  if (!source.companion) return;
  try {
    const mm_complex_matrix b = mm::parse_complex(source.companion->view(), {}, threads);
    if (b.matrix.cols == 1 && b.matrix.rows == to.matrix.rows)
      to.companion_rhs = as_vector(b.matrix);
  } catch (const input_error& e) {
    to.companion_refusal = e.what();
  }
}

bool require_vector(const mm::text& t, const mm::header_found& h) {
  if (h.header.cols != 1 && h.header.rows != 1)
    mm::fail(t, {h.size_line, "a vector (one column or one row)",
                 fmt::format("{} rows and {} columns", h.header.rows, h.header.cols)});
  return true;
}
bool require_real_vector(const mm::text& t, const mm::header_found& h) {
  mm::require_real(t, h);
  return require_vector(t, h);
}
bool is_real(const mm::text& t, const mm::header_found& h) {
  mm::require_real(t, h);
  return true;
}

/// `parse` is of the numbers wanted. A head that came late, or as the last line, is looked at here.
template <class Parse>
auto vector_of(input_file& file, int threads, const mm::head_check& check, Parse&& parse) {
  const mm::source_file source = mm::load(file, threads, check);
  const mm::text t = source.matrix.view();
  check(t, mm::parse_header(t));
  return as_vector(parse(t, {}, threads).matrix);
}

}  // namespace

mm_matrix mm::read_matrix(input_file& file, int threads) {
  const source_file source = load(file, threads, is_real);
  mm_matrix out = parse(source.matrix.view(), source.plain_name, threads);
  add_companion(source, threads, out);
  return out;
}

mm_complex_matrix mm::read_complex_matrix(input_file& file, int threads) {
  const source_file source = load(file, threads);
  mm_complex_matrix out = parse_complex(source.matrix.view(), source.plain_name, threads);
  add_companion(source, threads, out);
  return out;
}

mm::head mm::read_head(input_file& file) {
  head out;
  bool found = false;
  const head_check note = [&](const text& t, const header_found& h) {
    out = {h.header, line_of(t, h.size_line)};
    found = true;
    return false;
  };
  const source_file source = load(file, 1, note);
  if (!found) note(source.matrix.view(), parse_header(source.matrix.view()));
  return out;
}

std::variant<mm_matrix, mm_complex_matrix> mm::read_any_matrix(input_file& file, int threads) {
  const source_file source = load(file, threads);
  const text t = source.matrix.view();
  const auto with_companion = [&](auto out) -> std::variant<mm_matrix, mm_complex_matrix> {
    add_companion(source, threads, out);
    return out;
  };
  if (parse_header(t).header.field == mm_field::complex)
    return with_companion(parse_complex(t, source.plain_name, threads));
  return with_companion(parse(t, source.plain_name, threads));
}

mm_complex_matrix read_complex_matrix_market(const std::filesystem::path& file, int threads) {
  input_file in(file);
  return mm::read_complex_matrix(in, threads);
}

std::variant<mm_matrix, mm_complex_matrix> read_any_matrix_market(const std::filesystem::path& file,
                                                                  int threads) {
  input_file in(file);
  return mm::read_any_matrix(in, threads);
}

std::vector<std::complex<double>> read_complex_matrix_market_vector(
    const std::filesystem::path& file, int threads) {
  input_file in(file);
  return mm::read_complex_vector(in, threads);
}

mm_matrix read_matrix_market(const std::filesystem::path& file, int threads) {
  input_file in(file);
  return mm::read_matrix(in, threads);
}

std::vector<double> read_matrix_market_vector(const std::filesystem::path& file, int threads) {
  input_file in(file);
  return mm::read_vector(in, threads);
}

std::vector<double> mm::read_vector(input_file& file, int threads) {
  return vector_of(file, threads, require_real_vector, parse);
}

std::vector<std::complex<double>> mm::read_complex_vector(input_file& file, int threads) {
  return vector_of(file, threads, require_vector, parse_complex);
}

}  // namespace dwell
