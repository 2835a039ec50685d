// SPDX-License-Identifier: MIT
// The choice of a solver and its plan, at the start, for other values of the matrix and amid a
// solve.
#include "dwell/solvers/linear/run/prepared_solver.hpp"

#include <algorithm>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/base/interruption.hpp"
#include "dwell/execution/device/threads/host_threads.hpp"
#include "dwell/solvers/linear/choose/decide.hpp"
#include "dwell/solvers/linear/direct/direct_method.hpp"
#include "dwell/solvers/linear/run/verification.hpp"

namespace dwell {

template <class T>
void prepared_solver<T>::choose() {
  const threads_at_most threads = host_threads_of(matrix.where());
  const bool follows = may_follow_iterations(options) && matrix.judges();
  now = choose_solver(options, matrix.facts());
  now.direct_open = follows;
  options.method = now.run.method;
  if (is_direct(options.method) && matrix.ranks())
    throw unsupported_error(
        "method direct: expected all rows in one process, found them divided among ranks");
  if (now.method_open) matrix.system.demand(demand_of(options));
  variant_asked_for(options);  // before a long set-up
  matrix.check_null_vectors(setup);
  choose_preconditioner_of(now, options, matrix.facts(), matrix.searched(), matrix.judges());
}

template <class T>
void prepared_solver<T>::plan() {
  const threads_at_most threads = host_threads_of(matrix.where());
  runs.prepare(now);
  first = now;
  work = {matrix, setup};
}

template <class T>
void prepared_solver<T>::begin_anew() {
  const threads_at_most threads = host_threads_of(matrix.where());
  solver_choice again = first;
  runs.take(again);
  now = std::move(again);
}

template <class T>
void prepared_solver<T>::refresh() {
  options.preconditioning.keep_patterns = true;
  begin_anew();
  if (now.run != first.run) first = now;  // f32 has too little range for these values
}

template <class T>
void prepared_solver<T>::change(solver_choice wanted) {
  const threads_at_most threads = host_threads_of(matrix.where());
  const interruption_scope* const of_solve = interruption_scope::current();
  const end_of_set_up asked = [this, of_solve] {
    return (options.interrupt && options.interrupt->load()) ||
           (of_solve && of_solve->wanted_outside());
  };
  try {
    if (matrix.ranks()) {
      runs.take(wanted, asked);
    } else {
      const interruption_scope scope(asked);
      runs.take(wanted);
    }
  } catch (const error& e) {
    runs.rethrow_of_one_rank(e);
    if (runs.empty()) runs.prepare(now);
    throw;
  }
  now = std::move(wanted);
}

template <class T>
bool prepared_solver<T>::change_method(solve_report& failed) {
  std::optional<solver_choice> other = after_breakdown(now, matrix.facts(), failed);
  if (!other) return false;
  if (other->preconditioner_open) {
    solve_options o = options;
    o.method = other->run.method;
    o.preconditioner = preconditioner::automatic;
    choose_preconditioner_of(*other, o, matrix.facts(), matrix.searched(), matrix.judges());
  }
  try {
    change(std::move(*other));
  } catch (const interrupted_error&) {
    end_interrupted(failed);
    return false;
  }
  return true;
}

template <class T>
void prepared_solver<T>::add_direct_advice(solve_report& report) {
  const bool tried = is_direct(report.method) ||
                     std::any_of(report.attempts.begin(), report.attempts.end(),
                                 [](const solve_attempt& one) { return is_direct(one.method); });
  if (tried || !asks_for_direct(report) || direct_variants().empty() || !matrix.has_fill(options))
    return;
  const counted_fill* const counted = matrix.fill();
  if (!counted) return;  // too little memory to count: there is nothing to advise
  const system_facts& facts = matrix.facts();
  const direct_prospect prospect =
      direct_prospect_of(*counted, facts,
                         {1.0 * matrix.rows(), 1.0 * static_cast<double>(matrix.arrays().nonzeros),
                          facts.rows_with_positive, matrix.where().facts().units});
  const std::string more = direct_advice(prospect, counted->has_room(facts.symmetric));
  if (more.empty()) return;
  report.advice += (report.advice.empty() ? "try " : ", or ") + more;
}

template <class T>
void prepared_solver<T>::require_run() const {
  if (runs.empty()) throw device_error("the solver could not be prepared again: make a new one");
}

template <class T>
void prepared_solver<T>::check_finite_there(const T* from, const std::string& what) const {
  std::vector<T> copy(static_cast<std::size_t>(matrix.rows()));
  memory_of(backend::cuda).download(matrix.where(), copy.data(), from, copy.size() * sizeof(T));
  check_finite(std::span<const T>(copy), what.c_str());
}

template struct prepared_solver<double>;
template struct prepared_solver<float>;

}  // namespace dwell
