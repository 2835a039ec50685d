// SPDX-License-Identifier: MIT
// Copies of rows into the scratch of a thread block, some of them under way: bulk copies, for each
// of which a barrier counts bytes. Members mean what they mean in bulk_copies_cpu.hpp. For compute
// capability 9.0 and later.
#pragma once
#include <cstddef>
#include <cstdint>

#include "dwell/base/fn.hpp"

namespace dwell {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
inline constexpr bool has_bulk_copies = false;
#else
inline constexpr bool has_bulk_copies = true;
#endif

/// For teams that start none.
struct no_bulk_copies {
  DWELL_FN explicit no_bulk_copies(std::uint64_t*) {}
  template <class T>
  DWELL_FN void start(T*, int, const T*, int, int, int) {}
  DWELL_FN void await() {}
};

template <int N>
class cuda_bulk_copies {
 public:
  /// barriers: N of them in scratch. The lanes meet before the first start().
  DWELL_FN explicit cuda_bulk_copies(std::uint64_t* barriers) : barriers_(address_of(barriers)) {
    if (threadIdx.x != 0) return;
    for (int i = 0; i < N; ++i)
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barriers_ + 8 * i) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  template <class T>
  DWELL_FN void start(T* to, int to_pitch, const T* from, int from_pitch, int rows, int n) {
    const std::uint32_t barrier = barriers_ + 8 * (started_++ % N), bytes = n * sizeof(T);
    const int r = static_cast<int>(threadIdx.x);
    if (r == 0)
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
                   "r"(rows * bytes)
                   : "memory");
    if (r >= rows) return;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
        "[%3];" ::"r"(address_of(to + r * to_pitch)),
        "l"(from + std::ptrdiff_t{r} * from_pitch), "r"(bytes), "r"(barrier)
        : "memory");
  }
  DWELL_FN void await() {
    const std::uint32_t barrier = barriers_ + 8 * (awaited_ % N), phase = awaited_ / N & 1;
    ++awaited_;
    asm volatile(
        "{\n.reg .pred p;\nW%=:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
        "@p bra D%=;\nbra W%=;\nD%=:\n}" ::"r"(barrier),
        "r"(phase)
        : "memory");
  }

 private:
  DWELL_FN static std::uint32_t address_of(const void* p) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
  }
  std::uint32_t barriers_;
  std::uint32_t started_ = 0, awaited_ = 0;
};

}  // namespace dwell
