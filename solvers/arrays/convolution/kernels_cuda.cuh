// SPDX-License-Identifier: MIT
// The kernel of a pass on a GPU: a warp a tile, four bands a block, so that warps whose tiles lie
// below one another share rows in the multiprocessor's cache. The weights lie in shared memory,
// from which all lanes read the same one at a time. Nothing of the host library.
#pragma once
#include <cstddef>

#include "dwell/execution/team/row_warp_cuda.cuh"
#include "dwell/solvers/arrays/convolution/footprint.hpp"

namespace dwell::cuda {

template <class Algorithm, class T>
using convolution_warp = row_warp<T, columns_of_lane<Algorithm, T>>;

/// What it is launched with: convolution_launch.
template <class Algorithm, int Instance, class Pass>
__global__ void __launch_bounds__(32 * warps_of_block,
                                  Algorithm::warps_of(Instance) / warps_of_block)
    convolution_kernel(Pass a, const tile_grid tiles, int scratch_each) {
  using T = typename Pass::sum;
  using warp_type = convolution_warp<Algorithm, T>;
  extern __shared__ __align__(16) unsigned char shared[];
  T* const weights = reinterpret_cast<T*>(shared);
  const int count = static_cast<int>(a.weight_count());
  const T* const from = a.weights;
  a.weights = weights;
  const auto copy_weights = [&] {
    for (int i = static_cast<int>(threadIdx.x); i < count; i += 32 * warps_of_block)
      weights[i] = from[i];
    __syncthreads();
  };

  // This number is equal for all lanes of a warp, which the compiler learns from the shuffle.
  const int number = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / 32, 0);
  const convolution_tile at = tile_of_warp(tiles, a.size, blockIdx.x, number);
  warp_type warp;
  Algorithm::template compute<Instance>(
      warp, a, at,
      reinterpret_cast<typename Pass::cell*>(shared + in_pieces(count * sizeof(T)) +
                                             number * scratch_each),
      copy_weights);
}

}  // namespace dwell::cuda
