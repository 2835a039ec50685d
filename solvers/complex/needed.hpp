// SPDX-License-Identifier: MIT
// What is compiled for runs of a method for complex matrices on a GPU that need not be here, where
// it is not compiled with the library.
#pragma once
#include <string>
#include <vector>

#include "dwell/base/precision.hpp"
#include "dwell/execution/device/compiled_kernel.hpp"

namespace dwell {

/// Each kernel of a method's form for complex matrices once, under this executor or, of "auto",
/// under all, and the small kernels of solves. Throws unsupported_error if the method has no such
/// form, or no such executor on GPUs.
std::vector<kernel_source> needed_complex_sources(const std::string& method,
                                                  const std::string& executor, precision type);

}  // namespace dwell
