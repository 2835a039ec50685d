// SPDX-License-Identifier: MIT
// How the owners of neighbouring shares meet between two passes: each raises a flag when what
// others need of it is in the field, and waits for the flags around its own. Shares are teams', or
// in two dimensions warps', of which none waits for the others of its team. A share reads
// of those next to it only (the policies see to that), so nobody is more than one pass ahead of
// whom it reads, or who reads it.
#pragma once
#include "dwell/execution/core/ranges.hpp"
#include "dwell/execution/core/sweep_args.hpp"
#include "dwell/execution/perks/perks_rungs.hpp"
#include "dwell/execution/perks/share_grid.hpp"

namespace dwell {

template <class S, class T, sweep_rung Rung, class Team>
class share_flags {
 public:
  DWELL_FN share_flags(Team& team, const sweep_call<S, T>& a)
      : a_(a), numbers_(team.template scratch<int>(owners * (1 + around))) {
    team.section([&](int l) {
      if (l >= owners * (1 + around)) return;
      const int k = l % (1 + around) - 1;
      if constexpr (Rung.warp_shares) {
        const share_place own = place_of_row_share(a.plan, team.worker(), l / (1 + around));
        numbers_[l] = own.z > 0 ? -1 : k < 0 ? number_of(own) : around_warp(own, k);
      } else if constexpr (by_warps) {
        const share_place own = place_of_warp(a.plan, team.worker(), l / (1 + around));
        numbers_[l] = own.z > 0 ? -1
                      : k < 0   ? warp_grid(a.plan).number(own.x, own.y)
                                : beside_warp(own, k);
      } else {
        const share_place own = place_of_team(a.plan, team.worker());
        numbers_[l] = number_of(k < 0 ? own : neighbour(own, k));
      }
    });
  }

  /// What has been written is shown to the neighbours, and theirs is there after. `epoch` goes up
  /// from meeting to meeting, and is the same for all.
  DWELL_FN void meet(Team& team, unsigned epoch) const {
    if constexpr (by_warps) {
      team.meet_by_warps([&](int warp) { return flag_of(warp, 0); }, around,
                         [&](int warp, int k) { return flag_of(warp, 1 + k); }, epoch);
    } else {
      team.signal(flag_of(0, 0), epoch);
      team.wait(
          around, [&](int k) { return flag_of(0, 1 + k); }, epoch);
    }
  }

 private:
  static constexpr bool by_warps = S::dims == 2 && (Rung.levels > 0 || Rung.warp_shares);
  /// A star in three dimensions needs the faces of its neighbours only. In two, tiles exchange
  /// after several steps, through which corners matter to a star too, and so do waves.
  static constexpr bool faces_only = S::dims == 3 && is_star<S> && Rung.levels == 0;
  static constexpr int around = by_warps && !Rung.warp_shares ? wave_neighbours
                                : S::dims == 2                ? 8
                                : faces_only                  ? 6
                                                              : 26;
  static constexpr int owners = by_warps ? perks_warps : 1;  ///< of shares in a team
  static_assert(owners * (1 + around) <= perks_flag_numbers);

  DWELL_FN unsigned* flag_of(int owner, int k) const {
    const int number = numbers_[owner * (1 + around) + k];
    return number < 0 ? nullptr : a_.flags + number * flag_distance;
  }
  /// Of the 3 x 3 (x 3) teams around one, all but itself; or the middles of the six faces.
  DWELL_FN static share_place neighbour(share_place at, int k) {
    int nth = k < around / 2 ? k : k + 1;
    if constexpr (faces_only)
      nth = k < 2 ? 4 + 18 * k : k < 4 ? 10 + 6 * (k - 2) : 12 + 2 * (k - 4);
    const int dz = S::dims == 3 ? nth / 9 - 1 : 0;
    return {at.x + nth % 3 - 1, at.y + nth / 3 % 3 - 1, at.z + dz};
  }
  /// Of a team's share, or -1 beyond the grid.
  DWELL_FN int number_of(share_place at) const {
    const int nx = a_.plan.shares_x, ny = a_.plan.shares_y, nz = a_.plan.shares_z;
    if (a_.edge == boundary::periodic) {
      at.x = (at.x + nx) % nx;
      at.y = (at.y + ny) % ny;
      at.z = (at.z + nz) % nz;
    }
    if (!within(at.x, nx) || !within(at.y, ny) || !within(at.z, nz)) return -1;
    return (at.z * ny + at.y) * nx + at.x;
  }
  /// Of warps' rows: a star needs the corners only where shares of a row have cells in common.
  DWELL_FN int around_warp(share_place own, int k) const {
    const cell_box all = cells_of_rows(a_.size, a_.inner, a_.edge);
    const bool corner = k == 0 || k == 2 || k == 5 || k == 7;
    if (is_star<S> && corner && (all.x1 - all.x0) % Rung.across == 0) return -1;
    return number_of(neighbour(own, k));
  }
  /// Of a warp's share: in this column of shares and in those beside it, all that have rows of
  /// its rim, at most a third of wave_neighbours each. -1: there are fewer.
  DWELL_FN int beside_warp(share_place own, int k) const {
    const warp_grid g(a_.plan);
    const bool around_the_grid = a_.edge == boundary::periodic;
    const int rim = a_.plan.depth * radius_of<S>, rows = a_.size.y;
    int x = own.x + k % 3 - 1;
    if (around_the_grid) x = (x + g.columns) % g.columns;
    if (!within(x, g.columns)) return -1;
    const int first = cut(rows, own.y, g.in_column(own.x)) - rim;
    const int last = cut(rows, own.y + 1, g.in_column(own.x)) + rim - 1, n = g.in_column(x);
    if (around_the_grid) {  // columns are cut alike
      const int y = own.y + k / 3 - 1;
      return y <= own.y + 1 ? g.number(x, (y + n) % n) : -1;
    }
    const int y = part_with(first > 0 ? first : 0, rows, n) + k / 3;
    return y <= part_with(last < rows ? last : rows - 1, rows, n) ? g.number(x, y) : -1;
  }

  const sweep_args<T>& a_;
  int* numbers_;  ///< of every owner's own flag and of those around; -1: there is none
};

}  // namespace dwell
