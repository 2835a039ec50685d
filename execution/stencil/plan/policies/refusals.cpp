// SPDX-License-Identifier: MIT
// The words of each refusal.
#include "dwell/execution/stencil/plan/policies/refusals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "dwell/base/error.hpp"
#include "dwell/execution/stencil/plan/layers.hpp"

namespace dwell::policies {

namespace {

/// Refuses more steps between two exchanges than any config for such passes takes.
void refuse_depth(const stencil_problem& problem, const stencil_plan_request& request,
                  std::span<const engine_facts> kernels) {
  int most = 0;
  for (const engine_facts& f : kernels)
    if (f.engine->shape().temporal == (request.passes == passing::temporal))
      most = std::max(most, f.engine->most_depth(problem));
  if (request.depth <= most) return;
  if (problem.size.dims == 3 && request.passes != passing::temporal)
    throw unsupported_error(
        fmt::format("depth {}: in three dimensions there is 1 only, unless blocking is 'temporal'",
                    request.depth));
  if (problem.edge == boundary::reflect)
    throw unsupported_error(
        fmt::format("depth {}: with boundary 'reflect' there is 1 only", request.depth));
  throw unsupported_error(
      fmt::format("depth {}: a pass of blocking 'temporal' takes at most {} of this stencil",
                  request.depth, steps_text(most)));
}

}  // namespace

void refuse_impossible(const stencil_problem& problem, const stencil_plan_request& request,
                       std::span<const engine_facts> kernels) {
  const bool temporal = request.passes == passing::temporal;
  if (temporal && std::none_of(kernels.begin(), kernels.end(),
                               [](const auto& f) { return f.engine->shape().temporal; }))
    throw unsupported_error(
        "blocking 'temporal': there is spatial only, except for linear stencils (of radius 1 or 2 "
        "in three dimensions)");
  if (temporal && request.order)
    throw unsupported_error(
        fmt::format("traversal '{}': an order of rows is for passes of one step (blocking "
                    "'spatial'), found blocking 'temporal'",
                    to_string(*request.order)));
  if (request.order.value_or(traversal::fixed) != traversal::fixed &&
      std::none_of(kernels.begin(), kernels.end(),
                   [](const auto& f) { return f.engine->shape().orders; }))
    throw unsupported_error(
        fmt::format("traversal '{}': this stencil has kernels for static only (there are others in "
                    "two dimensions)",
                    to_string(*request.order)));
  refuse_depth(problem, request, kernels);
}

void refuse_idle_order(const stencil_problem& problem, const stencil_plan_request& request,
                       const stencil_plan& p, const stencil_engine& engine,
                       const std::string& scratch) {
  if (!request.order || p.streamed_rows > 0) return;
  const auto where = engine.shape().register_rows == 0 ? scratch
                     : p.scratch_rows == 0             ? "registers"
                                                       : fmt::format("registers and {}", scratch);
  throw unsupported_error(
      fmt::format("traversal '{}': nothing streams, all {} fit in {}", to_string(*request.order),
                  problem.size.dims == 3 ? "planes of a block" : "rows of a tile", where));
}

std::string layout_obstacles::text(const stencil_problem& problem,
                                   const stencil_plan_request& request, int teams,
                                   const std::string& scratch) const {
  if (!served_)
    return fmt::format("perks: no kernel of this stencil serves policy '{}'{}", request.policy,
                       problem.source ? " with a source" : "");
  const auto head = fmt::format("perks: {} cells cannot be tiled", to_string(problem.size));
  if (last_ == layout_obstacle::numbers)
    return fmt::format("{}: passes of several steps number cells in 32 bits, up to {}{}", head,
                       most_numbered_cells,
                       spatial_ ? fmt::format("; {} teams are too few for others", teams) : "");
  if (last_ == layout_obstacle::scratch)
    return fmt::format("{}: a team's {} is too little for what streams", head, scratch);
  const auto depth = request.depth > 0
                         ? fmt::format(", with {} between exchanges", steps_text(request.depth))
                         : "";
  const auto order = request.order ? ", " + to_string(*request.order) : "";
  const extents& n = problem.size;
  if (most_.x <= 0) return head + depth + order;
  const auto most =
      n.dims == 3 ? fmt::format("{} x {} of a plane's {} x {} cells", most_.y, most_.x, n.y, n.x)
                  : fmt::format("{} of a row's {} cells", most_.x, n.x);
  return fmt::format("{} over {} teams: one takes at most {}{}{}", head, teams, most, depth, order);
}

}  // namespace dwell::policies
