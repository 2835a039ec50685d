// SPDX-License-Identifier: MIT
// What a team needs for stencils beside the members of cuda_team; see grid_team_cpu.hpp.
#pragma once
#include "dwell/execution/team/team_cuda.cuh"
#include "dwell/execution/team/ticket.hpp"

namespace dwell {

template <int Lanes>
class cuda_grid_team : public cuda_team<Lanes, false, counter_barrier, false> {
 public:
  using cuda_team<Lanes, false, counter_barrier, false>::cuda_team;
  /// Lanes are threads: see cpu_grid_team.
  static constexpr bool vectors = false;
  static constexpr int across = Lanes < lanes_beside ? Lanes : lanes_beside;

  template <class F>
  DWELL_FN void over(int width, int height, F&& f) {
    const int lane = static_cast<int>(threadIdx.x);
    for (int j = lane / across; j < height; j += Lanes / across)
      for (int i = lane % across; i < width; i += across) f(i, j);
  }
  /// A launch has a team for each of the n: no loop, whose number would take a register.
  template <class F>
  DWELL_FN void deal(unsigned n, F&& f) {
    if (blockIdx.x < n) f(blockIdx.x);
  }
  template <class I, class F>
  DWELL_FN void each_of_all(I n, F&& f) {
    const I all = static_cast<I>(gridDim.x) * Lanes;
    for (I i = static_cast<I>(blockIdx.x) * Lanes + static_cast<I>(threadIdx.x); i < n; i += all)
      f(i);
  }
  template <class I, class F>
  DWELL_FN void flat(I first, I last, F&& f) {
    const int lane = static_cast<int>(threadIdx.x);
    for (I i = first + lane; i < last; i += Lanes) f(lane, i);
  }

  template <class T, class F>
  DWELL_FN lane_value<T> from_left(F&& f, int far = 1) {
    return {__shfl_up_sync(~0u, f(static_cast<int>(threadIdx.x)), far)};
  }
  template <class T, class F>
  DWELL_FN lane_value<T> from_right(F&& f, int far = 1) {
    return {__shfl_down_sync(~0u, f(static_cast<int>(threadIdx.x)), far)};
  }

  DWELL_FN static void signal(unsigned* flag, unsigned epoch) {
    __syncthreads();
    if (threadIdx.x == 0)
      asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(flag), "r"(epoch) : "memory");
  }
  /// One lane per flag spins.
  template <class F>
  DWELL_FN static void wait(int n, F&& flag_of, unsigned epoch) {
    if (static_cast<int>(threadIdx.x) < n) {
      if (unsigned* flag = flag_of(static_cast<int>(threadIdx.x)))
        while (raised_to(flag) < epoch) {
        }
    }
    __syncthreads();
  }
  /// A first poll of the flags is on its way while the fence waits for the warp's stores; one fence
  /// serves both. The lanes of a warp leave the loop together: with a loop of its own for each
  /// lane, registers of the pass were spilled. The lane's number is computed anew: keeping it took
  /// registers from the pass.
  template <class Own, class F>
  DWELL_FN static void barrier_by_warps(Own&& own, int n, F&& flag_of, unsigned epoch) {
    const int me = opaque(static_cast<int>(threadIdx.x));
    const unsigned* flag = me % 32 < n ? flag_of(me / 32, me % 32) : nullptr;
    unsigned seen = epoch;
    if (flag) asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag));
    __syncwarp();
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
    if (me % 32 == 0)
      if (unsigned* mine = own(me / 32))
        asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(mine), "r"(epoch) : "memory");
    while (__any_sync(~0u, seen < epoch))
      if (flag) seen = raised_to(flag);
    __syncwarp();
  }
  template <class T>
  DWELL_FN static void publish_value(T* p, T v) {
    __stcg(p, v);
  }
  template <class T>
  DWELL_FN static T received(const T* p) {
    return __ldcg(p);
  }
  /// A copy from memory into scratch that goes on while the lane does; 4, 8 or 16 bytes.
  template <class V>
  DWELL_FN static void fetch(V* to, const V* from) {
    const auto at = static_cast<unsigned>(__cvta_generic_to_shared(to));
    if constexpr (sizeof(V) == 16)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
    else
      asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(at), "l"(from), "n"(sizeof(V))
                   : "memory");
  }
  /// A fetch where it is wanted, without a branch.
  template <class V>
  DWELL_FN static void fetch_if(bool wanted, V* to, const V* from) {
    const auto at = static_cast<unsigned>(__cvta_generic_to_shared(to));
    if constexpr (sizeof(V) == 16)
      asm volatile(
          "{ .reg .pred p; setp.ne.b32 p, %2, 0; @p cp.async.cg.shared.global [%0], [%1], 16; }" ::
              "r"(at),
          "l"(from), "r"(static_cast<int>(wanted))
          : "memory");
    else
      asm volatile(
          "{ .reg .pred p; setp.ne.b32 p, %2, 0; @p cp.async.ca.shared.global [%0], [%1], %3; }" ::
              "r"(at),
          "l"(from), "r"(static_cast<int>(wanted)), "n"(sizeof(V))
          : "memory");
  }
  DWELL_FN static void warp_barrier() { __syncwarp(); }
  DWELL_FN static void close_fetches() { asm volatile("cp.async.commit_group;" ::: "memory"); }
  template <int N>
  DWELL_FN static void await_fetches() {
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
  }
  /// Out of a shuffle, so that the compiler knows it to be the same for all lanes.
  template <class F>
  DWELL_FN static int warp_least(F&& f) {
    return __shfl_sync(~0u, f(static_cast<int>(threadIdx.x)), 0);
  }
  template <class F>
  DWELL_FN static int warp_most(F&& f) {
    return warp_least(f);
  }
  DWELL_FN static int opaque(int v) {
    asm volatile("" : "+r"(v));
    return v;
  }

 protected:
  DWELL_FN static unsigned raised_to(const unsigned* flag) {
    unsigned epoch;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(epoch) : "l"(flag) : "memory");
    return epoch;
  }
};

