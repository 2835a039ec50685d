// SPDX-License-Identifier: MIT
// What is compiled for rows of tables where it is compiled before a run, as texts.
#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "dwell/execution/device/compiled_kernel.hpp"
#include "dwell/execution/krylov/launch/kernel_table.hpp"

namespace dwell {

/// For values of this type under an executor or, of "auto", under all: each kernel of `planned`
/// once, but for those that `table` has compiled ahead.
std::vector<kernel_source> needed_of_rows(std::span<const program_kernel> planned,
                                          std::span<const program_kernel> table,
                                          std::string_view executor, precision type);

}  // namespace dwell
