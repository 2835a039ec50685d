// SPDX-License-Identifier: MIT
// See sweep_refusals.hpp.
#include "dwell/execution/policies/sweep_refusals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "dwell/formats/error.hpp"

namespace dwell::policies {

std::string steps_text(int n) { return n == 1 ? "1 step" : fmt::format("{} steps", n); }

int most_depth(const sweep_rung& r, const sweep_problem_facts& problem) {
  if (problem.edge == boundary::reflect) return 1;  // a mirror is looked into at every step
  if (r.levels > 0) return r.levels;
  if (r.warp_shares) return 1;
  // Bricks show their faces at every step.
  return problem.size.dims == 3 ? 1 : std::numeric_limits<int>::max();
}

namespace {

/// Refuses more steps between two exchanges than any rung for such passes takes.
void refuse_depth(const sweep_problem_facts& problem, const sweep_wish& wish,
                  std::span<const sweep_rung_facts> rungs) {
  int most = 0;
  for (const sweep_rung_facts& f : rungs)
    if ((f.shape.levels > 0) == (wish.passes == passing::temporal))
      most = std::max(most, most_depth(f.shape, problem));
  if (wish.depth <= most) return;
  if (problem.size.dims == 3 && wish.passes != passing::temporal)
    throw unsupported_error(
        fmt::format("depth {}: in three dimensions there is 1 only, unless blocking is 'temporal'",
                    wish.depth));
  if (problem.edge == boundary::reflect)
    throw unsupported_error(
        fmt::format("depth {}: with boundary 'reflect' there is 1 only", wish.depth));
  throw unsupported_error(
      fmt::format("depth {}: a pass of blocking 'temporal' takes at most {} of this stencil",
                  wish.depth, steps_text(most)));
}

}  // namespace

void refuse_impossible(const sweep_problem_facts& problem, const sweep_wish& wish,
                       std::span<const sweep_rung_facts> rungs) {
  const bool temporal = wish.passes == passing::temporal;
  if (temporal &&
      std::none_of(rungs.begin(), rungs.end(), [](const auto& f) { return f.shape.levels > 0; }))
    throw unsupported_error(
        "blocking 'temporal': there is spatial only, except for linear stencils (of radius 1 or 2 "
        "in three dimensions)");
  if (temporal && wish.order)
    throw unsupported_error(
        fmt::format("traversal '{}': an order of rows is for passes of one step (blocking "
                    "'spatial'), found blocking 'temporal'",
                    to_string(*wish.order)));
  refuse_depth(problem, wish, rungs);
}

void refuse_idle_order(const sweep_problem_facts& problem, const sweep_wish& wish,
                       const sweep_plan& p, const sweep_rung& r, const std::string& scratch) {
  if (!wish.order || p.streamed_rows > 0) return;
  const auto where = r.register_rows == 0  ? scratch
                     : p.scratch_rows == 0 ? "registers"
                                           : fmt::format("registers and {}", scratch);
  throw unsupported_error(
      fmt::format("traversal '{}': nothing streams, all {} fit in {}", to_string(*wish.order),
                  problem.size.dims == 3 ? "planes of a brick" : "rows of a tile", where));
}

std::string sweep_obstacles::text(const sweep_problem_facts& problem, const sweep_wish& wish,
                                  int teams, const std::string& scratch) const {
  if (!served_)
    return fmt::format("perks: no kernel of this stencil serves policy '{}'{}", wish.policy,
                       problem.source ? " with a source" : "");
  const auto head = fmt::format("perks: {} cells cannot be tiled", to_string(problem.size));
  if (last_ == sweep_obstacle::numbers)
    return fmt::format("{}: passes of several steps number cells in 32 bits, up to {}{}", head,
                       most_numbered_cells,
                       spatial_ ? fmt::format("; {} teams are too few for others", teams) : "");
  if (last_ == sweep_obstacle::scratch)
    return fmt::format("{}: a team's {} is too little for what streams", head, scratch);
  const auto depth =
      wish.depth > 0 ? fmt::format(", with {} between exchanges", steps_text(wish.depth)) : "";
  const auto order = wish.order ? ", " + to_string(*wish.order) : "";
  const extents& n = problem.size;
  if (most_.x <= 0) return head + depth + order;
  const auto most =
      n.dims == 3 ? fmt::format("{} x {} of a plane's {} x {} cells", most_.y, most_.x, n.y, n.x)
                  : fmt::format("{} of a row's {} cells", most_.x, n.x);
  return fmt::format("{} over {} teams: one takes at most {}{}{}", head, teams, most, depth, order);
}

}  // namespace dwell::policies
