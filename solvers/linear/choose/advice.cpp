// SPDX-License-Identifier: MIT
// The causes in their order, and a line for each.
#include "dwell/solvers/linear/choose/advice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "dwell/solvers/linear/choose/variant.hpp"
#include "dwell/solvers/linear/direct/direct_method.hpp"
#include "dwell/solvers/preconditioners/list.hpp"

namespace dwell {
namespace {

using words = std::vector<std::string>;

std::string tries_of(const std::string& what, const words& tries) {
  return tries.empty() ? what : fmt::format("{}: try {}", what, fmt::join(tries, ", "));
}

matrix_class solved_by(const solve_report& r) { return solver_variants(r.method).front().solves; }

/// "variant a or b": those that do not drift, the one with the fewest barriers first.
std::string steadier_variants(const std::string& method) {
  std::string names;
  for (const solver_variant& f : solver_variants(method))
    if (!f.needs_residual_replacement && f.without)
      names = names.empty() ? f.name : std::string(f.name) + " or " + names;
  return "variant " + names;
}

/// "a preconditioner (jacobi, amg)": those that the method and the matrix may have; or nothing.
std::string preconditioner_for(const solve_report& r, const system_facts& facts) {
  if (is_direct(r.method)) return {};
  const bool sequences = !facts.large && std::ranges::any_of(solver_variants(r.method),
                                                             &solver_variant::with_sequence);
  words names;
  if (facts.full_diagonal) names.emplace_back("jacobi");
  if (sequences && solved_by(r) == matrix_class::positive_definite) names.emplace_back("amg");
  if (sequences && solved_by(r) == matrix_class::symmetric && facts.positive_diagonal)
    names.emplace_back("block-jacobi");
  if (sequences && solved_by(r) == matrix_class::general && facts.full_diagonal)
    names.emplace_back("ilu0");
  return names.empty() ? std::string()
                       : fmt::format("a preconditioner ({})", fmt::join(names, ", "));
}

/// Adds it where there is none yet.
void add_preconditioner(const solve_report& r, const system_facts& facts, words& tries) {
  if (r.preconditioner != preconditioner::none) return;
  if (std::string one = preconditioner_for(r, facts); !one.empty()) tries.push_back(std::move(one));
}

bool needs_residual_replacement(const solve_report& r) {
  return find_variant(r.method, r.variant).needs_residual_replacement;
}

bool has_method(const char* name) {
  return std::ranges::any_of(
      solver_variants(), [&](const solver_variant& f) { return std::string(f.method) == name; });
}

/// Where rounding allows no better.
std::string more_accurate(const solve_report& r, const system_facts& facts) {
  words tries;
  if (r.precision != "f64") tries.emplace_back("f64");
  if (needs_residual_replacement(r)) tries.push_back(steadier_variants(r.method));
  add_preconditioner(r, facts, tries);
  tries.emplace_back("a larger tolerance");
  return tries_of("rounding allows no smaller true residual", tries);
}

/// Are constants in the null space, and nobody takes notice? Then there is no solution with what is
/// constant of the right-hand side.
bool keeps_constants(const solve_options& o, const system_facts& facts) {
  return o.null_space == "none" && facts.symmetric && facts.zero_row_sums;
}
constexpr const char* without_constants =
    "the matrix has row sums of zero, and what is constant of the right-hand side has no solution: "
    "try null_space auto";

/// At the limit of iterations.
std::string more_progress(const solve_report& r, const solve_options& o, const system_facts& facts,
                          residual_trend trend) {
  const bool rests = r.stagnated || trend == residual_trend::rests;
  if (rests && keeps_constants(o, facts)) return without_constants;
  words tries;
  if (!rests) tries.emplace_back("more iterations");
  add_preconditioner(r, facts, tries);
  if (rests) {
    if (r.method == "gmres") tries.emplace_back("a larger restart");
    if (r.method == "bicgstab" && has_method("gmres")) tries.emplace_back("method gmres");
    if (needs_residual_replacement(r)) tries.push_back(steadier_variants(r.method));
    if (r.precision != "f64") tries.emplace_back("f64");
  }
  if (tries.empty()) tries.emplace_back("more iterations, or a better start vector");
  if (r.method == "gmres" && o.restart >= o.max_iterations && rests)
    std::erase(tries, std::string("a larger restart"));
  if (rests && r.iterations >= steps_of_a_trend)
    return tries_of("the residual stagnates, the last third of the iterations did not halve it",
                    tries);
  if (rests)
    return tries_of("the residual stagnates, it is hardly smaller than at the start", tries);
  return tries_of(trend == residual_trend::falls ? "the residual still falls"
                                                 : "the limit of iterations came first",
                  tries);
}

std::string after_breakdown(const solve_report& r, const system_facts& facts) {
  const bool sequence = kind_of(r.preconditioner).is_sequence();
  const words jacobi = facts.full_diagonal ? words{"preconditioner jacobi"} : words{};
  switch (solved_by(r)) {
    case matrix_class::positive_definite:
      if (!sequence) return "the matrix is not positive definite: try method minres";
      return "the matrix, or this preconditioner of it, is not positive definite: try "
             "preconditioner "
             "jacobi, method minres";
    case matrix_class::symmetric:
      if (sequence)
        return tries_of("this preconditioner of the matrix is not positive definite", jacobi);
      return {};
    default:
      break;
  }
  if (r.method == "bicgstab" && has_method("gmres")) {
    words tries{"method gmres"};
    if (r.precision != "f64") tries.emplace_back("f64");
    add_preconditioner(r, facts, tries);
    return tries_of("the iteration lost its digits", tries);
  }
  return {};
}

}  // namespace

std::string advice_of(const solve_report& r, const solve_options& o, const system_facts& facts,
                      residual_trend trend) {
  const bool beyond_rounding =
      r.residuals_disagree && r.residual_relative_recursive < r.residual_relative_true;
  switch (r.stopped) {
    case stop_reason::accuracy_limit:
      return more_accurate(r, facts);
    case stop_reason::iteration_limit:
      return beyond_rounding && !r.stagnated ? more_accurate(r, facts)
                                             : more_progress(r, o, facts, trend);
    case stop_reason::breakdown:
      if (keeps_constants(o, facts)) return without_constants;
      if (std::string said = after_breakdown(r, facts); !said.empty()) return said;
      break;
    case stop_reason::not_finite:
      if (kind_of(r.preconditioner).is_sequence() && facts.full_diagonal && r.precision == "f64")
        return "numbers left their range: try preconditioner jacobi";
      break;
    default:
      return {};
  }
  return r.precision != "f64" ? "f32 may be too short for this matrix: try f64" : "";
}

}  // namespace dwell
