// SPDX-License-Identifier: MIT
// What a plan comes to, for those who report it: the shares of a field that teams or warps keep.
#pragma once
#include <string>

#include "dwell/execution/core/sweep_policy.hpp"

namespace dwell::policies {

/// Of a plan whose teams keep shares; the rest as it is where they keep none.
struct sweep_shares {
  extents along;              ///< so many of them along each axis; all 0: there are none
  extents tile;               ///< the cells of the largest one, without what is computed twice
  bool of_warps = false;      ///< shares are warps', not teams'
  int side = 0;               ///< so many in the first and the last column of shares
  int rim = 0;                ///< cells around a share that others own and it reads
  bool rim_computed = false;  ///< which it also computes, in all steps of a pass but the last
  int pass_steps = 1;         ///< that streamed rows (planes) make each time they pass through
  std::string order;          ///< in which they do; empty: none stream, or there is one order only
};
sweep_shares shares_of(const sweep_plan& p, const sweep_rung& r,
                       const sweep_problem_facts& problem);

}  // namespace dwell::policies
