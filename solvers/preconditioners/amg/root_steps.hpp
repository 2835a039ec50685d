// SPDX-License-Identifier: MIT
// Aggregates around roots, as functors for setup_loops of either backend. Roots are a maximal set
// of rows no two of which are neighbours or have a neighbour in common, by strong couplings: an
// independent set of distance 2 (Bell, Dalton and Olson, SIAM J. Sci. Comput. 34, 2012). Each row
// has a key that is new in every round; an undecided row whose key is the largest up to distance 2
// becomes a root. Keys are hashes, so that what comes out is of one kind however rows are numbered.
#pragma once
#include <cstdint>

#include "dwell/base/fn.hpp"
#include "dwell/base/index.hpp"
#include "dwell/solvers/preconditioners/amg/strength_steps.hpp"

namespace dwell::amg {

inline constexpr std::uint32_t no_root = 0, is_root = 0xffffffffu;  ///< keys of decided rows
inline constexpr std::uint32_t undecided = 1;  ///< that of any other, if only that counts

/// The key of an undecided row: 1 to 2^31. No two rows have the same one, for each step maps
/// numbers of 31 bits one to one.
DWELL_HD std::uint32_t key_of(index row, std::uint32_t round) {
  constexpr std::uint32_t bits = 0x7fffffffu;
  std::uint32_t x = static_cast<std::uint32_t>(row) ^ (round * 0x632be59bu & bits);
  x = (x ^ x >> 16) * 0x45d9f3bu & bits;
  x = (x ^ x >> 15) * 0x2c1b3c6du & bits;
  return (x ^ x >> 16) + 1u;
}

/// Strong couplings of a graph.
struct strong_graph {
  const index* row_ptr;
  const index* row_end;
  const index* col;
  const std::uint32_t* weights;  ///< 0: not strong

  /// f(neighbour, weight) for all strong neighbours of a row.
  template <class F>
  DWELL_FN void each(index row, F&& f) const {
    for (index k = row_ptr[row]; k < row_end[row]; ++k)
      if (weights[k] != 0) f(col[k], weights[k]);
  }
};

/// In place of the root of a row's aggregate.
inline constexpr index no_aggregate = -1;  ///< none yet
inline constexpr index to_smoother = -2;   ///< none ever: nothing couples the row to others

/// Per row: it is in no aggregate.
struct begin_heads {
  const float* most;  ///< largest weights; null: rows without any become aggregates, too
  index* head;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    head[i] = !most || most[i] > 0.0f ? no_aggregate : to_smoother;
  }
};
/// Per row, before the first round: rows that are in no aggregate may become roots, where so many
/// of their strong neighbours are in none either.
struct begin_roots {
  strong_graph strong;
  const index* head;  ///< per row: the root of its aggregate, if it is in one
  int fewest;
  std::uint32_t* key;
  std::uint32_t* near;  ///< the largest key of the row and of its neighbours

  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    const index row = static_cast<index>(i);
    key[row] = near[row] = no_root;  // rows in aggregates connect nothing
    if (head[row] != no_aggregate) return;
    int free = 0;
    strong.each(row, [&](index j, std::uint32_t) { free += head[j] == no_aggregate; });
    if (free >= fewest) key[row] = key_of(row, 0);
    near[row] = undecided;
  }
};
/// Per row, of a round. What is decided for a whole neighbourhood stays so.
struct look_near {
  strong_graph strong;
  const std::uint32_t* key;
  std::uint32_t* near;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    const index row = static_cast<index>(i);
    if (near[row] == no_root || near[row] == is_root) return;
    std::uint32_t most = key[row];
    strong.each(row, [&](index j, std::uint32_t) { most = key[j] > most ? key[j] : most; });
    near[row] = most;
  }
};
struct decide_roots {
  strong_graph strong;
  const std::uint32_t* near;
  std::uint32_t* key;
  std::uint32_t round;  ///< from 1 on
  int* further;         ///< becomes the round if there is a further one to be done
  template <class Warp>
  DWELL_FN void operator()(Warp& w, std::int64_t i) const {
    const index row = static_cast<index>(i);
    const std::uint32_t mine = key[row];
    if (mine == no_root || mine == is_root) return;
    std::uint32_t most = near[row];
    strong.each(row, [&](index j, std::uint32_t) { most = near[j] > most ? near[j] : most; });
    if (most == is_root) {
      key[row] = no_root;
    } else if (most == mine) {
      key[row] = is_root;
    } else {
      key[row] = key_of(row, round);
      w.raise(*further, static_cast<int>(round));
    }
  }
};

/// Per row that is in no aggregate: joins that of a root beside it.
struct join_roots {
  strong_graph strong;
  const std::uint32_t* key;
  index* head;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    const index row = static_cast<index>(i);
    if (head[row] != no_aggregate) return;
    if (key[row] == is_root) {
      head[row] = row;
      return;
    }
    std::uint32_t best = 0;
    index to = no_aggregate;
    strong.each(row, [&](index j, std::uint32_t weight) {
      if (key[j] == is_root && weight > best) best = weight, to = j;
    });
    head[row] = to;
  }
};
/// Per row that is in no aggregate: joins that of its strongest neighbour that is in one.
struct join_neighbours {
  strong_graph strong;
  const index* head;
  index* to;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    const index row = static_cast<index>(i);
    index at = head[row];
    if (at == no_aggregate) {
      std::uint64_t best = 0;
      strong.each(row, [&](index j, std::uint32_t weight) {
        if (head[j] < 0) return;
        const std::uint64_t key = static_cast<std::uint64_t>(weight) << 32 | key_of(j, 0);
        if (key > best) best = key, at = head[j];
      });
    }
    to[row] = at;
  }
};

/// Per row: whether it is a root.
struct count_roots {
  const index* head;
  index* count;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    count[i] = head[i] == static_cast<index>(i);
  }
};
/// Per row: the number of its aggregate, -1: it is left to the smoother.
struct number_aggregates {
  const index* head;
  const index* number;  ///< how many roots are before
  index* aggregate;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    aggregate[i] = head[i] < 0 ? -1 : number[head[i]];
  }
};

/// Per node that is in an aggregate: it has one more, and somewhere in its list.
struct count_members {
  const index* aggregate;
  index* count;
  template <class Warp>
  DWELL_FN void operator()(Warp& w, std::int64_t node) const {
    if (aggregate[node] >= 0) w.add(count[aggregate[node]], 1);
  }
};
struct scatter_members {
  const index* aggregate;
  const index* begin_of;
  index* taken;  ///< per aggregate, 0 at the start
  index* member;
  template <class Warp>
  DWELL_FN void operator()(Warp& w, std::int64_t node) const {
    const index to = aggregate[node];
    if (to >= 0) member[begin_of[to] + w.take(taken[to], 1)] = static_cast<index>(node);
  }
};

/// Per row: through aggregates of its aggregate.
struct follow_aggregates {
  const index* second;
  index* aggregate;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    if (aggregate[i] >= 0) aggregate[i] = second[aggregate[i]];
  }
};

}  // namespace dwell::amg
