// SPDX-License-Identifier: MIT
// Complex systems: check, choose, prepare; then runs one after another, until the true residual
// meets the tolerance or nothing helps.
#include "dwell/linear/complex_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/interruption.hpp"
#include "dwell/base/lap_timer.hpp"
#include "dwell/base/policy_words.hpp"
#include "dwell/base/power_of_two.hpp"
#include "dwell/execution/device/cuda_backend.hpp"
#include "dwell/execution/device/threads/host_threads.hpp"
#include "dwell/execution/device/work_queue.hpp"
#include "dwell/execution/krylov/spmv/placed_csr.hpp"
#include "dwell/formats/csr.hpp"
#include "dwell/solvers/complex/complex_check.hpp"
#include "dwell/solvers/complex/complex_choice.hpp"
#include "dwell/solvers/complex/complex_residual.hpp"
#include "dwell/solvers/complex/complex_run.hpp"
#include "dwell/solvers/complex/complex_solve.hpp"
#include "dwell/solvers/linear/check/memory_check.hpp"
#include "dwell/solvers/linear/check/system_check.hpp"
#include "dwell/solvers/linear/method/outcome.hpp"
#include "dwell/solvers/linear/run/system_scale.hpp"
#include "dwell/solvers/linear/run/verification.hpp"
#include "dwell/solvers/preconditioners/list.hpp"

namespace dwell {
namespace {

/// The caller's numbers as kernels take them.
template <class R>
const complex_value<R>* as_values(const std::complex<R>* v) {
  static_assert(sizeof(std::complex<R>) == sizeof(complex_value<R>));
  return reinterpret_cast<const complex_value<R>*>(v);
}

}  // namespace

template <class R>
struct complex_solver<R>::state {
  using value = complex_value<R>;

  state(const device& where, const csr_view<number>& a, const solve_options& o)
      : options(o),
        setup{where.on() == backend::cuda ? start_cuda(where.ordinal()) : 0.0},
        matrix(a),
        queue(where),
        target(target_of(queue.where())) {
    csr_view<value> values{a.rows, a.cols, a.row_ptr, a.col, nullptr};
    {
      const lap_timer time(setup.check_s);
      check_matrix_memory(a);
      check(a);
      values.val = aligned_values(a);
      facts = look_at<R>(values, !o.assume_symmetric);
      choose();
    }
    scale = matrix_scale<R>(facts.exponent);
    {
      const lap_timer time(setup.upload_s);
      placed.emplace(queue.where(), values);
      cuts.emplace(queue.where(), placed->arrays());
    }
    take(first);
  }

  /// The caller's own values, or a copy of them where they are not aligned as kernels need them.
  const value* aligned_values(const csr_view<number>& a) {
    if (reinterpret_cast<std::uintptr_t>(a.val) % alignof(value) == 0) return as_values(a.val);
    aligned.reserve(static_cast<std::size_t>(a.nonzeros()));
    for (index k = 0; k < a.nonzeros(); ++k) aligned.emplace_back(a.val[k].real(), a.val[k].imag());
    return aligned.data();
  }

  /// Method and preconditioner that every solve begins with.
  void choose() {
    solve_options& o = options;
    if (o.method == automatic) {
      first.method_open = true;
      const bool definite = facts.hermitian && facts.positive_diagonal;
      o.method = definite ? "cg" : "bicgstab";
      first.method_reason = definite          ? "the matrix is Hermitian with a positive diagonal"
                            : facts.hermitian ? "the matrix is Hermitian, its diagonal not all "
                                                "positive"
                                              : "the matrix is not Hermitian";
    }
    if (o.preconditioner == preconditioner::automatic) {
      o.preconditioner = facts.full_diagonal ? preconditioner::jacobi : preconditioner::none;
      first.preconditioner_reason =
          facts.full_diagonal ? "the diagonal has no zero" : "the diagonal has a zero";
      // Factors have a form of bicgstab of their own.
      first.factors_may_follow = facts.full_diagonal && !o.fixed_iterations &&
                                 (o.variant == automatic || o.method != "bicgstab");
    }
    check_complex_demands(facts, o);
    first.method = o.method;
    first.with = o.preconditioner;
  }

