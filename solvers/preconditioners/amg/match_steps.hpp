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
  const index* col = nullptr;
  const double* val = nullptr;
  const double* diagonal = nullptr;
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

/// Per row.
struct find_diagonal {
  graph a;
  double* diagonal;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    const index row = static_cast<index>(i);
    double d = 0.0;
    for (index k = a.row_ptr[row]; k < a.row_ptr[row + 1]; ++k)
      if (a.col[k] == row) d = a.val[k];
    diagonal[row] = d;
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
    for (index k = a.row_ptr[row]; k < a.row_ptr[row + 1]; ++k) {
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
    for (index k = a.row_ptr[row]; k < a.row_ptr[row + 1]; ++k) {
      const float w = float_of(weights[k]), other = most[a.col[k]];
      const float least = weakest * (other > mine ? other : mine);
      weights[k] = w > 0.0f && w >= least ? rounded_bits(w) : 0;
    }
  }
};

/// The best neighbour of a row among those that are free, or among those that are not; or -1.
struct best_neighbour {
  const index* row_ptr;
  const index* col;
  const std::uint32_t* keys;
  const index* mate;

  DWELL_FN index of(index row, bool free) const {
    std::uint64_t best = 0;
    for (index k = row_ptr[row]; k < row_ptr[row + 1]; ++k) {
      if (keys[k] == 0) continue;
      const index j = col[k];
      if ((mate[j] < 0) != free) continue;
      const std::uint64_t key = static_cast<std::uint64_t>(keys[k]) << 32 |
                                (0xffffffffu - static_cast<std::uint32_t>(row ^ j));
      best = key > best ? key : best;
    }
    if (best == 0) return -1;
    return row ^ static_cast<index>(0xffffffffu - static_cast<std::uint32_t>(best));
  }
};

/// Per row, of a round.
struct propose {
  best_neighbour best;
  index* wish;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    const index row = static_cast<index>(i);
    wish[row] = best.mate[row] < 0 ? best.of(row, true) : -1;
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
      const index j = best.of(row, false);
      if (j >= 0) at = smaller(j, best.mate[j]);
    }
    head[row] = at;
    is_head[row] = at == row;
  }

 private:
  DWELL_FN static index smaller(index a, index b) { return b < a ? b : a; }
};

/// Per row: the number of its group, and the rows of a pair.
struct number_groups {
  const index* head;
  const index* number;  ///< of heads: sums of is_head before
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
