// SPDX-License-Identifier: MIT
// Refusals and copies; all else is in prepared_batch.hpp.
#include "dwell/linear/cg_batch.hpp"
#include "dwell/solvers/preconditioners/list.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/base/lap_timer.hpp"
#include "dwell/base/policy_words.hpp"
#include "dwell/execution/device/cuda_backend.hpp"
#include "dwell/solvers/linear/batch/prepared_batch.hpp"
#include "dwell/solvers/linear/check/memory_check.hpp"
#include "dwell/solvers/linear/check/system_check.hpp"

namespace dwell {
namespace {

constexpr const char* name_of_rhs = "right-hand sides";
constexpr const char* name_of_starts = "start vectors";

void check_batch_options(const solve_options& o) {
  check_options(o);
  const auto refuse = [](const char* option, const std::string& expected,
                         const std::string& found) {
    throw unsupported_error(
        fmt::format("a batch has no {}: expected {}, found {}", option, expected, found));
  };
  if (o.method != "cg") refuse("choice of a method", "'cg'", "'" + o.method + "'");
  if (o.executor != automatic) refuse("choice of an executor", "'auto'", "'" + o.executor + "'");
  if (o.variant != automatic && o.variant != "textbook")
    refuse("choice of a variant", "'auto' or 'textbook'", "'" + o.variant + "'");
  if (o.policy != automatic) refuse("choice of a policy", "'auto'", "'" + o.policy + "'");
  if (o.teams != 0)
    refuse("number of teams of its own", "0 (one team for each system)",
           fmt::format("{}", o.teams));
  if (!o.clusters) refuse("clusters to leave out", "clusters as by default", "false");
  if (kind_of(o.preconditioner).is_sequence())
    refuse("preconditioner of several products", "none, jacobi or auto",
           to_string(o.preconditioner));
  if (!o.null_vectors.empty()) refuse("null space", "no null_vectors", "some");
  if (o.mixed_precision) refuse("mixed precision", "false", "true");
  if (o.history) refuse("history", "false", "true");
  if (o.progress) refuse("progress function", "none", "one");
}

void check_all(std::size_t found, index rows, const char* what) {
  if (found != static_cast<std::size_t>(rows))
    throw input_error(fmt::format("{}: expected {} elements (the systems have {} rows), found {}",
                                  what, rows, rows, found));
}

void check_values_size(std::size_t found, index nonzeros) {
  if (found != static_cast<std::size_t>(nonzeros))
    throw input_error(
        fmt::format("values: expected {} of them as the systems have, found {}", nonzeros, found));
}

/// The seconds that f() takes are checks of the matrix.
template <class T, class F>
std::unique_ptr<prepared_batch<T>> prepare_batch(const device& where, const solve_options& options,
                                                 F&& f) {
  check_batch_options(options);
  solve_setup setup;
  if (where.on() == backend::cuda) setup.context_s = start_cuda(where.ordinal());
  joined_systems<T> joined;
  {
    const lap_timer time(setup.check_s);
    joined = f();
  }
  solve_options o = options;
  if (o.preconditioner == preconditioner::automatic) o.preconditioner = preconditioner::jacobi;
  return std::make_unique<prepared_batch<T>>(where, std::move(joined), o, setup);
}

}  // namespace

template <class T>
struct cg_batch<T>::state {
  std::unique_ptr<prepared_batch<T>> batch;
  std::vector<T> values;  ///< those of the last update, of a CPU, which reads them in place
};

template <class T>
cg_batch<T>::cg_batch(const device& where, std::span<const csr_view<T>> systems,
                      const solve_options& options)
    : s_(new state{prepare_batch<T>(where, options, [&] { return join_systems(systems); }), {}}) {}
template <class T>
cg_batch<T>::cg_batch(const device& where, const csr_view<T>& pattern, std::span<const T> values,
                      int count, const solve_options& options)
    : s_(new state{
          prepare_batch<T>(where, options, [&] { return join_systems(pattern, values, count); }),
          {}}) {}
template <class T>
cg_batch<T>::cg_batch(cg_batch&&) noexcept = default;
template <class T>
cg_batch<T>& cg_batch<T>::operator=(cg_batch&&) noexcept = default;
template <class T>
cg_batch<T>::~cg_batch() = default;

template <class T>
int cg_batch<T>::count() const {
  return s_->batch->rows().count();
}
template <class T>
index cg_batch<T>::rows() const {
  return s_->batch->matrix().rows;
}
template <class T>
index cg_batch<T>::nonzeros() const {
  return s_->batch->matrix().nonzeros;
}
template <class T>
index cg_batch<T>::first_row(int k) const {
  if (k < 0 || k > count())
    throw input_error(fmt::format("expected a system from 0 to {}, found {}", count(), k));
  return s_->batch->rows().first[static_cast<std::size_t>(k)];
}
template <class T>
const solve_setup& cg_batch<T>::setup() const {
  return s_->batch->setup();
}

template <class T>
cg_batch_report cg_batch<T>::solve(std::span<const T> b, std::span<T> x) {
  prepared_batch<T>& batch = *s_->batch;
  const double began = seconds_on_host();
  check_all(b.size(), rows(), name_of_rhs);
  check_all(x.size(), rows(), name_of_starts);
  check_memory(csr_view<T>{}, b, std::span<const T>(x));
  cg_batch_report report;
  if (batch.on_gpu() && rows() > 0) {
    batch.host_b().upload(b);
    batch.host_x().upload(x);
    report = batch.solve(began, batch.host_b().data(), batch.host_x().data());
    batch.host_x().download(x);
  } else {
    report = batch.solve(began, b.data(), x.data());
  }
  report.finish_s = seconds_on_host() - batch.ended();
  return report;
}

template <class T>
cg_batch_report cg_batch<T>::solve(device_span<const T> b, device_span<T> x) {
  prepared_batch<T>& batch = *s_->batch;
  const double began = seconds_on_host();
  check_all(b.size, rows(), name_of_rhs);
  check_all(x.size, rows(), name_of_starts);
  check_device_memory(batch.where(), b, device_span<const T>(x));
  cg_batch_report report = batch.solve(began, b.data, x.data);
  batch.finish();
  report.finish_s = seconds_on_host() - batch.ended();
  return report;
}

template <class T>
void cg_batch<T>::update_values(std::span<const T> values) {
  prepared_batch<T>& batch = *s_->batch;
  check_values_size(values.size(), nonzeros());
  check_host_memory(values, "the values");
  std::vector<T> copy;
  if (!batch.on_gpu()) copy.assign(values.begin(), values.end());
  const std::span<const T> taken = batch.on_gpu() ? values : std::span<const T>(copy);
  batch.take([&](prepared_system<T>& matrix, solve_setup& setup) { matrix.update(taken, setup); },
             [&] { return std::vector<T>(values.begin(), values.end()); });
  s_->values = std::move(copy);
}

template <class T>
void cg_batch<T>::update_values(device_span<const T> values) {
  prepared_batch<T>& batch = *s_->batch;
  check_values_size(values.size, nonzeros());
  check_device_memory(batch.where(), values, "the values");
  batch.take([&](prepared_system<T>& matrix, solve_setup& setup) { matrix.update(values, setup); },
             [&] {
               std::vector<T> copy(values.size);
               memory_of(backend::cuda)
                   .download(batch.where(), copy.data(), values.data, copy.size() * sizeof(T));
               return copy;
             });
}

template class cg_batch<double>;
template class cg_batch<float>;

namespace {

template <class T>
cg_batch_report solve_once(const device& where, std::span<const csr_view<T>> systems,
                           std::span<const T> b, std::span<T> x, const solve_options& options) {
  cg_batch<T> batch(where, systems, options);
  cg_batch_report report = batch.solve(b, x);
  report.setup = batch.setup();
  report.setup_s += report.setup.total();
  return report;
}

}  // namespace

cg_batch_report solve_batch(const device& where, std::span<const csr_view<double>> systems,
                            std::span<const double> b, std::span<double> x,
                            const solve_options& options) {
  return solve_once(where, systems, b, x, options);
}

cg_batch_report solve_batch(const device& where, std::span<const csr_view<float>> systems,
                            std::span<const float> b, std::span<float> x,
                            const solve_options& options) {
  return solve_once(where, systems, b, x, options);
}

}  // namespace dwell
