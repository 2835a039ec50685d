// SPDX-License-Identifier: MIT
// What 'dwell solve' does with a matrix of more nonzeros than 32 bits count.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "linear/solve_arguments.hpp"

#include "dwell/device/device.hpp"
#include "dwell/formats/csr.hpp"
#include "dwell/linear/solve.hpp"

namespace dwell::app {

/// Throws unsupported_error for options that such a matrix of so many nonzeros does not have.
void check_large(const solve_arguments& args, std::int64_t nonzeros);

std::vector<double> row_sums(const large_csr<double>& a);

/// Solves in the precision asked for. x: the start vector, and the answer.
solve_report solve_large_in(const std::string& precision, const device& where,
                            const large_csr<double>& a, const std::vector<double>& b,
                            std::vector<double>& x, const solve_options& options);

}  // namespace dwell::app
