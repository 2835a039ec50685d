// SPDX-License-Identifier: MIT
// The judge of a run whose preconditioner is "auto": asks the search whether another one would end
// sooner, where method and preconditioner are "auto" whether factors would, and other methods
// whether the run has come to rest. Private to the solver.
#pragma once
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "dwell/execution/device/run_judge.hpp"
#include "dwell/solvers/linear/choose/preconditioner_search.hpp"
#include "dwell/solvers/linear/direct/direct_candidate.hpp"

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

  /// Factors may follow this run of a method with so many products an iteration.
  void compare_with(direct_candidate factors, std::string method, double products) {
    factors_ = std::move(factors);
    method_ = std::move(method);
    products_ = products;
  }

  bool ends(int step, double squared, const step_coefficients&) override {
    pace_.note(squared);
    if (step < next_ || ended()) return ended();
    next_ = step + std::max(1, step / 8);
    if (compares_) better_ = search_.better_than(now_, pace_, allowed_ - step);
    if (factors_)
      by_factors_ = factors_->better_than(method_, now_, search_.rest(now_, pace_, products_));
    rested_ = !left() && rest_ > 0 && pace_.rests(rest_);
    return ended();
  }
  bool ended() const { return left() || rested_; }
  /// For another preconditioner or for factors.
  bool left() const { return better_ || by_factors_; }
  bool rested() const { return rested_; }
  const std::optional<preconditioner_search::change>& better() const { return better_; }
  /// Why factors are to follow, whatever better() says; or nothing.
  const std::optional<std::string>& by_factors() const { return by_factors_; }

 private:
  preconditioner_search& search_;
  preconditioner now_;
  bool compares_;
  int rest_, allowed_;
  residual_pace pace_;
  int next_ = 1;
  bool rested_ = false;
  std::optional<preconditioner_search::change> better_;
  std::optional<direct_candidate> factors_;
  std::string method_;
  double products_ = 1;
  std::optional<std::string> by_factors_;
};

}  // namespace dwell
