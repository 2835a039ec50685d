// SPDX-License-Identifier: MIT
// The stencil kernels of all shapes as values, as plans are given them, for devices that are not
// here: the GPU's without CUDA, and whatever shapes the build has. No kernel is compiled for that,
// and none can be run.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dwell/execution/stencil/launch/kernel_table.hpp"
#include "dwell/solvers/stencil/api/decide.hpp"
#include "dwell/solvers/stencil/api/stencil_table.hpp"

namespace dwell::test {

/// What is asked of the planner. `device`: a name of known_devices(), or "cpu:8" for 8 threads.
struct planning_question {
  extents size;
  precision type = precision::f64;
  bool source = false;
  std::string device = "h200";
  stencil_options options{};  ///< shape, edge, and what is asked of the plan
};

/// Facts of a device by that name. Throws input_error if there is none.
device_facts planning_facts(const std::string& device);

/// The answer, as solve() would have it: the kernel, and plans for it, the best one first. Throws
/// what solve() throws.
stencil_decision plan_without_device(const planning_question& q);
/// What a step of launches from a graph is projected to take, as executor "auto" weighs it.
double seconds_of_launches(planning_question q);
const stencil_engine& kernel_of(const stencil_decision& d, const stencil_choice& c);

/// All rows that plan_without_device() chooses among on a backend; all shapes of this project.
std::span<const stencil_kernel> planning_table(backend on);

/// The kind of a kernel: "register_tiles" (register tiles) and "columns" for steps of the whole
/// field, "dataflow_register_tiles" and "dataflow_columns" if tiles wait for the tiles around them
/// only; for cached tiles "register_tile2d", "strip2d", "block3d", "stream2d", "stream3d", or
/// "reference2d" and "reference3d", whose tiles need not be fully cached.
std::string engine_word(const stencil_engine& kernel);
/// The kind, and all constants that the kernel is compiled for: equal texts are equal kernels.
std::string kernel_text(const stencil_engine& kernel);

/// Shared memory of a team of this plan, without what every kernel has.
std::size_t shared_bytes(const stencil_kernel& v, const stencil_plan& p);

}  // namespace dwell::test
