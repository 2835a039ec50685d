// SPDX-License-Identifier: MIT
// A stencil of your own, without touching Dwell: one struct, compiled in your program for every
// executor.
//
//   struct drift : dwell::linear_stencil<drift> {
//     static constexpr const char* name = "drift";
//     static constexpr int dims = 2;
//     static constexpr dwell::tap taps[] = {{0, 0}, {0, -1}, {-1, 0}};
//   };
//   auto report = dwell::solve<drift>(dwell::device::cpu(), u, options);
//   auto runner = dwell::runner_of<drift, double>(dwell::device::cpu(), u.size(), options);
//
// dwell/stencil/stencil.hpp says what the struct may hold, and how far its taps may
// reach: 2 cells in three dimensions, in two 6 (linear stars) or 8. A file for a C++20 compiler
// gets the kernels for CPU threads (those that cache as a GPU does, for tests:
// has_caching_kernels); a file for nvcc, with a library that has CUDA, those for GPUs; the struct
// can stand in a header for both. Link the CMake target dwell::custom_stencil: it brings the
// compiler options on which the rule rests that every executor and device gives the same bits.
#pragma once
#include <concepts>
#include <span>
#include <vector>

#include "dwell/execution/device/compiled_for.hpp"
#include "dwell/execution/stencil/loops/host_loop.hpp"
#include "dwell/execution/stencil/loops/naive.hpp"
#include "dwell/execution/stencil/loops/persistent.hpp"
#include "dwell/solvers/stencil/api/stencil_table.hpp"
#include "dwell/stencil/stencil_runner.hpp"
#if defined(__CUDACC__)
#include "dwell/execution/stencil/launch/launch_cuda.cuh"
#include "dwell/execution/stencil/launch/perks_cuda.cuh"
#include "dwell/execution/stencil/launch/temporal_cuda.cuh"
#include "dwell/execution/stencil/loops/graph.hpp"
#else
#include "dwell/execution/stencil/launch/launch_cpu.hpp"
#include "dwell/execution/stencil/launch/perks_cpu.hpp"
#include "dwell/execution/stencil/launch/persistent_cpu.hpp"
#include "dwell/execution/stencil/launch/temporal_cpu.hpp"
#endif

namespace dwell {

// What differs between the two compilers has another name for the linker.
#if defined(__CUDACC__)
inline namespace on_gpus {
#else
inline namespace on_cpus {
#endif

/// Executor perks, and of temporal the engines of GPUs: on a CPU they are there to test their
/// protocols, slower than plain steps, and compiled for shapes with a member caches_on_cpu only.
template <class S>
inline constexpr bool has_caching_kernels =
#if defined(__CUDACC__)
    true;
#else
    requires {
  S::caches_on_cpu;
};
#endif

/// The kernels of a shape that are compiled here, one row per executor.
template <Stencil S, class T>
std::span<const stencil_kernel> custom_kernels() {
  // Never destroyed: what runs while the program ends may still solve.
  static const auto& rows = *new const std::vector<stencil_kernel>([] {
    std::vector<stencil_kernel> all;
    all.push_back(kernels::driven_kernel<S, T, naive_stencil>());
    all.push_back(kernels::driven_kernel<S, T, host_loop_stencil>());
#if defined(__CUDACC__)
    all.push_back(kernels::driven_kernel<S, T, graph_stencil>());
#endif
    all.push_back(kernels::looping_kernel<S, T, persistent_stencil>());
    if constexpr (has_caching_kernels<S>)
      all.push_back(kernels::caching_kernel<S, T, perks_stencil>());
    kernels::add_passing_kernel<S, T, temporal_stencil,
                                temporal_engines<compiled_for, has_caching_kernels<S>>>(all);
    return all;
  }());
  return rows;
}

/// Solves as dwell::solve() does with built-in stencils, on a device that this file is compiled
/// for; options.shape is S's name whatever it was before.
template <Stencil S, class T>
requires std::same_as<T, double> || std::same_as<T, float> stencil_report
solve(const device& where, grid<T>& u, stencil_options options = {},
      const grid<T>* source = nullptr) {
  options.shape = S::name;
  return solve_from(custom_kernels<S, T>(), where, u, options, source);
}

/// Makes a runner like a stencil_runner<T> of the built-in stencils; options.shape is S's name,
/// too.
template <Stencil S, class T>
requires std::same_as<T, double> || std::same_as<T, float> stencil_runner<T> runner_of(
    const device& where, const extents& size, stencil_options options = {},
    bool has_source = false) {
  options.shape = S::name;
  return stencil_runner<T>(custom_kernels<S, T>(), where, size, options, has_source);
}

}  // inline namespace

}  // namespace dwell
