// SPDX-License-Identifier: MIT
// One pass of pairwise matching, as functors for setup_loops of either backend. Every free row
// proposes to its free neighbour of largest weight; rows that propose to each other are a pair.
// The weight is a_ij^2 / (a_ii a_jj) for a_ij < 0, rounded so that nearly equal ones tie, and of
// equal ones the neighbour with the smallest i XOR j is the best: on regular grids that pairs
// nearly all rows at once, where the smallest index would start chains of proposals.
#pragma once
#include <cmath>
#include <cstdint>

#include "dwell/base/fn.hpp"
#include "dwell/base/index.hpp"

namespace dwell::amg {

/// A matrix whose rows are matched: of a level, or of a level's pairs.
struct graph {
  index rows = 0;
  const index* row_ptr = nullptr;
  const index* row_end = nullptr;  ///< row_ptr + 1, or rows end before the next one begins
  const index* col = nullptr;
  const double* val = nullptr;
  const double* diagonal = nullptr;
};

/// The quality of aggregates (Napov and Notay, SIAM J. Sci. Comput. 34, 2012). With A_G an
/// aggregate's couplings and the row sums of A, and D_G its diagonal,
///
///   kappa A_G - 2 (D_G - D_G 1 1' D_G / 1' D_G 1)
///
/// must be positive semidefinite, which bounds the condition number of the two-level method of an
/// M-matrix by kappa. Chains of eight rows are not good at 24, nor unions across weak couplings.
/// Positive couplings count as none.
struct aggregate_quality {
  graph a;                         ///< the level
  const double* sums = nullptr;    ///< sums of its rows
  const index* members = nullptr;  ///< half of `most` per row of what is matched, -1: fewer; null:
                                   ///< nothing is checked
  double kappa = 0.0;

  static constexpr int most = 8;

  DWELL_FN bool of_union(index p, index q) const {
    index rows[most];
    int n = append(p < q ? p : q, rows, 0);  // in one order, whichever row asks
    n = append(p < q ? q : p, rows, n);
    return good(rows, n);
  }

 private:
  DWELL_FN int append(index group, index* rows, int n) const {
    for (int k = 0; k < most / 2; ++k) {
      const index row = members[static_cast<std::int64_t>(group) * (most / 2) + k];
      if (row >= 0) rows[n++] = row;
    }
    return n;
  }
  DWELL_FN double coupling(index row, index col) const {
    index low = a.row_ptr[row], high = a.row_end[row];
    const index end = high;
    while (low < high) {
      const index middle = low + (high - low) / 2;
      if (a.col[middle] < col)
        low = middle + 1;
      else
        high = middle;
    }
    return low < end && a.col[low] == col && a.val[low] < 0.0 ? a.val[low] : 0.0;
  }
  DWELL_FN bool good(const index* rows, int n) const {
    double m[most][most];  // its lower triangle
    double all = 0.0, largest = 0.0;
    for (int i = 0; i < n; ++i) {
      const double d = a.diagonal[rows[i]];
      m[i][i] = kappa * sums[rows[i]];
      all += d;
      largest = d > largest ? d : largest;
    }
    for (int i = 1; i < n; ++i)
      for (int j = 0; j < i; ++j) {
        m[i][j] = kappa * coupling(rows[i], rows[j]);
        m[i][i] -= m[i][j];
        m[j][j] -= m[i][j];
      }
    constexpr double slack = 1e-8;  // a null vector is allowed
    for (int i = 0; i < n; ++i) {
      const double d = 2.0 * a.diagonal[rows[i]];
      m[i][i] += slack * kappa * largest - d;
      for (int j = 0; j <= i; ++j) m[i][j] = std::fma(d, a.diagonal[rows[j]] / all, m[i][j]);
    }
    for (int k = 0; k < n; ++k) {  // L D L'
      if (!(m[k][k] > 0.0)) return false;
      for (int i = k + 1; i < n; ++i) {
        const double f = m[i][k] / m[k][k];
        for (int j = k + 1; j <= i; ++j) m[i][j] = std::fma(-f, m[j][k], m[i][j]);
      }
    }
    return true;
  }
};

/// Neighbours under this share of a row's largest weight are not matched: .25 of |a_ij|.
inline constexpr float weakest = 0.25f * 0.25f;

DWELL_HD float weight(const graph& a, index row, index k) {
  const double v = a.val[k];
  const index j = a.col[k];
  if (!(v < 0.0) || j == row) return 0.0f;
  return static_cast<float>((v / a.diagonal[row]) * (v / a.diagonal[j]));
}
DWELL_HD std::uint32_t bits_of(float w) {
  union {
    float f;
    std::uint32_t u;
  } bits{w};
  return bits.u;
}
DWELL_HD float float_of(std::uint32_t u) {
  union {
    std::uint32_t u;
    float f;
  } bits{u};
  return bits.f;
}
/// With eight bits of the fraction.
DWELL_HD std::uint32_t rounded_bits(float w) { return (bits_of(w) + 0x4000u) >> 15; }

/// Per row: its diagonal element; where they are wanted its sum and the longest row.
struct find_diagonal {
  graph a;
  double* diagonal;
  double* sums = nullptr;
  index* longest = nullptr;
  template <class Warp>
  DWELL_FN void operator()(Warp& w, std::int64_t i) const {
    const index row = static_cast<index>(i), begin = a.row_ptr[row], end = a.row_end[row];
    double d = 0.0, sum = 0.0;
    for (index k = begin; k < end; ++k) {
      if (a.col[k] == row) d = a.val[k];
      sum += a.val[k];
    }
    diagonal[row] = d;
    if (sums) sums[row] = sum;
    if (longest) w.raise(*longest, end - begin);
  }
};

/// Per row: the weights of its elements, the largest of them; nobody is matched yet.
struct begin_matching {
  graph a;
  std::uint32_t* weights;  ///< their bits
  float* most;
  index* mate;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    const index row = static_cast<index>(i);
    float m = 0.0f;
    for (index k = a.row_ptr[row]; k < a.row_end[row]; ++k) {
      const float w = weight(a, row, k);
      weights[k] = bits_of(w);
      m = w > m ? w : m;
    }
    most[row] = m;
    mate[row] = -1;
  }
};
/// Per row: its elements' weights as they are compared; 0: not to be matched.
struct compare_weights {
  graph a;
  const float* most;
  std::uint32_t* weights;  ///< their bits, and afterwards what is compared
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    const index row = static_cast<index>(i);
    const float mine = most[row];
    for (index k = a.row_ptr[row]; k < a.row_end[row]; ++k) {
      const float w = float_of(weights[k]), other = most[a.col[k]];
      const float least = weakest * (other > mine ? other : mine);
      weights[k] = w > 0.0f && w >= least ? rounded_bits(w) : 0;
    }
  }
};

