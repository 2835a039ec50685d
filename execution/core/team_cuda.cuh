// SPDX-License-Identifier: MIT
// A team on a GPU: one thread block, a lane is a thread. Members mean what they mean in
// team_cpu.hpp, in the same order of operations, so that both give the same bits.
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "dwell/execution/core/cluster_mail.cuh"
#include "dwell/execution/core/grid_barrier.cuh"
#include "dwell/execution/core/program.hpp"
#include "dwell/execution/core/warp_cuda.cuh"
#include "dwell/execution/core/window.hpp"
#include "dwell/formats/csr.hpp"
#include "dwell/formats/fn.hpp"

namespace dwell {

/// Clusters: the team may be a block of a cluster; else nothing of it is compiled. Sums: it adds up
/// over its lanes, for which it needs scratch.
template <int Lanes, bool Clusters = false, class Barrier = counter_barrier, bool Sums = true>
class cuda_team {
 public:
  static constexpr int batch = 4;  // elements per lane in flight in an elementwise pass
  static constexpr int warp = 32;
  static_assert(Lanes % warp == 0 && Lanes > warp && Lanes <= 1024);

  /// posts: post_slots x teams doubles in global memory. in_cluster: all teams are one thread block
  /// cluster, meet at its hardware barrier, and post into each other's shared memory.
  DWELL_FN explicit cuda_team(unsigned* barrier, double* posts = nullptr, bool in_cluster = false)
      : grid_(barrier),
        posts_(posts),
        mail_(scratch_begin() + boxes * box_doubles),
        in_cluster_(in_cluster),
        used_(reserved_bytes()) {}
  /// Scratch that the team itself needs.
  static constexpr std::size_t reserved_bytes() {
    return boxes * box_doubles * sizeof(double) + (Clusters ? cluster_mail::bytes : 0);
  }

  DWELL_FN static int worker() { return static_cast<int>(blockIdx.x); }
  DWELL_FN static int workers() { return static_cast<int>(gridDim.x); }
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
    mail_.open();
    sync_grid();
  }
  DWELL_FN void leave() {
    if (in_cluster()) sync_grid();
  }

  template <int N>
  DWELL_FN void give(int first, lane_value<sums<N>>& v) {
    double* box = next_box();
    warp_halve_into<N>(box, v.v.v);
    if (in_cluster()) mail_.expect(N * workers());
    __syncthreads();
    const int l = static_cast<int>(threadIdx.x) % warp;
    constexpr int senders = warp_count > most_cluster_teams ? warp : most_cluster_teams;
    each_sum<N>([&](int k) {
      const double all = warp_halve<senders>(l < warp_count ? box[k * warp + l] : 0.0);
      if (!in_cluster()) {
        if (l == 0) post_of(first + k) = all;
      } else if (l < workers()) {  // lane t sends to block t
        mail_.send(first + k, l, all);
      }
    });
  }

  /// A small value for all teams: after the next barrier posted(slot, this team). Lanes of the last
  /// warp call value(), and get the same. No shuffle: where lanes may be scattered it costs
  /// branches there and in what follows.
  template <class F>
  DWELL_FN void post(int slot, F&& value) {
    const int l = static_cast<int>(threadIdx.x) - (Lanes - warp);
    if (in_cluster()) {
      mail_.expect(workers());
      if (l >= 0 && l < workers()) mail_.send(slot, l, value());
    } else if (l == warp - 1) {
      post_of(slot) = value();
    }
  }
  /// The same from one team only, where one lane calls value().
  template <class F>
  DWELL_FN void post_from(int team, int slot, F&& value) {
    if (in_cluster()) mail_.expect(1);
    if (worker() != team || threadIdx.x != Lanes - 1) return;
    const double v = value();
    if (!in_cluster()) {
      post_of(slot) = v;
      return;
    }
    for (int to = 0; to < workers(); ++to) mail_.send(slot, to, v);
  }
  DWELL_FN double posted(int slot, int team) const {
    if (in_cluster()) return mail_.sent(slot, team);
    return __ldcg(&post_of(slot, team));
  }

