// SPDX-License-Identifier: MIT
// A warp on a GPU: what its 32 lanes exchange by shuffles, in the order of operations that
// team_cpu.hpp defines.
#pragma once
#include "dwell/base/complex_value.hpp"
#include "dwell/base/fn.hpp"

namespace dwell {

/// v of the lane so many places below.
template <class T>
DWELL_FN T from_below(T v, int places) {
  if constexpr (is_complex_value<T>)
    return {__shfl_up_sync(~0u, v.re, places), __shfl_up_sync(~0u, v.im, places)};
  else
    return __shfl_up_sync(~0u, v, places);
}

/// One value per lane, in registers.
template <class V>
struct lane_value {
  V v;
  DWELL_FN V& operator[](int) { return v; }
};

/// The warp of the calling thread.
class cuda_warp {
 public:
  /// The number comes out of a shuffle, so that the compiler knows it to be the same for all lanes:
  /// shuffles in loops over it then cost what they should.
  DWELL_FN cuda_warp() : number_(__shfl_sync(~0u, static_cast<int>(threadIdx.x) / 32, 0)) {}
  DWELL_FN int number() const { return number_; }
  template <class V>
  DWELL_FN lane_value<V> per_lane() const {
    return {};
  }
  template <class F>
  DWELL_FN void each(F&& f) {
    f(static_cast<int>(threadIdx.x));
  }

  /// The first of every `lanes` lanes gets their sum.
  template <class T>
  DWELL_FN void halve_groups(lane_value<T>& value, int lanes) {
    for (int h = lanes / 2; h > 0; h /= 2) value.v += __shfl_xor_sync(~0u, value.v, h);
  }

  /// A segmented scan by shuffles, of as many steps as the longest segment needs. To the last lane
  /// returns what remains after it.
  template <class T>
  DWELL_FN T carries(lane_value<T>& tail, lane_value<bool>& ended, lane_value<T>& before) {
    const int l = static_cast<int>(threadIdx.x) % 32;
    const unsigned ends = __ballot_sync(~0u, ended.v);
    const int head = 31 - __clz(static_cast<int>((ends & (~0u >> (31 - l))) | 1u));
    T v = tail.v;
    // A step by o joins runs of o lanes and more in which no row ends; `runs` marks their ends.
    unsigned runs = ~ends;
    DWELL_UNROLL
    for (int o = 1; o < 32; o *= 2) {
      if (runs == 0) break;
      const T left = from_below(v, o);
      if (l - o >= head) v += left;
      runs &= runs << o;
    }
    before.v = from_below(v, 1);
    if (l == 0) before.v = T(0);
    return v;
  }

 private:
  int number_;
};

/// The sum over the first Count lanes, the others holding zero: to all of the first Count.
template <int Count = 32>
DWELL_FN double warp_halve(double v) {
  if constexpr (Count < 32) v += 0.0;  // the steps that are left out do this, too
  DWELL_UNROLL
  for (int h = Count / 2; h > 0; h /= 2) v += __shfl_xor_sync(~0u, v, h);
  return v;
}
/// The N sums of a warp, sum k to buffer[k * warp + number of the warp]. While a lane holds several
/// sums, each step hands half of them to the partner for the other half, so that a step costs as
/// many shuffles as sums remain; as a + b is b + a, the bits are those of halving sum by sum.
template <int N>
DWELL_FN void warp_halve_into(double* buffer, const double* sum) {
  constexpr int warp = 32, together = N >= 4 ? 4 : N >= 2 ? 2 : 1;
  const int l = static_cast<int>(threadIdx.x) % warp, w = static_cast<int>(threadIdx.x) / warp;
  double v[together];
  DWELL_UNROLL
  for (int k = 0; k < together; ++k) v[k] = sum[k];
  DWELL_UNROLL
  for (int h = warp / 2, held = together; h > 0; h /= 2) {
    if (held == 1) {
      v[0] += __shfl_xor_sync(~0u, v[0], h);
      continue;
    }
    held /= 2;
    const bool upper = (l & h) != 0;
    DWELL_UNROLL
    for (int k = 0; k < held; ++k) {
      const double mine = upper ? v[k + held] : v[k], other = upper ? v[k] : v[k + held];
      v[k] = mine + __shfl_xor_sync(~0u, other, h);
    }
  }
  constexpr int group = warp / together;  // lanes that hold the same sum
  if (l % group == 0) buffer[l / group * warp + w] = v[0];
  if constexpr (N > together)
    warp_halve_into<N - together>(buffer + together * warp, sum + together);
}

}  // namespace dwell
