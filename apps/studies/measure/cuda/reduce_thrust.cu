// SPDX-License-Identifier: MIT
// Sums by Thrust, which returns each to the host.
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>

#include "studies/measure/cuda/reductions.cuh"

namespace dwell::app {

namespace {

using namespace gpu;

template <class T>
void called(measuring& m) {
  kernel_timer timer(m.request().here);
  volatile T left = 0;
  add_sums<T>(m, timer, "sum, Thrust", 0, [&](const T* v, std::int64_t n) {
    left = thrust::reduce(thrust::cuda::par.on(timer.stream()), v, v + n);
  });
}

}  // namespace

void measure_reduce_thrust(measuring& m) {
  called<double>(m);
  called<float>(m);
}

}  // namespace dwell::app
