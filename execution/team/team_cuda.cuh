// SPDX-License-Identifier: MIT
// A team on a GPU: one thread block, a lane is a thread. Members mean what they mean in
// team_cpu.hpp, in the same order of operations, so that both give the same bits.
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "dwell/base/fn.hpp"
#include "dwell/device/sums.hpp"
#include "dwell/execution/device/cluster.hpp"
#include "dwell/execution/team/cluster_exchange.cuh"
#include "dwell/execution/team/ghost_view.hpp"
#include "dwell/execution/team/grid_barrier.cuh"
#include "dwell/execution/team/warp_cuda.cuh"

namespace dwell {

/// Clusters: the team may be a block of a cluster; else nothing of it is compiled. Sums: it adds up
/// over its lanes, for which it needs scratch.
template <int Lanes, bool Clusters = false, class Barrier = counter_barrier, bool Sums = true>
class cuda_team {
 public:
  static constexpr int batch = 4;  // elements per lane in flight in an elementwise pass
  static constexpr int warp = 32;
  static_assert(Lanes % warp == 0 && Lanes > warp && Lanes <= 1024);
  static constexpr bool alone = false;  ///< see alone_team_cuda.cuh

  /// partials: partial_slots x teams doubles in global memory. in_cluster: all teams are one thread
  /// block cluster, meet at its hardware barrier, and send partials to each other's shared memory.
  DWELL_FN explicit cuda_team(unsigned* barrier, double* partials = nullptr,
                              bool in_cluster = false)
      : grid_(barrier),
        partials_(partials),
        cluster_(scratch_begin() + sum_buffers * sum_doubles),
        in_cluster_(in_cluster),
        used_(reserved_bytes()) {}
  /// Scratch that the team itself needs.
  static constexpr std::size_t reserved_bytes() {
    return sum_buffers * sum_doubles * sizeof(double) + (Clusters ? cluster_exchange::bytes : 0);
  }

  /// Among the teams that meet, and among the parts that the work was cut into.
  DWELL_FN static int worker() { return static_cast<int>(blockIdx.x); }
  DWELL_FN static int workers() { return static_cast<int>(gridDim.x); }
  DWELL_FN static int part() { return static_cast<int>(blockIdx.x); }
  static constexpr int lanes() { return Lanes; }

  template <class F>
  DWELL_FN void each(F&& f) {
    f(static_cast<int>(threadIdx.x));
  }
  template <class F>
  DWELL_FN void section(F&& f) {
    f(static_cast<int>(threadIdx.x));
    __syncthreads();
  }
  template <class F>
  DWELL_FN void once(F&& f) {
    if (threadIdx.x == 0) f();
    __syncthreads();
  }
  template <class V>
  DWELL_FN lane_value<V> per_lane() const {
    return {};
  }
  template <class T>
  DWELL_FN T* scratch(int n) {
    T* p = reinterpret_cast<T*>(reinterpret_cast<unsigned char*>(scratch_begin()) + used_);
    used_ += (static_cast<std::size_t>(n) * sizeof(T) + 15) / 16 * 16;
    return p;
  }

  /// A block of a cluster must not touch another one's shared memory before that one runs, nor
  /// after it has ended.
  DWELL_FN void join() {
    if (!in_cluster()) return;
    cluster_.open();
    sync_grid();
  }
  DWELL_FN void leave() {
    if (in_cluster()) sync_grid();
  }

  template <int N>
  DWELL_FN void give(int first, lane_value<sums<N>>& v) {
    double* buffer = next_sums();
    warp_halve_into<N>(buffer, v.v.v);
    if (in_cluster()) cluster_.expect(N * workers());
    __syncthreads();
    const int l = static_cast<int>(threadIdx.x) % warp;
    constexpr int senders = warp_count > most_cluster_teams ? warp : most_cluster_teams;
    each_sum<N>([&](int k) {
      const double all = warp_halve<senders>(l < warp_count ? buffer[k * warp + l] : 0.0);
      if (!in_cluster()) {
        if (l == 0) partial_of(first + k) = all;
      } else if (l < workers()) {  // lane t sends to block t
        cluster_.send(first + k, l, all);
      }
    });
  }

