// SPDX-License-Identifier: MIT
// The warps of a thread block as a chain: each passes rows of cells to the next one through a ring
// of slots in shared memory, which two barriers a slot guard ("full", "empty"). No warp waits for
// others than its neighbours in the chain. One warp brings rows in and one puts them out. Members
// mean what they mean in ring_team_cpu.hpp.
//
// With the features of compute capability 9.0 alone (sm_90a) rows are moved by bulk copies where
// they lie so, and the warps that compute have the registers of the block to themselves
// (setmaxnreg). Without them (8.0 and later) lanes move 16 bytes each, and all warps have as many
// registers.
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "dwell/base/fn.hpp"
#include "dwell/execution/team/warp_cuda.cuh"

namespace dwell {

/// Whether this code is compiled with bulk copies and registers that warps hand over.
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
inline constexpr bool has_bulk_rings = true;
#else
inline constexpr bool has_bulk_rings = false;
#endif

/// Sizes: ring_sizes.
template <class Sizes>
class cuda_ring_team {
  using T = typename Sizes::value;
  using address = std::uint32_t;  ///< in shared memory
  static constexpr int slots = Sizes::config.slots, rows = Sizes::config.rows;
  static constexpr address slot_bytes = Sizes::slot_bytes;
  static constexpr address row_bytes = Sizes::row_values * sizeof(T);
  static constexpr address last_barrier = (slots - 1) * 16;
  static constexpr int computing = Sizes::config.warps;
  static constexpr bool bulk = Sizes::config.bulk;
  static constexpr int aux_slots = Sizes::aux_slots;  ///< slots of the ring that all warps read
  static constexpr int aux_rows = Sizes::aux_rows;    ///< in a slot
  static constexpr address aux_bytes = Sizes::aux_arrays * row_bytes;  ///< a row of all arrays

 public:
  /// Threads of a block; whole groups of four warps where these get their registers together.
  static constexpr int threads = ring_lanes(Sizes::config);
  static constexpr int computing_registers = Sizes::config.teams == 1 ? 240 : 232;
  static constexpr int helping_registers = 24;
  static_assert(!bulk || computing % 4 == 0);

