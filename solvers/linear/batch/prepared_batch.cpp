// SPDX-License-Identifier: MIT
// The systems are one matrix, which is checked, planned, cut and loaded as that of a linear_solver.
// A solve is a launch for the vectors, one for all systems, and one for their answers.
#include "dwell/solvers/linear/batch/prepared_batch.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/lap_timer.hpp"
#include "dwell/base/parallel.hpp"
#include "dwell/execution/device/cuda_backend.hpp"
#include "dwell/execution/device/threads/host_threads.hpp"
#include "dwell/solvers/linear/run/verification.hpp"

namespace dwell {
namespace {

constexpr const char* batch_variant = "textbook";

template <class V>
std::vector<V> array_of(const device& where, const V* from, index n) {
  std::vector<V> to(static_cast<std::size_t>(n));
  memory_of(where.on()).download(where, to.data(), from, to.size() * sizeof(V));
  return to;
}

}  // namespace

template <class T>
prepared_batch<T>::prepared_batch(const device& where, joined_systems<T> systems,
                                  const solve_options& options, const solve_setup& begun)
    : options_(options),
      setup_(begun),
      rows_(std::move(systems.rows)),
      joined_(std::move(systems.matrix)),
      queue_(where),
      target_(target_of(queue_.where())),
      matrix_(prepared()) {
  known_.device = target_.facts.name;
  known_.on = target_.on();
  known_.precision = precision_of<T> == precision::f64 ? "f64" : "f32";
  known_.preconditioner = options_.preconditioner;
  const threads_at_most threads = host_threads_of(where);
  if (rows_.count() > 0) prepare();
  if (on_gpu()) joined_ = {};
}

template <class T>
prepared_system<T> prepared_batch<T>::prepared() {
  const csr_view<T> all = joined_.view();
  try {
    return prepared_system<T>(where(), all, demand_of(options_), setup_);
  } catch (const input_error&) {
    check_systems(all, rows_, demand_of(options_));
    throw;
  }
}

template <class T>
void prepared_batch<T>::prepare() {
  const device& where = this->where();
  const solver_variant& variant = find_variant(options_.method, batch_variant);
  const program_kernel& kernel = find_batch_kernel(variant.program, precision_of<T>, where.on());
  {
    const lap_timer time(setup_.upload_s);
    first_rows_ = buffer<index>::borrow(where, rows_.first);
  }
  cut_cache<T> cuts(where, matrix_.arrays());
  const solve_request<T> request{target_, cuts, options_, matrix_.scale_exponent(), false};
  planned<T> made = [&] {
    const lap_timer time(setup_.plan_s);
    return variant.template code<T>().plan_batch(request, kernel,
                                                 {rows_.count(), first_rows_.data(), rows_.most});
  }();
  setup_.plan_s -= cuts.seconds();
  setup_.cut_s += cuts.seconds();
  {
    const lap_timer time(setup_.cut_s);
    run_ = variant.template code<T>().prepare(where, request, kernel, made);
  }
  kernel_making making;
  {
    const lap_timer time(setup_.load_s);
    making = run_->load_kernel();
  }
  setup_.load_s -= making.seconds;
  setup_.compile_s += making.seconds;
  cg_batch_report& r = known_;
  r.executor = kernel.executor;
  r.policy = made.how.policy;
  r.reason = made.how.reason + words_of(making);
  r.compiler = making.compiler;
  r.teams = made.how.teams;
  r.lanes = kernel.configs[static_cast<std::size_t>(made.how.config)].lanes;
  place_vectors();
  place_matrix();
}

template <class T>
void prepared_batch<T>::place_vectors() {
  const lap_timer time(setup_.upload_s);
  const device& where = this->where();
  const auto n = static_cast<std::size_t>(matrix_.arrays().rows);
  const run_places<T> in = run_->places();
  residual_ = {where, n, fresh::unset};
  numbers_ = {where, static_cast<std::size_t>(rows_.count())};
  if (on_gpu()) b_ = {where, n, fresh::unset}, x_ = {where, n, fresh::unset};
  places_.count = rows_.count();
  places_.first_rows = first_rows_.data();
  places_.system_stride = in.system_stride;
  solve_places<T>& all = places_.all;
  all.run_x = in.x;
  all.run_rhs = in.rhs;
  all.inverse_diagonal = in.inverse_diagonal;
  all.residual = residual_.data();
  all.rtol = options_.rtol;
  all.atol = options_.atol;
  all.target2 = in.target2;
  all.step = in.step;
  all.stop = in.stop;
  all.rr = in.rr;
  all.numbers = numbers_.data();
}

template <class T>
void prepared_batch<T>::place_matrix() {
  const lap_timer time(setup_.cut_s);
  const device& where = this->where();
  places_.all.a = matrix_.arrays();
  places_.all.matrix_exponent = matrix_.facts().exponent;
  if (T* const to = run_->places().inverse_diagonal)
    invert_diagonal(where, matrix_.arrays(), -matrix_.scale_exponent(), false, to);
  const buffer<diagonal_range> found(where, static_cast<std::size_t>(rows_.count()), fresh::unset);
  batch_steps_of<T>(where.on()).diagonals(where, places_, found.data());
  diagonals_ = array_of(where, found.data(), rows_.count());
}

template <class T>
void prepared_batch<T>::take(const std::function<void(prepared_system<T>&, solve_setup&)>& update,
                             const std::function<std::vector<T>()>& values) {
  setup_ = {};
  try {
    update(matrix_, setup_);
  } catch (const input_error&) {
    const csr_arrays<T> a = matrix_.arrays().in_32_bits();
    csr<T> refused;
    refused.rows = refused.cols = a.rows;
    if (a.rows > 0) refused.row_ptr = array_of(where(), a.row_ptr, a.rows + 1);
    refused.col = array_of(where(), a.col, a.nonzeros);
    refused.val = values();
    check_systems(refused.view(), rows_, demand_of(options_));
    throw;
  }
  if (rows_.count() == 0) return;
  {
    const lap_timer time(setup_.cut_s);
    run_->refill(matrix_.arrays(), -matrix_.scale_exponent());
  }
  place_matrix();
}

template <class T>
cg_batch_report prepared_batch<T>::solve(double began, const T* b, T* x) {
  const device& where = this->where();
  cg_batch_report report = known_;
  const double first = seconds_on_host();
  report.setup_s = first - began;
  ended_ = first;
  if (rows_.count() == 0) return report;
  places_.all.b = b;
  places_.all.x = x;
  run_->reset();
  batch_steps_of<T>(where.on()).begin(where, places_);
  run_control control;
  control.interrupt = options_.interrupt;
  run_->start(control);
  report.solve_s = run_->finish();
  ended_ = seconds_on_host();
  batch_steps_of<T>(where.on()).end(where, places_);
  const std::vector<bool> answered = verify_all(report);
  if (!options_.fixed_iterations) keep_starts(answered, report);
  return report;
}

template <class T>
void prepared_batch<T>::keep_starts(const std::vector<bool>& answered, cg_batch_report& report) {
  const auto in_question = [&](std::size_t k) {
    const cg_batch_entry& e = report.systems[k];
    return answered[k] && (e.stopped != stop_reason::converged || e.target_missed);
  };
  bool any = false;
  for (std::size_t k = 0; k < answered.size(); ++k) any = any || in_question(k);
  if (!any) return;
  const device& where = this->where();
  const batch_steps<T>& steps = batch_steps_of<T>(where.on());
  places_.all.weighing = true;
  steps.weigh(where, places_);
  places_.all.weighing = false;
  std::vector<solve_numbers> of_start(answered.size());
  numbers_.download(of_start);
  std::vector<int> which(answered.size(), 0);
  any = false;
  for (std::size_t k = 0; k < answered.size(); ++k) {
    if (!in_question(k)) continue;
    cg_batch_entry& e = report.systems[k];
    solve_report one;
    one.residual_relative_true = e.residual_relative_true;
    if (!keep_start_instead(of_start[k], one)) continue;
    take_residuals(one, e);
    which[k] = 1;
    any = true;
  }
  if (!any) return;
  const buffer<int> flags = buffer<int>::borrow(where, which);
  steps.restore(where, places_, flags.data());
  finish();  // before the flags end
}

template <class T>
std::vector<bool> prepared_batch<T>::verify_all(cg_batch_report& report) const {
  std::vector<solve_numbers> of(static_cast<std::size_t>(rows_.count()));
  numbers_.download(of);
  const std::vector<step_coefficients> coefficients =
      run_->coefficients(batch_coefficients(options_) * of.size());
  report.systems.resize(of.size());
  const threads_at_most limit = host_threads_of(queue_.where());
  constexpr int systems_per_thread = 16;
  const int threads = std::clamp(rows_.count() / systems_per_thread, 1, default_threads());
  for_parts(threads, [&](int part) {
    const auto [begin, end] = piece(rows_.count(), part, threads);
    for (int k = begin; k < end; ++k)
      report.systems[static_cast<std::size_t>(k)] =
          verified(k, of[static_cast<std::size_t>(k)], coefficients);
  });
  report.converged = static_cast<int>(
      std::count_if(report.systems.begin(), report.systems.end(),
                    [](const auto& e) { return e.stopped == stop_reason::converged; }));
  std::vector<bool> answered;
  for (const solve_numbers& n : of) answered.push_back(n.has_answer != 0);
  return answered;
}

template <class T>
cg_batch_entry prepared_batch<T>::verified(int system, const solve_numbers& numbers,
                                           const std::vector<step_coefficients>& of_all) const {
  const auto k = static_cast<std::size_t>(system);
  solve_end how;
  how.numbers = numbers;
  how.facts = matrix_.facts();
  how.facts.least_diagonal = diagonals_[k].least;
  how.facts.most_diagonal = diagonals_[k].most;
  const std::size_t each = batch_coefficients(options_);
  const std::size_t entries =
      std::min(each, static_cast<std::size_t>(std::max(numbers.step, 0)) + 1);
  const auto first = of_all.begin() + static_cast<std::ptrdiff_t>(k * each);
  if (numbers.finite) how.coefficients.assign(first, first + static_cast<std::ptrdiff_t>(entries));
  solve_report one;
  one.method = options_.method;
  one.variant = batch_variant;
  one.preconditioner = options_.preconditioner;
  verify(std::move(how), options_, one);
  cg_batch_entry e;
  e.iterations = numbers.finite ? one.iterations : 0;
  e.stopped = numbers.finite ? one.stopped : stop_reason::not_finite;
  e.rhs_norm = one.rhs_norm;
  take_residuals(one, e);
  e.residuals_disagree = numbers.finite && one.residuals_disagree;
  e.condition_estimate = one.condition_estimate;
  e.target_missed = numbers.finite && one.target_missed;
  e.rows_missed = numbers.finite && one.rows_missed;
  return e;
}

template class prepared_batch<double>;
template class prepared_batch<float>;

}  // namespace dwell
