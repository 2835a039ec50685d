// SPDX-License-Identifier: MIT
// A run of method "direct": factors of the matrix, solutions with them, and iterative refinement
// in f64. To a solver it is a run like those of iterative methods, of which a step is one solution
// with the factors. All of it is in the numbers of the matrix whose rows and columns are scaled, so
// that rows of very different sizes count alike: R A C y = R b, x = C y. Private to the solver.
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
  void take_unit(int exponent) override { unit_ = exponent; }
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
  enum class scaling { largest, mean };
  /// Returns why there are no factors of this kind, or nothing.
  std::string factorise_as(std::unique_ptr<matrix_factors>& one, bool symmetric, scaling how);
  /// By LU; why: not by L D L^T, or empty. Makes factors of these values once.
  void take_lu(const std::string& why);
  /// By the factors that the first run of these values began with: answers do not depend on the
  /// runs before.
  void take_first();
  /// More than 1 / epsilon: the factors are those of a singular matrix, by rounding.
  bool is_singular(matrix_factors& factors, const csr_view<double>& scaled) const;
  csr_view<T> matrix() const;
  csr_view<double> scaled_matrix() const;
  /// The vectors of the scaled system, from the caller's.
  void take_vectors();
  /// x from the answer y.
  void give_answer();
  /// LU in place of L D L^T amid a run: rows and columns are scaled anew, the vectors as well.
  void change_to_lu();
  /// r = R b - R A C y, and the square of the norm of b - A x.
  double residual_of(const std::vector<double>& y, std::vector<double>& r) const;
  /// The largest part of a row that r is: of |R A C| |y| + |R b|.
  double part_of_terms(const std::vector<double>& y, const std::vector<double>& r) const;
  bool is_unstable(const std::vector<double>& y, const std::vector<double>& r) const;
  /// The answer and its residual after one more solution with the factors.
  double step(const std::vector<double>& r, std::vector<double>& next, std::vector<double>& rest);
  void iterate(run_control& control);
  /// Steps for rows that the norm does not see, while they help.
  void refine_rows(run_control& control);
  /// Notes the residual of a step; false: somebody asks for the end.
  bool note(const run_control& control);

  const prepared_system<T>& matrix_;
  const solve_options& options_;
  solve_setup& setup_;
  const factor_library& library_;
  const counted_fill* known_;
  matrix_exponents by_;                        ///< those of the present factors
  std::vector<double> values_;                 ///< values of the scaled matrix
  std::unique_ptr<matrix_factors> ldlt_, lu_;  ///< analysed, once they are needed
  matrix_exponents by_of_ldlt_, by_of_lu_;
  bool begins_with_ldlt_ = false, lu_made_ = false;  ///< by these values
  matrix_factors* current_ = nullptr;                ///< or null: the matrix is singular
  std::string why_lu_, why_none_, why_no_lu_;

  std::vector<T> x_, rhs_;  ///< the caller's numbers
  int unit_ = 0;            ///< norms of residuals are divided by two to this power
  int limit_ = 0;

  // Members of the last run:
  scalars now_;
  int scale_ = 0;  ///< the vectors of the scaled system are divided by two to this power
  std::vector<double> scaled_rhs_, answer_, residual_, history_;
  double seconds_ = 0;
  solve_setup more_;
};

}  // namespace dwell
