// SPDX-License-Identifier: MIT
// The preconditioners, and what a caller may ask of one besides its name.
#pragma once
#include <string>
#include <vector>

namespace dwell {

/// What an iteration multiplies the residual by.
enum class preconditioner {
  none,          ///< nothing
  jacobi,        ///< the inverse of the matrix's diagonal
  amg,           ///< smoothed aggregation multigrid, a V-cycle in f32
  fsai,          ///< a factorized sparse approximate inverse, in f32
  block_jacobi,  ///< the inverses of the blocks of the matrix's diagonal, in f32
  ilu0,          ///< incomplete factors, in f32: exact on CPUs, by sweeps on GPUs; not symmetric
  chebyshev,     ///< a polynomial in the matrix, in f32
  aggregation,   ///< plain aggregation multigrid for unsymmetric M-matrices, in f32; on CPUs
  /// Chosen by the solve. It begins with jacobi (none where the diagonal has zeros), and another
  /// one follows where it is projected to end sooner, from the answer so far, or where the one
  /// before has failed, from the start vector: of cg amg, fsai and block-jacobi, of minres
  /// block-jacobi (with a positive diagonal), of bicgstab and gmres block-jacobi, ilu0 and, on a
  /// CPU without ranks for matrices with the signs of an M-matrix, aggregation; with a variant that
  /// has no sequence of products, none. On a CPU a model of costs decides, by the residuals of
  /// every iteration and no clock. On a GPU and among ranks jacobi has 60 iterations, of cg and
  /// matrices with more than 20,000 rows and hardly anything positive beside the diagonal, and
  /// measured times decide whether amg follows; else others follow failures alone.
  /// Every solve of a linear_solver chooses. In cg_batch: jacobi.
  automatic
};

/// Options of preconditioners; those of others than the chosen one do nothing.
struct preconditioner_options {
  /// block-jacobi: rows of a block, 1 to 32. 0: blocks of consecutive rows with equal columns. amg
  /// with near_null: rows of a node, consecutive ones, 1 to 32, a divisor of the matrix's rows. 0:
  /// a row is a node.
  int block_size = 0;
  /// chebyshev: the degree of the polynomial, which is the number of products, 1 to 16.
  int degree = 4;
  /// fsai: the factor has the pattern of the lower triangle of A (1) or of A^2 (2).
  int power = 1;
  /// ilu0: sweeps that compute the factors, 1 to 100. 0, with `sweeps` also 0: on CPUs by
  /// elimination and substitution, without sweeps; else 0 is 5.
  int factor_sweeps = 0;
  /// ilu0: sweeps that solve with each of the two factors, 1 to 16. 0: as for factor_sweeps;
  /// else 3.
  int sweeps = 0;
  /// amg: the sweep before the coarse correction of a level and the one after it. "jacobi": damped
  /// Jacobi. "gauss-seidel": Gauss-Seidel in the order of colours of the rows, and backwards, for
  /// levels of at least 1,000 rows, from the finest to the last that takes at most 32 colours;
  /// Jacobi for others. Not on GPUs (unsupported_error) nor with near_null (input_error). "auto":
  /// gauss-seidel, where it is refused jacobi.
  std::string smoother = "auto";
  /// amg: how a coarse level is made. "roots": of aggregates around roots, with a smoothed
  /// prolongation. "classical": of some of the rows, from which the others are interpolated; not
  /// with near_null (input_error). "auto": one of both, by a look at the matrix; on GPUs and with
  /// near_null roots.
  std::string coarsening = "auto";
  /// amg: near-null vectors, 1 to 6 of as many elements as the matrix has rows, one after the
  /// other: what a matrix without its boundary conditions multiplies to zero, which coarse levels
  /// then hold. Of elasticity the rigid-body modes (rigid_body_modes()), or at least the
  /// translations. Empty: the constant vector. Aggregates are then made of nodes (block_size).
  std::vector<double> near_null = {};
  /// amg: keep aggregates and patterns on the device, so that a set-up for other values of the same
  /// pattern computes these alone. It takes several times the memory of the matrix. A linear_solver
  /// does so from its first update_values() on.
  bool keep_patterns = false;
};

}  // namespace dwell
