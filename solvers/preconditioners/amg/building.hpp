// SPDX-License-Identifier: MIT
// The set-up of a hierarchy as a sequence of loops, for setup_loops and row_table of either
// backend: level by level aggregates and prolongation, and what follows from them
// (level_matrices.hpp), to the last one. Included by amg.cpp and amg_cuda.cpp alone.
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
#include "dwell/solvers/preconditioners/amg/amg.hpp"
#include "dwell/solvers/preconditioners/amg/level_matrices.hpp"
#include "dwell/solvers/preconditioners/amg/linking.hpp"
#include "dwell/solvers/preconditioners/amg/mode_fit.hpp"
#include "dwell/solvers/preconditioners/amg/operands.hpp"
#include "dwell/solvers/preconditioners/amg/prolong_steps.hpp"
#include "dwell/solvers/preconditioners/amg/wide_values.hpp"

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

template <class Loops, template <int, int> class Table>
class builder : level_matrices<Loops, Table> {
  using base = level_matrices<Loops, Table>;
  using base::aggregate, base::fetched, base::loops_, base::where_;
  using base::coloured_, base::level_, base::options_, base::out_, base::slices_, base::unit_,
      base::vectors_;
  using base::fill_again, base::fill_coloured, base::find_colours, base::find_numbers,
      base::multiply_level, base::prolong, base::prolong_nodes, base::put, base::put_level;
  using typename base::level_numbers;
  template <class V>
  buffer<V> allocated(index n) {
    return base::template allocated<V>(n);
  }

 public:
  builder(const device& where, const amg_options& o) : base(where, o) {}

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

  buffer<double> near_null_;  ///< vectors of the level that is worked at, column by column
  std::vector<double> last_near_null_;  ///< vectors of the last level, where that is inverted
  std::deque<level_parts> parts_;       ///< parts of all levels, or the last one's
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
