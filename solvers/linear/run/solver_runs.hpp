// SPDX-License-Identifier: MIT
// The runs that a solver has prepared: the one that is taken, and those that solves have left, kept
// as long as there is memory for them. The next solve begins with the first one again, as that of a
// new solver would. Private to the solver.
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/linear/solve.hpp"
#include "dwell/solvers/linear/run/prepared_matrix.hpp"
#include "dwell/solvers/linear/run/solver_run.hpp"

namespace dwell {

/// Asked by several ranks amid a solve: is a set-up to end? Empty: nobody asks.
using end_of_set_up = std::function<bool()>;

template <class T>
class solver_runs {
 public:
  /// All must stay valid. Method, preconditioner and precision of the options are written here:
  /// they are those of the run that is taken. Set-ups add to `setup`.
  solver_runs(prepared_matrix<T>& matrix, solve_options& options, solve_setup& setup)
      : matrix_(matrix), options_(options), setup_(setup) {}

  bool empty() const { return !current_; }
  solver_run<T>& current() { return *current_; }
  const solver_run<T>& current() const { return *current_; }
  /// What the options say.
  run_choice choice() const;

  /// The first one, or one in place of a run that is gone. A choice of mixed precision becomes one
  /// of f64 where the matrix in f32 is not what the method asks for.
  void prepare(solver_choice& of, const end_of_set_up& asked = {});
  /// From now on the run of this choice, prepared unless it was left before, with the values of the
  /// matrix. Where that throws the run stays, unless there was no memory for both: then it is gone.
  /// The choice may become one of f64 as in prepare().
  void take(solver_choice& wanted, const end_of_set_up& asked = {});
  /// To be called where there is no way back.
  void forget();
  /// To be called where an exception is caught: throws on what one rank of several may have alone,
  /// for then the others are not where it is.
  void rethrow_of_one_rank(const error& e) const;

 private:
  void set_choice(const run_choice& to);
  bool outdated() const { return current_->version != matrix_.version; }
  void leave();
  bool enter_left(const run_choice& wanted);
  void prepare_with_room(solver_choice& of, const end_of_set_up& asked);
  /// False: attempts cannot iterate in f32, and the choice is one of f64.
  bool prepare_mixed(solver_choice& of);
  void prepare_direct(const solver_choice& of);
  /// The groups of a run that has none but one by one.
  void prepare_alone(solver_run<T>& run);
  void bring_up_to_date(solver_choice& of, const end_of_set_up& asked);
  void refresh_mixed(solver_choice& of, const end_of_set_up& asked);
  void connect(solver_run<T>& run);
  void place_diagonal(solver_run<T>& run);
  void make_preconditioner(solver_run<T>& run);
  /// make_preconditioner() by all ranks, if there are several: where it fails on one, it does on
  /// all.
  void make_preconditioners(solver_run<T>& run, const end_of_set_up& asked);
  /// Puts what a user should know of the preconditioner into the report.
  void describe_preconditioner(solver_run<T>& run) const;

  prepared_matrix<T>& matrix_;
  solve_options& options_;
  solve_setup& setup_;
  std::optional<solver_run<T>> current_;
  std::vector<solver_run<T>> left_;
};

extern template class solver_runs<double>;
extern template class solver_runs<float>;

}  // namespace dwell
