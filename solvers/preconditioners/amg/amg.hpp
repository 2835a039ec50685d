// SPDX-License-Identifier: MIT
// Smoothed aggregation multigrid (Vanek, Mandel and Brezina, Computing 56, 1996) as a sequence of
// products. A V-cycle with one sweep of damped Jacobi before and one after the coarse correction is
//
//   M b = S b + Q M_c Q' b,   S = 2 w D^-1 - w^2 D^-1 A D^-1,   Q = (I - w D^-1 A) P,
//
// so going down a level takes one phase, S b and Q' b, and going up one, S b + Q (...); the
// coarsest matrix is inverted. On CPUs large levels have a sweep of Gauss-Seidel before and one
// backwards after it (colours.hpp). Aggregates grow around roots (root_steps.hpp). M is symmetric
// and positive definite where A is. Private to the solvers.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "dwell/device/device.hpp"
#include "dwell/execution/krylov/products/sequence.hpp"
#include "dwell/execution/krylov/spmv/csr_arrays.hpp"
#include "dwell/solvers/preconditioners/prepared_preconditioner.hpp"

namespace dwell {

/// Operator complexities from which on users are told; classical coarsening has more levels.
inline constexpr double high_complexity = 2.5, high_classical_complexity = 3.5;

/// What a coarse level is made of.
enum class coarsening_kind {
  roots,     ///< aggregates around roots (root_steps.hpp), with a smoothed prolongation
  classical  ///< some of its rows (classical_steps.hpp)
};

/// One level, the finest first.
struct amg_level {
  index rows = 0, nonzeros = 0;
  double omega = 0;     ///< weight of Jacobi's sweeps; 0: it is inverted, or has colours
  int colours = 0;      ///< those of Gauss-Seidel's sweeps; 0: it has none
  index node_rows = 1;  ///< rows of a node
  index vectors = 0;    ///< near its null space, as given; 0: the constant one
};

struct amg_hierarchy {
  owned_sequence products;
  std::vector<amg_level> levels;
  /// Elements of all levels' matrices over those of the finest.
  double operator_complexity() const;
  /// Is there no coarser level though the last one is not inverted?
  bool ended_early() const;
  /// Is one of the given near-null vectors none? note() then says which.
  bool vectors_misfit() const;
  /// What a user should know: that it is of little use, and why; or nothing.
  std::string note() const;
  /// Puts other values of the same pattern into `products`, with the aggregates and patterns that
  /// there are; empty without amg_options::keep. The arrays are of the type that make_amg() took.
  std::function<void(const void* csr_arrays)> refresh;
  /// Per given near-null vector: share of the rows, 0 to 1, where it is none (mode_fit.hpp).
  std::vector<double> rows_apart;
  coarsening_kind coarsening = coarsening_kind::roots;
  /// Coarsening ended early: the coarse matrices did not get smaller, or there may be no more.
  bool stalled = false;
};

struct amg_options {
  index coarsest = 160;  ///< a level of so many rows is inverted
  /// Near the null space of the matrix, column by column, as many as fit its rows; empty: the
  /// constant vector. Read while the hierarchy is made.
  std::span<const double> near_null = {};
  index node_rows = 1;  ///< with near_null: rows of a node, which an aggregate has all or none of
  bool keep = false;    ///< what refresh() needs: several times the memory of the hierarchy
  /// On CPUs levels of so many rows and more, the finest first, are smoothed by Gauss-Seidel in the
  /// order of colours (colours.hpp), where they take few enough. 0, or with near_null: none is.
  index coloured_rows = 0;
  coarsening_kind coarsening = coarsening_kind::roots;  ///< classical: not with near_null
  /// classical, on a CPU: rows are split as on a GPU (look_for_coarse), not in fronts, and there
  /// are no more levels than there.
  bool split_in_rounds = false;
};

/// Makes the hierarchy of a checked matrix with a positive diagonal. Work on a GPU goes to the
/// device's stream. Throws device_error if the device has too little memory.
template <class T>
amg_hierarchy make_amg(const device& where, const csr_arrays<T>& a, const amg_options& o = {});
/// Has this process made one on a GPU?
bool made_amg_on_gpu();

namespace amg {
// preconditioner_options::smoother.
inline constexpr const char* jacobi_smoother = "jacobi";
inline constexpr const char* gauss_seidel_smoother = "gauss-seidel";

// preconditioner_options::coarsening.
inline constexpr const char* roots_word = "roots";
inline constexpr const char* classical_word = "classical";
/// What with_choices() makes of classical for a GPU: a set-up on a CPU then makes its levels. No
/// user's word.
inline constexpr const char* classical_in_rounds_word = "classical in rounds";

/// The options with the smoother and, where that does not depend on the matrix, the coarsening that
/// a hierarchy on such a backend has. Throws unsupported_error or input_error where it cannot have
/// the one that was asked for.
preconditioner_options with_choices(backend on, preconditioner_options o);
}  // namespace amg

/// Makes it for the list of preconditioners.
template <class T>
prepared_preconditioner amg_preconditioner(const device& where, const csr_arrays<T>& a,
                                           const preconditioner_options& o);

}  // namespace dwell
