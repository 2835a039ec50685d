// SPDX-License-Identifier: MIT
// A warp that scans, on a GPU, in the order of operations of scan_warp_cpu.hpp; and the blocks of a
// scan with decoupled look-back.
//
// Who reads what: a block writes its aggregate, then its state, with a fence between; who sees the
// state reads the aggregate after a fence. The same of the prefix. Tiles are taken in their order,
// so the blocks that a block waits for are running or have ended.
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
  template <class Op>
  static DWELL_FN T scan(row& r) {
    DWELL_UNROLL
    for (int i = 1; i < piece; ++i) r.v[i] = Op::of(r.v[i - 1], r.v[i]);
    T total = r.v[piece - 1];
    DWELL_UNROLL
    for (int step = 1; step < lanes; step *= 2) {
      const T before = __shfl_up_sync(~0u, total, step);
      if (lane() >= step) total = Op::of(before, total);
    }
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

template <class T>
struct look_back_words {
  unsigned* next;
  unsigned* state;
  T *aggregate, *prefix;
};

template <class T, int Warps>
class scan_team {
 public:
  using warp = scan_warp<T>;
  /// Tiles that a lane looks back at: a prefix comes 32 times as many tiles further in the time
  /// that it takes to see one. Measured: docs/results/systolic.md.
  static constexpr int reach = 4;
  template <class V>
  struct per_warp {
    V v;
    DWELL_FN V& operator[](int) { return v; }
  };
  /// In shared memory.
  struct shared {
    T totals[Warps];
    T before;
    T window[reach * 32];  ///< of the tiles before, the nearest first
    unsigned tile;
  };

  DWELL_FN scan_team(const look_back_words<T>& words, shared& s) : words_(words), s_(s) {}

  DWELL_FN std::int64_t take() {
    if (threadIdx.x == 0) s_.tile = atomicAdd(words_.next, 1u);
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
  static DWELL_FN void meet() { __syncthreads(); }

  template <class Op>
  DWELL_FN T look_back(std::int64_t tile, T aggregate) {
    if (threadIdx.x < 32) {
      const T before = look_back_by_warp<Op>(tile, aggregate);
      if (threadIdx.x == 0) s_.before = before;
    }
    __syncthreads();
    return s_.before;
  }

 private:
  DWELL_FN void publish(std::int64_t tile, T* to, T v, unsigned state) {
    if (warp::lane() != 0) return;
    __stcg(to + tile, v);
    __threadfence();
    *const_cast<volatile unsigned*>(words_.state + tile) = state;
  }

  /// Lane l looks at tile - 1 - l, and at every 32nd tile before that. Once one has a prefix and
  /// all after it have an aggregate, these are folded from the left.
  template <class Op>
  DWELL_FN T look_back_by_warp(std::int64_t tile, T aggregate) {
    if (tile == 0) {
      publish(tile, words_.prefix, aggregate, 2);
      return Op::none();
    }
    publish(tile, words_.aggregate, aggregate, 1);
    int nearest = -1;  // tile that has a prefix, so many tiles before the one before this
    while (nearest < 0) nearest = nearest_prefix(tile);
    __threadfence();
    DWELL_UNROLL
    for (int k = 0; k < reach; ++k) {
      const int back = k * 32 + warp::lane();
      if (back <= nearest)
        s_.window[back] =
            __ldcg((back == nearest ? words_.prefix : words_.aggregate) + (tile - 1 - back));
    }
    __syncwarp();
    T before = s_.window[nearest];
    for (int back = nearest - 1; back >= 0; --back) before = Op::of(before, s_.window[back]);
    publish(tile, words_.prefix, Op::of(before, aggregate), 2);
    return before;
  }
  /// -1: there is none, or a tile after it has no aggregate yet.
  DWELL_FN int nearest_prefix(std::int64_t tile) const {
    unsigned state[reach];
    DWELL_UNROLL
    for (int k = 0; k < reach; ++k) {
      const std::int64_t at = tile - 1 - k * 32 - warp::lane();
      state[k] = at >= 0 ? *const_cast<volatile unsigned*>(words_.state + at) : 0u;
    }
    DWELL_UNROLL
    for (int k = 0; k < reach; ++k) {
      const unsigned with_prefix = __ballot_sync(~0u, state[k] == 2),
                     none = __ballot_sync(~0u, state[k] == 0);
      const int last = __ffs(static_cast<int>(with_prefix)) - 1;
      if (last >= 0) return (none & ((1u << last) - 1u)) == 0 ? k * 32 + last : -1;
      if (none != 0) return -1;
    }
    return -1;
  }

  look_back_words<T> words_;
  shared& s_;
};

}  // namespace dwell::cuda
