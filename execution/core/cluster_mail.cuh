// SPDX-License-Identifier: MIT
// Posts between the blocks of a thread block cluster, in distributed shared memory. A post arrives
// by itself (st.async) and is counted by the receiver's memory barrier: no block fences or asks for
// it. A block that has all posts of a round therefore knows that every block has sent its own.
#pragma once
#include <cstddef>

#include "dwell/execution/core/plan.hpp"
#include "dwell/formats/fn.hpp"

namespace dwell {

/// Used by all threads of a block alike, but for send(). Rounds alternate between two memory
/// barriers, since a block may be sent posts of the next round while it waits for this one's, but
/// none of the round after: those are sent by blocks that have its posts of the next.
class cluster_mail {
 public:
  static constexpr std::size_t bytes = (post_slots * most_cluster_teams + 2) * sizeof(double);

  /// box: `bytes` of shared memory, at the same place in every block.
  DWELL_FN explicit cluster_mail(double* box)
      : box_(static_cast<unsigned>(__cvta_generic_to_shared(box))) {
    // Hidden from the compiler, which would ask for the block's place in the cluster at every use.
    asm volatile("" : "+r"(box_));
  }

  /// Before the first post; the blocks must meet afterwards.
  DWELL_FN void open() const {
    if (threadIdx.x != 0) return;
    for (unsigned round = 0; round < 2; ++round)
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(counter_of(round)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }

  /// This block's post in `slot` for block `team`, by one thread.
  DWELL_FN void send(int slot, int team, double v) const {
    post(place(slot, static_cast<int>(blockIdx.x)), team, v);
  }
  /// v to where `at` is in block `team`, which expects it in this round.
  template <class T>
  DWELL_FN void deliver(T* at, int team, T v) const {
    post(static_cast<unsigned>(__cvta_generic_to_shared(at)), team, v);
  }
  /// What block `team` sent, after receive().
  DWELL_FN double sent(int slot, int team) const {
    double v;
    asm volatile("ld.shared::cta.f64 %0, [%1];" : "=d"(v) : "r"(place(slot, team)) : "memory");
    return v;
  }

  /// So many posts are sent to each block in this round.
  DWELL_FN void expect(int posts) { due_ += 8 * posts; }
  /// And so many elements to this block.
  template <class T>
  DWELL_FN void expect_elements(int n) {
    due_ += n * static_cast<int>(sizeof(T));
  }
  /// Ends the round: returns when all its posts are here. They lie in this block's own memory: so
  /// nothing wider than the block has to be acquired, and L1 keeps what it holds.
  DWELL_FN void receive() {
    if (due_ == 0) return;
    const unsigned counter = counter_of(round_), parity = round_ >> 1 & 1;
    if (threadIdx.x == 0)  // posts may have been counted before: what is awaited may be negative
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
    ++round_;
    due_ = 0;
  }

 private:
  static constexpr unsigned posts_bytes = post_slots * most_cluster_teams * sizeof(double);
  DWELL_FN unsigned place(int slot, int team) const {
    return box_ + 8 * static_cast<unsigned>(slot * most_cluster_teams + team);
  }
  DWELL_FN unsigned counter_of(unsigned round) const {
    return box_ + posts_bytes + 8 * (round & 1);
  }
  /// Where block `team` has what is at `at` in this block, in the window of the cluster.
  DWELL_FN static unsigned of_block(int team, unsigned at) {
    unsigned there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at), "r"(team));
    return there;
  }
  /// v to `at` of block `team`, whose memory barrier of this round counts its bytes.
  template <class T>
  DWELL_FN void post(unsigned at, int team, T v) const {
    static_assert(sizeof(T) == 8 || sizeof(T) == 4);
    const unsigned here = counter_of(round_);
    const unsigned to = of_block(team, at), counter = of_block(team, here);
    if constexpr (sizeof(T) == 8)
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

  unsigned box_;        ///< in the shared window
  unsigned round_ = 0;  ///< rounds that are over
  int due_ = 0;         ///< bytes
};

}  // namespace dwell
