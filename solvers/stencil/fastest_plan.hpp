// SPDX-License-Identifier: MIT
// Policy "measured": runs a few steps under each of the most promising plans, on a copy of the
// field, and takes the fastest.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>

#include "dwell/execution/core/sweep_policy.hpp"
#include "dwell/execution/core/sweep_run.hpp"
#include "dwell/solvers/stencil/stencil.hpp"

namespace dwell {

/// Seconds per step of a plan in one short run, of two exchanges at least and of about a
/// millisecond if the projection is right.
template <class T>
double seconds_per_step(const device& where, const sweep_variant& v, const sweep_choice& choice,
                        const grid<T>& u, const stencil_options& o, const grid<T>* source) {
  sweep_run<T> run(where, v, choice.plan, u.size(), o.edge, source != nullptr);
  run.set_field(u.cells());
  if (source) run.set_source(source->cells());
  sweep_args<T>& a = run.args();
  const double projected = choice.projected.seconds;
  const int wanted = projected > 0 ? static_cast<int>(std::min(1e-3 / projected, 1000.0)) : 0;
  a.steps = std::max(2 * choice.plan.depth, wanted);
  a.look_every = a.steps;
  a.mark_every = a.steps;
  a.reverse_lanes = o.reverse_lanes;
  run_control control;
  control.interrupt = o.interrupt;
  return run.run(o.weights.empty() ? v.shape.weights : o.weights, control) / a.steps;
}

template <class T>
sweep_choice fastest_plan(const device& where, const sweep_variant& v,
                          std::span<const sweep_choice> plans, const grid<T>& u,
                          const stencil_options& o, const grid<T>* source) {
  constexpr std::size_t most = 6;
  const auto tried = plans.first(std::min(most, plans.size()));
  sweep_choice best = tried.front();
  double least = std::numeric_limits<double>::infinity();
  for (const sweep_choice& c : tried) {
    if (o.interrupt && *o.interrupt) break;  // the run itself will report it
    const double first = seconds_per_step(where, v, c, u, o, source);
    const double seconds = std::min(first, seconds_per_step(where, v, c, u, o, source));
    if (!(seconds < least)) continue;
    least = seconds;
    best = c;
  }
  best.policy = "measured";
  best.reason += fmt::format("; the fastest of {} plans tried", tried.size());
  return best;
}

}  // namespace dwell
