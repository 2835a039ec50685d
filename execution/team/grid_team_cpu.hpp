// SPDX-License-Identifier: MIT
// What a team needs for stencils beside the members of cpu_team: loops over boxes of cells, dealt
// so that neighbours in x go to neighbouring lanes (here a loop which the compiler turns into
// vectors); the neighbouring lane's value; and flags between teams.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <random>
#include <thread>
#include <utility>

#include "dwell/execution/team/team_cpu.hpp"
#include "dwell/execution/team/ticket.hpp"

namespace dwell {

template <int Lanes>
class cpu_grid_team : public cpu_team<Lanes> {
 public:
  using cpu_team<Lanes>::cpu_team;
  /// Lanes are the elements of vectors: the compiler turns loops over rows into vector code.
  static constexpr bool vectors = true;

  /// f(i, j) for 0 <= i < width, 0 <= j < height, in any order. Inlined, so that what f captures
  /// can stay in registers.
  template <class F>
  [[gnu::always_inline]] void over(int width, int height, F&& f) {
    const bool reversed = this->reversed();
    for (int row = 0; row < height; ++row) {
      const int j = reversed ? height - 1 - row : row;
      // From the last to the first in pieces of one, so that f is compiled once.
      for (int first = reversed ? width - 1 : 0, last = width; last > 0; last = first--) {
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC ivdep
#endif
        for (int i = first; i < last; ++i) f(i, j);
        if (!reversed) break;
      }
    }
  }
  /// This team's piece of 0 <= i < n, which is its own memory's: from first to before second.
  std::pair<std::int64_t, std::int64_t> part(std::int64_t n) const {
    return {n * this->worker() / this->workers(), n * (this->worker() + 1) / this->workers()};
  }
  /// f(lane, i) for first <= i < last.
  template <class I, class F>
  void flat(I first, I last, F&& f) {
    for (I i = first; i < last; i += Lanes)
      this->each([&](int lane) {
        if (i + lane < last) f(lane, i + lane);
      });
  }

  /// f(i) for 0 <= i < n, dealt to the lanes of all teams.
  template <class I, class F>
  void each_of_all(I n, F&& f) {
    const auto [first, last] = part(static_cast<std::int64_t>(n));
    flat(first, last, [&](int, std::int64_t i) { f(static_cast<I>(i)); });
  }

  /// f of the lane `far` to the left (right) within the warp, captured for all lanes before any of
  /// them goes on; the first (last) lanes of a warp get their own.
  template <class T, class F>
  lane_array<T, Lanes> from_left(F&& f, int far = 1) {
    lane_array<T, Lanes> v;
    for (int l = 0; l < Lanes; ++l) v[l] = f(l % 32 >= far ? l - far : l);
    return v;
  }
  template <class T, class F>
  lane_array<T, Lanes> from_right(F&& f, int far = 1) {
    lane_array<T, Lanes> v;
    for (int l = 0; l < Lanes; ++l) v[l] = f(l % 32 < 32 - far ? l + far : l);
    return v;
  }

  /// Once all lanes are here: raises a flag to `epoch`, and with it publishes to other teams what
  /// this team has written before.
  void signal(unsigned* flag, unsigned epoch) {
#ifdef DWELL_LATE_TEAMS
    be_late();
#endif
    this->waiting().set(*flag, epoch);
  }
  /// All lanes wait until the n flags flag_of(0 ... n - 1) have reached `epoch`; null is no flag.
  template <class F>
  void wait(int n, F&& flag_of, unsigned epoch) {
    for (int k = 0; k < n; ++k)
      if (unsigned* flag = flag_of(k))
        this->waiting().until(*flag, [&](unsigned now) { return now >= epoch; });
  }
  /// Both by the lanes of each warp for themselves: it raises flag own(warp), and waits for the n
  /// flags flag_of(warp, 0 ... n - 1).
  template <class Own, class F>
  void barrier_by_warps(Own&& own, int n, F&& flag_of, unsigned epoch) {
    for (int w = 0; w < Lanes / 32; ++w)
      if (unsigned* flag = own(w)) signal(flag, epoch);
    for (int w = 0; w < Lanes / 32; ++w)
      wait(
          n, [&](int k) { return flag_of(w, k); }, epoch);
  }
  /// What other teams read, and what they have written, past any cache of this team alone.
  template <class T>
  static void publish_value(T* p, T v) {
    *p = v;
  }
  template <class T>
  static T received(const T* p) {
    return *p;
  }
  /// A copy from memory into scratch that may be under way for a while: the lane that asked for it
  /// finds it there once it has closed a group of fetches and has waited until at most N groups
  /// that were closed later are under way. Until then nobody may write its source.
  template <class V>
  static void fetch(V* to, const V* from) {
    *to = *from;
  }
  template <class V>
  static void fetch_if(bool wanted, V* to, const V* from) {
    if (wanted) *to = *from;
  }
  static void close_fetches() {}
  /// The lanes of a warp meet: what one has put into scratch before, each finds there after.
  static void warp_barrier() {}
  template <int N>
  static void await_fetches() {}
  /// f(lane), which is the same for all lanes of a warp: for choices that its lanes make together,
  /// such as the end of a loop in which they exchange values. Here one choice is made for all
  /// warps, so it is the least, or the most, of theirs.
  template <class F>
  static int warp_least(F&& f) {
    int v = f(0);
    for (int l = 32; l < Lanes; l += 32) v = std::min(v, f(l));
    return v;
  }
  template <class F>
  static int warp_most(F&& f) {
    int v = f(0);
    for (int l = 32; l < Lanes; l += 32) v = std::max(v, f(l));
    return v;
  }
  /// v, of which the compiler knows nothing more: it cannot compute ahead what follows from it.
  static int opaque(int v) { return v; }

#ifdef DWELL_LATE_TEAMS
 private:
  /// Up to half a millisecond, by chance. Teams that are not neighbours are then far apart in time
  /// as well, so that ThreadSanitizer finds the races between them.
  static void be_late() {
    thread_local std::minstd_rand chance(static_cast<unsigned>(
        std::hash<std::thread::id>()(std::this_thread::get_id()) % std::minstd_rand::max() + 1));
    std::this_thread::sleep_for(std::chrono::microseconds(chance() % 512));
  }
#endif
};

/// A team that draws its tiles by itself (dataflow_steps.hpp).
template <int Lanes>
class cpu_dataflow_team : public cpu_grid_team<Lanes> {
 public:
  using cpu_grid_team<Lanes>::cpu_grid_team;

  /// One of the tickets that all teams draw; the team may have it somewhat later.
  static unsigned draw(unsigned* tickets) {
    return std::atomic_ref<unsigned>(*tickets).fetch_add(1, std::memory_order_relaxed);
  }
  /// Raises the team's own flag, and polls, without waiting, the flags that it needs next: next(the
  /// number drawn) has as operator() n flags, null is none, and the `epoch` that they must have
  /// reached.
  template <class Next>
  drawn_ticket signal_and_poll(unsigned* mine, unsigned epoch, unsigned drawn, int n, Next&& next) {
    const auto flags = next(drawn);
    bool up = true;
    for (int k = 0; k < n; ++k)
      if (unsigned* flag = flags(k))
        up = up && std::atomic_ref<unsigned>(*flag).load(std::memory_order_acquire) >= flags.epoch;
    this->signal(mine, epoch);
    return {drawn, up};
  }
};

}  // namespace dwell
