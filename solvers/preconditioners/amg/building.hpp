// SPDX-License-Identifier: MIT
// The set-up of a hierarchy as a sequence of loops, for setup_loops and row_table of either
// backend: per level the aggregates, the prolongation, A P, the coarse matrix, and the matrices of
// the chain. Included by amg_cpu.cpp and amg_cuda.cu alone.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/execution/program/products/put_in_slices.hpp"
#include "dwell/solvers/preconditioners/amg/aggregating.hpp"
#include "dwell/solvers/preconditioners/amg/amg.hpp"
#include "dwell/solvers/preconditioners/amg/amg_backends.hpp"
#include "dwell/solvers/preconditioners/amg/operands.hpp"
#include "dwell/solvers/preconditioners/amg/prolong_steps.hpp"
#include "dwell/solvers/preconditioners/chains/steps.hpp"

namespace dwell::amg {

inline constexpr int most_levels = 12;
inline constexpr index most_dense_rows =
    600;                                   ///< of a level that is inverted as there is no coarser
inline constexpr double least_gain = 0.8;  ///< of rows from one level to the next
inline constexpr double most_complexity = 4.0;  ///< of all levels' matrices

/// What lies between a level's matrix and the next one's.
struct level_parts {
  buffer<index> aggregates;
  made_matrix p;  ///< its rows begin where those of A do
  made_matrix ap, coarse;
  buffer<index> row_of, begin_of, sorted;  ///< of the elements of ap; and ap transposed
  buffer<double> p_there, smoothed;        ///< P and (I - omega D^-1 A) P at the elements of ap
};

template <class Loops, template <int, int> class Table>
class builder : aggregating<Loops, Table> {
  using base = aggregating<Loops, Table>;
  using base::aggregate, base::fetched, base::find_diagonal_of, base::loops_, base::multiply,
      base::multiply_again, base::multiply_in_room, base::where_, base::with_values;
  template <class V>
  buffer<V> room(index n) {
    return base::template room<V>(n);
  }

 public:
  builder(const device& where, const amg_options& o) : base(where, o.quality), options_(o) {}

  template <class T>
  amg_hierarchy build(const csr_arrays<T>& a) {
    const made_matrix finest = take(a);
    const made_matrix* here = &finest;
    graph at = view_of(finest, a);
    std::int64_t all = a.nonzeros;
    for (;;) {
      out_.levels.push_back({at.rows, here->nonzeros, 0.0});
      if (at.rows <= options_.coarsest || static_cast<int>(out_.levels.size()) == most_levels)
        break;
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
        out_.levels.push_back({at.rows, here->nonzeros, 0.0});
        out_.stalled = true;
        break;
      }
    }
    end_at(at, here->nonzeros);
    link();
    if (!options_.keep) parts_.clear();
    amg_hierarchy made = std::move(out_);
    out_ = {};
    out_.levels = made.levels;
    out_.stalled = made.stalled;
    return made;
  }

  /// Puts other values of the same pattern into the matrices of the chain, where options.keep was
  /// set: the aggregates and all patterns stay.
  template <class T>
  void refresh(const csr_arrays<T>& a) {
    unit_ = 0.0;
    const made_matrix finest = take(a);
    const made_matrix* here = &finest;
    graph at = view_of(finest, a);
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
  static const double* values_of(const csr_arrays<double>& a) { return a.val; }
  static const double* values_of(const csr_arrays<float>&) { return nullptr; }

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
    m.diagonal = room<double>(a.rows);
    m.sums = room<double>(a.rows);
    if constexpr (!std::is_same_v<T, double>) {
      m.val = room<double>(a.nonzeros);
      loops_.items(a.nonzeros, rows_per_thread, chains::widen_values<T>{a.val, m.val.data()});
    }
    const double* val = m.val.size() > 0 ? m.val.data() : values_of(a);
    buffer<index> longest(where_, 1);
    loops_.items(a.rows, rows_per_thread,
                 find_diagonal{{a.rows, a.row_ptr, a.row_ptr + 1, a.col, val, nullptr},
                               m.diagonal.data(),
                               m.sums.data(),
                               longest.data()});
    m.longest = fetched(longest.data());
    return m;
  }

  /// Of Jacobi's sweeps, from a bound of the largest eigenvalue of D^-1 A and how it makes a vector
  /// grow, which is less where rows have elements of both signs.
  static double largest_of(const level_bounds& found) {
    constexpr int last = level_bounds::steps - 1, first = last - 4;
    constexpr double rest = 1.1;  // what few steps do not reach
    const double bound = double_of(found.smoother);
    const double from = double_of(found.growth[first]), to = double_of(found.growth[last]);
    if (!(from > 0.0) || !(to > 0.0)) return bound;
    return std::min(bound, rest * std::pow(to / from, 1.0 / (last - first)));
  }
  /// The filter of the prolongation and the bounds of a level.
  level_bounds find_bounds(const graph& a, double* keep, double* filtered) {
    constexpr double tight = 2.01;  // bounds of rows without elements of both signs
    buffer<level_bounds> bounds(where_, 1);
    loops_.items(a.rows, rows_per_thread, find_filter{a, keep, filtered, bounds.data()});
    if (level_ == 0) {
      const level_bounds found = fetched(bounds.data());
      if (double_of(found.smoother) <= tight) return found;
    }
    buffer<double> x = room<double>(a.rows), y = room<double>(a.rows);
    loops_.items(a.rows, rows_per_thread, begin_growth{x.data()});
    for (int k = 0; k < level_bounds::steps; ++k) {
      loops_.items(a.rows, rows_per_thread, grow{a, x.data(), y.data(), bounds.data()->growth + k});
      std::swap(x, y);
    }
    return fetched(bounds.data());
  }

