// SPDX-License-Identifier: MIT
// A team on a CPU: one thread that plays all lanes in turn. It runs the protocol of the GPU (see
// team_cuda.cuh for the same members): a missing barrier of lanes shows when the lanes run in
// reverse order, a missing grid barrier under ThreadSanitizer, a wrong index under
// AddressSanitizer.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "dwell/device/sums.hpp"
#include "dwell/execution/device/threads/waiting_cpu.hpp"
#include "dwell/execution/team/ghost_view.hpp"

namespace dwell {

template <class V, int Lanes>
struct lane_array {
  V v[Lanes];
  V& operator[](int lane) { return v[lane]; }
};

/// Some lanes of a team, numbered as in the team.
template <int Lanes>
class cpu_warp {
 public:
  cpu_warp(int number, bool reversed) : number_(number), reversed_(reversed) {}
  int number() const { return number_; }

  template <class V>
  struct array {
    V v[Lanes];
    V& operator[](int lane) { return v[lane % Lanes]; }
  };
  template <class V>
  array<V> per_lane() const {
    return {};
  }
  template <class F>
  void each(F&& f) {
    for (int l = 0; l < Lanes; ++l) f(number_ * Lanes + (reversed_ ? Lanes - 1 - l : l));
  }

  /// The first of every `lanes` lanes gets their sum: halved, so that it is the order of the GPU.
  template <class T>
  void halve_groups(array<T>& value, int lanes) {
    for (int h = lanes / 2; h > 0; h /= 2)
      for (int first = 0; first + lanes <= Lanes; first += lanes)
        for (int l = first; l < first + h; ++l) value.v[l] += value.v[l + h];
  }

  /// What lane l must add to the first row that it ends: the tails of the lanes before it, back to
  /// and with the last one that ended a row (before[l]). To the last lane returns what remains
  /// after it.
  template <class T>
  T carries(array<T>& tail, array<bool>& ended, array<T>& before) {
    T v[Lanes];
    int head[Lanes];
    for (int l = 0; l < Lanes; ++l) {
      v[l] = tail.v[l];
      head[l] = ended.v[l] ? l : (l ? head[l - 1] : 0);
    }
    for (int o = 1; o < Lanes; o *= 2)
      for (int l = Lanes - 1; l >= o; --l)
        if (l - o >= head[l]) v[l] += v[l - o];
    for (int l = 0; l < Lanes; ++l) before.v[l] = l ? v[l - 1] : T(0);
    return v[Lanes - 1];
  }

 private:
  int number_;
  bool reversed_;
};

template <int Lanes>
class cpu_team {
 public:
  static constexpr int batch = 1;  // elements per lane in flight: the compiler's vectors do that
  static constexpr int warp = Lanes < 32 ? Lanes : 32;
  static_assert(Lanes % warp == 0);
  static constexpr bool alone = false;  ///< see alone_team_cpu.hpp

  /// partials: partial_slots x workers doubles that all teams share, for teams that put_partial().
  /// summands: what total() adds up, as many per slot as there are ranks; null: the partials.
  cpu_team(int worker, int workers, cpu_barrier* grid, bool reversed, std::byte* scratch,
           std::size_t scratch_bytes, double* partials = nullptr, const double* summands = nullptr,
           int ranks = 0)
      : worker_(worker),
        workers_(workers),
        grid_(grid),
        partials_(partials),
        summands_(summands ? summands : partials),
        summand_count_(summands ? ranks : workers),
        reversed_(reversed),
        scratch_(scratch),
        scratch_end_(scratch + scratch_bytes) {}

  /// Among the teams that meet, and among the parts that the work was cut into.
  int worker() const { return worker_; }
  int workers() const { return workers_; }
  int part() const { return worker_; }
  static constexpr int lanes() { return Lanes; }
  bool reversed() const { return reversed_; }

  /// f(lane) for all lanes, which do not meet afterwards.
  template <class F>
  void each(F&& f) {
    if (reversed_) {
      for (int lane = Lanes - 1; lane >= 0; --lane) f(lane);
      return;
    }
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC ivdep
#endif
    for (int lane = 0; lane < Lanes; ++lane) f(lane);
  }
  /// each(), then the lanes meet.
  template <class F>
  void section(F&& f) {
    each(f);
  }
  /// f() by one lane, then the lanes meet.
  template <class F>
  void once(F&& f) {
    f();
  }
  template <class V>
  lane_array<V, Lanes> per_lane() const {
    return {};
  }
  /// n elements that the lanes share, 16-byte aligned.
  template <class T>
  T* scratch(int n) {
    T* p = reinterpret_cast<T*>(scratch_);
    scratch_ += (static_cast<std::size_t>(n) * sizeof(T) + 15) / 16 * 16;
    return scratch_ <= scratch_end_ ? p : nullptr;
  }

  /// For teams that reach each other's scratch, before the first and after the last time: see
  /// team_cuda.cuh.
  void join() {}
  void leave() {}

  /// Publishes the sums over all lanes, in fixed order (halving within warps, then over warps), in
  /// slots first .. first + N - 1.
  template <int N>
  void give(int first, lane_array<sums<N>, Lanes>& v) {
    sums<N> warps[Lanes / warp];
    for (int w = 0; w < Lanes / warp; ++w) warps[w] = halve(&v.v[w * warp]);
    sums<N> s = warps[0];
    if constexpr (Lanes > warp) s = halve_over<N, 32>(warps, Lanes / warp);
    for (int k = 0; k < N; ++k) put_partial(first + k, [&] { return s.v[k]; });
  }

