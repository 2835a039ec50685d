// SPDX-License-Identifier: MIT
// What the kernels of products get, and in how many lanes they run.
#pragma once
#include "dwell/base/index.hpp"
#include "dwell/execution/krylov/configs.hpp"
#include "dwell/execution/krylov/program_args.hpp"
#include "dwell/execution/krylov/spmv/value_pack.hpp"

namespace dwell::spmv {

struct shape {
  static constexpr program_config value = plain_cuda_configs[0];
};
template <class T>
struct tiles_args {
  tiles_view<T> tiles;
  const value_pack<T, 1>* x;
  T* y;
  T* tile_carry;
  T* team_carry;  ///< each block's part of the row that a later one ends
};

}  // namespace dwell::spmv
