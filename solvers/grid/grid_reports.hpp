// SPDX-License-Identifier: MIT
// The report of a solve on a grid, of one rank or of several, which all call.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "dwell/comm/agreement.hpp"
#include "dwell/solvers/grid/advice.hpp"
#include "dwell/solvers/grid/grid_run.hpp"
#include "dwell/solvers/grid/grid_setup.hpp"
#include "dwell/solvers/grid/level_list.hpp"

namespace dwell::grids {

/// Cells along the axes of all levels, on all ranks.
template <class T>
std::vector<std::vector<int>> cells_of_levels(const grid_setup<T>& g, const divided_levels& levels,
                                              bool twice) {
  std::vector<grid_shape> shapes, below;
  for (std::size_t n = 0; n < levels.shared(); ++n) shapes.push_back(levels.own->levels[n].all);
  if (const hierarchy<level_value>* const h = levels.ghosts ? levels.whole.get() : levels.own.get())
    for (const listed_level& l : list_levels(*h, g.method, twice)) below.push_back(l.shape);
  if (levels.ghosts) below = list_of_rank(*g.comm, 0, std::span<const grid_shape>(below));
  shapes.insert(shapes.end(), below.begin(), below.end());
  std::vector<std::vector<int>> cells;
  for (const grid_shape& shape : shapes) cells.push_back(g.where.order.described(shape.n));
  return cells;
}
/// Bytes of all ranks, their ghosts among them.
template <class T>
std::size_t bytes_of_iteration(const grid_setup<T>& g, const divided_levels& levels, bool twice) {
  if (!levels.ghosts && g.comm->size() == 1)
    return iteration_bytes(g.grid, *levels.own, g.method, twice);
  std::size_t cycle = 0;
  std::vector<listed_level> mine = list_levels(*levels.own, g.method, twice);
  for (std::size_t n = 0; n < levels.shared(); ++n) cycle += mine[n].bytes_per_cycle;
  if (levels.whole)
    for (const listed_level& l : list_levels(*levels.whole, g.method, twice))
      cycle += l.bytes_per_cycle;
  std::size_t all = 0;
  for (const std::size_t one :
       values_of_ranks(*g.comm, method_bytes(g.grid, g.method) +
                                    std::size_t(facts_of(g.method.method).applications) * cycle))
    all += one;
  return all;
}

/// Bytes of an iteration, the mean of all of them. Ranks call it together.
template <class T>
std::size_t mean_bytes(const grid_setup<T>& g, const run_output& out, const divided_levels& used,
                       int slow) {
  const std::size_t last = bytes_of_iteration(g, used, used.own->twice && !out.visits_once);
  if (slow <= 0 && out.once_after == 0) return last;
  double moved = 0;
  int from = 0;
  const auto add = [&](int to, std::size_t each) {
    moved += double(to - from) * double(each);
    from = to;
  };
  if (slow > 0) add(slow, bytes_of_iteration(g, g.grid.levels, g.grid.levels.own->twice));
  if (out.once_after > from) add(out.once_after, bytes_of_iteration(g, used, used.own->twice));
  add(out.iterations, last);
  return std::size_t(moved / out.iterations);
}

/// A residual of rounding alone, relative to b, with which a solve in f32 still counts as
/// converged.
inline constexpr double most_by_rounding = 0.1;

/// scale: the right-hand side was divided by 2^scale. slow: iterations before Galerkin's levels
/// were taken, or -1.
template <class T>
grid_report report_of(const grid_setup<T>& g, const run_output& out, int scale, int slow,
                      double seconds) {
  grid_report r;
  r.method = g.options.method;
  r.preconditioner = name_of(g.method.preconditioner);
  r.device = g.device_name;
  r.precision = sizeof(T) == 8 ? "f64" : "f32";
  r.threads = g.threads.threads;
  r.reason = g.threads.why;
  r.on = g.on_gpu ? backend::cuda : backend::cpu;
  const divided_levels& used = slow >= 0 ? *g.grid.galerkin : g.grid.levels;
  const hierarchy<level_value>& levels = *used.own;
  r.cycle = cycle_name(levels, g.method);
  if (slow >= 0)
    r.cycle += fmt::format("; Galerkin's coarse operators after {} slow iterations", slow);
  if (!g.without_galerkin.empty())
    r.cycle +=
        fmt::format("; slow, and without Galerkin's coarse operators: {}", g.without_galerkin);
  if (out.visits_once) r.cycle += "; then a V-cycle, since that was not positive definite";
  const bool twice = levels.twice && !out.visits_once;
  for (const auto& cells : cells_of_levels(g, used, twice)) r.levels.push_back({cells});
  if (r.levels.empty()) r.levels.push_back({g.cells});
  r.iterations = out.iterations;
  r.stopped = out.stopped;
  const double up = std::ldexp(1.0, scale), over = out.rhs_norm > 0 ? 1 / out.rhs_norm : up;
  r.rhs_norm = out.rhs_norm * up;
  if (g.grid.system.singular) {
    r.null_space = "constant";
    const double all = std::hypot(out.rhs_norm, out.removed);
    r.rhs_outside_range = all > 0 ? std::abs(out.removed) / all : 0;
    r.rhs_inconsistent = r.rhs_outside_range > (sizeof(T) == 8 ? 1e-6 : 1e-3);
  }
  r.residual_relative_recursive = out.recursive * over;
  r.residual_relative_true = out.residual * over;
  const double rtol = *g.options.rtol, atol = g.options.atol;
  r.residual_relative_wanted = r.rhs_norm > 0 ? std::max(rtol, atol / r.rhs_norm) : atol;
  r.target_missed = out.target_missed;
  const bool in_range = std::abs(g.grid.scale - scale) < far_exponent<T>;
  if (sizeof(T) == 4 && !g.rtol_given && in_range && r.stopped == stop_reason::accuracy_limit &&
      r.residual_relative_true <= most_by_rounding) {
    r.stopped = stop_reason::converged;
    r.target_missed = false;
    r.met_by_rounding = true;
  }
  r.refinements = out.refinements;
  r.stagnated = out.stagnated;
  for (const double h : out.history) r.history.push_back(h * up);
  r.advice =
      advice_of(r, g.options, !g.grid.system.a.shared,
                slow >= 0 || g.method.coarse == coarse_operators::galerkin, g.comm->size() > 1);
  r.bytes_per_iteration = mean_bytes(g, out, used, slow);
  r.setup_s = g.setup_s + g.galerkin_s;
  r.solve_s = std::max(0.0, seconds - g.galerkin_s);
  r.per_iteration_us = r.iterations > 0 ? r.solve_s * 1e6 / r.iterations : 0;
  return r;
}

}  // namespace dwell::grids
