// SPDX-License-Identifier: MIT
// What a level of a hierarchy gives to the sequence and to the next level: its numbers (bounds,
// weights of Jacobi), A P, P' A P and the matrices of the sequence; first, and again with other
// values. For setup_loops and row_table of either backend; included by building.hpp.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "dwell/execution/krylov/products/put_in_slices.hpp"
#include "dwell/execution/krylov/products/sliced_matrix.hpp"
#include "dwell/solvers/preconditioners/amg/amg.hpp"
#include "dwell/solvers/preconditioners/amg/classical_coarsening.hpp"
#include "dwell/solvers/preconditioners/amg/coloured_levels.hpp"
#include "dwell/solvers/preconditioners/amg/host_parts.hpp"
#include "dwell/solvers/preconditioners/amg/level_bounds.hpp"
#include "dwell/solvers/preconditioners/amg/linking.hpp"
#include "dwell/solvers/preconditioners/amg/operands.hpp"
#include "dwell/solvers/preconditioners/amg/prolong_steps.hpp"
#include "dwell/solvers/preconditioners/sequences/steps.hpp"

namespace dwell::amg {

/// What lies between a level's matrix and the next one's.
struct level_parts {
  buffer<index> aggregates;
  splitting split;  ///< for classical coarsening
  made_matrix p;    ///< its rows begin where those of A do, or where it has one row_ptr says
  made_matrix ap, coarse;
  buffer<index> row_of, begin_of, sorted;  ///< where elements of ap are; and ap transposed
  buffer<double> p_there, smoothed;        ///< P and (I - omega D^-1 A) P at the elements of ap
  index node_rows = 0;                     ///< rows of a node of the level; 0: it has none
  buffer<double> tentative;                ///< by nodes: T
  bool by_nodes() const { return node_rows > 0; }
};

template <class Loops, template <int, int> class Table>
class level_matrices : protected classical_coarsening<Loops, Table> {
  using base = classical_coarsening<Loops, Table>;

 protected:
  using base::aggregate, base::fetched, base::find_diagonal_of, base::loops_, base::multiply,
      base::multiply_again, base::multiply_in_room, base::where_, base::with_values;
  template <class V>
  buffer<V> allocated(index n) {
    return base::template allocated<V>(n);
  }

  level_matrices(const device& where, const amg_options& o)
      : base(where), options_(o), coloured_(this->loops_, where) {}

  /// Gives a level its colours, where all before it have them.
  void find_colours(const graph& a) {
    if constexpr (base::on_host)
      if (options_.coloured_rows > 0 && a.rows >= options_.coloured_rows && vectors_ == 0 &&
          a.rows > options_.coarsest)
        coloured_.add(a);
  }

  /// The filter of the prolongation and the bounds of a level.
  level_bounds find_bounds(const graph& a, double* keep, double* filtered) {
    constexpr double tight = 2.01;  // bounds of rows without elements of both signs
    buffer<level_bounds> bounds(where_, 1);
    loops_.items(a.rows, rows_per_thread, find_filter{a, keep, filtered, bounds.data()});
    if (coloured_.has(level_)) return fetched(bounds.data());
    if (level_ == 0) {
      const level_bounds found = fetched(bounds.data());
      if (double_of(found.smoother) <= tight) return found;
    }
    buffer<double> x = allocated<double>(a.rows), y = allocated<double>(a.rows);
    loops_.items(a.rows, rows_per_thread, begin_growth{x.data()});
    for (int k = 0; k < level_bounds::steps; ++k) {
      loops_.items(a.rows, rows_per_thread, grow{a, x.data(), y.data(), bounds.data()->growth + k});
      std::swap(x, y);
    }
    return fetched(bounds.data());
  }