/// A team that stays for all steps. It takes its tiles in turn with others, so that teams work side
/// by side and find each other's rows in L2; or it draws them (`tickets`, a word that is zero at
/// the start and that all teams share): teams that are done early then take more, and tiles are
/// begun in turn however far teams have drifted apart.
template <int Lanes>
class cuda_looping_team : public cuda_grid_team<Lanes> {
 public:
  DWELL_FN cuda_looping_team(unsigned* barrier, unsigned* tickets)
      : cuda_grid_team<Lanes>(barrier), tickets_(tickets) {}

  /// A loop of its own for either way: one that asks for each tile was 5 % slower (2d5pt).
  template <class F>
  DWELL_FN void deal(unsigned n, F&& f) {
    if (tickets_)
      deal_by_ticket(n, f);
    else
      for (unsigned t = blockIdx.x; t < n; t += gridDim.x) f(t);
  }

 private:
  /// A team draws a ticket whenever it begins a tile, of which its first one is free: n in all, of
  /// all teams together. So all know where the numbers of a step begin. What is drawn goes to two
  /// places in turn: a lane writes to one after all have read it, before the barrier in between.
  template <class F>
  DWELL_FN void deal_by_ticket(unsigned n, F&& f) {
    __shared__ unsigned drawn[2];
    int place = 0;
    for (unsigned t = blockIdx.x; t < n; place ^= 1) {
      unsigned ticket = 0;  // under way while the tile is computed
      if (threadIdx.x == 0) ticket = atomicAdd(tickets_, 1u);
      f(t);
      if (threadIdx.x == 0) drawn[place] = gridDim.x + (ticket - step_begin_);
      __syncthreads();
      t = drawn[place];
    }
    step_begin_ += n;
  }

  unsigned* tickets_;
  unsigned step_begin_ = 0;
};

/// A team that stays, and draws its tiles by itself (dataflow_steps.hpp).
template <int Lanes>
class cuda_dataflow_team : public cuda_grid_team<Lanes> {
 public:
  using cuda_grid_team<Lanes>::cuda_grid_team;

  /// The ticket is under way until the lane that has drawn it needs it.
  DWELL_FN unsigned draw(unsigned* tickets) {
    return threadIdx.x == 31 ? atomicAdd(tickets, 1u) : 0u;
  }
  /// The warp that has drawn polls the flags while others are still at the tile, and another
  /// warp raises the team's.
  template <class Next>
  DWELL_FN drawn_ticket signal_and_poll(unsigned* mine, unsigned epoch, unsigned drawn, int n,
                                        Next&& next) {
    __shared__ drawn_ticket buffer[2];  // in turn: all have read one when they meet over the other
    place_ ^= 1;
    if (threadIdx.x < 32) {
      const unsigned ticket = __shfl_sync(~0u, drawn, 31);
      const auto flags = next(ticket);
      bool up = true;
      if (static_cast<int>(threadIdx.x) < n)
        if (const unsigned* flag = flags(static_cast<int>(threadIdx.x)))
          up = this->raised_to(flag) >= flags.epoch;
      const bool all = __all_sync(~0u, up) != 0;
      if (threadIdx.x == 0) buffer[place_] = {ticket, all};
    }
    __syncthreads();
    if (threadIdx.x == Lanes / 2)
      asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(mine), "r"(epoch) : "memory");
    return buffer[place_];
  }

 private:
  int place_ = 0;
};

}  // namespace dwell
