// SPDX-License-Identifier: MIT
// See cg_solver.hpp: prepare (check, upload, plan, cut, load), then solve (load the vectors, run,
// take the answer, judge).
#include "dwell/solvers/cg/cg_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/base/lap_timer.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/device/device_backends.hpp"
#include "dwell/execution/device/work_queue.hpp"
#include "dwell/solvers/cg/decide.hpp"
#include "dwell/solvers/cg/judgement.hpp"
#include "dwell/solvers/cg/memory_check.hpp"
#include "dwell/solvers/cg/prepared_system.hpp"
#include "dwell/solvers/cg/solve_steps.hpp"
#include "dwell/solvers/cg/system_check.hpp"
#include "dwell/solvers/preconditioners/amg/amg.hpp"

namespace dwell {
namespace {

constexpr const char* name_of_b = "right-hand side";
constexpr const char* name_of_x = "start vector";

/// What is known before the first iteration.
template <class T>
cg_report report_of(const plan_target& target, const cg_options& o, const cg_decision<T>& made) {
  const plan& how = made.made.how;
  cg_report report;
  report.executor = made.executor;
  report.variant = made.form->name;
  report.bytes_per_iteration = made.made.facts.bytes_per_iteration;
  report.policy = how.policy;
  report.policy_chosen = how.chosen;
  report.reason = made.why + "; " + how.reason;
  report.device = target.facts.name;
  report.on = target.on();
  report.precision = precision_of<T> == precision::f64 ? "f64" : "f32";
  report.preconditioner = o.preconditioner;
  report.teams = how.teams;
  report.lanes = made.kernel->configs[static_cast<std::size_t>(how.config)].lanes;
  return report;
}

/// The part of a block of vectors that belongs to column k; `what` names the block.
std::size_t begin_of(int k, std::size_t distance) { return static_cast<std::size_t>(k) * distance; }
void check_block(std::size_t found, index rows, std::size_t distance, int count, const char* what) {
  if (count < 0) throw input_error(fmt::format("count: expected at least 0, found {}", count));
  if (distance < static_cast<std::size_t>(rows))
    throw input_error(fmt::format("{}: expected columns at least {} elements apart, found {}", what,
                                  rows, distance));
  const std::size_t needed =
      count > 0 ? begin_of(count - 1, distance) + static_cast<std::size_t>(rows) : 0;
  if (found < needed)
    throw input_error(fmt::format("{}: expected {} elements for {} columns, found {}", what, needed,
                                  count, found));
}

}  // namespace

template <class T>
struct cg_solver<T>::state {
  template <class Matrix>
  state(const device& where, const Matrix& a, const cg_options& o)
      : options(o),
        setup{where.on() == backend::cuda ? start_cuda(where.ordinal()) : 0.0},
        queue(where),
        target(target_of(queue.where())),
        matrix(queue.where(), a, o.assume_symmetric, setup),
        began(seconds_on_host()) {
    prepare();
  }
  ~state() {
    try {
      if (running) run->finish();
    } catch (...) {  // of the device, or of a progress function: nobody is there to be told
    }
  }

  bool on_gpu() const { return queue.where().on() == backend::cuda; }
  index rows() const { return matrix.arrays().rows; }
  void prepare();
  void place_vectors();
  void make_preconditioner();
  /// To be called when the matrix has other values.
  void refresh();
  void place_matrix();
  void require_idle() const;
  /// Puts a solve of vectors in the device's memory into its stream.
  void begin(const T* b, T* x);
  /// Waits for it. Where seen.finite is 0 there was nothing to solve, and x is as it was.
  cg_report end();

  cg_options options;
  cg_setup setup;
  work_queue queue;  ///< ends after all that its work touches
  plan_target target;
  prepared_system<T> matrix;
  std::unique_ptr<amg_hierarchy> amg;  ///< of preconditioner amg
  cg_report prepared;                  ///< what every report begins with
  std::unique_ptr<cg_run<T>> run;
  solve_places<T> places;
  buffer<T> b, x;  ///< a GPU's copies of host vectors
  buffer<double> residual, partial;
  buffer<unsigned> done;
  buffer<solve_numbers> numbers;

