// SPDX-License-Identifier: MIT
// What a solve is prepared of: an operator in halved rows and its levels; and what both the solver
// and its explanation say of them.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/execution/device/threads/threads_worth.hpp"
#include "dwell/grid/grid_solver.hpp"
#include "dwell/solvers/grid/cycle.hpp"
#include "dwell/solvers/grid/discretize.hpp"
#include "dwell/solvers/grid/grid_methods.hpp"
#include "dwell/solvers/grid/hierarchy.hpp"

namespace dwell::grids {

using level_value = float;  ///< levels need no more digits: they cost no iterations

/// 2^e, in two steps: the power itself may be beyond the format where products with it are not.
template <class T>
struct power_of_two {
  T half, rest;
  explicit power_of_two(int e)
      : half(T(std::ldexp(1.0, e / 2))), rest(T(std::ldexp(1.0, e - e / 2))) {}
  T operator*(T v) const { return v * half * rest; }
};

/// An operator in halved rows, divided by a power of two, and its levels.
template <class T>
struct prepared_grid {
  grids::system<T> system;
  hierarchy<level_value> levels;
  std::optional<hierarchy<level_value>> galerkin;  ///< where `levels` turned out to be slow
  int scale = 0;                                   ///< the exponent of that power

  prepared_grid(grids::system<T> made, const chosen_method& method) : system(std::move(made)) {
    coefficients<T>& a = system.a;
    T most = 0;
    for (const T v : a.pool) most = std::max(most, std::abs(v));
    std::frexp(double(most), &scale);
    const power_of_two<T> by(-scale);
    for (T& v : a.pool) v = by * v;
    levels = make_hierarchy(definite(), system.singular, method);
    halve_rows(a);
  }
  /// Makes the levels that a slow solve goes on with, once.
  void add_galerkin(chosen_method method) {
    if (galerkin) return;
    method.coarse = coarse_operators::galerkin;
    coefficients<level_value> fine = definite();
    join_rows(fine);
    galerkin = make_hierarchy(std::move(fine), system.singular, method);
  }

 private:
  /// The operator with |s|, of which levels are: a preconditioner is definite.
  coefficients<level_value> definite() const {
    const coefficients<T>& a = system.a;
    coefficients<level_value> fine;
    fine.shape = a.shape;
    fine.shared = a.shared;
    for (const T v : a.pool) fine.pool.push_back(level_value(std::abs(v)));
    fine.x = a.x, fine.y = a.y, fine.z = a.z, fine.s = a.s;
    return fine;
  }
};

/// Throws unsupported_error on a GPU.
inline void require_cpu(backend on) {
  if (on != backend::cpu)
    throw unsupported_error(
        "grid: systems on grids have no kernels for GPUs; device::cpu() has them");
}

/// Threads share planes, and meet some ten times an iteration of about 100 bytes a cell.
inline thread_choice threads_of_grid(const grid_shape& g, const device_facts& where) {
  return threads_worth(10.0 * double(g.cells()), g.n[0], "barrier", where);
}

/// Unknowns along the axes of a description of so many dimensions.
inline std::vector<int> axes_of(const grid_shape& g, std::size_t dims) {
  if (dims == 1) return {g.n[2]};
  if (dims == 2) return {g.n[0], g.n[2]};
  return {g.n[0], g.n[1], g.n[2]};
}

/// The axis of a description that lies at this one of z, y, x in memory.
inline int described_axis(int axis, int dims) { return dims == 2 ? axis / 2 : axis + dims - 3; }

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
  if (!g.system.a.shared) bytes += std::size_t(m.applications) * g.system.a.pool.size() * sizeof(T);
  return bytes;
}

}  // namespace dwell::grids
