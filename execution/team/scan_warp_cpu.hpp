// SPDX-License-Identifier: MIT
// A warp that scans, on a CPU: 32 lanes with a piece of 16 bytes each, in the order of operations
// of scan_warp_cuda.cuh. Within a piece element by element, then the lanes' totals by Kogge and
// Stone's scan (1973), five steps, then what comes before a lane to each of its elements.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>

#include "dwell/execution/device/waiting_cpu.hpp"

namespace dwell::cpu {

template <class T>
class scan_warp {
 public:
  static constexpr int lanes = 32, piece = 16 / static_cast<int>(sizeof(T)),
                       columns = lanes * piece;

  /// Neighbouring elements, a piece a lane.
  struct row {
    T v[columns];
  };

  /// `count` elements from p on; `none` beyond.
  static void load(row& r, const T* p, int count, T none) {
    std::copy_n(p, count, r.v);
    std::fill(r.v + count, r.v + columns, none);
  }
  static void store(const row& r, T* p, int count) { std::copy_n(r.v, count, p); }

  /// Each element becomes that of all up to it; returns the last one, to all lanes.
  template <class Op>
  static T scan(row& r) {
    T total[lanes];
    for (int l = 0; l < lanes; ++l) {
      T* const v = r.v + l * piece;
      for (int i = 1; i < piece; ++i) v[i] = Op::of(v[i - 1], v[i]);
      total[l] = v[piece - 1];
    }
    for (int step = 1; step < lanes; step *= 2) {
      T before[lanes];
      std::copy_n(total, lanes, before);
      for (int l = step; l < lanes; ++l) total[l] = Op::of(before[l - step], before[l]);
    }
    for (int l = 1; l < lanes; ++l)
      for (int i = 0; i < piece; ++i) r.v[l * piece + i] = Op::of(total[l - 1], r.v[l * piece + i]);
    return total[lanes - 1];
  }
  template <class Op>
  static void prepend(row& r, T before) {
    for (T& v : r.v) v = Op::of(before, v);
  }
  /// Each element gets the one before, the first one `before`.
  static void shift_in(row& r, T before) {
    std::copy_backward(r.v, r.v + columns - 1, r.v + columns);
    r.v[0] = before;
  }
};

/// The words by which tiles of a scan know of one another (Merrill and Garland 2016).
template <class T>
struct look_back_words {
  unsigned* next;   ///< tile that nobody has taken
  unsigned* state;  ///< of each tile: 0, then 1: its aggregate is there, then 2: its prefix is too
  T *aggregate, *prefix;
};

/// A thread that plays the warps of a block in turn. What comes before a tile is folded from the
/// left whatever is there already, so that it has the same bits in every run.
template <class T, int Warps>
class scan_team {
 public:
  using warp = scan_warp<T>;
  /// What each warp keeps.
  template <class V>
  struct per_warp {
    V v[Warps];
    V& operator[](int w) { return v[w]; }
  };

  scan_team(const look_back_words<T>& words, cpu_waiting& waiting, bool reversed)
      : words_(words), waiting_(waiting), reversed_(reversed) {}

  /// The next tile of all teams.
  std::int64_t take() {
    return std::atomic_ref<unsigned>(*words_.next).fetch_add(1, std::memory_order_relaxed);
  }
  /// f(w) for every warp, which do not meet afterwards.
  template <class F>
  void warps(F&& f) {
    for (int w = 0; w < Warps; ++w) f(reversed_ ? Warps - 1 - w : w);
  }
  /// One element for each warp, that all lanes read after meet().
  T* totals() { return totals_; }
  static void put(T& to, T v) { to = v; }
  static void meet() {}

  /// Of the tiles before this one, whose own is `aggregate`.
  template <class Op>
  T look_back(std::int64_t tile, T aggregate) {
    const auto publish = [&](T* to, T v, unsigned state) {
      to[tile] = v;
      waiting_.set(words_.state[tile], state);
    };
    if (tile == 0) {
      publish(words_.prefix, aggregate, 2);
      return Op::none();
    }
    publish(words_.aggregate, aggregate, 1);
    std::int64_t last = tile - 1;  // that has a prefix
    while (waiting_.until(words_.state[last], [](unsigned s) { return s > 0; }) == 1) --last;
    T before = words_.prefix[last];
    for (std::int64_t k = last + 1; k < tile; ++k) before = Op::of(before, words_.aggregate[k]);
    publish(words_.prefix, Op::of(before, aggregate), 2);
    return before;
  }

 private:
  look_back_words<T> words_;
  cpu_waiting& waiting_;
  bool reversed_;
  T totals_[Warps];
};

}  // namespace dwell::cpu
