// SPDX-License-Identifier: MIT
// The moments between steps when a run looks up: has the largest change come under the tolerance,
// does the host want an end? Every team finds the same answer.
#pragma once
#include <cstdint>

#include "dwell/execution/core/sweep_args.hpp"

namespace dwell {

/// The larger of two changes; a NaN is larger than anything and stays.
DWELL_HD double larger_change(double a, double b) { return b > a || b != b ? b : a; }

/// The largest over the lanes, for all of them. `box` holds one double per lane.
template <class Team, class Values>
DWELL_FN double largest_of_lanes(Team& team, Values& mine, double* box) {
  team.section([&](int lane) { box[lane] = mine[lane]; });
  auto all = team.template per_lane<double>();
  team.section([&](int lane) {
    double m = 0;
    for (int k = 0; k < Team::lanes(); ++k) m = larger_change(m, box[k]);
    all[lane] = m;
  });
  double m = 0;
  team.each([&](int lane) { m = all[lane]; });
  return m;
}

/// This team's part of a look, once all teams have put `step` into field[copy] and the step before
/// into the other: its share of the largest change, and team 0 reads the host's wish.
template <class T, class Team>
DWELL_FN void look_at_share(Team& team, const sweep_args<T>& a, int step, int copy, double* box) {
  auto mine = team.template per_lane<double>();
  team.each([&](int lane) { mine[lane] = 0; });
  if (a.tests(step)) {
    const T *before = a.field[copy ^ 1], *after = a.field[copy];
    const auto cells = static_cast<std::int64_t>(a.size.z) * a.size.y * a.pitch;
    team.flat(cells * team.worker() / team.workers(), cells * (team.worker() + 1) / team.workers(),
              [&](int lane, std::int64_t c) {
                const double d = static_cast<double>(after[c]) - static_cast<double>(before[c]);
                mine[lane] = larger_change(mine[lane], d < 0 ? -d : d);
              });
  }
  const double m = largest_of_lanes(team, mine, box);
  team.once([&] {
    a.partial[team.worker()] = m;
    if (team.worker() == 0) a.partial[a.plan.teams] = team.observe(&a.watch->interrupt) ? 1 : 0;
  });
}

/// What follows from all shares, for every team alike. Leaves `change` as it was if `step` is not
/// one that is tested.
template <class T, class Team>
DWELL_FN sweep_stop verdict_at(Team& team, const sweep_args<T>& a, int step, double& change,
                               double* box) {
  if (a.tests(step)) {
    auto mine = team.template per_lane<double>();
    team.each([&](int lane) {
      double m = 0;
      for (int k = lane; k < a.plan.teams; k += Team::lanes())
        m = larger_change(m, team.observe(a.partial + k));
      mine[lane] = m;
    });
    change = largest_of_lanes(team, mine, box);
    if (!(change - change == 0)) return sweep_stop::not_finite;
    if (change <= a.tolerance) return sweep_stop::converged;
  }
  if (step == a.steps) return sweep_stop::steps_done;
  if (team.observe(a.partial + a.plan.teams) != 0) return sweep_stop::interrupted;
  return sweep_stop::running;
}

/// A look of teams that have met after step `now.done`, and meet again between the two halves.
template <class T, class Team>
DWELL_FN void look_together(Team& team, const sweep_args<T>& a, sweep_state& now, double* box) {
  look_at_share<T>(team, a, now.done, now.copy, box);
  team.sync_grid();
  now.stop = verdict_at<T>(team, a, now.done, now.change, box);
}

/// Tells the host how far the run is.
template <class T, class Team>
DWELL_FN void report_progress(Team& team, const sweep_args<T>& a, int step, double change) {
  if (team.worker() == 0)
    team.once([&] {
      team.publish(&a.watch->step, step);
      team.publish(&a.watch->residual, change);
    });
}

}  // namespace dwell
