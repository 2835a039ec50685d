// SPDX-License-Identifier: MIT
// A solve: from a right-hand side and a start vector to an answer and its report, by as many runs
// as that takes. next() says what follows what. Private to the solver.
#pragma once
#include <climits>
#include <optional>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/lap_timer.hpp"
#include "dwell/execution/device/run_control.hpp"
#include "dwell/execution/device/threads/host_threads.hpp"
#include "dwell/linear/solve.hpp"
#include "dwell/solvers/linear/run/prepared_solver.hpp"
#include "dwell/solvers/linear/run/searched_run.hpp"
#include "dwell/solvers/linear/run/verification.hpp"

namespace dwell {

enum class attempt {
  first,        ///< from the start vector; a probe is short
  after_probe,  ///< from its answer, with the preconditioner that it speaks for
  multigrid,    ///< from the answer, where Jacobi took as long as multigrid was projected to take
  other_preconditioner,  ///< from the answer, where another one is projected to end sooner; where
                         ///< one has failed, from the start vector
  factors,               ///< from the answer, where method direct is projected to end sooner
  no_factors,  ///< from the answer, by the method before, where these were none or of little worth
  in_f64,      ///< from the answer, where f32 is too short
  refinement,  ///< from the answer, where its true residual misses the target; as long as it helps
  other_method,  ///< from the start vector, where the choice of cg broke down; of bicgstab from
                 ///< the answer, if it has a smaller residual than zeros
  none
};

/// A run on its way: it is waited for at the latest where this ends.
template <class T>
class started_run {
 public:
  started_run(prepared_run<T>& run, run_control control)
      : control_(std::move(control)), run_(&run) {
    run.start(control_);
  }
  ~started_run() {
    try {
      if (run_) run_->finish();
    } catch (...) {  // the device's, or a progress function's: nobody is there to be told
    }
  }
  started_run(const started_run&) = delete;
  started_run& operator=(const started_run&) = delete;
  /// Its seconds.
  double finish() { return std::exchange(run_, nullptr)->finish(); }

 private:
  run_control control_;
  prepared_run<T>* run_;
};

template <class T>
class attempts {
 public:
  /// The solver and the vectors, in the device's memory, must stay; no two at a time. began: the
  /// call, on the host's clock. further: by which attempts after this solve, if it is one of f32,
  /// go below its target, as a factor.
  attempts(prepared_solver<T>& solver, const T* b, T* x, double began, double further = 1)
      : s_(solver), b_(b), x_(x), further_(further), began_(began) {}
  attempts(const attempts&) = delete;
  attempts& operator=(const attempts&) = delete;

  /// A whole solve, by what is chosen now; the report is of x, its best answer. refuse() throws for
  /// vectors that are not finite.
  template <class Refuse>
  solve_report run(Refuse&& refuse);
  /// A solve without a look at the start vector in the end: an attempt in f32 of one in f64.
  const solve_report& answer();
  /// Puts the first attempt into the device's stream.
  void start() { begin(); }
  /// Waits for it, which is the only one.
  template <class Refuse>
  solve_report wait(Refuse&& refuse);
  /// Refines x of a solve in a group.
  void refine_column(solve_report& of);
  /// `progress` asked for the end, on any rank; called by all of them.
  bool was_refused() const;

 private:
  attempt next(attempt last) const;
  void make(attempt one);
  void begin_with_method();
  void settle_and_go_on();
  void go_on_with_multigrid();
  void go_on_with_another();
  void go_on_with_factors();
  void go_on_without_factors();
  void change_method();
  void go_on_in_f64();
  void refine();
  /// Where the solve did not do what was asked for, x becomes the best that there is: about the
  /// best one that the iteration had, or the start vector. Adds what it takes to the report's
  /// finish_s.
  void keep_best();

  /// One run from x. so_far: of the attempts before, of which x is the answer; most: iterations;
  /// quietly: nobody is told of its progress.
  void begin(const solve_report* so_far = nullptr, int most = INT_MAX, bool quietly = false,
             bool judged = false);
  /// Waits for it. Where seen_.finite is 0 there was nothing to solve, and x is as it was.
  solve_report end(const solve_report* so_far = nullptr);
  /// Begins a run from x, the answer so far, and adds it to the report.
  void go_on(int most = INT_MAX, bool judged = false);

