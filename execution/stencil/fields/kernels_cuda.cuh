// SPDX-License-Identifier: MIT
// Kernels of stencils with several fields, which are compiled when they are needed: a stage of the
// plain step, alone or in a launch of many, a pass of several steps, and a run of fields that stay
// on the chip.
#pragma once
#include "dwell/execution/stencil/engines/column_fields3d/agent.hpp"
#include "dwell/execution/stencil/engines/resident_fields/agent.hpp"
#include "dwell/execution/stencil/engines/ring_fields2d/agent.hpp"
#include "dwell/execution/stencil/fields/plain_step.hpp"
#include "dwell/execution/stencil/fields/steps_in_one_launch.hpp"
#include "dwell/execution/team/grid_team_cuda.cuh"
#include "dwell/execution/team/ring_team_cuda.cuh"

namespace dwell::cuda {

/// f(z, y, x) of all cells, of one row of so many. A block is a piece of rows; planes are blocks'
/// third index.
template <int Rows, class T, class F>
DWELL_FN void each_group(const fields_stage_args<T>& a, F&& f) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (x >= a.n[1]) return;
  for (int z = static_cast<int>(blockIdx.z); z < a.n[2]; z += static_cast<int>(gridDim.z))
    for (int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y) * Rows; y < a.n[0];
         y += static_cast<int>(gridDim.y * blockDim.y) * Rows)
      f(z, y, x);
}
/// f(cell along y, x and z; its place in memory) of all cells.
template <class T, class F>
DWELL_FN void each_cell(const fields_stage_args<T>& a, F&& f) {
  each_group<1>(a, [&](int z, int y, int x) {
    const int at[3] = {y, x, z};
    f(at, (std::int64_t{z} * a.n[0] + y) * a.pitch + x);
  });
}

template <class S, class T, int Stage>
__global__ void __launch_bounds__(256)
    fields_stage_kernel(const __grid_constant__ fields_stage_args<T> a) {
  each_group<rows_together<S, Stage>>(
      a, [&](int z, int y, int x) { stage_of_rows<S, T, Stage>(a, z, y, x); });
}

/// A stage in the plainest way, which the others are compared with: a lane has one cell, and looks
/// each neighbour up through the border.
template <class S, class T, int Stage>
__global__ void __launch_bounds__(256)
    fields_naive_kernel(const __grid_constant__ fields_stage_args<T> a) {
  each_group<1>(a, [&](int z, int y, int x) { stage_of_cell<S, T, Stage>(a, z, y, x); });
}

/// What a lane of fields_steps_kernel has of its block.
template <class T>
class steps_team {
 public:
  using args = fields_stage_args<T>;

  DWELL_FN steps_team(unsigned* barrier, args& near) : barrier_(barrier), near_(near) {}
  DWELL_FN static int warp() {
    return static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / step_lanes);
  }
  DWELL_FN static int warps() { return static_cast<int>(gridDim.x * blockDim.x / step_lanes); }
  /// In shared memory. All lanes are done with the last one: they have met since.
  DWELL_FN const args& given(const args* from) {
    static_assert(sizeof(args) % sizeof(int) == 0);
    for (unsigned k = threadIdx.x; k < sizeof(args) / sizeof(int); k += blockDim.x)
      reinterpret_cast<int*>(&near_)[k] = reinterpret_cast<const int*>(from)[k];
    __syncthreads();
    return near_;
  }
  DWELL_FN void meet() { barrier_.wait(); }

 private:
  counter_barrier barrier_;
  args& near_;
};

/// Many steps. All blocks are on the device together.
template <class S, class T>
__global__ void __launch_bounds__(256)
    fields_steps_kernel(const __grid_constant__ fields_steps<T> a) {
  __shared__ __align__(16) unsigned char near[sizeof(fields_stage_args<T>)];
  steps_team<T> team(a.barrier, reinterpret_cast<fields_stage_args<T>&>(near));
  fields_steps_of_lane<S, T>(a, team, static_cast<int>(threadIdx.x) % step_lanes);
}

/// Gives fixed cells the values that they had: those of in[0], to out[0].
template <class S, class T>
__global__ void __launch_bounds__(256)
    fields_keep_kernel(const __grid_constant__ fields_stage_args<T> a) {
  each_cell(a, [&](const int(&at)[3], std::int64_t here) {
    if (is_fixed_cell<S, T>(a, at)) a.out[0][here] = a.in[0][here];
  });
}

