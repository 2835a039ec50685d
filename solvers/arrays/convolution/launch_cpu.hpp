// SPDX-License-Identifier: MIT
// A pass on threads: each takes some bands of tiles after the other, whoever is free the next ones.
// Nobody waits for anybody.
#pragma once
#include <algorithm>
#include <atomic>

#include "dwell/base/interruption.hpp"
#include "dwell/base/parallel.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/team/row_warp_cpu.hpp"
#include "dwell/solvers/arrays/convolution/kernels.hpp"

namespace dwell::cpu {

template <class Algorithm, int Instance, class Pass>
void run_bands(const convolution_place& place, const Pass& a) {
  using warp_type = row_warp<typename Pass::sum, Algorithm::groups>;
  const tile_grid tiles = Algorithm::template tiles<warp_type>(a);
  const std::int64_t bands = a.planes() * tiles.bands;
  // Some at once share the rows that they have in common in a core's cache.
  const std::int64_t together = std::clamp<std::int64_t>(bands / (8 * place.threads), 1, 16);
  std::atomic<std::int64_t> next{0};
  for_parts(place.threads, [&](int) {
    const buffer<typename Pass::cell> scratch(
        place.where, Algorithm::template scratch<warp_type>(a), fresh::unset);
    warp_type warp(place.reverse_lanes);
    for (std::int64_t first;
         (first = next.fetch_add(together, std::memory_order_relaxed)) < bands;) {
      const std::int64_t last = std::min(first + together, bands);
      for (std::int64_t band = first; band < last; ++band) {
        poll_interruption();
        const std::int64_t plane = band / tiles.bands;
        convolution_tile at;
        at.image = plane / a.size.z;
        at.z = static_cast<int>(plane % a.size.z);
        at.y = static_cast<int>(band % tiles.bands) * tiles.rows;
        for (int x = 0; x < tiles.across; ++x) {
          at.x = x * tiles.columns;
          Algorithm::template compute<Instance>(warp, a, at, scratch.data(), [] {});
        }
      }
    }
  });
}

template <class Algorithm, class Pass>
void run_convolution(const convolution_place& place, const Pass& a) {
  with_instance<Algorithm>(a.filter.y, [&](auto i) { run_bands<Algorithm, i>(place, a); });
}

/// The functions of an algorithm for these kinds of passes, to its row of the table.
template <class Algorithm, class... Pass>
void add_passes(convolution_kernel& row) {
  using on = typename Algorithm::on_cpu;
  row.algorithm = Algorithm::name;
  row.on = backend::cpu;
  ((std::get<pass_functions<Pass>>(row.of).run = &run_convolution<on, Pass>), ...);
}

}  // namespace dwell::cpu
