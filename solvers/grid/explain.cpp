// SPDX-License-Identifier: MIT
// Levels are made, not guessed: which axes are halved follows from the coefficients.
#include <fmt/format.h>

#include "dwell/grid/explain_grid.hpp"
#include "dwell/solvers/grid/level_list.hpp"

namespace dwell {
namespace {

std::string place_of_bytes(std::size_t bytes, int threads, const device_facts& where) {
  if (where.core_cache == 0 && where.l2 == 0) return "unknown";
  if (bytes <= where.core_cache * std::size_t(threads)) return "core cache";
  return bytes <= where.l2 ? "last-level cache" : "memory";
}

}  // namespace

template <class T>
grid_explanation explain(const grid_description<T>& d, const device_facts& where,
                         const grid_options& options) {
  grids::require_cpu(where.on, "explaining levels");
  grids::check_options(options);
  const grids::chosen_method method = grids::method_of(options);
  grids::system<T> made = grids::discretize(d);
  grids::check_definite(made.negative_s, options);
  const auto alone = self_communicator();
  const grids::divided_grid undivided = grids::undivided(*alone, made.a.shape);
  grids::exchange_cost none;
  const grids::prepared_grid<T> g(undivided, std::move(made), {}, method, none);
  const grids::hierarchy<grids::level_value>& levels = *g.levels.own;
  const grids::grid_shape& finest = g.system.a.shape;
  const thread_choice threads = grids::threads_of_grid(finest, where);
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
    p.cells = grids::axes_of(l.shape, d.cells.size());
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (l.halved[axis]) p.halved.push_back(grids::described_axis(int(axis), int(d.cells.size())));
    p.solved_by = l.bottom    ? "Cholesky factor"
                  : l.lines   ? "lines along each axis"
                  : l.colours ? fmt::format("Gauss-Seidel in {} colours", l.colours)
                              : "Gauss-Seidel, planes by turns";
    p.threads = l.one_team ? 1 : e.threads;
    p.visits = l.visits;
    p.bytes = l.bytes;
    p.bytes_per_cycle = l.bytes_per_cycle;
    p.lives_in = place_of_bytes(p.bytes, p.threads, where);
    e.cycle_bytes += p.bytes_per_cycle;
    e.levels.push_back(std::move(p));
  }
  e.bytes_per_iteration = grids::iteration_bytes(g, levels, method, levels.twice);
  return e;
}

template grid_explanation explain(const grid_description<double>&, const device_facts&,
                                  const grid_options&);
template grid_explanation explain(const grid_description<float>&, const device_facts&,
                                  const grid_options&);

}  // namespace dwell
