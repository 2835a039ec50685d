// SPDX-License-Identifier: MIT
// The clock of multiprocessors; latency and throughput of fused multiply-adds.
#include "studies/measure/cuda/repeated.cuh"

namespace dwell::app {

namespace {

using namespace gpu;

__device__ double fused(double a, double x, double y) { return __fma_rn(a, x, y); }
__device__ float fused(float a, float x, float y) { return __fmaf_rn(a, x, y); }

/// So many chains, each of whose operations needs the one before. The factor is not known to the
/// compiler. Operations of three different registers reach 59 of 64 in f64 on an H100.
template <class T, int Chains>
struct fma_chains {
  T x[Chains], a;
  __device__ fma_chains() {
    a = static_cast<T>(1) / static_cast<T>(-2 - static_cast<int>(threadIdx.x));
    for (int c = 0; c < Chains; ++c) x[c] = static_cast<T>(c);
  }
  __device__ void step() {
#pragma unroll
    for (int c = 0; c < Chains; ++c) x[c] = fused(x[c], a, x[c]);
  }
  __device__ T value() const {
    T sum = 0;
    for (int c = 0; c < Chains; ++c) sum += x[c];
    return sum;
  }
};

/// Chains of a thread, and the operations of each in a repetition.
constexpr int chains = 8, chain_length = 32;

/// Works for so many cycles.
__global__ void cycles_kernel(kernel_span* spans, long long cycles) {
  const span_clock clock;
  const long long begin = span_clock::now();
  while (span_clock::now() - begin < cycles) {
  }
  clock.end(spans);
}

template <class T>
void add_fma_throughput(measuring& m, const char* probe) {
  for (const int blocks : {1, m.request().here.units})
    add_throughput<fma_chains<T, chains>, chain_length>(m, "arithmetic", probe, blocks,
                                                        32.0 * chains);
}

}  // namespace

void measure_cycles(measuring& m) {
  kernel_timer timer(m.request().here);
  measured_row row{"arithmetic", "cycles", 32};
  row.blocks = m.request().here.units;
  row.unit = measured_unit::operations_per_s;
  m.add(row, [&](double cycles) {
    return timer.run({row.blocks, row.threads}, cycles_kernel, static_cast<long long>(cycles));
  });
}
void measure_fma_f64_latency(measuring& m) {
  add_latency<fma_chains<double, 1>>(m, "arithmetic", "fma f64 latency");
}
void measure_fma_f32_latency(measuring& m) {
  add_latency<fma_chains<float, 1>>(m, "arithmetic", "fma f32 latency");
}
void measure_fma_f64(measuring& m) { add_fma_throughput<double>(m, "fma f64"); }
void measure_fma_f32(measuring& m) { add_fma_throughput<float>(m, "fma f32"); }

}  // namespace dwell::app
