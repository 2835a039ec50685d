// SPDX-License-Identifier: MIT
// Methods of solves on grids and their preconditioners, as words and as values.
#pragma once
#include <cstddef>
#include <optional>
#include <string>

#include "dwell/grid/grid_solver.hpp"
#include "dwell/solvers/grid/grid_method.hpp"

namespace dwell::grids {

/// V, or W: levels of at most a twelfth of the cells are visited twice.
enum class grid_cycle { automatic, v, w };
enum class grid_smoother { points, lines };
/// automatic: averaged ones, and where they let iterations be slow Galerkin's.
enum class coarse_operators { automatic, averaged, galerkin };

/// A row for each method.
struct method_facts {
  grid_method method;
  const char* name;
  /// Has a preconditioner that can be chosen. The others are one themselves.
  bool preconditioned;
  bool indefinite;    ///< takes operators that are not positive definite
  int more_vectors;   ///< besides x, d, r, p, q
  int vector_passes;  ///< reads and writes of vectors in an iteration, those of a cycle apart
  int applications;   ///< applications of the preconditioner in an iteration
  int barriers;       ///< barriers of a GPU's teams in an iteration, applications apart
};
inline constexpr method_facts all_methods[] = {
    {grid_method::cg, "cg", true, false, 1, 9, 1, 4},
    {grid_method::multigrid, "multigrid", false, false, 0, 9, 1, 4},
    {grid_method::minres, "minres", true, true, 5, 22, 1, 5},
    {grid_method::bicgstab, "bicgstab", true, true, 4, 24, 2, 9},
    {grid_method::chebyshev, "chebyshev", true, false, 1, 12, 1, 3},
    {grid_method::jacobi, "jacobi", false, false, 1, 9, 1, 3},
};
constexpr const method_facts& facts_of(grid_method m) { return all_methods[static_cast<int>(m)]; }

struct chosen_method {
  grid_method method = grid_method::cg;
  grid_preconditioner preconditioner = grid_preconditioner::multigrid;
  grid_cycle cycle = grid_cycle::automatic;
  coarse_operators coarse = coarse_operators::automatic;
  grid_smoother smoother = grid_smoother::points;
  bool full = false;  ///< begins with full multigrid
  /// Cells of the last of Galerkin's levels, at most, where coefficients jump.
  std::size_t galerkin_bottom = 4096;
  bool host_vectors = true;  ///< levels have u, f and r on the host; a GPU has its own
  /// Are there levels?
  bool has_levels() const { return preconditioner == grid_preconditioner::multigrid; }
  /// Conjugate gradients with multigrid, and multigrid alone, have their phases in fewer passes.
  bool fused() const {
    return has_levels() && (method == grid_method::cg || method == grid_method::multigrid);
  }
};
const char* name_of(grid_preconditioner p);
/// What options say that check_options() has accepted.
chosen_method method_of(const grid_options& o, backend on = backend::cpu);
/// Throws input_error for what is out of range.
void check_tolerances(std::optional<double> rtol, double atol);
/// Options whose rtol is that of vectors of T, if they have none.
template <class T>
grid_options with_tolerance(grid_options o) {
  if (!o.rtol) o.rtol = default_grid_rtol(sizeof(T) == 8 ? "f64" : "f32");
  return o;
}
void check_options(const grid_options& o);
/// Throws unsupported_error for more unknowns than kernels of GPUs count, 2^31 or more.
void require_gpu_unknowns(std::size_t cells);
/// Throws input_error where s is negative somewhere and the method needs an operator that is
/// positive definite.
void check_definite(bool negative_s, const grid_options& o);

}  // namespace dwell::grids
