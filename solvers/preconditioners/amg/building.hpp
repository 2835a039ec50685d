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
    600;  ///< of a level that is inverted as there is no coarser
inline constexpr int pass_members = 1 << passes;  ///< rows of an aggregate without those that join
static_assert(pass_members == aggregate_quality::most);
/// Rows from one level to the next where aggregates are checked: fewer, and checks end.
inline constexpr double least_checked_gain = 3.9;
inline constexpr double least_gain = 0.8;       ///< of rows from one level to the next
inline constexpr double most_complexity = 4.0;  ///< of all levels' matrices
inline constexpr std::int64_t rows_per_thread = 1 << 13;

/// A matrix that the set-up has made.
struct made_matrix {
  index rows = 0;
  index nonzeros = 0;  ///< or, where rows have room to spare (row_end), the room
  index longest = 0;   ///< elements of a row, at most
  buffer<index> row_ptr, row_end, col;
  buffer<double> val, diagonal, sums;
  graph view() const {
    return {rows,       row_ptr.data(), row_end.size() > 0 ? row_end.data() : row_ptr.data() + 1,
            col.data(), val.data(),     diagonal.data()};
  }
};

/// What a pass of matching makes.
struct matched_pass {
  index groups = 0;
  buffer<index> group;          ///< per row
  buffer<index> first, second;  ///< per group: its rows
};

template <class Loops, template <int, int> class Table>
class builder {
 public:
  builder(const device& where, const amg_options& o)
      : loops_(where), where_(where), options_(o), checked_(o.quality > 0.0) {}

