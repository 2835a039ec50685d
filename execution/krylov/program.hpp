// SPDX-License-Identifier: MIT
// A Program is a vector solver written as phases with a barrier between two of them. It is compiled
// for CPU teams and for CUDA teams; executors decide in which loop it runs.
//
//   struct my_solver {
//     static constexpr const char* name = "cg";
//     enum : int { x, r, p, q, vectors };            // the vectors, rows elements each
//     static constexpr use uses[vectors] = {...};    // who touches an element, see `use`
//     enum : int { pq, rr, sums };                   // sums over all rows, in double
//     using in_registers = vector_list<r, x>;         // own vectors worth registers
//     using results = vector_list<x>;                 // what the host reads at the end
//     static constexpr int phases = 3;
//     static constexpr bool whole_rows = true;       // optional: teams are cut between two rows
//     static constexpr int columns = 4;              // optional: see column_count
//     struct scalars { int step; int stop; ... };    // trivially copyable; stop != 0 ends the run
//     static constexpr leaves left_by[phases] = {...};  // optional: see `leaves`
//     template <int Phase, class T, class Store> DWELL_FN static void phase(Store&, scalars&);
//   };
//
// Laws. Every team runs every phase with equal scalars and must leave equal scalars behind. Between
// two barriers an element of a gathered vector is written, or read by others, never both. A sum
// given in one phase is asked for in a later one, and given again only after another barrier.
#pragma once
#include <concepts>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "dwell/base/fn.hpp"
#include "dwell/execution/device/between_launches.hpp"
#include "dwell/execution/device/between_phases.hpp"
#include "dwell/execution/device/monitor.hpp"
#include "dwell/execution/krylov/plan/plan.hpp"
#include "dwell/execution/krylov/products/sliced_matrix.hpp"
#include "dwell/execution/krylov/spmv/ghosts.hpp"
#include "dwell/execution/krylov/spmv/nonzero_tiles.hpp"
#include "dwell/execution/team/partial_slots.hpp"
#include "dwell/execution/team/sums.hpp"
#include "dwell/formats/csr.hpp"