  /// Numbers of a level, from its matrix.
  struct level_numbers {
    double omega = 0.0, filter_omega = 0.0;
    buffer<double> keep, filtered;
  };
  /// Where a level has colours and no filter, all that is wanted of its bounds.
  void find_unit(const graph& a) {
    if (unit_ != 0.0) return;
    buffer<std::uint64_t> largest(where_, 1);
    loops_.items(a.rows, rows_per_thread, find_largest_diagonal{a.diagonal, largest.data()});
    unit_ = std::ldexp(1.0, std::ilogb(double_of(fetched(largest.data()))));
  }
  level_numbers find_numbers(const graph& a) {
    if constexpr (base::on_host)
      if (coloured_.has(level_) && options_.coarsening == coarsening_kind::classical) {
        find_unit(a);
        return {};
      }
    level_numbers n{0.0, 0.0, allocated<double>(a.rows), allocated<double>(a.rows)};
    const level_bounds found = find_bounds(a, n.keep.data(), n.filtered.data());
    n.omega = coloured_.has(level_) ? 0.0 : 4.0 / 3.0 / largest_eigenvalue(found);
    n.filter_omega = 4.0 / 3.0 / double_of(found.filter);
    if (unit_ == 0.0) unit_ = std::ldexp(1.0, std::ilogb(double_of(found.diagonal)));
    out_.levels[level_].omega = n.omega;
    return n;
  }
  /// About how many products the rows of A P and of P' A P have: what is needed to choose a table.
  struct level_products {
    double of_p, of_ap, of_coarse;
    level_products(const graph& a, index nonzeros, const level_parts& parts) {
      const double of_a = static_cast<double>(nonzeros) / a.rows;
      of_p = parts.by_nodes() ? static_cast<double>(parts.p.nonzeros) / a.rows
                              : std::min(4.0, 0.6 * of_a);
      of_ap = of_a * of_p;
      of_coarse = 0.0;
    }
    void set_coarse(const made_matrix& ap, index groups) {
      of_coarse = of_p * ap.nonzeros / groups;
    }
  };
  static matrix_rows rows_of(const made_matrix& m) {
    return {m.row_ptr.data(), m.row_ptr.data() + 1, m.col.data(), m.val.data()};
  }
  static matrix_rows rows_of_p(const graph& a, const level_parts& of) {
    if (of.by_nodes()) return rows_of(of.p);
    if (of.p.row_ptr.size() > 0)
      return {of.p.row_ptr.data(), of.p.row_end.data(), of.p.col.data(), of.p.val.data()};
    return {a.row_ptr, of.p.row_end.data(), of.p.col.data(), of.p.val.data()};
  }
  static put_smoothed putting(const graph& a, double omega, level_parts& to) {
    const matrix_rows p = rows_of_p(a, to);
    return {a.diagonal,
            omega,
            p.row_ptr,
            p.row_end,
            p.col,
            p.val,
            to.row_of.data(),
            to.ap.val.data(),
            to.p_there.data(),
            to.smoothed.data()};
  }
  static restriction_rows restriction(const level_parts& of) {
    return {of.begin_of.data(), of.sorted.data(), of.row_of.data(), of.p_there.data()};
  }
  bool prolong(const graph& a, const made_matrix& level, const level_numbers& n,
               const index* aggregates, made_matrix& p) {
    p.rows = a.rows;
    p.nonzeros = level.nonzeros;
    p.longest = level.longest;
    return multiply_in_room(
        static_cast<double>(level.nonzeros) / a.rows, same_row{},
        prolongation_rows{a, aggregates, n.keep.data(), n.filtered.data(), n.filter_omega},
        a.row_ptr, p);
  }

