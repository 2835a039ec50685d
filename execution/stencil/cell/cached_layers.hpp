// SPDX-License-Identifier: MIT
// The layers of a tile that are not in registers: a block of them in scratch, the others in memory
// that this team alone touches. A layer holds N values of every lane; in a step only that lane
// reads and writes them, so nobody has to wait for anybody. Lanes lie side by side, 16 bytes each:
// no bank conflicts, whole lines. In every second team the block from memory comes first, so that
// while some teams work on their cached layers, others keep the memory busy.
//
// A pass that goes through the layers one after the other takes the layers from memory out of a
// ring in scratch, into which they are fetched some layers before they are due.
#pragma once
#include <cstddef>

#include "dwell/base/fn.hpp"

namespace dwell {

/// Layers from memory that are under way at a time: 8 KB each in two dimensions, 16 KB in three. An
/// H200 answers a multiprocessor with about 20 bytes a cycle after 700 to 1000 cycles.
template <int Dims>
inline constexpr int fetch_ahead = Dims == 2 ? 4 : 2;

/// A lane's values of one layer.
template <class T, int N>
struct lane_layer {
  T v[N];
};

template <class T, int N, int Lanes, int Ahead>
class cached_layers {
 public:
  using layer = lane_layer<T, N>;
  /// Values of scratch for the ring.
  static constexpr int ring_values = Ahead * N * Lanes;

  /// cached_count of the layers are in scratch. ring: ring_values of scratch if there are others.
  /// Only the first `used` lanes of a warp have cells: nothing streams for the others.
  DWELL_FN cached_layers(T* cached, int cached_count, T* streamed, int streamed_count, T* ring,
                         bool streamed_first, int used = 32)
      : cached_(cached),
        streamed_(streamed),
        ring_(ring),
        cached_count_(cached_count),
        streamed_count_(streamed_count),
        cached_begin_(streamed_first ? streamed_count : 0),
        streamed_begin_(streamed_first ? 0 : cached_count),
        used_(used) {}

  DWELL_FN bool caches(int q) const {
    return q >= cached_begin_ && q < cached_begin_ + cached_count_;
  }
  DWELL_FN layer get(int lane, int q) const { return read(place(lane, q)); }
  DWELL_FN void put(int lane, int q, const layer& v) { write(place(lane, q), v); }
  /// Value k of a lane, for a lane of the same team; they meet before and after.
  DWELL_FN T* value(int lane, int q, int k) const {
    return place(lane, q) + k / wide * wide * Lanes + k % wide;
  }

  DWELL_FN T* cached_value(int lane, int q, int k) const {
    return cached_ + offset(lane, q - cached_begin_) + k / wide * wide * Lanes + k % wide;
  }
  /// The layers that are cached: [cached_begin(), cached_end()).
  DWELL_FN int cached_begin() const { return cached_begin_; }
  DWELL_FN int cached_end() const { return cached_begin_ + cached_count_; }

  /// Number of the layers q, q + 1 ... (or downwards, if up) that lie in one block with q, if the
  /// last that counts is the one before `last`.
  DWELL_FN int stretch(int q, int last, bool up) const {
    const bool cached = caches(q);
    const int begin = cached ? cached_begin_ : streamed_begin_;
    const int end = begin + (cached ? cached_count_ : streamed_count_);
    return up ? q - begin + 1 : (end < last ? end : last) - q;
  }
  /// get() and put() for a layer that is known to be cached, or not.
  DWELL_FN layer get_cached(int lane, int q) const {
    return read(cached_ + offset(lane, q - cached_begin_));
  }
  DWELL_FN void put_cached(int lane, int q, const layer& v) {
    write(cached_ + offset(lane, q - cached_begin_), v);
  }
  DWELL_FN void put_streamed(int lane, int q, const layer& v) {
    if (lane % 32 < used_) write(streamed_ + offset(lane, q - streamed_begin_), v);
  }

