// SPDX-License-Identifier: MIT
// Levels as pointers, elements of Galerkin's rows cell by cell, the bottom's inverse.
#include "dwell/solvers/grid/device/device_levels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/solvers/grid/device/half_cells.hpp"
#include "dwell/solvers/grid/setup_threads.hpp"

namespace dwell::grids {
namespace {

/// of(cell in the order of memory) for all cells, put where halved rows have them.
template <class V, class F>
std::vector<V> in_halves(const grid_shape& g, F&& of) {
  std::vector<V> to(g.cells());
  const auto nx = static_cast<std::size_t>(g.n[2]);
  for (std::size_t row = 0; row < to.size(); row += nx)
    for (std::size_t x = 0; x < nx; ++x)
      to[row + static_cast<std::size_t>(halved_place(static_cast<int>(x), g.n[2]))] =
          static_cast<V>(of(row + x));
  return to;
}

/// [element][cell in halved rows] of [cell][element].
std::vector<float> by_element(const grid_shape& g, const std::vector<float>& of, int count) {
  std::vector<float> all;
  all.reserve(of.size());
  for (int e = 0; e < count; ++e) {
    const std::vector<float> one = in_halves<float>(g, [&](std::size_t cell) {
      return of[cell * static_cast<std::size_t>(count) + static_cast<std::size_t>(e)];
    });
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

void take_shape(device_box_level& to, const grid_shape& g, const deal_limits& limits, bool alone) {
  int of_kind = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    to.n[axis] = g.n[axis];
    to.wraps[axis] = g.wraps[axis];
    to.kinds[axis] = kinds_along(g, axis);
    if (axis < 2) of_kind *= kind_of(g.n[axis], to.kinds[axis], 0).count;
  }
  to.deal = deal_of(to.rows(), g.n[2], limits.teams, limits.lanes, alone);
  to.deal_of_kind = deal_of(of_kind, g.n[2], limits.teams, limits.lanes, alone);
}

}  // namespace

template <class V>
device_operator<V> copy_operator(device_memory& memory, const coefficients<V>& a,
                                 const deal_limits& limits, bool alone) {
  device_operator<V> to;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    to.n[axis] = a.shape.n[axis];
    to.wraps[axis] = a.shape.wraps[axis];
  }
  to.flat = is_flat(a);
  to.pool = memory.copy(a.pool);
  to.x = memory.places(a.x), to.y = memory.places(a.y);
  to.z = memory.places(a.z), to.s = memory.places(a.s);
  to.deal =
      deal_of(static_cast<int>(a.shape.rows()), a.shape.n[2], limits.teams, limits.lanes, alone);
  to.columns = columns_of(to.n, limits.teams, limits.lanes);
  return to;
}
template device_operator<double> copy_operator(device_memory&, const coefficients<double>&,
                                               const deal_limits&, bool);
template device_operator<float> copy_operator(device_memory&, const coefficients<float>&,
                                              const deal_limits&, bool);

device_level device_levels::copied(const hierarchy<level_value>& h, const level<level_value>& from,
                                   const deal_limits& limits) {
  device_level to;
  const std::size_t n = from.a.shape.cells();
  const bool is_last = &from == &h.levels.back(), galerkin = !h.galerkin.levels.empty();
  const bool alone = n <= limits.alone_cells && level_count_ > 0;
  to.a = copy_operator(memory_, from.a, limits, alone);
  to.colours = h.lines ? 3 : from.colours;
  if (h.cycles) {
    to.u = memory_.room<float>(n);
    to.f = memory_.room<float>(n);
    if (is_last && !galerkin) return to;
  }
  to.inverse = memory_.copy(from.inverse);
  std::vector<float> diagonal(from.inverse.size());
  for_pieces(diagonal.size(), diagonal.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) diagonal[i] = 1 / from.inverse[i];
  });
  to.diagonal = memory_.copy(diagonal);
  to.inverse_at = memory_.places(from.inverse_at);
  if (h.lines)
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (!from.pivots[axis].empty()) to.pivots[axis] = memory_.copy(from.pivots[axis]);
  if (is_last) return to;
  const axis_weights<level_value>* const weights[] = {&from.step.z, &from.step.y, &from.step.x};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    to.axes[axis] = from.step.axes[axis];
    if (!to.axes[axis].halved) continue;
    to.weights[axis] = {memory_.copy(weights[axis]->pool), memory_.places(weights[axis]->before),
                        memory_.places(weights[axis]->after)};
  }
  return to;
}

device_corners device_levels::copied(const corner_weights& from, const grid_shape& fine) {
  device_corners to;
  std::ranges::copy(from.axes, to.axes);
  to.corners = from.corners;
  to.w = memory_.copy(by_element(fine, from.w, from.corners));
  return to;
}

