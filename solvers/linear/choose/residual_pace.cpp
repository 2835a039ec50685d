// SPDX-License-Identifier: MIT
// Lines through logarithms.
#include "dwell/solvers/linear/choose/residual_pace.hpp"

#include <algorithm>
#include <cmath>

namespace dwell {
namespace {

/// Logarithm of a norm, as small as one may be where it is zero.
double log_of(double squared) { return 0.5 * std::log(std::max(squared, 1e-300)); }

/// A line that needs more than so many times the steps done is no line: the residual does not fall
/// (yet). Then twice the iterations that are expected of a mesh of that size are waited for, since
/// most differ from it by more, and once they are done as many as were done
/// (docs/results/preconditioners.md).
constexpr double times_done = 6.0, times_prior = 2.0;
/// Fewer norms than these say nothing of their own: residuals of conjugate gradients go up and
/// down.
constexpr std::size_t least_of_quarter = 8;

}  // namespace

double residual_pace::to_go() const {
  if (squares_.empty()) return 0.0;
  return log_of(squares_.back()) - std::log(std::max(target_, 1e-150));
}

double residual_pace::rate_of_last(std::size_t count) const {
  if (count < 3) return 0.0;
  const std::size_t first = squares_.size() - count;
  const double n = static_cast<double>(count), middle = 0.5 * (n - 1.0);
  double mean = 0.0, product = 0.0;
  for (std::size_t k = 0; k < count; ++k) mean += log_of(squares_[first + k]) / n;
  for (std::size_t k = 0; k < count; ++k)
    product += (static_cast<double>(k) - middle) * (log_of(squares_[first + k]) - mean);
  return -product / (n * (n * n - 1.0) / 12.0);
}

double residual_pace::rate() const {
  const std::size_t n = squares_.size();
  const double of_half = rate_of_last(n - n / 2);
  return n / 4 < least_of_quarter ? of_half : std::max(of_half, rate_of_last(n / 4));
}

bool residual_pace::falls() const { return rate() * times_done * std::max(steps(), 1) > to_go(); }

double residual_pace::left() const {
  const double go = to_go(), done = std::max(steps(), 1);
  if (!(go > 0.0)) return 0.0;
  return falls() ? go / rate() : std::max(done, times_prior * prior_ - done);
}

bool residual_pace::rests(int least) const {
  const int n = steps();
  if (n < std::max(least, 3)) return false;
  const auto last = squares_.end() - n / 3;
  const double before = *std::min_element(squares_.begin(), last);
  return !(*std::min_element(last, squares_.end()) < 0.25 * before);
}

}  // namespace dwell
