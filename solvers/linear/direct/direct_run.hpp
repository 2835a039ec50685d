// SPDX-License-Identifier: MIT
// A run of method "direct": factors of the matrix, solutions with them, and iterative refinement
// in f64. To a solver it is a run like those of iterative methods, of which a step is one solution
// with the factors. Private to the solver.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "dwell/linear/solve.hpp"
#include "dwell/solvers/linear/choose/variant.hpp"
#include "dwell/solvers/linear/direct/equilibrate.hpp"
#include "dwell/solvers/linear/direct/factors.hpp"
#include "dwell/solvers/linear/run/prepared_system.hpp"
#include "dwell/solvers/linear/run/solver_run.hpp"

namespace dwell {

template <class T>
class direct_run final : public prepared_run<T>, public factorised_run {
 public:
  /// The matrix must stay, on a CPU, and `known`, what is known of its fill, or null. Adds to
  /// `setup`, now and with other values. Throws device_error for too little memory.
  direct_run(const prepared_system<T>& matrix, const solve_options& options,
             const counted_fill* known, solve_setup& setup);

  run_places<T> places(int column = 0) override;
  void connect() override {}
  kernel_making load_kernel() override { return {}; }
  void refill(const large_csr_arrays<T>& a, int exponent) override;
  void take_sequence(const owned_sequence&) override {}
  void limit(int iterations) override { limit_ = iterations; }
  void ask(run_judge*) override {}
  void reset() override { now_ = {}; }
  /// Does the run.
  void start(run_control& control) override;
  double finish() override { return seconds_; }
  std::vector<step_coefficients> coefficients(std::size_t) const override { return {}; }
  std::vector<double> history(std::size_t count) const override;
  int last_noted() const override { return now_.step; }

  void conclude(solve_report& report) const override;
  std::string library() const override;

 private:
  struct scalars {
    double target2 = 0, rr = 0;
    int step = 0, stop = 0;
  };
  /// Factors of the values, by the first kind that has some.
  void factorise();
  /// Returns why there are no factors of this kind, or nothing.
  std::string factorise_as(std::unique_ptr<matrix_factors>& one, bool symmetric);
  /// From now on by LU; why: not by L D L^T, or empty.
  void take_lu(const std::string& why);
  /// More than 1 / epsilon: the factors are those of a singular matrix, by rounding.
  bool is_singular(matrix_factors& factors, const csr_view<double>& scaled) const;
  csr_view<T> matrix() const;
  csr_view<double> scaled_matrix() const;
  /// r = b' - A' x, and r.r.
  double residual_of(const std::vector<double>& x, std::vector<double>& r) const;
  /// v becomes A'^-1 v.
  void solve_by_factors(std::vector<double>& v);
  bool is_unstable(const std::vector<double>& x, const std::vector<double>& r) const;
  void iterate(run_control& control);
  /// Notes the residual of a step; false: somebody asks for the end.
  bool note(const run_control& control);

  const prepared_system<T>& matrix_;
  const solve_options& options_;
  solve_setup& setup_;
  const factor_library& library_;
  const counted_fill* known_;
  int exponent_ = 0;  ///< A' = 2^exponent A
  matrix_exponents by_;
  std::vector<double> values_;                 ///< values of the scaled matrix
  std::unique_ptr<matrix_factors> ldlt_, lu_;  ///< analysed, once they are needed
  matrix_factors* current_ = nullptr;          ///< or null: the matrix is singular
  std::string why_lu_, why_none_;

  std::vector<T> x_, rhs_;
  int limit_ = 0;

  // Members of the last run:
  scalars now_;
  std::vector<double> answer_, history_;
  double seconds_ = 0;
  solve_setup more_;
};

}  // namespace dwell
