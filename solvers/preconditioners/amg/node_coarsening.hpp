// SPDX-License-Identifier: MIT
// Coarsening by nodes and near-null vectors: aggregates of the graph of nodes, the factors of the
// vectors, and a prolongation that holds them. For setup_loops and row_table of either backend;
// included by building.hpp.
#pragma once
#include <cstdint>
#include <limits>
#include <utility>

#include "dwell/solvers/preconditioners/amg/aggregating.hpp"
#include "dwell/solvers/preconditioners/amg/node_operands.hpp"
#include "dwell/solvers/preconditioners/amg/node_steps.hpp"
#include "dwell/solvers/preconditioners/sequences/steps.hpp"

namespace dwell::amg {

template <class Loops, template <int, int> class Table>
class node_coarsening : protected aggregating<Loops, Table> {
  using base = aggregating<Loops, Table>;

 public:
  using base::base;

 protected:
  using base::aggregate, base::fetched, base::loops_, base::multiply, base::multiply_again,
      base::multiply_in_room, base::where_, base::with_values;
  template <class V>
  buffer<V> allocated(index n) {
    return base::template allocated<V>(n);
  }

  /// The graph of nodes of `size` rows; its rows are 0 if a node has too many neighbours.
  made_matrix graph_of_nodes(const graph& a, const made_matrix& level, index size) {
    made_matrix nodes;
    const double products = static_cast<double>(level.nonzeros) / a.rows * size;
    if (!multiply(a.rows / size, products, rows_of_nodes{size}, squares_by_node{a, size}, nodes,
                  [&](made_matrix& m) {
                    m.val = allocated<double>(m.nonzeros);
                    return put_block_norms{m.val.data()};
                  }))
      return {};
    nodes.diagonal = allocated<double>(nodes.rows);
    loops_.items(nodes.rows, rows_per_thread,
                 raise_diagonal{nodes.row_ptr.data(), nodes.col.data(), nodes.val.data(),
                                nodes.diagonal.data()});
    return nodes;
  }
  /// T, row by row, and the vectors of the coarse level, column by column.
  struct factors {
    buffer<double> t, coarse;
  };
  factors factorize(const graph& a, index size, index vectors, index groups,
                    const index* aggregates, const double* near_null) {
    const index nodes = a.rows / size;
    const auto of = this->members_of(aggregates, nodes, groups);
    factors made{allocated<double>(a.rows * vectors),
                 allocated<double>(groups * vectors * vectors)};
    loops_.items(a.rows, rows_per_thread,
                 take_vectors{a, size, vectors, aggregates, near_null, made.t.data()});
    constexpr std::int64_t groups_per_thread = rows_per_thread / 64;
    loops_.warps(groups, groups_per_thread,
                 factorize_aggregates{size, vectors, of.begin_of.data(), of.row.data(),
                                      made.t.data(), made.coarse.data(), groups});
    return made;
  }

  /// P = (I - omega D^-1 A) T; false if a row has too many columns. One that is there already gets
  /// other values.
  bool prolong_nodes(const graph& a, double of_a, double omega, const tentative_rows& t,
                     made_matrix& p) {
    const smoothing_rows smoothing{a, omega};
    const double products = of_a * t.vectors;
    if (p.rows > 0) {
      multiply_again(products, smoothing, t, p, put_prolongation{p.val.data()});
      return true;
    }
    return multiply(a.rows, products, smoothing, t, p, [&](made_matrix& m) {
      m.val = allocated<double>(m.nonzeros);
      return put_prolongation{m.val.data()};
    });
  }

  /// P' (A P), with `unit` on the diagonal where a column of P is empty.
  bool multiply_coarse(index rows, index of_rows, double products, const restriction_rows& p,
                       const made_matrix& ap, double unit, made_matrix& coarse) {
    if (rows > std::numeric_limits<index>::max() - ap.nonzeros) return false;
    const restriction_or_unit left{p, of_rows, ap.nonzeros, unit};
    const rows_and_units right{
        {ap.row_ptr.data(), ap.row_ptr.data() + 1, ap.col.data(), ap.val.data()},
        of_rows,
        ap.nonzeros};
    if (coarse.rows == 0) return multiply(rows, products, left, right, coarse, with_values());
    multiply_again(products, left, right, coarse, put_sums{coarse.val.data()});
    return true;
  }
};

}  // namespace dwell::amg
