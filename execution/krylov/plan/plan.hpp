// SPDX-License-Identifier: MIT
// A plan says how a problem is laid out on a device: the config (compile time, one kernel each) and
// the run-time extents. Plans are made by a policy and checked against the device before a launch.
#pragma once
#include <cstddef>
#include <string>

namespace dwell {

/// The most vectors a Program may have.
inline constexpr int max_vectors = 12;

/// What the code of a config assumes. part: nothing; a plan may cache any part. all: all tiles and
/// all vectors that the iteration touches are cached, and a team has at most slots * lanes rows.
/// ghosts: so are all elements that products gather (spmv/ghosts.hpp). Code that need not ask where
/// elements are is half as long, and small systems wait for instructions as well: fv1 took 2.9 us
/// on an H200 instead of 3.5.
enum class caching { part, all, ghosts };

/// The compile-time constants of one compiled kernel for Programs.
struct program_config {
  int lanes;            ///< lanes of a team (threads of a block)
  int teams_per_unit;   ///< teams that must fit on a multiprocessor together (launch bounds)
  bool tiles;           ///< the matrix is read by tiles (spmv/nonzero_tiles.hpp); else row by row
  bool ahead = false;   ///< a warp loads its next tile before it works on this one
  bool caches = false;  ///< parts of vectors and matrix may stay in scratch
  // Only where `assumes` is not part:
  int slots = 0;  ///< elements per lane of each of P::in_registers that stay in registers
  caching assumes = caching::part;
  int tiles_in_registers = 0;  ///< tiles that a warp caches in registers
  bool wide = false;           ///< columns have 32 bits, else 16
};

/// What every team caches in its scratch during a run; all zero where a config caches nothing.
struct residency {
  int vector[max_vectors] = {};  ///< the first so many owned elements
  int tiles_in_registers = 0;    ///< the first so many tiles in registers,
  int tiles = 0;                 ///< so many of the others in scratch
  int carries = 0;               ///< the carries of so many tiles: all of a team's, or none
  /// Ghosts of configs that have them: so many elements of the gathered vector that other teams
  /// own, and so many sends.
  int halo = 0, sends = 0;
};

/// What the compiler and the driver say of one compiled kernel.
struct config_facts {
  program_config shape{};
  int registers = 0;    ///< per lane
  int spill_bytes = 0;  ///< per lane
  int max_teams = 0;    ///< that can be resident on the device together, with scratch_bytes each
  std::size_t scratch_bytes = 0;  ///< that the kernel needs even if nothing is cached
};

struct plan {
  int config = 0;
  int teams = 1;
  residency cache;
  bool in_cluster = false;    ///< all teams form one thread block cluster
  bool fully_cached = false;  ///< what configs that assume all, or ghosts, require
  std::string policy;         ///< who made it
  std::string chosen;         ///< whose plan it is, where `policy` picked among those of others
  std::string reason;         ///< why, one line
};

}  // namespace dwell
