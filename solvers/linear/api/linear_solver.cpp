// SPDX-License-Identifier: MIT
// Calls, their checks of vectors, and blocks of right-hand sides.
#include "dwell/linear/linear_solver.hpp"

#include <fmt/format.h>

#include <atomic>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/interruption.hpp"
#include "dwell/base/lap_timer.hpp"
#include "dwell/base/policy_words.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/device/cuda_backend.hpp"
#include "dwell/solvers/linear/check/memory_check.hpp"
#include "dwell/solvers/linear/check/system_check.hpp"
#include "dwell/solvers/linear/choose/decide.hpp"
#include "dwell/solvers/linear/direct/direct_method.hpp"
#include "dwell/solvers/linear/run/attempts.hpp"
#include "dwell/solvers/linear/run/block_solve.hpp"

namespace dwell {
namespace {

std::size_t begin_of(int k, std::size_t distance) { return static_cast<std::size_t>(k) * distance; }

/// Before the matrix is looked at.
template <class T>
void check_request(const device& where, const solve_options& options) {
  check_options(options);
  require_direct_on(where, options);
  require_f64_of_mixed(options, sizeof(T) == sizeof(double));
  if (options.method != automatic) variant_asked_for(options);
}

/// The set-up ends with interrupted_error once the flag is set. One that was set before is for the
/// solve to come, which ends at once.
std::function<bool()> becomes_true(const std::atomic<bool>* flag) {
  if (!flag || flag->load()) return [] { return false; };
  return [flag] { return flag->load(); };
}

/// A solve keeps the answer so far: its run, not its loops, looks for interrupts.
const std::function<bool()> not_interrupted;

}  // namespace

template <class T>
struct linear_solver<T>::state : prepared_solver<T> {
  using prepared_solver<T>::prepared_solver;

  void require_idle() const {
    if (under_way)
      throw input_error(
          "expected wait() for the solve in progress, found another call of the solver");
    this->require_run();
  }
  template <class Values>
  void update_values(const Values& values) {
    require_idle();
    const interruption_scope scope(becomes_true(this->options.interrupt));
    this->setup = {};
    try {
      this->matrix.update(values, this->setup);
      this->refresh();
    } catch (const interrupted_error&) {  // old values here, new ones there
      this->runs.forget();
      throw;
    }
  }

  // Vectors in host memory, and in that of the device:

  void check(std::span<const T> b, std::span<const T> x) const {
    check_size(b.size(), this->matrix.rows(), name_of_b);
    check_size(x.size(), this->matrix.rows(), name_of_x);
    // (A GPU has a copy of the matrix.)
    check_memory(this->matrix.system.in_place(), b, x);
  }
  solve_report run(std::span<const T> b, std::span<T> x, double began) {
    const auto refuse = [&] {
      check_finite(b, name_of_b);
      check_finite(std::span<const T>(x), name_of_x);
    };
    if (!this->matrix.on_gpu()) return attempts<T>(*this, b.data(), x.data(), began).run(refuse);
    buffer<T>&b_there = this->work.b, &x_there = this->work.x;
    b_there.upload(b);
    x_there.upload(x);
    solve_report report = attempts<T>(*this, b_there.data(), x_there.data(), began).run(refuse);
    const lap_timer time(report.finish_s);
    x_there.download(x);
    return report;
  }

  void check(device_span<const T> b, device_span<const T> x) const {
    check_size(b.size, this->matrix.rows(), name_of_b);
    check_size(x.size, this->matrix.rows(), name_of_x);
    check_device_memory(this->matrix.where(), b, x);
  }
  /// The message names the element.
  void refuse(device_span<const T> b, device_span<const T> x) const {
    this->check_finite_there(b.data, name_of_b);
    this->check_finite_there(x.data, name_of_x);
  }
  solve_report run(device_span<const T> b, device_span<T> x, double began) {
    return attempts<T>(*this, b.data, x.data, began).run([&] { refuse(b, x); });
  }

