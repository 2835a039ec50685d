// SPDX-License-Identifier: MIT
// The words of stencils: names of shapes, boundaries and reasons to stop.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"
#include "dwell/execution/stencil/launch/kernel_table.hpp"
#include "dwell/solvers/stencil/api/stencil_table.hpp"
#include "dwell/stencil/solve.hpp"

namespace dwell {
namespace {

stencil_shape public_shape(const compiled_shape& s) {
  return {s.name,    s.dims, s.radius, s.flops, s.linear, {s.taps.begin(), s.taps.end()},
          s.weights, s.about};
}

}  // namespace

stencil_shape find_stencil_shape(std::span<const stencil_kernel> table, std::string_view name) {
  if (table.empty()) throw unsupported_error("this build has no stencils (DWELL_SHAPES)");
  std::vector<std::string> names;
  for (const auto& s : shapes_of(table)) {
    if (s.name == name) return public_shape(s);
    names.emplace_back(s.name);
  }
  throw unsupported_error(fmt::format("expected a stencil ({}), found {}", fmt::join(names, ", "),
                                      found_word(name, names)));
}

std::string to_string(boundary b) {
  return b == boundary::fixed ? "fixed" : b == boundary::periodic ? "periodic" : "reflect";
}

boundary parse_boundary(std::string_view name) {
  for (const boundary b : {boundary::fixed, boundary::periodic, boundary::reflect})
    if (to_string(b) == name) return b;
  const char* const known[] = {"fixed", "periodic", "reflect"};
  throw input_error(fmt::format("boundary: expected fixed, periodic or reflect, found {}",
                                found_word(name, known)));
}

std::string to_string(stencil_stop r) {
  switch (r) {
    case stencil_stop::steps_done:
      return "steps done";
    case stencil_stop::converged:
      return "converged";
    case stencil_stop::step_limit:
      return "step limit";
    case stencil_stop::not_finite:
      return "not finite";
    case stencil_stop::interrupted:
      return "interrupted";
  }
  return "unknown";
}

bool stencil_shape::star() const {
  return std::all_of(taps.begin(), taps.end(),
                     [](const tap& t) { return (t.dz != 0) + (t.dy != 0) + (t.dx != 0) <= 1; });
}

}  // namespace dwell
