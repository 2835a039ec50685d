// SPDX-License-Identifier: MIT
// A stencil of your own, without touching Dwell: one struct, compiled in your program for every
// executor.
//
//   struct drift : dwell::linear_sweep<drift> {
//     static constexpr const char* name = "drift";
//     static constexpr int dims = 2;
//     static constexpr dwell::tap taps[] = {{0, 0}, {0, -1}, {-1, 0}};
//   };
//   auto report = dwell::solve<drift>(dwell::device::cpu(), u, options);
//
// dwell/execution/core/sweep.hpp says what the struct may hold, and how far its taps may reach: 2
// cells in three dimensions, in two 6 (linear stars) or 8. A file for a C++20 compiler gets the
// kernels for CPU threads; a file for nvcc, with a library that has CUDA, those for GPUs; the
// struct can stand in a header for both. Link the CMake target dwell::custom_stencil: it brings the
// compiler options on which the rule rests that every executor and device gives the same bits.
#pragma once
#include <concepts>
#include <span>
#include <vector>

#include "dwell/execution/host_loop/host_loop_sweep.hpp"
#include "dwell/execution/persistent/persistent_sweep.hpp"
#include "dwell/solvers/stencil/stencil_table.hpp"
#if defined(__CUDACC__)
#include "dwell/execution/core/launch_sweep_cuda.cuh"
#include "dwell/execution/graph/graph_sweep.hpp"
#include "dwell/execution/perks/launch_perks_cuda.cuh"
#else
#include "dwell/execution/core/launch_sweep_cpu.hpp"
#include "dwell/execution/perks/launch_perks_cpu.hpp"
#endif

namespace dwell {

// What differs between the two compilers has another name for the linker. `kernels` is the part of
// Dwell that compiles for one's device.
#if defined(__CUDACC__)
inline namespace on_gpus {
namespace kernels = dwell::cuda;
#else
inline namespace on_cpus {
namespace kernels = dwell::cpu;
#endif

/// The kernels of a shape that are compiled here, one row per executor.
template <Sweep S, class T>
std::span<const sweep_variant> custom_variants() {
  // Never destroyed: what runs while the program ends may still solve.
  static const auto& rows = *new const std::vector<sweep_variant>([] {
    std::vector<sweep_variant> all;
    all.push_back(kernels::driven_variant<S, T, host_loop_sweep>());
#if defined(__CUDACC__)
    all.push_back(kernels::driven_variant<S, T, graph_sweep>());
#endif
    all.push_back(kernels::running_variant<S, T, persistent_sweep>());
    all.push_back(kernels::keeping_variant<S, T, perks_sweep>());
    return all;
  }());
  return rows;
}

/// As dwell::solve() of the built-in stencils, on a device that this file is compiled for;
/// options.shape is S's name whatever it was before.
template <Sweep S, class T>
requires std::same_as<T, double> || std::same_as<T, float> stencil_report
solve(const device& where, grid<T>& u, stencil_options options = {},
      const grid<T>* source = nullptr) {
  options.shape = S::name;
  return solve_from(custom_variants<S, T>(), where, u, options, source);
}

}  // inline namespace

}  // namespace dwell
