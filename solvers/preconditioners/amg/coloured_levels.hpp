// SPDX-License-Identifier: MIT
// The levels of a hierarchy that are smoothed in the order of colours (colours.hpp), the finest
// ones: their matrices in slices, and their part of the sequence. For setup_loops of a CPU.
#pragma once
#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "dwell/execution/krylov/products/put_in_slices.hpp"
#include "dwell/solvers/preconditioners/amg/colours.hpp"
#include "dwell/solvers/preconditioners/amg/operands.hpp"

namespace dwell::amg {

template <class Loops>
class coloured_levels {
  using slices = std::shared_ptr<owned_slices>;

 public:
  static constexpr bool on_host = true;
  coloured_levels(const Loops& loops, const device& where) : loops_(loops), where_(where) {}

  /// The first levels, as many as were added.
  bool has(std::size_t level) const { return level < levels_.size(); }
  int colours(std::size_t level) const { return has(level) ? levels_[level].rows.count() : 0; }

  /// Gives the next level its colours, if it takes few enough of them.
  void add(const graph& a) {
    row_colours found = colours_of(a);
    if (found.empty()) return;
    levels_.emplace_back().rows = std::move(found);
    set_roots(levels_.size() - 1, a);
  }
  /// Takes other values of its diagonal.
  void set_roots(std::size_t level, const graph& a) {
    buffer<double>& root = levels_[level].root;
    if (root.size() == 0) root = on_host_unset<double>(static_cast<std::size_t>(a.rows));
    struct none {};
    loops_.template chunks<none>(
        a.rows, rows_per_chunk, [&](none&, std::int64_t, std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i)
            root.data()[i] = a.diagonal[i] > 0.0 ? 1.0 / std::sqrt(a.diagonal[i]) : 0.0;
        });
  }

  /// A P and L P; false if a row has too many columns.
  bool multiply(std::size_t level, const graph& a, const matrix_rows& p, halved_product& to) const {
    return multiply_halves(loops_, a, levels_[level].rows, p, to);
  }

  /// The halves of the matrix, and of the finest level what brings the input there and the result
  /// back. unit: of the sequence's result.
  void put_matrix(std::size_t level, const graph& a, double unit) {
    level_of& l = levels_[level];
    const row_colours& c = l.rows;
    const coupled_halves h = halve(loops_, a, c, l.root.data());
    l.lower.resize(static_cast<std::size_t>(c.count()));
    l.upper.resize(static_cast<std::size_t>(c.count()));
    const float_rows& m = h.rows;
    for (int k = 0; k < c.count(); ++k) {
      const auto at = static_cast<std::size_t>(k);
      if (k > 0)
        put_rows(l.lower[at], c, k, {m.begin.data(), h.middle.data(), m.col.data(), m.val.data()});
      if (k + 1 < c.count())
        put_rows(l.upper[at], c, k, {h.middle.data(), h.end.data(), m.col.data(), m.val.data()});
    }
    if (level == 0) {
      const double root = std::sqrt(unit);
      put(gather_, permuted_diagonal{c.order.data(), c.order.data(), l.root.data(), root}, a.rows,
          a.rows);
      put(scatter_, permuted_diagonal{nullptr, c.place.data(), l.root.data(), root}, a.rows,
          a.rows);
    }
  }

  /// What goes to the coarse level and comes from there, once its colours are known.
  void put_corrections(std::size_t level, const halved_product& of, index coarse_rows,
                       double unit) {
    level_of& l = levels_[level];
    const index rows = static_cast<index>(l.rows.order.size());
    const bool coloured = has(level + 1);
    std::vector<double> scale;
    if (!coloured) scale.assign(static_cast<std::size_t>(coarse_rows), 1.0 / std::sqrt(unit));
    const float_rows g = coupled_corrections(
        loops_, l.rows, of, l.root.data(), coloured ? levels_[level + 1].root.data() : scale.data(),
        coloured ? levels_[level + 1].rows.place.data() : nullptr);
    const auto t = transposed_on_host(rows, g.begin.data(), g.begin.data() + 1, g.col.data(),
                                      g.val.data(), coarse_rows);
    const index elements = g.begin.data()[rows];
    put(l.down, float_row_slices{t.begin.data(), t.begin.data() + 1, t.row.data(), t.val.data()},
        coarse_rows, elements);
    const index first = second_colour(l.rows);
    put(l.up,
        float_row_slices{g.begin.data() + first, g.begin.data() + first + 1, g.col.data(),
                         g.val.data()},
        rows - first, elements);
  }

