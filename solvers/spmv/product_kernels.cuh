// SPDX-License-Identifier: MIT
// The kernels of products.
#pragma once
#include <cmath>
#include <cstdint>

#include "dwell/execution/krylov/spmv/multiply_tile.hpp"
#include "dwell/execution/krylov/spmv/tile_walk.hpp"
#include "dwell/execution/team/team_cuda.cuh"
#include "dwell/solvers/spmv/tiles_args.hpp"

namespace dwell::spmv {

/// Its lanes meet each other alone, and it adds nothing up.
using block = cuda_team<shape::value.lanes, false, block_barrier, false>;

template <class T, class Column>
__global__ void __launch_bounds__(shape::value.lanes, shape::value.teams_per_unit)
    tiles_kernel(const __grid_constant__ tiles_args<T> a) {
  block team(nullptr);
  const team_part part = a.tiles.teams[team.part()];
  const auto carry = [&](int tile) { return a.tile_carry + tile; };
  walk_tiles<shape::value.ahead, T, Column>(
      team, part.first_tile, part.last_tile,
      [&](auto& warp, auto& loaded, int tile) {
        warp.each([&](int lane) {
          loaded[lane].template load<block, true>(a.tiles, columns_of<Column>(a.tiles), tile, lane);
        });
      },
      [&](auto& warp, auto& loaded, int tile) {
        multiply_tile<false>(warp, loaded, a.x, separate_rows<T, 1>{{a.y}},
                             [&] { return carry(tile); });
      });
  team.section([](int) {});
  team.each([&](int lane) {
    join_tiles<T, 1, block>(
        part, lane, [&](int tile) { return a.tiles.header[tile]; }, carry,
        [&](index row, const T* missing) { a.y[row] += missing[0]; });
    if (lane == block::lanes() - 1) a.team_carry[team.part()] = open_carry<T>(part, carry);
  });
}

/// The first rows of blocks get what is missing.
template <class T>
__global__ void finish_kernel(const __grid_constant__ tiles_args<T> a, int teams) {
  const int me = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (me >= teams || a.tiles.teams[me].carry_from == me) return;
  T missing = T(0);
  for (int t = a.tiles.teams[me].carry_from; t < me; ++t) missing += a.team_carry[t];
  a.y[a.tiles.teams[me].begin.row] += missing;
}

/// y = alpha (A x) + beta y. slot: of each row its place in the product, -1 without entries; null:
/// all rows have some.
template <class T>
__global__ void combine_kernel(const T* product, const index* slot, index rows, T alpha, T beta,
                               T* y) {
  const index step = static_cast<index>(gridDim.x * blockDim.x);
  for (auto i = static_cast<std::int64_t>(blockIdx.x * blockDim.x + threadIdx.x); i < rows;
       i += step) {
    const index s = slot ? slot[i] : static_cast<index>(i);
    const T sum = s < 0 ? T(0) : product[s];
    y[i] = beta == T(0) ? alpha * sum : std::fma(beta, y[i], alpha * sum);
  }
}

}  // namespace dwell::spmv
