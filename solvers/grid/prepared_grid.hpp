// SPDX-License-Identifier: MIT
// What a solve is prepared of: an operator in halved rows and its levels; and what both the solver
// and its explanation say of them.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/parallel.hpp"
#include "dwell/execution/device/threads/threads_worth.hpp"
#include "dwell/grid/grid_solver.hpp"
#include "dwell/solvers/grid/cycle.hpp"
#include "dwell/solvers/grid/device/power_of_two.hpp"
#include "dwell/solvers/grid/discretize.hpp"
#include "dwell/solvers/grid/grid_methods.hpp"
#include "dwell/solvers/grid/hierarchy.hpp"
#include "dwell/solvers/grid/ranks/divided_levels.hpp"
#include "dwell/solvers/grid/setup_threads.hpp"

namespace dwell::grids {

/// The operator with |s|, of which levels are: a preconditioner is definite.
template <class T>
coefficients<level_value> definite(const coefficients<T>& a) {
  coefficients<level_value> fine;
  fine.shape = a.shape;
  fine.shared = a.shared;
  fine.pool.resize(a.pool.size());
  for_pieces(a.pool.size(), a.pool.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) fine.pool[i] = level_value(std::abs(a.pool[i]));
  });
  fine.x = a.x, fine.y = a.y, fine.z = a.z, fine.s = a.s;
  return fine;
}

/// An operator in halved rows, divided by a power of two, and its levels.
template <class T>
struct prepared_grid {
  grids::system<T> system;  ///< the problem, of ranks that of the slab
  divided_levels levels;
  std::optional<divided_levels> galerkin;  ///< where `levels` turned out to be slow
  int scale = 0;                           ///< the exponent of that power

  /// By all ranks together. whole: see make_divided_levels().
  prepared_grid(const divided_grid& grid, grids::system<T> made, coefficients<T> whole,
                const chosen_method& method, exchange_cost& cost)
      : system(std::move(made)) {
    coefficients<T>& a = system.a;
    T most = largest_of(a.pool);
    for (const T of_rank : values_of_ranks(*grid.comm, most)) most = std::max(most, of_rank);
    std::frexp(double(most), &scale);
    divide(a.pool);
    divide(whole.pool);
    levels = make_divided_levels(grid, definite(a), definite(whole), system.singular, method, cost);
    halve_rows(a);
  }
  /// A grid of one rank, whose operator and levels are elsewhere.
  prepared_grid(grids::system<T> made, hierarchy<level_value> h, int by_scale)
      : system(std::move(made)), scale(by_scale) {
    *levels.own = std::move(h);
    system.a.elsewhere = levels.own->levels[0].a.elsewhere;
  }
  static T largest_of(const std::vector<T>& pool) {
    const int parts = setup_threads(pool.size(), pool.size());
    std::vector<T> most(std::size_t(parts), T(0));
    for_parts(parts, [&](int part) {
      const auto [begin, end] = piece(pool.size(), part, parts);
      T of_part = 0;
      for (std::size_t i = begin; i < end; ++i) of_part = std::max(of_part, std::abs(pool[i]));
      most[std::size_t(part)] = of_part;
    });
    return *std::ranges::max_element(most);
  }
  void divide(std::vector<T>& pool) const {
    const power_of_two<T> by(-scale);
    for_pieces(pool.size(), pool.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) pool[i] = by * pool[i];
    });
  }
  /// Makes the levels that a slow solve goes on with, once.
  void add_galerkin(const divided_grid& grid, chosen_method method, exchange_cost& cost) {
    if (galerkin) return;
    method.coarse = coarse_operators::galerkin;
    coefficients<level_value> fine = definite(system.a);
    join_rows(fine);
    galerkin = make_divided_levels(grid, std::move(fine), {}, system.singular, method, cost);
  }
};

/// A grid of one rank.
inline divided_grid undivided(communicator& alone, const grid_shape& g) {
  return {&alone, divide_planes(g, 1, 0), g, 0};
}

/// Throws unsupported_error on a GPU, for what is there on CPUs alone.
inline void require_cpu(backend on, const char* what) {
  if (on != backend::cpu)
    throw unsupported_error(fmt::format("grid: {} on a GPU: expected a CPU, device::cpu()", what));
}

/// Threads share planes, and meet some ten times an iteration of about 100 bytes a cell.
inline thread_choice threads_of_grid(const grid_shape& g, const device_facts& where) {
  return threads_worth(10.0 * double(g.cells()), g.n[0], "barrier", where);
}

inline thread_choice blocks_of(const device_facts& gpu) {
  return {gpu.units, "a block for each multiprocessor"};
}

/// How levels are visited, and why: one line.
inline std::string cycle_name(const hierarchy<level_value>& h, const chosen_method& method) {
  if (!method.has_levels()) return "none, there are no levels";
  std::string text = "V-cycle";
  if (h.twice)
    text = method.cycle == grid_cycle::w ? "W-cycle of small levels, as asked for"
                                         : "W-cycle of small levels, since coefficients jump";
  if (method.coarse == coarse_operators::galerkin) text += "; Galerkin's coarse operators";
  if (h.lines) text += "; lines are relaxed";
  if (method.full) text += "; full multigrid first";
  return text;
}

/// Bytes that an iteration must move besides its cycles: vectors of the method, its products with
/// the operator, and of each preconditioner's application f, u and z of the finest level once, or
/// r, z and the diagonal.
template <class T>
std::size_t method_bytes(const prepared_grid<T>& g, const chosen_method& method) {
  const method_facts& m = facts_of(method.method);
  const std::size_t each = method.has_levels() ? 3 * sizeof(level_value)
                           : method.preconditioner == grid_preconditioner::none
                               ? 2 * sizeof(T)
                               : 2 * sizeof(T) + sizeof(level_value);
  std::size_t bytes = g.system.a.shape.cells() * (std::size_t(m.vector_passes) * sizeof(T) +
                                                  std::size_t(m.applications) * each);
  if (!g.system.a.shared) bytes += std::size_t(m.applications) * g.system.a.elements() * sizeof(T);
  return bytes;
}

}  // namespace dwell::grids
