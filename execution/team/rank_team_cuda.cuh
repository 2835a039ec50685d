// SPDX-License-Identifier: MIT
// A team of a GPU whose sums may be those of several ranks: what total() adds up is then one
// summand of each rank, in their order, which the host has put there since the teams ended.
#pragma once
#include <cstddef>

#include "dwell/base/fn.hpp"
#include "dwell/execution/team/team_cuda.cuh"

namespace dwell {

/// The sums of each rank, `slots` doubles, one rank after another; null: there is one rank.
struct rank_sums_view {
  const double* all;
  int ranks, slots;

  DWELL_FN explicit operator bool() const { return all != nullptr; }
  DWELL_FN double of(int slot, int rank) const {
    return __ldcg(all + static_cast<std::ptrdiff_t>(rank) * slots + slot);
  }
  /// The sum of all ranks, in their order; by all lanes of a warp, which get it.
  DWELL_FN double total(int slot) const {
    double sum = 0.0;
    for (int r = static_cast<int>(threadIdx.x) % 32; r < ranks; r += 32) sum += of(slot, r);
    return warp_halve(sum);
  }
  /// The largest; by one lane.
  DWELL_FN double most(int slot) const {
    double found = 0.0;
    for (int r = 0; r < ranks; ++r) found = fmax(found, of(slot, r));
    return found;
  }
};

/// Members mean what they mean in team_cpu.hpp.
template <int Lanes>
class cuda_rank_team : public cuda_team<Lanes> {
  using base = cuda_team<Lanes>;
  static constexpr int most_sums = 6;  ///< that travel together: five, and a word
  static constexpr int buffers = 2;    ///< in turn, as those of cuda_team

 public:
  /// rank_sums: of each rank `slots` doubles, one rank after another; null: there is one rank.
  DWELL_FN cuda_rank_team(unsigned* barrier, double* partials, const double* rank_sums, int ranks,
                          int slots)
      : base(barrier, partials),
        sums_{rank_sums, ranks, slots},
        buffer_(this->template scratch<double>(buffers * most_sums)) {}
  static constexpr std::size_t reserved_bytes() {
    return base::reserved_bytes() + buffers * most_sums * sizeof(double);
  }
  static_assert(buffers * most_sums * sizeof(double) % 16 == 0);

  DWELL_FN int summands() const { return sums_ ? sums_.ranks : base::summands(); }
  DWELL_FN double summand(int slot, int number) const {
    return sums_ ? sums_.of(slot, number) : base::summand(slot, number);
  }

  template <int N, bool Listen>
  DWELL_FN sums<N> total(int first, int noted_slot, double& noted) {
    static_assert(N < most_sums);
    if (!sums_) return base::template total<N, Listen>(first, noted_slot, noted);
    turn_ ^= 1;
    double* const buffer = buffer_ + turn_ * most_sums;
    const int lane = static_cast<int>(threadIdx.x) % base::warp;
    for (int k = cuda_warp().number(); k < N; k += base::warp_count) {
      const double sum = sums_.total(first + k);
      if (lane == 0) buffer[k] = sum;
    }
    if (Listen && threadIdx.x == Lanes - 1)  // any rank's request is one of all
      buffer[N] = sums_.most(noted_slot);
    __syncthreads();
    sums<N> all;
    for (int k = 0; k < N; ++k) all.v[k] = buffer[k];
    if (Listen) noted = buffer[N];
    return all;
  }

 private:
  rank_sums_view sums_;
  double* buffer_;
  int turn_ = 0;
};

}  // namespace dwell
