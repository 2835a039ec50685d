// SPDX-License-Identifier: MIT
// Latency of a load by footprint: each load gives the address of the next one, in an order that no
// prefetcher follows.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "studies/measure/kernels.hpp"
#include "studies/measure/probe.hpp"

#include "dwell/execution/device/buffer.hpp"

namespace dwell::app {

namespace {

/// One cycle through all places, by chance (Sattolo's algorithm), the same in every run.
void link_by_chance(kernels::link* places, std::size_t n) {
  std::vector<std::uint32_t> order(n);
  for (std::size_t k = 0; k < n; ++k) order[k] = static_cast<std::uint32_t>(k);
  std::minstd_rand chance(1);
  for (std::size_t k = n - 1; k > 0; --k) std::swap(order[k], order[chance() % k]);
  for (std::size_t k = 0; k < n; ++k) places[k].next = &places[order[k]];
}

void measure_load_latency(measuring& m) {
  // Filling and linking gigabytes takes longer than what is to be learnt there.
  const double most = m.request().full ? m.request().most_footprint : 256.0 * (1 << 20);
  for (const double footprint : m.footprints(most)) {
    const auto n =
        std::max<std::size_t>(2, static_cast<std::size_t>(footprint) / sizeof(kernels::link));
    buffer<kernels::link> places(device::cpu(1), n, fresh::unset);
    link_by_chance(places.data(), n);
    kernels::link* at = places.data();
    m.add({"latency", "load", 1, static_cast<double>(n * sizeof(kernels::link))},
          [&](double repetitions) {
            const auto begin = std::chrono::steady_clock::now();
            at = kernels::follow(at, static_cast<std::int64_t>(repetitions));
            return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
          });
  }
}

}  // namespace

probe load_latency_probe() {
  return {"latency", "load", "latency of a load that depends on the one before, by footprint",
          backend::cpu, measure_load_latency};
}

}  // namespace dwell::app
