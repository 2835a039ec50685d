// SPDX-License-Identifier: MIT
// Runs of the methods for complex values (solvers/cg/complex.hpp and its neighbours), as values:
// which of them there is, its plan, its kernels. Private to the solver.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dwell/base/complex_value.hpp"
#include "dwell/execution/device/kernel_making.hpp"
#include "dwell/execution/device/plan_target.hpp"
#include "dwell/execution/device/run_control.hpp"
#include "dwell/execution/device/run_judge.hpp"
#include "dwell/execution/krylov/plan/plan.hpp"
#include "dwell/execution/krylov/products/sequence.hpp"
#include "dwell/execution/krylov/spmv/cut_matrix.hpp"
#include "dwell/linear/solve.hpp"

namespace dwell {

/// How a run ended, in the units of its system.
struct complex_end {
  int step = 0;
  int stop = 0;        ///< a word of run_outcome
  double rr = -1;      ///< the square of the carried residual; under 0: there is none
  double skew = 0;     ///< imaginary part of p^H A p beside the real one (cg)
  double seconds = 0;  ///< on the device's clock
  std::vector<double> history;
};

/// What a run begins with.
struct complex_start {
  double target2 = 0;
  int max_steps = 0;
};

template <class R>
class complex_run {
 public:
  using number = complex_value<R>;
  virtual ~complex_run() = default;
  /// The numbers from the host: 1 / a_ii of each row, for Jacobi alone; b; the start vector.
  virtual void put_diagonal(std::span<const number> d) = 0;
  virtual void put(std::span<const number> b, std::span<const number> x) = 0;
  virtual void get(std::span<number> x) const = 0;
  virtual complex_end run(const complex_start& start, const run_control& control) = 0;
  /// The judge of the runs that follow, or null; it must stay until they end. On a CPU alone.
  virtual void ask(run_judge* judge) = 0;
  /// A report with all that is known of a run before it begins.
  virtual const solve_report& prepared() const = 0;
  virtual const kernel_making& making() const = 0;
};

/// Plans and prepares o.method, which is not "auto", with o.preconditioner, which is not automatic.
/// `where` has the stream; the matrix of `cuts` is multiplied by 2^exponent. `sequence`: of a
/// preconditioner that is one, which must stay, else null. Throws unsupported_error.
template <class R>
std::unique_ptr<complex_run<R>> make_complex_run(const device& where, const plan_target& target,
                                                 cut_cache<complex_value<R>>& cuts,
                                                 const solve_options& o, int exponent,
                                                 const owned_sequence* sequence);

}  // namespace dwell
