// SPDX-License-Identifier: MIT
// What 'dwell solve' does with a matrix of more nonzeros than 32 bits count.
#pragma once
#include <cstdint>

#include "linear/solve_arguments.hpp"

namespace dwell::app {

/// Throws unsupported_error for options that such a matrix of so many nonzeros does not have.
void check_large(const solve_arguments& args, std::int64_t nonzeros);

}  // namespace dwell::app
