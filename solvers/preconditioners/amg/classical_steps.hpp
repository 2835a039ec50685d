// SPDX-License-Identifier: MIT
// Classical coarsening, as functors for setup_loops of either backend. A row depends on another one
// where -a_ij is at least a quarter of the largest of its row (Ruge and Stueben, 1987). Rows are
// split into coarse and fine ones: no coarse row depends on another one, and a fine row that
// depends on any depends on a coarse row, or on fine rows that do. A fine row takes its value from
// the coarse rows up to distance 2 (extended+i: De Sterck, Falgout, Nolting and Yang, Numer. Linear
// Algebra Appl. 15, 2008), in the form of a product of two matrices (Li, Sjogreen and Yang, SIAM J.
// Sci. Comput. 43, 2021):
//
//   w_i = -1/d_i (sum over the fine k that i depends on: a_ik / (s_k + a_ik) c_k, and c_i),
//   s_k = sum of c_k,  d_i = a_ii + sum of weak a_ij + sum of a_ik^2 / (s_k + a_ik),
//
// where c_k are the couplings of row k to the coarse rows that it depends on. Where rows of A sum
// to zero, those of the prolongation sum to one.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>

#include "dwell/base/fn.hpp"
#include "dwell/base/index.hpp"
#include "dwell/solvers/preconditioners/amg/root_steps.hpp"
#include "dwell/solvers/preconditioners/amg/strength_steps.hpp"

namespace dwell::amg {

/// Share of the largest -a_ij of a row from which on the row depends on j.
inline constexpr double least_dependence = 0.25;
/// Elements of a row of the prolongation, at most and from which share of the largest on.
inline constexpr index most_interpolated = 4;
inline constexpr double least_interpolated = 0.2;

// What is known of an element (i, j): at first bits, and once rows are split one of the kinds.
inline constexpr std::uint8_t depends = 1;    ///< i on j
inline constexpr std::uint8_t is_needed = 2;  ///< i, by j
inline constexpr std::uint8_t weak = 0;
inline constexpr std::uint8_t to_coarse = 1, to_fine = 2;          ///< a fine row depends on j
inline constexpr std::uint8_t own_of_fine = 3, own_of_coarse = 4;  ///< on the diagonal

/// Keys of rows that are decided; those of all others differ, and are larger for rows that more
/// others depend on.
inline constexpr std::uint64_t fine_key = 0, coarse_key = ~std::uint64_t(0);
DWELL_HD bool is_open(std::uint64_t key) { return key != fine_key && key != coarse_key; }

/// Per row: the largest -a_ij.
struct find_strongest {
  graph a;
  double* strongest;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    const index row = static_cast<index>(i);
    double most = 0.0;
    for (index k = a.row_ptr[row]; k < a.row_end[row]; ++k)
      if (a.col[k] != row && -a.val[k] > most) most = -a.val[k];
    strongest[row] = most;
  }
};
/// Per row: its elements' bits, and its key. Rows that no other depends on are fine.
struct find_dependences {
  graph a;
  const double* strongest;
  std::uint8_t* bits;
  std::uint64_t* key;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    const index row = static_cast<index>(i);
    const double mine = least_dependence * strongest[row];
    std::uint64_t needed = 0;
    for (index k = a.row_ptr[row]; k < a.row_end[row]; ++k) {
      const double v = -a.val[k];
      const index j = a.col[k];
      std::uint8_t found = 0;
      if (j != row && v > 0.0) {
        if (v >= mine) found |= depends;
        if (v >= least_dependence * strongest[j]) found |= is_needed;
      }
      needed += (found & is_needed) != 0;
      bits[k] = found;
    }
    key[row] = needed == 0 ? fine_key : needed << 32 | key_of(row, 0);
  }
};

/// Per open row, of a round of PMIS: whether its key is the largest beside it (De Sterck, Yang and
/// Heys, SIAM J. Matrix Anal. Appl. 27, 2006).
struct look_for_coarse {
  graph a;
  const std::uint8_t* bits;
  const std::uint64_t* key;
  std::uint8_t* largest;  ///< 0 at the start
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    const std::uint64_t mine = key[i];
    if (!is_open(mine)) return;
    for (index k = a.row_ptr[i]; k < a.row_end[i]; ++k) {
      if (bits[k] == 0) continue;
      const std::uint64_t other = key[a.col[k]];
      if (other != coarse_key && other > mine) return;
    }
    largest[i] = 1;
  }
};
/// Per open row: is coarse, or fine because it depends on one that is.
struct decide_coarse {
  graph a;
  const std::uint8_t* bits;
  const std::uint8_t* largest;
  std::uint64_t* key;
  int round;     ///< from 1 on
  int* further;  ///< becomes the round if there is a further one to be done
  template <class Warp>
  DWELL_FN void operator()(Warp& w, std::int64_t i) const {
    if (!is_open(key[i])) return;
    if (largest[i]) {
      key[i] = coarse_key;
      return;
    }
    for (index k = a.row_ptr[i]; k < a.row_end[i]; ++k)
      if ((bits[k] & depends) && largest[a.col[k]]) {
        key[i] = fine_key;
        return;
      }
    w.raise(*further, round);
  }
};

/// Per row: whether it is coarse.
struct count_coarse {
  const std::uint64_t* key;
  index* count;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    count[i] = key[i] == coarse_key;
  }
};
/// Per row: the kinds of its elements, in place of their bits.
struct find_kinds {
  graph a;
  const std::uint64_t* key;
  std::uint8_t* kind;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    const index row = static_cast<index>(i);
    const bool coarse = key[row] == coarse_key;
    for (index k = a.row_ptr[row]; k < a.row_end[row]; ++k) {
      const index j = a.col[k];
      std::uint8_t found = weak;
      if (j == row)
        found = coarse ? own_of_coarse : own_of_fine;
      else if (!coarse && (kind[k] & depends))
        found = key[j] == coarse_key ? to_coarse : to_fine;
      kind[k] = found;
    }
  }
};

