// SPDX-License-Identifier: MIT
// The model of costs, and comparisons by it.
#include "dwell/solvers/linear/choose/preconditioner_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "dwell/solvers/linear/choose/choose_preconditioner.hpp"

namespace dwell {
namespace {

/// The logarithm of eight digits, which counts of iterations are given for.
constexpr double eight_digits = 18.4;
/// Runs with one preconditioner in a solve: it may be gone back to once.
constexpr int most_runs = 2;
/// Nobody judges before so many steps, nor before a run has taken this part of what the other one
/// would take.
constexpr int first_look = 8;
constexpr double least_spent = 0.15;
/// The other one must be projected to be through so many times sooner: projections err by as much.
constexpr double times_sooner = 1.4;

/// How much of the limit a run may take before it is left for its sake: where the residual falls,
/// and where it does not and what is left is a guess.
constexpr double early = 0.2, late = 0.5;

bool is_multigrid(preconditioner p) {
  return p == preconditioner::amg || p == preconditioner::aggregation;
}

/// Share of the lighter triangle up to which ILU(0) is nearly the inverse, as of a strong wind
/// along the numbering.
constexpr double nearly_triangular = 0.2;
/// Iterations with ILU(0) of other matrices beside one with jacobi (0.05 to 0.55 were seen).
constexpr double share_of_ilu0 = 0.2;

bool has_negative_neighbours(const searched_system& s) {
  return s.rows_with_positive <= most_rows_with_positive;
}
double per_row(const searched_system& s) { return s.nonzeros / std::max(s.rows, 1.0); }

double bytes_of(const searched_system& s) { return 12.0 * s.nonzeros + 48.0 * s.rows; }

/// Barriers between threads, a microsecond each, in nanoseconds of one thread.
double barriers(int count, const searched_system& s) {
  const double threads = threads_of(s);
  return threads > 1.0 ? 1000.0 * count * threads : 0.0;
}

/// Iterations with multigrid for eight digits; by_jacobi: with jacobi.
double multigrid_iterations(const searched_system& s, double by_jacobi) {
  if (s.has_near_null) return std::min(35.0, by_jacobi);
  if (has_negative_neighbours(s))
    return std::clamp(18.0 + 5.0 * std::log10(s.rows / 4e4), 8.0, 40.0);
  // Rows of some nine elements are those of one unknown a point, be it anisotropic; those of many
  // are of elasticity, plates and shells, those of fewer of beams, whose near-null space the
  // hierarchy lacks.
  if (per_row(s) >= 6.0 && per_row(s) <= 10.0) return std::min(35.0, by_jacobi);
  if (s.rows > least_rows_of_multigrid)
    return std::min(60.0 * std::pow(s.rows / 1.3e4, 0.25), by_jacobi);
  return 0.4 * by_jacobi;
}

/// Iterations with plain aggregation for eight digits, whatever the convection and the numbering.
constexpr double aggregation_iterations = 16.0;

/// Iterations with fsai beside one with jacobi: fewer where these are many for the size.
double share_of_fsai(const searched_system& s, double by_jacobi) {
  const double many = by_jacobi / std::sqrt(std::max(s.rows, 1.0));
  return std::clamp(0.85 - 0.18 * std::log(std::max(many, 1.0)), 0.15, 0.7);
}

}  // namespace

/// A thread for every 128 KiB.
double threads_of(const searched_system& s) {
  return std::max(1.0, std::min<double>(s.threads, bytes_of(s) / 131072.0));
}

preconditioner_cost cost_of(preconditioner p, const searched_system& s) {
  const double n = s.rows, z = s.nonzeros;
  const double vectors = bytes_of(s) > 3e6 ? 4.5 : 2.2;  // from beyond the caches of a core, or not
  const double product = 0.85 * z + vectors * n, plain = product + barriers(3, s);
  switch (p) {
    case preconditioner::none:
    case preconditioner::jacobi:
      return {0.0, plain};
    case preconditioner::block_jacobi:
      return {1e5 + 20.0 * z, 1.7 * plain + barriers(1, s)};
    case preconditioner::fsai:
      return {1e5 + 100.0 * z, plain + 1.9 * z + barriers(3, s)};
    case preconditioner::ilu0:
      return {1e5 + 30.0 * z, plain + 1.2 * product + barriers(8, s)};
    case preconditioner::amg: {
      // Products of matrices of meshes in space are the longest.
      const double e = per_row(s);
      const double products = e < 6.0 ? 315.0 : e < 8.3 ? 380.0 : 240.0;
      return {2e5 + products * z, 1e4 + (e < 12.0 ? 4.7 : 3.8) * product + barriers(24, s)};
    }
    case preconditioner::aggregation:
      // A level has a quarter of the rows and two cycles, so products of ever smaller matrices, and
      // barriers, double from level to level.
      return {1e5 + 70.0 * z,
              4.5 * product + barriers(static_cast<int>(3.0 * std::sqrt(n / 160.0)), s)};
    default:
      return {0.0, 10.0 * plain};
  }
}

double prior_iterations(const searched_system& s) {
  const double n = std::max(s.rows, 1.0), e = per_row(s);
  const double in_plane = 1.8 * std::sqrt(n), in_space = 2.5 * std::cbrt(n);
  if (!has_negative_neighbours(s)) return in_plane;
  if (e < 3.5) return 0.5 * n;                                 // a chain, or close to one
  return e < 6.0 ? in_plane : std::sqrt(in_plane * in_space);  // triangles, or cubes
}

preconditioner_search::preconditioner_search(std::vector<preconditioner> all,
                                             const searched_system& of)
    : system_(of) {
  for (const preconditioner p : all) candidates_.push_back({p, cost_of(p, of)});
}

preconditioner_search::candidate* preconditioner_search::find(preconditioner p) {
  const auto at = std::find_if(candidates_.begin(), candidates_.end(),
                               [&](const candidate& c) { return c.is == p; });
  return at == candidates_.end() ? nullptr : &*at;
}

bool preconditioner_search::may_enter(const candidate& c) const {
  return !c.failed && c.entered < most_runs;
}

/// Others were faster than jacobi on a CPU nowhere by more than a fifth, or where nothing tells
/// beforehand (fsai: docs/results/preconditioners.md): they are for what fails, or would take too
/// many iterations. ILU(0) is for what multigrid is not for, and for what it is nearly the inverse
/// of.
bool preconditioner_search::may_be_fastest(preconditioner p) const {
  const bool has_multigrid = std::any_of(candidates_.begin(), candidates_.end(),
                                         [](const candidate& c) { return is_multigrid(c.is); });
  return p == preconditioner::none || p == preconditioner::jacobi || is_multigrid(p) ||
         (p == preconditioner::ilu0 &&
          (!has_multigrid || system_.lighter_triangle < nearly_triangular));
}

bool preconditioner_search::compares() const {
  return std::any_of(candidates_.begin() + (candidates_.empty() ? 0 : 1), candidates_.end(),
                     [&](const candidate& c) { return may_be_fastest(c.is); });
}

bool preconditioner_search::open() const {
  return std::count_if(candidates_.begin(), candidates_.end(),
                       [&](const candidate& c) { return may_enter(c); }) > 0;
}

void preconditioner_search::enter(preconditioner now) {
  if (candidate* const c = find(now)) ++c->entered;
}

double preconditioner_search::rate_of_jacobi() const {
  for (const candidate& c : candidates_)
    if (c.is == preconditioner::jacobi && c.rate > 0.0) return c.rate;
  return eight_digits / prior_iterations(system_);
}

double preconditioner_search::expected(preconditioner now) const {
  const candidate fresh{now, {}};
  const bool known = is_multigrid(now) ||
                     (now == preconditioner::ilu0 && system_.lighter_triangle < nearly_triangular);
  return known ? iterations_of(fresh, eight_digits) : prior_iterations(system_);
}

double preconditioner_search::iterations_of(const candidate& c, double to_go) const {
  if (c.rate > 0.0) return to_go / c.rate;
  const double by_jacobi = to_go / rate_of_jacobi();
  switch (c.is) {
    case preconditioner::amg:
      return 2.0 +
             multigrid_iterations(system_, eight_digits / rate_of_jacobi()) * to_go / eight_digits;
    case preconditioner::aggregation:
      return 2.0 + aggregation_iterations * to_go / eight_digits;
    case preconditioner::fsai:
      return by_jacobi * share_of_fsai(system_, eight_digits / rate_of_jacobi());
    case preconditioner::ilu0:
      if (system_.lighter_triangle < nearly_triangular)
        return std::min(share_of_ilu0 * by_jacobi,
                        2.0 + 150.0 * system_.lighter_triangle * to_go / eight_digits);
      return share_of_ilu0 * by_jacobi;
    default:
      return by_jacobi;
  }
}

double preconditioner_search::projected(const candidate& c, double to_go) const {
  const double set_up = c.entered > 0 ? 0.0 : c.cost.set_up;  // it is kept
  return set_up + iterations_of(c, to_go) * c.cost.iteration;
}

std::optional<preconditioner_search::change> preconditioner_search::better_than(
    preconditioner now, const residual_pace& seen, int allowed) {
  candidate* const mine = find(now);
  if (!mine || seen.steps() < first_look) return {};
  const double to_go = seen.to_go(), left = seen.left();
  if (!(left > 0.0)) return {};
  mine->rate = to_go / left;
  // One that will not be there within the limit is left for any that is quicker.
  const double part = seen.steps() / std::max(1.0, static_cast<double>(seen.steps()) + allowed);
  const bool too_late = seen.falls() ? left > 1.5 * allowed && part >= early : part >= late;
  const double spent = seen.steps() * mine->cost.iteration;
  const double time_left = left * mine->cost.iteration;
  const candidate* best = nullptr;
  for (const candidate& c : candidates_)
    if (&c != mine && may_enter(c) && (too_late || may_be_fastest(c.is)) &&
        (c.entered == 0 || &c == &candidates_.front()) &&  // which goes back to the first one alone
        (!best || projected(c, to_go) < projected(*best, to_go)))
      best = &c;
  if (!best) return {};
  const double other = projected(*best, to_go);
  if (too_late) {
    if (iterations_of(*best, to_go) >= left) return {};
  } else {
    if (spent < least_spent * other) return {};
    if (time_left <= times_sooner * other) return {};
  }
  const double unit = mine->cost.iteration;
  return change{
      best->is,
      fmt::format("after {} iterations with {}, {:.0f} more were projected, and with {} {:.0f}, "
                  "which take as long as {:.0f} of them, set-up included",
                  seen.steps(), to_string(now), left, to_string(best->is),
                  iterations_of(*best, to_go), other / unit)};
}

rest_of_run preconditioner_search::rest(preconditioner now, const residual_pace& seen,
                                        double products) const {
  const double to_go = seen.to_go(), unit = products * cost_of(now, system_).iteration;
  rest_of_run out{seen.steps(), seen.steps() * unit, seen.left(), 0, seen.falls(), 0, now};
  out.left = out.least = out.iterations * unit;
  for (const candidate& c : candidates_) {
    if (c.is == now || !may_enter(c) || !may_be_fastest(c.is)) continue;
    const double set_up = c.entered > 0 ? 0.0 : c.cost.set_up;
    const double other = set_up + products * iterations_of(c, to_go) * c.cost.iteration;
    if (other < out.least) out.least = other, out.by = c.is;
  }
  return out;
}

std::optional<preconditioner> preconditioner_search::after_failure(preconditioner now,
                                                                   bool by_rounding) {
  if (candidate* const c = find(now)) c->failed = true;
  const candidate* best = nullptr;
  const auto order = [&](const candidate& c) {  // what nobody has tried comes first
    const bool conditions = by_rounding && c.is == preconditioner::amg;
    return std::tuple(c.entered, !conditions, projected(c, eight_digits));
  };
  for (const candidate& c : candidates_)
    if (may_enter(c) && (!best || order(c) < order(*best))) best = &c;
  if (!best) return {};
  return best->is;
}

}  // namespace dwell
