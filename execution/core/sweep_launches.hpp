// SPDX-License-Identifier: MIT
// The single launches of executors whose time loop runs on the host: a step, the comparison of the
// two copies of the field, and the look that closes a round. Where the device may end the run
// (`until`), each does nothing once it has ended; else the host alone decides and no launch asks.
#pragma once
#include "dwell/execution/core/sweep_look.hpp"
#include "dwell/execution/core/sweep_step.hpp"

namespace dwell {

template <class T>
DWELL_FN bool has_ended(const sweep_args<T>& a) {
  return a.until && a.state->stop != sweep_stop::running;
}

/// From field[turn] to the other copy.
template <class S, class T, bool Patches = false, class Team>
DWELL_FN void launch_step(Team& team, const sweep_call<S, T>& a, int turn) {
  if (has_ended(a)) return;
  sweep_once<S, T, Patches>(team, a, a.field[turn], a.field[turn ^ 1]);
}

/// Every team's share, after `steps` more steps.
template <class T, class Team>
DWELL_FN void launch_compare(Team& team, const sweep_args<T>& a, int steps) {
  if (has_ended(a)) return;
  const int step = a.state->done + steps;
  look_at_share<T>(team, a, step, step % 2, team.template scratch<double>(Team::lanes()));
}

/// One team alone: counts the steps and decides. Where nothing is tested, a wish to end is only
/// noted: the steps that the host has queued still run, and are counted.
template <class T, class Team>
DWELL_FN sweep_stop launch_look(Team& team, const sweep_args<T>& a, int steps) {
  double* box = team.template scratch<double>(Team::lanes());
  sweep_state now = *a.state;
  if (has_ended(a)) return now.stop;
  now.done += steps;
  now.copy = now.done % 2;
  if (a.until)
    now.stop = verdict_at<T>(team, a, now.done, now.change, box);
  else
    now.stop = now.done == a.steps                      ? sweep_stop::steps_done
               : team.observe(&a.watch->interrupt) != 0 ? sweep_stop::interrupted
                                                        : sweep_stop::running;
  report_progress<T>(team, a, now.done, now.change);
  team.section([&](int) {});  // all lanes have read the state
  team.once([&] { *a.state = now; });
  return now.stop;
}

}  // namespace dwell
