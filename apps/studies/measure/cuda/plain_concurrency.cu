// SPDX-License-Identifier: MIT
// Bandwidth of device memory by what is under way: threads of a multiprocessor, independent loads
// of a thread, bytes of a load (Zhang 2023, sections 2.2 and 3.1.3). Reads, and copies.
#include <algorithm>
#include <cstdint>

#include "studies/measure/cuda/concurrency.hpp"
#include "studies/measure/cuda/kernel_timer.hpp"
#include "studies/measure/cuda/loads.cuh"

namespace dwell::app {

namespace {

using namespace gpu;

/// n is a multiple of what all threads take at a time. Threads: of a multiprocessor, which share
/// its registers.
template <class T, int Loads, bool Copies, int Threads>
__global__ void __launch_bounds__(Threads > 1024 ? 1024 : Threads, Threads > 1024 ? 2 : 1)
    plain_kernel(kernel_span* spans, const T* from, T* to, std::size_t n, long long passes,
                 unsigned* never) {
  const std::size_t stride = gridDim.x * blockDim.x;
  unsigned sum = 0;
  const span_clock clock;
  for (long long p = 0; p < passes; ++p)
#pragma unroll 1
    for (std::size_t k = blockIdx.x * blockDim.x + threadIdx.x; k + (Loads - 1) * stride < n;
         k += Loads * stride) {
      T v[Loads];
#pragma unroll
      for (int u = 0; u < Loads; ++u) v[u] = load_through_l2(from + k + u * stride);
#pragma unroll
      for (int u = 0; u < Loads; ++u)
        if constexpr (Copies)
          __stcg(to + k + u * stride, v[u]);
        else
          sum += word(v[u]);
    }
  pin(sum);
  clock.end(spans);
  if (never) *never = sum;
}

/// The kernel for so many threads: null where they have no registers for what they load.
template <class T, int Loads, bool Copies, int Threads>
constexpr auto kernel_for() {
  constexpr std::size_t half_of_registers = 128 * 1024;
  if constexpr (Threads * Loads * sizeof(T) <= half_of_registers)
    return plain_kernel<T, Loads, Copies, Threads>;
  else
    return static_cast<decltype(&plain_kernel<T, 1, Copies, 512>)>(nullptr);
}

/// What a probe goes over.
struct subject {
  const char* probe;
  std::size_t array_bytes;
};

template <class T, int Loads, bool Copies>
void add_rows(measuring& m, kernel_timer& timer, const concurrency_arrays& arrays,
              const subject& of) {
  if (Loads > most_loads(m)) return;
  for (const int threads : threads_of_unit(m)) {
    const auto c = case_of(m, of.probe, threads, Loads, sizeof(T), Copies, of.array_bytes);
    const auto kernel = threads > 1024  ? kernel_for<T, Loads, Copies, 2048>()
                        : threads > 512 ? kernel_for<T, Loads, Copies, 1024>()
                                        : kernel_for<T, Loads, Copies, 512>();
    if (!kernel || c.elements == 0) continue;
    m.add(c.row, [&](double passes) {
      return timer.run(c.shape, kernel, reinterpret_cast<const T*>(arrays.from.data()),
                       reinterpret_cast<T*>(arrays.to.data()), c.elements,
                       static_cast<long long>(passes), nullptr);
    });
  }
}

template <class T, bool Copies>
void add_type(measuring& m, kernel_timer& timer, const concurrency_arrays& arrays,
              const subject& of) {
  add_rows<T, 1, Copies>(m, timer, arrays, of);
  add_rows<T, 2, Copies>(m, timer, arrays, of);
  add_rows<T, 4, Copies>(m, timer, arrays, of);
  add_rows<T, 8, Copies>(m, timer, arrays, of);
  add_rows<T, 16, Copies>(m, timer, arrays, of);
}

template <bool Copies>
void measure_plain(measuring& m, const subject& of) {
  kernel_timer timer(m.request().here);
  const concurrency_arrays arrays(m);
  add_type<unsigned, Copies>(m, timer, arrays, of);
  add_type<uint2, Copies>(m, timer, arrays, of);
  add_type<uint4, Copies>(m, timer, arrays, of);
}

}  // namespace

void measure_plain_read(measuring& m) {
  measure_plain<false>(m, {"plain read", concurrency_arrays::half(m)});
}
void measure_plain_copy(measuring& m) {
  measure_plain<true>(m, {"plain copy", concurrency_arrays::half(m)});
}
void measure_plain_read_of_l2(measuring& m) {
  measure_plain<false>(
      m, {"plain read, L2", std::min(concurrency_arrays::half(m), m.request().here.l2 / 2)});
}

}  // namespace dwell::app
