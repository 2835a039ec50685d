// SPDX-License-Identifier: MIT
// What 'dwell solve' does with a matrix of more nonzeros than 32 bits count.
#pragma once
#include "linear/solve_arguments.hpp"

#include "dwell/device/device.hpp"
#include "dwell/formats/row_source.hpp"

namespace dwell::app {

/// Throws unsupported_error for options that such a matrix does not have, and device_error if the
/// host or the device has too little memory for it, its vectors and the solve.
void check_large(const solve_arguments& args, const device& where, const row_source& of);

}  // namespace dwell::app
