// SPDX-License-Identifier: MIT
// The compile-time constants of a kernel of Programs, and what its teams cache in a run: values,
// without the host library.
#pragma once
#include <cstddef>

#include "dwell/linear/program.hpp"

namespace dwell {

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

}  // namespace dwell
