// SPDX-License-Identifier: MIT
// Partial sums and elements that the blocks of a thread block cluster send each other, through
// distributed shared memory. A value arrives by itself (st.async) and is counted by the receiver's
// memory barrier: no block fences or asks for it. A block that has all partials of a round
// therefore knows that every block has sent its own.
#pragma once
#include <cstddef>

#include "dwell/base/complex_value.hpp"
#include "dwell/base/fn.hpp"
#include "dwell/execution/device/cluster.hpp"
#include "dwell/execution/team/partial_slots.hpp"

namespace dwell {

/// Whether this code is compiled with the instructions of clusters, which compute capability 9.0
/// and later have. Without them the device's facts say that it has no clusters
/// (compiled_for_cuda.cpp), and what only clusters reach ends the kernel.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
inline constexpr bool has_clusters = false;
#else
inline constexpr bool has_clusters = true;
#endif

/// Used by all threads of a block alike, but for send(). Rounds alternate between two memory
/// barriers, since a block may be sent partials of the next round while it waits for this one's,
/// but none of the round after: a block sends these only when it has all partials of the next.
class cluster_exchange {
 public:
  static constexpr std::size_t bytes = (partial_slots * most_cluster_teams + 2) * sizeof(double);

  /// buffer: `bytes` of shared memory, at the same place in every block.
  DWELL_FN explicit cluster_exchange(double* buffer)
      : base_(static_cast<unsigned>(__cvta_generic_to_shared(buffer))) {
    // Hidden from the compiler, which would ask for the block's place in the cluster at every use.
    asm volatile("" : "+r"(base_));
  }

  /// To be called before anything is sent; the blocks must meet afterwards.
  DWELL_FN void open() const {
    if (threadIdx.x != 0) return;
    for (unsigned round = 0; round < 2; ++round)
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(counter_of(round)) : "memory");
    if constexpr (has_clusters) asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }

  /// This block's partial in `slot` for block `team`, by one thread.
  DWELL_FN void send(int slot, int team, double v) const {
    send(place(slot, static_cast<int>(blockIdx.x)), team, v);
  }
  /// v to where `at` is in block `team`, which expects it in this round.
  template <class T>
  DWELL_FN void deliver(T* at, int team, T v) const {
    send(static_cast<unsigned>(__cvta_generic_to_shared(at)), team, v);
  }
  /// What block `team` sent, after receive().
  DWELL_FN double sent(int slot, int team) const {
    double v;
    asm volatile("ld.shared::cta.f64 %0, [%1];" : "=d"(v) : "r"(place(slot, team)) : "memory");
    return v;
  }

  /// So many partials are sent to each block in this round.
  DWELL_FN void expect(int partials) { due_ += 8 * partials; }
  /// And so many elements to this block.
  template <class T>
  DWELL_FN void expect_elements(int n) {
    due_ += n * static_cast<int>(sizeof(T));
  }
  /// Ends the round: returns when all its partials are here. They lie in this block's own memory,
  /// so nothing wider than the block has to be acquired, and L1 keeps its lines.
  DWELL_FN void receive() {
    if (due_ == 0) return;
    await(counter_of(round_), round_ >> 1 & 1);
    ++round_;
    due_ = 0;
  }

 private:
  static constexpr unsigned partials_bytes = partial_slots * most_cluster_teams * sizeof(double);
  DWELL_FN unsigned place(int slot, int team) const {
    return base_ + 8 * static_cast<unsigned>(slot * most_cluster_teams + team);
  }
  DWELL_FN unsigned counter_of(unsigned round) const {
    return base_ + partials_bytes + 8 * (round & 1);
  }
  /// Until the bytes due in a round have been counted.
  DWELL_FN void await(unsigned counter, unsigned parity) const {
    if constexpr (has_clusters) {
      if (threadIdx.x == 0)  // partials may have been counted before: due_ may be negative
        asm volatile(
            "mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [%0], %1;" ::"r"(counter),
            "r"(due_)
            : "memory");
      unsigned done;
      do {
        asm volatile(
            "{\n\t"
            ".reg .pred done;\n\t"
            "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 done, [%1], %2;\n\t"
            "selp.u32 %0, 1, 0, done;\n\t"
            "}"
            : "=r"(done)
            : "r"(counter), "r"(parity)
            : "memory");
      } while (done == 0);
    } else {
      __trap();
    }
  }
  /// The address in block `team` that corresponds to `at` in this block, in the cluster's window.
  DWELL_FN static unsigned of_block(int team, unsigned at) {
    unsigned there = at;
    if constexpr (has_clusters)
      asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at), "r"(team));
    return there;
  }
  /// v to `at` of block `team`, whose memory barrier of this round counts its bytes.
  template <class T>
  DWELL_FN void send(unsigned at, int team, T v) const {
    static_assert(is_complex_value<T> || sizeof(T) == 8 || sizeof(T) == 4);
    if constexpr (is_complex_value<T>) {
      constexpr unsigned part = sizeof(v.re);
      send(at, team, v.re);
      send(at + part, team, v.im);
    } else {
      send_bits(at, team, v);
    }
  }
  template <class T>
  DWELL_FN void send_bits(unsigned at, int team, T v) const {
    const unsigned here = counter_of(round_);
    const unsigned to = of_block(team, at), counter = of_block(team, here);
    if constexpr (!has_clusters)
      __trap();
    else if constexpr (sizeof(T) == 8)
      asm volatile(
          "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(
              to),
          "l"(__double_as_longlong(v)), "r"(counter)
          : "memory");
    else
      asm volatile(
          "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(
              to),
          "r"(__float_as_int(v)), "r"(counter)
          : "memory");
  }

  unsigned base_;       ///< in the shared window
  unsigned round_ = 0;  ///< rounds that are over
  int due_ = 0;         ///< bytes
};

}  // namespace dwell
