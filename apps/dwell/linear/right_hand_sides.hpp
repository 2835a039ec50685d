// SPDX-License-Identifier: MIT
// `dwell cg --rhs-count`: one matrix with several right-hand sides.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dwell/linear/solve.hpp"

namespace dwell::app {

/// Solves for b, from and to x, and for count - 1 more right-hand sides from zeros: random numbers
/// in
/// [-1, 1), the same in every run. One report for each. Throws as dwell::solve() does.
std::vector<solve_report> solve_several(const std::string& precision, const device& where,
                                        const csr<double>& a, const std::vector<double>& b,
                                        std::vector<double>& x, int count,
                                        const solve_options& options);

/// Throws device_error, with what is needed and what is free, if this machine has too little memory
/// for so many right-hand sides and answers: before any of them is made.
void require_memory_for_columns(std::int64_t rows, int count, const std::string& precision);

/// This one, and count - 1 random ones behind it.
std::vector<double> with_random(std::vector<double> first, int count);
/// `count` elements, from the `first` one on, of the right-hand side of this number, from 1 on.
std::vector<double> random_rhs(std::int64_t first, std::size_t count, int number);

/// The seconds of all right-hand sides: of columns solved together, once.
double solve_seconds(std::span<const solve_report> columns);

/// "8 right-hand sides: 4 + 4 in one pass over the matrix, 120 to 131 iterations, ...", one line.
std::string describe_columns(std::span<const solve_report> columns);

}  // namespace dwell::app
