// SPDX-License-Identifier: MIT
// Names of what a policy for stencils decides.
#include "dwell/execution/stencil/plan/policy.hpp"

#include <fmt/format.h>

#include <initializer_list>

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"

namespace dwell {

using words = std::initializer_list<const char*>;

std::string to_string(traversal order) {
  return order == traversal::zig_zag ? "zig-zag" : order == traversal::ring ? "ring" : "static";
}

std::optional<traversal> parse_traversal(std::string_view name) {
  if (name == "auto") return {};
  for (const auto order : {traversal::fixed, traversal::zig_zag, traversal::ring})
    if (name == to_string(order)) return order;
  throw input_error(fmt::format("traversal: expected auto, static, zig-zag or ring, found {}",
                                found_word(name, words{"auto", "static", "zig-zag", "ring"})));
}

std::size_t changing_cells(const extents& size, const cell_box& inner, boundary edge) {
  if (edge != boundary::fixed) return size.cells();
  const auto length = [](int first, int last) { return static_cast<std::size_t>(last - first); };
  return length(inner.z0, inner.z1) * length(inner.y0, inner.y1) * length(inner.x0, inner.x1);
}

passing parse_passing(std::string_view name) {
  if (name == "auto") return passing::planned;
  if (name == "spatial") return passing::spatial;
  if (name == "temporal") return passing::temporal;
  throw input_error(fmt::format("blocking: expected auto, spatial or temporal, found {}",
                                found_word(name, words{"auto", "spatial", "temporal"})));
}

}  // namespace dwell
