// SPDX-License-Identifier: MIT
// A value for each row of a matrix, summed by eight lanes as a binary tree, on a CPU: the same bits
// as row_sums.cuh gives. Private to the solver.
//
//   struct my_rows {
//     static constexpr int lanes = 8;
//     DWELL_HD auto constants() const;                                   // what all rows use
//     DWELL_HD double part(index i, int lane, const auto& constants) const;
//   };
#pragma once
#include <array>

#include "dwell/base/index.hpp"
#include "dwell/base/parallel.hpp"

namespace dwell::cpu {

/// to[i] gets the value of row i; `nonzeros`: how much work all rows are.
template <class Rows>
void sum_rows(const Rows& of, index rows, index nonzeros, double* to) {
  constexpr int lanes = Rows::lanes;
  const int parts = nonzeros < (1 << 16) ? 1 : default_threads();
  for_parts(parts, [&](int part) {
    const auto [first, last] = piece(rows, part, parts);
    const auto constants = of.constants();
    for (index i = first; i < last; ++i) {
      std::array<double, lanes> sum;
      for (int lane = 0; lane < lanes; ++lane) sum[lane] = of.part(i, lane, constants);
      for (int half = lanes / 2; half > 0; half /= 2)
        for (int lane = 0; lane < half; ++lane) sum[lane] += sum[lane + half];
      to[i] = sum[0];
    }
  });
}

}  // namespace dwell::cpu
