// SPDX-License-Identifier: MIT
// From the caller's words to a kernel and its plans. Solving and explaining share the words.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "dwell/execution/core/sweep_policy.hpp"
#include "dwell/execution/core/sweep_variant.hpp"
#include "dwell/solvers/stencil/stencil.hpp"

namespace dwell {

/// The problem as policies know it. Throws input_error if the shape is not for grids of so many
/// dimensions.
sweep_problem_facts problem_of(const stencil_shape& shape, const extents& size,
                               std::size_t scalar_bytes, boundary edge, bool source);

/// What is asked of a plan. Throws input_error if a traversal or a blocking has no such name.
sweep_wish wish_of(const stencil_options& o);
/// What is asked of the tiles of perks, in words, or nothing.
std::string wish_for_tiles(const stencil_options& o);

/// The row of the table to run, and plans for it in the order in which they promise speed.
struct decision {
  const sweep_variant* variant;
  std::vector<sweep_choice> plans;
  std::string why;  ///< this executor
};

/// Executor "auto" is perks or graph, whichever should take less time by the model
/// (sweep_clock.hpp), or persistent on a CPU. Throws
/// unsupported_error if nothing in the table can do what is asked.
decision decide(std::span<const sweep_variant> table, const stencil_options& o, precision type,
                const device& where, const device_facts& facts, const sweep_problem_facts& problem);

}  // namespace dwell
