// SPDX-License-Identifier: MIT
// Loops of set-up work (cuts, checks) on the host, for functors that are also compiled for a GPU
// (setup_loops_cuda.hpp). A functor sees a warp of `lanes` lanes, here one: what lanes combine is
// the lane's own. Only large loops are worth threads.
#pragma once
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>

#include "dwell/base/index.hpp"
#include "dwell/base/interruption.hpp"
#include "dwell/base/parallel.hpp"
#include "dwell/device/device.hpp"

namespace dwell::cpu {

class setup_warp {
 public:
  static constexpr int lanes = 1;
  int lane() const { return 0; }

  /// Over the lanes of the warp, to all of them. All lanes must call them together.
  template <class V>
  V least(V v) const {
    return v;
  }
  template <class V>
  V most(V v) const {
    return v;
  }
  template <class V>
  V sum(V v) const {
    return v;
  }
  /// Over the lanes before this one; `none` if there are none.
  template <class V>
  V sum_before(V) const {
    return V(0);
  }
  template <class V>
  V most_before(V, V none) const {
    return none;
  }

  /// v of another lane.
  template <class V>
  V broadcast(V v, int) const {
    return v;
  }
  /// The last lane whose `before` is at most t; the values rise from lane to lane, from 0.
  int owner_of(index, index) const { return 0; }

  /// To places that other warps change, too.
  template <class V>
  static void lower(V& to, V v) {
    std::atomic_ref<V> at(to);
    V now = at.load(std::memory_order_relaxed);
    while (v < now && !at.compare_exchange_weak(now, v, std::memory_order_relaxed)) {
    }
  }
  template <class V>
  static void raise(V& to, V v) {
    std::atomic_ref<V> at(to);
    V now = at.load(std::memory_order_relaxed);
    while (v > now && !at.compare_exchange_weak(now, v, std::memory_order_relaxed)) {
    }
  }
  template <class V>
  static void add(V& to, V v) {
    std::atomic_ref<V>(to).fetch_add(v, std::memory_order_relaxed);
  }
  /// Returns what was there before.
  static index take(index& from, index v) {
    return std::atomic_ref<index>(from).fetch_add(v, std::memory_order_relaxed);
  }
  static void set_bit(std::uint32_t* bits, index i) {
    std::atomic_ref<std::uint32_t> at(bits[i / 32]);
    const std::uint32_t bit = std::uint32_t(1) << i % 32;
    if (!(at.load(std::memory_order_relaxed) & bit)) at.fetch_or(bit, std::memory_order_relaxed);
  }
  static int ones(std::uint32_t word) { return std::popcount(word); }
};

/// Loops end before they return. They throw interrupted_error where the work is to end.
class setup_loops {
 public:
  using warp = setup_warp;
  static constexpr bool on_host = true;  ///< it has chunks()
  explicit setup_loops(const device&) {}

  /// f(warp, begin, end, step): items begin, begin + step, ... before end are this warp's; called
  /// for some of them at a time. `each`: so many items are worth a thread.
  template <class F>
  void warps(std::int64_t n, std::int64_t each, const F& f) const {
    const int parts =
        n < 2 * each ? 1 : static_cast<int>(std::min<std::int64_t>(default_threads(), n / each));
    for_parts(parts, [&](int part) {
      const auto [begin, end] = piece(n, part, parts);
      setup_warp w;
      for (std::int64_t at = begin; at < end; at += each) {
        poll_interruption();
        f(w, at, std::min(at + each, end), std::int64_t(1));
      }
    });
  }
  /// f(warp, i) for i from 0 to n - 1, on any lane.
  template <class F>
  void items(std::int64_t n, std::int64_t each, const F& f) const {
    warps(n, each, [&](setup_warp& w, std::int64_t begin, std::int64_t end, std::int64_t) {
      for (std::int64_t i = begin; i < end; ++i) f(w, i);
    });
  }
  /// f(own, chunk, begin, end) for every chunk of `each` items, whatever the number of threads;
  /// each thread has one Own.
  template <class Own, class F>
  void chunks(std::int64_t n, std::int64_t each, const F& f) const {
    const std::int64_t count = (n + each - 1) / each;
    const int parts = static_cast<int>(
        std::max<std::int64_t>(1, std::min<std::int64_t>(default_threads(), count)));
    for_parts(parts, [&](int part) {
      const auto [first, last] = piece(count, part, parts);
      Own own;
      for (std::int64_t chunk = first; chunk < last; ++chunk) {
        poll_interruption();
        f(own, chunk, chunk * each, std::min((chunk + 1) * each, n));
      }
    });
  }
  /// f(warp) once.
  template <class F>
  void once(const F& f) const {
    setup_warp w;
    f(w);
  }
  void zero(void* p, std::size_t bytes) const { std::memset(p, 0, bytes); }
  /// to[i] = from[0] + ... + from[i - 1] for i from 0 to n; in place if the two are the same. The
  /// element n of `from` need not be set, but must be there.
  void sums_before(const index* from, index* to, index n) const {
    index sum = 0;
    for (index i = 0; i < n; ++i) {
      const index next = from[i];
      to[i] = sum;
      sum += next;
    }
    to[n] = sum;
  }
  /// Copies to the host's memory; all work before it is done then.
  void fetch(void* to, const void* from, std::size_t bytes) const { std::memcpy(to, from, bytes); }
};

}  // namespace dwell::cpu
