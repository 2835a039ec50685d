// SPDX-License-Identifier: MIT
// Counts bytes of products, and shares slices out among teams.
#include "dwell/execution/krylov/products/sequence.hpp"

#include <algorithm>
#include <set>

#include "dwell/execution/krylov/products/sequence_shares.hpp"
#include "dwell/execution/team/setup_cpu.hpp"

namespace dwell {

void owned_sequence::take_products() {
  sequence.phases = static_cast<int>(many_begin.size()) - 1;
  if (many.size() > most_products) {
    sequence.many_begin = many_begin.data();
    sequence.many = many.data();
    return;
  }
  std::ranges::copy(many_begin, sequence.begin);
  std::ranges::copy(many, sequence.product);
  many_begin.clear();
  many.clear();
}

std::size_t bytes_of_product(const owned_sequence& c, int k) {
  const sparse_product& one = c.sequence.at(k);
  const owned_slices& of = *c.matrices[static_cast<std::size_t>(k)];
  std::size_t bytes = of.bytes;
  if (one.matrix.slices < of.view.slices) {  // some of its slices: on a CPU
    const index *const begin = one.matrix.begin, steps = begin[one.matrix.slices] - *begin;
    bytes = static_cast<std::size_t>(steps) * slice_step * (sizeof(index) + sizeof(float));
  }
  const int vectors = 3 + (one.add ? 1 : 0) + (one.more ? 1 : 0);  // in, out, ends of rows
  return bytes + sizeof(float) * static_cast<std::size_t>(vectors) *
                     static_cast<std::size_t>(one.matrix.rows);
}

std::size_t bytes_of_products(const owned_sequence& c) {
  std::size_t bytes = 0;
  for (int k = 0; k < c.products(); ++k) bytes += bytes_of_product(c, k);
  if (c.units) bytes += 2 * c.units->size() * sizeof(double);  // for the input and the result
  return bytes;
}

std::size_t bytes_in_memory(const owned_sequence& c) {
  std::size_t bytes = c.vectors.size() * sizeof(float);
  if (c.units) bytes += c.units->size() * sizeof(double);
  std::set<const owned_slices*> seen;
  for (const auto& m : c.matrices)
    if (seen.insert(m.get()).second) bytes += m->bytes;
  return bytes;
}

product_sequence share_out_sequence(const device& where, const owned_sequence& from, int teams,
                                    sequence_shares& shares) {
  if (where.on() == backend::cuda)
    return cuda_backend<chain_functions>().share_out(where, from, teams, shares);
  return slicing::share_out(cpu::setup_loops(where), where, from, teams, shares);
}

}  // namespace dwell
