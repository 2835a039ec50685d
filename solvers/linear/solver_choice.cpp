// SPDX-License-Identifier: MIT
// What a prepared solver chooses: the method, and another one where the chosen one breaks down.
#include <fmt/format.h>

#include "dwell/base/policy_words.hpp"
#include "dwell/solvers/linear/choose_method.hpp"
#include "dwell/solvers/linear/solver_state.hpp"
#include "dwell/solvers/linear/system_check.hpp"
#include "dwell/solvers/preconditioners/list.hpp"

namespace dwell {

template <class T>
void solver_state<T>::choose_method() {
  method_reason = "as asked";
  if (options.method == automatic) {
    const method_choice found = dwell::choose_method(matrix.facts());
    options.method = found.name;
    method_reason = found.why;
    chosen = true;
    matrix.demand(demand_of(options));
  }
  form_asked_for(options);  // before a long set-up
}

template <class T>
bool solver_state<T>::change_method(const solve_report& failed) {
  const bool too_much = forms_of(options.method).front().solves == matrix_class::positive_definite;
  if (!chosen || failed.stopped != stop_reason::breakdown || !too_much ||
      kind_of(options.preconditioner).of == matrix_class::positive_definite)
    return false;
  system_facts known = matrix.facts();
  known.positive_diagonal = false;  // as good as
  method_reason = fmt::format("{} broke down after {} iterations: {}", options.method,
                              failed.iterations, forms_of(options.method).front().breaks_down);
  options.method = dwell::choose_method(known).name;
  matrix.demand(demand_of(options));
  run.reset();
  groups.reset();
  prepare();
  return true;
}

template void solver_state<double>::choose_method();
template void solver_state<float>::choose_method();
template bool solver_state<double>::change_method(const solve_report&);
template bool solver_state<float>::change_method(const solve_report&);

}  // namespace dwell
