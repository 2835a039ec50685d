// SPDX-License-Identifier: MIT
// The CUDA backend of solve_steps.hpp: throws device_error where the build has none.
#pragma once
#include "dwell/solvers/linear/run/solve_steps.hpp"

namespace dwell {

template <class T>
const solve_steps<T>& cuda_solve_steps();

}  // namespace dwell
