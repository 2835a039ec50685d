// SPDX-License-Identifier: MIT
// Kernels of loops of set-up work: see setup_cpu.hpp, whose functors they run. A host's compiler
// sees the sizes of launches alone.
#pragma once
#include <cstdint>

#include "dwell/base/fn.hpp"
#include "dwell/base/index.hpp"

namespace dwell::cuda {

#if defined(__CUDACC__)
/// So many lanes of a warp, which need not go together with the others.
template <int Lanes>
class setup_lanes {
 public:
  static constexpr int lanes = Lanes;
  DWELL_FN int lane() const { return static_cast<int>(threadIdx.x) % lanes; }
  /// These lanes among those of the warp.
  DWELL_FN static unsigned mask() {
    if constexpr (lanes == 32)
      return ~0u;
    else
      return ((1u << lanes) - 1) << (threadIdx.x % 32 / lanes * lanes);
  }

  template <class V>
  DWELL_FN V least(V v) const {
    DWELL_UNROLL
    for (int o = lanes / 2; o > 0; o /= 2) {
      const V other = __shfl_xor_sync(mask(), v, o, lanes);
      if (other < v) v = other;
    }
    return v;
  }
  template <class V>
  DWELL_FN V most(V v) const {
    DWELL_UNROLL
    for (int o = lanes / 2; o > 0; o /= 2) {
      const V other = __shfl_xor_sync(mask(), v, o, lanes);
      if (other > v) v = other;
    }
    return v;
  }
  template <class V>
  DWELL_FN V sum(V v) const {
    DWELL_UNROLL
    for (int o = lanes / 2; o > 0; o /= 2) v += __shfl_xor_sync(mask(), v, o, lanes);
    return v;
  }
  template <class V>
  DWELL_FN V sum_before(V v) const {
    V all = v;
    DWELL_UNROLL
    for (int o = 1; o < lanes; o *= 2) {
      const V left = __shfl_up_sync(mask(), all, o, lanes);
      if (lane() >= o) all += left;
    }
    return all - v;
  }
  template <class V>
  DWELL_FN V most_before(V v, V none) const {
    DWELL_UNROLL
    for (int o = 1; o < lanes; o *= 2) {
      const V left = __shfl_up_sync(mask(), v, o, lanes);
      if (lane() >= o && left > v) v = left;
    }
    const V before = __shfl_up_sync(mask(), v, 1, lanes);
    return lane() == 0 ? none : before;
  }

  template <class V>
  DWELL_FN V broadcast(V v, int from) const {
    return __shfl_sync(mask(), v, from, lanes);
  }
  DWELL_FN int owner_of(index before, index t) const {
    int at = 0;
    DWELL_UNROLL
    for (int step = lanes / 2; step > 0; step /= 2)
      if (__shfl_sync(mask(), before, at + step, lanes) <= t) at += step;
    return at;
  }

  // A look before an atomic operation spares most of them.
  DWELL_FN static void lower(index& to, index v) {
    if (v < *static_cast<volatile index*>(&to)) atomicMin(&to, v);
  }
  DWELL_FN static void raise(int& to, int v) {
    if (v > *static_cast<volatile int*>(&to)) atomicMax(&to, v);
  }
  DWELL_FN static void lower(std::uint64_t& to, std::uint64_t v) {
    if (v < *static_cast<volatile std::uint64_t*>(&to))
      atomicMin(reinterpret_cast<unsigned long long*>(&to), static_cast<unsigned long long>(v));
  }
  DWELL_FN static void raise(std::uint64_t& to, std::uint64_t v) {
    if (v > *static_cast<volatile std::uint64_t*>(&to))
      atomicMax(reinterpret_cast<unsigned long long*>(&to), static_cast<unsigned long long>(v));
  }
  DWELL_FN static void add(index& to, index v) { atomicAdd(&to, v); }
  DWELL_FN static index take(index& from, index v) { return atomicAdd(&from, v); }
  DWELL_FN static void set_bit(std::uint32_t* bits, index i) {
    const std::uint32_t bit = std::uint32_t(1) << i % 32;
    if (!(static_cast<volatile std::uint32_t*>(bits)[i / 32] & bit)) atomicOr(bits + i / 32, bit);
  }
  DWELL_FN static int ones(std::uint32_t word) { return __popc(word); }
};
using setup_warp = setup_lanes<32>;
#endif

namespace setup {

constexpr int block = 256;

/// Lanes that take an item together, where F says so; else a warp.
template <class F>
constexpr int lanes_of = [] {
  if constexpr (requires { F::lanes; })
    return F::lanes;
  else
    return 32;
}();
/// Threads of the blocks that run F: as it says, for it takes much shared memory, or 256.
template <class F>
constexpr int block_of = [] {
  if constexpr (requires { F::block; })
    return F::block;
  else
    return block;
}();

#if defined(__CUDACC__)
template <class F>
__global__ void __launch_bounds__(block_of<F>) warps_kernel(const F f, std::int64_t n) {
  constexpr int lanes = lanes_of<F>;
  setup_lanes<lanes> w;
  const std::int64_t all = static_cast<std::int64_t>(gridDim.x) * (block_of<F> / lanes);
  f(w, (static_cast<std::int64_t>(blockIdx.x) * block_of<F> + threadIdx.x) / lanes, n, all);
}
template <class F>
__global__ void __launch_bounds__(block) items_kernel(const F f, std::int64_t n) {
  setup_warp w;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block + threadIdx.x; i < n;
       i += static_cast<std::int64_t>(gridDim.x) * block)
    f(w, i);
}
template <class F>
__global__ void __launch_bounds__(32) once_kernel(const F f) {
  setup_warp w;
  f(w);
}
#endif

}  // namespace setup
}  // namespace dwell::cuda
