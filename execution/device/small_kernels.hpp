// SPDX-License-Identifier: MIT
// The small kernels of this build that NVRTC compiles when they are needed (kernel_unit_cuda.hpp),
// as texts. None where nvcc has compiled them, or without CUDA.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "dwell/base/precision.hpp"
#include "dwell/execution/device/compiled_kernel.hpp"

namespace dwell {

struct small_kernels {
  kernel_source source;
  std::string group;  ///< what is compiled side by side
};
/// What small kernels are for, as people ask for them: the first words of what units are.
inline constexpr std::string_view small_kernel_families[] = {"products", "reductions", "scans",
                                                             "set-up", "tables of sums"};
/// All units.
std::vector<small_kernels> all_small_kernels();
/// What every solve launches, of real and of complex systems, and every stencil that is launched
/// step by step.
std::vector<kernel_source> small_kernels_of_solves(precision type);
std::vector<kernel_source> small_kernels_of_complex_solves(precision type);
std::vector<kernel_source> small_kernels_of_stencils(precision type);
/// What solves of several ranks launch, and what the set-up of a preconditioner does.
std::vector<kernel_source> small_kernels_of_ranks(precision type);
std::vector<kernel_source> small_kernels_of_set_up(const std::string& preconditioner);

}  // namespace dwell
