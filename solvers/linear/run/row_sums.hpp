// SPDX-License-Identifier: MIT
// Sums for each row of a matrix, each by eight lanes as a binary tree, on a CPU: the same bits as
// row_sums.cuh gives. Private to the solver.
//
//   struct my_rows {
//     static constexpr int lanes = 8, sums = 1;
//     DWELL_HD auto constants() const;                                   // what all rows use
//     DWELL_HD void part(index i, int lane, const auto& constants, double* sum) const;
//     DWELL_HD void put(index i, const auto& constants, const double* sum) const;
//   };
#pragma once
#include <cstdint>

#include "dwell/base/index.hpp"
#include "dwell/base/parallel.hpp"

namespace dwell::cpu {

/// `nonzeros`: how much work all rows are.
template <class Rows>
void sum_rows(const Rows& of, index rows, std::int64_t nonzeros) {
  constexpr int lanes = Rows::lanes, sums = Rows::sums;
  const int parts = nonzeros < (1 << 16) ? 1 : default_threads();
  for_parts(parts, [&](int part) {
    const auto [first, last] = piece(rows, part, parts);
    const auto constants = of.constants();
    for (index i = first; i < last; ++i) {
      double sum[lanes][sums];
      for (int lane = 0; lane < lanes; ++lane) of.part(i, lane, constants, sum[lane]);
      for (int half = lanes / 2; half > 0; half /= 2)
        for (int lane = 0; lane < half; ++lane)
          for (int k = 0; k < sums; ++k) sum[lane][k] += sum[lane + half][k];
      of.put(i, constants, sum[0]);
    }
  });
}

}  // namespace dwell::cpu
