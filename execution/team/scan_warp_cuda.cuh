// SPDX-License-Identifier: MIT
// A warp that scans, on a GPU, in the order of operations of scan_warp_cpu.hpp; and the blocks of a
// scan with decoupled look-back.
//
// Who reads what: a flag of the look-back is a value and whether it is there, written once, by one
// store, and read by one load. So who sees that it is there has the value too, without a fence.
// Tiles are taken in their order, so the blocks that a block waits for are running or have ended.
#pragma once
#include <cstdint>

#include "dwell/base/fn.hpp"

namespace dwell::cuda {

template <class T>
class scan_warp {
 public:
  static constexpr int lanes = 32, piece = 16 / static_cast<int>(sizeof(T)),
                       columns = lanes * piece;

  struct row {
    alignas(16) T v[piece];
  };

  static DWELL_FN void load(row& r, const T* p, int count, T none) {
    if (count == columns && reinterpret_cast<std::size_t>(p) % sizeof(row) == 0) {
      r = reinterpret_cast<const row*>(p)[lane()];
      return;
    }
    DWELL_UNROLL
    for (int i = 0; i < piece; ++i) {
      const int at = lane() * piece + i;
      r.v[i] = at < count ? p[at] : none;
    }
  }
  static DWELL_FN void store(const row& r, T* p, int count) {
    if (count == columns && reinterpret_cast<std::size_t>(p) % sizeof(row) == 0) {
      reinterpret_cast<row*>(p)[lane()] = r;
      return;
    }
    DWELL_UNROLL
    for (int i = 0; i < piece; ++i) {
      const int at = lane() * piece + i;
      if (at < count) p[at] = r.v[i];
    }
  }
  /// The value of all lanes up to this one.
  template <class Op>
  static DWELL_FN T scan_lanes(T value) {
    DWELL_UNROLL
    for (int step = 1; step < lanes; step *= 2) {
      const T before = __shfl_up_sync(~0u, value, step);
      if (lane() >= step) value = Op::of(before, value);
    }
    return value;
  }
  template <class Op>
  static DWELL_FN T scan(row& r) {
    DWELL_UNROLL
    for (int i = 1; i < piece; ++i) r.v[i] = Op::of(r.v[i - 1], r.v[i]);
    const T total = scan_lanes<Op>(r.v[piece - 1]);
    const T before = __shfl_up_sync(~0u, total, 1);
    if (lane() > 0) prepend<Op>(r, before);
    return __shfl_sync(~0u, total, lanes - 1);
  }
  template <class Op>
  static DWELL_FN void prepend(row& r, T before) {
    DWELL_UNROLL
    for (int i = 0; i < piece; ++i) r.v[i] = Op::of(before, r.v[i]);
  }
  static DWELL_FN void shift_in(row& r, T before) {
    const T from = __shfl_up_sync(~0u, r.v[piece - 1], 1);
    DWELL_UNROLL
    for (int i = piece - 1; i > 0; --i) r.v[i] = r.v[i - 1];
    r.v[0] = lane() == 0 ? before : from;
  }

  static DWELL_FN int lane() { return static_cast<int>(threadIdx.x) % lanes; }
};

/// To memory that other blocks read, and from such memory: 8 or 16 bytes at once.
template <class Flag>
DWELL_FN void store_flag(Flag* to, const Flag& flag) {
  static_assert(sizeof(Flag) == 8 || sizeof(Flag) == 16);
  std::uint64_t part[sizeof(Flag) / 8];
  memcpy(part, &flag, sizeof(Flag));
  if constexpr (sizeof(Flag) == 8)
    asm volatile("st.relaxed.gpu.global.b64 [%0], %1;" ::"l"(to), "l"(part[0]) : "memory");
  else
    asm volatile(
        "{ .reg .b128 word; mov.b128 word, {%1, %2}; st.relaxed.gpu.global.b128 [%0], word; }" ::
            "l"(to),
        "l"(part[0]), "l"(part[1])
        : "memory");
}
template <class Flag>
DWELL_FN Flag load_flag(const Flag* from) {
  static_assert(sizeof(Flag) == 8 || sizeof(Flag) == 16);
  std::uint64_t part[sizeof(Flag) / 8];
  if constexpr (sizeof(Flag) == 8)
    asm volatile("ld.relaxed.gpu.global.b64 %0, [%1];" : "=l"(part[0]) : "l"(from) : "memory");
  else
    asm volatile(
        "{ .reg .b128 word; ld.relaxed.gpu.global.b128 word, [%2]; mov.b128 {%0, %1}, word; }"
        : "=l"(part[0]), "=l"(part[1])
        : "l"(from)
        : "memory");
  Flag flag;
  memcpy(&flag, part, sizeof(Flag));
  return flag;
}

template <class T, int Warps, class Flags>
class scan_team {
 public:
  using warp = scan_warp<T>;
  template <class V>
  struct per_warp {
    V v;
    DWELL_FN V& operator[](int) { return v; }
  };
  /// In shared memory.
  struct shared {
    T totals[Warps];
    T before;
    unsigned tile;
  };