  /// The sum over all teams of what they posted in slots first .. first + N - 1, in fixed order,
  /// and if Listen team 0's post in slot `noted_slot`; all lanes get them, and meet.
  template <int N, bool Listen>
  DWELL_FN sums<N> total(int first, int noted_slot, double& noted) {
    double* box = next_box();
    if (Listen && threadIdx.x == Lanes - 1) box[N] = posted(noted_slot, 0);
    each_sum<N>([&](int k) {
      const double all = in_cluster() ? sum_of_mail(first + k) : sum_of_posts(first + k);
      if (threadIdx.x % warp == 0) box[k] = all;
    });
    __syncthreads();
    sums<N> all;
    for (int k = 0; k < N; ++k) all.v[k] = box[k];
    if (Listen) noted = box[N];
    return all;
  }

  static constexpr int warp_count = Lanes / warp;
  template <class F>
  DWELL_FN void warps(F&& f) {
    cuda_warp w;
    f(w);
  }

  /// All teams meet; what they wrote before is visible after.
  DWELL_FN void sync_grid() {
    if (!in_cluster()) return grid_.meet();
    // One thread fences for its block: as a release by all threads it cost every warp its own.
    __syncthreads();
    if (threadIdx.x == 0) asm volatile("fence.acq_rel.cluster;" ::: "memory");
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    mail_.receive();
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  }
  /// All teams meet that have given sums since they last met, and have not read what others write
  /// nor written what others read since: posts are visible after, nothing else need be.
  DWELL_FN void sync_posts() {
    if (!in_cluster()) return grid_.meet();
    mail_.receive();
  }

  /// All teams of a cluster meet; what they have sent of their windows is in the others' halos
  /// after. Every team also posts to every other one, in slot `token`: else one that needs no
  /// elements of a third could be two rounds of mail ahead of it.
  template <class T>
  DWELL_FN void exchange(const window_view<T>& w, int token) {
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < w.sends; i += Lanes) {
      const halo_send s = w.send[i];
      mail_.deliver(w.elements + w.own + s.slot, s.team, w.elements[s.element]);
    }
    post(token, [] { return 0.0; });
    mail_.expect_elements<T>(w.halo);
    mail_.receive();
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

 private:
  static constexpr int box_doubles = 6 * warp;  // of sums that travel together: five, and a word
  static constexpr int boxes = Sums ? 2 : 0;

  DWELL_FN bool in_cluster() const { return Clusters && in_cluster_; }
  DWELL_FN static double* scratch_begin() {
    extern __shared__ __align__(16) unsigned char dwell_scratch[];
    return reinterpret_cast<double*>(dwell_scratch);
  }
  /// Two boxes in turn: a lane reaches the meeting inside the next use only after it has read this
  /// one, so one meeting per use is enough.
  DWELL_FN double* next_box() {
    static_assert(Sums);
    box_turn_ ^= 1;
    return scratch_begin() + box_turn_ * box_doubles;
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
  DWELL_FN double& post_of(int slot, int team = worker()) const {
    return posts_[static_cast<std::size_t>(slot) * workers() + team];
  }
  /// Lane l of a warp adds up what teams l, l + 32 and so on posted; then the lanes are halved. All
  /// loads are under way before the first addition; zeros change no bits of a sum that begins as 0.
  DWELL_FN double sum_of_posts(int slot) const {
    constexpr int at_once = 5;  // 160 teams
    double s = 0.0;
    for (int first = 0; first < workers(); first += at_once * warp) {
      double v[at_once];
      DWELL_UNROLL
      for (int i = 0; i < at_once; ++i) {
        const int team = first + i * warp + static_cast<int>(threadIdx.x) % warp;
        v[i] = team < workers() ? __ldcg(&post_of(slot, team)) : 0.0;
      }
      DWELL_UNROLL
      for (int i = 0; i < at_once; ++i) s += v[i];
    }
    return warp_halve(s);
  }
  DWELL_FN double sum_of_mail(int slot) const {
    const int l = static_cast<int>(threadIdx.x) % warp;
    return warp_halve<most_cluster_teams>(l < workers() ? mail_.sent(slot, l) : 0.0);
  }

  Barrier grid_;
  double* posts_;
  cluster_mail mail_;
  bool in_cluster_;
  std::size_t used_;
  int box_turn_ = 0;
};

}  // namespace dwell
