// SPDX-License-Identifier: MIT
// What operations on cells cost a GPU. Plans and projections have it from here alone; those of
// CPUs, too, for all but divisions and roots (execution/device/threads/division_cpu.hpp).
#pragma once
#include "dwell/stencil/definition.hpp"

namespace dwell {

/// Additions in values of so many bytes that take a multiprocessor as long as an operation.
///
/// Division: from passes of `wave2d` with and without its damping on an H200
/// (docs/results/fields.md), where one more division took 28 additions in f64 and 38 in f32: twice
/// the instructions of its code, which branches for operands that are denormal or huge. Others by
/// the instructions of nvcc 13.0 for compute capability 9.0 and their rates in the CUDA programming
/// guide; a square root branches as a division does, log and tanh have a division.
constexpr double operation_cost(cell_op op, int value_bytes) {
  const auto of = [&](double f64, double f32) { return value_bytes == 8 ? f64 : f32; };
  switch (op) {
    case cell_op::constant:
    case cell_op::parameter:
    case cell_op::tap:
      return 0;
    case cell_op::div:
    case cell_op::sqrt:
      return of(28, 38);
    case cell_op::exp:
      return of(47, 29);
    case cell_op::log:
      return of(76, 71);
    case cell_op::sin:
    case cell_op::cos:
      return of(65, 51);
    case cell_op::tanh:
      return of(85, 80);
    case cell_op::min:
    case cell_op::max:
      return 3;
    case cell_op::floor:
      return of(4, 2);
    default:
      return 1;
  }
}
/// Whether an operation costs so much that doing it once for all steps may be worth an array.
constexpr bool is_dear(cell_op op) { return operation_cost(op, 8) >= 20; }

}  // namespace dwell
