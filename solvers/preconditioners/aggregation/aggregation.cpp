// SPDX-License-Identifier: MIT
// Levels, their products, and the order of the cycle.
#include "dwell/solvers/preconditioners/aggregation/aggregation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/solvers/preconditioners/aggregation/dense.hpp"
#include "dwell/solvers/preconditioners/aggregation/pairs.hpp"
#include "dwell/solvers/preconditioners/aggregation/row_sums.hpp"
#include "dwell/solvers/preconditioners/row_weights.hpp"
#include "dwell/solvers/preconditioners/sequences/set_up.hpp"

namespace dwell {
namespace aggregation {
namespace {

using sequences::rows_f64;

/// Weight of Jacobi's sweeps.
constexpr double omega = 2.0 / 3.0;
/// A level of so many rows is inverted, and so is one that cannot be coarsened.
constexpr index coarsest = 160, most_dense_rows = 600;
constexpr std::size_t most_levels = 14;
/// Rows of a level over those of the one before: more end the coarsening.
constexpr double least_gain = 0.8;
/// Elements of a level over those of the one before, up to which it has two cycles.
constexpr double most_for_two_cycles = 0.45;
/// From there on users are told.
constexpr double high_complexity = 2.5, many_rows_with_positive = 0.05;

/// S, in units of `unit`, a power of two.
struct smoother_rows {
  rows_f64 a;
  const double* diagonal;
  double unit;
  index begin(index row) const { return a.row_ptr[row]; }
  index end(index row) const { return a.row_ptr[row + 1]; }
  index column(index k) const { return a.col[k]; }
  float value(index row, index k) const {
    const double by = unit / diagonal[row];
    const index j = a.col[k];
    if (j == row) return static_cast<float>((2.0 * omega - omega * omega) * by);
    return static_cast<float>(-omega * omega * (a.val[k] / diagonal[j]) * by);
  }
};

/// Rows with their values over a unit.
struct scaled_rows {
  rows_f64 a;
  double by;
  index begin(index row) const { return a.row_ptr[row]; }
  index end(index row) const { return a.row_ptr[row + 1]; }
  index column(index k) const { return a.col[k]; }
  float value(index, index k) const { return static_cast<float>(by * a.val[k]); }
};

struct dense_rows {
  index rows;
  const double* val;
  index begin(index row) const { return row * rows; }
  index end(index row) const { return (row + 1) * rows; }
  index column(index k) const { return k % rows; }
  float value(index, index k) const { return static_cast<float>(val[k]); }
};

rows_f64 view_of(const summed_rows& m) {
  return {m.rows(), m.row_ptr.data(), m.col.data(), m.val.data()};
}

struct level {
  summed_rows own;  ///< its matrix, but of the finest level
  rows_f64 a;       ///< until the next level is there
  index nonzeros = 0;
  std::vector<double> diagonal;
  bool inverted = false, two_cycles = false;  ///< cycles, as the next level of another
  using slices = std::shared_ptr<owned_slices>;
  slices smoother, down, up;  ///< S, or the inverse; R~, Q
  slices matrix;              ///< A over the unit, where there are two cycles
  void have(const rows_f64& matrix) {
    a = matrix;
    nonzeros = a.row_ptr[a.rows];
  }
};

class builder : sequences::set_up<cpu::setup_loops> {
 public:
  using set_up::set_up;

  template <class T>
  prepared_preconditioner build(const csr_arrays<T>& given) {
    buffer<double> own_values;
    levels_.emplace_back().have(take(given, own_values));
    for (;;) {
      find_diagonal(levels_.back());
      if (levels_.size() == 1) look_at(levels_.back());
      if (levels_.back().a.rows <= coarsest || levels_.size() == most_levels) break;
      if (!coarsen()) {
        stalled_ = true;
        break;
      }
    }
    end();
    prepared_preconditioner out;
    out.products = link();
    for (const level& l : levels_)
      out.parts.push_back({fmt::format("level {}", out.parts.size() + 1), l.a.rows, l.nonzeros});
    out.note = note();
    return out;
  }

 private:
  template <class Source>
  level::slices put(const Source& from, index rows, index nonzeros) const {
    return slicing::put_in_slices(loops, where, from, rows, nonzeros);
  }