  template <class T>
  amg_hierarchy build(const csr_arrays<T>& a) {
    made_matrix finest = take(a);
    graph at = finest.view();
    if (finest.val.size() == 0) at.val = values_of(a);
    at.row_ptr = a.row_ptr;
    at.row_end = a.row_ptr + 1;
    at.col = a.col;
    made_matrix here = std::move(finest);
    here.nonzeros = a.nonzeros;
    std::int64_t all = a.nonzeros;
    for (;;) {
      out_.levels.push_back({at.rows, here.nonzeros, 0.0});
      if (at.rows <= options_.coarsest || static_cast<int>(out_.levels.size()) == most_levels)
        break;
      made_matrix coarse;
      if (!coarsen(at, here, coarse)) {
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
    m.row_ptr = room<index>(rows + 2);  // the last one: the longest row, for one fetch of both
    index* const found = m.row_ptr.data() + rows;
    loops_.zero(found + 1, sizeof(index));
    loops_.warps(rows, rows_per_thread,
                 count_columns<One, Left, Right>{left, right, m.row_ptr.data(), found + 1});
    loops_.sums_before(m.row_ptr.data(), m.row_ptr.data(), rows);
    const auto [nonzeros, longest] = fetched(reinterpret_cast<const std::array<index, 2>*>(found));
    if (longest > One::most) return false;
    m.nonzeros = nonzeros;
    m.longest = longest;
    m.col = room<index>(m.nonzeros);
    const auto putting = put(m);
    loops_.warps(rows, rows_per_thread,
                 fill_columns<One, Left, Right, std::decay_t<decltype(putting)>>{
                     left, right, m.row_ptr.data(), m.col.data(), putting});
    return true;
  }
  /// A product that is summed up once, into rows with room for all they may hold: m has its
  /// row_ptr or, in `begin`, somebody else's, its room as `nonzeros` and as `longest` a bound,
  /// which spares a wait for the device if it fits a table.
  template <class Left, class Right>
  bool multiply_in_room(double products, const Left& left, const Right& right, const index* begin,
                        made_matrix& m) {
    constexpr double few = 48;
    m.row_end = room<index>(m.rows);
    m.col = room<index>(m.nonzeros);
    m.val = room<double>(m.nonzeros);
    return (products <= few && multiply_in_room_with<Table<128, 8>>(left, right, begin, m)) ||
           multiply_in_room_with<Table<512, 32>>(left, right, begin, m) ||
           multiply_in_room_with<Table<1024, 32>>(left, right, begin, m);
  }
  template <class One, class Left, class Right>
  bool multiply_in_room_with(const Left& left, const Right& right, const index* begin,
                             made_matrix& m) {
    buffer<index> longest(where_, 1);
    loops_.warps(m.rows, rows_per_thread,
                 fill_room<One, Left, Right>{left, right, begin, m.row_end.data(), m.col.data(),
                                             m.val.data(), longest.data()});
    if (m.longest <= One::most) return true;
    const index found = fetched(longest.data());
    if (found > One::most) return false;
    m.longest = found;
    return true;
  }
  auto with_values() {
    return [this](made_matrix& m) {
      m.val = room<double>(m.nonzeros);
      return put_sums{m.val.data()};
    };
  }
  void find_diagonal_of(made_matrix& m, bool sums) {
    m.diagonal = room<double>(m.rows);
    if (sums) m.sums = room<double>(m.rows);
    loops_.items(m.rows, rows_per_thread,
                 find_diagonal{m.view(), m.diagonal.data(), m.sums.data(), nullptr});
  }

  /// A pass of matching. room: elements that the rows of `a` have room for.
  matched_pass match(const graph& a, index elements, const aggregate_quality& quality, bool first,
                     bool last) {
    const index n = a.rows;
    buffer<float> most = room<float>(n);
    buffer<std::uint32_t> weights = room<std::uint32_t>(elements);
    buffer<index> mate = room<index>(n), wish = room<index>(n), head = room<index>(n),
                  number = room<index>(n + 1);
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
    made.group = room<index>(n);
    made.first = room<index>(made.groups);
    made.second = room<index>(made.groups);
    loops_.items(n, rows_per_thread,
                 number_groups{head.data(), number.data(), mate.data(), made.group.data(),
                               made.first.data(), made.second.data()});
    return made;
  }

  /// The aggregate of every row, -1: none; returns how many there are, or -1 if a row of the graph
  /// of groups has too many neighbours. The last pass checks its aggregates, which those of chains
  /// and of weak couplings fail; where most fail, the level is not of the kind that the check is
  /// for, and neither are coarser ones.
  index aggregate(const graph& a, const made_matrix& level, buffer<index>& to) {
    matched_pass made = match(a, level.nonzeros, {}, true, passes == 1);
    to = std::move(made.group);
    made_matrix of_groups;
    graph at = a;
    index elements = level.nonzeros, longest = level.longest;
    buffer<index> members, group;
    for (int pass = 1; pass < passes && made.groups > 1; ++pass) {
      const bool last = pass + 1 == passes;
      made_matrix coarser;
      coarser.rows = made.groups;
      coarser.row_ptr = room<index>(made.groups + 1);
      coarser.nonzeros = elements;
      coarser.longest = longest = longest > Table<1024, 32>::most ? longest : 2 * longest;
      const int count = 1 << pass;
      buffer<index> described = room<index>(made.groups * count);
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
      if (last && checked_) quality = {a, level.sums.data(), members.data(), options_.quality};
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
    const bool finest = out_.levels.size() == 1;
    if (finest) {
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

  /// Adds the matrices of a level to the chain and makes the next one's matrix; false: there is
  /// none.
  bool coarsen(const graph& a, const made_matrix& level, made_matrix& coarse) {
    const index nonzeros = level.nonzeros;
    buffer<index> aggregates;
    const index groups = aggregate(a, level, aggregates);
    if (groups <= 0 || groups > least_gain * a.rows) return false;
    buffer<double> keep = room<double>(a.rows), filtered = room<double>(a.rows);
    const level_bounds found = find_bounds(a, keep.data(), filtered.data());
    const double omega = 4.0 / 3.0 / largest_of(found);
    const double filter_omega = 4.0 / 3.0 / double_of(found.filter);
    if (unit_ == 0.0) unit_ = std::ldexp(1.0, std::ilogb(double_of(found.diagonal)));

    made_matrix p;  // its rows begin where those of A do
    p.rows = a.rows;
    p.nonzeros = nonzeros;
    p.longest = level.longest;
    const double of_a = static_cast<double>(nonzeros) / a.rows;
    if (!multiply_in_room(
            of_a, same_row{},
            prolongation_rows{a, aggregates.data(), keep.data(), filtered.data(), filter_omega},
            a.row_ptr, p))
      return false;
    loops_.items(a.rows, rows_per_thread,
                 truncate{a.row_ptr, p.row_end.data(), p.col.data(), p.val.data()});
    const matrix_rows p_rows{a.row_ptr, p.row_end.data(), p.col.data(), p.val.data()};
    made_matrix ap;
    buffer<index> row_of;
    buffer<double> p_there, smoothed;
    const double of_p = std::min(4.0, 0.6 * of_a);  // about: it need not be known to choose a table
    if (!multiply(a.rows, of_a * of_p, matrix_rows{a.row_ptr, a.row_end, a.col, a.val}, p_rows, ap,
                  [&](made_matrix& m) {
                    m.val = room<double>(m.nonzeros);
                    row_of = room<index>(m.nonzeros);
                    p_there = room<double>(m.nonzeros);
                    smoothed = room<double>(m.nonzeros);
                    return put_smoothed{a.diagonal,       omega,        a.row_ptr,
                                        p.row_end.data(), p.col.data(), p.val.data(),
                                        row_of.data(),    m.val.data(), p_there.data(),
                                        smoothed.data()};
                  }))
      return false;

    buffer<index> begin_of(where_, static_cast<std::size_t>(groups) + 1), entry, sorted;
    transpose(ap, groups, begin_of, entry, sorted);
    const double of_r = of_p * a.rows / groups;
    if (!multiply(
            groups, of_r * ap.nonzeros / a.rows,
            restriction_rows{begin_of.data(), sorted.data(), row_of.data(), p_there.data()},
            matrix_rows{ap.row_ptr.data(), ap.row_ptr.data() + 1, ap.col.data(), ap.val.data()},
            coarse, with_values()))
      return false;
    find_diagonal_of(coarse, true);
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
    const level_bounds found = find_bounds(a, keep.data(), filtered.data());
    const double omega = 4.0 / 3.0 / largest_of(found);
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
  bool checked_;       ///< aggregates are
  double unit_ = 0.0;  ///< of the chain's result: the largest diagonal element's power of two
  std::vector<std::shared_ptr<owned_slices>> smoothers_, down_, up_;
  std::shared_ptr<owned_slices> last_;
  amg_hierarchy out_;
};

}  // namespace dwell::amg
