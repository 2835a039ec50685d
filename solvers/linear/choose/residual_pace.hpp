// SPDX-License-Identifier: MIT
// How fast the residual of a run falls, and how many iterations are left by that: a function of the
// residuals alone. Private to the solver.
#pragma once
#include <cstddef>
#include <vector>

namespace dwell {

class residual_pace {
 public:
  /// A start whose residual's norm is to become `target`, of a run of which about `prior`
  /// iterations would surprise nobody.
  residual_pace(double target, double prior) : target_(target), prior_(prior) {}
  /// The steps come in order, from 0 on; the square of the norm after each.
  void note(double squared) { squares_.push_back(squared); }
  int steps() const { return static_cast<int>(squares_.size()) - 1; }
  /// Natural logarithm of the factor between the residual and its target; at most 0: it is there.
  double to_go() const;
  /// Iterations to the target: by the lines of least squares through the logarithms of the latter
  /// half of the norms and of the last quarter, the steeper one. Where these do not fall (yet), the
  /// larger of as many as were done and what is left of twice as many as would surprise nobody.
  double left() const;
  /// Does the residual fall so fast that left() is more than a guess?
  bool falls() const;
  /// Has no step of the last third halved the least norm of those before? Of at least `least`
  /// steps.
  bool rests(int least) const;

 private:
  /// Rate of the last norms, of the logarithm by an iteration.
  double rate_of_last(std::size_t count) const;
  double rate() const;

  double target_, prior_;
  std::vector<double> squares_;
};

}  // namespace dwell
