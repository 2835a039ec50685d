// SPDX-License-Identifier: MIT
// Persistent, and every team keeps its tile of the field on the chip: in registers, in scratch, and
// what does not fit streams through. Teams exchange rims every `depth` steps, through the field and
// with flags between neighbours; a grid barrier stands only around the looks.
#pragma once
#include "dwell/execution/core/sweep_look.hpp"
#include "dwell/execution/perks/perks_tile.hpp"

namespace dwell {

struct perks_sweep {
  static constexpr const char* name = "perks";

  template <class S, class T, int RY, class Team>
  DWELL_FN static void run(Team& team, const sweep_call<S, T>& a) {
    double* box = team.template scratch<double>(Team::lanes());
    perks_tile<S, T, Team, RY> tile(team, a);
    sweep_state now;
    unsigned epoch = 0;
    int turn = 0;
    tile.load(a.field[0]);
    while (now.stop == sweep_stop::running) {
      const int to_look = a.look_every - now.done % a.look_every;
      const int look = a.steps - now.done < to_look ? a.steps : now.done + to_look;
      const bool tests = a.tests(look);
      while (now.done < look) {
        // A test compares two whole fields: the step before it is published too.
        const int goal = tests && now.done < look - 1 ? look - 1 : look;
        const int n = goal - now.done < a.plan.depth ? goal - now.done : a.plan.depth;
#pragma unroll 1
        for (int k = 0; k < n; ++k) {
          tile.step(turn);
          turn ^= 1;
        }
        now.done += n;
        const bool whole = now.done == a.steps || (tests && now.done >= look - 1);
        now.copy ^= 1;
        tile.publish(a.field[now.copy], whole);
        if (now.done == a.steps && !a.until) break;
        team.signal(a.flags + team.worker() * flag_distance, ++epoch);
        team.wait(
            8, [&](int k) { return neighbour(team, a, k); }, epoch);
        tile.take(a.field[now.copy]);
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
          tile.publish(a.field[now.copy], true);
        }
      }
      report_progress<T>(team, a, now.done, now.change);
    }
    if (team.worker() == 0) team.once([&] { *a.state = now; });
  }

 private:
  /// The flag of one of the eight neighbours, or null where the grid ends.
  template <class T, class Team>
  DWELL_FN static unsigned* neighbour(Team& team, const sweep_args<T>& a, int k) {
    const int nx = a.plan.teams_x, ny = a.plan.teams_y;
    const int nth = k < 4 ? k : k + 1;
    int x = team.worker() % nx + nth % 3 - 1, y = team.worker() / nx + nth / 3 - 1;
    if (a.edge == boundary::periodic) {
      x = (x + nx) % nx;
      y = (y + ny) % ny;
    }
    if (x < 0 || y < 0 || x >= nx || y >= ny) return nullptr;
    return a.flags + (y * nx + x) * flag_distance;
  }
};

}  // namespace dwell
