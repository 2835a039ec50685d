// SPDX-License-Identifier: MIT
// Methods on a CPU whose teams have as many lanes as blocks of a GPU have threads: the bits of a
// GPU's runs with so many teams.
#pragma once
#include "dwell/base/precision.hpp"
#include "dwell/execution/krylov/launch/kernel_table.hpp"

namespace dwell::test {

/// The textbook forms of all methods under host-loop and persistent, in both precisions.
/// Throws unsupported_error for others.
const program_kernel& played_kernel(const char* program, const char* executor, precision type);

}  // namespace dwell::test
