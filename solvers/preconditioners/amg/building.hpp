// SPDX-License-Identifier: MIT
// The set-up of a hierarchy as a sequence of loops, for setup_loops and row_table of either
// backend: per level the aggregates, the prolongation, A P, the coarse matrix, and the matrices of
// the chain. Included by amg_cpu.cpp and amg_cuda.cu alone.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/execution/program/products/put_in_slices.hpp"
#include "dwell/solvers/preconditioners/amg/amg.hpp"
#include "dwell/solvers/preconditioners/amg/amg_backends.hpp"
#include "dwell/solvers/preconditioners/amg/operands.hpp"
#include "dwell/solvers/preconditioners/amg/product_steps.hpp"
#include "dwell/solvers/preconditioners/amg/prolong_steps.hpp"
#include "dwell/solvers/preconditioners/chains/steps.hpp"

namespace dwell::amg {

inline constexpr int passes = 3, rounds = 4;
inline constexpr int most_levels = 12;
inline constexpr index most_dense_rows =
    600;                                   ///< of a level that is inverted as there is no coarser
inline constexpr double least_gain = 0.8;  ///< of rows from one level to the next
inline constexpr double most_complexity = 4.0;  ///< of all levels' matrices
inline constexpr std::int64_t rows_per_thread = 1 << 13;

/// A matrix that the set-up has made.
struct made_matrix {
  index rows = 0, nonzeros = 0;
  buffer<index> row_ptr, col;
  buffer<double> val, diagonal;
  graph view() const { return {rows, row_ptr.data(), col.data(), val.data(), diagonal.data()}; }
};

template <class Loops, template <int, int> class Table>
class builder {
 public:
  builder(const device& where, const amg_options& o) : loops_(where), where_(where), options_(o) {}

  template <class T>
  amg_hierarchy build(const csr_arrays<T>& a) {
    made_matrix finest = take(a);
    graph at = finest.view();
    if (finest.val.size() == 0) at.val = values_of(a);
    at.row_ptr = a.row_ptr;
    at.col = a.col;
    made_matrix here = std::move(finest);
    here.nonzeros = a.nonzeros;
    std::int64_t all = a.nonzeros;
    for (;;) {
      out_.levels.push_back({at.rows, here.nonzeros, 0.0});
      if (at.rows <= options_.coarsest || static_cast<int>(out_.levels.size()) == most_levels)
        break;
      made_matrix coarse;
      if (!coarsen(at, here.nonzeros, coarse)) {
        out_.stalled = true;
        break;
      }
      here = std::move(coarse);
      at = here.view();
      all += here.nonzeros;
      if (static_cast<double>(all) > most_complexity * static_cast<double>(a.nonzeros)) {
        out_.levels.push_back({at.rows, here.nonzeros, 0.0});
        out_.stalled = true;
        break;
      }
    }
    end_at(at, here.nonzeros);
    link();
    return std::move(out_);
  }

 private:
  template <class V>
  buffer<V> room(index n) {
    return {where_, static_cast<std::size_t>(n), fresh::unset};
  }
  template <class V>
  V fetched(const V* from) {
    V v;
    loops_.fetch(&v, from, sizeof v);
    return v;
  }
  static const double* values_of(const csr_arrays<double>& a) { return a.val; }
  static const double* values_of(const csr_arrays<float>&) { return nullptr; }

  template <class T>
  made_matrix take(const csr_arrays<T>& a) {
    made_matrix m;
    m.rows = a.rows;
    m.diagonal = room<double>(a.rows);
    if constexpr (!std::is_same_v<T, double>) {
      m.val = room<double>(a.nonzeros);
      loops_.items(a.nonzeros, rows_per_thread, chains::widen_values<T>{a.val, m.val.data()});
    }
    const double* val = m.val.size() > 0 ? m.val.data() : values_of(a);
    loops_.items(a.rows, rows_per_thread,
                 find_diagonal{{a.rows, a.row_ptr, a.col, val, nullptr}, m.diagonal.data()});
    return m;
  }