  DWELL_FN scan_team(const Flags& flags, shared& s) : flags_(flags), s_(s) {}

  DWELL_FN std::int64_t take() {
    if (threadIdx.x == 0) s_.tile = atomicAdd(flags_.next, 1u);
    __syncthreads();
    return s_.tile;
  }
  template <class F>
  DWELL_FN void warps(F&& f) {
    f(__shfl_sync(~0u, static_cast<int>(threadIdx.x) / 32, 0));
  }
  DWELL_FN T* totals() { return s_.totals; }
  static DWELL_FN void put(T& to, T v) {
    if (warp::lane() == 0) to = v;
  }
  static DWELL_FN void barrier() { __syncthreads(); }

  template <class Op, int Group>
  DWELL_FN T look_back(std::int64_t tile, T aggregate) {
    static_assert(Group == warp::lanes);
    if (threadIdx.x < 32) {
      const T before = look_back_by_warp<Op, Group>(tile, aggregate);
      if (threadIdx.x == 0) s_.before = before;
    }
    __syncthreads();
    return s_.before;
  }

 private:
  template <class Flag>
  static DWELL_FN void publish(Flag* to, T v) {
    if (warp::lane() == 0) store_flag(to, Flag{v, 1});
  }

  /// A lane a tile of the group.
  template <class Op, int Group>
  DWELL_FN T look_back_by_warp(std::int64_t tile, T aggregate) {
    const std::int64_t group = tile / Group;
    const int place = static_cast<int>(tile % Group);
    publish(flags_.tile + tile, aggregate);
    T own = Op::none();
    if (warp::lane() < place) {
      auto flag = load_flag(flags_.tile + group * Group + warp::lane());
      while (flag.there == 0) flag = load_flag(flags_.tile + group * Group + warp::lane());
      own = flag.value;
    }
    __syncwarp();
    const T up_to = warp::template scan_lanes<Op>(own);
    const T last = __shfl_sync(~0u, up_to, place > 0 ? place - 1 : 0);
    const T within = place > 0 ? last : Op::none();
    const T all = Op::of(within, aggregate);
    if (place == Group - 1) publish(flags_.group + group, all);
    const T before = group > 0 ? before_group<Op>(group) : Op::none();
    if (place == Group - 1) publish(flags_.up_to + group, Op::of(before, all));
    return Op::of(before, within);
  }
  /// Lane l looks at group - 1 - l. Once one knows of all up to it, and all behind it have their
  /// aggregates, these are folded from the left.
  template <class Op>
  DWELL_FN T before_group(std::int64_t group) const {
    const std::int64_t at = group - 1 - warp::lane();
    for (;;) {
      T value = Op::none();
      bool there = false, all = false;
      if (at >= 0) {
        const auto up_to = load_flag(flags_.up_to + at), own = load_flag(flags_.group + at);
        all = up_to.there != 0;
        there = all || own.there != 0;
        value = all ? up_to.value : own.value;
      }
      const unsigned none = __ballot_sync(~0u, !there);
      const int nearest = __ffs(static_cast<int>(__ballot_sync(~0u, all))) - 1;
      if (nearest < 0 || (none & ((1u << nearest) - 1u)) != 0) continue;
      T before = __shfl_sync(~0u, value, nearest);
      for (int l = nearest - 1; l >= 0; --l) before = Op::of(before, __shfl_sync(~0u, value, l));
      return before;
    }
  }

  Flags flags_;
  shared& s_;
};

}  // namespace dwell::cuda
