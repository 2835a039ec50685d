// SPDX-License-Identifier: MIT
// The rule, whose constants were measured (docs/results/direct-solver.md).
#include "dwell/solvers/linear/direct/direct_candidate.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace dwell {
namespace {

/// Iterations that were done and, where the residual falls, those that are projected take so many
/// times as long as a count of the fill before it is counted; no more of those are believed than so
/// many times what was done.
constexpr double counts = 10.0, believed = 4.0;
/// Factors must be projected to be through so many times sooner: of L U the fill without pivoting
/// is known, which is the least.
constexpr double times_sooner(bool symmetric) { return symmetric ? 3.0 : 6.0; }

/// A direct solver has one thread: nanoseconds while all of a run would iterate.
double of_all_threads(const searched_system& of, double nanoseconds) {
  return threads_of(of) * nanoseconds;
}
bool pays_a_count(const searched_system& of, double iterations) {
  return iterations >= counts * of_all_threads(of, cost_of_count(of));
}
bool is_sooner(const searched_system& of, const factor_fill& fill, bool symmetric, double left) {
  const double factors = of_all_threads(of, cost_of_direct(of, fill, symmetric));
  return left >= times_sooner(symmetric) * factors;
}

}  // namespace

bool is_clearly_sooner(const searched_system& of, const factor_fill& fill, bool symmetric,
                       double iterations) {
  return pays_a_count(of, iterations) && is_sooner(of, fill, symmetric, iterations);
}

std::optional<std::string> direct_candidate::better_than(const std::string& method,
                                                         preconditioner now,
                                                         const rest_of_run& seen) const {
  const double known =
      seen.spent + (seen.falls ? std::min(seen.least, believed * seen.spent) : 0.0);
  // No factors take less than a count.
  if (!pays_a_count(of_, known) || !is_sooner(of_, {}, symmetric_, seen.least)) return {};
  const counted_fill* const counted = count_();
  if (!counted || !counted->has_room(symmetric_) ||
      !is_sooner(of_, counted->fill, symmetric_, seen.least))
    return {};
  const auto seconds = [&](double nanoseconds) {
    return fmt::format("{:.2g} s", 1e-9 * nanoseconds);
  };
  const double all = threads_of(of_);
  const std::string others =
      seen.by == now ? std::string()
                     : fmt::format(", with {} {}", to_string(seen.by), seconds(seen.least / all));
  return fmt::format(
      "after {} iterations with {} and {}, {:.0f} more ({}) were projected{}, and with direct {}",
      seen.steps, method, to_string(now), seen.iterations, seconds(seen.left / all), others,
      seconds(cost_of_direct(of_, counted->fill, symmetric_)));
}

}  // namespace dwell
