// SPDX-License-Identifier: MIT
// The aggregates of a level, by passes of pairwise matching (match_steps.hpp): each pass matches
// the groups of the one before, whose graph is a product. For either backend; included by
// building.hpp.
#pragma once
#include <cstdint>
#include <utility>

#include "dwell/solvers/preconditioners/amg/multiplying.hpp"
#include "dwell/solvers/preconditioners/amg/operands.hpp"

namespace dwell::amg {

inline constexpr int passes = 3, rounds = 4;
inline constexpr int pass_members = 1 << passes;  ///< rows of an aggregate without those that join
static_assert(pass_members == aggregate_quality::most);
/// Rows from one level to the next where aggregates are checked: fewer, and checks end.
inline constexpr double least_checked_gain = 3.9;

/// What a pass of matching makes.
struct matched_pass {
  index groups = 0;
  buffer<index> group;          ///< per row
  buffer<index> first, second;  ///< per group: its rows
};
template <class Loops, template <int, int> class Table>
class aggregating : protected multiplying<Loops, Table> {
  using base = multiplying<Loops, Table>;

 public:
  /// quality: of aggregates, 0: they are not checked.
  aggregating(const device& where, double quality)
      : base(where), quality_(quality), checked_(quality > 0.0) {}

 protected:
  using base::fetched, base::find_diagonal_of, base::loops_, base::multiply_in_room;
  template <class V>
  buffer<V> allocated(index n) {
    return base::template allocated<V>(n);
  }

  /// A pass of matching. room: elements that the rows of `a` have room for.
  matched_pass match(const graph& a, index elements, const aggregate_quality& quality, bool first,
                     bool last) {
    const index n = a.rows;
    buffer<float> most = allocated<float>(n);
    buffer<std::uint32_t> weights = allocated<std::uint32_t>(elements);
    buffer<index> mate = allocated<index>(n), wish = allocated<index>(n),
                  head = allocated<index>(n), number = allocated<index>(n + 1);
    const best_neighbour best{a.row_ptr, a.row_end, a.col, weights.data(), mate.data()};
    loops_.items(n, rows_per_thread, begin_matching{a, weights.data(), most.data(), mate.data()});
    loops_.items(n, rows_per_thread, compare_weights{a, most.data(), weights.data()});
    for (int r = 0; r < rounds; ++r) {
      loops_.items(n, rows_per_thread, propose{best, quality, wish.data()});
      loops_.items(n, rows_per_thread, shake_hands{wish.data(), mate.data()});
    }
    loops_.items(n, rows_per_thread,
                 choose_heads{best, most.data(), last, first, head.data(), number.data()});
    loops_.sums_before(number.data(), number.data(), n);
    matched_pass made;
    made.groups = fetched(number.data() + n);
    made.group = allocated<index>(n);
    made.first = allocated<index>(made.groups);
    made.second = allocated<index>(made.groups);
    loops_.items(n, rows_per_thread,
                 number_groups{head.data(), number.data(), mate.data(), made.group.data(),
                               made.first.data(), made.second.data()});
    return made;
  }

  /// The aggregate of every row, -1: none; returns how many there are, or -1 if a row of the graph
  /// of groups has too many neighbours. The last pass checks its aggregates, which those of
  /// sequences and of weak couplings fail; where most fail, the level is not of the kind that the
  /// check is for, and neither are coarser ones. most: passes; of another number nothing is
  /// checked.
  index aggregate(const graph& a, const made_matrix& level, buffer<index>& to, int most = passes) {
    matched_pass made = match(a, level.nonzeros, {}, true, most == 1);
    to = std::move(made.group);
    made_matrix of_groups;
    graph at = a;
    index elements = level.nonzeros, longest = level.longest;
    buffer<index> members, group;
    for (int pass = 1; pass < most && made.groups > 1; ++pass) {
      const bool last = pass + 1 == most;
      made_matrix coarser;
      coarser.rows = made.groups;
      coarser.row_ptr = allocated<index>(made.groups + 1);
      coarser.nonzeros = elements;
      coarser.longest = longest = longest > Table<1024, 32>::most ? longest : 2 * longest;
      const int count = 1 << pass;
      buffer<index> described = allocated<index>(made.groups * count);
      loops_.items(made.groups, rows_per_thread,
                   describe_groups{at, made.first.data(), made.second.data(), members.data(), count,
                                   coarser.row_ptr.data(), described.data()});
      members = std::move(described);
      loops_.sums_before(coarser.row_ptr.data(), coarser.row_ptr.data(), made.groups);
      if (!multiply_in_room(2.0 * elements / at.rows,
                            rows_of_groups{made.first.data(), made.second.data()},
                            grouped_columns{at, pass == 1 ? to.data() : group.data()},
                            coarser.row_ptr.data(), coarser))
        return -1;
      find_diagonal_of(coarser, false);
      of_groups = std::move(coarser);
      at = of_groups.view();
      longest = of_groups.longest;
      aggregate_quality quality;
      if (last && checked_ && most == passes)
        quality = {a, level.sums.data(), members.data(), quality_};
      made = match(at, elements, quality, false, last);
      if (quality.members && made.groups * least_checked_gain > a.rows) {
        checked_ = false;
        made = match(at, elements, {}, false, last);
      }
      loops_.items(a.rows, rows_per_thread, follow_groups{made.group.data(), to.data()});
      group = std::move(made.group);
    }
    return made.groups;
  }

 private:
  double quality_;
  bool checked_;  ///< aggregates are
};

}  // namespace dwell::amg
