// SPDX-License-Identifier: MIT
// A pass on threads: each takes some bands of tiles after the other, whoever is free the next ones.
// Nobody waits for anybody.
#pragma once
#include <algorithm>
#include <atomic>

#include "dwell/base/parallel.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/team/row_warp_cpu.hpp"
#include "dwell/solvers/convolution/kernels.hpp"

namespace dwell::cpu {

template <class Way, int Instance, class T>
void run_bands(const convolution_place& place, const convolution_pass<T>& a) {
  using warp_type = row_warp<T, Way::groups>;
  const tile_grid tiles = Way::template tiles<T, warp_type>(a);
  const std::int64_t bands = a.planes() * tiles.bands;
  // Some at once share the rows that they have in common in a core's cache.
  const std::int64_t together = std::clamp<std::int64_t>(bands / (8 * place.threads), 1, 16);
  std::atomic<std::int64_t> next{0};
  for_parts(place.threads, [&](int) {
    const buffer<T> scratch(place.where, Way::template scratch<T, warp_type>(a), fresh::unset);
    warp_type warp(place.reverse_lanes);
    for (std::int64_t first;
         (first = next.fetch_add(together, std::memory_order_relaxed)) < bands;) {
      const std::int64_t last = std::min(first + together, bands);
      for (std::int64_t band = first; band < last; ++band) {
        const std::int64_t plane = band / tiles.bands;
        convolution_tile at;
        at.image = plane / a.size.z;
        at.z = static_cast<int>(plane % a.size.z);
        at.y = static_cast<int>(band % tiles.bands) * tiles.rows;
        for (int x = 0; x < tiles.across; ++x) {
          at.x = x * tiles.columns;
          Way::template compute<Instance, T, warp_type>(warp, a, at, scratch.data());
        }
      }
    }
  });
}

template <class Way, class T>
void run_convolution(const convolution_place& place, const convolution_pass<T>& a) {
  with_instance<Way>(a.filter.y, [&](auto i) { run_bands<Way, i, T>(place, a); });
}

template <class Way>
convolution_kernel convolution_row() {
  using on = typename Way::on_cpu;
  return {Way::name, backend::cpu, &run_convolution<on, double>, &run_convolution<on, float>};
}

}  // namespace dwell::cpu
