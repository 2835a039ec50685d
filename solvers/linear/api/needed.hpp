// SPDX-License-Identifier: MIT
// What is compiled for runs of a method on a GPU that need not be here, where it is not compiled
// with the library.
#pragma once
#include <string>
#include <vector>

#include "dwell/base/precision.hpp"
#include "dwell/execution/device/compiled_kernel.hpp"

namespace dwell {

/// Names of the methods that have kernels.
std::vector<std::string> methods_with_kernels();

/// Each kernel of a method once: of its forms, of blocks of right-hand sides and of batches, under
/// this executor or, of "auto", under all, and the small kernels of solves. Empty: they are in the
/// library. Throws unsupported_error if the method has no such executor on GPUs.
std::vector<kernel_source> needed_sources(const std::string& method, const std::string& executor,
                                          precision type);

}  // namespace dwell
