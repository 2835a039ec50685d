// SPDX-License-Identifier: MIT
// The memory that a solve takes, known from sizes and options alone: for refusals before a large
// matrix is read. Private to the solver.
#pragma once
#include <cstddef>
#include <cstdint>

#include "dwell/device/device.hpp"
#include "dwell/linear/solve.hpp"

namespace dwell {

/// Bytes on the device that a solver and one of its solves take at the least, besides the arrays
/// that a CPU reads in place: vectors of the method's first variant or of the one asked for, the
/// basis of gmres, residuals; on a GPU copies of the matrix, b and x, and the tiles. scalar_bytes:
/// of the system's values. Method auto counts as cg. Throws input_error for options that no solve
/// can have.
double least_solve_bytes(std::int64_t rows, std::int64_t nonzeros, const solve_options& o,
                         std::size_t scalar_bytes, backend on);

}  // namespace dwell
