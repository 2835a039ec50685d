// SPDX-License-Identifier: MIT
// The polls between the steps of a run: has the largest change come under the tolerance, does the
// host want the run to end? Every team gets the same answer.
#pragma once
#include <cstdint>

#include "dwell/execution/stencil/args.hpp"

namespace dwell {

/// The larger of two changes; a NaN is larger than anything and stays.
DWELL_HD double larger_change(double a, double b) { return b > a || b != b ? b : a; }

/// The largest over the lanes, for all of them. `buffer` holds one double per lane.
template <class Team, class Values>
DWELL_FN double largest_of_lanes(Team& team, Values& mine, double* buffer) {
  team.section([&](int lane) { buffer[lane] = mine[lane]; });
  auto all = team.template per_lane<double>();
  team.section([&](int lane) {
    double m = 0;
    for (int k = 0; k < Team::lanes(); ++k) m = larger_change(m, buffer[k]);
    all[lane] = m;
  });
  double m = 0;
  team.each([&](int lane) { m = all[lane]; });
  return m;
}

/// This team's part of a poll, once all teams have put `step` into field[copy] and the step before
/// into the other: the largest change of its cells; team 0 also reads the host's request.
template <class T, class Team>
DWELL_FN void poll_part(Team& team, const stencil_args<T>& a, int step, int copy, double* buffer) {
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
  const double m = largest_of_lanes(team, mine, buffer);
  team.once([&] {
    a.partial[team.worker()] = m;
    if (team.worker() == 0) a.partial[a.plan.teams] = team.observe(&a.watch->interrupt) ? 1 : 0;
  });
}

/// The answer from the changes of all teams, for every team alike. Leaves `change` as it was if
/// `step` is not tested.
template <class T, class Team>
DWELL_FN stencil_status verdict_at(Team& team, const stencil_args<T>& a, int step, double& change,
                                   double* buffer) {
  if (a.tests(step)) {
    auto mine = team.template per_lane<double>();
    team.each([&](int lane) {
      double m = 0;
      for (int k = lane; k < a.plan.teams; k += Team::lanes())
        m = larger_change(m, team.observe(a.partial + k));
      mine[lane] = m;
    });
    change = largest_of_lanes(team, mine, buffer);
    if (!(change - change == 0)) return stencil_status::not_finite;
    if (change <= a.tolerance) return stencil_status::converged;
  }
  if (step == a.steps) return stencil_status::steps_done;
  if (team.observe(a.partial + a.plan.teams) != 0) return stencil_status::interrupted;
  return stencil_status::running;
}

/// A poll of teams that have met after step `now.done`, and meet again between the two halves.
template <class T, class Team>
DWELL_FN void poll_together(Team& team, const stencil_args<T>& a, stencil_state& now,
                            double* buffer) {
  poll_part<T>(team, a, now.done, now.copy, buffer);
  team.sync_grid();
  now.stop = verdict_at<T>(team, a, now.done, now.change, buffer);
}

/// Tells the host how far the run is.
template <class T, class Team>
DWELL_FN void report_progress(Team& team, const stencil_args<T>& a, int step, double change) {
  if (team.worker() == 0)
    team.once([&] {
      team.publish(&a.watch->step, step);
      team.publish(&a.watch->residual, change);
    });
}

}  // namespace dwell
