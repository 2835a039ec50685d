// SPDX-License-Identifier: MIT
// The set-up of a hierarchy as a sequence of loops, for setup_loops and row_table of either
// backend: per level the aggregates, the prolongation, A P, the coarse matrix, and the matrices of
// the sequence. Included by amg.cpp and amg_cuda.cpp alone.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/execution/krylov/products/put_in_slices.hpp"
#include "dwell/execution/krylov/products/sliced_matrix.hpp"
#include "dwell/solvers/preconditioners/amg/amg.hpp"
#include "dwell/solvers/preconditioners/amg/classical_coarsening.hpp"
#include "dwell/solvers/preconditioners/amg/coloured_levels.hpp"
#include "dwell/solvers/preconditioners/amg/host_parts.hpp"
#include "dwell/solvers/preconditioners/amg/level_bounds.hpp"
#include "dwell/solvers/preconditioners/amg/linking.hpp"
#include "dwell/solvers/preconditioners/amg/mode_fit.hpp"
#include "dwell/solvers/preconditioners/amg/operands.hpp"
#include "dwell/solvers/preconditioners/amg/prolong_steps.hpp"
#include "dwell/solvers/preconditioners/amg/wide_values.hpp"
#include "dwell/solvers/preconditioners/sequences/steps.hpp"

namespace dwell::amg {

inline constexpr int most_root_levels = 12;
inline constexpr int most_classical_levels = 24;
/// On a GPU: the last one has one product, the others three (link_levels()).
inline constexpr int most_levels_on_gpu = (most_products - 1) / 3 + 1;
static_assert(most_root_levels <= most_levels_on_gpu);
inline constexpr index most_dense_rows =
    600;  ///< rows of a level that is inverted as there is no coarser
inline constexpr double least_gain = 0.8;       ///< ratio of rows from one level to the next
inline constexpr double most_complexity = 4.0;  ///< operator complexity of all levels

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
class builder : classical_coarsening<Loops, Table> {
  using base = classical_coarsening<Loops, Table>;
  using base::aggregate, base::fetched, base::find_diagonal_of, base::loops_, base::multiply,
      base::multiply_again, base::multiply_in_room, base::where_, base::with_values;
  template <class V>
  buffer<V> allocated(index n) {
    return base::template allocated<V>(n);
  }

 public:
  builder(const device& where, const amg_options& o)
      : base(where), options_(o), coloured_(this->loops_, where) {}

  template <class T>
  amg_hierarchy build(const csr_arrays<T>& a) {
    take_near_null(a.rows);
    const made_matrix finest = take(a);
    const made_matrix* here = &finest;
    graph at = view_of(finest, a);
    look_at_near_null(at);
    find_colours(at);
    std::int64_t all = a.nonzeros;
    for (;;) {
      add_level(at.rows, here->nonzeros);
      if (at.rows <= options_.coarsest) break;
      if (static_cast<int>(out_.levels.size()) == most_levels()) {
        out_.stalled = true;
        break;
      }
      level_parts next;
      if (!coarsen(at, *here, next)) {
        out_.stalled = true;
        break;
      }
      parts_.push_back(std::move(next));
      here = &parts_.back().coarse;
      at = here->view();
      if (!options_.keep && parts_.size() > 1) parts_.pop_front();
      all += here->nonzeros;
      if (static_cast<double>(all) > most_complexity * static_cast<double>(a.nonzeros)) {
        add_level(at.rows, here->nonzeros);
        out_.stalled = true;
        break;
      }
    }
    end_at(at, here->nonzeros);
    link_levels(where_, out_.levels, slices_, coloured_, out_.products);
    if (!options_.keep) parts_.clear();
    near_null_ = {};
    amg_hierarchy made = std::move(out_);
    out_ = {};
    out_.levels = made.levels;
    out_.stalled = made.stalled;
    made.coarsening = options_.coarsening;
    return made;
  }

  /// Puts other values of the same pattern into the matrices of the sequence, where options.keep
  /// was set: the aggregates and all patterns stay.
  template <class T>
  void refresh(const csr_arrays<T>& a) {
    unit_ = 0.0;
    const made_matrix finest = take(a);
    const made_matrix* here = &finest;
    graph at = view_of(finest, a);
    if constexpr (base::on_host)
      if (coloured_.has(0)) coloured_.set_roots(0, at);
    level_ = 0;
    for (level_parts& next : parts_) {
      fill_again(at, *here, next);
      here = &next.coarse;
      at = here->view();
      ++level_;
    }
    end_at(at, here->nonzeros);
    memory_of(where_.on()).finish(where_);
  }

