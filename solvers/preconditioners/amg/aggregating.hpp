// SPDX-License-Identifier: MIT
// The aggregates of a level (root_steps.hpp). For either backend; included by building.hpp.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "dwell/solvers/preconditioners/amg/multiplying.hpp"
#include "dwell/solvers/preconditioners/amg/operands.hpp"
#include "dwell/solvers/preconditioners/amg/root_steps.hpp"
#include "dwell/solvers/preconditioners/sequences/steps.hpp"

namespace dwell::amg {

template <class Loops, template <int, int> class Table>
class aggregating : protected multiplying<Loops, Table> {
  using base = multiplying<Loops, Table>;

 public:
  using base::base;

 protected:
  using base::fetched, base::find_diagonal_of, base::loops_, base::multiply, base::where_,
      base::with_values;
  template <class V>
  buffer<V> allocated(index n) {
    return base::template allocated<V>(n);
  }

  /// The aggregate of every row; returns how many there are. Rows without any coupling get -1, for
  /// they are left to the smoother, or with `all` aggregates of their own. Roots and their
  /// neighbours come first; then roots among the rows that are left, where a root has at least two
  /// of them beside it; then rows join a neighbour's aggregate. elements: of the graph.
  index aggregate(const graph& a, index elements, buffer<index>& to, bool all = false) {
    const index n = a.rows;
    buffer<float> most = allocated<float>(n);
    buffer<std::uint32_t> weights = allocated<std::uint32_t>(elements);
    loops_.items(n, rows_per_thread, find_weights{a, weights.data(), most.data()});
    loops_.items(n, rows_per_thread, compare_weights{a, most.data(), weights.data()});
    const strong_graph strong{a.row_ptr, a.row_end, a.col, weights.data()};
    buffer<index> head = allocated<index>(n), joined = allocated<index>(n);
    loops_.items(n, rows_per_thread, begin_heads{all ? nullptr : most.data(), head.data()});
    add_roots(strong, n, 0, head.data());
    add_roots(strong, n, 2, head.data());
    loops_.items(n, rows_per_thread, join_neighbours{strong, head.data(), joined.data()});
    buffer<index> number = allocated<index>(n + 1);
    loops_.items(n, rows_per_thread, count_roots{joined.data(), number.data()});
    loops_.sums_before(number.data(), number.data(), n);
    to = std::move(head);
    loops_.items(n, rows_per_thread, number_aggregates{joined.data(), number.data(), to.data()});
    return fetched(number.data() + n);
  }

  /// Rows of aggregates, each aggregate's in order.
  struct members {
    buffer<index> begin_of, row;
  };
  members members_of(const index* aggregates, index rows, index groups) {
    members made{{where_, static_cast<std::size_t>(groups) + 1}, allocated<index>(rows)};
    buffer<index> taken(where_, static_cast<std::size_t>(groups));
    buffer<index> found = allocated<index>(rows);
    loops_.items(rows, rows_per_thread, count_members{aggregates, made.begin_of.data()});
    loops_.sums_before(made.begin_of.data(), made.begin_of.data(), groups);
    loops_.items(rows, rows_per_thread,
                 scatter_members{aggregates, made.begin_of.data(), taken.data(), found.data()});
    loops_.warps(groups, rows_per_thread,
                 sequences::sort_transposed{made.begin_of.data(), found.data(), made.row.data()});
    return made;
  }
  /// Makes aggregates of aggregates; returns how many there are, or -1 if one has too many
  /// neighbours.
  index enlarge(const graph& a, index elements, index groups, buffer<index>& aggregates) {
    const members of = members_of(aggregates.data(), a.rows, groups);
    made_matrix coarse;
    if (!multiply(groups, static_cast<double>(elements) / groups,
                  rows_of_groups{of.begin_of.data(), of.row.data()},
                  grouped_columns{a, aggregates.data()}, coarse, with_values()))
      return -1;
    find_diagonal_of(coarse);
    buffer<index> second;
    const index made = aggregate(coarse.view(), coarse.nonzeros, second, true);
    loops_.items(a.rows, rows_per_thread, follow_aggregates{second.data(), aggregates.data()});
    return made;
  }

 private:
  /// Roots among the rows that are in no aggregate and have `fewest` such rows beside them, and
  /// their aggregates.
  void add_roots(const strong_graph& strong, index n, int fewest, index* head) {
    constexpr std::uint32_t likely = 4;  // rounds before which there is no end to wait for
    buffer<std::uint32_t> key = allocated<std::uint32_t>(n), near = allocated<std::uint32_t>(n);
    buffer<int> further(where_, 1);
    loops_.items(n, rows_per_thread, begin_roots{strong, head, fewest, key.data(), near.data()});
    if constexpr (base::on_host) {
      decide_on_host(strong, n, key.data(), near.data());
    } else {
      for (std::uint32_t round = 1;; ++round) {
        loops_.items(n, rows_per_thread, look_near{strong, key.data(), near.data()});
        loops_.items(n, rows_per_thread,
                     decide_roots{strong, near.data(), key.data(), round, further.data()});
        if (round >= likely && fetched(further.data()) < static_cast<int>(round)) break;
      }
    }
    loops_.items(n, rows_per_thread, join_roots{strong, key.data(), head});
  }

  /// The rounds, over rows alone that something may still happen to.
  void decide_on_host(const strong_graph& strong, index n, std::uint32_t* key,
                      std::uint32_t* near) {
    struct live {
      std::vector<index> looking, undecided;
    };
    struct none {};
    const auto open = [](std::uint32_t k) { return k != no_root && k != is_root; };
    std::vector<live> chunks(static_cast<std::size_t>((n + rows_per_chunk - 1) / rows_per_chunk));
    int further = 0;
    for (std::uint32_t round = 1;; ++round) {
      const look_near look{strong, key, near};
      loops_.template chunks<none>(
          n, rows_per_chunk, [&](none&, std::int64_t chunk, std::int64_t begin, std::int64_t end) {
            live& of = chunks[static_cast<std::size_t>(chunk)];
            typename Loops::warp w;
            if (round == 1) {
              for (index i = static_cast<index>(begin); i < end; ++i) {
                if (open(near[i])) of.looking.push_back(i);
                if (open(key[i])) of.undecided.push_back(i);
              }
            } else {
              std::erase_if(of.looking, [&](index i) { return !open(near[i]); });
            }
            for (const index i : of.looking) look(w, i);
          });
      const decide_roots decide{strong, near, key, round, &further};
      loops_.template chunks<none>(
          n, rows_per_chunk, [&](none&, std::int64_t chunk, std::int64_t, std::int64_t) {
            live& of = chunks[static_cast<std::size_t>(chunk)];
            typename Loops::warp w;
            for (const index i : of.undecided) decide(w, i);
            std::erase_if(of.undecided, [&](index i) { return !open(key[i]); });
          });
      if (further < static_cast<int>(round)) break;
    }
  }
};

}  // namespace dwell::amg