  // Their products. add(level, matrix, in, out, more) and end_phase() are those of the sequence;
  // x: the vector of the level, for its part of the input and of the result.

  /// From the input to the first sweep.
  template <class Add, class End>
  void link_down(std::size_t level, const float* input, float* x, Add&& add,
                 End&& end_phase) const {
    const level_of& l = levels_[level];
    if (level == 0) {
      add(0, gather_, input, x, nullptr);
      end_phase();
    }
    for (int k = 1; k < l.rows.count(); ++k) {
      float* const out = x + l.rows.begin[static_cast<std::size_t>(k)];
      add(level, l.lower[static_cast<std::size_t>(k)], x, out, out);
      end_phase();
    }
  }
  template <class Add, class End>
  void link_to_coarse(std::size_t level, const float* x, float* coarse, Add&& add,
                      End&& end_phase) const {
    add(level, levels_[level].down, x, coarse, nullptr);
    end_phase();
  }
  template <class Add, class End>
  void link_from_coarse(std::size_t level, const float* coarse, float* x, Add&& add,
                        End&& end_phase) const {
    const level_of& l = levels_[level];
    float* const out = x + second_colour(l.rows);
    add(level, l.up, coarse, out, out);
    end_phase();
  }
  /// The second sweep, and the result.
  template <class Add, class End>
  void link_up(std::size_t level, float* x, Add&& add, End&& end_phase) const {
    const level_of& l = levels_[level];
    for (int k = l.rows.count() - 2; k >= 0; --k) {
      float* const out = x + l.rows.begin[static_cast<std::size_t>(k)];
      add(level, l.upper[static_cast<std::size_t>(k)], x, out, out);
      end_phase();
    }
    if (level == 0) {
      add(0, scatter_, x, nullptr, nullptr);
      end_phase();
    }
  }

 private:
  struct level_of {
    row_colours rows;
    buffer<double> root;  ///< 1 / sqrt(a_ii); 0 where that is not positive: rows left out
    std::vector<slices> lower, upper;  ///< per colour: rows of -L, without the first one's; of -U
    slices down, up;                   ///< G', G
  };
  /// A permutation times sqrt(unit) D^-1/2.
  struct permuted_diagonal {
    const index* row;  ///< row of D, per row; null: the row itself
    const index* column_of;
    const double* root;
    double scale;
    index begin(index i) const { return i; }
    index end(index i) const { return i + 1; }
    index column(index i) const { return column_of[i]; }
    float value(index i, index) const { return static_cast<float>(scale * root[row ? row[i] : i]); }
  };
  static index second_colour(const row_colours& c) { return c.begin[1]; }

  void put_rows(slices& to, const row_colours& c, int colour, float_row_slices from) const {
    const index first = c.begin[static_cast<std::size_t>(colour)],
                rows = c.begin[static_cast<std::size_t>(colour) + 1] - first;
    from.first += first;
    from.last += first;
    double elements = 0.0;
    if (!to)
      for (index i = 0; i < rows; ++i) elements += from.last[i] - from.first[i];
    put(to, from, rows, elements);
  }
  template <class Source>
  void put(slices& to, const Source& from, index rows, double nonzeros) const {
    if (to)
      slicing::put_values(loops_, from, *to);
    else
      to = slicing::put_in_slices(loops_, where_, from, rows, nonzeros);
  }

  Loops loops_;
  device where_;
  std::vector<level_of> levels_;
  slices gather_, scatter_;
};

/// On a GPU: no level has any.
struct no_coloured_levels {
  static constexpr bool on_host = false;
  template <class Loops>
  no_coloured_levels(const Loops&, const device&) {}
  bool has(std::size_t) const { return false; }
  int colours(std::size_t) const { return 0; }
};

}  // namespace dwell::amg
