// SPDX-License-Identifier: MIT
// How a pass is launched on a GPU, from what its algorithm says of tiles and memory. No GPU is
// needed to know.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "dwell/base/error.hpp"
#include "dwell/solvers/arrays/convolution/footprint.hpp"
#include "dwell/solvers/arrays/convolution/kernels.hpp"

namespace dwell {

/// What a tile of an algorithm is made for: the columns of a warp, and those that a lane has.
template <int Columns, int Piece>
struct warp_shape {
  static constexpr int columns = Columns, piece = Piece;
};

/// The warp of convolution_kernel().
template <class Algorithm, class T>
using gpu_warp_shape =
    warp_shape<32 * columns_of_lane<Algorithm, T>, columns_of_lane<Algorithm, T>>;

/// Algorithm: of GPUs. Throws unsupported_error if there are more tiles than a launch has blocks.
template <class Algorithm, class Pass>
convolution_launch launch_of(const Pass& a) {
  using warp = gpu_warp_shape<Algorithm, typename Pass::sum>;
  constexpr std::int64_t most_blocks = 0x7fffffff;
  convolution_launch out;
  out.tiles = Algorithm::template tiles<warp>(a);
  out.blocks = a.planes() * out.tiles.across * ((out.tiles.bands - 1) / warps_of_block + 1);
  if (out.blocks > most_blocks)
    throw unsupported_error("convolution: the images have more tiles than a launch has blocks");
  const std::size_t scratch =
      in_pieces(Algorithm::template scratch<warp>(a) * sizeof(typename Pass::cell));
  out.scratch_each = static_cast<int>(scratch);
  out.shared = in_pieces(a.weight_count() * sizeof(typename Pass::sum)) + warps_of_block * scratch;
  return out;
}

}  // namespace dwell
