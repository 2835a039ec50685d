// SPDX-License-Identifier: MIT
// What a solver holds between its solves: the matrix, what is chosen for it, and the runs that are
// prepared. A solve is a value of its own (attempts.hpp). Private to the solver.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "dwell/execution/device/cuda_backend.hpp"
#include "dwell/linear/solve.hpp"
#include "dwell/solvers/linear/choose/solver_choice.hpp"
#include "dwell/solvers/linear/run/prepared_matrix.hpp"
#include "dwell/solvers/linear/run/solve_workspace.hpp"
#include "dwell/solvers/linear/run/solver_runs.hpp"

namespace dwell {

template <class T>
struct prepared_solver {
  /// Checks the matrix; the options have been checked. choose() and plan() are to follow.
  template <class Matrix>
  prepared_solver(const device& where, const Matrix& a, const solve_options& o)
      : options(o),
        setup{where.on() == backend::cuda ? start_cuda(where.ordinal()) : 0.0},
        matrix(where, a, o, setup),
        runs(matrix, options, setup) {}

  /// Method, preconditioner and precision, by the facts of the matrix. Throws input_error and
  /// unsupported_error for what no run could be prepared for.
  void choose();
  /// Prepares the run of the choice, which is the one that every solve begins with.
  void plan();
  /// Before a solve: back to what was chosen first.
  void begin_anew();
  /// To be called when the matrix has other values: of the run that solves begin with; others
  /// follow when they are taken.
  void refresh();
  /// From now on another choice, prepared amid a solve: may be interrupted as the solve may. Of
  /// several ranks in what they make together alone, for else one would leave the others. Where
  /// that throws, the choice of before stays.
  void change(solver_choice wanted);
  /// The method after a breakdown of the one that was chosen. Returns whether there is one; where
  /// its set-up was interrupted the report says so.
  bool change_method(solve_report& failed);
  /// Adds what a direct solver would need to the advice of a solve that failed and took long enough
  /// for that to be counted; of small systems of one process.
  void add_direct_advice(solve_report& report);
  /// May factors follow the run that is taken, by what is left open and by the matrix?
  bool factors_may_follow() const { return now.direct_open && matrix.has_fill(options); }
  /// May the run that is taken be left amid a solve?
  bool is_open() const {
    return now.probe || (now.judged && now.search.open()) || factors_may_follow();
  }
  /// Throws device_error if a run was lost.
  void require_run() const;
  /// Throws input_error unless a vector in a GPU's memory is finite; `what` names it.
  void check_finite_there(const T* from, const std::string& what) const;

  solve_options options;  ///< method, preconditioner and precision: of the run that is taken
  solve_setup setup;
  prepared_matrix<T> matrix;
  solver_choice now;  ///< choice of the solve in progress, or the last one
  solver_runs<T> runs;
  solver_choice first;  ///< what every solve begins with
  solve_workspace<T> work;
};

extern template struct prepared_solver<double>;
extern template struct prepared_solver<float>;

}  // namespace dwell
