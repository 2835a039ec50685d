// SPDX-License-Identifier: MIT
// How a matrix is put into slices, for loops of either backend that have sums_before(). Included by
// the files that do it on a backend.
#pragma once
#include <memory>

#include "dwell/execution/krylov/products/sequence.hpp"
#include "dwell/execution/krylov/products/slice_steps.hpp"

namespace dwell::slicing {

inline constexpr std::int64_t slices_per_thread = 1 << 11;

/// A matrix of `rows` rows and about so many nonzeros. One wait for the device.
template <class Loops, class Source>
std::shared_ptr<owned_slices> put_in_slices(const Loops& loops, const device& where,
                                            const Source& from, index rows, double nonzeros) {
  auto made = std::make_shared<owned_slices>();
  sliced_matrix& m = made->view;
  m.rows = rows;
  m.lanes = lanes_for(rows, nonzeros);
  m.slices = (rows + m.rows_per_slice() - 1) / m.rows_per_slice();
  made->begin = {where, static_cast<std::size_t>(m.slices) + 1, fresh::unset};
  index* const begin = made->begin.data();
  loops.items(m.slices, slices_per_thread, count_steps<Source>{from, rows, m.lanes, begin});
  loops.sums_before(begin, begin, m.slices);
  index steps = 0;
  loops.fetch(&steps, begin + m.slices, sizeof steps);
  const std::size_t n = static_cast<std::size_t>(steps) * slice_step;
  made->col = {where, n, fresh::unset};
  made->val = {where, n, fresh::unset};
  m.begin = begin;
  m.col = made->col.data();
  m.val = made->val.data();
  loops.warps(m.slices, slices_per_thread,
              fill_slices<Source>{from, m, made->col.data(), made->val.data()});
  made->bytes = n * (sizeof(index) + sizeof(float));
  return made;
}

/// Other values of the same pattern.
template <class Loops, class Source>
void put_values(const Loops& loops, const Source& from, owned_slices& to) {
  loops.warps(to.view.slices, slices_per_thread,
              fill_slices<Source>{from, to.view, nullptr, to.val.data()});
}

}  // namespace dwell::slicing