 private:
  int most_levels() const {
    if (options_.coarsening == coarsening_kind::roots) return most_root_levels;
    return base::on_host && !options_.split_in_rounds
               ? most_classical_levels
               : std::min(most_classical_levels, most_levels_on_gpu);
  }
  static const double* values_of(const csr_arrays<double>& a) { return a.val; }
  static const double* values_of(const csr_arrays<float>&) { return nullptr; }

  /// The vectors in units of their largest elements; of none of them the caller's memory is kept.
  void take_near_null(index rows) {
    const std::span<const double> given = std::exchange(options_.near_null, {});
    vectors_ =
        given.empty() ? 0 : static_cast<index>(given.size() / static_cast<std::size_t>(rows));
    if (vectors_ == 0) return;
    std::vector<double> scaled(given.begin(), given.end());
    for (auto v = scaled.begin(); v != scaled.end(); v += rows) {
      double most = 0.0;
      for (auto e = v; e != v + rows; ++e) most = std::max(most, std::fabs(*e));
      const int exponent = most > 0.0 ? std::ilogb(most) : 0;
      for (auto e = v; e != v + rows; ++e) *e = std::ldexp(*e, -exponent);
    }
    near_null_ = buffer<double>::copy_of(where_, scaled);
    memory_of(where_.on()).finish(where_);
  }
  void look_at_near_null(const graph& a) {
    out_.rows_apart.clear();
    if (vectors_ == 0) return;
    buffer<fit_of_vector> fits(where_, static_cast<std::size_t>(vectors_));
    for (index k = 0; k < vectors_; ++k)
      loops_.items(a.rows, rows_per_thread,
                   count_rows_apart{a, near_null_.data() + static_cast<std::ptrdiff_t>(k) * a.rows,
                                    fits.data() + k});
    for (index k = 0; k < vectors_; ++k)
      out_.rows_apart.push_back(fetched(fits.data() + k).share_apart(a.rows));
  }
  void add_level(index rows, index nonzeros) {
    const index nodes = vectors_ == 0 ? 1 : out_.levels.empty() ? options_.node_rows : vectors_;
    const int colours = coloured_.colours(out_.levels.size());
    out_.levels.push_back({rows, nonzeros, 0.0, colours, nodes, vectors_});
  }
  /// Gives a level its colours, where all before it have them.
  void find_colours(const graph& a) {
    if constexpr (base::on_host)
      if (options_.coloured_rows > 0 && a.rows >= options_.coloured_rows && vectors_ == 0 &&
          a.rows > options_.coarsest)
        coloured_.add(a);
  }

