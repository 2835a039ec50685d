// SPDX-License-Identifier: MIT
// What the planner's model says of a plan beside its measured rate, in the terms of Zhang 2023,
// section 5.6: P, PP and the resource that binds.
#pragma once
#include <string>

#include "dwell/stencil/explain.hpp"

namespace dwell::app {

/// In cells per second; 0 and empty where nothing is projected.
struct stencil_prospect {
  /// P: as if the resource that takes longest were all that takes time.
  double attainable = 0;
  /// PP: with what the plan adds to it, halos, exchanges and barriers; 0 of a plan that has a roof
  /// and no model.
  double projected = 0;
  std::string binds;           ///< name from binding_part()
  double streamed_bytes = -1;  ///< bytes of a step, read and written beyond the chip; -1: no plan
};

stencil_prospect prospect_of(const stencil_explanation& e, const stencil_policy_plan& p);

/// Prospect of the plan of an executor under a policy (empty where there is none to choose);
/// nothing if it has none.
stencil_prospect prospect_of(const stencil_explanation& e, const std::string& executor,
                             const std::string& policy);

}  // namespace dwell::app
