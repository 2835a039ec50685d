// SPDX-License-Identifier: MIT
// A caching policy for stencils is a pure host function: facts in, a plan out. It knows facts of a
// shape, never its code.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "dwell/base/policy_words.hpp"
#include "dwell/device/device.hpp"
#include "dwell/execution/stencil/args.hpp"
#include "dwell/execution/stencil/order/cell_order.hpp"
#include "dwell/execution/stencil/plan/plan.hpp"
#include "dwell/formats/grid.hpp"

namespace dwell {

/// "static", "zig-zag" or "ring".
std::string to_string(traversal order);
/// Nothing for "auto"; throws input_error unless it is that or one of the three.
std::optional<traversal> parse_traversal(std::string_view name);

/// How many cells of a grid a step may change: the `inner` ones where the border is fixed, else
/// all.
std::size_t changing_cells(const extents& size, const cell_box& inner, boundary edge);

/// What a policy knows of a Stencil's problem.
struct stencil_problem {
  extents size;
  cell_box inner;
  int radius = 1;
  std::size_t scalar_bytes = 8;
  boundary edge = boundary::fixed;
  int flops = 0;  ///< per cell and step
  bool source = false;
  bool star = false;   ///< all neighbours lie on the axes
  bool linear = true;  ///< a sum of products
};

/// Steps of one pass over what a team does not cache in registers: one (spatial blocking) or
/// several (temporal blocking), or as planned.
enum class passing { planned, spatial, temporal };
/// "auto", "spatial" or "temporal"; throws input_error unless it is one of them.
passing parse_passing(std::string_view name);

/// What the caller asks of a plan; 0 means "as planned".
struct stencil_plan_request {
  std::string policy = automatic;
  int teams = 0;
  int depth = 0;                     ///< steps between two exchanges
  std::optional<traversal> order{};  ///< none: as planned
  passing passes = passing::planned;
  int stretch = 0;      ///< steps from one test of the change to the next, or of the run; 0: many
  bool tested = false;  ///< a stretch ends with a test of the change
  std::string engine = automatic;

  bool takes(std::string_view name) const { return engine == automatic || engine == name; }
};

/// Projected seconds of one step, and the seconds that each resource alone would take: they overlap
/// where the executor lets them. All 0 on a CPU, for which nothing is projected.
struct stencil_projection {
  double seconds = 0;
  double arithmetic = 0, shared = 0, l2 = 0, memory = 0;
  double exchange = 0;  ///< exchange of tiles' edges, or barriers between steps
};

struct stencil_choice {
  stencil_plan plan;
  stencil_projection projected;
  std::string policy;  ///< who made it
  std::string reason;  ///< why, one line
  std::string idle;    ///< why nothing is cached though it was asked for; else empty
};

/// Names of the caching policies for stencils of this build.
std::vector<std::string> built_stencil_policies();
/// Tries a plan: seconds per step; nothing: stop trying.
using stencil_plan_trial = std::function<std::optional<double>(const stencil_choice&)>;

}  // namespace dwell