/// Sets `found` where a fixed cell has other bits in in[0] than in in[1].
template <class S, class T>
__global__ void __launch_bounds__(256)
    fields_differ_kernel(const __grid_constant__ fields_stage_args<T> a, int* found) {
  each_cell(a, [&](const int(&at)[3], std::int64_t here) {
    if (!is_fixed_cell<S, T>(a, at)) return;
    if constexpr (sizeof(T) == 8) {
      if (__double_as_longlong(a.in[0][here]) != __double_as_longlong(a.in[1][here])) *found = 1;
    } else {
      if (__float_as_int(a.in[0][here]) != __float_as_int(a.in[1][here])) *found = 1;
    }
  });
}

/// Sets `found` where a cell of in[0] is NaN or infinity.
template <class T>
__global__ void __launch_bounds__(256)
    fields_finite_kernel(const __grid_constant__ fields_stage_args<T> a, int* found) {
  each_cell(a, [&](const int(&)[3], std::int64_t here) {
    if (!isfinite(a.in[0][here])) *found = 1;
  });
}

/// Subtracts n values of `cells` from those of `from`.
template <class T>
__global__ void __launch_bounds__(256)
    fields_subtract_kernel(T* from, const T* cells, std::int64_t n) {
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::int64_t{gridDim.x} * blockDim.x)
    from[i] -= cells[i];
}

/// Point k is a cell: it gets the values of points order[first[k]] to order[first[k + 1] - 1], one
/// after the other.
template <class T>
__global__ void __launch_bounds__(256)
    fields_add_kernel(T* cells, const std::int64_t* at, const int* first, const int* order,
                      int points, const T* values) {
  const int k = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (k >= points) return;
  T v = cells[at[k]];
  for (int i = first[k]; i < first[k + 1]; ++i) v += values[order[i]];
  cells[at[k]] = v;
}

/// Likewise: its value goes to the places order[first[k]] to order[first[k + 1] - 1] of `to`.
template <class T>
__global__ void __launch_bounds__(256)
    fields_record_kernel(const T* cells, const std::int64_t* at, const int* first, const int* order,
                         int points, T* to) {
  const int k = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (k >= points) return;
  for (int i = first[k]; i < first[k + 1]; ++i) to[order[i]] = cells[at[k]];
}

/// A chain_config as a type, for names of kernels.
template <int... Values>
struct chain {
  static constexpr chain_config value{Values...};
};

/// A pass of engine ring_fields2d. Tables, Points: pass_demands.
template <class S, class T, class C, bool Tables = false, bool Points = false>
__global__ void __launch_bounds__(chain_sizes<S, T, C::value>::lanes, C::value.teams)
    fields_pass_kernel(const __grid_constant__ fields_pass<T> a) {
  if constexpr (C::value.bulk == has_bulk_rings) {
    cuda_ring_team<chain_sizes<S, T, C::value>> team;
    fields_pass_of_team<S, T, C::value, true, pass_demands{Tables, Points}>(team, a);
  } else {
    __trap();  // a plan for another architecture
  }
}

/// A columns_config as a type.
template <int... Values>
struct columns {
  static constexpr columns_config value{Values...};
};

/// A pass of engine column_fields3d. Tables, Points: pass_demands.
template <class S, class T, class C, bool Tables = false, bool Points = false>
__global__ void __launch_bounds__(C::value.across* C::value.groups, 1)
    fields_columns_kernel(const __grid_constant__ fields_columns<T> a) {
  extern __shared__ __align__(16) unsigned char fields_columns_scratch[];
  fields_columns_of_lane<S, T, C::value, pass_demands{Tables, Points}>(
      a, reinterpret_cast<T*>(fields_columns_scratch), static_cast<int>(blockIdx.x),
      static_cast<int>(threadIdx.x), [] { __syncthreads(); });
}

/// A resident_config as a type.
template <int... Values>
struct resident {
  static constexpr resident_config value{Values...};
};

/// A run of engine resident_fields. Teams of several passes are all on the device together. Tables,
/// Points: pass_demands.
template <class S, class T, class C, bool Tables = false, bool Points = false>
__global__ void __launch_bounds__(resident_sizes<S, T, C::value>::lanes, 1)
    fields_resident_kernel(const __grid_constant__ resident_run<T> a) {
  cuda_grid_team<resident_sizes<S, T, C::value>::lanes> team(nullptr);
  resident_fields_of_team<S, T, C::value, pass_demands{Tables, Points}>(team, a);
}

}  // namespace dwell::cuda
