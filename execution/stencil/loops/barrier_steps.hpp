// SPDX-License-Identifier: MIT
// The whole run in one launch, a step of the whole field at a time: the time loop runs inside, and
// all teams meet at a grid barrier after every step. Nothing stays on the chip but the lines that
// its caches keep. This is what persistent does, and perks where a policy finds nothing worth
// caching.
#pragma once
#include "dwell/execution/stencil/step/convergence_check.hpp"
#include "dwell/execution/stencil/step/step.hpp"

namespace dwell {

struct barrier_steps {
  /// Team side. All teams get the same answers at polls, so all leave together.
  template <class S, class T, bool Tiles = false, class Team>
  DWELL_FN static void run(Team& team, const stencil_call<S, T>& a) {
    double* buffer = team.template scratch<double>(Team::lanes());
    stencil_state now;
    while (now.stop == stencil_status::running) {
      step_field<S, T, Tiles>(team, a, a.field[now.copy], a.field[now.copy ^ 1]);
      ++now.done;
      now.copy ^= 1;
      team.sync_grid();
      if (!a.polls(now.done)) continue;
      poll_together<T>(team, a, now, buffer);
      report_progress<T>(team, a, now.done, now.change);
    }
    if (team.worker() == 0) team.once([&] { *a.state = now; });
  }
};

}  // namespace dwell
