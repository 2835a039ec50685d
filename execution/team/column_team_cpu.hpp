// SPDX-License-Identifier: MIT
// What a team needs for Programs with columns beside the members of cpu_team: lane l belongs to
// column l % Columns, and sums are taken over the lanes of a column. Sum k of column c has the
// partial slot k * Columns + c.
#pragma once
#include "dwell/execution/team/team_cpu.hpp"

namespace dwell {

/// A value per column, indexed by a lane.
template <class V, int Columns>
struct column_array {
  V v[Columns];
  V& operator[](int lane) { return v[lane % Columns]; }
};

template <int Lanes, int Columns>
class cpu_column_team : public cpu_team<Lanes> {
  using base = cpu_team<Lanes>;
  static_assert(base::warp % Columns == 0);

 public:
  using base::base;

  template <class V>
  column_array<V, Columns> per_column() const {
    return {};
  }
  /// f(lane) by one lane of every column.
  template <class F>
  void each_column(F&& f) {
    for (int c = 0; c < Columns; ++c) f(c);
  }
  template <class F>
  bool every_column(F&& f) {
    bool all = true;
    for (int c = 0; c < Columns; ++c) all = f(c) && all;
    return all;
  }

  /// Gives partials as cpu_team does: lanes are halved within warps down to one per column, then
  /// over warps.
  template <int N>
  void give(int first, lane_array<sums<N>, Lanes>& v) {
    constexpr int most_warps = 32;
    for (int w = 0; w < base::warp_count; ++w)
      for (int h = base::warp / 2; h >= Columns; h /= 2)
        for (int l = w * base::warp; l < w * base::warp + h; ++l) add(v[l], v[l + h]);
    for (int c = 0; c < Columns; ++c) {
      sums<N> warps[most_warps] = {};
      for (int w = 0; w < base::warp_count; ++w) warps[w] = v[w * base::warp + c];
      for (int h = most_warps / 2; h > 0; h /= 2)
        for (int w = 0; w < h; ++w) add(warps[w], warps[w + h]);
      for (int k = 0; k < N; ++k)
        this->put_partial((first + k) * Columns + c, [&] { return warps[0].v[k]; });
    }
  }
  /// Totals as in cpu_team; one per lane: the sums of its column.
  template <int N, bool Listen>
  column_array<sums<N>, Columns> total(int first, int noted_slot, double& noted) {
    constexpr int across = 32;
    if constexpr (Listen) noted = this->summand(noted_slot, 0);
    column_array<sums<N>, Columns> all;
    for (int c = 0; c < Columns; ++c) {
      sums<N> lane[across] = {};
      for (int i = 0; i < this->summands(); ++i)
        for (int k = 0; k < N; ++k)
          lane[i % across].v[k] += this->summand((first + k) * Columns + c, i);
      for (int h = across / 2; h > 0; h /= 2)
        for (int l = 0; l < h; ++l) add(lane[l], lane[l + h]);
      all[c] = lane[0];
    }
    return all;
  }

 private:
  template <int N>
  static void add(sums<N>& to, const sums<N>& from) {
    for (int k = 0; k < N; ++k) to.v[k] += from.v[k];
  }
};

}  // namespace dwell
