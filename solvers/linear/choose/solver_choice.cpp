// SPDX-License-Identifier: MIT
// What a prepared solver chooses: the method, another one where the chosen one breaks down, and the
// preconditioner, which may take a part of a solve.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/base/policy_words.hpp"
#include "dwell/comm/agreement.hpp"
#include "dwell/solvers/linear/check/system_check.hpp"
#include "dwell/solvers/linear/choose/choose_method.hpp"
#include "dwell/solvers/linear/choose/choose_preconditioner.hpp"
#include "dwell/solvers/linear/run/solver_state.hpp"
#include "dwell/solvers/preconditioners/list.hpp"

namespace dwell {

solve_setup difference(const solve_setup& now, const solve_setup& before) {
  solve_setup d;
  d.check_s = now.check_s - before.check_s;
  d.upload_s = now.upload_s - before.upload_s;
  d.plan_s = now.plan_s - before.plan_s;
  d.cut_s = now.cut_s - before.cut_s;
  d.preconditioner_s = now.preconditioner_s - before.preconditioner_s;
  d.load_s = now.load_s - before.load_s;
  return d;
}

solve_report joined(const solve_report& first, solve_report rest) {
  rest.iterations += first.iterations;
  rest.refinements += first.refinements;
  rest.solve_s += first.solve_s;
  rest.setup_s = first.setup_s;
  rest.per_iteration_us = rest.iterations > 0 ? rest.solve_s * 1e6 / rest.iterations : 0.0;
  if (!rest.history.empty()) {
    std::vector<double> all = first.history;
    all.insert(all.end(), rest.history.begin() + 1, rest.history.end());
    rest.history = std::move(all);
  }
  return rest;
}

void end_interrupted(solve_report& report) {
  report.stopped = stop_reason::interrupted;
  report.target_missed = report.stagnated = false;
  report.advice.clear();
}

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
bool solver_state<T>::may_change_method(const solve_report& failed) const {
  return chosen && failed.stopped == stop_reason::breakdown &&
         forms_of(options.method).front().solves == matrix_class::positive_definite &&
         kind_of(options.preconditioner).of != matrix_class::positive_definite;
}

template <class T>
bool solver_state<T>::change_method(solve_report& failed) {
  if (!may_change_method(failed)) return false;
  system_facts known = matrix.facts();
  known.positive_diagonal = false;  // counts as not positive
  if (!has_method_for(known)) return false;
  way_choice other = choice();
  other.method = dwell::choose_method(known).name;
  const std::string reason =
      fmt::format("{} broke down after {} iterations: {}", options.method, failed.iterations,
                  forms_of(options.method).front().breaks_down);
  try {
    set_up_amid_solve([&] { take_way(other); });
  } catch (const interrupted_error&) {
    if (!run) prepare();
    end_interrupted(failed);
    return false;
  }
  method_reason = reason;
  return true;
}

template <class T>
void solver_state<T>::choose_preconditioner() {
  if (options.preconditioner != preconditioner::automatic || options.mixed_precision) return;
  const preconditioner_choice found =
      dwell::choose_preconditioner(options, matrix.facts(), matrix.all_rows());
  options.preconditioner = found.is;
  preconditioner_reason = found.why;
  undecided = left_open = found.probe;
}

template <class T>
solve_report solver_state<T>::solve_once(const T* from, T* to) {
  if (left_open && !start_kept) keep_start(to);
  begin(from, to, nullptr, undecided ? probe_iterations : INT_MAX);
  solve_report report = end();
  if (mixed && seen.finite) return beyond_f32(from, to, report);
  if (!seen.finite) return report;
  if (!undecided) {
    const solve_setup before = setup;
    if (!come_back(from, to, report)) return report;
    const solve_setup more = difference(setup, before);
    report.setup = more;
    report.setup_s += more.total();
    return report;
  }
  if (report.stopped == stop_reason::converged) {
    undecided = false;
    preconditioner_reason =
        fmt::format("jacobi converged within the {} iterations that were tried", probe_iterations);
    report.preconditioner_reason = preconditioner_reason;
  }
  const auto may_go_on = [&] {
    return report.stopped == stop_reason::iteration_limit &&
           report.iterations < options.max_iterations && !was_refused();
  };
  if (!may_go_on()) return report;
  const solve_setup before = setup;
  try {
    const int patience = settle(report);
    begin(from, to, &report, patience);
    report = joined(report, end());
    if (patience < INT_MAX && may_go_on()) {
      preconditioner_reason += fmt::format("; {} iterations with it were not enough", patience);
      change_preconditioner(preconditioner::amg);
      begin(from, to, &report);
      report = joined(report, end());
    }
  } catch (const interrupted_error&) {  // with Jacobi's still
    end_interrupted(report);
  }
  come_back(from, to, report);
  const solve_setup more = difference(setup, before);
  report.setup = more;
  report.setup_s += more.total();
  return report;
}

template <class T>
bool solver_state<T>::come_back(const T* from, T* to, solve_report& report) {
  const bool failed =
      report.stopped == stop_reason::breakdown || report.stopped == stop_reason::not_finite;
  if (!left_open || !start_kept || options.preconditioner != preconditioner::amg || !failed ||
      report.iterations >= options.max_iterations || was_refused())
    return false;
  preconditioner_reason += fmt::format("; amg ended by {} after {} iterations, and jacobi goes on",
                                       to_string(report.stopped), report.iterations);
  copy_vector(to, start.data());
  change_preconditioner(preconditioner::jacobi);
  begin(from, to, &report);
  report = joined(report, end());
  return true;
}

template <class T>
int solver_state<T>::settle(const solve_report& probe) {
  const auto steps = static_cast<std::size_t>(probe.iterations);
  const std::vector<step_coefficients> by = run->coefficients(steps + 1);
  jacobi_probe shown;
  shown.residual = std::sqrt(seen.rr);
  shown.target = seen.target * further;
  // The weights are squares of the residual's norm in that of the preconditioner.
  if (by.size() > steps && by[steps / 2].weight > 0.0)
    shown.reduction = std::pow(by[steps].weight / by[steps / 2].weight,
                               0.5 / static_cast<double>(steps - steps / 2));
  else
    shown.reduction = 1.0;
  shown.condition = probe.condition_estimate;
  shown.seconds = probe.solve_s / probe.iterations;
  shown.rows = matrix.all_rows();
  shown.nonzeros = matrix.arrays().nonzeros;
  if (const row_ranks* const ranks = matrix.ranks()) {  // all go by the same numbers
    shown.ranks = ranks->comm->size();
    shown.nonzeros = 0;
    for (const index one : values_of_ranks(*ranks->comm, matrix.arrays().nonzeros))
      shown.nonzeros += one;
    for (const double one : values_of_ranks(*ranks->comm, shown.seconds))
      shown.seconds = std::max(shown.seconds, one);
  }
  const preconditioner_choice found = choose_after(shown, queue.where().on());
  undecided = false;
  preconditioner_reason = found.why;
  if (found.is != options.preconditioner) change_preconditioner(found.is);
  return found.patience;
}

template <class T>
void solver_state<T>::change_preconditioner(preconditioner wanted) {
  way_choice other = choice();
  other.with = wanted;
  try {
    set_up_amid_solve([&] { take_way(other); });
  } catch (const interrupted_error&) {
    if (!run) prepare();
    throw;
  } catch (const error& e) {  // too little memory, a policy that has no such kernel
    rethrow_of_one_rank(e);
    preconditioner_reason += fmt::format("; but {}: {}", to_string(wanted), e.what());
    if (!run) prepare();
  }
}

template void solver_state<double>::choose_preconditioner();
template void solver_state<float>::choose_preconditioner();
template solve_report solver_state<double>::solve_once(const double*, double*);
template solve_report solver_state<float>::solve_once(const float*, float*);
template bool solver_state<double>::come_back(const double*, double*, solve_report&);
template bool solver_state<float>::come_back(const float*, float*, solve_report&);
template int solver_state<double>::settle(const solve_report&);
template int solver_state<float>::settle(const solve_report&);
template void solver_state<double>::change_preconditioner(preconditioner);
template void solver_state<float>::change_preconditioner(preconditioner);
template void solver_state<double>::choose_method();
template void solver_state<float>::choose_method();
template bool solver_state<double>::may_change_method(const solve_report&) const;
template bool solver_state<double>::change_method(solve_report&);
template bool solver_state<float>::may_change_method(const solve_report&) const;
template bool solver_state<float>::change_method(solve_report&);

}  // namespace dwell
