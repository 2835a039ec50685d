// SPDX-License-Identifier: MIT
// What a linear_solver holds, and one solve of it: begin and end, with vectors where the device's
// teams read them. Private to the solver.
#pragma once
#include <algorithm>
#include <climits>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/interruption.hpp"
#include "dwell/base/lap_timer.hpp"
#include "dwell/execution/comm/device_halo.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/device/device_backends.hpp"
#include "dwell/execution/device/work_queue.hpp"
#include "dwell/linear/solve.hpp"
#include "dwell/solvers/linear/check/memory_check.hpp"
#include "dwell/solvers/linear/check/null_vectors.hpp"
#include "dwell/solvers/linear/check/system_check.hpp"
#include "dwell/solvers/linear/choose/decide.hpp"
#include "dwell/solvers/linear/run/column_groups.hpp"
#include "dwell/solvers/linear/run/prepared_system.hpp"
#include "dwell/solvers/linear/run/solve_steps.hpp"
#include "dwell/solvers/linear/run/solver_way.hpp"
#include "dwell/solvers/preconditioners/made_preconditioner.hpp"

namespace dwell {

inline constexpr const char* name_of_b = "right-hand side";
inline constexpr const char* name_of_x = "start vector";
/// The part of a block of vectors that belongs to column k; `what` names the block.
inline std::string column_name(const char* what, int k) {
  return std::string(what) + " of column " + std::to_string(k + 1);
}

/// What was set up between two looks at a solver's sums.
solve_setup difference(const solve_setup& now, const solve_setup& before);
/// The report of a solve in two parts, the second of which began from the answer of the first.
solve_report joined(const solve_report& first, solve_report rest);
/// Ends a solve that was interrupted between two runs: x is that of the one that the report is of.
void end_interrupted(solve_report& report);

template <class T>
struct solver_state {
  template <class Matrix>
  solver_state(const device& where, const Matrix& a, const solve_options& o)
      : options(o),
        setup{where.on() == backend::cuda ? start_cuda(where.ordinal()) : 0.0},
        queue(where),
        target(target_of(queue.where())),
        matrix(queue.where(), a, demand_of(o), setup),
        null_space(queue.where(), o, matrix.arrays().rows, matrix.ranks()),
        began(seconds_on_host()) {
    choose_method();
    check_null_vectors();
    choose_preconditioner();
    prepare();
    remember_choice();
  }
  ~solver_state() {
    try {
      if (running) run->finish();
    } catch (...) {  // the device's, or a progress function's: nobody is there to be told
    }
  }

