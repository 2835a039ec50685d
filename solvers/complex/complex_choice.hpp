// SPDX-License-Identifier: MIT
// Method and preconditioner of a run for complex values, which of them may follow it, and the judge
// that ends one that has come to rest. Private to the solver.
#pragma once
#include <algorithm>
#include <string>

#include "dwell/execution/device/run_judge.hpp"
#include "dwell/linear/solve.hpp"
#include "dwell/solvers/linear/choose/residual_pace.hpp"
#include "dwell/solvers/linear/run/searched_run.hpp"

namespace dwell {

struct complex_choice {
  std::string method;  ///< never "auto"
  preconditioner with = preconditioner::none;
  std::string method_reason = "as asked", preconditioner_reason = "as asked";
  bool method_open = false;  ///< another method may follow: "auto" was asked for
  /// Incomplete factors may follow: the preconditioner was automatic and is jacobi.
  bool factors_may_follow = false;

  /// They are of methods that ask for no symmetry.
  bool factors_are_next() const { return factors_may_follow && method != "cg"; }
  bool another_method_is_next() const { return method_open && method != "gmres"; }
};

/// Ends a run of which no step of the last third has halved the residual, by the rule for real
/// numbers.
class resting_run final : public run_judge {
 public:
  resting_run(double target, index rows) : pace_(target, 0.0), least_(steps_of_rest(rows)) {}
  bool ends(int step, double squared, const step_coefficients&) override {
    pace_.note(squared);
    if (step < next_ || ended_) return ended_;
    next_ = step + std::max(1, step / 8);
    return ended_ = pace_.rests(least_);
  }
  bool ended() const { return ended_; }

 private:
  residual_pace pace_;
  int least_, next_ = 0;
  bool ended_ = false;
};

}  // namespace dwell