/// A bit of what is compared: the element's union is known to be a good aggregate.
inline constexpr std::uint32_t known_good = 0x80000000u;

/// The element of a row's best neighbour among those that are free, or among those that are not; or
/// -1.
struct best_neighbour {
  const index* row_ptr;
  const index* row_end;
  const index* col;
  std::uint32_t* keys;  ///< a row changes its own
  const index* mate;

  DWELL_FN index of(index row, bool free) const {
    std::uint64_t best = 0;
    index at = -1;
    for (index k = row_ptr[row]; k < row_end[row]; ++k) {
      const std::uint32_t weight = keys[k] & ~known_good;
      if (weight == 0) continue;
      const index j = col[k];
      if ((mate[j] < 0) != free) continue;
      const std::uint64_t key = static_cast<std::uint64_t>(weight) << 32 |
                                (0xffffffffu - static_cast<std::uint32_t>(row ^ j));
      if (key > best) best = key, at = k;
    }
    return at;
  }
};

/// Per row, of a round. A union that would be a bad aggregate is not looked at again.
struct propose {
  best_neighbour best;
  aggregate_quality quality;
  index* wish;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    const index row = static_cast<index>(i);
    index to = -1;
    if (best.mate[row] < 0) to = first_good(row);
    wish[row] = to;
  }

 private:
  DWELL_FN index first_good(index row) const {
    for (;;) {
      const index k = best.of(row, true);
      if (k < 0) return -1;
      const index j = best.col[k];
      if (!quality.members || best.keys[k] & known_good) return j;
      const bool good = quality.of_union(row, j);
      best.keys[k] = good ? best.keys[k] | known_good : 0;
      if (good) return j;
    }
  }
};
struct shake_hands {
  const index* wish;
  index* mate;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    const index j = wish[i];
    if (j >= 0 && wish[j] == static_cast<index>(i)) mate[i] = j;
  }
};

/// Per row, after the rounds: the smallest row of its group, -1 where it is left out, and whether
/// it is that row itself. join: rows without a pair join their best neighbour's. leave_out: rows
/// without any weight are left to the smoother.
struct choose_heads {
  best_neighbour best;
  const float* most;
  bool join, leave_out;
  index* head;
  index* is_head;

  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    const index row = static_cast<index>(i);
    index at = row;
    if (best.mate[row] >= 0) {
      at = smaller(row, best.mate[row]);
    } else if (leave_out && !(most[row] > 0.0f)) {
      at = -1;
    } else if (join) {
      const index k = best.of(row, false);
      if (k >= 0) at = smaller(best.col[k], best.mate[best.col[k]]);
    }
    head[row] = at;
    is_head[row] = at == row;
  }

 private:
  DWELL_FN static index smaller(index a, index b) { return b < a ? b : a; }
};

/// Per row: the number of its group; per group the rows of a pair, and what it holds.
struct number_groups {
  const index* head;
  const index* number;  ///< number of heads: sums of is_head before
  const index* mate;
  index* group;
  index* first;   ///< per group
  index* second;  ///< or -1
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    const index row = static_cast<index>(i), at = head[row];
    group[row] = at < 0 ? -1 : number[at];
    if (at == row) first[number[at]] = row, second[number[at]] = mate[row];
  }
};
/// Per group of a pass that is not the last: the elements of its rows, which is room enough for its
/// own row, and the rows of the level that it stands for.
struct describe_groups {
  graph a;
  const index* first;
  const index* second;
  const index* members_before;  ///< members / 2 per row of a; null: the rows themselves
  int members;                  ///< per group
  index* room;
  index* member;

  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    const index one = first[i], two = second[i];
    room[i] = length(one) + (two >= 0 ? length(two) : 0);
    const int half = members / 2;
    for (int k = 0; k < half; ++k) {
      index* const to = member + i * members + k;
      to[0] = of(one, half, k);
      to[half] = two >= 0 ? of(two, half, k) : -1;
    }
  }

 private:
  DWELL_FN index length(index row) const { return a.row_end[row] - a.row_ptr[row]; }
  DWELL_FN index of(index row, int half, int k) const {
    return members_before ? members_before[static_cast<std::int64_t>(row) * half + k] : row;
  }
};

/// Per row of the level: through a further pass.
struct follow_groups {
  const index* group;
  index* aggregate;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    if (aggregate[i] >= 0) aggregate[i] = group[aggregate[i]];
  }
};

}  // namespace dwell::amg
