// SPDX-License-Identifier: MIT
// Persistent, and every team caches its subdomain of the field on the chip, in registers and in
// scratch; layers that do not fit stream through. The engine says how it is laid out. Owners of
// subdomains exchange every `depth` steps, through the field and with flags between neighbours;
// there are grid barriers only at polls.
#pragma once
#include "dwell/execution/stencil/args.hpp"
#include "dwell/execution/stencil/partition/neighbour_flags.hpp"
#include "dwell/execution/stencil/step/convergence_check.hpp"

namespace dwell {

struct perks_stencil {
  static constexpr const char* name = "perks";

  template <class S, class T, class Engine, typename Engine::config C, class Team>
  DWELL_FN static void run(Team& team, const stencil_call<S, T>& a) {
    double* buffer = Engine::idle_scratch ? nullptr : team.template scratch<double>(Team::lanes());
    const neighbour_flags<S, T, Engine::owner, Engine::template faces_only<S>, Team> flags(team, a);
    typename Engine::template agent<S, T, Team, C> tile(team, a);
    if constexpr (Engine::idle_scratch) buffer = tile.idle();
    stencil_state now;
    tile.load(a.field[0]);
    while (now.stop == stencil_status::running) {
      const int poll = a.next_poll(now.done);
      const bool tests = a.tests(poll);
      while (now.done < poll) {
        // A test compares two whole fields: the step before it is published too.
        const int goal = tests && now.done < poll - 1 ? poll - 1 : poll;
        const int n = goal - now.done < a.plan.depth ? goal - now.done : a.plan.depth;
        const int done = now.done + n;
        const bool whole = done == a.steps || (tests && done >= poll - 1);
        tile.advance(n, a.field[now.copy], a.field[now.copy ^ 1], whole);
        now.done = done;
        now.copy ^= 1;
        if (now.done == a.steps && !a.until) break;
        flags.barrier(team, static_cast<unsigned>(now.done));
        if constexpr (S::dims == 2) tile.take(a.field[now.copy]);
      }
      if (now.done == a.steps && !a.until) {
        now.stop = stencil_status::steps_done;
      } else {
        team.sync_grid();
        poll_together<T>(team, a, now, buffer);
        if (now.stop == stencil_status::interrupted && !tests) {
          now.copy ^= 1;
          tile.publish(a.field[now.copy]);
        }
      }
      report_progress<T>(team, a, now.done, now.change);
    }
    if (team.worker() == 0) team.once([&] { *a.state = now; });
  }

  /// The copy of the field that holds the result of run() if nothing ends it early and nothing is
  /// tested: copies change at every exchange, and no exchange lies across a poll.
  template <class T>
  static int last_copy(const stencil_args<T>& a) {
    const int stretches = a.steps / a.poll_every, rest = a.steps % a.poll_every;
    const int exchanges =
        stretches * pieces(a.poll_every, a.plan.depth) + pieces(rest, a.plan.depth);
    return exchanges % 2;
  }
};

}  // namespace dwell
