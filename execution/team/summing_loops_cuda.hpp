// SPDX-License-Identifier: MIT
// Loops of set-up work on a GPU that also sum up what comes before each item, in three launches.
#pragma once
#include <cstddef>
#include <cstdint>

#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/team/setup_loops_cuda.hpp"
#include "dwell/execution/team/sums_before_steps.hpp"

namespace dwell::cuda {

template <class Kernels>
class summing_loops : public setup_loops<Kernels> {
 public:
  explicit summing_loops(const device& where) : setup_loops<Kernels>(where), where_(where) {}

  /// Does what it does in setup_cpu.hpp.
  void sums_before(const index* from, index* to, index n) const {
    const auto [elements, chunks] = summing::sum_chunks_of(n);
    const auto needed = static_cast<std::size_t>(chunks);
    if (needed > sums_.size()) sums_ = {where_, needed, fresh::unset};
    this->warps(chunks, 1, summing::sum_chunks{from, n, elements, sums_.data()});
    this->once(summing::sums_before_chunks{chunks, sums_.data()});
    this->warps(chunks, 1, summing::put_sums_before{from, n, elements, sums_.data(), to});
  }

 private:
  device where_;
  mutable buffer<index> sums_;
};

}  // namespace dwell::cuda
