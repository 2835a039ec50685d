// SPDX-License-Identifier: MIT
// A plan says how a problem is laid out on a device: the rung (compile time, one kernel each) and
// the run-time extents. Plans are made by a policy and checked against the device before a launch.
#pragma once
#include <cstddef>
#include <string>

namespace dwell {

/// Small values that teams post to each other: the sums of a Program and four of the store's own.
inline constexpr int post_slots = 14;
/// The most thread blocks of a cluster (compute capability 9.0, non-portable size).
inline constexpr int most_cluster_teams = 16;

/// The most vectors a Program may have.
inline constexpr int max_vectors = 12;

/// What the text of a rung takes for granted. part: nothing; a plan may keep what it likes. all:
/// all tiles and all vectors that the iteration touches are on the chip, and slots * lanes are a
/// team's rows at the most. windows: so is all that products gather (window.hpp). A text that need
/// not ask where things are is half as long, and small systems wait for instructions as well: fv1
/// took 2.9 us on an H200 instead of 3.5.
enum class keeping { part, all, windows };

/// The compile-time constants of one compiled kernel for Programs.
struct rung {
  int lanes;           ///< lanes of a team (threads of a block)
  int teams_per_unit;  ///< teams that must fit on a multiprocessor together (launch bounds)
  bool tiles;          ///< the matrix is read by tiles (tiles.hpp); else row by row
  bool ahead = false;  ///< a warp loads its next tile before it works on this one
  bool keeps = false;  ///< parts of vectors and matrix may stay in scratch
  int slots = 0;       ///< elements per lane of each of P::in_registers that stay in registers
  keeping covers = keeping::part;
  // Only where `covers` is not part:
  int held = 0;       ///< tiles that a warp keeps in registers
  bool wide = false;  ///< columns have 32 bits, else 16
};

/// What every team keeps in its scratch during a run; all zero where a rung keeps nothing.
struct residency {
  int vector[max_vectors] = {};  ///< the first so many owned elements
  int held = 0;                  ///< the first so many tiles in registers,
  int tiles = 0;                 ///< so many of the others in scratch
  int carries = 0;               ///< the carries of so many tiles: all of a team's, or none
  /// Of rungs with windows: so many elements of the gathered vector that other teams own, and so
  /// many sends.
  int halo = 0, sends = 0;
};

/// What the compiler and the driver say of one compiled kernel.
struct rung_facts {
  rung shape{};
  int registers = 0;    ///< per lane
  int spill_bytes = 0;  ///< per lane
  int max_teams = 0;    ///< that can be resident on the device together, with scratch_bytes each
  std::size_t scratch_bytes = 0;  ///< that the kernel needs even if nothing is kept
};

struct plan {
  int rung = 0;
  int teams = 1;
  residency keep;
  bool in_cluster = false;  ///< all teams form one thread block cluster
  bool keeps_all = false;   ///< what a rung that covers all, or windows, takes for granted
  std::string policy;       ///< who made it
  std::string chosen;       ///< whose plan it is, where `policy` picked among those of others
  std::string reason;       ///< why, one line
};

}  // namespace dwell
