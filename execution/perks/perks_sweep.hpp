// SPDX-License-Identifier: MIT
// Persistent, and every team keeps its tile of the field on the chip: in registers, in scratch, and
// what does not fit streams through. Teams (warps, in waves and rows of two dimensions) exchange
// every `depth` steps, through the field and with flags between neighbours; a grid barrier stands
// only around the looks.
#pragma once
#include "dwell/execution/core/sweep_look.hpp"
#include "dwell/execution/perks/perks_brick.hpp"
#include "dwell/execution/perks/perks_tile.hpp"
#include "dwell/execution/perks/perks_wave.hpp"
#include "dwell/execution/perks/resident_brick.hpp"
#include "dwell/execution/perks/resident_rows.hpp"
#include "dwell/execution/perks/share_flags.hpp"

namespace dwell {

struct perks_sweep {
  static constexpr const char* name = "perks";

  template <class S, class T, sweep_rung Rung, class Team>
  DWELL_FN static void run(Team& team, const sweep_call<S, T>& a) {
    double* box = Rung.warp_shares ? nullptr : team.template scratch<double>(Team::lanes());
    const share_flags<S, T, Rung, Team> flags(team, a);
    tile_of<S, T, Rung, Team> tile(team, a);
    if constexpr (Rung.warp_shares) box = tile.idle();
    sweep_state now;
    tile.load(a.field[0]);
    while (now.stop == sweep_stop::running) {
      const int look = a.next_look(now.done);
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
        flags.meet(team, static_cast<unsigned>(now.done));
        if constexpr (S::dims == 2) tile.take(a.field[now.copy]);
      }
      if (now.done == a.steps && !a.until) {
        now.stop = sweep_stop::steps_done;
      } else {
        team.sync_grid();
        look_together<T>(team, a, now, box);
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
    else if constexpr (Rung.warp_shares)
      return std::type_identity<resident_rows<S, T, Team, Rung.register_rows>>{};
    else if constexpr (S::dims == 3 && !Rung.rest)
      return std::type_identity<resident_brick<S, T, Team, Rung.register_rows>>{};
    else if constexpr (S::dims == 3)
      return std::type_identity<perks_brick<S, T, Team, Rung.register_rows, Rung.orders>>{};
    else
      return std::type_identity<perks_tile<S, T, Team, Rung.register_rows, Rung.rest>>{};
  }
  template <class S, class T, sweep_rung Rung, class Team>
  using tile_of = typename decltype(tile_type<S, T, Rung, Team>())::type;
};

}  // namespace dwell