  template <class T>
  graph view_of(const made_matrix& finest, const csr_arrays<T>& a) {
    graph at = finest.view();
    if (finest.val.size() == 0) at.val = values_of(a);
    at.row_ptr = a.row_ptr;
    at.row_end = a.row_ptr + 1;
    at.col = a.col;
    return at;
  }
  template <class T>
  made_matrix take(const csr_arrays<T>& a) {
    made_matrix m;
    m.rows = a.rows;
    m.nonzeros = a.nonzeros;
    m.diagonal = allocated<double>(a.rows);
    if constexpr (!std::is_same_v<T, double>) m.val = wide_values(loops_, where_, a, vectors_ == 0);
    const double* val = m.val.size() > 0 ? m.val.data() : values_of(a);
    buffer<index> longest(where_, 1);
    loops_.items(a.rows, rows_per_thread,
                 find_diagonal{{a.rows, a.row_ptr, a.row_ptr + 1, a.col, val, nullptr},
                               m.diagonal.data(),
                               longest.data()});
    m.longest = fetched(longest.data());
    return m;
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

  /// Adds the matrices of a level to the sequence and makes the next one's matrix; false: there is
  /// none.
  bool coarsen(const graph& a, const made_matrix& level, level_parts& to) {
    level_ = out_.levels.size() - 1;
    if (!(vectors_ > 0 ? coarsen_by_nodes(a, level, to) : coarsen_by_rows(a, level, to)))
      return false;
    slices_.smoothers.push_back({});
    slices_.down.push_back({});
    slices_.up.push_back({});
    if (!coloured_.has(level_)) put_level(a, level.nonzeros, out_.levels[level_].omega, to);
    return true;
  }
  bool coarsen_by_rows(const graph& a, const made_matrix& level, level_parts& to) {
    const bool classical = options_.coarsening == coarsening_kind::classical;
    const index groups = classical
                             ? this->split(a, level.nonzeros, options_.split_in_rounds, to.split)
                             : aggregate(a, level.nonzeros, to.aggregates);
    if (groups <= 0 || groups > least_gain * a.rows) return false;
    const level_numbers n = find_numbers(a);
    if (classical) {
      if (!this->interpolate_rows(a, level.nonzeros, to.split, to.p)) return false;
    } else {
      if (!prolong(a, level, n, to.aggregates.data(), to.p)) return false;
      loops_.items(a.rows, rows_per_thread,
                   truncate{a.row_ptr, to.p.row_end.data(), to.p.col.data(), to.p.val.data()});
    }
    if constexpr (base::on_host)
      if (coloured_.has(level_)) return fill_coloured(a, groups, to);
    return multiply_level(a, level, n.omega, groups, to);
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
  /// Where rows become too long, or there are too many of them, aggregates become larger.
  bool coarsen_by_nodes(const graph& a, const made_matrix& level, level_parts& to) {
    const index node_rows = out_.levels[level_].node_rows;
    const made_matrix nodes = this->graph_of_nodes(a, level, node_rows);
    if (nodes.rows == 0) return false;
    const level_numbers n = find_numbers(a);
    buffer<index> aggregates;
    index groups = this->aggregate(nodes.view(), nodes.nonzeros, aggregates);
    for (int k = 0; k < 3 && groups > 0; ++k) {
      if (k > 0) {
        const index before = groups;
        groups = this->enlarge(nodes.view(), nodes.nonzeros, groups, aggregates);
        if (groups <= 0 || groups == before) break;
      }
      if (static_cast<double>(groups) * vectors_ > least_gain * a.rows) continue;
      to = {};
      to.node_rows = node_rows;
      auto [t, coarse] =
          this->factorize(a, node_rows, vectors_, groups, aggregates.data(), near_null_.data());
      to.tentative = std::move(t);
      to.aggregates = std::move(aggregates);
      if (prolong_nodes(a, level, n, to) &&
          multiply_level(a, level, n.omega, groups * vectors_, to)) {
        near_null_ = std::move(coarse);
        return true;
      }
      aggregates = std::move(to.aggregates);
    }
    out_.levels[level_].omega = 0.0;
    return false;
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

  /// The last level: inverted if it is small, else one sweep of Jacobi and back.
  void end_at(const graph& a, index nonzeros) {
    level_ = out_.levels.size() - 1;
    if constexpr (base::on_host)
      if (coloured_.has(level_)) {
        find_numbers(a);  // the unit
        coloured_.put_matrix(level_, a, unit_);
        return;
      }
    if (a.rows <= (out_.stalled ? most_dense_rows : options_.coarsest)) {
      std::vector<index> row_ptr(static_cast<std::size_t>(a.rows) + 1),
          col(static_cast<std::size_t>(nonzeros));
      std::vector<double> val(static_cast<std::size_t>(nonzeros));
      loops_.fetch(row_ptr.data(), a.row_ptr, row_ptr.size() * sizeof(index));
      if (nonzeros > 0) {  // a rank may have no rows
        loops_.fetch(col.data(), a.col, col.size() * sizeof(index));
        loops_.fetch(val.data(), a.val, val.size() * sizeof(double));
      }
      if (near_null_.size() > 0) {
        last_near_null_.resize(near_null_.size());
        loops_.fetch(last_near_null_.data(), near_null_.data(), near_null_.size() * sizeof(double));
      }
      std::vector<double> inverse = dense_inverse(a.rows, row_ptr, col, val, last_near_null_);
      if (unit_ == 0.0) unit_ = largest_diagonal(a.rows, row_ptr, col, val);
      for (double& v : inverse) v *= unit_;
      const auto there = buffer<double>::copy_of(where_, inverse);
      put(slices_.last, dense_slices{a.rows, there.data()}, a.rows,
          static_cast<double>(a.rows) * a.rows);
      memory_of(where_.on()).finish(where_);
      return;
    }
    const level_numbers n = find_numbers(a);
    put(slices_.last, smoother_slices{a, n.omega, unit_}, a.rows, nonzeros);
  }

  amg_options options_;
  index vectors_ = 0;         ///< near the null space; 0: the constant one, and there are no nodes
  buffer<double> near_null_;  ///< vectors of the level that is worked at, column by column
  std::vector<double> last_near_null_;  ///< vectors of the last level, where that is inverted
  double unit_ =
      0.0;  ///< unit of the sequence's result: the largest diagonal element's power of two
  level_slices slices_;
  std::conditional_t<base::on_host, coloured_levels<Loops>, no_coloured_levels> coloured_;
  std::size_t level_ = 0;          ///< the one that is worked at
  std::deque<level_parts> parts_;  ///< parts of all levels, or the last one's
  amg_hierarchy out_;
};

/// A hierarchy, which keeps its builder where that is asked for.
template <class Builder, class T>
amg_hierarchy make(const device& where, const csr_arrays<T>& a, const amg_options& o) {
  auto by = std::make_shared<Builder>(where, o);
  amg_hierarchy made = by->build(a);
  if (o.keep)
    made.refresh = [by](const void* values) {
      by->refresh(*static_cast<const csr_arrays<T>*>(values));
    };
  return made;
}

}  // namespace dwell::amg
