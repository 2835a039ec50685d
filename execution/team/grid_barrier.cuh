// SPDX-License-Identifier: MIT
// Where all blocks of a grid meet, as a component that a team is given: made from the address of a
// zeroed word, and wait() by all threads of a block. What a block wrote before is visible to every
// block after. Measured on an H200 with 132 blocks of 512 threads (bench-barrier): the counter 0.94
// us, cooperative groups 0.99 us. Of four ways to meet and add up a value of each block, a counter
// and then a sum by every block was the fastest, 1.69 us: so sums are not part of a barrier.
#pragma once
#include "dwell/base/fn.hpp"

namespace dwell {

/// Arrivals are counted and never reset: round k is over when k * gridDim.x blocks have arrived.
class counter_barrier {
 public:
  DWELL_FN explicit counter_barrier(unsigned* word) : arrivals_(word) {}
  DWELL_FN void wait() {
    round_ += gridDim.x;
    __syncthreads();
    if (threadIdx.x == 0) {
      asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(arrivals_) : "memory");
      unsigned arrived;
      do {  // acquiring: a relaxed load and a fence at the end took 0.2 us more on an H200
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                     : "=r"(arrived)
                     : "l"(arrivals_)
                     : "memory");
      } while (static_cast<int>(arrived - round_) < 0);  // rounds may wrap around
    }
    __syncthreads();
  }

 private:
  unsigned* arrivals_;
  unsigned round_ = 0;
};

/// A barrier of blocks that are alone, each with work of its own: a block waits for its own threads
/// only.
class block_barrier {
 public:
  DWELL_FN explicit block_barrier(unsigned*) {}
  DWELL_FN void wait() { __syncthreads(); }
};

}  // namespace dwell