  /// Begins a pass that takes layers first, first + 1 ... last - 1; up: first - 1 down to last.
  /// Between a begin and the end of its pass no layer that is yet to be taken may be put.
  DWELL_FN void begin(int first, int last, bool up = false) {
    next_ = streamed_before(first) - (up ? 1 : 0);
    end_ = streamed_before(last) - (up ? 1 : 0);
    step_ = up ? -1 : 1;
  }
  /// Every lane, after begin().
  template <class Team>
  DWELL_FN void start(Team&, int lane) const {
    DWELL_UNROLL
    for (int k = 0; k < Ahead; ++k) fetch<Team>(lane, next_ + k * step_);
  }
  /// The next layer of the pass.
  template <class Team>
  DWELL_FN layer take(Team& team, int lane, int q) const {
    return caches(q) ? get_cached(lane, q) : take_streamed(team, lane, q);
  }
  template <class Team>
  DWELL_FN layer take_streamed(Team&, int lane, int q) const {
    const int s = q - streamed_begin_;
    Team::template await_fetches<Ahead - 1>();
    const layer v = read(slot(lane, s));
    fetch<Team>(lane, s + Ahead * step_);
    return v;
  }

 private:
  /// Values that travel together.
  static constexpr int wide = N * sizeof(T) % 16 == 0 ? 16 / static_cast<int>(sizeof(T)) : 1;
  struct alignas(wide * sizeof(T)) piece {
    T v[wide];
  };
  static_assert(N % wide == 0 && (Ahead & (Ahead - 1)) == 0);

  /// Number of the layers before q that are not cached.
  DWELL_FN int streamed_before(int q) const {
    const int n = q - streamed_begin_;
    return n < 0 ? 0 : n > streamed_count_ ? streamed_count_ : n;
  }
  DWELL_FN static std::ptrdiff_t offset(int lane, int q) {
    return static_cast<std::ptrdiff_t>(q) * (N * Lanes) + lane * wide;
  }
  DWELL_FN T* place(int lane, int q) const {
    return caches(q) ? cached_ + offset(lane, q - cached_begin_)
                     : streamed_ + offset(lane, q - streamed_begin_);
  }
  DWELL_FN T* slot(int lane, int s) const { return ring_ + offset(lane, s & (Ahead - 1)); }

  /// One group of fetches, which is empty where the pass has ended.
  template <class Team>
  DWELL_FN void fetch(int lane, int s) const {
    if (lane % 32 < used_ && (step_ > 0 ? s < end_ : s > end_)) {
      const T* from = streamed_ + offset(lane, s);
      T* to = slot(lane, s);
      DWELL_UNROLL
      for (int k = 0; k < N; k += wide)
        Team::fetch(reinterpret_cast<piece*>(to + k * Lanes),
                    reinterpret_cast<const piece*>(from + k * Lanes));
    }
    Team::close_fetches();
  }
  DWELL_FN static layer read(const T* p) {
    layer v;
    DWELL_UNROLL
    for (int k = 0; k < N; k += wide) {
      const piece some = *reinterpret_cast<const piece*>(p + k * Lanes);
      DWELL_UNROLL
      for (int i = 0; i < wide; ++i) v.v[k + i] = some.v[i];
    }
    return v;
  }
  DWELL_FN static void write(T* p, const layer& v) {
    DWELL_UNROLL
    for (int k = 0; k < N; k += wide) {
      piece some;
      DWELL_UNROLL
      for (int i = 0; i < wide; ++i) some.v[i] = v.v[k + i];
      *reinterpret_cast<piece*>(p + k * Lanes) = some;
    }
  }

  T *cached_, *streamed_, *ring_;
  int cached_count_, streamed_count_, cached_begin_, streamed_begin_, used_;
  int next_ = 0, end_ = 0, step_ = 1;  ///< range of the layers in memory, those that the pass takes
};

}  // namespace dwell