std::vector<device_box_level> device_levels::copied_boxes(const hierarchy<level_value>& h,
                                                          const deal_limits& limits) {
  std::vector<device_box_level> boxes(1);
  take_shape(boxes[0], h.levels[0].a.shape, limits, false);
  boxes[0].step = copied(h.galerkin.step, h.levels[0].a.shape);
  for (const galerkin_level& from : h.galerkin.levels) {
    const grid_shape& g = from.shape;
    const std::size_t n = g.cells();
    device_box_level& to = boxes.emplace_back();
    take_shape(to, g, limits, n <= limits.alone_cells);
    to.u = memory_.room<double>(n);
    to.f = memory_.room<double>(n);
    to.inverse =
        memory_.copy(in_halves<double>(g, [&](std::size_t cell) { return from.inverse[cell]; }));
    if (&from == &h.galerkin.levels.back()) continue;
    std::ranges::copy(from.box.reach, to.reach);
    to.a = memory_.copy(by_element(g, from.a, from.box.count()));
    to.diagonal = memory_.copy(in_halves<double>(g, [&](std::size_t cell) {
      return from.inverse[cell] > 0 ? 1 / from.inverse[cell] : 0.0;
    }));
    to.r = memory_.room<double>(n);
    to.step = copied(from.step, g);
  }
  return boxes;
}

void device_levels::copy_full_start(const hierarchy<level_value>& h,
                                    std::vector<device_level> levels,
                                    std::vector<device_box_level> boxes,
                                    const deal_limits& limits) {
  // On the way down all cells have residuals, where u is 0: those of f.
  for (device_level& l : levels) l.colours = 3;
  for (device_box_level& l : boxes) l.r = l.f;
  device_full_start start;
  start.levels = memory_.copy(levels);
  if (!boxes.empty()) start.boxes = memory_.copy(boxes);
  for (const bool twice : {false, true}) {
    if (twice && !h.twice) continue;
    const full_steps steps = steps_of_full(h, twice, limits);
    full_[twice] = start;
    full_[twice].steps = memory_.copy(steps.all);
    full_[twice].down = static_cast<int>(steps.down);
    full_[twice].step_count = static_cast<int>(steps.all.size());
  }
}

void device_levels::copy_bottom(const hierarchy<level_value>& h) {
  const bool galerkin = !h.galerkin.levels.empty();
  const grid_shape& bottom = galerkin ? h.galerkin.levels.back().shape : h.levels.back().a.shape;
  const std::size_t n = bottom.cells();
  // Not a vector: its zeros would be written by one thread.
  auto inverse = std::make_unique_for_overwrite<double[]>(n * n);
  (galerkin ? h.galerkin.bottom : h.bottom).inverse(inverse.get());
  if (galerkin) {  // that is in the order of memory
    const auto natural = std::exchange(inverse, std::make_unique_for_overwrite<double[]>(n * n));
    std::vector<std::size_t> cells(n);
    for (std::size_t i = 0; i < n; ++i) cells[i] = i;
    const auto order =
        in_halves<std::size_t>(bottom, [&](std::size_t cell) { return cells[cell]; });
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) inverse[i * n + j] = natural[order[i] * n + order[j]];
  }
  inverse_ = memory_.copy(std::span<const double>(inverse.get(), n * n));
}

device_levels::device_levels(const device& where, const hierarchy<level_value>& h,
                             std::vector<device_level> made, const deal_limits& limits, bool full,
                             const double* made_inverse)
    : memory_(where, limits.guarded) {
  const bool galerkin = !h.galerkin.levels.empty();
  if (const std::size_t all = h.levels.size() + h.galerkin.levels.size(); all > most_levels)
    throw unsupported_error(
        fmt::format("grid: expected at most {} levels on a GPU, found {}", most_levels, all));
  std::vector<device_level> levels = std::move(made);
  level_count_ = static_cast<int>(levels.size());
  if (levels.empty())
    for (const level<level_value>& from : h.levels) {
      levels.push_back(copied(h, from, limits));
      ++level_count_;
    }
  levels_ = memory_.copy(levels);
  std::vector<device_box_level> boxes;
  if (galerkin) {
    boxes = copied_boxes(h, limits);
    boxes_ = memory_.copy(boxes);
    box_count_ = static_cast<int>(boxes.size());
  }

  if (!h.cycles) {
    memory_.flush();
    return;
  }
  if (made_inverse)
    inverse_ = made_inverse;
  else
    copy_bottom(h);

  if (h.lines) line_sums_ = memory_.room<double>(h.levels[0].a.shape.cells());
  only_bottom_ = h.levels.size() == 1 && !galerkin;
  ends_here_ = ends_with_sum(h);
  for (const bool twice : {false, true}) {
    if (twice && !h.twice) continue;
    std::vector<cycle_step> steps = cycle_steps(h, twice, limits);
    if (ends_here_) steps.resize(steps.size() - 2);
    steps_[twice] = memory_.copy(steps);
    step_count_[twice] = static_cast<int>(steps.size());
  }
  if (full) copy_full_start(h, std::move(levels), std::move(boxes), limits);
  memory_.flush();
}

}  // namespace dwell::grids
