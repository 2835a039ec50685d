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
  return v == mm_field::real ? "real" : v == mm_field::integer ? "integer" : "pattern";
}

std::string to_string(mm_symmetry v) {
  return v == mm_symmetry::general     ? "general"
         : v == mm_symmetry::symmetric ? "symmetric"
                                       : "skew-symmetric";
}

mm_matrix mm::parse(const text& t, std::string name, int threads) {
  const header_found h = parse_header(t);
  check_sizes(h, t);
  mm_matrix out;
  out.name = std::move(name);
  out.header = h.header;
  out.matrix = h.header.layout == mm_layout::coordinate ? read_coordinate(t, h, threads)
                                                        : read_array(t, h, threads);
  return out;
}

mm_matrix parse_matrix_market(std::span<const char> text, const std::string& name, int threads) {
  return mm::parse({text.data(), text.data() + text.size(), printable(name)}, mm::plain_name(name),
                   threads);
}

}  // namespace dwell
