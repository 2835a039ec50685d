// SPDX-License-Identifier: MIT
// The table of compiled stencils: one row per (shape, scalar, executor, backend). Below it
// everything is a template, above it everything is a value; one call through it prepares runs. A
// second table has all that plans need of a GPU that is not here, in every build.
#pragma once
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "dwell/base/precision.hpp"
#include "dwell/device/device.hpp"
#include "dwell/execution/stencil/engine.hpp"
#include "dwell/execution/stencil/launch/launcher.hpp"
#include "dwell/execution/stencil/launch/needed_kernel.hpp"
#include "dwell/execution/stencil/partition/strips.hpp"
#include "dwell/execution/stencil/plan/plan.hpp"
#include "dwell/stencil/default_weights.hpp"
#include "dwell/stencil/stencil.hpp"

namespace dwell {

/// A shape as a value.
struct compiled_shape {
  const char* name;
  int dims, radius, flops;  ///< flops per cell and step
  bool linear;
  std::span<const tap> taps;
  std::vector<double> weights;  ///< defaults; of a linear shape one for each tap
  const char* about = "";       ///< what it computes, in lines; "" if it does not say
};

template <Stencil S>
compiled_shape shape_facts() {
  return {S::name,      S::dims, radius_of<S>,         flops_of<S>,
          is_linear<S>, S::taps, default_weights<S>(), about_of<S>()};
}

struct stencil_kernel {
  compiled_shape shape;
  const char* executor;
  precision type;
  backend on;
  bool cooperative;  ///< all teams must be on the device together: they meet while they run
  std::span<const stencil_engine* const>
      engines;  ///< its compiled kernels; plans have their numbers
  /// What is known of a kernel where there is no such device to be asked.
  engine_facts (*assume)(const device_facts& facts, int config);
  // Null where no kernel is compiled ahead; needs then says what is compiled for a run.
  /// Asks the compiled kernel and the driver. `where` must be of this variant's backend.
  engine_facts (*probe)(const device& where, int config) = nullptr;
  /// Makes what all runs of a plan need beside their arguments. `args` is a stencil_args<T> with
  /// the plan and the state, which stay where they are; `where` as above, and with a stream on
  /// CUDA.
  std::unique_ptr<stencil_launcher> (*prepare)(const void* args, const device& where) = nullptr;
  /// The kernels of a plan where there are none ahead; null of rows for CPUs and of shapes without
  /// a text.
  needed_kernel (*needs)(const stencil_plan& how, bool has_source) = nullptr;
  /// How a pass of several steps is divided; null of other rows. `args` as for prepare.
  pass_runs (*divide)(const void* args) = nullptr;

  bool compiled_ahead() const { return prepare != nullptr; }
};

/// All rows of this build's table.
std::span<const stencil_kernel> stencil_kernels();

/// The kernels of GPUs of all shapes of this build, with or without CUDA: plans are made with them
/// for a GPU that is not here. Nothing of them is compiled ahead.
std::span<const stencil_kernel> planned_stencil_kernels();

/// Adds the rows of planned_stencil_kernels() that a table does not have: those are compiled when
/// they are needed.
void add_needed(std::vector<stencil_kernel>& table);

/// Compiles, or finds, what a row needs for a plan that is not compiled ahead. Throws
/// unsupported_error without NVRTC, and in a build without CUDA.
kernel_making make_needed(const stencil_kernel& v, const stencil_plan& how, bool has_source,
                          const device& where);
/// What stencil_kernel::probe and stencil_kernel::prepare are to other rows. They compile what is
/// not there.
engine_facts probe_needed(const stencil_kernel& v, const stencil_plan& how, bool has_source,
                          const device& where);
std::unique_ptr<stencil_launcher> prepare_needed(const stencil_kernel& v, const void* args,
                                                 const device& where);

/// The row asked for. Throws unsupported_error with the list of what exists.
const stencil_kernel& find_kernel(std::span<const stencil_kernel> table, std::string_view shape,
                                  std::string_view executor, precision type, backend on);

/// One entry per shape of the table, by name.
std::vector<compiled_shape> shapes_of(std::span<const stencil_kernel> table);

}  // namespace dwell
