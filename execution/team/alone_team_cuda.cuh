// SPDX-License-Identifier: MIT
// A team on a GPU that is alone with its part of the work, while blocks beside it work on others:
// the only worker among those that meet, whose part has the number of the block. A barrier is that
// of the block's threads. Sums stay in shared memory: give() leaves those of the warps, and in
// total() every warp adds them up for itself, in the order in which those of other teams are added
// up, so that the bits are those of a team of cuda_team that is the only one.
#pragma once
#include <cstddef>

#include "dwell/execution/team/partial_slots.hpp"
#include "dwell/execution/team/team_cuda.cuh"

namespace dwell {

template <int Lanes>
class cuda_alone_team : public cuda_team<Lanes, false, block_barrier, false> {
  using base = cuda_team<Lanes, false, block_barrier, false>;

 public:
  static constexpr bool alone = true;
  using base::warp;
  using base::warp_count;
  static_assert((warp_count & (warp_count - 1)) == 0);

  /// The arguments of cuda_team, of which a team that is alone has no use.
  DWELL_FN cuda_alone_team(unsigned*, double*, bool)
      : base(nullptr), partials_(this->template scratch<double>(partial_slots * warp)) {}
  static constexpr std::size_t reserved_bytes() { return partial_slots * warp * sizeof(double); }

  DWELL_FN static int worker() { return 0; }
  DWELL_FN static int workers() { return 1; }

  // A slot has a word for each warp, which is written in one phase and read until the barrier after
  // the next one.
  template <int N>
  DWELL_FN void give(int first, lane_value<sums<N>>& v) {
    warp_halve_into<N>(partials_ + first * warp, v.v.v);
  }
  template <class F>
  DWELL_FN void put_partial_from(int, int slot, F&& value) {
    if (threadIdx.x == Lanes - 1) partials_[slot * warp] = value();
  }
  DWELL_FN double partial(int slot, int) const { return partials_[slot * warp]; }
  /// The lanes do not meet in here.
  template <int N, bool Listen>
  DWELL_FN sums<N> total(int first, int noted_slot, double& noted) {
    const int l = static_cast<int>(threadIdx.x) % warp_count;
    sums<N> all;
    for (int k = 0; k < N; ++k)
      all.v[k] = warp_halve<warp_count>(partials_[(first + k) * warp + l]);
    if (Listen) noted = partial(noted_slot, 0);
    return all;
  }

 private:
  double* partials_;  ///< partial_slots x warp
};

}  // namespace dwell
