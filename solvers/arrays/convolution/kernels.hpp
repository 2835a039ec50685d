// SPDX-License-Identifier: MIT
// The algorithms of computing a pass that this build has, as tables of functions: for each
// algorithm and backend a row, in it for each kind of passes what runs them. Files that CMake
// writes (cmake/convolution_kernels.cmake) fill them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include "dwell/device/device.hpp"
#include "dwell/solvers/arrays/convolution/pass.hpp"

namespace dwell {

struct kernel_source;  // execution/device/compiled_kernel.hpp

/// Where a pass runs on a CPU.
struct convolution_place {
  device where = device::cpu(1);
  int threads = 1;
  bool reverse_lanes = false;  ///< for tests
};

/// How the kernel of a pass is launched on a GPU (kernels_cuda.cuh).
struct convolution_launch {
  tile_grid tiles;
  std::int64_t blocks = 0;
  int scratch_each = 0;    ///< bytes of shared memory of a warp
  std::size_t shared = 0;  ///< bytes of a block: weights, memory of its warps
};

/// What an algorithm has for a kind of passes.
template <class Pass>
struct pass_functions {
  /// On a CPU: computes a pass in memory of the host.
  void (*run)(const convolution_place&, const Pass&) = nullptr;
  // On a GPU. Where the images lie does not matter.
  convolution_launch (*launch)(const Pass&) = nullptr;
  kernel_source (*needs)(const Pass&) = nullptr;  ///< the kernel, as what NVRTC compiles
  /// The kernel that nvcc has compiled with the library; null: none, it is compiled when needed.
  const void* (*compiled)(const Pass&) = nullptr;
};

/// An algorithm on a backend.
struct convolution_kernel {
  template <class... Pass>
  using functions = std::tuple<pass_functions<Pass>...>;

  const char* algorithm;
  backend on;
  convolution_passes_of<functions> of;  ///< each kind of passes

  template <class Pass>
  const pass_functions<Pass>& functions_of() const {
    return std::get<pass_functions<Pass>>(of);
  }
};

/// The rows of this build.
std::span<const convolution_kernel> convolution_kernels();
/// The rows of GPUs, in every build, in which nothing is compiled ahead.
std::span<const convolution_kernel> planned_convolution_kernels();

/// f(std::integral_constant<int, instance>) with the instance of an algorithm for so many tap rows.
template <class Algorithm, class F>
void with_instance(int tap_rows, F&& f) {
  const int chosen = Algorithm::instance_of(tap_rows);
  [&]<int... Instance>(std::integer_sequence<int, Instance...>) {
    (void)((Instance == chosen && (f(std::integral_constant<int, Instance>{}), true)) || ...);
  }
  (std::make_integer_sequence<int, Algorithm::instances>{});
}

}  // namespace dwell
