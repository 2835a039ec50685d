// SPDX-License-Identifier: MIT
// The persistent loop for Programs with columns, with configs of its own: a lane holds a pack of
// gathered values, the sums of a row and a row that ended, Columns values each, so it needs more
// registers than a lane of one column does.
#pragma once
#include "dwell/execution/persistent/program.hpp"

namespace dwell {

template <int Columns>
struct persistent_columns {
  static constexpr const char* name = persistent::name;
  static constexpr bool launches_phases = false;
  /// 128 registers a lane for two and four columns (105 to 128 used on sm_90, nothing spilled; with
  /// 64, two columns in f64 spill already); of eight columns in f64, 60 bytes spilled with 128, and
  /// none with 168. One team per multiprocessor, as perks has: both then share one cut of the
  /// matrix.
  static constexpr program_config cuda_configs[1] = {{Columns < 8 ? 512 : 384, 1, true}};
  static constexpr const auto& cpu_configs = plain_cpu_configs;

  template <class P, class T, class Store>
  DWELL_FN static void run(Store& s, const program_args<P, T>& a) {
    persistent::run<P, T>(s, a);
  }
};

}  // namespace dwell
