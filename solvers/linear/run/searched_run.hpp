// SPDX-License-Identifier: MIT
// The judge of a run whose preconditioner is "auto": asks the search whether another one would end
// sooner, and other methods whether the run has come to rest. Private to the solver.
#pragma once
#include <algorithm>
#include <cmath>
#include <optional>

#include "dwell/execution/device/run_judge.hpp"
#include "dwell/solvers/linear/choose/preconditioner_search.hpp"

namespace dwell {

/// A residual that rests so long has stagnated, and something else is tried. What convection
/// carries takes about as many steps as a mesh is wide, until then nothing may be seen to fall.
inline int steps_of_rest(double rows) {
  return std::max(300, static_cast<int>(std::min(2.0 * std::sqrt(rows), 1e6)));
}

class searched_run final : public run_judge {
 public:
  /// The search must stay. compares: it knows what others take. rest: the run is ended where it
  /// rests for so many steps, 0: it is not.
  searched_run(preconditioner_search& search, preconditioner now, bool compares, int rest,
               double target, int allowed)
      : search_(search),
        now_(now),
        compares_(compares),
        rest_(rest),
        allowed_(allowed),
        pace_(target, search.expected(now)) {}

  bool ends(int step, double squared, const step_coefficients&) override {
    pace_.note(squared);
    if (step < next_ || ended()) return ended();
    next_ = step + std::max(1, step / 8);
    if (compares_) better_ = search_.better_than(now_, pace_, allowed_ - step);
    rested_ = !better_ && rest_ > 0 && pace_.rests(rest_);
    return ended();
  }
  bool ended() const { return better_.has_value() || rested_; }
  bool rested() const { return rested_; }
  const std::optional<preconditioner_search::change>& better() const { return better_; }

 private:
  preconditioner_search& search_;
  preconditioner now_;
  bool compares_;
  int rest_, allowed_;
  residual_pace pace_;
  int next_ = 1;
  bool rested_ = false;
  std::optional<preconditioner_search::change> better_;
};

}  // namespace dwell
