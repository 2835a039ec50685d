// SPDX-License-Identifier: MIT
// Grids that are prepared for teams of a device, and solves of a CPU's thread with the same levels.
#pragma once
#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "dwell/comm/communicator.hpp"
#include "dwell/execution/device/monitor.hpp"
#include "dwell/grid/grid_solver.hpp"
#include "dwell/solvers/grid/device/device_grid.hpp"
#include "dwell/solvers/grid/grid_run.hpp"
#include "dwell/solvers/grid/half_rows.hpp"
#include "dwell/solvers/grid/prepared_grid.hpp"
#include "grid_kernel_cpu.hpp"

namespace dwell::testing {

template <class T>
double norm_of(const std::vector<T>& v) {
  double sum = 0;
  for (const T e : v) sum += double(e) * double(e);
  return std::sqrt(sum);
}

template <class T>
grids::prepared_grid<T> prepared_for(const grid_description<T>& d,
                                     const grids::chosen_method& method,
                                     const grids::axis_order& order) {
  grids::system<T> made = grids::discretize(d, order);
  const std::shared_ptr<communicator> alone = self_communicator();
  const grids::divided_grid grid = grids::undivided(*alone, made.a.shape);
  grids::exchange_cost none;
  return {grid, std::move(made), {}, method, none};
}

/// With vectors of the caller in the order of a solve.
template <class T>
grids::prepared_grid<T> prepared_for(const grid_description<T>& d,
                                     const grids::chosen_method& method) {
  return prepared_for(d, method, grids::axis_order(d.cells, grids::reordering::one_cell));
}

/// What one thread of a CPU makes of A u = b with the levels of `grid`, which have vectors.
template <class T>
struct thread_run {
  grids::run_output out;
  std::vector<T> u;  ///< in the order of memory

  thread_run(const grids::prepared_grid<T>& grid, const grids::chosen_method& method,
             const grid_options& o, const std::vector<T>& b, const std::vector<T>& start)
      : u(start) {
    const grids::coefficients<T>& a = grid.system.a;
    grids::run_vectors<T> vectors(a.shape, grids::facts_of(method.method).more_vectors);
    std::vector<T> halves(b.size());
    const auto nx = std::size_t(a.shape.n[2]);
    // The operator is divided by a power of two, and so is its answer multiplied by it.
    const T forth = T(std::ldexp(1.0, grid.scale)), back = T(std::ldexp(1.0, -grid.scale));
    for (T& v : u) v *= forth;
    for (std::size_t at = 0; at < b.size(); at += nx) {
      grids::split_row(&b[at], &halves[at], int(nx));
      grids::split_row(&u[at], &vectors.x[0][at], int(nx));
    }
    monitor seen{};
    grids::run_input<T> in{.a = &a,
                           .b = halves.data(),
                           .singular = grid.system.singular,
                           .method = method,
                           .rtol = *o.rtol,
                           .max_iterations = o.max_iterations,
                           .history = true,
                           .seen = &seen};
    grids::hierarchy<grids::level_value>& h = *grid.levels.own;
    grids::grid_run<T, grids::level_value> run(in, vectors, h, out);
    grids::cycle_rows<grids::level_value> rows(h);
    run({}, rows);
    for (std::size_t at = 0; at < b.size(); at += nx)
      grids::join_row(&vectors.x[out.answer][at], &u[at], int(nx));
    for (T& v : u) v *= back;
  }
};

}  // namespace dwell::testing
