// SPDX-License-Identifier: MIT
// All kernels of convolutions that are compiled when they are needed, compiled side by side for the
// first GPU: one after the other, as tests come to them, they take two minutes.
#pragma once
#include <span>
#include <tuple>
#include <vector>

#include "dwell/execution/device/compiled_kernel.hpp"
#include "dwell/execution/device/loaded_kernel_cuda.hpp"
#include "dwell/solvers/arrays/convolution/kernels.hpp"

namespace dwell::test {

/// Those of the rows that nvcc has not compiled. Throws unsupported_error without NVRTC.
inline void compile_convolutions(std::span<const convolution_kernel> rows) {
  std::vector<kernel_source> sources;
  for (const convolution_kernel& row : rows)
    std::apply(
        [&](const auto&... of) {
          const auto each = [&]<class Pass>(const pass_functions<Pass>& functions) {
            if (functions.needs == nullptr || functions.compiled != nullptr) return;
            for (int tap_rows = 1; tap_rows <= most_taps; ++tap_rows) {
              Pass a;
              a.filter = extents(tap_rows, 1);
              sources.push_back(functions.needs(a));
            }
          };
          (each(of), ...);
        },
        row.of);
  (void)compile_kernels(sources, cuda::target_of(device::cuda()));
}

}  // namespace dwell::test
