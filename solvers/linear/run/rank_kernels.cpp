// SPDX-License-Identifier: MIT
#include "dwell/solvers/linear/run/rank_kernels.hpp"

#include "dwell/execution/comm/kernel_exchange.hpp"
#include "dwell/execution/krylov/launch/needed_program.hpp"

namespace dwell {

kernel_making exchange_kernels_of(const row_ranks* ranks, const device& where,
                                  const std::vector<kernel_source>& wanted) {
  if (!ranks || where.on() != backend::cuda) return {};
  return exchange_kernels(*ranks->comm, wanted, target_of_rank(where));
}

kernel_making exchange_kernels_of(const row_ranks* ranks, const device& where,
                                  const program_kernel& row, int config) {
  std::vector<kernel_source> wanted;
  if (row.on == backend::cuda && !row.compiled_ahead())
    wanted = sources_of(row.needed, row.type, config);
  return exchange_kernels_of(ranks, where, wanted);
}

}  // namespace dwell