  /// A small value for all teams: after the next barrier partial(slot, this team). Lanes of the
  /// last warp call value(), and get the same. No shuffle: where lanes may be scattered it costs
  /// branches there and in what follows.
  template <class F>
  DWELL_FN void put_partial(int slot, F&& value) {
    const int l = static_cast<int>(threadIdx.x) - (Lanes - warp);
    if (in_cluster()) {
      cluster_.expect(workers());
      if (l >= 0 && l < workers()) cluster_.send(slot, l, value());
    } else if (l == warp - 1) {
      partial_of(slot) = value();
    }
  }
  /// A small value from one team only, where one lane calls value().
  template <class F>
  DWELL_FN void put_partial_from(int team, int slot, F&& value) {
    if (in_cluster()) cluster_.expect(1);
    if (worker() != team || threadIdx.x != Lanes - 1) return;
    const double v = value();
    if (!in_cluster()) {
      partial_of(slot) = v;
      return;
    }
    for (int to = 0; to < workers(); ++to) cluster_.send(slot, to, v);
  }
  DWELL_FN double partial(int slot, int team) const {
    if (in_cluster()) return cluster_.sent(slot, team);
    return __ldcg(&partial_of(slot, team));
  }
  /// Parts that the sums of a slot consist of.
  DWELL_FN static int summands() { return workers(); }
  DWELL_FN double summand(int slot, int number) const { return partial(slot, number); }

  /// The sums over all teams of the partials in slots first .. first + N - 1, in fixed order, and
  /// if Listen team 0's partial in slot `noted_slot`; all lanes get them, and meet.
  template <int N, bool Listen>
  DWELL_FN sums<N> total(int first, int noted_slot, double& noted) {
    double* buffer = next_sums();
    if (Listen && threadIdx.x == Lanes - 1) buffer[N] = partial(noted_slot, 0);
    each_sum<N>([&](int k) {
      const double all = in_cluster() ? sum_in_cluster(first + k) : sum_of_partials(first + k);
      if (threadIdx.x % warp == 0) buffer[k] = all;
    });
    __syncthreads();
    sums<N> all;
    for (int k = 0; k < N; ++k) all.v[k] = buffer[k];
    if (Listen) noted = buffer[N];
    return all;
  }

  static constexpr int warp_count = Lanes / warp;
  template <class F>
  DWELL_FN void warps(F&& f) {
    cuda_warp w;
    f(w);
  }

  template <class F>
  DWELL_FN void slices(F&& f) {
    cuda_warp w;
    f(w, w.number(), warp_count);
  }

  /// All teams meet; what they wrote before is visible after.
  DWELL_FN void sync_grid() {
    if (!in_cluster()) return grid_.wait();
    // One thread fences for its block: as a release by all threads it cost every warp its own.
    __syncthreads();
    if constexpr (has_clusters) {
      if (threadIdx.x == 0) asm volatile("fence.acq_rel.cluster;" ::: "memory");
      asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
      cluster_.receive();
      asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    }
  }
  /// All teams meet that have given sums since they last met, and have not read what others write
  /// nor written what others read since: partials are visible after, nothing else need be.
  DWELL_FN void sync_partials() {
    if (!in_cluster()) return grid_.wait();
    cluster_.receive();
  }

  /// All teams of a cluster meet; the elements that they have sent are in the others' halos after.
  /// Every team also sends a partial to every other one, in slot `token`: else a team that needs no
  /// elements of another could be two rounds ahead of it.
  template <class T>
  DWELL_FN void exchange(const ghost_view<T>& w, int token) {
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < w.sends; i += Lanes) {
      const ghost_send s = w.send[i];
      cluster_.deliver(w.elements + w.own + s.slot, s.team, w.elements[s.element]);
    }
    put_partial(token, [] { return 0.0; });
    cluster_.expect_elements<T>(w.halo);
    cluster_.receive();
  }

