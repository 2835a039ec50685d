// SPDX-License-Identifier: MIT
// Passes over the elements of vectors that end in a few totals, with an order of operations that
// depends on the number of elements alone: a CPU and a GPU, with any number of threads, give the
// same bits. Elements are taken in chunks; a chunk's totals are those of its lanes, put together as
// a binary tree, and so are those of the chunks.
//
//   struct my_pass {
//     static constexpr int totals = 2;
//     DWELL_HD auto constants() const;                  // what all elements use, or 0
//     DWELL_HD void element(index i, const auto& constants, double* acc) const;  // adds it to acc
//     DWELL_HD static void combine(double* to, const double* from);     // totals of two parts
//     DWELL_HD void conclude(const double* acc) const;                  // once, at the end
//   };
#pragma once
#include <algorithm>
#include <vector>

#include "dwell/base/index.hpp"
#include "dwell/base/parallel.hpp"
#include "dwell/execution/device/loops/pass_chunks.hpp"

namespace dwell::cpu {

/// lane[0] becomes the total of all lanes.
template <class Pass>
void fold_lanes(double (&lane)[pass_lanes][Pass::totals]) {
  for (int half = pass_lanes / 2; half > 0; half /= 2)
    for (int l = 0; l < half; ++l) Pass::combine(lane[l], lane[l + half]);
}

/// join(totals) may make them those of more elements than are here.
template <class Pass, class Join>
void run_pass(index n, const Pass& pass, Join&& join) {
  const index chunks = pass_chunks(n);
  std::vector<double> partial(static_cast<std::size_t>(chunks) * Pass::totals);
  const int threads = n < (1 << 16) ? 1 : default_threads();
  for_parts(threads, [&](int t) {
    const auto [begin, end] = piece(chunks, t, threads);
    const auto constants = pass.constants();
    for (index c = begin; c < end; ++c) {
      double lane[pass_lanes][Pass::totals] = {};
      const index first = c * pass_chunk, last = std::min<index>(n, first + pass_chunk);
      for (index i = first; i < last; ++i)
        pass.element(i, constants, lane[(i - first) % pass_lanes]);
      fold_lanes<Pass>(lane);
      std::copy(lane[0], lane[0] + Pass::totals,
                partial.begin() + static_cast<std::ptrdiff_t>(c) * Pass::totals);
    }
  });
  double lane[pass_lanes][Pass::totals] = {};
  for (index c = 0; c < chunks; ++c)
    Pass::combine(lane[c % pass_lanes],
                  partial.data() + static_cast<std::ptrdiff_t>(c) * Pass::totals);
  fold_lanes<Pass>(lane);
  join(lane[0]);
  pass.conclude(lane[0]);
}
template <class Pass>
void run_pass(index n, const Pass& pass) {
  run_pass(n, pass, [](double*) {});
}

}  // namespace dwell::cpu
