// SPDX-License-Identifier: MIT
// A team on a GPU: one thread block, a lane is a thread. Members mean what they mean in
// team_cpu.hpp, in the same order of operations, so that both give the same bits.
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "dwell/execution/core/grid_barrier.cuh"
#include "dwell/execution/core/program.hpp"
#include "dwell/formats/csr.hpp"
#include "dwell/formats/fn.hpp"

namespace dwell {

/// One value per lane, in registers.
template <class V>
struct lane_value {
  V v;
  DWELL_FN V& operator[](int) { return v; }
};

/// The warp of the calling thread.
class cuda_warp {
 public:
  /// The number comes out of a shuffle, so that the compiler knows it to be the same for all lanes:
  /// shuffles in loops over it then cost what they should.
  DWELL_FN cuda_warp() : number_(__shfl_sync(~0u, static_cast<int>(threadIdx.x) / 32, 0)) {}
  DWELL_FN int number() const { return number_; }
  template <class V>
  DWELL_FN lane_value<V> per_lane() const {
    return {};
  }
  template <class F>
  DWELL_FN void each(F&& f) {
    f(static_cast<int>(threadIdx.x));
  }

  /// A segmented scan by shuffles, of as many steps as the longest segment needs.
  template <class T>
  DWELL_FN T carries(lane_value<T>& tail, lane_value<bool>& ended, lane_value<T>& before) {
    const int l = static_cast<int>(threadIdx.x) % 32;
    const unsigned ends = __ballot_sync(~0u, ended.v);
    const int head = 31 - __clz(static_cast<int>((ends & (~0u >> (31 - l))) | 1u));
    T v = tail.v;
    // A step by o joins runs of o lanes and more in which no row ends; `runs` marks their ends.
    unsigned runs = ~ends;
    DWELL_UNROLL
    for (int o = 1; o < 32; o *= 2) {
      if (runs == 0) break;
      const T left = __shfl_up_sync(~0u, v, o);
      if (l - o >= head) v += left;
      runs &= runs << o;
    }
    before.v = __shfl_up_sync(~0u, v, 1);
    if (l == 0) before.v = T(0);
    return __shfl_sync(~0u, v, 31);
  }

 private:
  int number_;
};

template <int Lanes, class Barrier = counter_barrier>
class cuda_team {
 public:
  static constexpr int batch = 4;  // elements per lane in flight in an elementwise pass
  static constexpr int warp = 32;
  static_assert(Lanes % warp == 0 && Lanes > warp && Lanes <= 1024);

  /// posts: post_slots x teams doubles in global memory. in_cluster: all teams are one thread block
  /// cluster, meet at its hardware barrier, and post into each other's shared memory.
  DWELL_FN explicit cuda_team(unsigned* barrier, double* posts = nullptr, bool in_cluster = false)
      : grid_(barrier), posts_(posts), in_cluster_(in_cluster) {
    extern __shared__ __align__(16) unsigned char dwell_scratch[];
    reduce_box_ = reinterpret_cast<double*>(dwell_scratch);
    mail_ = reduce_box_ + 2 * box_doubles;
    used_ = reserved_bytes();
  }
  /// Scratch that the team itself needs.
  static constexpr std::size_t reserved_bytes() {
    return (2 * box_doubles + post_slots * most_cluster_teams) * sizeof(double);
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
    extern __shared__ __align__(16) unsigned char dwell_scratch[];
    T* p = reinterpret_cast<T*>(dwell_scratch + used_);
    used_ += (static_cast<std::size_t>(n) * sizeof(T) + 15) / 16 * 16;
    return p;
  }

  /// A block of a cluster must not touch another one's shared memory before that one runs, nor
  /// after it has ended.
  DWELL_FN void join() {
    if (in_cluster_) sync_grid();
  }
  DWELL_FN void leave() {
    if (in_cluster_) sync_grid();
  }
  template <int N>
  DWELL_FN void give(int first, lane_value<sums<N>>& v) {
    double* box = next_box();
    sums<N> s = halve(v.v);
    const int l = static_cast<int>(threadIdx.x) % warp, w = static_cast<int>(threadIdx.x) / warp;
    if (l == 0)
      for (int k = 0; k < N; ++k) box[k * 32 + w] = s.v[k];
    __syncthreads();
    if (threadIdx.x >= warp) return;
    for (int k = 0; k < N; ++k) s.v[k] = l < Lanes / warp ? box[k * 32 + l] : 0.0;
    s = halve(s);
    for (int k = 0; k < N; ++k) {
      if (in_cluster_) {  // lane t writes into block t's mail
        const double all = __shfl_sync(~0u, s.v[k], 0);
        if (l < static_cast<int>(gridDim.x)) *mail_of(first + k, l) = all;
      } else if (l == 0) {
        post(first + k, s.v[k]);
      }
    }
  }

  /// A small value for all teams, by one lane: after the next barrier posted(slot, this team).
  DWELL_FN void post(int slot, double v) {
    if (!in_cluster_) {
      posts_[static_cast<std::size_t>(slot) * gridDim.x + blockIdx.x] = v;
      return;
    }
    for (int team = 0; team < workers(); ++team) *mail_of(slot, team) = v;
  }
  DWELL_FN double posted(int slot, int team) const {
    if (in_cluster_) return mail_[slot * most_cluster_teams + team];
    return __ldcg(posts_ + static_cast<std::size_t>(slot) * gridDim.x + team);
  }

  /// The sum over all teams of what they posted in slots first .. first + N - 1, in fixed order,
  /// and if Listen team 0's post in slot `noted_slot`; all lanes get them, and meet.
  template <int N, bool Listen>
  DWELL_FN sums<N> total(int first, int noted_slot, double& noted) {
    double* box = next_box();
    if (Listen && threadIdx.x == warp) box[N] = posted(noted_slot, 0);
    if (threadIdx.x < warp) {
      sums<N> s;
      for (int k = 0; k < N; ++k) s.v[k] = 0.0;
      for (int i = static_cast<int>(threadIdx.x); i < workers(); i += warp)
        for (int k = 0; k < N; ++k) s.v[k] += posted(first + k, i);
      s = halve(s);
      if (threadIdx.x == 0)
        for (int k = 0; k < N; ++k) box[k] = s.v[k];
    }
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

  /// All teams meet.
  DWELL_FN void sync_grid() {
    if (in_cluster_) {
      asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
      asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
      return;
    }
    grid_.meet();
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
  /// Where team `team` of the cluster finds what this one posts.
  DWELL_FN double* mail_of(int slot, int team) const {
    return static_cast<double*>(__cluster_map_shared_rank(
        mail_ + slot * most_cluster_teams + blockIdx.x, static_cast<unsigned>(team)));
  }
  static constexpr int box_doubles = 6 * 32;  // of sums that travel together: five, and a word

  /// Two boxes in turn: a lane reaches the meeting inside the next use only after it has read this
  /// one, so one meeting per use is enough.
  DWELL_FN double* next_box() {
    box_turn_ ^= 1;
    return reduce_box_ + box_turn_ * box_doubles;
  }
  template <int N>
  DWELL_FN static sums<N> halve(sums<N> s) {
    DWELL_UNROLL
    for (int h = 16; h > 0; h /= 2)
      for (int k = 0; k < N; ++k) s.v[k] += __shfl_down_sync(~0u, s.v[k], h);
    return s;
  }

  Barrier grid_;
  double* posts_;
  double* mail_;
  bool in_cluster_;
  double* reduce_box_;
  std::size_t used_;
  int box_turn_ = 0;
};

}  // namespace dwell
