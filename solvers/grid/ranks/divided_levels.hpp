// SPDX-License-Identifier: MIT
// Levels of a grid that is divided among ranks: a rank makes those of its slab, copies of others'
// planes included, as far as these suffice; the rest is gathered on rank 0.
#pragma once
#include <array>
#include <memory>
#include <vector>

#include "dwell/comm/agreement.hpp"
#include "dwell/solvers/grid/axis_order.hpp"
#include "dwell/solvers/grid/hierarchy.hpp"
#include "dwell/solvers/grid/ranks/level_ghosts.hpp"

namespace dwell::grids {

/// A grid and its ranks, which may be one.
struct divided_grid {
  communicator* comm = nullptr;
  slab_division division;
  grid_shape all;
  std::size_t gather_below = 0;
  axis_order order{};

  slab here() const { return slab_of(division, comm->rank()); }
  /// f() on all ranks, each of which throws what one of them throws.
  template <class F>
  auto on_all(F&& f) const {
    return comm->size() == 1 ? f() : together(*comm, f);
  }
};

struct divided_levels {
  /// The last one is gathered on rank 0. Of one rank, and of methods without levels, as in a solve
  /// of one process.
  std::unique_ptr<hierarchy<level_value>> own = std::make_unique<hierarchy<level_value>>();
  std::unique_ptr<hierarchy<level_value>> whole;  ///< on rank 0: from the last one of `own` on
  std::unique_ptr<level_ghosts<level_value>> ghosts;
  /// Levels before that, which are divided.
  std::size_t shared() const { return ghosts ? own->levels.size() - 1 : 0; }
};

/// Made by all ranks together. fine: of this rank's slab. whole: the operator of the whole grid, on
/// rank 0, if its rows share their memory; else it is not read.
divided_levels make_divided_levels(const divided_grid& grid, coefficients<level_value> fine,
                                   const coefficients<level_value>& whole, bool singular,
                                   const chosen_method& method, exchange_cost& cost);

}  // namespace dwell::grids
