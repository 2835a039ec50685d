// SPDX-License-Identifier: MIT
// What follows from the facts of a matrix and from a breakdown. What the first iterations with
// Jacobi say of multigrid is in choose_preconditioner.cpp.
#include "dwell/solvers/linear/choose/solver_choice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dwell/base/policy_words.hpp"
#include "dwell/solvers/linear/choose/choose_method.hpp"
#include "dwell/solvers/linear/choose/choose_preconditioner.hpp"
#include "dwell/solvers/linear/choose/variant.hpp"
#include "dwell/solvers/linear/direct/direct_method.hpp"
#include "dwell/solvers/preconditioners/list.hpp"

namespace dwell {
namespace {

/// Methods for any matrix: what the first one cannot, the second one may, with a basis.
constexpr const char* short_recurrence = "bicgstab";
constexpr const char* long_recurrence = "gmres";

bool is_built(const std::string& name) {
  const auto all = solver_variants();
  return std::any_of(all.begin(), all.end(),
                     [&](const solver_variant& f) { return f.method == name; });
}

/// A matrix on which cg broke down: its diagonal is as good as not positive.
system_facts after_cg(system_facts facts) {
  facts.positive_diagonal = false;
  return facts;
}

}  // namespace

solver_choice choose_solver(const solve_options& o, const system_facts& facts) {
  solver_choice made;
  made.run = {o.method, o.preconditioner, o.mixed_precision};
  if (o.method != automatic) return made;
  const method_choice found = choose_method(facts);
  made.run.method = found.name;
  made.method_reason = found.why;
  made.method_open = true;
  return made;
}

void choose_preconditioner_of(solver_choice& choice, const solve_options& o,
                              const system_facts& facts, const searched_system& of, bool judged) {
  if (o.preconditioner != preconditioner::automatic || choice.run.mixed_precision) return;
  if (is_direct(o.method)) {
    choice.run.with = preconditioner::none;
    choice.preconditioner_reason = no_preconditioner_of_direct;
    return;
  }
  const preconditioner_choice found = choose_preconditioner(o, facts, of.rows, judged);
  choice.run.with = found.is;
  choice.preconditioner_reason = found.why;
  choice.preconditioner_open = true;
  choice.probe = found.probe;
  searched_system known = of;
  known.has_near_null = !o.preconditioning.near_null.empty();
  choice.search = preconditioner_search(found.all, known);
  choice.judged = judged && found.all.size() > 1;
}

bool asks_for_another_method(const solver_choice& now, const solve_report& failed) {
  if (!now.method_open) return false;
  const bool broke_down = failed.stopped == stop_reason::breakdown;
  if (now.run.method == short_recurrence)
    return broke_down || failed.stopped == stop_reason::not_finite ||
           (failed.stopped == stop_reason::iteration_limit && failed.stagnated);
  return broke_down &&
         solver_variants(now.run.method).front().solves == matrix_class::positive_definite &&
         kind_of(now.run.with).of != matrix_class::positive_definite;
}

std::optional<solver_choice> after_breakdown(const solver_choice& now, const system_facts& facts,
                                             const solve_report& failed) {
  if (!asks_for_another_method(now, failed)) return {};
  solver_choice other = now;
  if (now.run.method == short_recurrence) {
    if (!is_built(long_recurrence)) return {};
    other.run.method = long_recurrence;
    other.method_reason =
        fmt::format("{} {} after {} iterations", now.run.method,
                    failed.stopped == stop_reason::iteration_limit ? "stagnated" : "broke down",
                    failed.iterations);
    return other;
  }
  const system_facts known = after_cg(facts);
  if (!has_method_for(known)) return {};
  other.run.method = choose_method(known).name;
  other.method_reason =
      fmt::format("{} broke down after {} iterations: {}", now.run.method, failed.iterations,
                  solver_variants(now.run.method).front().breaks_down);
  return other;
}

}  // namespace dwell