  bool on_gpu() const { return queue.where().on() == backend::cuda; }
  index rows() const { return matrix.arrays().rows; }
  void choose_method();
  /// Now, and of other values of the matrix.
  void check_null_vectors();
  /// Another method, where the one that was chosen asks more of the matrix than it is. False: there
  /// is none, or the set-up was interrupted, as the report says then.
  bool change_method(solve_report& failed);
  bool may_change_method(const solve_report& failed) const;
  /// Where that is left open: by the facts of the matrix, and perhaps for a probe only.
  void choose_preconditioner();
  /// A whole solve of vectors in the device's memory, whose report has its best answer, by what a
  /// new solver would choose. refuse() throws for vectors that are not finite.
  template <class Refuse>
  solve_report solve_here(const T* b, T* x, Refuse&& refuse) {
    begin_anew();
    return solve_chosen(b, x, refuse);
  }
  /// Solves by what is chosen now.
  template <class Refuse>
  solve_report solve_chosen(const T* b, T* x, Refuse&& refuse);
  /// A solve, and if the preconditioner is still open what decides it: a first part with Jacobi,
  /// and the rest from its answer. Ends as end() does.
  solve_report solve_once(const T* b, T* x);
  /// Where the choice of amg ends the solve by a breakdown, jacobi goes on, now and later. Returns
  /// whether it was so.
  bool come_back(const T* b, T* x, solve_report& report);
  /// The preconditioner that the report of a probe speaks for; prepares it. Returns after how many
  /// iterations multigrid takes over.
  int settle(const solve_report& probe);
  /// Prepares another preconditioner; where that fails, Jacobi's, and the reason says so. Throws
  /// interrupted_error with Jacobi's prepared.
  void change_preconditioner(preconditioner wanted);
  void prepare();
  way_choice choice() const;
  void set_choice(const way_choice& to);
  /// What is chosen now is what every solve begins with.
  void remember_choice();
  /// From now on by another way, which is prepared unless it was left before. Where that throws the
  /// way stays; `run` is null if there was no memory for both.
  void take_way(const way_choice& wanted);
  void bring_up_to_date();
  void prepare_way();
  void leave_way();
  bool enter_left_way(const way_choice& wanted);
  void forget_way();
  /// Before a solve: back to what was chosen first. Not within a block of columns.
  void begin_anew();
  /// The part of prepare() that is left where attempts iterate in f32; false: they cannot, and
  /// prepare() goes on in f64.
  bool prepare_mixed();
  /// What reports say of the run in mixed precision: before its end and after it.
  void describe_mixed();
  void conclude_mixed(solve_report& report) const;
  double condition_of_mixed() const;
  /// From now on in f64, for this reason.
  void leave_mixed(const std::string& why);
  /// What is left of a solve in mixed precision, in f64, where f32 is too short.
  solve_report beyond_f32(const T* b, T* x, const solve_report& so_far);
  /// New values, in mixed precision.
  void refresh_mixed();
  void place_vectors();
  void make_preconditioner();
  /// To be called where an exception is caught: throws on what one rank of several may have alone,
  /// for then the others are not where it is.
  void rethrow_of_one_rank(const error& e) const;
  /// Makes it by all ranks, if there are several: where it fails on one, it does on all.
  void make_preconditioners();
  /// Note of the one that was set up, if one was: what a user should know.
  std::string preconditioner_note() const;
  /// To be called when the matrix has other values: of the way that solves begin with; others
  /// follow when they are taken.
  void refresh();
  void refresh_way();
  void place_matrix();
  void require_idle() const;
  /// To be called where there is no way back: all later calls are refused.
  void forget_run();
  /// f(), a set-up between two parts of a solve: may be interrupted as the solve may. Of several
  /// ranks in what they make together alone, for else one would leave the others.
  template <class F>
  void set_up_amid_solve(F&& f);
  /// `progress` asked for the end, on any rank; called by all of them.
  bool was_refused() const;
  /// check_finite() of a vector in a GPU's memory.
  void check_finite_there(const T* from, const std::string& what) const;
  /// The solves of a block: alone(k) of column k; group(first, width, began) of several columns,
  /// of which again(k, report) refines one, and refuse(k) throws for one that is not finite.
  template <class Alone, class Group, class Again, class Refuse>
  std::vector<solve_report> solve_block(int count, Alone&& alone, Group&& group, Again&& again,
                                        Refuse&& refuse);
  /// Solves a block of vectors in host memory: b_of(k) and x_of(k) are spans. checked(f) calls f,
  /// which throws for what is wrong; of ranks it does so on all.
  template <class B, class X, class Alone, class Checked>
  std::vector<solve_report> solve_host_block(int count, B&& b_of, X&& x_of, Alone&& alone,
                                             Checked&& checked);
  /// Puts a solve of vectors in the device's memory into its stream; so_far: the attempts before,
  /// of which x is the answer; most: iterations.
  void begin(const T* b, T* x, const solve_report* so_far = nullptr, int most = INT_MAX);
  /// Exponent of ||b - A x||, where the report says what that is; else INT_MAX.
  int exponent_of_residual(const solve_report& report) const;
  /// Waits for it. Where seen.finite is 0 there was nothing to solve, and x is as it was.
  solve_report end(const solve_report* so_far = nullptr);
  /// Begins anew from x, the answer of the solve that the report is of, as long as that is asked
  /// for and helps. Vectors in the device's memory. Adds what else it takes to the report's
  /// finish_s.
  void refine(const T* b, T* x, solve_report& report);
  /// Where the solve did not do what was asked for, x becomes the best that there is: about the
  /// best one that the iteration had, or the start vector. Vectors in the device's memory. Adds
  /// what it takes to the report's finish_s.
  void keep_best(const T* b, T* x, solve_report& report);
  /// The part of it that runs to the best step again.
  void go_back(const T* b, T* x, solve_report& report);
  /// The step whose residual was so small that going back to it pays, of cg the least one; 0: none.
  int best_step(const std::vector<step_coefficients>& seen_by_step) const;
  /// Keeps the start vector of the solve; false: there is no room for it.
  bool keep_start(const T* from);
  /// It is kept, if need be now: after the first attempt, of which x is the answer.
  bool has_start(const T* x);
  void copy_vector(T* to, const T* from) const;
  /// More than one run may be needed before the start vector is forgotten.
  bool has_parts() const { return left_open || mixed || chosen; }

