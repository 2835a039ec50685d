// SPDX-License-Identifier: MIT
#include "ahead_convolutions.hpp"

#include <string_view>

#include "dwell/solvers/arrays/convolution/algorithms/systolic.hpp"
#include "dwell/solvers/arrays/convolution/algorithms/window.hpp"
#include "dwell/solvers/arrays/convolution/compiled_cuda.cuh"

namespace dwell::test {

std::vector<convolution_kernel> convolutions_compiled_ahead() {
  std::vector<convolution_kernel> rows;
  const auto take = [&]<class Algorithm>(Algorithm) {
    for (const convolution_kernel& planned : planned_convolution_kernels())
      if (std::string_view(planned.algorithm) == Algorithm::name) {
        rows.push_back(planned);
        cuda::add_passes<Algorithm, convolution_pass<double>, convolution_pass<float>>(rows.back());
      }
  };
  take(systolic_convolution{});
  take(window_convolution{});
  return rows;
}

}  // namespace dwell::test