  /// P' A P of a level with colours, its matrices of the sequence, and the colours of the next one.
  bool fill_coloured(const graph& a, index groups, level_parts& to) {
    const bool again = to.coarse.rows > 0;
    const matrix_rows p = rows_of_p(a, to);
    halved_product halves;
    if (!coloured_.multiply(level_, a, p, halves)) return false;
    const auto across = transposed_on_host(a.rows, p.row_ptr, p.row_end, p.col, p.val, groups);
    const matrix_rows restriction{across.begin.data(), across.begin.data() + 1, across.row.data(),
                                  across.val.data()};
    const auto right = rows_in_chunks::of(halves);
    if (again)
      multiply_again(0.0, restriction, right, to.coarse, put_sums{to.coarse.val.data()});
    else if (!multiply(groups, 0.0, restriction, right, to.coarse, with_values()))
      return false;
    find_diagonal_of(to.coarse);
    if (again && coloured_.has(level_ + 1)) coloured_.set_roots(level_ + 1, to.coarse.view());
    if (!again) find_colours(to.coarse.view());
    coloured_.put_matrix(level_, a, unit_);
    coloured_.put_corrections(level_, halves, groups, unit_);
    return true;
  }
  /// A P and P' A P, a matrix of so many rows; false if a row has too many columns.
  bool multiply_level(const graph& a, const made_matrix& level, double omega, index rows,
                      level_parts& to) {
    level_products products(a, level.nonzeros, to);
    if (!multiply(a.rows, products.of_ap, matrix_rows{a.row_ptr, a.row_end, a.col, a.val},
                  rows_of_p(a, to), to.ap, [&](made_matrix& m) {
                    m.val = allocated<double>(m.nonzeros);
                    to.row_of = allocated<index>(m.nonzeros);
                    to.p_there = allocated<double>(m.nonzeros);
                    to.smoothed = allocated<double>(m.nonzeros);
                    return putting(a, omega, to);
                  }))
      return false;
    to.begin_of = {where_, static_cast<std::size_t>(rows) + 1};
    transpose(to.ap, rows, to.begin_of, to.sorted);
    products.set_coarse(to.ap, rows);
    if (!(to.by_nodes() ? this->multiply_coarse(rows, a.rows, products.of_coarse, restriction(to),
                                                to.ap, unit_, to.coarse)
                        : multiply(rows, products.of_coarse, restriction(to), rows_of(to.ap),
                                   to.coarse, with_values())))
      return false;
    find_diagonal_of(to.coarse);
    return true;
  }
  bool prolong_nodes(const graph& a, const made_matrix& level, const level_numbers& n,
                     level_parts& to) {
    return base::prolong_nodes(
        a, static_cast<double>(level.nonzeros) / a.rows, n.omega,
        tentative_rows{to.node_rows, vectors_, to.aggregates.data(), to.tentative.data()}, to.p);
  }
  void prolong_again(const graph& a, const made_matrix& level, const level_numbers& n,
                     level_parts& to) {
    if (options_.coarsening == coarsening_kind::classical) {
      this->interpolate_rows(a, level.nonzeros, to.split, to.p);
      return;
    }
    made_matrix p;
    prolong(a, level, n, to.aggregates.data(), p);
    loops_.items(a.rows, rows_per_thread,
                 keep_pattern{a.row_ptr, p.row_end.data(), p.col.data(), p.val.data(),
                              to.p.row_end.data(), to.p.col.data(), to.p.val.data()});
  }
  /// Fills a level with other values.
  void fill_again(const graph& a, const made_matrix& level, level_parts& to) {
    const level_numbers n = find_numbers(a);
    if (to.by_nodes()) {
      prolong_nodes(a, level, n, to);
    } else {
      prolong_again(a, level, n, to);
      if constexpr (base::on_host)
        if (coloured_.has(level_)) {
          fill_coloured(a, to.coarse.rows, to);
          return;
        }
    }
    level_products products(a, level.nonzeros, to);
    multiply_again(products.of_ap, matrix_rows{a.row_ptr, a.row_end, a.col, a.val},
                   rows_of_p(a, to), to.ap, putting(a, n.omega, to));
    products.set_coarse(to.ap, to.coarse.rows);
    if (to.by_nodes())
      this->multiply_coarse(to.coarse.rows, a.rows, products.of_coarse, restriction(to), to.ap,
                            unit_, to.coarse);
    else
      multiply_again(products.of_coarse, restriction(to), rows_of(to.ap), to.coarse,
                     put_sums{to.coarse.val.data()});
    find_diagonal_of(to.coarse);
    put_level(a, level.nonzeros, n.omega, to);
  }
  /// A level's matrices of the sequence.
  void put_level(const graph& a, index nonzeros, double omega, const level_parts& of) {
    const auto of_ap = static_cast<double>(of.ap.nonzeros);
    put(slices_.smoothers[level_], smoother_slices{a, omega, unit_}, a.rows, nonzeros);
    put(slices_.down[level_],
        sequences::column_slices{of.begin_of.data(), of.sorted.data(), of.row_of.data(),
                                 of.smoothed.data()},
        of.coarse.rows, of_ap);
    put(slices_.up[level_],
        sequences::row_slices{of.ap.row_ptr.data(), of.ap.row_ptr.data() + 1, of.ap.col.data(),
                              of.smoothed.data()},
        a.rows, of_ap);
  }
  template <class Source>
  void put(std::shared_ptr<owned_slices>& to, const Source& from, index rows, double nonzeros) {
    if (to)
      slicing::put_values(loops_, from, *to);
    else
      to = slicing::put_in_slices(loops_, where_, from, rows, nonzeros);
  }
  void transpose(const made_matrix& m, index columns, buffer<index>& begin_of,
                 buffer<index>& sorted) {
    if constexpr (base::on_host) {
      sorted = allocated<index>(m.nonzeros);
      transpose_on_host(m.nonzeros, m.col.data(), columns, begin_of.data(), sorted.data());
      return;
    }
    loops_.items(m.nonzeros, rows_per_thread,
                 sequences::count_transposed{m.col.data(), begin_of.data()});
    loops_.sums_before(begin_of.data(), begin_of.data(), columns);
    buffer<index> taken(where_, static_cast<std::size_t>(columns));
    buffer<index> entry = allocated<index>(m.nonzeros);
    sorted = allocated<index>(m.nonzeros);
    loops_.items(
        m.nonzeros, rows_per_thread,
        sequences::scatter_transposed{m.col.data(), begin_of.data(), taken.data(), entry.data()});
    loops_.warps(columns, rows_per_thread,
                 sequences::sort_transposed{begin_of.data(), entry.data(), sorted.data()});
  }

  amg_options options_;
  index vectors_ = 0;  ///< near the null space; 0: the constant one, and there are no nodes
  double unit_ =
      0.0;  ///< unit of the sequence's result: the largest diagonal element's power of two
  level_slices slices_;
  std::conditional_t<base::on_host, coloured_levels<Loops>, no_coloured_levels> coloured_;
  std::size_t level_ = 0;  ///< the one that is worked at
  amg_hierarchy out_;
};

}  // namespace dwell::amg
