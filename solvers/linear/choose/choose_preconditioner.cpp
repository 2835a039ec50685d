// SPDX-License-Identifier: MIT
// Forecasts what is left with Jacobi, and what multigrid would take.
#include "dwell/solvers/linear/choose/choose_preconditioner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dwell/base/policy_words.hpp"
#include "dwell/solvers/linear/choose/variant.hpp"
#include "dwell/solvers/preconditioners/list.hpp"

namespace dwell {
namespace {

/// Variants that are left open, or the one that is named: with sequences of products?
bool has_sequences(const solve_options& o) {
  if (o.variant != automatic) return find_variant(o.method, o.variant).with_sequence;
  const auto variants = solver_variants(o.method);
  return std::any_of(variants.begin(), variants.end(),
                     [](const solver_variant& f) { return f.with_sequence; });
}

/// Is it like an M-matrix, by signs?
bool has_signs_of_m_matrix(const system_facts& facts) {
  return facts.positive_diagonal && facts.rows_with_positive <= most_rows_with_positive;
}

/// What the method and the matrix allow, the first to be tried first. judged: on a CPU, of one
/// rank.
std::vector<preconditioner> allowed(const solve_options& o, const system_facts& facts,
                                    bool judged) {
  const matrix_class solves = solver_variants(o.method).front().solves;
  std::vector<preconditioner> all;
  if (facts.full_diagonal) all.push_back(preconditioner::jacobi);
  if (all.empty()) all.push_back(preconditioner::none);
  if (!has_sequences(o) || facts.large) return all;
  if (solves == matrix_class::positive_definite)
    for (const preconditioner p : {preconditioner::amg, preconditioner::fsai}) all.push_back(p);
  // Blocks of an indefinite matrix may be indefinite, of which minres knows no preconditioner.
  if (solves != matrix_class::symmetric || facts.positive_diagonal)
    all.push_back(preconditioner::block_jacobi);
  if (solves == matrix_class::general && facts.full_diagonal) all.push_back(preconditioner::ilu0);
  if (solves == matrix_class::general && judged && has_signs_of_m_matrix(facts))
    all.push_back(preconditioner::aggregation);
  return all;
}

/// Iterations, to the digits that `forecast` has measured, that multigrid takes more where each
/// rank has one of its own block: the condition grows with the width of the domain in rows
/// (docs/results/distributed.md).
double more_by_ranks(const jacobi_probe& seen, double nonzeros_per_row) {
  if (seen.ranks == 1) return 0.0;
  const double width = nonzeros_per_row < 6.0 ? std::sqrt(seen.rows) : std::cbrt(seen.rows);
  return 3.1 * std::sqrt(width) * std::pow(0.5 * seen.ranks, 0.4);
}

/// What the first hierarchy of a process takes more on a GPU (docs/results/preconditioners.md).
constexpr double first_on_gpu_s = 12e-3;

}  // namespace

preconditioner_choice choose_preconditioner(const solve_options& o, const system_facts& facts,
                                            double rows, bool judged) {
  preconditioner_choice out;
  out.all = allowed(o, facts, judged);
  out.is = out.all.front();
  const bool definite = solver_variants(o.method).front().solves == matrix_class::positive_definite;
  const auto stays = [&](std::string why) {
    out.why = std::move(why);
    return out;
  };
  if (o.fixed_iterations) {
    out.all.clear();
    return stays("fixed iterations are not compared with others");
  }
  if (!facts.full_diagonal) return stays("the diagonal has zeros");
  if (out.all.size() == 1)
    return stays(facts.large ? std::string("there is no other for 2^31 nonzeros and more")
                 : o.variant != automatic
                     ? "variant " + o.variant + " has no other"
                     : "for method " + o.method + " and this matrix there is no other");
  const bool compared = definite || (judged && out.all.back() != preconditioner::block_jacobi);
  if (!compared)
    return stays("the first for method " + o.method + "; others follow where it fails");
  if (judged)
    return stays(
        "the cheapest first; another one follows where it is projected to end sooner, or "
        "where this one fails");
  if (facts.rows_with_positive > most_rows_with_positive)
    return stays(
        fmt::format("{:.0f} % of the rows have much that is positive beside the diagonal, which "
                    "multigrid is not for; others follow where it fails",
                    100 * facts.rows_with_positive));
  if (rows <= least_rows_of_multigrid)
    return stays(
        fmt::format("of at most {} rows no set-up of multigrid pays; others follow where it fails",
                    least_rows_of_multigrid));
  if (o.max_iterations <= probe_iterations)
    return stays(fmt::format("at most {} iterations are allowed", o.max_iterations));
  out.probe = true;
  return stays(fmt::format(
      "for {} iterations, after which jacobi goes on, or amg where that is projected to take less "
      "time",
      probe_iterations));
}

preconditioner_forecast forecast(const jacobi_probe& seen, backend on) {
  preconditioner_forecast out;
  const double left = std::log(std::max(seen.residual, 1e-300) / std::max(seen.target, 1e-300));
  if (!(left > 0.0)) return out;
  // A residual that does not fall yet: as slowly as can be told from so many iterations.
  const double rate = std::max(-std::log(std::min(seen.reduction, 1.0)), 1e-4);
  out.jacobi_iterations = left / rate;
  // By the condition, which so few iterations show too small, and of whose bound about a third is
  // needed in the end. Smooth right-hand sides fall slowly at first, so the rate alone counts too
  // many iterations: what is needed lies between the two.
  const double by_condition = 0.16 * std::sqrt(seen.condition) * (left + std::log(2.0));
  if (by_condition > 0.0 && by_condition < out.jacobi_iterations)
    out.jacobi_iterations = std::sqrt(by_condition * out.jacobi_iterations);
  out.jacobi_s = out.jacobi_iterations * seen.seconds;

  const double rows = seen.rows, nonzeros = seen.nonzeros;
  const double per_row = std::clamp(nonzeros / rows, 5.0, 9.0);  // 5: two dimensions, 7: three
  constexpr double measured_digits = 8;
  const double digits = left / std::log(10.0);
  const double whole = std::clamp(24.0 + 6.0 * std::log10(rows / 5e4), 18.0, 45.0);
  out.amg_iterations = 3.0 + (whole + more_by_ranks(seen, per_row)) * digits / measured_digits;
  if (on == backend::cuda) {
    const double share = 1.0 / seen.ranks;  // each has a GPU
    out.amg_setup_s =
        3e-3 + 1.25e-3 * (per_row - 5.0) + share * rows * (5.9e-9 + 4.6e-9 * (per_row - 5.0));
    if (seen.first_on_gpu) out.amg_setup_s += first_on_gpu_s;
    out.amg_s = out.amg_iterations * (30e-6 + 30e-12 * share * nonzeros);
  } else {
    out.amg_setup_s = seen.seconds * (100.0 + 95.0 * (per_row - 5.0));
    out.amg_s = out.amg_iterations * seen.seconds * std::min(per_row, 8.0);
  }
  return out;
}

preconditioner_choice choose_after(const jacobi_probe& seen, backend on) {
  const preconditioner_forecast f = forecast(seen, on);
  const double all = f.amg_setup_s + f.amg_s;
  const bool amg = all < f.jacobi_s;
  const double iterations = std::max(all / std::max(seen.seconds, 1e-9), 1.0 * probe_iterations);
  const double nearest = std::sqrt(2.0) * iterations;
  return {
      amg ? preconditioner::amg : preconditioner::jacobi,
      fmt::format("after {} iterations with jacobi, {:.0f} more ({:.3g} ms) were projected, and "
                  "with amg {:.3g} ms of set-up and {:.0f} iterations ({:.3g} ms)",
                  probe_iterations, f.jacobi_iterations, 1e3 * f.jacobi_s, 1e3 * f.amg_setup_s,
                  f.amg_iterations, 1e3 * f.amg_s),
      false,
      {},
      amg ? INT_MAX : 1 << std::min(30, std::ilogb(nearest))};
}

}  // namespace dwell
