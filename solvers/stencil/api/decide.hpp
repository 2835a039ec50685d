// SPDX-License-Identifier: MIT
// What a run does with a field on a device: executor, kernel, plans, and why. solve() runs this
// value and explain() prints it; nowhere else is executor "auto" resolved.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dwell/execution/device/plan_target.hpp"
#include "dwell/execution/stencil/launch/kernel_table.hpp"
#include "dwell/execution/stencil/plan/policy.hpp"
#include "dwell/stencil/solve.hpp"

namespace dwell {

/// The problem as policies know it. Throws input_error if the shape is not for grids of so many
/// dimensions.
stencil_problem problem_of(const stencil_shape& shape, const extents& size,
                           std::size_t scalar_bytes, boundary edge, bool source);

/// What is asked of a plan. Throws input_error if a traversal or a blocking has no such name.
stencil_plan_request request_of(const stencil_options& o);
/// What is asked of the tiles of perks, in words, or nothing.
std::string request_for_tiles(const stencil_options& o);

/// A field and the device on which steps are to be done. table: stencil_kernels(), or where the
/// device is not here planned_stencil_kernels().
struct stencil_request {
  std::span<const stencil_kernel> table;
  precision type = precision::f64;
  const plan_target& target;
  const stencil_problem& problem;
};

/// Whether the table has a kernel of the executor for the shape.
bool has_kernel(const stencil_request& q, std::string_view shape, std::string_view executor);

/// What is run: one executor's plans, in the order in which they promise speed; never none.
struct stencil_decision {
  std::string executor;                    ///< never "auto"
  std::string why;                         ///< this executor; why a plan, its reason says
  const stencil_kernel* kernel = nullptr;  ///< its row of the table; never null
  std::vector<engine_facts> kernels;       ///< facts of that row's kernels
  std::vector<stencil_choice> plans;
  bool tries = false;  ///< the first few plans are tried on the device; else the first is taken

  const engine_facts& facts_of(const stencil_plan& p) const {
    return kernels[static_cast<std::size_t>(p.config)];
  }
};

/// Executor "auto" is perks or graph, whichever should take less time by the model
/// (execution/stencil/plan/field_time.hpp), or persistent on a CPU. Throws unsupported_error if
/// nothing in the table can do what is asked, input_error if a word of the options is unknown.
stencil_decision decide(const stencil_request& q, const stencil_options& o);

}  // namespace dwell