  void find_diagonal(level& l) {
    l.diagonal.resize(at(l.a.rows));
    for (index i = 0; i < l.a.rows; ++i) {
      const index k = sequences::place_of(l.a.col, l.a.row_ptr[i], l.a.row_ptr[i + 1], i);
      const double d = k < 0 ? 0.0 : l.a.val[k];
      if (!(d > 0.0)) refuse(i, d);
      l.diagonal[at(i)] = d;
    }
  }
  void refuse(index row, double d) const {
    if (levels_.size() == 1)
      throw input_error(
          fmt::format("aggregation: expected a positive diagonal, found {} in row {} (counted from "
                      "1); ilu0 and block-jacobi do not need it",
                      d, row + 1));
    throw input_error(
        fmt::format("aggregation: expected a matrix whose aggregates of rows have positive "
                    "diagonals, found {} on level {}: it is for M-matrices; another "
                    "preconditioner may do",
                    d, levels_.size()));
  }
  void look_at(const level& finest) {
    const double most = *std::max_element(finest.diagonal.begin(), finest.diagonal.end());
    unit_ = std::ldexp(1.0, std::ilogb(most));
    index mixed = 0;
    for (index i = 0; i < finest.a.rows; ++i) {
      const index begin = finest.a.row_ptr[i];
      mixed += validating::weigh_row(finest.a.col + begin, finest.a.val + begin, i,
                                     finest.a.row_ptr[i + 1] - begin)
                   .mixed;
    }
    rows_with_positive_ = mixed / static_cast<double>(finest.a.rows);
  }

  /// Adds the next level, and this one's products; false: there is none.
  bool coarsen() {
    level& here = levels_.back();
    const index n = here.a.rows;
    const grouping groups = group_rows(here);
    if (groups.count == 0 || groups.count > least_gain * n) return false;
    const group_members members = members_of(groups);
    summed_rows coarse = multiply(here, groups, members);
    put_level(here, groups, members);
    level& next = levels_.emplace_back();
    next.own = std::move(coarse);
    next.have(view_of(next.own));
    next.two_cycles = next.nonzeros <= most_for_two_cycles * here.nonzeros;
    here.own = {};  // what is needed of it lies in slices
    return true;
  }
  grouping group_rows(const level& l) const {
    const index nonzeros = l.nonzeros;
    const transposed t = transpose(l.a.rows, nonzeros, l.a.row_ptr, l.a.col);
    std::vector<index> col(at(nonzeros));
    std::vector<double> val(at(nonzeros));
    loops.items(nonzeros, sequences::rows_per_thread, [&](auto&, std::int64_t k) {
      const index from = t.entry.data()[k];
      col[static_cast<std::size_t>(k)] = t.row_of.data()[from];
      val[static_cast<std::size_t>(k)] = l.a.val[from];
    });
    return find_aggregates(
        loops, find_couplings(loops, l.a, {l.a.rows, t.begin_of.data(), col.data(), val.data()},
                              l.diagonal.data()));
  }
  template <class F>
  static void each_member(const group_members& members, index g, F&& f) {
    for (index m = members.begin[at(g)]; m < members.begin[at(g) + 1]; ++m) f(members.row[at(m)]);
  }
  static index elements_of(const level& l, const group_members& members, index g) {
    index all = 0;
    each_member(members, g, [&](index i) { all += l.a.row_ptr[i + 1] - l.a.row_ptr[i]; });
    return all;
  }
  /// R A P.
  summed_rows multiply(const level& l, const grouping& groups, const group_members& members) const {
    return sum_rows(
        loops, groups.count, groups.count, [&](index g) { return elements_of(l, members, g); },
        [&](index g, row_adder& add) {
          each_member(members, g, [&](index i) {
            for (index k = l.a.row_ptr[i]; k < l.a.row_ptr[i + 1]; ++k)
              if (const index to = groups.group[at(l.a.col[k])]; to >= 0) add(to, l.a.val[k]);
          });
        });
  }
  void put_level(level& l, const grouping& groups, const group_members& members) const {
    const rows_f64& a = l.a;
    const double* const d = l.diagonal.data();
    l.smoother = put(smoother_rows{a, d, unit_}, a.rows, l.nonzeros);
    const summed_rows down = sum_rows(
        loops, groups.count, a.rows, [&](index g) { return elements_of(l, members, g); },
        [&](index g, row_adder& add) {
          each_member(members, g, [&](index i) {
            for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
              const index j = a.col[k];
              add(j, (j == i ? 1.0 - omega : -omega * (a.val[k] / d[j])));
            }
          });
        });
    l.down = put(scaled_rows{view_of(down), 1.0}, groups.count, down.nonzeros());
    const summed_rows up = sum_rows(
        loops, a.rows, groups.count, [&](index i) { return a.row_ptr[i + 1] - a.row_ptr[i]; },
        [&](index i, row_adder& add) {
          for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
            const index j = a.col[k], to = groups.group[at(j)];
            if (to >= 0) add(to, j == i ? 1.0 - omega : -omega * (a.val[k] / d[i]));
          }
        });
    l.up = put(scaled_rows{view_of(up), 1.0}, a.rows, up.nonzeros());
    if (l.two_cycles) l.matrix = put(scaled_rows{a, 1.0 / unit_}, a.rows, l.nonzeros);
  }
  void end() {
    level& last = levels_.back();
    const index n = last.a.rows;
    last.two_cycles = false;
    last.inverted = n <= (stalled_ ? most_dense_rows : coarsest);
    if (!last.inverted) {
      last.smoother = put(smoother_rows{last.a, last.diagonal.data(), unit_}, n, last.nonzeros);
      return;
    }
    std::vector<double> inverse = inverse_of(last.a, last.diagonal.data());
    for (double& v : inverse) v *= unit_;
    last.smoother = put(dense_rows{n, inverse.data()}, n, n * n);
  }

