// SPDX-License-Identifier: MIT
// share_out_chain() for setup_loops of either backend. Included by the files that do it on one.
#pragma once
#include "dwell/execution/device/cuda_backend.hpp"
#include "dwell/execution/krylov/products/chain.hpp"
#include "dwell/execution/krylov/products/slice_steps.hpp"

namespace dwell {

/// share_out_chain() on a GPU.
struct chain_functions {
  product_chain (*share_out)(const device&, const owned_chain& from, int teams,
                             buffer<index>& shares);
};

}  // namespace dwell

namespace dwell::slicing {

template <class Loops>
product_chain share_out(const Loops& loops, const device& where, const owned_chain& from, int teams,
                        buffer<index>& shares) {
  product_chain chain = from.chain;
  const int products = chain.begin[chain.phases];
  const std::size_t each = static_cast<std::size_t>(teams) + 1;
  shares = buffer<index>(where, each * static_cast<std::size_t>(products), fresh::unset);
  for (int k = 0; k < products; ++k) {
    sparse_product& one = chain.product[k];
    if (!one.out) continue;
    index* const first = shares.data() + each * static_cast<std::size_t>(k);
    loops.items(teams + 1, 1 << 12, share_slices{one.matrix, teams, first});
    one.first_slice = first;
  }
  return chain;
}

}  // namespace dwell::slicing
