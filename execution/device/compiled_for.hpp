// SPDX-License-Identifier: MIT
// Which kernels this compiler makes where headers compile kernels in a user's program
// (dwell/custom_stencil.hpp, dwell/custom_program.hpp). What differs between the two
// compilers has another name for the linker.
#pragma once
#include "dwell/device/device.hpp"

namespace dwell {

namespace cpu {}
namespace cuda {}

#if defined(__CUDACC__)
inline namespace on_gpus {
namespace kernels = dwell::cuda;
/// What kernels that this file compiles run on.
inline constexpr backend compiled_for = backend::cuda;
}  // namespace on_gpus
#else
inline namespace on_cpus {
namespace kernels = dwell::cpu;
/// What kernels that this file compiles run on.
inline constexpr backend compiled_for = backend::cpu;
}  // namespace on_cpus
#endif

}  // namespace dwell
