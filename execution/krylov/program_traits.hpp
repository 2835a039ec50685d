// SPDX-License-Identifier: MIT
// Facts that follow from the struct of a Program (dwell/linear/program.hpp), and the members that a
// Program of the library may have besides: columns, a basis, a sequence of products.
#pragma once
#include <iterator>

#include "dwell/base/fn.hpp"
#include "dwell/execution/krylov/plan/residency.hpp"
#include "dwell/execution/team/partial_slots.hpp"
#include "dwell/linear/program.hpp"

namespace dwell {

/// What a phase of P leaves; `both` where P does not say.
template <class P, int Phase>
inline constexpr output output_of = [] {
  if constexpr (requires { P::outputs; })
    return P::outputs[Phase];
  else
    return output::both;
}();
constexpr bool has_sums(output l) { return (static_cast<int>(l) & 1) != 0; }
constexpr bool has_elements(output l) { return (static_cast<int>(l) & 2) != 0; }

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

/// A Program that multiplies by a growing number of vectors, its basis, says
///   DWELL_HD static constexpr std::size_t team_doubles(int basis);  // of each team's own
/// and gets both for the number of vectors that the run was made for (vectors/basis.hpp).
template <class P>
inline constexpr bool has_basis = requires {
  P::team_doubles(1);
};

/// A Program with a sequence of products says `sequences`: the numbers of its phases that run it,
/// each of them once for each phase of the sequence. How many there are.
template <class P>
inline constexpr int sequences_of = [] {
  if constexpr (requires { P::sequences; })
    return static_cast<int>(std::size(P::sequences));
  else
    return 0;
}();
template <class P>
inline constexpr bool has_sequence = sequences_of<P> > 0;
template <class P, int Phase>
inline constexpr bool runs_sequence = [] {
  if constexpr (has_sequence<P>)
    for (const int phase : P::sequences)
      if (phase == Phase) return true;
  return false;
}();

/// Others read elements of a gathered vector that were set before the run: under a plan with ghosts
/// these are exchanged before the first phase.
template <class P>
inline constexpr bool gathers_first = [] {
  if constexpr (requires { P::writes_gathered_first; })
    return !P::writes_gathered_first;
  else
    return true;
}();

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

/// Partial sums of a team: those of P for each column, and four of the workspace's own.
static_assert(partial_slots == max_sums + 4);
template <class P>
inline constexpr int partial_slots_of = [] {
  if constexpr (many_columns<P>)
    return P::sum_count * column_count<P> + 4;
  else
    return partial_slots;
}();

/// Can this config run P? Those that cache have no code for columns. Configs that assume that all
/// is cached have no code for exchanged pairs, and P must not touch a vector now and then only: no
/// Program with one gathered vector does. Nor for sequences, beside which the iteration is short.
template <class P>
inline constexpr bool may_cache_all = gathered_vector_of<P> >= 0 && !has_sequence<P>;
template <class P>
constexpr bool can_run(const program_config& r) {
  if (many_columns<P> && r.caches) return false;
  return r.assumes == caching::part || may_cache_all<P>;
}

}  // namespace dwell
