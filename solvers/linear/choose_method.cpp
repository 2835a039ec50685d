// SPDX-License-Identifier: MIT
// See choose_method.hpp.
#include "dwell/solvers/linear/choose_method.hpp"

#include <algorithm>

#include "dwell/solvers/linear/form.hpp"

namespace dwell {

method_choice choose_method(const system_facts& facts) {
  const auto forms = solver_forms();
  const auto found = std::find_if(forms.begin(), forms.end(),
                                  [&](const solver_form& f) { return facts.is(f.solves); });
  const char* why = facts.positive_diagonal && facts.symmetric
                        ? "the matrix is symmetric with a positive diagonal"
                    : facts.symmetric ? "the matrix is symmetric, its diagonal not all positive"
                                      : "the matrix is not symmetric";
  return {found->method, why};
}

}  // namespace dwell