  solve_options options;      ///< their method is never "auto", nor their preconditioner
  std::string method_reason;  ///< why this one
  bool chosen = false;        ///< it was "auto"
  std::string preconditioner_reason = "as asked";
  bool left_open = false;  ///< amg may be chosen, or was
  bool undecided = false;  ///< the preconditioner is that of a probe
  double further = 1;      ///< by which attempts after this one go below its target, as a factor
  solve_setup setup;
  work_queue queue;  ///< ends after all that its work touches
  plan_target target;
  prepared_system<T> matrix;
  null_vectors null_space;  ///< that are given
  // Members of the way that is taken, as solver_way has it:
  std::unique_ptr<made_preconditioner> chain;
  solve_report prepared;
  std::unique_ptr<prepared_run<T>> run;
  mixed_precision_run* mixed = nullptr;
  std::string why_f64;  ///< although mixed precision was asked for; else empty
  bool outdated = false;
  solve_places<T> places;
  buffer<T> b, x;   ///< a GPU's copies of host vectors
  buffer<T> kept;   ///< the answer that an attempt began from
  buffer<T> start;  ///< the start vector, where that is kept
  std::unique_ptr<cut_cache<T>> cuts;
  std::unique_ptr<column_groups<T>> groups;
  first_choice first_chosen;
  std::vector<solver_way<T>> left;  ///< ways that a solve has left
  buffer<row_residual> residual;
  buffer<double> partial;
  buffer<unsigned> done;
  buffer<solve_numbers> numbers;
  buffer<null_parts> parts;
  std::unique_ptr<halo_exchange> ghosts_of_x;      ///< exchange of several ranks
  std::unique_ptr<device_halo> ghosts_of_x_there;  ///< exchange of several ranks on GPUs
  buffer<double> rank_totals;                      ///< sums of several ranks

