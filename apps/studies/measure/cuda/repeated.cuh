// SPDX-License-Identifier: MIT
// A kernel of one operation, again and again, by all threads of a grid. An operation is a struct:
// step() does it once, in the order of the program, and value() is what the steps left.
#pragma once
#include "studies/measure/cuda/kernel_timer.hpp"

namespace dwell::app::gpu {

/// Operations of a repetition.
inline constexpr int operations_of_round = 64;

/// Unroll: operations of a repetition, which are one after the other in the kernel.
template <class Op, int Unroll>
__global__ void __launch_bounds__(1024, 1)
    repeated_kernel(kernel_span* spans, long long rounds, unsigned* never) {
  Op op;
  __syncthreads();
  const span_clock clock;
#pragma unroll 1
  for (long long r = 0; r < rounds; ++r) {
#pragma unroll
    for (int k = 0; k < Unroll; ++k) op.step();
  }
  auto left = op.value();
  pin(left);
  clock.end(spans);
  if (never) *never = static_cast<unsigned>(left);  // so that nothing is computed for nobody
}

/// Repetitions by the first `lanes` lanes of each warp, a group that is not known when the kernel
/// is compiled.
template <class Op>
__global__ void __launch_bounds__(1024, 1)
    repeated_in_part_kernel(kernel_span* spans, long long rounds, unsigned lanes, unsigned* never) {
  __syncthreads();
  const span_clock clock;
  if (threadIdx.x % 32 < lanes) {
    Op op;
#pragma unroll 1
    for (long long r = 0; r < rounds; ++r) {
#pragma unroll
      for (int k = 0; k < operations_of_round; ++k) op.step();
    }
    auto left = op.value();
    pin(left);
    if (never) *never = static_cast<unsigned>(left);
  }
  __syncthreads();
  clock.end(spans);
}

/// The row, of repetitions of Op.
template <class Op, int Unroll = operations_of_round>
void add_repeated(measuring& m, kernel_timer& timer, measured_row row, const launch_shape& shape) {
  m.add(std::move(row), [&](double rounds) {
    return timer.run(shape, repeated_kernel<Op, Unroll>, static_cast<long long>(rounds), nullptr);
  });
}

/// Times an operation of one warp.
template <class Op>
void add_latency(measuring& m, const char* group, const char* probe) {
  kernel_timer timer(m.request().here);
  measured_row row{group, probe, 32};
  row.blocks = 1;
  row.amount = operations_of_round;
  add_repeated<Op>(m, timer, row, {1, 32});
}

/// Measures blocks of 32 warps: operations per second, of which a step of a warp is `of_warp`.
template <class Op, int Unroll = operations_of_round>
void add_throughput(measuring& m, const char* group, const char* probe, int blocks,
                    double of_warp) {
  kernel_timer timer(m.request().here);
  measured_row row{group, probe, 1024};
  row.blocks = blocks;
  row.unit = measured_unit::operations_per_s;
  row.amount = Unroll * of_warp * 32 * blocks;
  add_repeated<Op, Unroll>(m, timer, row, {blocks, 1024});
}

/// Both; throughput: operations of warps of one multiprocessor.
template <class Op>
void add_latency_and_throughput(measuring& m, const char* group, const char* probe) {
  add_latency<Op>(m, group, probe);
  add_throughput<Op>(m, group, probe, 1, 1);
}

}  // namespace dwell::app::gpu