  /// A solve that waits for wait().
  struct pending {
    pending(state& s, device_span<const T> b_of, device_span<T> x_of, double began)
        : b(b_of), x(x_of), solve(s, b.data, x.data, began) {}
    device_span<const T> b;
    device_span<T> x;
    attempts<T> solve;
  };
  std::unique_ptr<pending> under_way;
};

// Check, choose, plan: once for all solves ------------------------------------------------------

template <class T>
template <class Matrix>
void linear_solver<T>::prepare(const device& where, const Matrix& a, const solve_options& options) {
  check_request<T>(where, options);
  const interruption_scope scope(becomes_true(options.interrupt));
  s_ = std::make_unique<state>(where, a, options);  // checks the matrix
  s_->choose();
  s_->plan();
}
template <class T>
linear_solver<T>::linear_solver(const device& where, const csr_view<T>& a,
                                const solve_options& options) {
  prepare(where, a, options);
}
template <class T>
linear_solver<T>::linear_solver(const device& where, const large_csr_view<T>& a,
                                const solve_options& options) {
  prepare(where, a, options);
}
template <class T>
linear_solver<T>::linear_solver(const device& where, const device_csr_view<T>& a,
                                const solve_options& options) {
  prepare(where, a, options);
}
template <class T>
linear_solver<T>::linear_solver(const device& where, const large_device_csr_view<T>& a,
                                const solve_options& options) {
  prepare(where, a, options);
}
template <class T>
linear_solver<T>::linear_solver(linear_solver&&) noexcept = default;
template <class T>
linear_solver<T>& linear_solver<T>::operator=(linear_solver&&) noexcept = default;
template <class T>
linear_solver<T>::~linear_solver() = default;

template <class T>
index linear_solver<T>::rows() const {
  return s_->matrix.rows();
}
template <class T>
std::int64_t linear_solver<T>::nonzeros() const {
  return s_->matrix.arrays().nonzeros;
}
template <class T>
const solve_setup& linear_solver<T>::setup() const {
  return s_->setup;
}

// Check, run: each solve ------------------------------------------------------------------------

template <class T>
solve_report linear_solver<T>::solve(std::span<const T> b, std::span<T> x) {
  const interruption_scope run_only(not_interrupted);
  s_->require_idle();
  const double began = seconds_on_host();
  s_->check(b, x);
  s_->begin_anew();
  return s_->run(b, x, began);
}

template <class T>
solve_report linear_solver<T>::solve(device_span<const T> b, device_span<T> x) {
  const interruption_scope run_only(not_interrupted);
  s_->require_idle();
  const double began = seconds_on_host();
  s_->check(b, x);
  s_->begin_anew();
  return s_->run(b, x, began);
}

template <class T>
void linear_solver<T>::solve_async(device_span<const T> b, device_span<T> x) {
  const interruption_scope run_only(not_interrupted);
  s_->require_idle();
  if (s_->runs.current().mixed || !s_->now.why_f64.empty())
    throw unsupported_error(
        "solve_async: expected a solver in f64 or f32, found one in mixed precision, between whose "
        "attempts the host decides: call solve()");
  const double began = seconds_on_host();
  s_->check(b, x);
  auto solve = std::make_unique<typename state::pending>(*s_, b, x, began);
  solve->solve.start();
  s_->under_way = std::move(solve);
}

template <class T>
solve_report linear_solver<T>::wait() {
  const interruption_scope run_only(not_interrupted);
  if (!s_->under_way) throw input_error("expected a solve in progress to wait for, found none");
  const auto ended = std::move(s_->under_way);
  return ended->solve.wait([&] { s_->refuse(ended->b, ended->x); });
}

template <class T>
std::vector<solve_report> linear_solver<T>::solve(std::span<const T> b, std::size_t ldb,
                                                  std::span<T> x, std::size_t ldx, int count) {
  const interruption_scope run_only(not_interrupted);
  state& s = *s_;
  check_columns(b.size(), rows(), ldb, count, name_of_b);
  check_columns(x.size(), rows(), ldx, count, name_of_x);
  s.require_idle();
  const auto n = static_cast<std::size_t>(rows());
  const auto b_of = [&](int k) { return b.subspan(begin_of(k, ldb), n); };
  const auto x_of = [&](int k) { return x.subspan(begin_of(k, ldx), n); };
  const auto alone = [&](int k) {
    const double began = seconds_on_host();
    s.check(b_of(k), x_of(k));
    return s.run(b_of(k), x_of(k), began);
  };
  return solve_host_block(s, count, b_of, x_of, alone, [](auto&& check) { check(); });
}

template <class T>
std::vector<solve_report> linear_solver<T>::solve(device_span<const T> b, std::size_t ldb,
                                                  device_span<T> x, std::size_t ldx, int count) {
  const interruption_scope run_only(not_interrupted);
  check_columns(b.size, rows(), ldb, count, name_of_b);
  check_columns(x.size, rows(), ldx, count, name_of_x);
  state& s = *s_;
  s.require_idle();
  const auto n = static_cast<std::size_t>(rows());
  const auto b_of = [&](int k) {
    return device_span<const T>{b.data + begin_of(k, ldb), n, b.device};
  };
  const auto x_of = [&](int k) { return device_span<T>{x.data + begin_of(k, ldx), n, x.device}; };
  block_solve<T> block;
  block.alone = [&](int k) {
    const double began = seconds_on_host();
    s.check(b_of(k), x_of(k));
    return s.run(b_of(k), x_of(k), began);
  };
  block.group = [&](int first, int width, double began) {
    std::vector<column_data<T>> columns;
    for (int k = first; k < first + width; ++k) {
      for (int other = first; other < first + width; ++other)
        check_device_memory(s.matrix.where(), b_of(other), device_span<const T>(x_of(k)));
      columns.push_back({b_of(k).data, x_of(k).data});
    }
    return s.runs.current().groups->solve(columns, began, s.now.method_open);
  };
  block.refine = [&](int k, solve_report& report) {
    attempts<T>(s, b_of(k).data, x_of(k).data, seconds_on_host()).refine_column(report);
  };
  block.refuse = [&](int k) {
    s.check_finite_there(b_of(k).data, column_name(name_of_b, k));
    s.check_finite_there(x_of(k).data, column_name(name_of_x, k));
  };
  return block.run(s, count);
}

template <class T>
void linear_solver<T>::update_values(std::span<const T> values) {
  s_->update_values(values);
}
template <class T>
void linear_solver<T>::update_values(device_span<const T> values) {
  s_->update_values(values);
}

template <class T>
void linear_solver<T>::set_tolerances(double rtol, double atol) {
  s_->require_idle();
  solve_options changed = s_->options;
  changed.rtol = rtol;
  changed.atol = atol;
  check_options(changed);
  s_->options.rtol = rtol;
  s_->options.atol = atol;
}

template <class T>
void linear_solver<T>::set_progress(progress_function<solve_progress> progress) {
  s_->require_idle();
  s_->options.progress = std::move(progress);
}

template class linear_solver<double>;
template class linear_solver<float>;

}  // namespace dwell
