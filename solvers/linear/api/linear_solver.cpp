// SPDX-License-Identifier: MIT
// Calls, their checks of vectors, and blocks of right-hand sides.
#include "dwell/linear/linear_solver.hpp"

#include <fmt/format.h>

#include <atomic>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/interruption.hpp"
#include "dwell/base/lap_timer.hpp"
#include "dwell/base/policy_words.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/device/device_backends.hpp"
#include "dwell/solvers/linear/check/memory_check.hpp"
#include "dwell/solvers/linear/check/system_check.hpp"
#include "dwell/solvers/linear/choose/decide.hpp"
#include "dwell/solvers/linear/run/column_groups.hpp"
#include "dwell/solvers/linear/run/solver_state.hpp"

namespace dwell {
namespace {

std::size_t begin_of(int k, std::size_t distance) { return static_cast<std::size_t>(k) * distance; }

/// Before the matrix is looked at.
template <class T>
void check_request(const solve_options& options) {
  check_options(options);
  if (sizeof(T) != sizeof(double) && options.mixed_precision)
    throw input_error("mixed_precision: expected a system in f64, found one in f32");
  if (options.method != automatic) form_asked_for(options);
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
struct linear_solver<T>::state : solver_state<T> {
  using solver_state<T>::solver_state;

  template <class Values>
  void update_values(const Values& values) {
    this->require_idle();
    const interruption_scope scope(becomes_true(this->options.interrupt));
    this->setup = {};
    try {
      this->matrix.update(values, this->setup);
      this->refresh();
    } catch (const interrupted_error&) {  // old values here, new ones there
      this->forget_run();
      throw;
    }
  }
};

template <class T>
linear_solver<T>::linear_solver(const device& where, const csr_view<T>& a,
                                const solve_options& options) {
  check_request<T>(options);
  const interruption_scope scope(becomes_true(options.interrupt));
  s_ = std::make_unique<state>(where, a, options);
}
template <class T>
linear_solver<T>::linear_solver(const device& where, const device_csr_view<T>& a,
                                const solve_options& options) {
  check_request<T>(options);
  const interruption_scope scope(becomes_true(options.interrupt));
  s_ = std::make_unique<state>(where, a, options);
}
template <class T>
linear_solver<T>::linear_solver(linear_solver&&) noexcept = default;
template <class T>
linear_solver<T>& linear_solver<T>::operator=(linear_solver&&) noexcept = default;
template <class T>
linear_solver<T>::~linear_solver() = default;

template <class T>
index linear_solver<T>::rows() const {
  return s_->rows();
}
template <class T>
index linear_solver<T>::nonzeros() const {
  return s_->matrix.arrays().nonzeros;
}
template <class T>
const solve_setup& linear_solver<T>::setup() const {
  return s_->setup;
}

template <class T>
solve_report linear_solver<T>::solve(std::span<const T> b, std::span<T> x) {
  const interruption_scope run_only(not_interrupted);
  state& s = *s_;
  s.require_idle();
  s.began = seconds_on_host();
  check_size(b.size(), rows(), name_of_b);
  check_size(x.size(), rows(), name_of_x);
  // A GPU has a copy of the matrix.
  check_memory(s.matrix.in_place(), b, std::span<const T>(x));
  const auto refuse = [&] {
    check_finite(b, name_of_b);
    check_finite(std::span<const T>(x), name_of_x);
  };
  if (!s.on_gpu()) return s.solve_here(b.data(), x.data(), refuse);
  s.b.upload(b);
  s.x.upload(x);
  solve_report report = s.solve_here(s.b.data(), s.x.data(), refuse);
  const lap_timer time(report.finish_s);
  s.x.download(x);
  return report;
}

template <class T>
solve_report linear_solver<T>::solve(device_span<const T> b, device_span<T> x) {
  const interruption_scope run_only(not_interrupted);
  state& s = *s_;
  s.require_idle();
  s.began = seconds_on_host();
  check_size(b.size, rows(), name_of_b);
  check_size(x.size, rows(), name_of_x);
  check_device_memory(s.queue.where(), b, device_span<const T>(x));
  return s.solve_here(b.data, x.data, [&] {  // the message names the element
    s.check_finite_there(b.data, name_of_b);
    s.check_finite_there(x.data, name_of_x);
  });
}

template <class T>
void linear_solver<T>::solve_async(device_span<const T> b, device_span<T> x) {
  const interruption_scope run_only(not_interrupted);
  state& s = *s_;
  s.require_idle();
  if (s.mixed || !s.why_f64.empty())
    throw unsupported_error(
        "solve_async: expected a solver in f64 or f32, found one in mixed precision, between whose "
        "attempts the host decides: call solve()");
  s.began = seconds_on_host();
  check_size(b.size, rows(), name_of_b);
  check_size(x.size, rows(), name_of_x);
  check_device_memory(s.queue.where(), b, device_span<const T>(x));
  s.start_kept = false;
  s.begin(b.data, x.data);
  s.async_b = b;
  s.async_x = x;
  s.waited_for = true;
}

template <class T>
solve_report linear_solver<T>::wait() {
  const interruption_scope run_only(not_interrupted);
  state& s = *s_;
  if (!s.waited_for) throw input_error("expected a solve in progress to wait for, found none");
  s.waited_for = false;
  solve_report report = s.end();
  if (!s.seen.finite) {  // the message names the element
    s.check_finite_there(s.async_b.data, name_of_b);
    s.check_finite_there(s.async_x.data, name_of_x);
  }
  report.finish_s = seconds_on_host() - s.ended;
  s.best = 0;  // one attempt
  s.keep_best(s.async_b.data, s.async_x.data, report);
  return report;
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
  return s.solve_host_block(
      count, b_of, x_of, [&](int k) { return solve(b_of(k), x_of(k)); },
      [](auto&& check) { check(); });
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
  return s.solve_block(
      count, [&](int k) { return solve(b_of(k), x_of(k)); },
      [&](int first, int width, double began) {
        std::vector<column_data<T>> columns;
        for (int k = first; k < first + width; ++k) {
          for (int other = first; other < first + width; ++other)
            check_device_memory(s.queue.where(), b_of(other), device_span<const T>(x_of(k)));
          columns.push_back({b_of(k).data, x_of(k).data});
        }
        return s.groups->solve(columns, began, s.chosen);
      },
      [&](int k, solve_report& report) { s.refine(b_of(k).data, x_of(k).data, report); },
      [&](int k) {
        s.check_finite_there(b_of(k).data, column_name(name_of_b, k));
        s.check_finite_there(x_of(k).data, column_name(name_of_x, k));
      });
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

template class linear_solver<double>;
template class linear_solver<float>;

}  // namespace dwell
