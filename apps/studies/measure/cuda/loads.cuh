// SPDX-License-Identifier: MIT
// Loads of 4, 8 and 16 bytes past the cache of the multiprocessor, all of which are issued as they
// are written; and a word that depends on all that a load brought.
#pragma once

namespace dwell::app::gpu {

__device__ inline unsigned load_through_l2(const unsigned* at) {
  unsigned v;
  asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(at) : "memory");
  return v;
}
__device__ inline uint2 load_through_l2(const uint2* at) {
  uint2 v;
  asm volatile("ld.global.cg.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "l"(at) : "memory");
  return v;
}
__device__ inline uint4 load_through_l2(const uint4* at) {
  uint4 v;
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(at)
               : "memory");
  return v;
}
__device__ inline unsigned word(unsigned v) { return v; }
__device__ inline unsigned word(uint2 v) { return v.x ^ v.y; }
__device__ inline unsigned word(uint4 v) { return v.x ^ v.y ^ v.z ^ v.w; }

}  // namespace dwell::app::gpu
