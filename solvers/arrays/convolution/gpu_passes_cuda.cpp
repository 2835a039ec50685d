// SPDX-License-Identifier: MIT
#include "dwell/solvers/arrays/convolution/gpu_passes.hpp"

#include <cuda_runtime.h>
#include <fmt/format.h>

#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/execution/device/cuda_check.hpp"
#include "dwell/execution/device/kernel_cuda.cuh"
#include "dwell/execution/device/loaded_kernel_cuda.hpp"
#include "dwell/solvers/arrays/convolution/footprint.hpp"

namespace dwell {
namespace {

void require_shared(std::span<const gpu_pass> passes, const device& where) {
  int most = 0;
  DWELL_CUDA(
      cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, where.ordinal()));
  for (const gpu_pass& pass : passes)
    if (pass.launch.shared > static_cast<std::size_t>(most))
      throw unsupported_error(
          fmt::format("filter: its weights and a copy of the cells need {} bytes of shared "
                      "memory, of which the device has {}",
                      pass.launch.shared, most));
}

compiled_kernels load_passes(std::span<gpu_pass> passes, const device& where) {
  const cuda::current_device here(where.ordinal());
  require_shared(passes, where);
  std::vector<gpu_pass*> needed;
  std::vector<kernel_source> sources;
  for (gpu_pass& pass : passes)
    if (!pass.kernel) {
      needed.push_back(&pass);
      sources.push_back(pass.source);
    }
  compiled_kernels made;
  if (!needed.empty()) made = compile_kernels(sources, cuda::target_of(where));
  for (std::size_t k = 0; k < needed.size(); ++k)
    needed[k]->kernel = cuda::lasting(made.codes[k]).handle();
  for (const gpu_pass& pass : passes) cuda::allow_scratch(pass.kernel, pass.launch.shared);
  return made;
}

void launch_pass(const gpu_pass& pass, const void* a, const device& where) {
  const cuda::current_device here(where.ordinal());
  cudaLaunchConfig_t launch{};
  launch.gridDim = dim3(static_cast<unsigned>(pass.launch.blocks));
  launch.blockDim = dim3(32 * warps_of_block);
  launch.dynamicSmemBytes = pass.launch.shared;
  launch.stream = static_cast<cudaStream_t>(where.stream());
  tile_grid tiles = pass.launch.tiles;
  int scratch_each = pass.launch.scratch_each;
  void* args[] = {const_cast<void*>(a), &tiles, &scratch_each};
  DWELL_CUDA(cudaLaunchKernelExC(&launch, pass.kernel, args));
}

}  // namespace

template <>
const convolution_functions& cuda_backend() {
  static constexpr convolution_functions all = {load_passes, launch_pass};
  return all;
}

}  // namespace dwell
