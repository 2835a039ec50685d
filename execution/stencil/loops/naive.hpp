// SPDX-License-Identifier: MIT
// The plainest meaning of a stencil, and the place to begin reading: a step is one loop over all
// cells, which reads the neighbours of a cell through the boundary from one copy of the field and
// writes the cell into the other copy. The two copies then change roles. There is one launch per
// step and nothing is tiled, cached or treated apart. It promises the bits that every executor has
// to give, on both backends, and no speed: tests judge the other executors by it.
#pragma once
#include <cstddef>
#include <cstdint>

#include "dwell/execution/stencil/args.hpp"

namespace dwell {

struct naive_stencil {
  static constexpr const char* name = "naive";
  static constexpr bool has_step = true;  ///< its launches are step(), below

  /// The time loop, on the host. queue.step(1) launches step() from one copy of the field to the
  /// other. Now and then the device counts the steps, compares the copies if the run has a
  /// tolerance, and decides whether the run goes on; the host waits for the decision.
  template <class T, class Queue>
  static void drive(Queue& queue, const stencil_args<T>& a) {
    queue.begin();
    stencil_state now;
    while (now.done < a.steps && now.stop == stencil_status::running) {
      const int steps = a.next_poll(now.done) - now.done;
      for (int k = 0; k < steps; ++k) queue.step(1);
      if (a.until) queue.compare(steps);
      queue.poll(steps);
      queue.record_outcome(0);
      now = queue.outcome(0);
    }
    queue.finish();
  }

  /// One step of the whole field. Each team (a CPU thread, a thread block) takes every workers()-th
  /// row, and its lanes share the cells of a row.
  template <class S, class T, class Team>
  DWELL_FN static void step(Team& team, const stencil_call<S, T>& a, const T* before, T* after) {
    const std::int64_t rows = static_cast<std::int64_t>(a.size.z) * a.size.y;
    for (std::int64_t row = team.worker(); row < rows; row += team.workers()) {
      const int z = static_cast<int>(row / a.size.y), y = static_cast<int>(row % a.size.y);
      team.flat(0, a.size.x, [&](int, int x) {
        if (a.edge == boundary::fixed && is_border<S>(a.size, z, y, x)) return;  // keeps its value
        const std::ptrdiff_t cell = row * a.pitch + x;
        T v = S::template apply<T>(neighbours<T>{before, a, z, y, x}, a.w);
        if (a.source) v += a.source[cell];
        after[cell] = v;
      });
    }
  }

 private:
  /// The cells around cell (z, y, x) in one copy of the field, by their offsets from it.
  template <class T>
  struct neighbours {
    const T* field;
    const stencil_args<T>& a;
    int z, y, x;
    DWELL_FN T operator()(int dy, int dx) const { return (*this)(0, dy, dx); }
    DWELL_FN T operator()(int dz, int dy, int dx) const {
      const std::ptrdiff_t plane = cell_beyond(a.edge, z + dz, a.size.z);
      const std::ptrdiff_t row = plane * a.size.y + cell_beyond(a.edge, y + dy, a.size.y);
      return field[row * a.pitch + cell_beyond(a.edge, x + dx, a.size.x)];
    }
  };

  /// Whether a cell belongs to the outermost `radius` layers of the grid.
  template <class S>
  DWELL_FN static bool is_border(const extents& n, int z, int y, int x) {
    constexpr int r = radius_of<S>;
    return x < r || x >= n.x - r || y < r || y >= n.y - r ||
           (S::dims == 3 && (z < r || z >= n.z - r));
  }
};

}  // namespace dwell
