// SPDX-License-Identifier: MIT
// Persistent, with part of the data on the chip for the whole run (Zhang, dissertation 2023,
// chapter 4): the plan's policy decides which vectors stay in registers and scratch and how many
// tiles of the matrix do; the workspace finds them there. What fits is read from device memory
// once.
#pragma once
#include "dwell/execution/krylov/loops/persistent.hpp"

namespace dwell {

struct perks {
  static constexpr const char* name = "perks";
  static constexpr bool launches_phases = false;
  /// One team per multiprocessor owns all of its shared memory and registers. The first config
  /// takes any plan; the others are for plans that cache everything, and keep elements of
  /// P::in_registers in registers. On an H200, of 256 to 768 lanes with up to four tiles a warp in
  /// registers, 448 with two were the best for systems in a cluster (384 were 4 % faster for
  /// Trefethen_2000, and hold fewer rows), 512 with one for systems that 132 teams cache, and
  /// without tiles where columns have 32 bits (G2_circuit).
  static constexpr program_config cuda_configs[] = {
      {512, 1, true, true, true, 0},
      {448, 1, true, false, true, 3, caching::ghosts, 2},
      {512, 1, true, false, true, 4, caching::all, 1},
      {512, 1, true, false, true, 4, caching::all, 0, true}};
  static constexpr program_config cpu_configs[] = {
      {64, 1, true, true, true, 0},
      {64, 1, true, false, true, 5, caching::ghosts, 2},
      {64, 1, true, false, true, 5, caching::all, 1},
      {64, 1, true, false, true, 17, caching::all, 1, true}};

  template <class P, class T, class Workspace>
  DWELL_FN static void run(Workspace& s, const program_args<P, T>& a) {
    persistent::run<P, T>(s, a);
  }
};

}  // namespace dwell
