// SPDX-License-Identifier: MIT
// Times of convolutions on a GPU: the latencies of an output of Chen et al. 2019, section 5, with
// their equations' numbers, and the least times of whole passes, by what each algorithm of
// computing one has to load, to multiply and to shuffle. Pure functions.
#pragma once
#include <algorithm>

#include "dwell/device/limits.hpp"

namespace dwell::model {

/// L_smem of section 5.2: m x n taps, cells and weights from shared memory. T_reg is part of the
/// latency of a multiply-add.
constexpr double latency_of_shared(double m, double n, const operation_latencies& t) {
  return m * n * (t.multiply_add + 2 * t.shared_read);
}
/// L_reg: cells from registers, sums by shuffle (equation 4).
constexpr double latency_of_systolic(double m, double n, const operation_latencies& t) {
  return m * n * (t.multiply_add + t.shared_read) + (m - 1) * t.shuffle;
}
/// The part of the cells of a warp that are a halo: HR_rc of section 5.3, of m x n taps on
/// `columns` columns and `cached` rows. (There s (c - n); a tile of c rows has c - n + 1 rows of
/// sums.)
constexpr double halo_ratio(double m, double n, double columns, double cached) {
  return 1 - (columns - m + 1) * (cached - n + 1) / (columns * cached);
}

/// What a multiprocessor does in a cycle, in lanes, and what the device moves in one.
struct convolution_rates {
  double multiply_adds;         ///< fused multiply-adds
  double moves;                 ///< elements shuffled or read from shared memory or L1
  double elements_from_memory;  ///< elements of device memory, its part of them
};

/// Work for an output of a pass.
struct output_work {
  double multiply_adds, moves, elements_from_memory;
};

/// Cycles of a multiprocessor per output, by what it takes of each: multiply-adds and moves after
/// one another, and memory beside them. A move costs `cycles_of_move` of its full rate, in which
/// are addresses, conditions and what else comes with one: fitted to an H100 (images of 1024 x 1024
/// to 8192 x 8192, filters of 2 x 2 to 31 x 31, f32 and f64: docs/results/systolic.md).
struct output_cycles {
  double memory, multiply_adds, moves;
  constexpr double all() const { return std::max(memory, multiply_adds + moves); }
};
constexpr double cycles_of_move = 4.2;
constexpr output_cycles cycles_of(const output_work& w, const convolution_rates& r) {
  return {w.elements_from_memory / r.elements_from_memory, w.multiply_adds / r.multiply_adds,
          cycles_of_move * w.moves / r.moves};
}

/// A tile of a warp: its columns of sums, those of the warp, and its rows of sums.
struct convolution_tile_shape {
  double columns, warp_columns, rows;
};

/// Every column of the warp multiplies; a lane of `piece` columns shuffles once for all of them and
/// loads its cells once. Weights are read `piece` at a time for all sums of a lane.
constexpr output_work systolic_work(double m, double n, const convolution_tile_shape& tile,
                                    double piece) {
  const double used = tile.columns / tile.warp_columns;
  const double loads = (n + tile.rows - 1) / tile.rows,
               weights = m * n / (piece * piece * tile.rows);
  return {m * n / used, ((m - 1) / piece + loads + weights) / used, 2};
}
/// A lane loads its cells anew for every tap column.
constexpr output_work window_work(double m, double n, double rows) {
  return {m * n, m * (n + rows - 1) / rows + m * n / rows, 2};
}
/// Work of windows that read a copy, which is written first.
constexpr output_work shared_work(double m, double n, double rows, double columns) {
  const double copied = (n + rows - 1) / rows * (columns + m - 1) / columns;
  const output_work read = window_work(m, n, rows);
  return {read.multiply_adds, read.moves + 2 * copied, 2};
}

/// Cycles of the chain of a warp's tile, which no other warp hides where the image is small:
/// measured on an H100 with images of 512 x 512 to 2048 x 2048 (docs/results/systolic.md). m:
/// columns of taps.
constexpr double systolic_chain(double m) { return 3e3 + 0.7e3 * m; }
constexpr double window_chain(double m) { return 3e3 + 1.2e3 * m; }

}  // namespace dwell::model
