// SPDX-License-Identifier: MIT
// How the owners of neighbouring subdomains meet between two passes: each raises a flag when the
// cells that others need of it are in the field, and waits for the flags around its own. Owners are
// teams, or in two dimensions warps, which do not wait for the other warps of their team. A
// subdomain reads only of subdomains next to it (the engines' layouts see to that), so no owner is
// more than one pass ahead of the owners that it reads from, or that read from it.
#pragma once
#include "dwell/base/ranges.hpp"
#include "dwell/execution/stencil/args.hpp"
#include "dwell/execution/stencil/cell/lanes.hpp"
#include "dwell/execution/stencil/engine_parts.hpp"
#include "dwell/execution/stencil/partition/grid.hpp"
#include "dwell/stencil/stencil.hpp"

namespace dwell {

/// Subdomains that a warp of a stream reads from in two dimensions, at most: four of each column.
inline constexpr int stream_neighbours = 12;
/// Numbers of flags that a team remembers, at most: of its own subdomain and those around it, or of
/// its warps'.
inline constexpr int perks_flag_numbers = perks_warps * (1 + stream_neighbours);

/// Faces: a subdomain needs the faces of its neighbours only, as a star in three dimensions after
/// one step. In two, tiles exchange after several steps, through which corners matter to a star
/// too, and so do streams.
template <class S, class T, subdomain_owner Owner, bool Faces, class Team>
class neighbour_flags {
 public:
  DWELL_FN neighbour_flags(Team& team, const stencil_call<S, T>& a)
      : a_(a), numbers_(team.template scratch<int>(owners * (1 + around))) {
    team.section([&](int l) {
      if (l >= owners * (1 + around)) return;
      const int k = l % (1 + around) - 1;
      if constexpr (Owner == subdomain_owner::warp_of_rows) {
        const subdomain_place own = place_of_strip(a.plan, team.worker(), l / (1 + around));
        numbers_[l] = own.z > 0 ? -1 : k < 0 ? number_of(own) : around_warp(own, k);
      } else if constexpr (by_warps) {
        const subdomain_place own = place_of_warp(a.plan, team.worker(), l / (1 + around));
        numbers_[l] = own.z > 0 ? -1
                      : k < 0   ? warp_grid(a.plan).number(own.x, own.y)
                                : beside_warp(own, k);
      } else {
        const subdomain_place own = place_of_team(a.plan, team.worker());
        numbers_[l] = number_of(k < 0 ? own : neighbour(own, k));
      }
    });
  }

  /// Publishes what has been written to the neighbours; what they have written is there after.
  /// `epoch` goes up from barrier to barrier, and is the same for all.
  DWELL_FN void barrier(Team& team, unsigned epoch) const {
    if constexpr (by_warps) {
      team.barrier_by_warps([&](int warp) { return flag_of(warp, 0); }, around,
                            [&](int warp, int k) { return flag_of(warp, 1 + k); }, epoch);
    } else {
      team.signal(flag_of(0, 0), epoch);
      team.wait(
          around, [&](int k) { return flag_of(0, 1 + k); }, epoch);
    }
  }

 private:
  static constexpr bool by_warps = Owner != subdomain_owner::team;
  static_assert(!by_warps || S::dims == 2);
  static constexpr int around = Owner == subdomain_owner::warp_of_columns ? stream_neighbours
                                : S::dims == 2                            ? 8
                                : Faces                                   ? 6
                                                                          : 26;
  static constexpr int owners = by_warps ? perks_warps : 1;  ///< subdomains in a team
  static_assert(owners * (1 + around) <= perks_flag_numbers);

  DWELL_FN unsigned* flag_of(int owner, int k) const {
    const int number = numbers_[owner * (1 + around) + k];
    return number < 0 ? nullptr : a_.flags + number * flag_distance;
  }
  /// Neighbour k of the 3 x 3 (x 3) teams around one, all but itself; or of the middles of the six
  /// faces.
  DWELL_FN static subdomain_place neighbour(subdomain_place at, int k) {
    int nth = k < around / 2 ? k : k + 1;
    if constexpr (Faces) nth = k < 2 ? 4 + 18 * k : k < 4 ? 10 + 6 * (k - 2) : 12 + 2 * (k - 4);
    const int dz = S::dims == 3 ? nth / 9 - 1 : 0;
    return {at.x + nth % 3 - 1, at.y + nth / 3 % 3 - 1, at.z + dz};
  }
  /// Number of a team's subdomain, or -1 beyond the grid.
  DWELL_FN int number_of(subdomain_place at) const {
    const int nx = a_.plan.subdomains_x, ny = a_.plan.subdomains_y, nz = a_.plan.subdomains_z;
    if (a_.edge == boundary::periodic) {
      at.x = (at.x + nx) % nx;
      at.y = (at.y + ny) % ny;
      at.z = (at.z + nz) % nz;
    }
    if (!within(at.x, nx) || !within(at.y, ny) || !within(at.z, nz)) return -1;
    return (at.z * ny + at.y) * nx + at.x;
  }
  /// Neighbour of strips: a star needs the corners only where subdomains of a row have cells in
  /// common.
  DWELL_FN int around_warp(subdomain_place own, int k) const {
    const cell_box all = cells_of_rows(a_.size, a_.inner, a_.edge);
    const bool corner = k == 0 || k == 2 || k == 5 || k == 7;
    if (is_star<S> && corner && (all.x1 - all.x0) % perks_across<S> == 0) return -1;
    return number_of(neighbour(own, k));
  }
  /// Neighbours of a warp's subdomain: all in this column of subdomains and in those beside it that
  /// have rows of its halo, at most a third of stream_neighbours each. -1: there are fewer.
  DWELL_FN int beside_warp(subdomain_place own, int k) const {
    const warp_grid g(a_.plan);
    const bool around_the_grid = a_.edge == boundary::periodic;
    const int halo = a_.plan.depth * radius_of<S>, rows = a_.size.y;
    int x = own.x + k % 3 - 1;
    if (around_the_grid) x = (x + g.columns) % g.columns;
    if (!within(x, g.columns)) return -1;
    const int first = cut(rows, own.y, g.in_column(own.x)) - halo;
    const int last = cut(rows, own.y + 1, g.in_column(own.x)) + halo - 1, n = g.in_column(x);
    if (around_the_grid) {  // columns are cut alike
      const int y = own.y + k / 3 - 1;
      return y <= own.y + 1 ? g.number(x, (y + n) % n) : -1;
    }
    const int y = part_with(first > 0 ? first : 0, rows, n) + k / 3;
    return y <= part_with(last < rows ? last : rows - 1, rows, n) ? g.number(x, y) : -1;
  }

  const stencil_args<T>& a_;
  int* numbers_;  ///< numbers of every owner's own flag and of those around; -1: there is none
};

}  // namespace dwell
