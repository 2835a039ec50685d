// SPDX-License-Identifier: MIT
// Matrices in slices (SELL; Kreutzer et al., SIAM J. Sci. Comput. 36, 2014), and sequences of
// products with them: what a preconditioner is to a Program. A slice has 32 lanes; `lanes` of them
// share a row, so that small matrices with long rows keep as many lanes busy as large ones. Two
// elements of a lane lie side by side, 8 bytes of columns and 8 of values. A row's sum does not
// depend on the teams, so a sequence gives the same bits under every executor and on every backend.
#pragma once
#include <cmath>
#include <cstddef>

#include "dwell/base/fn.hpp"
#include "dwell/base/index.hpp"

namespace dwell {

inline constexpr int slice_lanes = 32;
inline constexpr int slice_items = 2;  ///< elements of a lane that are loaded at once
inline constexpr int slice_step = slice_lanes * slice_items;

/// Elements e of a lane are its row's lane + e * lanes; zeros past the end of a row.
struct sliced_matrix {
  index rows = 0;
  int lanes = 1;                 ///< per row: a power of two up to 32
  index slices = 0;              ///< slices of slice_lanes / lanes rows
  const index* begin = nullptr;  ///< slices + 1: the first step of each
  const index* col = nullptr;    ///< begin[slices] * slice_step
  const float* val = nullptr;

  DWELL_HD int rows_per_slice() const { return slice_lanes / lanes; }
};

/// Where element k of row `row` (its first element is 0) stands among those of its slice.
DWELL_HD std::ptrdiff_t sliced_place(int lanes, index row, index k) {
  const int lane = row % (slice_lanes / lanes) * lanes + k % lanes;
  const index item = k / lanes;
  return static_cast<std::ptrdiff_t>(item / slice_items) * slice_step + lane * slice_items +
         item % slice_items;
}

/// out = scale M in + add_scale add + more_scale more, without `more` if there is no `add`; without
/// `out` the result is the sequence's. `out` may be `add` or `more`.
struct sparse_product {
  sliced_matrix matrix;
  const float* in = nullptr;
  float* out = nullptr;
  const float* add = nullptr;          ///< or null: 0
  const index* first_slice = nullptr;  ///< teams + 1; null: each team takes its rows' slices
  float scale = 1.0f;
  float add_scale = 1.0f;
  const float* more = nullptr;  ///< or null: 0
  float more_scale = 0.0f;

  /// The element of `out` whose row of M times `in` is sum. With factors of 1: sum + add.
  DWELL_FN float element(index row, float sum) const {
    if (!add) return scale * sum;
    float rest = add_scale * add[row];
    if (more) rest = std::fma(more_scale, more[row], rest);
    return std::fma(scale, sum, rest);
  }
};

inline constexpr int most_products = 48;

/// Products in phases with a barrier between two of them; the last one gives the result. In f32:
/// the input is scaled by a power of two so that it is within range, and with `units` each element
/// of input and result by one of its own.
struct product_sequence {
  int phases = 0;
  int begin[most_products + 1] = {};  ///< first product of each phase
  sparse_product product[most_products];
  /// In place of the two arrays, on CPUs alone: any number of products.
  const int* many_begin = nullptr;
  const sparse_product* many = nullptr;
  float* input = nullptr;         ///< one element per row of the system
  const double* units = nullptr;  ///< or null: powers of two, one per row of the system
  std::size_t bytes = 0;          ///< that one application moves, nothing cached

  DWELL_HD int first_of(int phase) const {
#ifndef __CUDA_ARCH__
    if (many) return many_begin[phase];
#endif
    return begin[phase];
  }
  DWELL_HD const sparse_product& at(int k) const {
#ifndef __CUDA_ARCH__
    if (many) return many[k];
#endif
    return product[k];
  }
};

}  // namespace dwell
