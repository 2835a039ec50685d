// SPDX-License-Identifier: MIT
// What a solver has decided before it plans: method, preconditioner and precision, and why. A
// value: every solve begins with a copy of the first one, and ends with what its attempts have made
// of it. Private to the solver.
#pragma once
#include <optional>
#include <string>

#include "dwell/linear/solve.hpp"
#include "dwell/solvers/linear/check/validate.hpp"
#include "dwell/solvers/linear/choose/preconditioner_search.hpp"

namespace dwell {

/// A method with a preconditioner in a precision: what a run is prepared for.
struct run_choice {
  std::string method;  ///< never "auto"
  preconditioner with = preconditioner::none;
  bool mixed_precision = false;
  bool operator==(const run_choice&) const = default;
};

struct solver_choice {
  run_choice run;
  std::string method_reason = "as asked";
  std::string preconditioner_reason = "as asked";
  std::string why_f64;               ///< although mixed precision was asked for; else empty
  bool method_open = false;          ///< it was "auto": another one may follow
  bool preconditioner_open = false;  ///< it was "auto"
  bool probe = false;                ///< the preconditioner is that of a probe
  bool judged = false;               ///< runs ask the search after every step
  bool direct_open = false;          ///< method direct may follow a run that asks
  preconditioner_search search;      ///< search of the preconditioner, where that was "auto"

  /// From now on all stays as it is: a solve has converged.
  void settle() {
    search.settle();
    direct_open = false;
  }
};

/// The method, by the facts of a sound matrix; the preconditioner is that of the options. Throws
/// unsupported_error if this program has no method for the matrix.
solver_choice choose_solver(const solve_options& o, const system_facts& facts);
/// The preconditioner, where the options leave it open; o.method is that of the choice. judged:
/// runs ask after every step, so that no probe is needed. In mixed precision the solver in f32
/// chooses.
void choose_preconditioner_of(solver_choice& choice, const solve_options& o,
                              const system_facts& facts, const searched_system& of, bool judged);

/// Did cg, which was not asked for, meet a matrix or a preconditioner that is not positive
/// definite? Or did bicgstab, likewise, break down or come to rest?
bool asks_for_another_method(const solver_choice& now, const solve_report& failed);
/// The method after that breakdown, and why; nothing where this program has none.
std::optional<solver_choice> after_breakdown(const solver_choice& now, const system_facts& facts,
                                             const solve_report& failed);

}  // namespace dwell
