// SPDX-License-Identifier: MIT
// What the teams of a run get: one struct of plain data for each Program and scalar type.
#pragma once
#include <cstdint>
#include <type_traits>

#include "dwell/base/complex_value.hpp"
#include "dwell/base/fn.hpp"
#include "dwell/device/sums.hpp"
#include "dwell/execution/device/between_launches.hpp"
#include "dwell/execution/device/between_phases.hpp"
#include "dwell/execution/device/monitor.hpp"
#include "dwell/execution/device/run_judge.hpp"
#include "dwell/execution/krylov/plan/residency.hpp"
#include "dwell/execution/krylov/products/sliced_matrix.hpp"
#include "dwell/execution/krylov/program_traits.hpp"
#include "dwell/execution/krylov/spmv/csr_arrays.hpp"
#include "dwell/execution/krylov/spmv/ghosts.hpp"
#include "dwell/execution/krylov/spmv/nonzero_tiles.hpp"

namespace dwell {

/// Two copies of the scalars of the columns, one per column each, which a run uses as it uses those
/// of program_args::state.
template <class P, int Columns = column_count<P>>
struct column_places {
  typename P::column* columns = nullptr;
};
template <class P>
struct column_places<P, 1> {};

template <class P, class T, bool = has_basis<P>>
struct basis_places {
  T* basis = nullptr;             ///< basis_size vectors of `rows` elements
  double* team_memory = nullptr;  ///< memory of each team, one after the other
  int basis_size = 0;
};
template <class P, class T>
struct basis_places<P, T, false> {};

/// Sums of which the product of a basis vector with another vector consists.
template <class T>
inline constexpr int sums_per_product = is_complex_value<T> ? 2 : 1;

/// The cut matrix where the teams can read it (spmv/nonzero_tiles.hpp).
template <class T>
struct tiles_view {
  const team_part* teams = nullptr;
  const tile_header* header = nullptr;
  const std::uint16_t* path = nullptr;
  const T* val = nullptr;
  const std::uint16_t* narrow = nullptr;  ///< or null: then wide
  const index* wide = nullptr;
};

/// Do such teams ask a run_judge, an object of the host? Those of a CPU do, in runs for one
/// right-hand side.
template <class Team>
inline constexpr bool asks_judge = false;

/// How often an iteration runs a phase.
template <class P, int Phase, class Args>
DWELL_HD int times_of(const Args& a) {
  if constexpr (runs_sequence<P, Phase>)
    return a.sequence.phases;
  else
    return 1;
}
struct no_sequence {};

/// What a team gets: plain data, by value.
template <class P, class T>
struct program_args : column_places<P>, basis_places<P, T> {
  large_csr_arrays<T> matrix;  ///< arrays for teams that walk rows, null for those that walk tiles
  tiles_view<T> tiles;
  const team_ghosts* ghosts = nullptr;  ///< for plans with halos, whose tiles have the ghost layout
  const ghost_send* sends = nullptr;
  T* ghost_buffers = nullptr;  ///< cache.halo elements per CPU team
  T* vectors[max_vectors] = {};
  T* tile_carry = nullptr;     ///< per tile: its parts of the row that a later one ends
  double* partials = nullptr;  ///< partial_slots_of<P> x teams
  /// Sums of each rank, if there are several, else null: on a CPU slot by slot, on a GPU rank by
  /// rank.
  const double* rank_sums = nullptr;
  int ranks = 1, rank_slots = 0;
  /// The exchange of several ranks on a CPU, else null. Rows before and from the second one on may
  /// read elements of others.
  between_phases* between = nullptr;
  index interior_begin = 0, interior_end = 0;
  between_launches* behind = nullptr;  ///< exchange of several ranks on GPUs, else null; the host's
  run_judge* judge = nullptr;          ///< asked by the first team of a CPU, or null
  double* history = nullptr;           ///< residual norms, or null
  step_coefficients* coefficients = nullptr;
  int recorded = 0;  ///< entries of the first steps, of every column; of each team that is alone
  monitor* watch = nullptr;
  /// Two copies. A run begins with the first. Where phases are launched one by one they are read
  /// and written in turn, and the run ends in the first; one launch leaves its end in the second.
  /// Teams that are alone have two copies each.
  typename P::scalars* state = nullptr;
  /// What a run in one launch begins with, but for the target, which the device may find out: read
  /// from here, scalars that do not change take no registers.
  typename P::scalars start{};
  unsigned* barrier = nullptr;  ///< arrivals at the grid barrier
  residency cache;
  bool in_cluster = false;     ///< CUDA: all teams are one cluster
  bool one_launch = false;     ///< the whole run is one launch: stores live through it
  bool reverse_lanes = false;  ///< CPU teams only
  std::conditional_t<has_sequence<P>, product_sequence, no_sequence> sequence;
};

/// The scalars that a run in one launch begins with.
template <class P, class T>
DWELL_FN typename P::scalars first_scalars(const program_args<P, T>& a) {
  typename P::scalars m = a.start;
  if constexpr (requires { m.target2; }) m.target2 = a.state[0].target2;
  return m;
}

}  // namespace dwell
