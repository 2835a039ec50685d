// SPDX-License-Identifier: MIT
// How long the repetitions of a kernel take, as its blocks see it: by the clock of their
// multiprocessor, in cycles, and by the GPU's timer, which says how long a cycle is.
#pragma once
#include <cuda_runtime.h>

namespace dwell::app::gpu {

/// Time of one block.
struct kernel_span {
  long long cycles = 0, ns = 0;
};

/// Made before the repetitions; end() after them writes the span of the block. Computed values that
/// must not be moved past end() are pinned first.
class span_clock {
 public:
  __device__ span_clock() : cycles_(now()), ns_(timer()) {}
  __device__ void end(kernel_span* spans) const {
    const long long cycles = now(), ns = timer();
    if (threadIdx.x == 0) spans[blockIdx.x] = {cycles - cycles_, ns - ns_};
  }
  __device__ static long long now() {
    long long t;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
    return t;
  }
  __device__ static long long timer() {
    long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
    return t;
  }

 private:
  long long cycles_, ns_;
};

/// The value is needed here: its computation ends before what follows begins.
template <class T>
__device__ void pin(T& value) {
  if constexpr (sizeof(T) == 4)
    asm volatile("" : "+r"(reinterpret_cast<unsigned&>(value))::"memory");
  else
    asm volatile("" : "+l"(reinterpret_cast<unsigned long long&>(value))::"memory");
}

}  // namespace dwell::app::gpu