  /// Vectors of a level: its right-hand side, what its smoother gives, its result.
  struct level_vectors {
    float *b, *y, *x;
  };
  owned_sequence link() {
    constexpr int block = 64;
    std::vector<int> first;  // blocks before each level's vectors
    int blocks = 0;
    const auto blocks_of = [](const level& l) { return (l.a.rows + block - 1) / block; };
    for (const level& l : levels_) {
      first.push_back(blocks);
      blocks += 3 * blocks_of(l);
    }
    sequences::linker to(where, block, blocks);
    std::vector<level_vectors> vectors;
    for (std::size_t l = 0; l < levels_.size(); ++l) {
      const int size = blocks_of(levels_[l]);
      vectors.push_back(
          {to.vector(first[l]), to.vector(first[l] + size), to.vector(first[l] + 2 * size)});
    }
    std::vector<int> parts;
    visit(0, nullptr, nullptr, vectors, to, parts);
    owned_sequence made = to.take();
    made.parts = std::move(parts);
    return made;
  }
  /// out = M b + plus of a level; null: the sequence's result, and nothing.
  void visit(std::size_t l, float* out, const float* plus,
             const std::vector<level_vectors>& vectors, sequences::linker& to,
             std::vector<int>& parts) const {
    const level& here = levels_[l];
    const level_vectors& v = vectors[l];
    const auto add = [&](const level::slices& m, const float* in, float* result,
                         const float* more) -> sparse_product& {
      parts.push_back(static_cast<int>(l));
      return to.add(m, in, result, more);
    };
    if (l + 1 == levels_.size()) {
      add(here.smoother, v.b, out, plus);
      return to.end_phase();
    }
    const level& next = levels_[l + 1];
    const level_vectors& w = vectors[l + 1];
    add(here.smoother, v.b, v.y, nullptr);
    add(here.down, v.b, w.b, nullptr);
    to.end_phase();
    visit(l + 1, w.x, nullptr, vectors, to, parts);
    if (next.two_cycles) {
      parts.push_back(static_cast<int>(l + 1));
      to.add(next.matrix, w.x, w.b, w.b).scale = -1.0f;
      to.end_phase();
      visit(l + 1, w.x, w.x, vectors, to, parts);
    }
    sparse_product& last = add(here.up, w.x, out, v.y);
    if (plus) last.more = plus, last.more_scale = 1.0f;
    to.end_phase();
  }

  std::string note() const {
    double all = 0.0;
    for (const level& l : levels_) all += l.nonzeros;
    const double complexity = all / std::max<index>(1, levels_.front().nonzeros);
    if (rows_with_positive_ > many_rows_with_positive)
      return fmt::format(
          "aggregation is for M-matrices, and {:.0f} % of the rows have much that is positive "
          "beside the diagonal: ilu0 or jacobi may be faster",
          100.0 * rows_with_positive_);
    if ((!stalled_ || levels_.back().inverted) && complexity < high_complexity) return {};
    return fmt::format(
        "coarsening {} ({} levels, the last of {} rows; operator complexity {:.1f}): this matrix "
        "may be solved faster with ilu0 or jacobi",
        stalled_ ? "ended early" : "is slow", levels_.size(), levels_.back().a.rows, complexity);
  }

  std::deque<level> levels_;
  double unit_ = 1.0, rows_with_positive_ = 0.0;
  bool stalled_ = false;
};

}  // namespace
}  // namespace aggregation

template <class T>
prepared_preconditioner aggregation_preconditioner(const device& where, const csr_arrays<T>& a,
                                                   const preconditioner_options&) {
  return aggregation::builder(where).build(a);
}
template prepared_preconditioner aggregation_preconditioner(const device&,
                                                            const csr_arrays<double>&,
                                                            const preconditioner_options&);
template prepared_preconditioner aggregation_preconditioner(const device&, const csr_arrays<float>&,
                                                            const preconditioner_options&);

}  // namespace dwell
