// SPDX-License-Identifier: MIT
// The whole run in one launch, a step of the whole field at a time: the time loop runs inside, and
// all teams meet at a grid barrier after every step. Nothing is kept on the chip but what its
// caches keep. It is what persistent does, and perks where a policy finds nothing worth keeping.
#pragma once
#include "dwell/execution/core/sweep_look.hpp"
#include "dwell/execution/core/sweep_step.hpp"

namespace dwell {

struct resident_steps {
  /// Team side. All teams find the same verdicts, so all leave together.
  template <class S, class T, bool Patches = false, class Team>
  DWELL_FN static void run(Team& team, const sweep_call<S, T>& a) {
    double* box = team.template scratch<double>(Team::lanes());
    sweep_state now;
    while (now.stop == sweep_stop::running) {
      sweep_once<S, T, Patches>(team, a, a.field[now.copy], a.field[now.copy ^ 1]);
      ++now.done;
      now.copy ^= 1;
      team.sync_grid();
      if (!a.looks(now.done)) continue;
      look_together<T>(team, a, now, box);
      report_progress<T>(team, a, now.done, now.change);
    }
    if (team.worker() == 0) team.once([&] { *a.state = now; });
  }
};

}  // namespace dwell
