// SPDX-License-Identifier: MIT
// Block Jacobi on a CPU.
#include "dwell/solvers/preconditioners/block_jacobi/block_jacobi.hpp"

#include <fmt/format.h>

#include "dwell/base/error.hpp"
#include "dwell/execution/team/setup_cpu.hpp"
#include "dwell/solvers/preconditioners/block_jacobi/building.hpp"
#include "dwell/solvers/preconditioners/sequences/set_up_table.hpp"

namespace dwell {
namespace block_jacobi {

void refuse_block(index row, index size) {
  throw input_error(
      size == 1 ? fmt::format("block-jacobi: expected blocks that have an inverse, found no "
                              "diagonal element but zero in row {} (counted from 1), a block of "
                              "its own",
                              row + 1)
                : fmt::format("block-jacobi: expected blocks that have an inverse, found a "
                              "singular one in rows {} to {} (counted from 1)",
                              row + 1, row + size));
}
void refuse_size(index rows, index block_size) {
  throw input_error(
      fmt::format("block-jacobi: expected blocks of at most 2^31 - 1 elements together, found {} "
                  "rows in blocks of up to {}",
                  rows, block_size));
}

}  // namespace block_jacobi

template <class T>
prepared_preconditioner block_jacobi_preconditioner(const device& where, const csr_arrays<T>& a,
                                                    const preconditioner_options& o) {
  if (where.on() == backend::cuda)
    return cuda_backend<chain_set_ups<T>>().block_jacobi(where, a, o);
  return block_jacobi::builder<cpu::setup_loops>(where).build(a, o);
}
template prepared_preconditioner block_jacobi_preconditioner(const device&,
                                                             const csr_arrays<double>&,
                                                             const preconditioner_options&);
template prepared_preconditioner block_jacobi_preconditioner(const device&,
                                                             const csr_arrays<float>&,
                                                             const preconditioner_options&);

}  // namespace dwell
