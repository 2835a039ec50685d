// SPDX-License-Identifier: MIT
// The kernels of passes that nvcc compiles with the library, to the rows of the table.
#pragma once
#include <tuple>

#include "dwell/solvers/arrays/convolution/kernels.hpp"
#include "dwell/solvers/arrays/convolution/kernels_cuda.cuh"

namespace dwell::cuda {

template <class Algorithm, class Pass>
const void* compiled_kernel_for(const Pass& a) {
  const void* kernel = nullptr;
  with_instance<Algorithm>(a.filter.y, [&](auto i) {
    kernel = reinterpret_cast<const void*>(&convolution_kernel<Algorithm, i, Pass>);
  });
  return kernel;
}

/// The kernels of an algorithm for these kinds of passes, to its row of the table.
template <class Algorithm, class... Pass>
void add_passes(dwell::convolution_kernel& row) {
  ((std::get<pass_functions<Pass>>(row.of).compiled =
        &compiled_kernel_for<typename Algorithm::on_cuda, Pass>),
   ...);
}

}  // namespace dwell::cuda