  /// The compiler moves no load or store across this.
  DWELL_FN static void settle() { asm volatile("" ::: "memory"); }

  template <class V>
  DWELL_FN static void prefetch(const V* p) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
  }

  template <class V>
  DWELL_FN static V observe(V* p) {
    return *const_cast<volatile V*>(p);
  }
  template <class V>
  DWELL_FN static void publish(V* p, V v) {
    *const_cast<volatile V*>(p) = v;
  }
  /// A load of 16 bytes that does not displace in L1 what gathers find there.
  template <class V>
  DWELL_FN static V stream(const V* p) {
    static_assert(sizeof(V) == 16);
    uint4 bits;
    asm("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(bits.x), "=r"(bits.y), "=r"(bits.z), "=r"(bits.w)
        : "l"(p));
    return *reinterpret_cast<const V*>(&bits);
  }
  /// A pair of 8 bytes.
  template <class V>
  DWELL_FN static V stream_pair(const V* p) {
    static_assert(sizeof(V) == 8);
    uint2 bits;
    asm("ld.global.nc.L1::no_allocate.v2.u32 {%0, %1}, [%2];"
        : "=r"(bits.x), "=r"(bits.y)
        : "l"(p));
    return *reinterpret_cast<const V*>(&bits);
  }

 private:
  static constexpr int sum_doubles = 6 * warp;  // sums that travel together: five, and a word
  static constexpr int sum_buffers = Sums ? 2 : 0;

  DWELL_FN bool in_cluster() const { return Clusters && has_clusters && in_cluster_; }
  DWELL_FN static double* scratch_begin() {
    extern __shared__ __align__(16) unsigned char dwell_scratch[];
    return reinterpret_cast<double*>(dwell_scratch);
  }
  /// Two buffers in turn: a lane reaches the barrier inside the next use only after it has read
  /// this one, so one barrier per use is enough.
  DWELL_FN double* next_sums() {
    static_assert(Sums);
    sum_buffer_ ^= 1;
    return scratch_begin() + sum_buffer_ * sum_doubles;
  }

  /// f(k) by one warp for each of N sums.
  template <int N, class F>
  DWELL_FN static void each_sum(F&& f) {
    const int w = cuda_warp().number();
    if constexpr (N <= warp_count) {
      if (w < N) f(w);
    } else {
      for (int k = w; k < N; k += warp_count) f(k);
    }
  }
  DWELL_FN double& partial_of(int slot, int team = worker()) const {
    return partials_[static_cast<std::size_t>(slot) * workers() + team];
  }
  /// Lane l of a warp adds up the partials of teams l, l + 32 and so on; then the lanes are halved.
  /// All loads are under way before the first addition; zeros change no bits of a sum that begins
  /// as 0.
  DWELL_FN double sum_of_partials(int slot) const {
    constexpr int at_once = 5;  // 160 teams
    double s = 0.0;
    for (int first = 0; first < workers(); first += at_once * warp) {
      double v[at_once];
      DWELL_UNROLL
      for (int i = 0; i < at_once; ++i) {
        const int team = first + i * warp + static_cast<int>(threadIdx.x) % warp;
        v[i] = team < workers() ? __ldcg(&partial_of(slot, team)) : 0.0;
      }
      DWELL_UNROLL
      for (int i = 0; i < at_once; ++i) s += v[i];
    }
    return warp_halve(s);
  }
  DWELL_FN double sum_in_cluster(int slot) const {
    const int l = static_cast<int>(threadIdx.x) % warp;
    return warp_halve<most_cluster_teams>(l < workers() ? cluster_.sent(slot, l) : 0.0);
  }

  Barrier grid_;
  double* partials_;
  cluster_exchange cluster_;
  bool in_cluster_;
  std::size_t used_;
  int sum_buffer_ = 0;
};

}  // namespace dwell