  /// left * right; false if a row has too many columns. products: of a row, about; put(m): how its
  /// values are put. Tables of three sizes: of 8 lanes for short rows; the largest leaves room for
  /// few warps.
  template <class Left, class Right, class Put>
  bool multiply(index rows, double products, const Left& left, const Right& right, made_matrix& m,
                Put&& put) {
    constexpr double few = 48;
    return (products <= few && multiply_with<Table<128, 8>>(rows, left, right, m, put)) ||
           multiply_with<Table<512, 32>>(rows, left, right, m, put) ||
           multiply_with<Table<1024, 32>>(rows, left, right, m, put);
  }
  template <class One, class Left, class Right, class Put>
  bool multiply_with(index rows, const Left& left, const Right& right, made_matrix& m, Put&& put) {
    m.rows = rows;
    m.row_ptr = room<index>(rows + 1);
    buffer<int> too_many(where_, 1);
    loops_.warps(rows, rows_per_thread,
                 count_columns<One, Left, Right>{left, right, m.row_ptr.data(), too_many.data()});
    loops_.sums_before(m.row_ptr.data(), m.row_ptr.data(), rows);
    m.nonzeros = fetched(m.row_ptr.data() + rows);
    if (fetched(too_many.data()) != 0) return false;
    m.col = room<index>(m.nonzeros);
    const auto putting = put(m);
    loops_.warps(rows, rows_per_thread,
                 fill_columns<One, Left, Right, std::decay_t<decltype(putting)>>{
                     left, right, m.row_ptr.data(), m.col.data(), putting});
    return true;
  }
  auto with_values() {
    return [this](made_matrix& m) {
      m.val = room<double>(m.nonzeros);
      return put_sums{m.val.data()};
    };
  }
  void find_diagonal_of(made_matrix& m) {
    m.diagonal = room<double>(m.rows);
    loops_.items(m.rows, rows_per_thread, find_diagonal{m.view(), m.diagonal.data()});
  }

  /// A pass of matching: the group of every row; returns how many there are.
  index match(const graph& a, index nonzeros, bool first, bool last, buffer<index>& group,
              buffer<index>& head_row, buffer<index>& second_row) {
    const index n = a.rows;
    buffer<float> most = room<float>(n);
    buffer<std::uint32_t> weights = room<std::uint32_t>(nonzeros);
    buffer<index> mate = room<index>(n), wish = room<index>(n), head = room<index>(n),
                  number = room<index>(n + 1);
    const best_neighbour best{a.row_ptr, a.col, weights.data(), mate.data()};
    loops_.items(n, rows_per_thread, begin_matching{a, weights.data(), most.data(), mate.data()});
    loops_.items(n, rows_per_thread, compare_weights{a, most.data(), weights.data()});
    for (int r = 0; r < rounds; ++r) {
      loops_.items(n, rows_per_thread, propose{best, wish.data()});
      loops_.items(n, rows_per_thread, shake_hands{wish.data(), mate.data()});
    }
    loops_.items(n, rows_per_thread,
                 choose_heads{best, most.data(), last, first, head.data(), number.data()});
    loops_.sums_before(number.data(), number.data(), n);
    const index groups = fetched(number.data() + n);
    group = room<index>(n);
    head_row = room<index>(groups);
    second_row = room<index>(groups);
    loops_.items(n, rows_per_thread,
                 number_groups{head.data(), number.data(), mate.data(), group.data(),
                               head_row.data(), second_row.data()});
    return groups;
  }

  /// The aggregate of every row, -1: none; returns how many there are, or -1 if a row of the graph
  /// of groups has too many neighbours.
  index aggregate(const graph& a, index nonzeros, buffer<index>& to) {
    buffer<index> first, second;
    index groups = match(a, nonzeros, true, passes == 1, to, first, second);
    made_matrix of_groups;
    graph at = a;
    double at_nonzeros = nonzeros;
    const index* group = to.data();
    buffer<index> next;
    for (int pass = 1; pass < passes && groups > 1; ++pass) {
      made_matrix coarser;
      if (!multiply(groups, 2.0 * at_nonzeros / at.rows,
                    rows_of_groups{first.data(), second.data()}, grouped_columns{at, group},
                    coarser, with_values()))
        return -1;
      find_diagonal_of(coarser);
      of_groups = std::move(coarser);
      at = of_groups.view();
      at_nonzeros = of_groups.nonzeros;
      buffer<index> further;
      groups = match(at, of_groups.nonzeros, false, pass + 1 == passes, further, first, second);
      loops_.items(a.rows, rows_per_thread, follow_groups{further.data(), to.data()});
      next = std::move(further);
      group = next.data();
    }
    return groups;
  }

