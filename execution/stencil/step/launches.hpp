// SPDX-License-Identifier: MIT
// The single launches of executors whose time loop runs on the host: a step, the comparison of the
// two copies of the field, and the poll that closes a round. Where the device may end the run
// (`until`), each does nothing once it has ended; else the host alone decides and no launch asks.
#pragma once
#include "dwell/execution/stencil/step/convergence_check.hpp"
#include "dwell/execution/stencil/step/step.hpp"

namespace dwell {

template <class T>
DWELL_FN bool has_ended(const stencil_args<T>& a) {
  return a.until && a.state->stop != stencil_status::running;
}

/// From field[parity] to the other copy.
template <class S, class T, bool Tiles = false, class Team>
DWELL_FN void launch_step(Team& team, const stencil_call<S, T>& a, int parity) {
  if (has_ended(a)) return;
  step_field<S, T, Tiles>(team, a, a.field[parity], a.field[parity ^ 1]);
}

/// Whether executor E has a step() of its own; the steps of all others are step_field().
template <class E>
inline constexpr bool has_step = requires {
  requires E::has_step;
};

template <class S, class T, class E, class Team>
DWELL_FN void launch_own_step(Team& team, const stencil_call<S, T>& a, int parity) {
  if (has_ended(a)) return;
  E::template step<S, T>(team, a, a.field[parity], a.field[parity ^ 1]);
}

/// Every team's part of a poll, after `steps` more steps, the last of which went to field[copy].
template <class T, class Team>
DWELL_FN void launch_compare(Team& team, const stencil_args<T>& a, int steps, int copy) {
  if (has_ended(a)) return;
  poll_part<T>(team, a, a.state->done + steps, copy, team.template scratch<double>(Team::lanes()));
}

/// One team alone: counts the steps and decides. Where nothing is tested, a request to end is only
/// noted: the steps that the host has queued still run, and are counted.
template <class T, class Team>
DWELL_FN stencil_status launch_poll(Team& team, const stencil_args<T>& a, int steps, int copy) {
  double* buffer = team.template scratch<double>(Team::lanes());
  stencil_state now = *a.state;
  if (has_ended(a)) return now.stop;
  now.done += steps;
  now.copy = copy;
  if (a.until)
    now.stop = verdict_at<T>(team, a, now.done, now.change, buffer);
  else
    now.stop = now.done == a.steps                      ? stencil_status::steps_done
               : team.observe(&a.watch->interrupt) != 0 ? stencil_status::interrupted
                                                        : stencil_status::running;
  report_progress<T>(team, a, now.done, now.change);
  team.section([&](int) {});  // all lanes have read the state
  team.once([&] { *a.state = now; });
  return now.stop;
}

}  // namespace dwell
