// SPDX-License-Identifier: MIT
// What a multiprocessor must have under way for its arithmetic and for its shared memory: threads,
// independent operations of a thread, bytes of a load (Zhang 2023, section 5.7.1, where 256 threads
// of four operations are enough for both).
#include <algorithm>

#include "studies/measure/cuda/concurrency.hpp"
#include "studies/measure/cuda/kernel_timer.hpp"
#include "studies/measure/cuda/loads.cuh"

namespace dwell::app {

namespace {

using namespace gpu;

/// Operations of a thread in a repetition.
constexpr int length = 64;
/// Bytes that the blocks of a multiprocessor go over together, a power of two.
constexpr unsigned shared_of_unit = 64 * 1024;

__device__ double chained(double a, double x) { return __fma_rn(x, a, x); }
__device__ float chained(float a, float x) { return __fmaf_rn(x, a, x); }

/// So many chains, of which no operation needs another chain's.
template <class T, int Chains>
__global__ void __launch_bounds__(1024, 1)
    fma_kernel(kernel_span* spans, long long rounds, T* never) {
  const T a = static_cast<T>(1) / static_cast<T>(-2 - static_cast<int>(threadIdx.x));
  T x[Chains];
  for (int c = 0; c < Chains; ++c) x[c] = static_cast<T>(c);
  __syncthreads();
  const span_clock clock;
#pragma unroll 1
  for (long long r = 0; r < rounds; ++r) {
#pragma unroll
    for (int k = 0; k < length / Chains; ++k)
#pragma unroll
      for (int c = 0; c < Chains; ++c) x[c] = chained(a, x[c]);
  }
  T sum = 0;
  for (int c = 0; c < Chains; ++c) sum += x[c];
  pin(sum);
  clock.end(spans);
  if (never) *never = sum;
}

template <class T>
__device__ T load_shared_words(unsigned at);
template <>
__device__ unsigned load_shared_words<unsigned>(unsigned at) {
  unsigned v;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(at) : "memory");
  return v;
}
template <>
__device__ uint2 load_shared_words<uint2>(unsigned at) {
  uint2 v;
  asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "r"(at) : "memory");
  return v;
}
template <>
__device__ uint4 load_shared_words<uint4>(unsigned at) {
  uint4 v;
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "r"(at)
               : "memory");
  return v;
}

/// Each load of a thread is one after those of the whole block; addresses wrap at `bytes`. All
/// words are 0, which the compiler does not know: the next loads wait for these, of which the
/// address needs the sum.
template <class T, int Loads>
__global__ void __launch_bounds__(1024, 1)
    shared_kernel(kernel_span* spans, unsigned bytes, long long rounds, unsigned* never) {
  extern __shared__ __align__(16) unsigned char kept[];
  for (unsigned k = threadIdx.x * 4; k < bytes; k += blockDim.x * 4)
    *reinterpret_cast<unsigned*>(kept + k) = 0;
  const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(kept));
  const unsigned step = blockDim.x * static_cast<unsigned>(sizeof(T)), mask = bytes - 1;
  unsigned at = threadIdx.x * static_cast<unsigned>(sizeof(T)), sum = 0;
  __syncthreads();
  const span_clock clock;
#pragma unroll 1
  for (long long r = 0; r < rounds; ++r) {
#pragma unroll
    for (int k = 0; k < length / Loads; ++k) {
      T v[Loads];
#pragma unroll
      for (int u = 0; u < Loads; ++u)
        v[u] = load_shared_words<T>(base + ((at + static_cast<unsigned>(u) * step) & mask));
#pragma unroll
      for (int u = 0; u < Loads; ++u) sum += word(v[u]);
      at += step * Loads + sum;
    }
  }
  pin(sum);
  clock.end(spans);
  if (never) *never = sum;
}

/// Blocks of at most 1024 threads that share a multiprocessor.
launch_shape shape_of(const measuring& m, int threads) {
  launch_shape shape;
  shape.threads = std::min(threads, 1024);
  shape.blocks = m.request().here.units * (threads / shape.threads);
  return shape;
}

template <class T, int Chains>
void add_chains(measuring& m, kernel_timer& timer, const char* probe) {
  if (Chains > most_loads(m)) return;
  for (const int threads : threads_of_unit(m)) {
    const launch_shape shape = shape_of(m, threads);
    measured_row row{"arithmetic", probe, shape.threads};
    row.blocks = shape.blocks;
    row.operations = Chains;
    row.unit = measured_unit::operations_per_s;
    row.amount = static_cast<double>(length) * shape.threads * shape.blocks;
    m.add(row, [&](double rounds) {
      return timer.run(shape, fma_kernel<T, Chains>, static_cast<long long>(rounds), nullptr);
    });
  }
}

template <class T>
void measure_chains(measuring& m, const char* probe) {
  kernel_timer timer(m.request().here);
  add_chains<T, 1>(m, timer, probe);
  add_chains<T, 2>(m, timer, probe);
  add_chains<T, 4>(m, timer, probe);
  add_chains<T, 8>(m, timer, probe);
  add_chains<T, 16>(m, timer, probe);
}

template <class T, int Loads>
void add_shared(measuring& m, kernel_timer& timer) {
  if (Loads > most_loads(m)) return;
  for (const int threads : threads_of_unit(m)) {
    launch_shape shape = shape_of(m, threads);
    const int units = m.request().here.units;
    const unsigned bytes = shared_of_unit / static_cast<unsigned>(shape.blocks / units);
    shape.shared_bytes = bytes;
    const double loaded = static_cast<double>(length * sizeof(T)) * shape.threads * shape.blocks;
    measured_row row{"concurrency",
                     "plain read, shared",
                     shape.threads,
                     static_cast<double>(shared_of_unit) * units,
                     measured_unit::bytes_per_s,
                     loaded};
    row.blocks = shape.blocks;
    row.operations = Loads;
    row.access = static_cast<double>(sizeof(T));
    m.add(row, [&](double rounds) {
      return timer.run(shape, shared_kernel<T, Loads>, bytes, static_cast<long long>(rounds),
                       nullptr);
    });
  }
}

template <class T>
void add_shared_type(measuring& m, kernel_timer& timer) {
  add_shared<T, 1>(m, timer);
  add_shared<T, 2>(m, timer);
  add_shared<T, 4>(m, timer);
  add_shared<T, 8>(m, timer);
  add_shared<T, 16>(m, timer);
}

}  // namespace

void measure_fma_f64_under_way(measuring& m) { measure_chains<double>(m, "fma f64, under way"); }
void measure_fma_f32_under_way(measuring& m) { measure_chains<float>(m, "fma f32, under way"); }
void measure_shared_read_under_way(measuring& m) {
  kernel_timer timer(m.request().here);
  add_shared_type<unsigned>(m, timer);
  add_shared_type<uint2>(m, timer);
  add_shared_type<uint4>(m, timer);
}

}  // namespace dwell::app
