// SPDX-License-Identifier: MIT
// What the probes of concurrency share: the arrays that they go over, and how much is under way.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "studies/measure/cuda/kernel_timer.hpp"
#include "studies/measure/probe.hpp"

namespace dwell::app::gpu {

/// Two arrays of the same size, each far larger than L2.
struct concurrency_arrays {
  explicit concurrency_arrays(const measuring& m) : from(half(m)), to(half(m)) { from.clear(); }
  static std::size_t half(const measuring& m) {
    const double both = std::min(m.request().most_footprint, 2048.0 * (1 << 20));
    return static_cast<std::size_t>(both / 2) / 65536 * 65536 + 65536;
  }
  gpu_array<char> from, to;
};

/// Threads of a multiprocessor, up to those that it holds.
inline std::vector<int> threads_of_unit(const measuring& m) {
  int most = 0;
  DWELL_CUDA(cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerMultiProcessor,
                                    m.request().here.ordinal));
  std::vector<int> all;
  for (int threads = m.request().full ? 32 : 128; threads <= std::min(most, 2048); threads *= 2)
    all.push_back(threads);
  return all;
}
/// Independent loads of a thread.
inline int most_loads(const measuring& m) { return m.request().full ? 16 : 8; }

/// A row, its launch, and the elements of `access` bytes that its grid goes over: a multiple of
/// what all threads take at a time; 0 where that is more than the array has.
struct concurrency_case {
  measured_row row;
  launch_shape shape;
  std::size_t elements = 0;
};

/// `threads` of a multiprocessor, `loads` of `access` bytes each under way in each of them, over an
/// array of `array_bytes`.
inline concurrency_case case_of(const measuring& m, const char* probe, int threads, int loads,
                                std::size_t access, bool copies, std::size_t array_bytes) {
  concurrency_case c;
  c.shape.threads = std::min(threads, 1024);
  c.shape.blocks = m.request().here.units * (threads / c.shape.threads);
  const std::size_t together =
      static_cast<std::size_t>(c.shape.blocks) * static_cast<std::size_t>(c.shape.threads * loads);
  c.elements = array_bytes / access / together * together;
  const double bytes = static_cast<double>(c.elements * access) * (copies ? 2 : 1);
  c.row = {"concurrency", probe, c.shape.threads, bytes, measured_unit::bytes_per_s, bytes};
  c.row.blocks = c.shape.blocks;
  c.row.operations = loads;
  c.row.access = static_cast<double>(access);
  return c;
}

}  // namespace dwell::app::gpu
