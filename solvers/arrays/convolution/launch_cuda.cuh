// SPDX-License-Identifier: MIT
// A pass on a GPU: a warp a tile, four bands a block, so that warps whose tiles lie below one
// another share rows in the multiprocessor's cache. The weights lie in shared memory, from which
// all lanes read the same one at a time.
#pragma once
#include <string>

#include "dwell/base/cell_piece.hpp"
#include "dwell/execution/device/cuda_check.hpp"
#include "dwell/execution/team/row_warp_cuda.cuh"
#include "dwell/solvers/arrays/convolution/footprint.hpp"
#include "dwell/solvers/arrays/convolution/kernels.hpp"

namespace dwell::cuda {

/// Columns of a lane: a piece of 16 bytes, or one.
template <class Algorithm, class T>
using convolution_warp = row_warp<T, Algorithm::whole_pieces ? cell_piece<T>::size : 1>;

/// Blocks of a pass.
template <class Pass>
std::int64_t blocks_of(const Pass& a, const tile_grid& tiles) {
  return a.planes() * tiles.across * ((tiles.bands - 1) / warps_of_block + 1);
}

/// The tile of this warp, the block's `number`th. A warp without one gets a tile below the image,
/// of which nothing is stored: all warps of the block meet at the weights.
__device__ inline convolution_tile tile_of_warp(const tile_grid& tiles, const extents& size,
                                                int number) {
  const unsigned stacks = (static_cast<unsigned>(tiles.bands) - 1) / warps_of_block + 1;
  const unsigned x = blockIdx.x % static_cast<unsigned>(tiles.across);
  const unsigned stack = blockIdx.x / static_cast<unsigned>(tiles.across);
  const int band = static_cast<int>(stack % stacks) * warps_of_block + number;
  const unsigned plane = stack / stacks;
  convolution_tile at;
  at.image = plane / static_cast<unsigned>(size.z);
  at.z = static_cast<int>(plane % static_cast<unsigned>(size.z));
  at.y = band * tiles.rows;
  at.x = static_cast<int>(x) * tiles.columns;
  return at;
}

template <class Algorithm, int Instance, class Pass>
__global__ void __launch_bounds__(32 * warps_of_block,
                                  Algorithm::warps_of(Instance) / warps_of_block)
    convolution_kernel(Pass a, const tile_grid tiles, int scratch_each) {
  using T = typename Pass::sum;
  using warp_type = convolution_warp<Algorithm, T>;
  extern __shared__ __align__(16) std::byte shared[];
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
  const convolution_tile at = tile_of_warp(tiles, a.size, number);
  warp_type warp;
  Algorithm::template compute<Instance>(
      warp, a, at,
      reinterpret_cast<typename Pass::cell*>(shared + in_pieces(count * sizeof(T)) +
                                             number * scratch_each),
      copy_weights);
}

/// Throws unsupported_error if a block of the device has less shared memory.
inline void require_shared(std::size_t bytes, int ordinal) {
  int most = 0;
  DWELL_CUDA(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, ordinal));
  if (bytes > static_cast<std::size_t>(most))
    throw unsupported_error(
        "filter: its weights and a copy of the cells need " + std::to_string(bytes) +
        " bytes of shared memory, of which the device has " + std::to_string(most));
}

template <class Algorithm, int Instance, class Pass>
void launch_convolution(const device& where, const Pass& a) {
  using T = typename Pass::sum;
  using warp_type = convolution_warp<Algorithm, T>;
  const tile_grid tiles = Algorithm::template tiles<warp_type>(a);
  const std::size_t scratch =
      in_pieces(Algorithm::template scratch<warp_type>(a) * sizeof(typename Pass::cell));
  const std::size_t bytes = in_pieces(a.weight_count() * sizeof(T)) + warps_of_block * scratch;
  const std::int64_t blocks = blocks_of(a, tiles);
  constexpr std::int64_t most_blocks = 0x7fffffff;
  if (blocks > most_blocks)
    throw unsupported_error("convolution: the images have more tiles than a launch has blocks");
  const auto kernel = convolution_kernel<Algorithm, Instance, Pass>;
  const auto stream = static_cast<cudaStream_t>(where.stream());
  constexpr std::size_t usual_shared = 48 << 10;  // more must be asked for
  if (bytes > usual_shared) {
    require_shared(bytes, where.ordinal());
    DWELL_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(bytes)));
  }
  kernel<<<static_cast<unsigned>(blocks), 32 * warps_of_block, bytes, stream>>>(
      a, tiles, static_cast<int>(scratch));
  DWELL_CUDA(cudaGetLastError());
}

template <class Algorithm, class Pass>
void run_convolution(const convolution_place& place, const Pass& a) {
  DWELL_CUDA(cudaSetDevice(place.where.ordinal()));
  with_instance<Algorithm>(a.filter.y,
                           [&](auto i) { launch_convolution<Algorithm, i>(place.where, a); });
}

/// The functions of an algorithm for these kinds of passes, to its row of the table.
template <class Algorithm, class... Pass>
void add_passes(dwell::convolution_kernel& row) {
  row.algorithm = Algorithm::name;
  row.on = backend::cuda;
  ((std::get<dwell::convolution_kernel::function<Pass>>(row.of) =
        &run_convolution<typename Algorithm::on_cuda, Pass>),
   ...);
}

}  // namespace dwell::cuda