  /// Adds the matrices of a level to the chain and makes the next one's matrix; false: there is
  /// none.
  bool coarsen(const graph& a, index nonzeros, made_matrix& coarse) {
    buffer<index> aggregates;
    const index groups = aggregate(a, nonzeros, aggregates);
    if (groups <= 0 || groups > least_gain * a.rows) return false;
    buffer<double> keep = room<double>(a.rows), filtered = room<double>(a.rows);
    buffer<level_bounds> bounds(where_, 1);
    loops_.items(a.rows, rows_per_thread,
                 find_filter{a, keep.data(), filtered.data(), bounds.data()});
    const level_bounds found = fetched(bounds.data());
    const double omega = 4.0 / 3.0 / double_of(found.smoother);
    const double filter_omega = 4.0 / 3.0 / double_of(found.filter);
    if (unit_ == 0.0) unit_ = std::ldexp(1.0, std::ilogb(double_of(found.diagonal)));

    made_matrix p;
    const double of_a = static_cast<double>(nonzeros) / a.rows;
    if (!multiply(
            a.rows, of_a, same_row{},
            prolongation_rows{a, aggregates.data(), keep.data(), filtered.data(), filter_omega}, p,
            with_values()))
      return false;
    const matrix_rows p_rows{p.row_ptr.data(), p.col.data(), p.val.data()};
    made_matrix ap;
    buffer<index> row_of;
    buffer<double> p_there, smoothed;
    const double of_p = static_cast<double>(p.nonzeros) / a.rows;
    if (!multiply(a.rows, of_a * of_p, matrix_rows{a.row_ptr, a.col, a.val}, p_rows, ap,
                  [&](made_matrix& m) {
                    m.val = room<double>(m.nonzeros);
                    row_of = room<index>(m.nonzeros);
                    p_there = room<double>(m.nonzeros);
                    smoothed = room<double>(m.nonzeros);
                    return put_smoothed{a.diagonal,   omega,          p.row_ptr.data(),
                                        p.col.data(), p.val.data(),   row_of.data(),
                                        m.val.data(), p_there.data(), smoothed.data()};
                  }))
      return false;

    buffer<index> begin_of(where_, static_cast<std::size_t>(groups) + 1), entry, sorted;
    transpose(ap, groups, begin_of, entry, sorted);
    const double of_r = static_cast<double>(p.nonzeros) / groups;
    if (!multiply(groups, of_r * ap.nonzeros / a.rows,
                  restriction_rows{begin_of.data(), sorted.data(), row_of.data(), p_there.data()},
                  matrix_rows{ap.row_ptr.data(), ap.col.data(), ap.val.data()}, coarse,
                  with_values()))
      return false;
    find_diagonal_of(coarse);
    out_.levels.back().omega = omega;
    const double of_ap = static_cast<double>(ap.nonzeros);
    smoothers_.push_back(slicing::put_in_slices(loops_, where_, smoother_slices{a, omega, unit_},
                                                a.rows, static_cast<double>(nonzeros)));
    down_.push_back(slicing::put_in_slices(
        loops_, where_,
        chains::column_slices{begin_of.data(), sorted.data(), row_of.data(), smoothed.data()},
        groups, of_ap));
    up_.push_back(
        slicing::put_in_slices(loops_, where_,
                               chains::row_slices{ap.row_ptr.data(), ap.row_ptr.data() + 1,
                                                  ap.col.data(), smoothed.data()},
                               a.rows, of_ap));
    return true;
  }
  static double double_of(std::uint64_t bits) {
    double v;
    std::memcpy(&v, &bits, sizeof v);
    return v;
  }

  void transpose(const made_matrix& m, index columns, buffer<index>& begin_of, buffer<index>& entry,
                 buffer<index>& sorted) {
    loops_.items(m.nonzeros, rows_per_thread,
                 chains::count_transposed{m.col.data(), begin_of.data()});
    loops_.sums_before(begin_of.data(), begin_of.data(), columns);
    buffer<index> taken(where_, static_cast<std::size_t>(columns));
    entry = room<index>(m.nonzeros);
    sorted = room<index>(m.nonzeros);
    loops_.items(
        m.nonzeros, rows_per_thread,
        chains::scatter_transposed{m.col.data(), begin_of.data(), taken.data(), entry.data()});
    loops_.warps(columns, rows_per_thread,
                 chains::sort_transposed{begin_of.data(), entry.data(), sorted.data()});
  }

  /// The last level: inverted if it is small, else one sweep of Jacobi and back.
  void end_at(const graph& a, index nonzeros) {
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
      last_ = slicing::put_in_slices(loops_, where_, dense_slices{a.rows, there.data()}, a.rows,
                                     static_cast<double>(a.rows) * a.rows);
      memory_of(where_.on()).finish(where_);
      return;
    }
    buffer<double> keep = room<double>(a.rows), filtered = room<double>(a.rows);
    buffer<level_bounds> bounds(where_, 1);
    loops_.items(a.rows, rows_per_thread,
                 find_filter{a, keep.data(), filtered.data(), bounds.data()});
    const level_bounds found = fetched(bounds.data());
    const double omega = 4.0 / 3.0 / double_of(found.smoother);
    if (unit_ == 0.0) unit_ = std::ldexp(1.0, std::ilogb(double_of(found.diagonal)));
    out_.levels.back().omega = omega;
    last_ = slicing::put_in_slices(loops_, where_, smoother_slices{a, omega, unit_}, a.rows,
                                   static_cast<double>(nonzeros));
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

  Loops loops_;
  device where_;
  amg_options options_;
  double unit_ = 0.0;  ///< of the chain's result: the largest diagonal element's power of two
  std::vector<std::shared_ptr<owned_slices>> smoothers_, down_, up_;
  std::shared_ptr<owned_slices> last_;
  amg_hierarchy out_;
};

}  // namespace dwell::amg
