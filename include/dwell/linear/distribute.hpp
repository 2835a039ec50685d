// SPDX-License-Identifier: MIT
// Divided matrices of which each rank reads or makes its own rows: no rank holds the whole.
#pragma once
#include <memory>
#include <utility>

#include "dwell/base/api.hpp"
#include "dwell/comm/communicator.hpp"
#include "dwell/formats/row_source.hpp"
#include "dwell/linear/distributed_matrix.hpp"

namespace dwell {

/// The rows of this rank, divided as balanced_first_rows() divides the whole matrix. Called by all
/// ranks together, each with a source of the same matrix. threads: to read with on this rank; 0: as
/// many as are worth it. Throws input_error, on all ranks, if the matrix is not square, ranks have
/// different ones, a rank would get more than 2^31 - 1 rows or nonzeros, or the source throws on
/// any of them.
DWELL_API matrix_rows rows_of_rank(communicator& comm, const row_source& whole, int threads = 0);

/// A divided matrix of such rows, with the bits of the whole one that is divided. T: double or
/// float. Throws input_error, on all ranks, as rows_of_rank() and the constructors do, and where a
/// value is too large for T.
template <class T>
DWELL_API distributed_matrix<T> distribute(std::shared_ptr<communicator> comm,
                                           const matrix_rows& mine);
/// rows_of_rank(), and that.
template <class T>
distributed_matrix<T> distribute(std::shared_ptr<communicator> comm, const row_source& whole,
                                 int threads = 0) {
  const matrix_rows mine = rows_of_rank(*comm, whole, threads);
  return distribute<T>(std::move(comm), mine);
}

extern template DWELL_API distributed_matrix<double> distribute(std::shared_ptr<communicator>,
                                                                const matrix_rows&);
extern template DWELL_API distributed_matrix<float> distribute(std::shared_ptr<communicator>,
                                                               const matrix_rows&);

}  // namespace dwell
