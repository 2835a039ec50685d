// SPDX-License-Identifier: MIT
// The model of bytes: a visit of a level reads or writes u and f eight times, its coefficients four
// times and inverse diagonals twice. One of Galerkin's reads its elements three times, weights and
// diagonals twice, and has u, f and residuals some ten times.
#include "dwell/solvers/grid/level_list.hpp"

#include "dwell/solvers/grid/cycle.hpp"

namespace dwell::grids {
namespace {

constexpr std::size_t vectors_of_visit = 8, vectors_of_galerkin_visit = 10;

}  // namespace

std::vector<listed_level> list_levels(const hierarchy<level_value>& h, const chosen_method& method,
                                      bool twice) {
  std::vector<listed_level> list;
  if (!method.has_levels()) return list;
  const grid_shape& finest = h.levels[0].a.shape;
  const bool galerkin = !h.galerkin.levels.empty();
  bool one_team = false;
  int visits = 1;
  const auto begun = [&](const grid_shape& g, bool bottom) {
    listed_level& l = list.emplace_back();
    l.shape = g;
    l.bottom = bottom;
    one_team = one_team || bottom || (list.size() > 1 && for_one_team(g));
    l.one_team = one_team;
    if (list.size() > 1 && !bottom && twice && visited_again(g, finest)) visits *= 2;
    l.visits = visits;
    return std::size_t(visits);
  };
  const auto end = [&](listed_level& l, const profile_factor& factor, std::size_t vectors) {
    // A factor is gone through forth and back; a GPU multiplies by the inverse.
    const std::size_t n = l.shape.cells(), inverse = n * n * sizeof(double);
    const bool factored = method.host_vectors;
    l.bytes = (factored ? factor.bytes() : inverse) + vectors;
    l.bytes_per_cycle =
        std::size_t(l.visits) * ((factored ? 2 * factor.bytes() : inverse) + 2 * vectors);
  };
  const auto halve = [](listed_level& l, const std::array<halved_axis, 3>& axes) {
    for (std::size_t axis = 0; axis < 3; ++axis) l.halved[axis] = axes[axis].halved;
  };
  for (const level<level_value>& from : h.levels) {
    const bool bottom = !galerkin && &from == &h.levels.back();
    const std::size_t times = begun(from.a.shape, bottom), cells = from.a.shape.cells();
    listed_level& l = list.back();
    if (bottom) {
      end(l, h.bottom, 2 * cells * sizeof(level_value));
      continue;
    }
    l.colours = from.colours;
    halve(l, galerkin ? h.galerkin.step.axes : from.step.axes);
    const std::size_t inverse = from.a.shared ? from.inverse.size() : cells;
    l.bytes = (2 * cells + from.a.elements() + inverse) * sizeof(level_value);
    l.bytes_per_cycle = vectors_of_visit * cells * sizeof(level_value);
    if (!from.a.shared)
      l.bytes_per_cycle += (4 * from.a.elements() + 2 * inverse) * sizeof(level_value);
    if (h.lines) {  // each axis: residuals, pivots, sums and u, before and after
      l.lines = true;
      std::size_t axes = 0;
      for (const auto& p : from.pivots)
        axes += p.empty() ? 0 : 1, l.bytes += p.size() * sizeof(level_value);
      l.bytes_per_cycle += 2 * axes * cells * (10 * sizeof(level_value) + 3 * sizeof(double));
    }
    if (galerkin) {
      l.bytes += h.galerkin.step.w.size() * sizeof(float);
      l.bytes_per_cycle += 2 * h.galerkin.step.w.size() * sizeof(float);
    }
    l.bytes_per_cycle *= times;
  }
  for (const galerkin_level& from : h.galerkin.levels) {
    const bool bottom = &from == &h.galerkin.levels.back();
    const std::size_t times = begun(from.shape, bottom), cells = from.shape.cells();
    listed_level& l = list.back();
    if (bottom) {
      end(l, h.galerkin.bottom, 2 * cells * sizeof(double));
      continue;
    }
    halve(l, from.step.axes);
    const std::size_t weights = from.step.w.size() * sizeof(float),
                      elements = from.a.size() * sizeof(float);
    l.bytes = elements + weights + 4 * cells * sizeof(double);
    l.bytes_per_cycle = times * (3 * elements + 2 * weights +
                                 (vectors_of_galerkin_visit + 2) * cells * sizeof(double));
  }
  return list;
}

}  // namespace dwell::grids
