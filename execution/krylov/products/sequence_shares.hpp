// SPDX-License-Identifier: MIT
// share_out_sequence() for setup_loops of either backend. Included by the files that do it on one.
#pragma once
#include "dwell/execution/device/cuda_backend.hpp"
#include "dwell/execution/krylov/products/sequence.hpp"
#include "dwell/execution/krylov/products/slice_steps.hpp"

namespace dwell {

/// share_out_sequence() on a GPU.
struct chain_functions {
  product_sequence (*share_out)(const device&, const owned_sequence& from, int teams,
                                buffer<index>& shares);
};

}  // namespace dwell

namespace dwell::slicing {

template <class Loops>
product_sequence share_out(const Loops& loops, const device& where, const owned_sequence& from,
                           int teams, buffer<index>& shares) {
  product_sequence sequence = from.sequence;
  const int products = sequence.begin[sequence.phases];
  const std::size_t each = static_cast<std::size_t>(teams) + 1;
  shares = buffer<index>(where, each * static_cast<std::size_t>(products), fresh::unset);
  for (int k = 0; k < products; ++k) {
    sparse_product& one = sequence.product[k];
    if (!one.out) continue;
    index* const first = shares.data() + each * static_cast<std::size_t>(k);
    loops.items(teams + 1, 1 << 12, share_slices{one.matrix, teams, first});
    one.first_slice = first;
  }
  return sequence;
}

}  // namespace dwell::slicing
