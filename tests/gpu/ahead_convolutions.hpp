// SPDX-License-Identifier: MIT
// Kernels of convolutions that nvcc has compiled with a test, whatever the library has: a sample.
#pragma once
#include <vector>

#include "dwell/solvers/arrays/convolution/kernels.hpp"

namespace dwell::test {

/// `systolic` and `window`, of f64 and f32.
std::vector<convolution_kernel> convolutions_compiled_ahead();

}  // namespace dwell::test