  // Members of the solve in progress, or the last one:
  double began = 0, first = 0, ended = 0;  ///< on the host's clock: the call, and the run
  double told_from = 0;                    ///< the first run, where there are several attempts
  bool refused = false;                    ///< `progress` asked for the end
  bool running = false;
  bool amid_block = false;                 ///< a solve of one column of several
  std::function<bool()> asked_amid_solve;  ///< for several ranks, amid a set-up: is it to end?
  bool waited_for = false;                 ///< solve_async() began it
  device_span<const T> async_b;
  device_span<T> async_x;
  solve_numbers seen;
  bool start_kept = false;
  int best = 0;  ///< best_step() of its only attempt
  run_control control;
};

template <class T>
template <class Refuse>
solve_report solver_state<T>::solve_chosen(const T* from, T* to, Refuse&& refuse) {
  start_kept = false;
  if (has_parts() && !keep_start(to))
    throw device_error(
        "no memory is left for a copy of the start vector, which the choice of a method, of a "
        "preconditioner or mixed precision need");
  solve_report report = solve_once(from, to);
  if (!seen.finite) refuse();
  report.finish_s = seconds_on_host() - ended;
  refine(from, to, report);
  if (change_method(report)) {  // it counts as the one from the start
    copy_vector(to, start.data());
    began = seconds_on_host();
    return solve_chosen(from, to, refuse);
  }
  keep_best(from, to, report);
  return report;
}

template <class T>
template <class F>
void solver_state<T>::set_up_amid_solve(F&& f) {
  const interruption_scope* const of_solve = interruption_scope::current();
  const std::function<bool()> wanted = [this, of_solve] {
    return (options.interrupt && options.interrupt->load()) ||
           (of_solve && of_solve->wanted_outside());
  };
  if (!matrix.ranks()) {
    const interruption_scope scope(wanted);
    return f();
  }
  asked_amid_solve = wanted;
  const struct end_of_set_up {
    std::function<bool()>& asked;
    ~end_of_set_up() { asked = nullptr; }
  } ends{asked_amid_solve};
  f();
}

template <class T>
template <class Alone, class Group, class Again, class Refuse>
std::vector<solve_report> solver_state<T>::solve_block(int count, Alone&& alone, Group&& group,
                                                       Again&& again, Refuse&& refuse) {
  begin_anew();
  amid_block = true;
  const struct end_of_block {
    bool& amid;
    ~end_of_block() { amid = false; }
  } ends{amid_block};
  std::vector<solve_report> reports;
  double begin = seconds_on_host();  // the first group's, with what it takes to prepare groups
  if (undecided && count > 0) {
    reports.push_back(alone(0));
    begin = seconds_on_host();
  }
  const column_division by = groups->divide(count - static_cast<int>(reports.size()));
  const std::string method = options.method;
  for (const int width : by.widths) {
    const int first = static_cast<int>(reports.size());
    if (width == 1) {
      reports.push_back(alone(first));
      if (!by.why_alone.empty())
        reports.back().reason += "; one right-hand side at a time: " + by.why_alone;
    } else if (options.method != method) {  // it has been changed
      for (int c = 0; c < width; ++c) reports.push_back(alone(first + c));
    } else {
      group_solve<T> got = group(first, width, begin);
      start_kept = true;  // the vectors of a run alone are of another column
      const double finish_s = seconds_on_host() - got.ended;
      for (int c = 0; c < width; ++c)
        if (!got.finite[static_cast<std::size_t>(c)]) refuse(first + c);
      for (solve_report& report : got.reports) {
        report.finish_s = finish_s;
        report.method_reason = method_reason;
        report.preconditioner_reason = preconditioner_reason;
        if (report.stopped == stop_reason::breakdown &&
            (options.method != method || change_method(report)))
          report = alone(static_cast<int>(reports.size()));
        else if (report.target_missed && options.refine)
          again(static_cast<int>(reports.size()), report);
        reports.push_back(std::move(report));
      }
    }
    begin = seconds_on_host();
  }
  return reports;
}

template <class T>
template <class B, class X, class Alone, class Checked>
std::vector<solve_report> solver_state<T>::solve_host_block(int count, B&& b_of, X&& x_of,
                                                            Alone&& alone, Checked&& checked) {
  const auto n = static_cast<std::size_t>(rows());
  return solve_block(
      count, alone,
      [&](int first, int width, double began_at) {
        std::vector<column_data<T>> columns;
        checked([&] {
          for (int k = first; k < first + width; ++k)
            for (int other = first; other < first + width; ++other)
              check_memory(matrix.in_place(), b_of(other), std::span<const T>(x_of(k)));
        });
        for (int k = first; k < first + width; ++k)
          columns.push_back({b_of(k).data(), x_of(k).data()});
        if (on_gpu()) {
          buffer<T>&b_there = groups->b_of(width), &x_there = groups->x_of(width);
          for (int c = 0; c < width; ++c) {
            const auto at = static_cast<std::size_t>(c) * n;
            b_there.upload(b_of(first + c), at);
            x_there.upload(x_of(first + c), at);
            columns[static_cast<std::size_t>(c)] = {b_there.data() + at, x_there.data() + at};
          }
        }
        group_solve<T> got = groups->solve(columns, began_at, chosen);
        if (on_gpu())
          for (int c = 0; c < width; ++c)
            if (got.finite[static_cast<std::size_t>(c)])
              groups->x_of(width).download(x_of(first + c), static_cast<std::size_t>(c) * n);
        return got;
      },
      [&](int k, solve_report& report) {
        if (!on_gpu()) return refine(b_of(k).data(), x_of(k).data(), report);
        b.upload(b_of(k));
        x.upload(x_of(k));
        refine(b.data(), x.data(), report);
        x.download(x_of(k));
      },
      [&](int k) {
        checked([&] {
          check_finite(std::span<const T>(b_of(k)), column_name(name_of_b, k).c_str());
          check_finite(std::span<const T>(x_of(k)), column_name(name_of_x, k).c_str());
        });
      });
}

extern template struct solver_state<double>;
extern template struct solver_state<float>;

}  // namespace dwell
