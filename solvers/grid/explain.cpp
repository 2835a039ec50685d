// SPDX-License-Identifier: MIT
// Levels are made, not guessed: which axes are halved follows from the coefficients.
#include <fmt/format.h>

#include "dwell/grid/explain_grid.hpp"
#include "dwell/solvers/grid/prepared_grid.hpp"

namespace dwell {
namespace {

using grids::level_value;

std::string place_of_bytes(std::size_t bytes, int threads, const device_facts& where) {
  if (where.core_cache == 0 && where.l2 == 0) return "unknown";
  if (bytes <= where.core_cache * std::size_t(threads)) return "core cache";
  return bytes <= where.l2 ? "last-level cache" : "memory";
}

}  // namespace

template <class T>
grid_explanation explain(const grid_description<T>& d, const device_facts& where,
                         const grid_options& options) {
  grids::require_cpu(where.on);
  grids::check_options(options);
  const grids::chosen_method method = grids::method_of(options);
  grids::system<T> made = grids::discretize(d);
  grids::check_definite(made.negative_s, options);
  const grids::prepared_grid<T> g(std::move(made), method);
  const grids::grid_shape& finest = g.system.a.shape;
  const thread_choice threads = grids::threads_of_grid(finest, where);
  grid_explanation e;
  e.device = where;
  e.method = options.method;
  e.preconditioner = grids::name_of(method.preconditioner);
  e.precision = sizeof(T) == 8 ? "f64" : "f32";
  e.threads = threads.threads;
  e.reason = threads.why;
  e.cycle = grids::cycle_name(g.levels, method);
  e.singular = g.system.singular;
  e.shared_rows = g.system.a.shared;
  // b, two of x, r, p, q, and those of the method.
  e.vector_bytes = (std::size_t(6 + grids::facts_of(method.method).more_vectors) * finest.cells() +
                    g.system.a.pool.size()) *
                   sizeof(T);
  e.vectors_live_in = place_of_bytes(e.vector_bytes, e.threads, where);
  bool one_team = false;
  int visits = 1;
  const std::size_t count = method.has_levels() ? g.levels.levels.size() : 0;
  for (std::size_t n = 0; n < count; ++n) {
    const grids::level<level_value>& l = g.levels.levels[n];
    const bool bottom = n + 1 == count;
    one_team = one_team || bottom || (n > 0 && grids::for_one_team(l.a.shape));
    if (n > 0 && !bottom && g.levels.jumps && grids::visited_again(l.a.shape, finest)) visits *= 2;
    grid_level_plan p;
    p.cells = grids::axes_of(l.a.shape, d.cells.size());
    p.threads = one_team ? 1 : e.threads;
    p.visits = visits;
    if (bottom) {
      p.solved_by = "Cholesky factor";
      p.bytes = g.levels.bottom.bytes() + 2 * l.a.shape.cells() * sizeof(level_value);
      p.bytes_per_cycle = std::size_t(visits) * (2 * p.bytes);
    } else {
      p.solved_by = fmt::format("Gauss-Seidel in {} colours", l.colours);
      for (std::size_t axis = 0; axis < 3; ++axis)
        if (l.step.axes[axis].halved)
          p.halved.push_back(grids::described_axis(int(axis), int(d.cells.size())));
      p.bytes = (2 * l.a.shape.cells() + l.a.pool.size() + l.inverse.size()) * sizeof(level_value);
      p.bytes_per_cycle = std::size_t(visits) * grids::visit_bytes(l);
    }
    p.lives_in = place_of_bytes(p.bytes, p.threads, where);
    e.cycle_bytes += p.bytes_per_cycle;
    e.levels.push_back(std::move(p));
  }
  e.bytes_per_iteration = std::size_t(grids::facts_of(method.method).applications) * e.cycle_bytes +
                          grids::method_bytes(g, method);
  return e;
}

template grid_explanation explain(const grid_description<double>&, const device_facts&,
                                  const grid_options&);
template grid_explanation explain(const grid_description<float>&, const device_facts&,
                                  const grid_options&);

}  // namespace dwell
