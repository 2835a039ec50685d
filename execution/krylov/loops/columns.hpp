// SPDX-License-Identifier: MIT
// The loops of persistent, host-loop and graph for Programs with columns, with configs of their
// own: a lane holds a pack of gathered values, the sums of a row and a row that ended, Columns
// values each, so it needs more registers than a lane of one column does.
#pragma once
#include "dwell/execution/krylov/loops/graph.hpp"
#include "dwell/execution/krylov/loops/host_loop.hpp"
#include "dwell/execution/krylov/loops/persistent.hpp"

namespace dwell {

/// 128 registers a lane for two and four columns (105 to 128 used on sm_90, nothing spilled; with
/// 64, two columns in f64 spill already); of eight columns in f64, 60 bytes spilled with 128, and
/// none with 168. One team per multiprocessor, as perks has: both then share one cut of the matrix.
template <int Columns>
inline constexpr program_config column_cuda_configs[1] = {{Columns < 8 ? 512 : 384, 1, true}};

template <int Columns>
struct persistent_columns {
  static constexpr const char* name = persistent::name;
  static constexpr bool launches_phases = false;
  static constexpr const auto& cuda_configs = column_cuda_configs<Columns>;
  static constexpr const auto& cpu_configs = plain_cpu_configs;

  template <class P, class T, class Workspace>
  DWELL_FN static void run(Workspace& s, const program_args<P, T>& a) {
    s.take_columns(0);
    persistent::run<P, T>(s, a);
    s.leave_columns(1);
  }
};

/// The scalars of the columns pass from one launch to the next as those of the run do.
template <int Columns, class Loop>
struct launched_columns : Loop {
  static constexpr const auto& cuda_configs = column_cuda_configs<Columns>;

  template <int Phase, class P, class T, class Workspace>
  DWELL_FN static void phase(Workspace& s, const program_args<P, T>& a, int parity, int time) {
    s.take_columns(parity);
    Loop::template phase<Phase, P, T>(s, a, parity, time);
    s.leave_columns(parity ^ 1);
  }
};
template <int Columns>
struct host_loop_columns : launched_columns<Columns, host_loop> {};
template <int Columns>
struct graph_columns : launched_columns<Columns, graph> {
  using launched = host_loop_columns<Columns>;
};

}  // namespace dwell
