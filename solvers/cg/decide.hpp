// SPDX-License-Identifier: MIT
// What a solve does with a system on a device: executor, form of the iteration, plan, and why.
// solve() runs this value and explain() prints it; nowhere else is "auto" resolved.
#pragma once
#include <string>
#include <vector>

#include "dwell/execution/device/limits.hpp"
#include "dwell/solvers/cg/form.hpp"

namespace dwell {

/// A form that was planned to find the fastest.
struct considered_form {
  std::string name;
  double seconds = 0;  ///< projected, per iteration; 0 where there is no model of the device
};

template <class T>
struct cg_decision {
  std::string executor;  ///< never "auto"
  std::string why;       ///< this executor; why this plan says made.how.reason
  const cg_form* form = nullptr;
  const program_kernel* kernel = nullptr;  ///< its row of the table
  planned<T> made;
  /// Where the form was asked for as "auto": all that were planned, `form` among them.
  std::vector<considered_form> considered;
};

/// Throws unsupported_error if nothing in this build can do what is asked there, input_error if a
/// word of the options is unknown.
template <class T>
cg_decision<T> decide(const cg_request<T>& q);

}  // namespace dwell