  /// All warps call this at their beginning.
  DWELL_FN cuda_ring_team()
      : warp_(__shfl_sync(~0u, static_cast<int>(threadIdx.x) / 32, 0)),
        lane_(static_cast<int>(threadIdx.x) % 32),
        // Out of a shuffle: the compiler then keeps the value, and does not make it again.
        slots_(__shfl_sync(~0u, scratch_begin(), 0)),
        aux_(slots_ + Sizes::rings * slots * slot_bytes),
        barriers_(aux_ + aux_slots * aux_rows * aux_bytes) {
    if (threadIdx.x == 0) {
      for (int i = 0; i < 2 * Sizes::rings * slots + aux_slots; ++i)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barriers_ + 8 * i) : "memory");
      if constexpr (bulk) {
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("fence.proxy.async;" ::: "memory");
      }
    }
    __syncthreads();
  }
  DWELL_FN static int worker() { return static_cast<int>(blockIdx.x); }

  /// The lanes of the calling warp.
  template <class F>
  DWELL_FN void each(F&& f) const {
    f(lane_);
  }
  template <class V>
  DWELL_FN lane_value<V> per_lane() const {
    return {};
  }
  /// cells(l) are those of lane l in a row, with R more to either side, which become the nearest
  /// of the lanes beside it.
  template <int R, class Cells>
  DWELL_FN void spread(const Cells& cells) const {
    T* c = cells(lane_);
    constexpr int n = Sizes::config.across;
    DWELL_UNROLL
    for (int k = 0; k < R; ++k) {
      c[k] = __shfl_up_sync(~0u, c[n + k], 1);
      c[R + n + k] = __shfl_down_sync(~0u, c[R + k], 1);
    }
  }

  /// The lane's cells of a row in a slot.
  class lane_row {
   public:
    DWELL_FN explicit lane_row(address at) : at_(at) {}
    DWELL_FN T get(int, int i) const {
      T v;
      if constexpr (sizeof(T) == 8)
        asm volatile("ld.shared.f64 %0, [%1];" : "=d"(v) : "r"(at_ + i * 8));
      else
        asm volatile("ld.shared.f32 %0, [%1];" : "=f"(v) : "r"(at_ + i * 4));
      return v;
    }
    DWELL_FN void put(int, int i, T v) const {
      if constexpr (sizeof(T) == 8)
        asm volatile("st.shared.f64 [%0], %1;" ::"r"(at_ + i * 8), "d"(v));
      else
        asm volatile("st.shared.f32 [%0], %1;" ::"r"(at_ + i * 4), "f"(v));
    }

   private:
    address at_;
  };

  /// Where a warp of the chain is in the ring before it and in the one behind it.
  class link {
   public:
    /// last: the warp is the last one of the chain; behind: rows by which it is behind the first
    /// one in the ring that all warps read.
    DWELL_FN link(const cuda_ring_team& team, int number, bool last = false, int behind = 0)
        : ring_(__shfl_sync(~0u,
                            team.slots_ + number * slots * slot_bytes +
                                team.lane_ * Sizes::config.across * static_cast<int>(sizeof(T)),
                            team.lane_)),
          barriers_(team.barriers_ + number * slots * 16),
          leads_(team.lane_ == 0) {
      if constexpr (aux_slots > 0) {
        aux_ = __shfl_sync(
            ~0u, team.aux_ + team.lane_ * Sizes::config.across * static_cast<int>(sizeof(T)),
            team.lane_);
        constexpr int all = aux_slots * aux_rows;
        at_aux_ = (all - behind % all) % all * aux_bytes;
        aux_barrier_ = team.barriers_ + 2 * Sizes::rings * slots * 8;
        kept_aux_ = last ? (behind + aux_rows - 1) / aux_rows : forever;
      }
    }
    /// The slot of the next tick: once its rows are there, and the next ring has room for them.
    DWELL_FN void enter() {
      barrier_ = barriers_ + at_barrier_;
      row_ = ring_ + at_;
      wait_for_two(barrier_, phase_, barrier_ + slots * 16 + 8, phase_ ^ 1);
      const bool wrap = at_barrier_ == last_barrier;
      at_ = wrap ? 0 : at_ + slot_bytes;
      at_barrier_ = wrap ? 0 : at_barrier_ + 16;
      phase_ ^= wrap;
    }
    /// Row r of the slot, and its place in the next ring; they begin so many cells late.
    DWELL_FN lane_row from(int r, int late) const {
      return lane_row(row_ + r * row_bytes + late * static_cast<int>(sizeof(T)));
    }
    DWELL_FN lane_row to(int r, int late) const {
      return lane_row(row_ + slots * slot_bytes + r * row_bytes +
                      late * static_cast<int>(sizeof(T)));
    }
    /// Array k of the next row in the ring that all warps read; pass_aux() after every row.
    DWELL_FN lane_row aux(int k, int late) const {
      return lane_row(aux_ + at_aux_ + k * row_bytes + late * static_cast<int>(sizeof(T)));
    }
    DWELL_FN void pass_aux() {
      if constexpr (aux_slots > 0) {
        constexpr address last = (aux_slots * aux_rows - 1) * aux_bytes;
        at_aux_ = at_aux_ == last ? 0 : at_aux_ + aux_bytes;
      }
    }
    /// The rows are passed on, and the slot is free.
    DWELL_FN void leave() {
      __syncwarp();
      if (leads_) {
        arrive(barrier_ + slots * 16);
        arrive(barrier_ + 8);
      }
      if constexpr (aux_slots > 0) {
        // The last warp frees what no warp needs any more.
        if (kept_aux_ != forever) {
          if (kept_aux_ > 0) {
            --kept_aux_;
          } else {
            if (leads_) arrive(aux_barrier_);
            const bool wrap = freed_aux_ == aux_slots - 1;
            freed_aux_ = wrap ? 0 : freed_aux_ + 1;
            aux_barrier_ += wrap ? -(aux_slots - 1) * 8 : 8;
          }
        }
      }
    }

   private:
    address ring_, barriers_, aux_ = 0, at_aux_ = 0, aux_barrier_ = 0;
    int kept_aux_ = 0;  ///< ticks until the last warp frees the first slot
    int freed_aux_ = 0;
    bool leads_;
    address at_ = 0, at_barrier_ = 0, phase_ = 0, barrier_ = 0, row_ = 0;
  };

  /// Brings rows into the first ring. Few instructions a tick: each takes a slot of two computing
  /// warps, which share the scheduler. The whole warp runs, so that addresses stay in registers
  /// that warps have once; one lane asks for the copies.
  class intake {
   public:
    DWELL_FN explicit intake(const cuda_ring_team& team)
        : slots_(team.slots_),
          barriers_(team.barriers_),
          aux_(team.aux_),
          lane_(team.lane_),
          acts_(elected()) {}
    DWELL_FN void enter() {
      barrier_ = barriers_ + at_barrier_;
      to_ = slots_ + at_;
      if constexpr (aux_slots > 0) {
        to_aux_ = aux_ + aux_slot_ * aux_rows * aux_bytes;
        wait_for_two(barrier_ + 8, phase_, barriers_ + 2 * Sizes::rings * slots * 8 + aux_slot_ * 8,
                     aux_phase_);
        const bool around = aux_slot_ == aux_slots - 1;
        aux_slot_ = around ? 0 : aux_slot_ + 1;
        aux_phase_ ^= around;
      } else {
        wait_for(barrier_ + 8, phase_);
      }
      const bool wrap = at_barrier_ == last_barrier;
      at_ = wrap ? 0 : at_ + slot_bytes;
      at_barrier_ = wrap ? 0 : at_barrier_ + 16;
      phase_ ^= wrap;
    }
    /// The next n rows of memory, from an aligned address on, those of the slot at most.
    /// leave_rows() after that.
    DWELL_FN void take_rows(const T* first, std::ptrdiff_t pitch, int n) const {
      if constexpr (bulk) {
        if (n >= rows) {
          expect_rows(rows * Sizes::row_values);
          DWELL_UNROLL
          for (int r = 0; r < rows; ++r) take_part(r, 0, first + r * pitch, Sizes::row_values);
        } else {
          expect_rows(n > 0 ? n * Sizes::row_values : 0);
          for (int r = 0; r < n; ++r) take_part(r, 0, first + r * pitch, Sizes::row_values);
        }
      } else {
        for (int r = 0; r < n && r < rows; ++r)
          take_part(r, 0, first + r * pitch, Sizes::row_values);
      }
    }
    /// The rows of the tick come in parts of so many cells together; leave_rows() after the last.
    DWELL_FN void expect_rows(int cells) const {
      if constexpr (bulk)
        if (acts_) arrive_expecting(barrier_, cells * static_cast<int>(sizeof(T)));
    }
    /// Expects rows whose other cells come one by one; leave_cells() after the last.
    DWELL_FN void expect_parts(int cells) const {
      if constexpr (bulk)
        if (acts_) expect(barrier_, cells * static_cast<int>(sizeof(T)));
    }
    /// n cells, whole units, to cell c of row r, from an aligned address.
    DWELL_FN void take_part(int r, int c, const T* from, int n) const {
      take_to(to_ + r * row_bytes + c * static_cast<int>(sizeof(T)), from, n);
    }
    /// n cells to cell c of array k of row r of the slot in the ring that all warps read.
    DWELL_FN void take_aux(int r, int k, int c, const T* from, int n) const {
      take_to(to_aux_ + r * aux_bytes + k * row_bytes + c * static_cast<int>(sizeof(T)), from, n);
    }
    DWELL_FN void take_to(address to, const T* from, int n) const {
      const auto at = reinterpret_cast<std::uint64_t>(from);
      if constexpr (bulk) {
        if (acts_) copy_bulk(to, at, n * static_cast<int>(sizeof(T)));
      } else {
#pragma unroll 1
        for (int k = 16 * lane_; k < n * static_cast<int>(sizeof(T)); k += 16 * 32)
          asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + k), "l"(at + k)
                       : "memory");
      }
    }
    /// Cells `first` to `end` - 1 of the slot's row r, each from address cell(c), if there is one.
    /// leave_cells() after the last row.
    template <class F>
    DWELL_FN void take_cells(int r, int first, int end, F&& cell) const {
      take_cells_to(to_ + r * row_bytes, first, end, cell);
    }
    template <class F>
    DWELL_FN void take_aux_cells(int r, int k, int end, F&& cell) const {
      take_cells_to(to_aux_ + r * aux_bytes + k * row_bytes, 0, end, cell);
    }
    template <class F>
    DWELL_FN void take_cells_to(address row, int first, int end, F&& cell) const {
#pragma unroll 1
      for (int c = first + lane_; c < end; c += 32) {
        const T* from = cell(c);
        if (from)
          asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(
                           row + c * static_cast<int>(sizeof(T))),
                       "l"(from), "n"(sizeof(T))
                       : "memory");
      }
    }
    /// Bulk copies arrive by themselves.
    DWELL_FN void leave_rows() {
      if constexpr (!bulk) leave_cells();
    }
    static constexpr bool rows_arrive = bulk;
    /// The cells of the tick before are there.
    DWELL_FN void leave_cells() {
      asm volatile("cp.async.commit_group;" ::: "memory");
      asm volatile("cp.async.wait_group 1;" ::: "memory");
      pass_on(barrier_);
    }
    /// So are those of the last one.
    DWELL_FN void finish_cells() {
      asm volatile("cp.async.wait_group 0;" ::: "memory");
      pass_on(0);
    }

   private:
    DWELL_FN void pass_on(address next) {
      __syncwarp();
      if (acts_ && before_) arrive(before_);
      before_ = next;
    }
    DWELL_FN void copy_bulk(address to, std::uint64_t from, unsigned bytes) const {
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
          "[%3];" ::"r"(to),
          "l"(from), "r"(bytes), "r"(barrier_)
          : "memory");
    }
    address slots_, barriers_, aux_;
    int lane_;
    bool acts_;
    address at_ = 0, at_barrier_ = 0, phase_ = 1, barrier_ = 0, to_ = 0, before_ = 0;
    int aux_slot_ = 0;
    address aux_phase_ = 1, to_aux_ = 0;
  };

  /// Puts out the rows of ring `number`.
  class outlet {
   public:
    DWELL_FN outlet(const cuda_ring_team& team, int number)
        : slots_(team.slots_ + number * slots * slot_bytes),
          barriers_(team.barriers_ + number * slots * 16),
          lane_(team.lane_),
          acts_(elected()) {}
    DWELL_FN void enter() {
      barrier_ = barriers_ + at_barrier_;
      from_ = slots_ + at_;
      wait_for(barrier_, phase_);
      if constexpr (bulk) asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
      const bool wrap = at_barrier_ == last_barrier;
      at_ = wrap ? 0 : at_ + slot_bytes;
      at_barrier_ = wrap ? 0 : at_barrier_ + 16;
      phase_ ^= wrap;
    }
    /// n cells of row r, from cell c on; both addresses are aligned.
    DWELL_FN void put_row(int r, int c, T* to, int n) const {
      if constexpr (bulk) {
        const address from = cell(r, c);
        const int whole = n / Sizes::unit * Sizes::unit;
        if (acts_ && whole > 0)
          asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
                       "r"(from), "r"(whole * static_cast<int>(sizeof(T)))
                       : "memory");
        if (whole + lane_ < n) to[whole + lane_] = lane_row(from).get(0, whole + lane_);
      } else {
        put_cells(r, c, to, n);
      }
    }
    DWELL_FN void put_cells(int r, int c, T* to, int n) const {
      const address from = cell(r, c);
#pragma unroll 1
      for (int i = lane_; i < n; i += 32) to[i] = lane_row(from).get(0, i);
    }
    /// The slot is free, or that of the tick before.
    DWELL_FN void leave() {
      if constexpr (bulk) {
        if (acts_) {
          asm volatile("cp.async.bulk.commit_group;" ::: "memory");
          asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
        }
        __syncwarp();
        if (acts_ && before_) arrive(before_);
        before_ = barrier_ + 8;
      } else {
        __syncwarp();
        if (acts_) arrive(barrier_ + 8);
      }
    }
    /// All rows are in memory.
    DWELL_FN void finish() const {
      if constexpr (bulk)
        if (acts_) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }

   private:
    DWELL_FN address cell(int r, int c) const {
      return from_ + r * row_bytes + c * static_cast<int>(sizeof(T));
    }
    address slots_, barriers_;
    int lane_;
    bool acts_;
    address at_ = 0, at_barrier_ = 0, phase_ = 0, barrier_ = 0, from_ = 0, before_ = 0;
  };

  /// make_intake(), make_level(number), make_outlet(): what the warps do, one each; `levels` of
  /// those that compute. Ends when all have.
  template <class In, class Level, class Out>
  DWELL_FN void play(int levels, In&& make_intake, Level&& make_level, Out&& make_outlet) {
    if (warp_ >= computing) {
      if constexpr (bulk)
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(helping_registers));
      if (warp_ == computing) make_intake().run(forever);
      if (warp_ == computing + 1) make_outlet().run(forever);
    } else {
      if constexpr (bulk)
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(computing_registers));
      // The first and the last of the chain on one scheduler, and so on: later warps have fewer
      // rows to compute at the beginning of a segment.
      constexpr int half = computing / 2;
      const int number = warp_ < half ? warp_ : computing + half - 1 - warp_;
      if (number < levels) make_level(number).run(forever);
    }
  }

 private:
  static constexpr int forever = 0x7fffffff;

  DWELL_FN static address scratch_begin() {
    extern __shared__ __align__(128) unsigned char dwell_ring_scratch[];
    return static_cast<address>(__cvta_generic_to_shared(dwell_ring_scratch));
  }
  DWELL_FN static bool elected() {
    if constexpr (bulk) {
      unsigned one;
      asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p;\n}"
                   : "=r"(one));
      return one != 0;
    } else {
      return threadIdx.x % 32 == 0;
    }
  }
  DWELL_FN static void arrive(address barrier) {
    if constexpr (bulk) {
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
    } else {
      std::uint64_t state;
      asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(barrier) : "memory");
    }
  }
  /// Bytes that bulk copies will bring.
  DWELL_FN static void expect(address barrier, unsigned bytes) {
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(barrier),
                 "r"(bytes)
                 : "memory");
  }
  DWELL_FN static void arrive_expecting(address barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
  }
  DWELL_FN static void wait_for(address barrier, unsigned phase) {
    if constexpr (bulk)
      asm volatile(
          "{\n.reg .pred p;\nW%=:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
          "@p bra D%=;\nbra W%=;\nD%=:\n}" ::"r"(barrier),
          "r"(phase)
          : "memory");
    else
      asm volatile(
          "{\n.reg .pred p;\nW%=:\nmbarrier.test_wait.parity.shared.b64 p, [%0], %1;\n"
          "@p bra D%=;\nbra W%=;\nD%=:\n}" ::"r"(barrier),
          "r"(phase)
          : "memory");
  }
  DWELL_FN static void wait_for_two(address a, unsigned phase_a, address b, unsigned phase_b) {
    if constexpr (bulk) {
      asm volatile(
          "{\n.reg .pred p, q;\nW%=:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
          "mbarrier.try_wait.parity.shared::cta.b64 q, [%2], %3;\nand.pred p, p, q;\n"
          "@p bra D%=;\nbra W%=;\nD%=:\n}" ::"r"(a),
          "r"(phase_a), "r"(b), "r"(phase_b)
          : "memory");
    } else {
      wait_for(a, phase_a);
      wait_for(b, phase_b);
    }
  }

  int warp_, lane_;
  address slots_, aux_, barriers_;
};

}  // namespace dwell