  // Of the solve in progress, or the last one:
  double began = 0, first = 0, ended = 0;  ///< on the host's clock: the call, and the run
  bool running = false;
  bool waited_for = false;  ///< solve_async() began it
  device_span<const T> async_b;
  device_span<T> async_x;
  solve_numbers seen;
  run_control control;
};

template <class T>
void cg_solver<T>::state::make_preconditioner() {
  if (options.preconditioner != preconditioner::amg) return;
  const lap_timer time(setup.preconditioner_s);
  amg = std::make_unique<amg_hierarchy>(make_amg(queue.where(), matrix.arrays()));
}

template <class T>
void cg_solver<T>::state::prepare() {
  const device& where = queue.where();
  make_preconditioner();
  cut_cache<T> cuts(where, matrix.arrays());
  const cg_request<T> request{
      target, cuts, options, matrix.scale_exponent(), true, amg ? &amg->products : nullptr};
  const cg_decision<T> made = [&] {
    const lap_timer time(setup.plan_s);
    return decide(request);
  }();
  setup.plan_s -= cuts.seconds();
  setup.cut_s += cuts.seconds();
  {
    const lap_timer time(setup.cut_s);
    run = made.form->template code<T>().prepare(where, request, *made.kernel, made.made);
  }
  {
    const lap_timer time(setup.load_s);
    run->load_kernel();
  }
  prepared = report_of(target, options, made);
  place_vectors();
  place_matrix();
}

template <class T>
void cg_solver<T>::state::place_vectors() {
  const lap_timer time(setup.upload_s);
  const device& where = queue.where();
  const auto n = static_cast<std::size_t>(rows());
  const cg_places<T> in = run->places();
  residual = {where, n, fresh::unset};
  partial = {where, solve_partials(rows()), fresh::unset};
  done = {where, 1};
  numbers = {where, 1};
  if (on_gpu()) b = {where, n, fresh::unset}, x = {where, n, fresh::unset};
  places.run_x = in.x;
  places.run_rhs = in.rhs;
  places.inverse_diagonal = in.inverse_diagonal;
  places.residual = residual.data();
  places.target2 = in.target2;
  places.step = in.step;
  places.stop = in.stop;
  places.rr = in.rr;
  places.numbers = numbers.data();
  places.partial = partial.data();
  places.done = done.data();
}

template <class T>
void cg_solver<T>::state::place_matrix() {
  places.a = matrix.arrays();
  places.matrix_exponent = matrix.facts().exponent;
  if (T* const to = run->places().inverse_diagonal)
    invert_diagonal(queue.where(), matrix.arrays(), -matrix.scale_exponent(), to);
}

template <class T>
void cg_solver<T>::state::refresh() {
  {
    const lap_timer time(setup.cut_s);
    run->refill(matrix.arrays(), -matrix.scale_exponent());
  }
  if (amg) {
    make_preconditioner();
    run->take_chain(amg->products);
  }
  place_matrix();
}

template <class T>
void cg_solver<T>::state::require_idle() const {
  if (waited_for)
    throw input_error(
        "expected wait() for the solve in progress, found another call of the solver");
}

template <class T>
void cg_solver<T>::state::begin(const T* from, T* to) {
  const device& where = queue.where();
  places.b = from;
  places.x = to;
  places.rtol = options.rtol;
  places.atol = options.atol;
  run->reset();
  solve_steps_of<T>(where.on()).begin(where, places);
  control = {};
  control.interrupt = options.interrupt;
  control.progress_interval = options.progress_interval;
  // A GPU is not waited for unless somebody listens: a run from numbers that are not finite ends at
  // its first step.
  seen.finite = 1;
  if (!on_gpu() || options.progress) numbers.download({&seen, 1});
  first = seconds_on_host();
  if (!seen.finite) return;
  if (options.progress)
    control.progress = [this](int step, double residual) {
      const scaled_norms norms{seen.by, seen.rhs};
      return options.progress(
          {step, norms.relative(residual), norms.relative(seen.target), seconds_on_host() - first});
    };
  running = true;
  run->start(control);
}

template <class T>
cg_report cg_solver<T>::state::end() {
  const device& where = queue.where();
  cg_report report = prepared;
  report.setup_s = first - began;
  if (!seen.finite) return report;
  running = false;
  report.solve_s = run->finish();
  ended = seconds_on_host();
  solve_steps_of<T>(where.on()).end(where, places);
  numbers.download({&seen, 1});
  if (!seen.finite) return report;
  solve_end how;
  how.numbers = seen;
  how.least_diagonal = matrix.facts().least_diagonal;
  how.most_diagonal = matrix.facts().most_diagonal;
  const auto entries = static_cast<std::size_t>(std::max(seen.step, 0)) + 1;
  how.coefficients = run->coefficients(entries);
  if (options.history) how.history = run->history(entries);
  judge(std::move(how), options, report);
  return report;
}

template <class T>
cg_solver<T>::cg_solver(const device& where, const csr_view<T>& a, const cg_options& options) {
  check_options(options);
  s_ = std::make_unique<state>(where, a, options);
}
template <class T>
cg_solver<T>::cg_solver(const device& where, const device_csr_view<T>& a,
                        const cg_options& options) {
  check_options(options);
  s_ = std::make_unique<state>(where, a, options);
}
template <class T>
cg_solver<T>::cg_solver(cg_solver&&) noexcept = default;
template <class T>
cg_solver<T>& cg_solver<T>::operator=(cg_solver&&) noexcept = default;
template <class T>
cg_solver<T>::~cg_solver() = default;

template <class T>
index cg_solver<T>::rows() const {
  return s_->rows();
}
template <class T>
index cg_solver<T>::nonzeros() const {
  return s_->matrix.arrays().nonzeros;
}
template <class T>
const cg_setup& cg_solver<T>::setup() const {
  return s_->setup;
}

template <class T>
cg_report cg_solver<T>::solve(std::span<const T> b, std::span<T> x) {
  state& s = *s_;
  s.require_idle();
  s.began = seconds_on_host();
  check_size(b.size(), rows(), name_of_b);
  check_size(x.size(), rows(), name_of_x);
  // Of the matrix a GPU has a copy.
  check_memory(s.matrix.in_place(), b, std::span<const T>(x));
  if (s.on_gpu()) {
    s.b.upload(b);
    s.x.upload(x);
    s.begin(s.b.data(), s.x.data());
  } else {
    s.begin(b.data(), x.data());
  }
  cg_report report = s.end();
  if (!s.seen.finite) {
    check_finite(b, name_of_b);
    check_finite(std::span<const T>(x), name_of_x);
  }
  if (s.on_gpu()) s.x.download(x);
  report.finish_s = seconds_on_host() - s.ended;
  return report;
}

template <class T>
cg_report cg_solver<T>::solve(device_span<const T> b, device_span<T> x) {
  solve_async(b, x);
  return wait();
}

template <class T>
void cg_solver<T>::solve_async(device_span<const T> b, device_span<T> x) {
  state& s = *s_;
  s.require_idle();
  s.began = seconds_on_host();
  check_size(b.size, rows(), name_of_b);
  check_size(x.size, rows(), name_of_x);
  check_device_memory(s.queue.where(), b, device_span<const T>(x));
  s.begin(b.data, x.data);
  s.async_b = b;
  s.async_x = x;
  s.waited_for = true;
}

template <class T>
cg_report cg_solver<T>::wait() {
  state& s = *s_;
  if (!s.waited_for) throw input_error("expected a solve in progress to wait for, found none");
  s.waited_for = false;
  cg_report report = s.end();
  if (!s.seen.finite) {  // the message names the element
    const auto check = [&](const T* from, const char* what) {
      std::vector<T> copy(static_cast<std::size_t>(rows()));
      memory_of(backend::cuda)
          .download(s.queue.where(), copy.data(), from, copy.size() * sizeof(T));
      check_finite(std::span<const T>(copy), what);
    };
    check(s.async_b.data, name_of_b);
    check(s.async_x.data, name_of_x);
  }
  report.finish_s = seconds_on_host() - s.ended;
  return report;
}

template <class T>
std::vector<cg_report> cg_solver<T>::solve(std::span<const T> b, std::size_t ldb, std::span<T> x,
                                           std::size_t ldx, int count) {
  check_block(b.size(), rows(), ldb, count, name_of_b);
  check_block(x.size(), rows(), ldx, count, name_of_x);
  const auto n = static_cast<std::size_t>(rows());
  std::vector<cg_report> reports;
  for (int k = 0; k < count; ++k)
    reports.push_back(solve(b.subspan(begin_of(k, ldb), n), x.subspan(begin_of(k, ldx), n)));
  return reports;
}

template <class T>
std::vector<cg_report> cg_solver<T>::solve(device_span<const T> b, std::size_t ldb,
                                           device_span<T> x, std::size_t ldx, int count) {
  check_block(b.size, rows(), ldb, count, name_of_b);
  check_block(x.size, rows(), ldx, count, name_of_x);
  const auto n = static_cast<std::size_t>(rows());
  std::vector<cg_report> reports;
  for (int k = 0; k < count; ++k)
    reports.push_back(solve(device_span<const T>{b.data + begin_of(k, ldb), n, b.device},
                            device_span<T>{x.data + begin_of(k, ldx), n, x.device}));
  return reports;
}

template <class T>
void cg_solver<T>::update_values(std::span<const T> values) {
  s_->require_idle();
  s_->setup = {};
  s_->matrix.update(values, s_->setup);
  s_->refresh();
}
template <class T>
void cg_solver<T>::update_values(device_span<const T> values) {
  s_->require_idle();
  s_->setup = {};
  s_->matrix.update(values, s_->setup);
  s_->refresh();
}

template <class T>
void cg_solver<T>::set_tolerances(double rtol, double atol) {
  s_->require_idle();
  cg_options changed = s_->options;
  changed.rtol = rtol;
  changed.atol = atol;
  check_options(changed);
  s_->options.rtol = rtol;
  s_->options.atol = atol;
}

template class cg_solver<double>;
template class cg_solver<float>;

}  // namespace dwell
