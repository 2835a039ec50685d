// SPDX-License-Identifier: MIT
// The accesses of a stencil, or of a plain product of matrices, to memory, when their tasks (a cell
// each) are taken in an order by threads side by side: threads have consecutive numbers of the
// order, and all make the same access before any of them makes the next (Prasetya 2022, 2.1.2).
// Rows of arrays begin with a line, and an array begins where the one before it ends.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "dwell/execution/stencil/order/index_map.hpp"
#include "dwell/formats/grid.hpp"

namespace dwell::trace {

/// Where an array lies.
struct traced_array {
  std::string name;
  extents size;
  std::int64_t first_line = 0, lines = 0;
  std::int64_t pitch = 0;  ///< bytes from a row to the next: whole lines
};

/// What is the same for all accesses.
struct traced_problem {
  std::string name;                  ///< name of the stencil, or "product"
  extents tasks;                     ///< cells that are computed
  int unit = 8;                      ///< bytes of a cell
  int line = 64;                     ///< bytes of a line
  std::vector<traced_array> arrays;  ///< in memory's order
  std::vector<grid_cell> taps;  ///< taps of a stencil: from the first cell that a task may read
  int inner = 0;                ///< size of a product: columns of A, rows of B
  bool writes = false;          ///< also the store of each task

  std::int64_t lines() const { return arrays.back().first_line + arrays.back().lines; }
  bool is_product() const { return inner > 0; }
};

/// A stencil's step on a field of `size` with a fixed border: `taps` as it has them, {z, y, x} from
/// the cell; a task reads them row by row. The field is read, "out" is written.
traced_problem traced_stencil(const std::string& name, const std::vector<grid_cell>& taps,
                              const extents& size, int unit, int line, bool writes);
/// C = A B: C of `size`, A with `inner` columns. A task reads a row of A and a column of B, an
/// element of each in turn.
traced_problem traced_product(const extents& size, int inner, int unit, int line, bool writes);

/// The line of a cell of an array.
inline std::int64_t line_of(const traced_problem& p, const traced_array& a, int z, int y, int x) {
  const std::int64_t row = static_cast<std::int64_t>(z) * a.size.y + y;
  return a.first_line + (row * a.pitch + static_cast<std::int64_t>(x) * p.unit) / p.line;
}

/// f(time, array, line) for every access, in the sequence in which they are made; time counts the
/// groups of threads.
template <class F>
void each_access(const traced_problem& p, const index_map& order, int threads, F&& f) {
  std::vector<grid_cell> group(static_cast<std::size_t>(threads));
  for (std::int64_t first = 0, time = 0; first < order.cells(); first += threads, ++time) {
    const auto count =
        static_cast<std::size_t>(std::min<std::int64_t>(threads, order.cells() - first));
    for (std::size_t t = 0; t < count; ++t)
      group[t] = order.at(first + static_cast<std::int64_t>(t));
    const auto all = [&](int array, auto&& cell) {
      for (std::size_t t = 0; t < count; ++t) {
        const grid_cell c = cell(group[t]);
        f(time, array, line_of(p, p.arrays[static_cast<std::size_t>(array)], c.z, c.y, c.x));
      }
    };
    if (p.is_product()) {
      for (int k = 0; k < p.inner; ++k) {
        all(0, [&](const grid_cell& c) { return grid_cell{0, c.y, k}; });
        all(1, [&](const grid_cell& c) { return grid_cell{0, k, c.x}; });
      }
    } else {
      for (const grid_cell& tap : p.taps)
        all(0, [&](const grid_cell& c) {
          return grid_cell{c.z + tap.z, c.y + tap.y, c.x + tap.x};
        });
    }
    if (p.writes) {
      // A stencil writes the cell that its taps are around, C has a cell for each task.
      const extents& out = p.arrays.back().size;
      const int z = (out.z - p.tasks.z) / 2, y = (out.y - p.tasks.y) / 2,
                x = (out.x - p.tasks.x) / 2;
      all(static_cast<int>(p.arrays.size()) - 1, [&](const grid_cell& c) {
        return grid_cell{c.z + z, c.y + y, c.x + x};
      });
    }
  }
}

}  // namespace dwell::trace