/// A coupling that a row depended on may have another sign by now (refresh): then it is weak.
DWELL_HD double coupling(double v) { return v < 0.0 ? v : 0.0; }

/// Per row: s_i.
struct sum_to_coarse {
  graph a;
  const std::uint8_t* kind;
  double* sum;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    double s = 0.0;
    for (index k = a.row_ptr[i]; k < a.row_end[i]; ++k)
      if (kind[k] == to_coarse) s += coupling(a.val[k]);
    sum[i] = s;
  }
};
/// The factors of c_k for a fine row, and a one for a coarse row: on the left of a product.
struct dependences {
  graph a;
  const std::uint8_t* kind;
  const double* sum;
  DWELL_FN index begin(index row) const { return a.row_ptr[row]; }
  DWELL_FN index end(index row) const { return a.row_end[row]; }
  DWELL_FN index column(index k) const { return kind[k] >= to_fine ? a.col[k] : -1; }
  DWELL_FN double value(index, index k) const {
    if (kind[k] != to_fine) return 1.0;
    const double v = coupling(a.val[k]);
    return v < 0.0 ? v / (sum[a.col[k]] + v) : 0.0;
  }
};
/// c_k, and of a coarse row itself: on the right.
struct coarse_couplings {
  graph a;
  const std::uint8_t* kind;
  const index* number;  ///< on the coarse level
  DWELL_FN index begin(index row) const { return a.row_ptr[row]; }
  DWELL_FN index end(index row) const { return a.row_end[row]; }
  DWELL_FN index column(index, index k) const {
    return kind[k] == to_coarse || kind[k] == own_of_coarse ? number[a.col[k]] : -1;
  }
  DWELL_FN double value(index, index k) const {
    return kind[k] == to_coarse ? coupling(a.val[k]) : 1.0;
  }
};

/// Per row of that product: the row of the prolongation, of its largest elements, with its sum.
struct interpolate {
  graph a;
  const std::uint8_t* kind;
  const double* sum;
  index* row_ptr;  ///< each row has room for most_interpolated elements
  index* row_end;
  index* col;
  double* val;
  bool again = false;  ///< the elements that are there get other values
  const index* from_ptr = nullptr;
  const index* from_col = nullptr;
  const double* from = nullptr;

  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    const index row = static_cast<index>(i), begin = from_ptr[row];
    put(row, from_col + begin, from + begin, from_ptr[row + 1] - begin);
  }
  /// The product's row has n elements, columns in order.
  DWELL_FN void put(index row, const index* columns, const double* v, index n) const {
    const index first = row * most_interpolated;
    double all = 0.0, kept = 0.0;
    for (index k = 0; k < n; ++k) all += v[k];
    if (again) {
      kept = put_again(row, columns, v, n);
    } else {
      row_ptr[row] = first;
      if (row + 1 == a.rows) row_ptr[a.rows] = first + most_interpolated;
      index at = first;
      for (index k = 0; k < n; ++k)
        if (is_kept(v, n, k)) {
          kept += v[k];
          col[at] = columns[k];
          val[at++] = v[k];
        }
      row_end[row] = at;
    }
    double by = by_diagonal(row);
    const double sums = all / kept;
    if (sums > 0.0 && sums < most_ratio) by *= sums;
    constexpr double tiny = std::numeric_limits<double>::denorm_min();
    for (index k = first; k < row_end[row]; ++k) {
      const double v = by * val[k];
      val[k] = v == 0.0 ? tiny : v;  // restriction_rows leaves zeros out, of patterns that stay
    }
  }

 private:
  static constexpr double most_ratio = 16.0;  ///< signs of sums beyond it differ too much

  DWELL_FN static bool is_kept(const double* v, index n, index k) {
    if (n == 1) return true;
    const double size = std::fabs(v[k]);
    index larger = 0;
    double most = 0.0;
    for (index l = 0; l < n; ++l) {
      const double other = std::fabs(v[l]);
      larger += other > size || (other == size && l < k);
      most = other > most ? other : most;
    }
    return larger < most_interpolated && size >= least_interpolated * most;
  }
  /// The sum of what is put.
  DWELL_FN double put_again(index row, const index* columns, const double* v, index n) const {
    double kept = 0.0;
    index at = 0;
    for (index k = row_ptr[row]; k < row_end[row]; ++k) {
      while (at < n && columns[at] < col[k]) ++at;
      const double found = at < n && columns[at] == col[k] ? v[at] : 0.0;
      kept += found;
      val[k] = found;
    }
    return kept;
  }
  /// -1 / d_i; of a coarse row 1.
  DWELL_FN double by_diagonal(index row) const {
    double d = 0.0;
    for (index k = a.row_ptr[row]; k < a.row_end[row]; ++k) {
      const double v = a.val[k];
      if (kind[k] == own_of_coarse) return 1.0;
      if (kind[k] == to_fine && v < 0.0)
        d += v * (v / (sum[a.col[k]] + v));  // v^2 may be out of range
      else if (kind[k] < to_coarse || kind[k] > to_fine || v > 0.0)
        d += v;
    }
    const double least = 0.1 * a.diagonal[row];  // what weak couplings of one sign may leave
    return -1.0 / (d > least ? d : least);
  }
};

}  // namespace dwell::amg
