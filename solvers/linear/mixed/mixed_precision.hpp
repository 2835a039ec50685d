// SPDX-License-Identifier: MIT
// Iterative refinement in mixed precision (Wilkinson 1963; Carson and Higham 2018; Goeddeke,
// Strzodka and Turek 2007): the system, its solution and residuals in f64, the iteration in f32. To
// a solver of systems in f64 it is one run; inside, an attempt after the other solves A d = r in
// f32 for the residual r in f64, and adds d. Private to the solver.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "dwell/execution/device/buffer.hpp"
#include "dwell/linear/solve.hpp"
#include "dwell/solvers/linear/choose/variant.hpp"
#include "dwell/solvers/linear/mixed/mixed_steps.hpp"
#include "dwell/solvers/linear/mixed/narrowed_rows.hpp"
#include "dwell/solvers/linear/run/prepared_system.hpp"
#include "dwell/solvers/linear/run/solver_run.hpp"

namespace dwell {

template <class T>
struct prepared_solver;

/// How small a residual an attempt in f32 is to leave, of the one that it begins with.
class attempt_tolerance {
 public:
  /// For a residual that must fall to `needed` of what it is, 0 to 1.
  double next(double needed) const;
  /// An attempt that was to leave `asked` has left `left`. Returns whether another one is worth it.
  bool learn(double asked, double left);

 private:
  double drift_ = 1.1;  ///< the true residual of the attempt before over the carried one
};

class mixed_precision_run final : public prepared_run<double>, public mixed_run {
 public:
  /// All must stay valid; `where` has the stream that all work goes to. The method of the options
  /// is decided. Adds to `setup`. Throws input_error if the matrix in f32 is not what the method
  /// asks for.
  mixed_precision_run(const device& where, const prepared_system<double>& matrix,
                      const solve_options& options, bool constant_null_space, solve_setup& setup);
  ~mixed_precision_run() override;

  run_places<double> places(int column = 0) override;
  void connect() override {}
  kernel_making load_kernel() override { return {}; }
  void refill(const large_csr_arrays<double>& a, int exponent) override;
  void take_sequence(const owned_sequence&) override {}
  void limit(int iterations) override { limit_ = iterations; }
  void ask(run_judge*) override {}  ///< attempts in f32 ask judges of their own
  void reset() override;
  /// Does the run.
  void start(run_control& control) override;
  double finish() override { return seconds_; }
  std::vector<step_coefficients> coefficients(std::size_t) const override { return {}; }
  std::vector<double> history(std::size_t count) const override;
  int last_noted() const override { return now_.step; }

  solve_report prepared() const override;
  void conclude(solve_report& report) const override;
  double condition() const override { return condition_; }
  const std::string& why_too_short() const override { return too_short_; }
  preconditioner current_preconditioner() const override;
  const std::string& preconditioner_reason() const override;
  const solve_setup& setup() const override;

 private:
  /// The words of a run, in memory of the device.
  struct scalars {
    double target2 = 0, rr = 0;
    int step = 0, stop = 0;
  };
  void take_values(const large_csr_arrays<double>& a);
  /// The solver in f32, of the values that have been taken.
  std::unique_ptr<prepared_solver<float>> inner_solver(const solve_options& o);
  /// r.r of b - A x for these x; waits for it.
  double residual_of(const buffer<double>& x);
  /// Sets up an attempt to solve for the residual in f32, down to this part of it.
  void begin_attempt(double tolerance, const run_control& control);
  void add_history(const solve_report& of);
  void iterate(run_control& control);
  /// Makes an attempt that is to leave `asked` of the residual, and takes its answer if it is any
  /// good. Returns whether the run goes on.
  bool attempt_and_take(double asked, const run_control& control);

  device where_;
  const prepared_system<double>& matrix_;
  const mixed_steps& steps_;
  const bool wants_history_;
  int exponent_ = 0;  ///< the f32 matrix is that of the caller divided by two to this power
  buffer<float> val_;
  std::vector<float> values_here_;  ///< ranks on GPUs: what preconditioners are made of
  std::unique_ptr<prepared_solver<float>> inner_;
  buffer<double> x_, rhs_, residual_, trial_, inverse_diagonal_, partial_;
  vector_ghosts ghosts_of_x_, ghosts_of_trial_;  ///< exchanges of several ranks
  buffer<unsigned> done_;
  buffer<scalars> scalars_;
  int limit_ = 0;

  // Members of the last run:
  scalars now_;
  int unit_ = 0;  ///< the attempt solves for the residual divided by two to this power
  int attempts_ = 0;
  attempt_tolerance tolerance_;
  std::vector<double> history_;
  std::string too_short_;
  bool broke_down_ = false;
  double condition_ = 0, seconds_ = 0;
  solve_setup more_;
};

}  // namespace dwell
