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
                                sequence_shares& shares);
};

}  // namespace dwell

namespace dwell::slicing {

template <class Loops>
product_sequence share_out(const Loops& loops, const device& where, const owned_sequence& from,
                           int teams, sequence_shares& shares) {
  product_sequence sequence = from.sequence;
  shares.many = from.many;
  if (sequence.many) sequence.many = shares.many.data();
  const std::size_t each = static_cast<std::size_t>(teams) + 1;
  shares.first_slices =
      buffer<index>(where, each * static_cast<std::size_t>(from.products()), fresh::unset);
  for (int k = 0; k < from.products(); ++k) {
    sparse_product& one =
        sequence.many ? shares.many[static_cast<std::size_t>(k)] : sequence.product[k];
    if (!one.out) continue;
    index* const first = shares.first_slices.data() + each * static_cast<std::size_t>(k);
    loops.items(teams + 1, 1 << 12, share_slices{one.matrix, teams, first});
    one.first_slice = first;
  }
  return sequence;
}

}  // namespace dwell::slicing
