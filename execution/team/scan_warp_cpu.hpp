// SPDX-License-Identifier: MIT
// A warp that scans, on a CPU: 32 lanes with a piece of 16 bytes each, in the order of operations
// of scan_warp_cuda.cuh. Within a piece element by element, then the lanes' totals by Kogge and
// Stone's scan (1973), five steps, then what comes before a lane to each of its elements.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>

#include "dwell/execution/device/threads/waiting_cpu.hpp"

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

  /// Each lane's value becomes that of all up to it.
  template <class Op>
  static void scan_lanes(T (&value)[lanes]) {
    for (int step = 1; step < lanes; step *= 2) {
      T before[lanes];
      std::copy_n(value, lanes, before);
      for (int l = step; l < lanes; ++l) value[l] = Op::of(before[l - step], before[l]);
    }
  }
  /// Each element becomes that of all up to it; returns the last one, to all lanes.
  template <class Op>
  static T scan(row& r) {
    T total[lanes];
    for (int l = 0; l < lanes; ++l) {
      T* const v = r.v + l * piece;
      for (int i = 1; i < piece; ++i) v[i] = Op::of(v[i - 1], v[i]);
      total[l] = v[piece - 1];
    }
    scan_lanes<Op>(total);
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

/// A thread that plays the warps of a block in turn. What comes before a tile is folded from the
/// left whatever is there already, so that it has the same bits in every run.
template <class T, int Warps, class Flags>
class scan_team {
 public:
  using warp = scan_warp<T>;
  /// What each warp keeps.
  template <class V>
  struct per_warp {
    V v[Warps];
    V& operator[](int w) { return v[w]; }
  };

  scan_team(const Flags& flags, cpu_waiting& waiting, bool reversed)
      : flags_(flags), waiting_(waiting), reversed_(reversed) {}

  /// The next tile of all teams.
  std::int64_t take() {
    return std::atomic_ref<unsigned>(*flags_.next).fetch_add(1, std::memory_order_relaxed);
  }
  /// f(w) for every warp, which do not meet afterwards.
  template <class F>
  void warps(F&& f) {
    for (int w = 0; w < Warps; ++w) f(reversed_ ? Warps - 1 - w : w);
  }
  /// One element for each warp, that all lanes read after barrier().
  T* totals() { return totals_; }
  static void put(T& to, T v) { to = v; }
  static void barrier() {}

  /// Total of the tiles before this one, whose own is `aggregate`.
  template <class Op, int Group>
  T look_back(std::int64_t tile, T aggregate) {
    static_assert(Group == warp::lanes);
    const std::int64_t group = tile / Group, place = tile % Group;
    publish(flags_.tile[tile], aggregate);
    T in_group[Group];
    for (int l = 0; l < Group; ++l)
      in_group[l] = l < place ? wait_for(flags_.tile[group * Group + l]) : Op::none();
    warp::template scan_lanes<Op>(in_group);
    const T within = place > 0 ? in_group[place - 1] : Op::none();
    const T all = Op::of(within, aggregate);
    if (place == Group - 1) publish(flags_.group[group], all);
    const T before = before_group<Op>(group);
    if (place == Group - 1) publish(flags_.up_to[group], Op::of(before, all));
    return Op::of(before, within);
  }

 private:
  template <class Flag>
  void publish(Flag& flag, T v) {
    flag.value = v;
    waiting_.set(flag.there, 1);
  }
  template <class Flag>
  T wait_for(Flag& flag) {
    waiting_.until(flag.there, [](unsigned there) { return there > 0; });
    return flag.value;
  }
  template <class Op>
  T before_group(std::int64_t group) {
    T before = Op::none();
    std::int64_t from = group;  // the first one that `before` lacks
    for (; from > 0; --from) {
      wait_for(flags_.group[from - 1]);
      auto& up_to = flags_.up_to[from - 1];
      if (std::atomic_ref<unsigned>(up_to.there).load(std::memory_order_acquire) == 0) continue;
      before = up_to.value;
      break;
    }
    for (; from < group; ++from) before = Op::of(before, flags_.group[from].value);
    return before;
  }

  Flags flags_;
  cpu_waiting& waiting_;
  bool reversed_;
  T totals_[Warps];
};

}  // namespace dwell::cpu
