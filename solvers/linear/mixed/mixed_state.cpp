// SPDX-License-Identifier: MIT
// What a prepared solver does in mixed precision: its run is a mixed_precision_run, and where f32
// is too short for the matrix it goes on in f64.
#include <type_traits>

#include "dwell/base/error.hpp"
#include "dwell/base/lap_timer.hpp"
#include "dwell/solvers/linear/check/system_check.hpp"
#include "dwell/solvers/linear/mixed/mixed_precision.hpp"
#include "dwell/solvers/linear/run/solver_state.hpp"

namespace dwell {

template <class T>
bool solver_state<T>::prepare_mixed() {
  if constexpr (std::is_same_v<T, double>) {
    const device& where = queue.where();
    mixed = nullptr;
    try {
      auto made = std::make_unique<mixed_precision_run>(
          where, matrix, options, has_null_space(options, matrix.facts()), setup);
      mixed = made.get();
      run = std::move(made);
    } catch (const input_error& e) {  // in f32 the matrix is not what it is in f64
      options.mixed_precision = false;
      why_f64 = std::string("in f32 ") + e.what();
      choose_preconditioner();
      return false;
    }
    describe_mixed();
    cuts = std::make_unique<cut_cache<T>>(where, matrix.arrays());
    groups = std::make_unique<column_groups<T>>(where, target, matrix, null_space, options, *cuts,
                                                solve_decision<T>{});
    place_vectors();
    place_matrix();
    return true;
  }
  return false;
}

template <class T>
void solver_state<T>::describe_mixed() {
  if constexpr (std::is_same_v<T, double>) {
    prepared = mixed->prepared();
  }
}

template <class T>
double solver_state<T>::condition_of_mixed() const {
  if constexpr (std::is_same_v<T, double>)
    if (mixed) return mixed->condition();
  return 0.0;
}

template <class T>
void solver_state<T>::conclude_mixed(solve_report& report) const {
  if constexpr (std::is_same_v<T, double>) mixed->conclude(report);
}

template <class T>
void solver_state<T>::leave_mixed(const std::string& why) {
  if constexpr (std::is_same_v<T, double>) {
    std::string reason = mixed->preconditioner_reason();
    take_way({options.method, mixed->preconditioner_taken(), false});
    why_f64 = why;
    preconditioner_reason = std::move(reason);
  }
}

template <class T>
solve_report solver_state<T>::beyond_f32(const T* from, T* to, const solve_report& so_far) {
  if constexpr (std::is_same_v<T, double>) {
    const std::string why = mixed->why_too_short();
    if (why.empty() || may_change_method(so_far)) return so_far;
    const solve_setup before = setup;
    try {
      set_up_amid_solve([&] { leave_mixed(why); });
    } catch (const error& e) {  // too little memory, a plan that f64 does not have
      rethrow_of_one_rank(e);
      if (!run) prepare();
      solve_report report = so_far;
      if (dynamic_cast<const interrupted_error*>(&e)) {
        end_interrupted(report);
        return report;
      }
      report.reason += "; " + why + ", but f64: " + e.what();
      return report;
    }
    const solve_setup more = difference(setup, before);
    begin(from, to, &so_far);
    solve_report report = joined(so_far, end(&so_far));
    report.refinements += 1;
    report.precision = "mixed";
    report.setup = so_far.setup;
    report.setup += more;
    report.setup_s += more.total();
    return report;
  }
  return so_far;
}

template <class T>
void solver_state<T>::refresh_mixed() {
  if constexpr (std::is_same_v<T, double>) {
    try {
      run->refill(matrix.arrays(), -matrix.scale_exponent());
    } catch (const input_error& e) {
      return leave_mixed(std::string("in f32 ") + e.what());
    }
    setup += mixed->setup();
    place_matrix();
  }
}

template bool solver_state<double>::prepare_mixed();
template bool solver_state<float>::prepare_mixed();
template void solver_state<double>::describe_mixed();
template void solver_state<float>::describe_mixed();
template double solver_state<double>::condition_of_mixed() const;
template double solver_state<float>::condition_of_mixed() const;
template void solver_state<double>::conclude_mixed(solve_report&) const;
template void solver_state<float>::conclude_mixed(solve_report&) const;
template void solver_state<double>::leave_mixed(const std::string&);
template void solver_state<float>::leave_mixed(const std::string&);
template solve_report solver_state<double>::beyond_f32(const double*, double*, const solve_report&);
template solve_report solver_state<float>::beyond_f32(const float*, float*, const solve_report&);
template void solver_state<double>::refresh_mixed();
template void solver_state<float>::refresh_mixed();

}  // namespace dwell