  /// Prepares the run of a method with a preconditioner, unless it is there. Throws input_error
  /// where there are no incomplete factors.
  void take(const complex_choice& now) {
    if (run && run->prepared().method == now.method && run->prepared().preconditioner == now.with)
      return;
    const preconditioner_kind& kind = kind_of(now.with);
    if (kind.is_sequence() && !sequence) {
      const lap_timer time(setup.preconditioner_s);
      sequence =
          kind.template make<value>()(queue.where(), placed->arrays(), options.preconditioning);
    }
    const double cut_before = cuts->seconds();
    double seconds = 0;
    {
      const lap_timer time(seconds);
      solve_options o = options;
      o.method = now.method;
      o.preconditioner = now.with;
      run.reset();
      run = make_complex_run<R>(queue.where(), target, *cuts, o, -scale,
                                kind.is_sequence() ? &sequence->products : nullptr);
      if (now.with == preconditioner::jacobi) run->put_diagonal(inverse_diagonal());
    }
    setup.cut_s += cuts->seconds() - cut_before;
    setup.compile_s += run->making().seconds;
    setup.load_s += std::max(0.0, seconds - (cuts->seconds() - cut_before) - run->making().seconds);
  }

  /// 1 / (2^-scale a_ii).
  std::vector<value> inverse_diagonal() const {
    const power_of_two by(-scale);
    std::vector<value> d;
    d.reserve(static_cast<std::size_t>(matrix.rows));
    for (index i = 0; i < matrix.rows; ++i) {
      const index* const begin = matrix.col + matrix.row_ptr[i];
      const index* const end = matrix.col + matrix.row_ptr[i + 1];
      const number v = matrix.val[std::lower_bound(begin, end, i) - matrix.col];
      const complex_value<double> scaled(by(v.real()), by(v.imag()));
      d.emplace_back(quotient(complex_value<double>(1.0), scaled));
    }
    return d;
  }

  solve_options options;  ///< method and preconditioner as every solve begins
  solve_setup setup;
  csr_view<number> matrix;
  work_queue queue;
  plan_target target;
  complex_facts facts;
  std::vector<value> aligned;  ///< values of a matrix that are not aligned as kernels need them
  std::optional<placed_csr<value>> placed;
  std::optional<cut_cache<value>> cuts;
  std::optional<prepared_preconditioner> sequence;  ///< incomplete factors, once they are wanted
  std::unique_ptr<complex_run<R>> run;
  complex_choice first;
  int scale = 0;  ///< the matrix is divided by 2^scale
};

namespace {

/// The set-up ends with interrupted_error once the flag is set.
auto ends_with(const std::atomic<bool>* flag) {
  return [flag, was_set = flag && flag->load()] { return flag && !was_set && flag->load(); };
}

template <class R>
solve_report solve_once(const device& where, const csr_view<std::complex<R>>& a,
                        std::span<const std::complex<R>> b, std::span<std::complex<R>> x,
                        const solve_options& options) {
  complex_solver<R> solver(where, a, options);
  const double prepared = solver.setup().total();
  solve_report report = solver.solve(b, x);
  report.setup = solver.setup();
  report.setup_s += prepared;
  return report;
}

}  // namespace

template <class R>
complex_solver<R>::complex_solver(const device& where, const csr_view<number>& a,
                                  const solve_options& options) {
  check_complex_options(options);
  const interruption_scope scope(ends_with(options.interrupt));
  const threads_at_most threads = host_threads_of(where);
  s_ = std::make_unique<state>(where, a, options);
}
template <class R>
complex_solver<R>::complex_solver(complex_solver&&) noexcept = default;
template <class R>
complex_solver<R>& complex_solver<R>::operator=(complex_solver&&) noexcept = default;
template <class R>
complex_solver<R>::~complex_solver() = default;

template <class R>
index complex_solver<R>::rows() const {
  return s_->matrix.rows;
}
template <class R>
index complex_solver<R>::nonzeros() const {
  return s_->matrix.nonzeros();
}
template <class R>
const solve_setup& complex_solver<R>::setup() const {
  return s_->setup;
}
template <class R>
solve_report complex_solver<R>::solve(std::span<const number> b, std::span<number> x) {
  const threads_at_most threads = host_threads_of(s_->queue.where());
  return complex_solve<R, state>(*s_, b, x).run();
}
template <class R>
void complex_solver<R>::set_tolerances(double rtol, double atol) {
  solve_options changed = s_->options;
  changed.rtol = rtol;
  changed.atol = atol;
  check_complex_options(changed);
  s_->options = std::move(changed);
}
template <class R>
void complex_solver<R>::set_progress(progress_function<solve_progress> progress) {
  s_->options.progress = std::move(progress);
}

template class complex_solver<double>;
template class complex_solver<float>;

solve_report solve(const device& where, const csr_view<std::complex<double>>& a,
                   std::span<const std::complex<double>> b, std::span<std::complex<double>> x,
                   const solve_options& options) {
  return solve_once<double>(where, a, b, x, options);
}
solve_report solve(const device& where, const csr_view<std::complex<float>>& a,
                   std::span<const std::complex<float>> b, std::span<std::complex<float>> x,
                   const solve_options& options) {
  return solve_once<float>(where, a, b, x, options);
}

}  // namespace dwell
