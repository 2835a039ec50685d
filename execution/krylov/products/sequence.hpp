// SPDX-License-Identifier: MIT
// A sequence of products with the memory of its matrices and vectors, as a preconditioner is kept
// between solves. It knows no teams: these share the slices out when a run is made.
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/krylov/products/sliced_matrix.hpp"

namespace dwell {

/// Lanes that share a row: 1 where rows alone keep a GPU busy, and no more than a row has work for.
/// The same for every device, so that bits are.
inline int lanes_for(index rows, double nonzeros) {
  constexpr double busy = 65536;  // lanes, about 132 multiprocessors of 512
  int lanes = 1;
  while (lanes < slice_lanes && rows * static_cast<double>(lanes) < busy &&
         nonzeros > 4.0 * lanes * rows)
    lanes *= 2;
  return lanes;
}

struct owned_slices {
  buffer<index> begin, col;
  buffer<float> val;
  sliced_matrix view;
  std::size_t bytes = 0;  ///< that a product reads of it
};

/// Fixed once it is made; its matrices' values may be written anew.
struct owned_sequence {
  product_sequence sequence;  ///< without first_slice
  // Members of each product:
  std::vector<std::shared_ptr<owned_slices>> matrices;
  std::vector<int> parts;  ///< which part of the preconditioner it is of
  buffer<float> vectors;
  std::shared_ptr<buffer<double>> units;  ///< those of the sequence; or null
  // Where the sequence has many:
  std::vector<int> many_begin;
  std::vector<sparse_product> many;

  int products() const { return sequence.first_of(sequence.phases); }
  /// Makes the sequence of the products in `many` and the phases of `many_begin`, which it has
  /// within itself where there are few. More than most_products are for CPUs alone.
  void take_products();
};

/// Slices of a sequence's products, shared out among teams.
struct sequence_shares {
  buffer<index> first_slices;
  std::vector<sparse_product> many;
};

/// That product k moves, nothing cached.
std::size_t bytes_of_product(const owned_sequence& c, int k);
/// That one application moves, for the sequence's own field.
std::size_t bytes_of_products(const owned_sequence& c);
/// That it has in memory: each matrix once, and all vectors.
std::size_t bytes_in_memory(const owned_sequence& c);

/// The sequence for so many teams; it points into `shares`.
product_sequence share_out_sequence(const device& where, const owned_sequence& from, int teams,
                                    sequence_shares& shares);

}  // namespace dwell
