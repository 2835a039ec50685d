// SPDX-License-Identifier: MIT
// Levels are made, not guessed: which axes are halved follows from the coefficients.
#include <fmt/format.h>

#include "dwell/device/limits.hpp"
#include "dwell/grid/explain_grid.hpp"
#include "dwell/solvers/grid/device/cycle_steps.hpp"
#include "dwell/solvers/grid/device/needed.hpp"
#include "dwell/solvers/grid/grid_memory.hpp"
#include "dwell/solvers/grid/level_list.hpp"
#include "dwell/solvers/grid/ranks/slab_input.hpp"

namespace dwell {
namespace {

std::string place_of_bytes(std::size_t bytes, int threads, const device_facts& where) {
  if (where.core_cache == 0 && where.l2 == 0) return "unknown";
  if (bytes <= where.core_cache * std::size_t(threads)) return "core cache";
  return bytes <= where.l2 ? "last-level cache" : "memory";
}

std::string solver_of(const grids::listed_level& l, bool on_gpu) {
  if (l.bottom) return on_gpu ? "its inverse" : "Cholesky factor";
  if (l.lines) return "lines along each axis";
  if (l.colours) return fmt::format("Gauss-Seidel in {} colours", l.colours);
  return on_gpu ? "Gauss-Seidel, kinds of cells by turns" : "Gauss-Seidel, planes by turns";
}

/// What holds of a GPU alone: who has each level, where it lives, barriers, the least time.
class gpu_part {
 public:
  gpu_part(const grids::hierarchy<grids::level_value>& levels, const grids::chosen_method& method,
           const device_facts& where)
      : limits_(limits_of(where)), method_(method) {
    if (!levels.cycles) return;
    steps_ = grids::cycle_steps(levels, levels.twice,
                                {.teams = where.units, .lanes = grids::grid_lanes});
    ends_with_sum_ = grids::ends_with_sum(levels);
    if (ends_with_sum_) steps_.resize(steps_.size() - 2);
    if (!method.full) return;
    // Behind f of the finest level, the new answer and the norm of its residual, too.
    const grids::full_steps start = grids::steps_of_full(
        levels, levels.twice, {.teams = where.units, .lanes = grids::grid_lanes});
    start_barriers_ = grids::barriers_of(start.all) + 3;
  }

  void finish(grid_explanation& e, std::size_t bytes_of_method) const {
    std::size_t below = 0;
    double seconds = 0;
    for (std::size_t n = e.levels.size(); n-- > 0;) {
      grid_level_plan& l = e.levels[n];
      l.threads = is_alone(n) ? 1 : e.device.units;
      below += l.bytes;
      l.lives_in = place(below);
      seconds += time(l.bytes_per_cycle, below);
    }
    e.vectors_live_in = place(e.vector_bytes + below);
    const grids::method_facts& m = grids::facts_of(method_.method);
    e.barriers = barriers(m);
    e.least_s = double(m.applications) * seconds + time(bytes_of_method, e.vector_bytes + below) +
                double(e.barriers) * limits_.barrier;
    if (method_.full) finish_start(e);
  }

 private:
  /// On the way down a level counts as visited once, and then in the cycles of all levels above
  /// it; what is read and written of x and r is not counted.
  void finish_start(grid_explanation& e) const {
    e.start_barriers = start_barriers_;
    e.start_least_s = double(start_barriers_) * limits_.barrier;
    std::size_t held = 0;
    for (const grid_level_plan& l : e.levels) held += l.bytes;
    double cycles = 0;  // in units of the visits of the level
    for (const grid_level_plan& l : e.levels) {
      cycles += 1 / double(l.visits);
      e.start_least_s += time(l.bytes_per_cycle, held) * (cycles + 1 / double(l.visits));
      held -= l.bytes;
    }
  }
  /// Behind each of the last relaxations that are no steps there is one, the second of which is
  /// that of a sum where phases are fused; else a sum has one of its own there.
  int barriers(const grids::method_facts& m) const {
    const int cycle = grids::barriers_of(steps_) + (ends_with_sum_ ? 2 : 0);
    if (method_.fused()) return cycle + (ends_with_sum_ ? 0 : 1) + 2;
    return m.barriers + m.applications * (method_.has_levels() ? cycle + 2 : 1);
  }
  /// Only the first team takes a step of the level.
  bool is_alone(std::size_t level) const {
    if (level == 0 && ends_with_sum_) return false;
    bool any = false;
    for (const grids::cycle_step& s : steps_)
      if (s.level == int(level)) {
        any = true;
        if (!s.alone) return false;
      }
    return any;
  }
  const char* place(std::size_t bytes) const {
    return double(bytes) <= limits_.l2_cached ? "last-level cache" : "memory";
  }
  double time(std::size_t moved, std::size_t held) const {
    return double(moved) / (double(held) <= limits_.l2_cached ? limits_.l2 : limits_.memory);
  }

