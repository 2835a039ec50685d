// SPDX-License-Identifier: MIT
// Persistent, with part of the data on the chip for the whole run (Zhang, dissertation 2023,
// chapter 4): the plan's policy decides which vectors stay in registers and scratch and how many
// tiles of the matrix do; the store finds them there. What fits is read from device memory once.
#pragma once
#include "dwell/execution/persistent/persistent.hpp"

namespace dwell {

struct perks {
  static constexpr const char* name = "perks";
  static constexpr bool launches_phases = false;
  /// One team per multiprocessor owns all of its shared memory and registers. Rungs differ in how
  /// many elements per lane of P::in_registers stay in registers. Eight and more spilled, and lost.
  static constexpr rung cuda_rungs[] = {{512, 1, true, true, true, 0},
                                        {512, 1, true, true, true, 2}};
  static constexpr rung cpu_rungs[] = {{64, 1, true, false, true, 0}, {64, 1, true, true, true, 3}};

  template <class P, class T, class Store>
  DWELL_FN static void run(Store& s, const program_args<P, T>& a) {
    persistent::run<P, T>(s, a);
  }
};

}  // namespace dwell
