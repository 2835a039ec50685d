// SPDX-License-Identifier: MIT
// The search of preconditioner "auto" through those that a method and a matrix allow: which one
// begins, and which one follows where another would be through sooner or where one has failed. A
// value. It goes by the residuals and by a model of what set-ups and iterations cost, never by a
// clock, so that a solve that is repeated decides the same. Private to the solver.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "dwell/linear/solve.hpp"
#include "dwell/solvers/linear/check/validate.hpp"
#include "dwell/solvers/linear/choose/residual_pace.hpp"

namespace dwell {

/// What the model of costs knows of a system.
struct searched_system {
  double rows = 0, nonzeros = 0;
  double rows_with_positive = 0;  ///< system_facts::rows_with_positive
  int threads = 1;
  bool has_near_null = false;     ///< multigrid is told the near-null space
  double lighter_triangle = 0.5;  ///< part_in_lighter_triangle(); 0.5: nobody looked
};

/// Nanoseconds of one thread, of systems in f64 (docs/results/preconditioners.md). A method with
/// two products an iteration takes about twice as long for all of them, but the set-up.
struct preconditioner_cost {
  double set_up = 0, iteration = 0;
};
preconditioner_cost cost_of(preconditioner p, const searched_system& of);
/// Threads that a plan takes for such a system.
double threads_of(const searched_system& of);
/// Iterations that a mesh of so many rows takes with jacobi, about.
double prior_iterations(const searched_system& of);

/// What a run has taken and has left. Nanoseconds of all its threads together, as the model says.
struct rest_of_run {
  int steps = 0;
  double spent = 0;       ///< by these steps
  double iterations = 0;  ///< left
  double left = 0;        ///< for them
  bool falls = false;     ///< else that is a guess
  double least = 0;       ///< left with the quickest preconditioner that may go on, `by`
  preconditioner by = preconditioner::none;
};

class preconditioner_search {
 public:
  struct change {
    preconditioner to = preconditioner::none;
    std::string why;
  };

  /// Nothing is open.
  preconditioner_search() = default;
  /// `all`: the first one begins; none of them twice.
  preconditioner_search(std::vector<preconditioner> all, const searched_system& of);

  /// Is there one of which the model knows how many iterations it takes, whatever is seen of
  /// others?
  bool compares() const;
  /// May another one follow?
  bool open() const;
  /// From now on the preconditioner stays: a solve has converged with it.
  void settle() { candidates_.clear(); }
  /// To be called where a run with this one begins.
  void enter(preconditioner now);
  /// The residuals of a run with `now` so far, which may take `allowed` iterations more: is
  /// another one projected to end sooner?
  std::optional<change> better_than(preconditioner now, const residual_pace& seen, int allowed);
  /// What the residuals of a run with `now` say of its rest. products: those of an iteration.
  rest_of_run rest(preconditioner now, const residual_pace& seen, double products) const;
  /// The next one after `now`, which has failed, or whose set-up has; nothing where all have been
  /// tried. by_rounding: at the limit of rounding, which is the lower the better the condition
  /// becomes.
  std::optional<preconditioner> after_failure(preconditioner now, bool by_rounding = false);

  /// Iterations of a run with this one that would surprise nobody.
  double expected(preconditioner now) const;

 private:
  struct candidate {
    preconditioner is;
    preconditioner_cost cost;
    double rate = 0;  ///< logarithm of the residual by an iteration; 0: not seen
    int entered = 0;  ///< runs
    bool failed = false;
  };
  candidate* find(preconditioner p);
  double rate_of_jacobi() const;
  /// Iterations for a factor of e^to_go of the residual.
  double iterations_of(const candidate& c, double to_go) const;
  double projected(const candidate& c, double to_go) const;
  bool may_enter(const candidate& c) const;
  /// One that another is left for because it is projected to end sooner.
  bool may_be_fastest(preconditioner p) const;

  std::vector<candidate> candidates_;
  searched_system system_;
};

}  // namespace dwell
