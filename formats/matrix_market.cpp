// SPDX-License-Identifier: MIT
// The Matrix Market reader, of text: a header and a body, the body a matrix. Needs no library;
// files are matrix_market_read.cpp.
#include "dwell/formats/matrix_market.hpp"

#include <utility>

#include "dwell/base/printable.hpp"
#include "dwell/formats/matrix_market_body.hpp"

namespace dwell {

std::string to_string(mm_layout v) { return v == mm_layout::coordinate ? "coordinate" : "array"; }

std::string to_string(mm_field v) {
  switch (v) {
    case mm_field::real:
      return "real";
    case mm_field::integer:
      return "integer";
    case mm_field::complex:
      return "complex";
    default:
      return "pattern";
  }
}

std::string to_string(mm_symmetry v) {
  switch (v) {
    case mm_symmetry::general:
      return "general";
    case mm_symmetry::symmetric:
      return "symmetric";
    case mm_symmetry::hermitian:
      return "hermitian";
    default:
      return "skew-symmetric";
  }
}

namespace {

/// Fills a mm_matrix or a mm_complex_matrix.
template <class T, class Matrix>
Matrix parse_as(const mm::text& t, const mm::header_found& h, std::string name, int threads) {
  check_sizes(h, t, t.size());
  Matrix out;
  out.name = std::move(name);
  out.header = h.header;
  out.matrix = h.header.layout == mm_layout::coordinate ? mm::read_coordinate<T>(t, h, threads)
                                                        : mm::read_array<T>(t, h, threads);
  return out;
}

}  // namespace

mm_matrix mm::parse(const text& t, std::string name, int threads) {
  const header_found h = parse_header(t);
  require_real(t, h);
  return parse_as<double, mm_matrix>(t, h, std::move(name), threads);
}

mm_complex_matrix mm::parse_complex(const text& t, std::string name, int threads) {
  return parse_as<std::complex<double>, mm_complex_matrix>(t, parse_header(t), std::move(name),
                                                           threads);
}

mm_complex_matrix parse_complex_matrix_market(std::span<const char> text, const std::string& name,
                                              int threads) {
  return mm::parse_complex({text.data(), text.data() + text.size(), printable(name)},
                           mm::plain_name(name), threads);
}

std::variant<mm_matrix, mm_complex_matrix> parse_any_matrix_market(std::span<const char> text,
                                                                   const std::string& name,
                                                                   int threads) {
  const mm::text t{text.data(), text.data() + text.size(), printable(name)};
  if (mm::parse_header(t).header.field == mm_field::complex)
    return mm::parse_complex(t, mm::plain_name(name), threads);
  return mm::parse(t, mm::plain_name(name), threads);
}

mm_matrix parse_matrix_market(std::span<const char> text, const std::string& name, int threads) {
  return mm::parse({text.data(), text.data() + text.size(), printable(name)}, mm::plain_name(name),
                   threads);
}

}  // namespace dwell
