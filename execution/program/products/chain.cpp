// SPDX-License-Identifier: MIT
// See chain.hpp.
#include "dwell/execution/program/products/chain.hpp"

#include "dwell/execution/program/products/chain_shares.hpp"
#include "dwell/execution/program/spmv/cut_backends.hpp"
#include "dwell/execution/team/setup_cpu.hpp"

namespace dwell {

product_chain share_out_chain(const device& where, const owned_chain& from, int teams,
                              buffer<index>& shares) {
  if (where.on() == backend::cuda) return share_out_chain_on_cuda(where, from, teams, shares);
  return slicing::share_out(cpu::setup_loops(where), where, from, teams, shares);
}

}  // namespace dwell
