// SPDX-License-Identifier: MIT
// Parsing of sizes, and the words of a refusal.
#include "dwell/datasets/kind_request.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "dwell/base/error.hpp"

namespace dwell::detail {

void refuse(const kind_request& r, const std::string& expected, const std::string& meant) {
  throw input_error("expected " + expected + ", found '" + r.kind + "'" + meant);
}

std::optional<std::vector<index>> parse_sizes(std::string_view text, std::size_t count) {
  std::vector<index> sizes;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (;;) {
    index n = 0;
    const auto [next, failed] = std::from_chars(at, end, n);
    if (failed != std::errc() || n < 1) return std::nullopt;
    sizes.push_back(n);
    if (next == end) break;
    if (*next != 'x' || sizes.size() == count) return std::nullopt;
    at = next + 1;
  }
  if (sizes.size() != count) return std::nullopt;
  return sizes;
}

grid_request parse_grid(const kind_request& r, const std::string& form, std::size_t dims) {
  const auto sizes = parse_sizes(r.size, dims);
  if (!sizes) refuse(r, form + " with sizes of at least 1");
  grid_request out;
  std::copy(sizes->begin(), sizes->end(), out.points.begin());
  return out;
}

grid_request parse_grid_and_number(const kind_request& r, const std::string& form) {
  const auto colon = r.size.find(':');
  const auto sizes = parse_sizes(r.size.substr(0, colon), 2);
  const std::string_view text =
      colon == std::string_view::npos ? std::string_view() : r.size.substr(colon + 1);
  double number = -1;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (!sizes || failed != std::errc() || end != text.data() + text.size() || !(number >= 0) ||
      !std::isfinite(number))
    refuse(r, form + " with sizes of at least 1 and a number of at least 0");
  return {{sizes->front(), sizes->back(), 1}, number};
}

}  // namespace dwell::detail
