// SPDX-License-Identifier: MIT
// A caching policy for Sweeps is a pure host function: facts in, a plan out. It never sees a
// shape's text.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "dwell/execution/core/device.hpp"
#include "dwell/execution/core/sweep_args.hpp"
#include "dwell/execution/core/sweep_plan.hpp"

namespace dwell {

/// "static", "zig-zag" or "ring".
std::string to_string(traversal order);
/// Nothing for "auto"; throws input_error unless it is that or one of the three.
std::optional<traversal> parse_traversal(std::string_view name);

/// How many cells of a grid a step may change: the `inner` ones where the border is fixed, else
/// all.
std::size_t changing_cells(const extents& size, const cell_box& inner, boundary edge);

/// What a policy knows of a Sweep's problem.
struct sweep_problem_facts {
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

/// Steps of one pass over what a team does not keep in registers: one (spatial blocking) or several
/// (temporal blocking), or as planned.
enum class passing { planned, spatial, temporal };
/// "auto", "spatial" or "temporal"; throws input_error unless it is one of them.
passing parse_passing(std::string_view name);

/// What the caller asks of a plan; 0 means "as planned".
struct sweep_wish {
  std::string policy = "auto";
  int teams = 0;
  int depth = 0;                     ///< steps between two exchanges
  std::optional<traversal> order{};  ///< none: as planned
  passing passes = passing::planned;
};

/// Projected seconds of one step, and what each resource alone would need of them: they overlap
/// where the executor lets them. All 0 on a CPU, for which nothing is projected.
struct sweep_projection {
  double seconds = 0;
  double arithmetic = 0, shared = 0, l2 = 0, memory = 0;
  double exchange = 0;  ///< of tiles' edges, or barriers between steps
};

struct sweep_choice {
  sweep_plan plan;
  sweep_projection projected;
  std::string policy;  ///< who made it
  std::string reason;  ///< why, one line
  std::string idle;    ///< why nothing is kept though it was asked for; else empty
};

}  // namespace dwell
