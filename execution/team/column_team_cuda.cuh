// SPDX-License-Identifier: MIT
// What a team needs for Programs with columns beside the members of cuda_team; see
// column_team_cpu.hpp, which has the same order of operations. Not for teams in a cluster. What
// total() adds up may be one summand of each rank, as in rank_team_cuda.cuh.
#pragma once
#include "dwell/execution/team/rank_team_cuda.cuh"
#include "dwell/execution/team/team_cuda.cuh"

namespace dwell {

template <int Lanes, int Columns>
class cuda_column_team : public cuda_team<Lanes, false, counter_barrier, false> {
  using base = cuda_team<Lanes, false, counter_barrier, false>;
  static constexpr int most_sums = 2;  ///< that travel together

 public:
  DWELL_FN cuda_column_team(unsigned* barrier, double* partials, bool)
      : base(barrier, partials), partials_(partials) {}
  static constexpr std::size_t reserved_bytes() {
    return base::reserved_bytes() + 2 * buffer_doubles * sizeof(double);
  }

  template <class V>
  DWELL_FN lane_value<V> per_column() const {
    return {};
  }
  /// f(lane) by all lanes.
  template <class F>
  DWELL_FN void each_column(F&& f) {
    f(static_cast<int>(threadIdx.x));
  }
  /// Every warp has lanes of all columns.
  template <class F>
  DWELL_FN bool every_column(F&& f) {
    return __all_sync(~0u, f(static_cast<int>(threadIdx.x))) != 0;
  }

  template <int N>
  DWELL_FN void give(int first, lane_value<sums<N>>& v) {
    static_assert(N <= most_sums);
    double* const buffer = next_buffer();
    const int l = static_cast<int>(threadIdx.x) % base::warp;
    const int w = static_cast<int>(threadIdx.x) / base::warp;
    DWELL_UNROLL
    for (int k = 0; k < N; ++k) {
      double s = v.v.v[k];
      DWELL_UNROLL
      for (int h = base::warp / 2; h >= Columns; h /= 2) s += __shfl_xor_sync(~0u, s, h);
      if (l < Columns) buffer[(k * Columns + l) * base::warp_count + w] = s;
    }
    __syncthreads();
    for (int i = cuda_warp().number(); i < N * Columns; i += base::warp_count) {
      const double all = warp_halve(l < base::warp_count ? buffer[i * base::warp_count + l] : 0.0);
      if (l == 0) partial_of(first * Columns + i, base::worker()) = all;
    }
  }
  template <int N, bool Listen>
  DWELL_FN lane_value<sums<N>> total(int first, int noted_slot, double& noted) {
    return total_by<N, Listen>(
        first, noted, [&](int slot) { return sum_of_partials(slot); },
        [&] { return this->partial(noted_slot, 0); });
  }

 protected:
  /// sum(slot), by all lanes of a warp; word(), by one lane.
  template <int N, bool Listen, class Sum, class Word>
  DWELL_FN lane_value<sums<N>> total_by(int first, double& noted, Sum&& sum, Word&& word) {
    static_assert(N <= most_sums);
    double* const buffer = next_buffer();
    if (Listen && threadIdx.x == Lanes - 1) buffer[N * Columns] = word();
    for (int i = cuda_warp().number(); i < N * Columns; i += base::warp_count) {
      const double all = sum(first * Columns + i);
      if (threadIdx.x % base::warp == 0) buffer[i] = all;
    }
    __syncthreads();
    lane_value<sums<N>> mine;
    DWELL_UNROLL
    for (int k = 0; k < N; ++k)
      mine.v.v[k] = buffer[k * Columns + static_cast<int>(threadIdx.x) % Columns];
    if (Listen) noted = buffer[N * Columns];
    return mine;
  }

 private:
  /// Places of sums: one per warp for give(), one per sum and a word for total().
  static constexpr int buffer_doubles = most_sums * Columns * base::warp_count;
  static_assert(base::warp_count >= 2 && base::warp_count <= base::warp);

  /// Two buffers in turn: see cuda_team.
  DWELL_FN double* next_buffer() {
    extern __shared__ __align__(16) unsigned char dwell_scratch[];
    turn_ ^= 1;
    return reinterpret_cast<double*>(dwell_scratch) + turn_ * buffer_doubles;
  }
  DWELL_FN double& partial_of(int slot, int team) const {
    return partials_[static_cast<std::size_t>(slot) * base::workers() + team];
  }
  DWELL_FN double sum_of_partials(int slot) const {
    constexpr int at_once = 5;  // 160 teams
    double s = 0.0;
    for (int first = 0; first < base::workers(); first += at_once * base::warp) {
      double v[at_once];
      DWELL_UNROLL
      for (int i = 0; i < at_once; ++i) {
        const int team = first + i * base::warp + static_cast<int>(threadIdx.x) % base::warp;
        v[i] = team < base::workers() ? __ldcg(&partial_of(slot, team)) : 0.0;
      }
      DWELL_UNROLL
      for (int i = 0; i < at_once; ++i) s += v[i];
    }
    return warp_halve(s);
  }

  double* partials_;
  int turn_ = 0;
};

/// The team of a run whose phases are launched one by one: of several ranks, perhaps.
template <int Lanes, int Columns>
class cuda_rank_column_team : public cuda_column_team<Lanes, Columns> {
  using base = cuda_column_team<Lanes, Columns>;

 public:
  /// rank_sums: of each rank `slots` doubles, one rank after another; null: there is one rank.
  DWELL_FN cuda_rank_column_team(unsigned* barrier, double* partials, const double* rank_sums,
                                 int ranks, int slots)
      : base(barrier, partials, false), sums_{rank_sums, ranks, slots} {}

  template <int N, bool Listen>
  DWELL_FN lane_value<sums<N>> total(int first, int noted_slot, double& noted) {
    if (!sums_) return base::template total<N, Listen>(first, noted_slot, noted);
    return this->template total_by<N, Listen>(
        first, noted, [&](int slot) { return sums_.total(slot); },
        [&] { return sums_.most(noted_slot); });
  }

 private:
  rank_sums_view sums_;
};

}  // namespace dwell