  bool may_go_on() const;
  /// The run was ended for a preconditioner or for factors that are projected to end sooner.
  bool was_left() const;
  /// What follows a run that a judge may have ended.
  attempt after_judged() const;
  /// Factors have not done what was asked for, and iterations may.
  bool factors_failed() const;
  /// From now on this choice; why the solve is as it was with the one before, or nothing. Throws
  /// interrupted_error.
  std::string why_not(solver_choice wanted);
  /// Likewise, with its set-up in the report.
  std::string change_to(solver_choice wanted);
  /// It did not do what was asked for, and another preconditioner may.
  bool failed() const;
  bool has_choice_left() const;
  /// The judge of the next run, or none.
  void make_judge(int allowed);
  /// Adds the last run to the report's attempts.
  void list(const solve_report& of);
  /// Says of the last one why another one followed.
  void say_why(const std::string& why);
  /// x and its report, if it is the best answer of those that attempts left.
  void keep_answer();
  /// The best answer of all attempts becomes that of the solve.
  void take_best_answer();
  /// f(), a set-up amid the solve, counts in the report.
  template <class F>
  void setting_up(F&& f);
  /// Chooses by what the probe has shown. Returns after how many iterations multigrid takes over.
  int settle();
  /// Where that fails Jacobi's stays, and the reason says so. Throws interrupted_error.
  void change_preconditioner(preconditioner wanted);
  /// The exponent of ||b - A x||, where the report says what that is; else INT_MAX.
  int exponent_of_residual(const solve_report& of) const;
  /// The step whose residual was so small that going back to it pays, of cg the least one; 0: none.
  int best_step(const std::vector<step_coefficients>& seen_by_step) const;
  /// Runs to the best step again.
  void go_back();
  /// Keeps a start vector; false: there is no room for it.
  bool keep_start(const T* from);
  /// It is kept, if need be now: after the first attempt, of which x is the answer.
  bool has_start();
  bool has_room_for_answer();
  void copy_vector(T* to, const T* from) const;
  solver_run<T>& current() const { return s_.runs.current(); }
  /// The run that is taken, with the vectors of this solve.
  solve_places<T> places_now() const;

  prepared_solver<T>& s_;
  const T* const b_;
  T* const x_;
  const double further_;
  double began_;
  double first_ = 0, ended_ = 0;  ///< times of the last run, on the host's clock
  double told_from_ = 0;          ///< the first run
  bool refused_ = false;          ///< here
  bool start_kept_ = false;
  int patience_ = INT_MAX;
  int best_ = 0;  ///< best_step() of its only attempt
  solve_numbers seen_;
  solve_report report_;
  std::optional<searched_run> judge_;            ///< judge of the last run
  double counting_s_ = 0;                        ///< counts of the fill in it
  std::optional<solver_choice> before_factors_;  ///< choice of the run that factors followed
  double set_up_s_ = 0;                          ///< set-ups before the next run
  bool x_is_start_ = false;                      ///< the report so far is of another x
  std::vector<solve_attempt> list_;
  std::optional<solve_report> best_report_;  ///< report of work.best
  std::optional<started_run<T>> running_;
};

template <class T>
template <class Refuse>
solve_report attempts<T>::run(Refuse&& refuse) {
  const threads_at_most threads = host_threads_of(s_.matrix.where());
  if (has_choice_left() && !keep_start(x_))
    throw device_error(
        "no memory is left for a copy of the start vector, which the choice of a method, of a "
        "preconditioner or mixed precision need");
  answer();
  if (!seen_.finite) refuse();
  keep_best();
  s_.add_direct_advice(report_);
  return std::move(report_);
}

template <class T>
template <class Refuse>
solve_report attempts<T>::wait(Refuse&& refuse) {
  const threads_at_most threads = host_threads_of(s_.matrix.where());
  report_ = end();
  if (!seen_.finite) refuse();
  report_.finish_s = seconds_on_host() - ended_;
  report_.attempts = list_;
  best_ = 0;  // nobody goes back
  keep_best();
  return std::move(report_);
}

extern template class attempts<double>;
extern template class attempts<float>;

}  // namespace dwell