  /// Of a level, from its matrix.
  struct level_numbers {
    double omega, filter_omega;
    buffer<double> keep, filtered;
  };
  level_numbers find_numbers(const graph& a) {
    level_numbers n{0.0, 0.0, room<double>(a.rows), room<double>(a.rows)};
    const level_bounds found = find_bounds(a, n.keep.data(), n.filtered.data());
    n.omega = 4.0 / 3.0 / largest_of(found);
    n.filter_omega = 4.0 / 3.0 / double_of(found.filter);
    if (unit_ == 0.0) unit_ = std::ldexp(1.0, std::ilogb(double_of(found.diagonal)));
    out_.levels[level_].omega = n.omega;
    return n;
  }
  /// About how many products the rows of A P and of P' A P have: what is needed to choose a table.
  struct level_products {
    double of_p, of_ap, of_coarse;
    level_products(const graph& a, index nonzeros) {
      const double of_a = static_cast<double>(nonzeros) / a.rows;
      of_p = std::min(4.0, 0.6 * of_a);
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
  static put_smoothed putting(const graph& a, double omega, level_parts& to) {
    return {a.diagonal,        omega,
            a.row_ptr,         to.p.row_end.data(),
            to.p.col.data(),   to.p.val.data(),
            to.row_of.data(),  to.ap.val.data(),
            to.p_there.data(), to.smoothed.data()};
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

  /// Adds the matrices of a level to the chain and makes the next one's matrix; false: there is
  /// none.
  bool coarsen(const graph& a, const made_matrix& level, level_parts& to) {
    level_ = out_.levels.size() - 1;
    const index groups = aggregate(a, level, to.aggregates);
    if (groups <= 0 || groups > least_gain * a.rows) return false;
    const level_numbers n = find_numbers(a);
    if (!prolong(a, level, n, to.aggregates.data(), to.p)) return false;
    loops_.items(a.rows, rows_per_thread,
                 truncate{a.row_ptr, to.p.row_end.data(), to.p.col.data(), to.p.val.data()});
    level_products products(a, level.nonzeros);
    if (!multiply(a.rows, products.of_ap, matrix_rows{a.row_ptr, a.row_end, a.col, a.val},
                  matrix_rows{a.row_ptr, to.p.row_end.data(), to.p.col.data(), to.p.val.data()},
                  to.ap, [&](made_matrix& m) {
                    m.val = room<double>(m.nonzeros);
                    to.row_of = room<index>(m.nonzeros);
                    to.p_there = room<double>(m.nonzeros);
                    to.smoothed = room<double>(m.nonzeros);
                    return putting(a, n.omega, to);
                  }))
      return false;
    to.begin_of = {where_, static_cast<std::size_t>(groups) + 1};
    transpose(to.ap, groups, to.begin_of, to.sorted);
    products.set_coarse(to.ap, groups);
    if (!multiply(groups, products.of_coarse, restriction(to), rows_of(to.ap), to.coarse,
                  with_values()))
      return false;
    find_diagonal_of(to.coarse, true);
    smoothers_.push_back({});
    down_.push_back({});
    up_.push_back({});
    put_level(a, level.nonzeros, n.omega, to);
    return true;
  }
  /// The same with other values.
  void fill_again(const graph& a, const made_matrix& level, level_parts& to) {
    const level_numbers n = find_numbers(a);
    made_matrix p;
    prolong(a, level, n, to.aggregates.data(), p);
    loops_.items(a.rows, rows_per_thread,
                 keep_pattern{a.row_ptr, p.row_end.data(), p.col.data(), p.val.data(),
                              to.p.row_end.data(), to.p.col.data(), to.p.val.data()});
    level_products products(a, level.nonzeros);
    multiply_again(products.of_ap, matrix_rows{a.row_ptr, a.row_end, a.col, a.val},
                   matrix_rows{a.row_ptr, to.p.row_end.data(), to.p.col.data(), to.p.val.data()},
                   to.ap, putting(a, n.omega, to));
    products.set_coarse(to.ap, to.coarse.rows);
    multiply_again(products.of_coarse, restriction(to), rows_of(to.ap), to.coarse,
                   put_sums{to.coarse.val.data()});
    find_diagonal_of(to.coarse, true);
    put_level(a, level.nonzeros, n.omega, to);
  }
  /// A level's matrices of the chain.
  void put_level(const graph& a, index nonzeros, double omega, const level_parts& of) {
    const auto of_ap = static_cast<double>(of.ap.nonzeros);
    put(smoothers_[level_], smoother_slices{a, omega, unit_}, a.rows, nonzeros);
    put(down_[level_],
        chains::column_slices{of.begin_of.data(), of.sorted.data(), of.row_of.data(),
                              of.smoothed.data()},
        of.coarse.rows, of_ap);
    put(up_[level_],
        chains::row_slices{of.ap.row_ptr.data(), of.ap.row_ptr.data() + 1, of.ap.col.data(),
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
  static double double_of(std::uint64_t bits) {
    double v;
    std::memcpy(&v, &bits, sizeof v);
    return v;
  }

  void transpose(const made_matrix& m, index columns, buffer<index>& begin_of,
                 buffer<index>& sorted) {
    loops_.items(m.nonzeros, rows_per_thread,
                 chains::count_transposed{m.col.data(), begin_of.data()});
    loops_.sums_before(begin_of.data(), begin_of.data(), columns);
    buffer<index> taken(where_, static_cast<std::size_t>(columns));
    buffer<index> entry = room<index>(m.nonzeros);
    sorted = room<index>(m.nonzeros);
    loops_.items(
        m.nonzeros, rows_per_thread,
        chains::scatter_transposed{m.col.data(), begin_of.data(), taken.data(), entry.data()});
    loops_.warps(columns, rows_per_thread,
                 chains::sort_transposed{begin_of.data(), entry.data(), sorted.data()});
  }

  /// The last level: inverted if it is small, else one sweep of Jacobi and back.
  void end_at(const graph& a, index nonzeros) {
    level_ = out_.levels.size() - 1;
    if (a.rows <= (out_.stalled ? most_dense_rows : options_.coarsest)) {
      std::vector<index> row_ptr(static_cast<std::size_t>(a.rows) + 1),
          col(static_cast<std::size_t>(nonzeros));
      std::vector<double> val(static_cast<std::size_t>(nonzeros));
      loops_.fetch(row_ptr.data(), a.row_ptr, row_ptr.size() * sizeof(index));
      loops_.fetch(col.data(), a.col, col.size() * sizeof(index));
      loops_.fetch(val.data(), a.val, val.size() * sizeof(double));
      std::vector<double> inverse = dense_inverse(a.rows, row_ptr, col, val);
      if (unit_ == 0.0) unit_ = largest_diagonal(a.rows, row_ptr, col, val);
      for (double& v : inverse) v *= unit_;
      const auto there = buffer<double>::copy_of(where_, inverse);
      put(last_, dense_slices{a.rows, there.data()}, a.rows, static_cast<double>(a.rows) * a.rows);
      memory_of(where_.on()).finish(where_);
      return;
    }
    const level_numbers n = find_numbers(a);
    put(last_, smoother_slices{a, n.omega, unit_}, a.rows, nonzeros);
  }

  /// The chain: down, the last level, up.
  void link() {
    const int coarser = static_cast<int>(smoothers_.size());
    std::size_t vectors = 0;
    std::vector<std::size_t> b, y;  // of each level
    for (int l = 0; l <= coarser; ++l) {
      const std::size_t n = (static_cast<std::size_t>(out_.levels[l].rows) + 63) / 64 * 64;
      b.push_back(vectors);
      y.push_back(vectors + n);
      vectors += 2 * n;
    }
    owned_chain& made = out_.products;
    made.vectors = {where_, vectors};
    float* const v = made.vectors.data();
    product_chain& c = made.chain;
    c.input = v;
    int k = 0;
    const auto add = [&](const std::shared_ptr<owned_slices>& m, const float* in, float* out,
                         const float* more) {
      c.product[k++] = {m->view, in, out, more, nullptr};
      c.bytes += m->bytes + sizeof(float) * static_cast<std::size_t>(m->view.rows) * (more ? 4 : 3);
      made.matrices.push_back(m);
    };
    const auto end_phase = [&] { c.begin[++c.phases] = k; };
    for (int l = 0; l < coarser; ++l) {
      add(smoothers_[l], v + b[l], v + y[l], nullptr);
      add(down_[l], v + b[l], v + b[l + 1], nullptr);
      end_phase();
    }
    add(last_, v + b[coarser], coarser > 0 ? v + y[coarser] : nullptr, nullptr);
    end_phase();
    for (int l = coarser - 1; l >= 0; --l) {
      add(up_[l], v + y[l + 1], l > 0 ? v + y[l] : nullptr, v + y[l]);
      end_phase();
    }
  }

  amg_options options_;
  double unit_ = 0.0;  ///< of the chain's result: the largest diagonal element's power of two
  std::vector<std::shared_ptr<owned_slices>> smoothers_, down_, up_;
  std::shared_ptr<owned_slices> last_;
  std::size_t level_ = 0;          ///< the one that is worked at
  std::deque<level_parts> parts_;  ///< of all levels, or the last one's
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
