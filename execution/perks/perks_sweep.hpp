// SPDX-License-Identifier: MIT
// Persistent, and every team keeps its tile of the field on the chip: in registers, in scratch, and
// what does not fit streams through. Teams exchange rims every `depth` steps, through the field and
// with flags between neighbours; a grid barrier stands only around the looks.
#pragma once
#include "dwell/execution/core/sweep_look.hpp"
#include "dwell/execution/perks/perks_brick.hpp"
#include "dwell/execution/perks/perks_tile.hpp"
#include "dwell/execution/perks/perks_wave.hpp"

namespace dwell {

struct perks_sweep {
  static constexpr const char* name = "perks";

  template <class S, class T, sweep_rung Rung, class Team>
  DWELL_FN static void run(Team& team, const sweep_call<S, T>& a) {
    double* box = team.template scratch<double>(Team::lanes());
    tile_of<S, T, Rung, Team> tile(team, a);
    sweep_state now;
    unsigned epoch = 0;
    tile.load(a.field[0]);
    while (now.stop == sweep_stop::running) {
      const int to_look = a.look_every - now.done % a.look_every;
      const int look = a.steps - now.done < to_look ? a.steps : now.done + to_look;
      const bool tests = a.tests(look);
      while (now.done < look) {
        // A test compares two whole fields: the step before it is published too.
        const int goal = tests && now.done < look - 1 ? look - 1 : look;
        const int n = goal - now.done < a.plan.depth ? goal - now.done : a.plan.depth;
        const int done = now.done + n;
        const bool whole = done == a.steps || (tests && done >= look - 1);
        tile.advance(n, a.field[now.copy], a.field[now.copy ^ 1], whole);
        now.done = done;
        now.copy ^= 1;
        if (now.done == a.steps && !a.until) break;
        team.signal(a.flags + team.worker() * flag_distance, ++epoch);
        team.wait(
            neighbours<S, Rung>, [&](int k) { return neighbour<S, Rung>(team, a, k); }, epoch);
        if constexpr (S::dims == 2) tile.take(a.field[now.copy]);
      }
      if (now.done == a.steps && !a.until) {
        now.stop = sweep_stop::steps_done;
      } else {
        team.sync_grid();
        look_at_share<T>(team, a, now.done, now.copy, box);
        team.sync_grid();
        now.stop = verdict_at<T>(team, a, now.done, now.change, box);
        if (now.stop == sweep_stop::interrupted && !tests) {
          now.copy ^= 1;
          tile.publish(a.field[now.copy]);
        }
      }
      report_progress<T>(team, a, now.done, now.change);
    }
    if (team.worker() == 0) team.once([&] { *a.state = now; });
  }

 private:
  template <class S, class T, sweep_rung Rung, class Team>
  static auto tile_type() {
    if constexpr (Rung.levels > 0)
      return std::type_identity<perks_wave<S, T, Team, Rung.levels>>{};
    else if constexpr (S::dims == 3)
      return std::type_identity<perks_brick<S, T, Team, Rung.register_rows, Rung.orders>>{};
    else
      return std::type_identity<perks_tile<S, T, Team, Rung.register_rows, Rung.rest>>{};
  }
  template <class S, class T, sweep_rung Rung, class Team>
  using tile_of = typename decltype(tile_type<S, T, Rung, Team>())::type;
  /// A star in three dimensions needs the faces of its neighbours only. In two, tiles exchange
  /// after several steps, through which corners matter to a star too, and so do waves.
  template <class S, sweep_rung Rung>
  static constexpr bool faces_only = S::dims == 3 && is_star<S>&& Rung.levels == 0;
  template <class S, sweep_rung Rung>
  static constexpr int neighbours = S::dims == 2          ? 8
                                    : faces_only<S, Rung> ? 6
                                                          : 26;

  /// The flag of a neighbouring team, or null where the grid ends.
  template <class S, sweep_rung Rung, class T, class Team>
  DWELL_FN static unsigned* neighbour(Team& team, const sweep_args<T>& a, int k) {
    const sweep_plan& p = a.plan;
    // Of the 3 x 3 (x 3) teams around, all but the middle; or the middles of the six faces.
    int nth = k < neighbours<S, Rung> / 2 ? k : k + 1;
    if constexpr (faces_only<S, Rung>)
      nth = k < 2 ? 4 + 18 * k : k < 4 ? 10 + 6 * (k - 2) : 12 + 2 * (k - 4);
    const int dz = S::dims == 3 ? nth / 9 - 1 : 0;
    const int row = team.worker() / p.teams_x;
    int x = team.worker() % p.teams_x + nth % 3 - 1;
    int y = row % p.teams_y + nth / 3 % 3 - 1;
    int z = row / p.teams_y + dz;
    if (a.edge == boundary::periodic) {
      x = (x + p.teams_x) % p.teams_x;
      y = (y + p.teams_y) % p.teams_y;
      z = (z + p.teams_z) % p.teams_z;
    }
    if (x < 0 || y < 0 || z < 0 || x >= p.teams_x || y >= p.teams_y || z >= p.teams_z)
      return nullptr;
    return a.flags + ((z * p.teams_y + y) * p.teams_x + x) * flag_distance;
  }
};

}  // namespace dwell