  device_limits limits_;
  const grids::chosen_method& method_;
  std::vector<grids::cycle_step> steps_;
  int start_barriers_ = 0;
  bool ends_with_sum_ = false;
};

}  // namespace

template <class T>
grid_explanation explain(const grid_description<T>& d, const device_facts& where,
                         const grid_options& options) {
  grids::check_options(options);
  const bool on_gpu = where.on != backend::cpu;
  const grids::axis_order order(d.cells, grids::reordering::any);
  if (on_gpu) {
    const std::size_t cells = grids::shape_of_description(d.cells, d.boundary, order, 1).cells();
    grids::require_gpu_unknowns(cells);
    if (grids::has_arrays(d))
      grids::require_host_memory(d.cells,
                                 grids::gpu_setup_bytes(double(cells), sizeof(T), options));
  }
  const grids::chosen_method method = grids::method_of(options, where.on);
  grids::system<T> made = grids::discretize(d, order);
  grids::check_definite(made.negative_s, options);
  const auto alone = self_communicator();
  const grids::divided_grid undivided = grids::undivided(*alone, made.a.shape);
  grids::exchange_cost none;
  const grids::prepared_grid<T> g(undivided, std::move(made), {}, method, none);
  const grids::hierarchy<grids::level_value>& levels = *g.levels.own;
  const grids::grid_shape& finest = g.system.a.shape;
  const thread_choice threads =
      on_gpu ? grids::blocks_of(where) : grids::threads_of_grid(finest, where);
  grid_explanation e;
  e.device = where;
  e.method = options.method;
  e.preconditioner = grids::name_of(method.preconditioner);
  e.precision = sizeof(T) == 8 ? "f64" : "f32";
  e.threads = threads.threads;
  e.reason = threads.why;
  e.cycle = grids::cycle_name(levels, method);
  e.singular = g.system.singular;
  e.shared_rows = g.system.a.shared;
  // b, two of x, r, p, q, and those of the method.
  e.vector_bytes = (std::size_t(6 + grids::facts_of(method.method).more_vectors) * finest.cells() +
                    g.system.a.pool.size()) *
                   sizeof(T);
  e.vectors_live_in = place_of_bytes(e.vector_bytes, e.threads, where);
  for (const grids::listed_level& l : grids::list_levels(levels, method, levels.twice)) {
    grid_level_plan p;
    p.cells = order.described(l.shape.n);
    for (std::size_t axis = 0; axis < order.dims(); ++axis)
      if (l.halved[std::size_t(order.inside(axis))]) p.halved.push_back(int(axis));
    p.solved_by = solver_of(l, on_gpu);
    p.threads = l.one_team ? 1 : e.threads;
    p.visits = l.visits;
    p.bytes = l.bytes;
    p.bytes_per_cycle = l.bytes_per_cycle;
    p.lives_in = place_of_bytes(p.bytes, p.threads, where);
    e.cycle_bytes += p.bytes_per_cycle;
    e.levels.push_back(std::move(p));
  }
  e.bytes_per_iteration = grids::iteration_bytes(g, levels, method, levels.twice);
  if (on_gpu) gpu_part(levels, method, where).finish(e, grids::method_bytes(g, method));
  return e;
}

template grid_explanation explain(const grid_description<double>&, const device_facts&,
                                  const grid_options&);
template grid_explanation explain(const grid_description<float>&, const device_facts&,
                                  const grid_options&);

}  // namespace dwell