  /// A small value for all teams: after the next barrier partial(slot, this team). Lanes of one
  /// warp may call value(), and get the same.
  template <class F>
  void put_partial(int slot, F&& value) {
    partials_[static_cast<std::size_t>(slot) * workers_ + worker_] = value();
  }
  /// A small value from one team only, where one lane calls value(). All teams call this.
  template <class F>
  void put_partial_from(int team, int slot, F&& value) {
    if (worker_ == team) put_partial(slot, value);
  }
  double partial(int slot, int team) const {
    return partials_[static_cast<std::size_t>(slot) * workers_ + team];
  }

  /// Parts that the sums of a slot consist of: the partials of all teams or, of several ranks, the
  /// sum of each rank.
  int summands() const { return summand_count_; }
  double summand(int slot, int number) const {
    return summands_[static_cast<std::size_t>(slot) * summand_count_ + number];
  }
  /// The sums over all teams of the partials in slots first .. first + N - 1, in fixed order, and
  /// if Listen team 0's partial in slot `noted_slot`; all lanes get them, and meet.
  template <int N, bool Listen>
  sums<N> total(int first, int noted_slot, double& noted) {
    if constexpr (Listen) noted = summand(noted_slot, 0);
    return total_of<N>(summand_count_, [&](int k, int i) { return summand(first + k, i); });
  }
  /// The order in which total() adds N sums of `count` summands each.
  template <int N, class F>
  static sums<N> total_of(int count, F&& summand) {
    sums<N> lane[warp] = {};
    for (int i = 0; i < count; ++i)
      for (int k = 0; k < N; ++k) lane[i % warp].v[k] += summand(k, i);
    return halve(lane);
  }

  /// f(w) for every warp w of the team: lanes that need no barrier to exchange values.
  static constexpr int warp_count = Lanes / warp;
  template <class F>
  void warps(F&& f) {
    for (int k = 0; k < warp_count; ++k) {
      cpu_warp<warp> w(reversed_ ? warp_count - 1 - k : k, reversed_);
      f(w);
    }
  }

  /// f(warp of 32 lanes, its number, how many of them there are): by these, whatever the lanes of
  /// the team, slices of a matrix are taken (sliced_matrix.hpp).
  template <class F>
  void slices(F&& f) {
    cpu_warp<32> w(0, reversed_);
    f(w, 0, 1);
  }

  /// All teams meet; what they wrote before is visible after.
  void sync_grid() { grid_->arrive_and_wait(); }
  /// All teams meet that have given sums since they last met, and have not read what others write
  /// nor written what others read since: partials are visible after, nothing else need be.
  void sync_partials() { grid_->arrive_and_wait(); }

  /// All teams meet; the elements that they have sent are in the others' halos after. token: a slot
  /// of partials that nobody uses.
  template <class T>
  void exchange(const ghost_view<T>& w, int /*token*/) {
    for (int i = 0; i < w.sends; ++i) {
      const ghost_send s = w.send[i];
      w.ghost_buffers[static_cast<std::size_t>(s.team) * w.ghost_buffer_size + s.slot] =
          w.elements[s.element];
    }
    sync_grid();
    const T* buffer = w.ghost_buffers + static_cast<std::size_t>(worker_) * w.ghost_buffer_size;
    for (int slot = 0; slot < w.halo; ++slot) w.elements[w.own + slot] = buffer[slot];
    sync_grid();  // nobody puts anything into a buffer that is still being read
  }

  /// The compiler moves no load or store across this (of interest where registers are few).
  static void settle() {}

  /// What stands here will be read soon.
  template <class V>
  static void prefetch(const V* p) {
    __builtin_prefetch(p, 0, 0);
  }

  /// A word that host and teams share while they run. What was written before it is published is
  /// there for whoever observes it.
  template <class V>
  static V observe(V* p) {
    return std::atomic_ref<V>(*p).load(std::memory_order_acquire);
  }
  template <class V>
  static void publish(V* p, V v) {
    std::atomic_ref<V>(*p).store(v, std::memory_order_release);
  }
  /// A load of what is used once per iteration.
  template <class V>
  static V stream(const V* p) {
    return *p;
  }
  template <class V>
  static V stream_pair(const V* p) {
    return *p;
  }

 protected:
  /// Waits of teams for each other elsewhere than at the barrier.
  cpu_waiting& waiting() { return grid_->waiting(); }

 private:
  template <int N>
  static sums<N> halve(sums<N>* v) {
    for (int h = warp / 2; h > 0; h /= 2)
      for (int l = 0; l < h; ++l)
        for (int k = 0; k < N; ++k) v[l].v[k] += v[l + h].v[k];
    return v[0];
  }
  /// Halves as a warp of Width lanes would, the lanes past n holding zero.
  template <int N, int Width>
  static sums<N> halve_over(const sums<N>* from, int n) {
    sums<N> v[Width] = {};
    for (int i = 0; i < n; ++i) v[i] = from[i];
    for (int h = Width / 2; h > 0; h /= 2)
      for (int l = 0; l < h; ++l)
        for (int k = 0; k < N; ++k) v[l].v[k] += v[l + h].v[k];
    return v[0];
  }

  int worker_, workers_;
  cpu_barrier* grid_;
  double* partials_;
  const double* summands_;
  int summand_count_;
  bool reversed_;
  std::byte* scratch_;
  std::byte* scratch_end_;
};

}  // namespace dwell