namespace dwell {

/// own: only its owner touches an element. gather: others read it in another phase than the one in
/// which it is written. exchange, and the partner that follows it: a pair of vectors that others
/// read while the owner writes the next ones. Two copies in turn, so that one barrier between a
/// write and its reads is enough; the elements of a pair lie side by side. handed: written by the
/// owner only, into the input of the chain of products.
enum class use { own, gather, exchange, partner, handed };

/// What teams may have for others when a phase has ended: sums, elements of vectors that others
/// read. A run of several ranks on GPUs exchanges this much behind each phase, and no more; on a
/// CPU, where the store notes what there is, a phase that leaves more than it says fails.
enum class leaves { sums = 1, elements = 2, both = 3 };
/// What a phase of P leaves; `both` where P does not say.
template <class P, int Phase>
inline constexpr leaves left_by = [] {
  if constexpr (requires { P::left_by; })
    return P::left_by[Phase];
  else
    return leaves::both;
}();
constexpr bool has_sums(leaves l) { return (static_cast<int>(l) & 1) != 0; }
constexpr bool has_elements(leaves l) { return (static_cast<int>(l) & 2) != 0; }

/// Which vectors an elementwise pass loads and stores. Bytes moved are counted from these.
template <int... Vectors>
struct reads {};
template <int... Vectors>
struct writes {};
/// Vectors by number, at compile time.
template <int... Vectors>
struct vector_list {
  static constexpr int count = sizeof...(Vectors);
  /// The place of f in the list, or -1.
  DWELL_HD static constexpr int place_of(int f) {
    int at = 0, found = -1;
    ((Vectors == f ? void(found = at) : void(), ++at), ...);
    return found;
  }
  template <class F>
  DWELL_FN static void each(F&& f) {
    (f(std::integral_constant<int, Vectors>{}), ...);
  }
};
/// An elementwise pass that also adds to Count sums, the first of which is First + shift.
template <int First, int Count = 1>
struct adds_to {
  int shift = 0;
};

/// Systems with one matrix that a Program solves together, its columns: 1, or 2, 4, 8. Element e of
/// a vector is then the values of all columns, side by side; only vectors in P::singles have one
/// value, which serves all columns. The matrix is read once for all of them. Lane l of a team
/// always works for column l % columns, so that a lane needs the scalars of one column, sums are
/// taken column by column, and no value of one column ever reaches another. Such a Program caches
/// nothing, has whole rows, a gathered vector, and scalars per column in P::column (trivially
/// copyable); P::scalars are those that all columns share.
template <class P>
inline constexpr int column_count = [] {
  if constexpr (requires { P::columns; })
    return P::columns;
  else
    return 1;
}();
template <class P>
inline constexpr bool many_columns = (column_count<P>) > 1;

/// Values per row of vector F.
template <class P, int F>
inline constexpr int values_of = [] {
  if constexpr (requires { typename P::singles; })
    return P::singles::place_of(F) >= 0 ? 1 : column_count<P>;
  else
    return column_count<P>;
}();

/// Two copies of the scalars of the columns, one per column each, which a run uses as it uses those
/// of program_args::state.
template <class P, int Columns = column_count<P>>
struct column_places {
  typename P::column* columns = nullptr;
};
template <class P>
struct column_places<P, 1> {};

/// A Program that multiplies by a growing number of vectors, its basis, says
///   DWELL_HD static constexpr std::size_t team_doubles(int basis);  // of each team's own
/// and gets both for the number of vectors that the run was made for (vectors/basis.hpp).
template <class P>
inline constexpr bool has_basis = requires {
  P::team_doubles(1);
};
template <class P, class T, bool = has_basis<P>>
struct basis_places {
  T* basis = nullptr;             ///< basis_size vectors of `rows` elements
  double* team_memory = nullptr;  ///< memory of each team, one after the other
  int basis_size = 0;
};
template <class P, class T>
struct basis_places<P, T, false> {};

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

/// A Program with a chain of products says `chains`: the numbers of its phases that run it, each of
/// them once for each phase of the chain. How many there are.
template <class P>
inline constexpr int chains_of = [] {
  if constexpr (requires { P::chains; })
    return static_cast<int>(std::size(P::chains));
  else
    return 0;
}();
template <class P>
inline constexpr bool has_chain = chains_of<P> > 0;
template <class P, int Phase>
inline constexpr bool runs_chain = [] {
  if constexpr (has_chain<P>)
    for (const int phase : P::chains)
      if (phase == Phase) return true;
  return false;
}();
/// How often an iteration runs a phase.
template <class P, int Phase, class Args>
DWELL_HD int times_of(const Args& a) {
  if constexpr (runs_chain<P, Phase>)
    return a.chain.phases;
  else
    return 1;
}
struct no_chain {};

/// What a team gets: plain data, by value.
template <class P, class T>
struct program_args : column_places<P>, basis_places<P, T> {
  csr_view<T> matrix;  ///< for teams that walk rows; the arrays are null for those that walk tiles
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
  std::conditional_t<has_chain<P>, product_chain, no_chain> chain;
};

/// Teams are cut between rows: a product is complete at once, but one dense row is one team's.
template <class P>
inline constexpr bool whole_rows_of = [] {
  if constexpr (requires { P::whole_rows; })
    return P::whole_rows;
  else
    return false;
}();

/// The one vector that products gather, written by its owners in a phase of its own; -1 if there is
/// none, or several.
template <class P>
inline constexpr int gathered_vector_of = [] {
  int found = -1, count = 0;
  for (int f = 0; f < P::vectors; ++f)
    if (P::uses[f] == use::gather) found = f, ++count;
  return count == 1 ? found : -1;
}();

/// Values that a product multiplies at once: 2 if a pair is exchanged, else one per column.
template <class P>
inline constexpr int product_width_of = [] {
  for (const use u : P::uses)
    if (u == use::partner) return 2;
  return column_count<P>;
}();

/// Partial sums of a team: those of P for each column, and four of the store's own.
template <class P>
inline constexpr int partial_slots_of = [] {
  if constexpr (many_columns<P>)
    return P::sum_count * column_count<P> + 4;
  else
    return partial_slots;
}();

/// Can this config run P? Those that cache have no code for columns. Configs that assume that all
/// is cached have no code for exchanged pairs, and P must not touch a vector now and then only: no
/// Program with one gathered vector does. Nor for chains, beside which the iteration is short.
template <class P>
inline constexpr bool may_cache_all = gathered_vector_of<P> >= 0 && !has_chain<P>;
template <class P>
constexpr bool can_run(const program_config& r) {
  if (many_columns<P> && r.caches) return false;
  return r.assumes == caching::part || may_cache_all<P>;
}

/// The scalars that a run in one launch begins with.
template <class P, class T>
DWELL_FN typename P::scalars first_scalars(const program_args<P, T>& a) {
  typename P::scalars m = a.start;
  if constexpr (requires { m.target2; }) m.target2 = a.state[0].target2;
  return m;
}

template <class P>
concept Program = requires {
  { P::name } -> std::convertible_to<const char*>;
  requires P::vectors <= max_vectors;
  requires P::phases >
  0;
  requires std::is_trivially_copyable_v<typename P::scalars>;
  requires std::is_same_v<decltype(P::scalars::step), int>;
  requires std::is_same_v<decltype(P::scalars::stop), int>;
};

}  // namespace dwell
