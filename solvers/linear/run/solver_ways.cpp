// SPDX-License-Identifier: MIT
// The ways of a prepared solver: from one to another in a solve, and back before the next. Those
// that were left are kept, as long as there is memory for them.
#include <algorithm>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/solvers/linear/check/system_check.hpp"
#include "dwell/solvers/linear/run/solver_state.hpp"

namespace dwell {

template <class T>
way_choice solver_state<T>::choice() const {
  return {options.method, options.preconditioner, options.mixed_precision};
}

template <class T>
void solver_state<T>::set_choice(const way_choice& to) {
  options.method = to.method;
  options.preconditioner = to.with;
  options.mixed_precision = to.mixed_precision;
}

template <class T>
void solver_state<T>::remember_choice() {
  first_chosen = {choice(), method_reason, preconditioner_reason, why_f64, undecided};
}

template <class T>
void solver_state<T>::leave_way() {
  if (!run) return;
  left.push_back({choice(), outdated, std::move(chain), std::move(cuts), std::move(run),
                  std::exchange(mixed, nullptr), std::move(groups), std::move(prepared)});
  outdated = false;
}

template <class T>
bool solver_state<T>::enter_left_way(const way_choice& wanted) {
  const auto at = std::find_if(left.begin(), left.end(),
                               [&](const solver_way<T>& w) { return w.choice == wanted; });
  if (at == left.end()) return false;
  groups = nullptr;  // it uses the cuts
  chain = std::move(at->chain);
  cuts = std::move(at->cuts);
  run = std::move(at->run);
  mixed = at->mixed;
  groups = std::move(at->groups);
  prepared = std::move(at->prepared);
  outdated = at->outdated;
  left.erase(at);
  set_choice(wanted);
  return true;
}

template <class T>
void solver_state<T>::prepare_way() {
  try {
    prepare();
  } catch (const device_error& e) {
    rethrow_of_one_rank(e);
    if (left.empty()) throw;
    left.clear();  // those that were left may have the memory that is missing
    prepare();
  }
}

template <class T>
void solver_state<T>::bring_up_to_date() {
  if (!outdated) return place_matrix();
  refresh_way();
  outdated = false;
}

template <class T>
void solver_state<T>::take_way(const way_choice& wanted) {
  const way_choice before = choice();
  if (run && wanted == before) {
    if (outdated) bring_up_to_date();
    return;
  }
  leave_way();
  try {
    if (enter_left_way(wanted)) {
      place_vectors();
      return bring_up_to_date();
    }
    set_choice(wanted);
    matrix.demand(demand_of(options));
    prepare_way();
  } catch (const error& e) {
    rethrow_of_one_rank(e);
    if (outdated)
      leave_way();
    else
      forget_way();
    set_choice(before);
    if (enter_left_way(before)) {
      place_vectors();
      place_matrix();
    }
    throw;
  }
}

template <class T>
void solver_state<T>::begin_anew() {
  if (amid_block) return;
  method_reason = first_chosen.method_reason;
  preconditioner_reason = first_chosen.preconditioner_reason;
  why_f64 = first_chosen.why_f64;
  undecided = first_chosen.undecided;
  take_way(first_chosen.way);
}

template <class T>
void solver_state<T>::forget_way() {
  mixed = nullptr;
  run.reset();
  groups.reset();
  cuts.reset();
  chain.reset();
}

// The class itself is instantiated in solver_state.cpp.
template way_choice solver_state<double>::choice() const;
template void solver_state<double>::set_choice(const way_choice&);
template void solver_state<double>::remember_choice();
template void solver_state<double>::leave_way();
template bool solver_state<double>::enter_left_way(const way_choice&);
template void solver_state<double>::prepare_way();
template void solver_state<double>::bring_up_to_date();
template void solver_state<double>::take_way(const way_choice&);
template void solver_state<double>::begin_anew();
template void solver_state<double>::forget_way();
template way_choice solver_state<float>::choice() const;
template void solver_state<float>::set_choice(const way_choice&);
template void solver_state<float>::remember_choice();
template void solver_state<float>::leave_way();
template bool solver_state<float>::enter_left_way(const way_choice&);
template void solver_state<float>::prepare_way();
template void solver_state<float>::bring_up_to_date();
template void solver_state<float>::take_way(const way_choice&);
template void solver_state<float>::begin_anew();
template void solver_state<float>::forget_way();

}  // namespace dwell
