// SPDX-License-Identifier: MIT
// How the matrices of a hierarchy's levels become a sequence of products. Included by building.hpp.
#pragma once
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "dwell/execution/krylov/products/sequence.hpp"
#include "dwell/solvers/preconditioners/amg/amg.hpp"

namespace dwell::amg {

/// The matrices of levels without colours (amg.hpp): S, Q' and Q of all but the last.
struct level_slices {
  std::vector<std::shared_ptr<owned_slices>> smoothers, down, up;
  std::shared_ptr<owned_slices> last;
};

/// The sequence: down, the last level, up.
template <class Coloured>
void link_levels(const device& where, const std::vector<amg_level>& levels,
                 const level_slices& slices, const Coloured& coloured, owned_sequence& made) {
  constexpr bool on_host = Coloured::on_host;
  const std::size_t coarser = slices.smoothers.size();
  std::size_t vectors = 0;
  const auto vector = [&](std::size_t level) {
    const std::size_t n = (static_cast<std::size_t>(levels[level].rows) + 63) / 64 * 64;
    return std::exchange(vectors, vectors + n);
  };
  std::vector<std::size_t> b, y;  // offsets of each level; with colours they are the same
  const std::size_t input = coloured.has(0) ? vector(0) : 0;
  for (std::size_t l = 0; l <= coarser; ++l) {
    b.push_back(vector(l));
    y.push_back(coloured.has(l) ? b[l] : vector(l));
  }
  made.vectors = {where, vectors};
  float* const v = made.vectors.data();
  product_sequence& c = made.sequence;
  c.input = v + input;
  made.many_begin.push_back(0);
  const auto add = [&](std::size_t level, const std::shared_ptr<owned_slices>& m, const float* in,
                       float* out, const float* more) {
    made.many.push_back({m->view, in, out, more, nullptr});
    made.matrices.push_back(m);
    made.parts.push_back(static_cast<int>(level));
  };
  const auto end_phase = [&] { made.many_begin.push_back(static_cast<int>(made.many.size())); };
  for (std::size_t l = 0; l < coarser; ++l) {
    if constexpr (on_host)
      if (coloured.has(l)) {
        coloured.link_down(l, c.input, v + b[l], add, end_phase);
        coloured.link_to_coarse(l, v + b[l], v + b[l + 1], add, end_phase);
        continue;
      }
    add(l, slices.smoothers[l], v + b[l], v + y[l], nullptr);
    add(l, slices.down[l], v + b[l], v + b[l + 1], nullptr);
    end_phase();
  }
  if (!coloured.has(coarser)) {
    add(coarser, slices.last, v + b[coarser], coarser > 0 ? v + y[coarser] : nullptr, nullptr);
    end_phase();
  } else if constexpr (on_host) {
    coloured.link_down(coarser, c.input, v + b[coarser], add, end_phase);
    coloured.link_up(coarser, v + b[coarser], add, end_phase);
  }
  for (std::size_t l = coarser; l-- > 0;) {
    if constexpr (on_host)
      if (coloured.has(l)) {
        coloured.link_from_coarse(l, v + y[l + 1], v + b[l], add, end_phase);
        coloured.link_up(l, v + b[l], add, end_phase);
        continue;
      }
    add(l, slices.up[l], v + y[l + 1], l > 0 ? v + y[l] : nullptr, v + y[l]);
    end_phase();
  }
  made.take_products();
  c.bytes = bytes_of_products(made);
}

}  // namespace dwell::amg
