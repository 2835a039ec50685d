// SPDX-License-Identifier: MIT
// A solver of systems whose rows are divided among ranks: the methods and programs of
// linear_solver, with a halo exchange and an all-gather of partial sums where teams of one device
// meet.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "dwell/base/api.hpp"
#include "dwell/comm/gpu_transport.hpp"
#include "dwell/device/device.hpp"
#include "dwell/linear/distributed_matrix.hpp"
#include "dwell/linear/solve.hpp"

namespace dwell {

/// T: double or float. Movable. All ranks make the same calls, in the same order, with the same
/// options (but for progress and interrupt, which any rank may have, and of null_vectors and
/// near_null the elements of its rows, vector after vector: distributed_matrix::scatter_columns());
/// exceptions are those of all ranks. Options that ask for other executors than host-loop (on GPUs:
/// or graph) are refused with unsupported_error.
///
/// On GPUs every rank has one, which `where` says: device::cuda(comm->rank()), say, of ranks that
/// are threads. Vectors stay there, and ranks exchange their elements and sums from GPU to GPU, in
/// the order of a stream, by NCCL; or through the memory of the hosts (gpu_transport).
///
/// Sums are those of the ranks in their order: a solve has the same bits in every run with the same
/// division, and of one rank those of linear_solver under the same executor and variant. With
/// another division sums are added in another order. Preconditioners that are a sequence of
/// products (amg, chebyshev, fsai, block-jacobi, ilu0, aggregation) act on the block of each rank's
/// own columns: additive Schwarz without overlap (Smith, Bjorstad and Gropp 1996), which is weaker
/// the more ranks there are. Of amg with near_null the rows of a node (block_size) must be those of
/// one rank. What preconditioner::automatic chooses by times it chooses by those of the slowest
/// rank.
template <class T>
class DWELL_API distributed_solver {
 public:
  /// Keeps the matrix, and with it the communicator. `by` counts on GPUs: unsupported_error or
  /// device_error, on all ranks, if it is nccl and there is none, or ranks share a GPU. All ranks
  /// are on GPUs, or none is.
  distributed_solver(const device& where, distributed_matrix<T> a,
                     const solve_options& options = {},
                     gpu_transport by = gpu_transport::automatic);
  /// What was moved from can only be destroyed or assigned to.
  distributed_solver(distributed_solver&&) noexcept;
  /// Frees what this one had.
  distributed_solver& operator=(distributed_solver&&) noexcept;
  ~distributed_solver();

  /// What the constructor's time went to on this rank, or that of the last update_values().
  const solve_setup& setup() const;
  /// What ranks exchange data by: on GPUs "nccl" or "host" (through the memory of the hosts), on
  /// CPUs, and where there is one rank, what the communicator says.
  const char* transport() const;

  /// Solves A x = b; b and x are this rank's elements (distributed_matrix::rows() of them). The
  /// report is that of the whole system, the same on all ranks but for times, threads and bytes.
  solve_report solve(std::span<const T> b, std::span<T> x);

  /// `count` systems, the same on all ranks: column k of the right-hand sides begins at b[k ldb],
  /// of the start vectors and answers at x[k ldx]; both distances are at least the rows of the
  /// rank. Groups of 8, 4 or 2 are solved in one pass over the matrix where that pays, as
  /// linear_solver solves them, with one exchange of the ghosts of all columns; ranks decide by the
  /// bytes of all of them, or by the time of the slowest GPU, and all take the same groups. One
  /// rank alone has the bits of linear_solver with the same columns. Throws as solve() does, with
  /// the columns before it solved; of a group that has columns which are not finite, the others
  /// are.
  std::vector<solve_report> solve(std::span<const T> b, std::size_t ldb, std::span<T> x,
                                  std::size_t ldx, int count);

  /// From the next solve on with other values, in the order of distributed_matrix::local(); copied.
  void update_values(std::span<const T> values);

  /// From the next solve on: converged when ||r|| <= max(rtol ||b||, atol).
  void set_tolerances(double rtol, double atol = 0);

 private:
  struct state;
  std::unique_ptr<state> s_;
};

extern template class distributed_solver<double>;
extern template class distributed_solver<float>;

}  // namespace dwell
