// SPDX-License-Identifier: MIT
// Dwell's reductions: sums by size, queued one after the other, and each waited for by the host.
#include <chrono>

#include "studies/measure/cuda/reductions.cuh"

#include "dwell/arrays/reduce.hpp"

namespace dwell::app {

namespace {

using namespace gpu;

template <class T>
void queued(measuring& m) {
  kernel_timer timer(m.request().here);
  const int gpu = m.request().here.ordinal;
  const gpu_array<double> result(1);
  reducer by(device::cuda(gpu).on_stream(timer.stream()));
  add_sums<T>(m, timer, "sum, dwell", 0, [&](const T* v, std::int64_t n) {
    by.queue<T>(device_span<const T>{v, static_cast<std::size_t>(n), gpu}, reduction::sum,
                {result.data(), 1, gpu});
  });
}

}  // namespace

void measure_reduce_dwell(measuring& m) {
  queued<double>(m);
  queued<float>(m);
}

void measure_reduce_awaited(measuring& m) {
  const int gpu = m.request().here.ordinal;
  reducer by(device::cuda(gpu));
  const auto sizes = reduced_sizes(m.request().most_footprint, sizeof(double), 1 << 20);
  const gpu_array<double> from(static_cast<std::size_t>(sizes.back()));
  from.clear();
  for (const std::int64_t n : sizes) {
    measured_row row{"reductions", "sum, dwell, awaited", 1, 8.0 * static_cast<double>(n)};
    row.access = sizeof(double);
    m.add(row, [&](double calls) -> run_time {
      const auto begin = std::chrono::steady_clock::now();
      for (double k = 0; k < calls; ++k)
        (void)by.reduce<double>(
            device_span<const double>{from.data(), static_cast<std::size_t>(n), gpu});
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    });
  }
}

}  // namespace dwell::app
