// SPDX-License-Identifier: MIT
// A plan says how a problem is laid out on a device: the rung (compile time, one kernel each) and
// the run-time extents. Plans are made by a policy and checked against the device before a launch.
#pragma once
#include <cstddef>
#include <string>

namespace dwell {

/// The compile-time constants of one compiled kernel for Programs.
struct rung {
  int lanes;           ///< lanes of a team (threads of a block)
  int items;           ///< most merge items that a lane takes per tile; 0: rows one after the other
  int teams_per_unit;  ///< teams that must fit on a multiprocessor together (launch bounds)
};

/// Shared by all executors of Programs: given the same plan they give the same bits.
/// cuda: measured on an H200; one block of 1024 lanes per multiprocessor was slower throughout (by
/// 10 to 70 %): its lanes all wait together. `items` is odd so that lanes that read their own run
/// of products from shared memory hit different banks.
inline constexpr rung cuda_rungs[] = {{512, 11, 2}, {256, 11, 4}};
/// cpu: 8 lanes are the elements of one vector register; the second rung runs the text of the GPU
/// (two warps of 32 lanes, tiles, carries) on threads, for the tests.
inline constexpr rung cpu_rungs[] = {{8, 0, 1}, {64, 5, 1}};

/// What the compiler and the driver say of one compiled kernel.
struct rung_facts {
  rung shape{};
  int registers = 0;    ///< per lane
  int spill_bytes = 0;  ///< per lane
  int max_teams = 0;    ///< that can be resident on the device together, with scratch_bytes each
  std::size_t scratch_bytes = 0;
};

struct plan {
  int rung = 0;
  int teams = 1;
  std::string policy;  ///< who made it
  std::string reason;  ///< why, one line
};

}  // namespace dwell
