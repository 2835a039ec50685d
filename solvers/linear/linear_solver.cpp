// SPDX-License-Identifier: MIT
// See linear_solver.hpp: prepare (check, upload, plan, cut, load), then solve (load the vectors,
// run, take the answer, judge).
#include "dwell/solvers/linear/linear_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/base/lap_timer.hpp"
#include "dwell/base/policy_words.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/device/device_backends.hpp"
#include "dwell/execution/device/work_queue.hpp"
#include "dwell/solvers/linear/choose_method.hpp"
#include "dwell/solvers/linear/column_groups.hpp"
#include "dwell/solvers/linear/decide.hpp"
#include "dwell/solvers/linear/judgement.hpp"
#include "dwell/solvers/linear/memory_check.hpp"
#include "dwell/solvers/linear/prepared_system.hpp"
#include "dwell/solvers/linear/solve_steps.hpp"
#include "dwell/solvers/linear/system_check.hpp"
#include "dwell/solvers/preconditioners/list.hpp"

namespace dwell {
namespace {

constexpr const char* name_of_b = "right-hand side";
constexpr const char* name_of_x = "start vector";

/// The part of a block of vectors that belongs to column k; `what` names the block.
std::string column_name(const char* what, int k) {
  return fmt::format("{} of column {}", what, k + 1);
}
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
struct linear_solver<T>::state {
  template <class Matrix>
  state(const device& where, const Matrix& a, const solve_options& o)
      : options(o),
        setup{where.on() == backend::cuda ? start_cuda(where.ordinal()) : 0.0},
        queue(where),
        target(target_of(queue.where())),
        matrix(queue.where(), a, demand_of(o), setup),
        began(seconds_on_host()) {
    choose_method();
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
  void choose_method();
  /// Another method, where the one that was chosen asks more of the matrix than it is. False: there
  /// is none.
  bool change_method(const solve_report& failed);
  void prepare();
  void place_vectors();
  void make_preconditioner();
  /// To be called when the matrix has other values.
  void refresh();
  void place_matrix();
  void require_idle() const;
  /// check_finite() of a vector in a GPU's memory.
  void check_finite_there(const T* from, const std::string& what) const;
  /// The solves of a block: alone(k) of column k; group(first, width, began) of several columns,
  /// and refuse(k) throws for one that is not finite.
  template <class Alone, class Group, class Refuse>
  std::vector<solve_report> solve_block(int count, Alone&& alone, Group&& group, Refuse&& refuse);
  /// Puts a solve of vectors in the device's memory into its stream.
  void begin(const T* b, T* x);
  /// Waits for it. Where seen.finite is 0 there was nothing to solve, and x is as it was.
  solve_report end();

  solve_options options;      ///< their method is never "auto"
  std::string method_reason;  ///< why this one
  bool chosen = false;        ///< it was "auto"
  solve_setup setup;
  work_queue queue;  ///< ends after all that its work touches
  plan_target target;
  prepared_system<T> matrix;
  std::unique_ptr<made_preconditioner> chain;  ///< of preconditioners that are a chain of products
  solve_report prepared;                       ///< what every report begins with
  std::unique_ptr<prepared_run<T>> run;
  solve_places<T> places;
  buffer<T> b, x;  ///< a GPU's copies of host vectors
  std::optional<cut_cache<T>> cuts;
  std::optional<column_groups<T>> groups;
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
void linear_solver<T>::state::choose_method() {
  method_reason = "as asked";
  if (options.method == automatic) {
    const method_choice found = dwell::choose_method(matrix.facts());
    options.method = found.name;
    method_reason = found.why;
    chosen = true;
    matrix.demand(demand_of(options));
  }
  form_asked_for(options);  // before a long set-up
}

template <class T>
bool linear_solver<T>::state::change_method(const solve_report& failed) {
  const bool too_much = forms_of(options.method).front().solves == matrix_class::positive_definite;
  if (!chosen || failed.stopped != stop_reason::breakdown || !too_much ||
      kind_of(options.preconditioner).of == matrix_class::positive_definite)
    return false;
  system_facts known = matrix.facts();
  known.positive_diagonal = false;  // as good as
  method_reason = fmt::format("{} broke down after {} iterations: {}", options.method,
                              failed.iterations, forms_of(options.method).front().breaks_down);
  options.method = dwell::choose_method(known).name;
  matrix.demand(demand_of(options));
  run.reset();
  groups.reset();
  prepare();
  return true;
}

template <class T>
void linear_solver<T>::state::make_preconditioner() {
  const preconditioner_kind& kind = kind_of(options.preconditioner);
  if (!kind.is_chain()) return;
  const lap_timer time(setup.preconditioner_s);
  if (chain && chain->refresh) {
    const csr_arrays<T> arrays = matrix.arrays();
    return chain->refresh(&arrays);
  }
  auto made = std::make_unique<made_preconditioner>(
      kind.make<T>()(queue.where(), matrix.arrays(), options.preconditioning));
  if (run && chain) run->take_chain(made->products);
  chain = std::move(made);
}

template <class T>
void linear_solver<T>::state::prepare() {
  const device& where = queue.where();
  make_preconditioner();
  cuts.emplace(where, matrix.arrays());
  const solve_request<T> request{
      target, *cuts, options, matrix.scale_exponent(), true, chain ? &chain->products : nullptr};
  solve_decision<T> made = [&] {
    const lap_timer time(setup.plan_s);
    return decide(request);
  }();
  setup.plan_s -= cuts->seconds();
  setup.cut_s += cuts->seconds();
  {
    const lap_timer time(setup.cut_s);
    run = made.form->template code<T>().prepare(where, request, *made.kernel, made.made);
  }
  {
    const lap_timer time(setup.load_s);
    run->load_kernel();
  }
  prepared = report_of(target, options, made);
  prepared.method_reason = method_reason;
  groups.emplace(where, target, matrix, options, *cuts, std::move(made));
  cuts->drop_unused();
  place_vectors();
  place_matrix();
}

template <class T>
void linear_solver<T>::state::place_vectors() {
  const lap_timer time(setup.upload_s);
  const device& where = queue.where();
  const auto n = static_cast<std::size_t>(rows());
  const run_places<T> in = run->places();
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
void linear_solver<T>::state::place_matrix() {
  places.a = matrix.arrays();
  places.matrix_exponent = matrix.facts().exponent;
  if (T* const to = run->places().inverse_diagonal)
    invert_diagonal(queue.where(), matrix.arrays(), -matrix.scale_exponent(),
                    forms_of(options.method).front().solves == matrix_class::symmetric, to);
}

template <class T>
void linear_solver<T>::state::refresh() {
  {
    const lap_timer time(setup.cut_s);
    run->refill(matrix.arrays(), -matrix.scale_exponent());
    groups->refresh();
  }
  options.preconditioning.keep_patterns = true;
  make_preconditioner();
  place_matrix();
}

template <class T>
void linear_solver<T>::state::require_idle() const {
  if (waited_for)
    throw input_error(
        "expected wait() for the solve in progress, found another call of the solver");
}

template <class T>
void linear_solver<T>::state::check_finite_there(const T* from, const std::string& what) const {
  std::vector<T> copy(static_cast<std::size_t>(rows()));
  memory_of(backend::cuda).download(queue.where(), copy.data(), from, copy.size() * sizeof(T));
  check_finite(std::span<const T>(copy), what.c_str());
}

template <class T>
template <class Alone, class Group, class Refuse>
std::vector<solve_report> linear_solver<T>::state::solve_block(int count, Alone&& alone,
                                                               Group&& group, Refuse&& refuse) {
  std::vector<solve_report> reports;
  double begin = seconds_on_host();  // of the first group: with what it takes to prepare groups
  const column_division by = groups->divide(count);
  const std::string method = options.method;
  for (const int width : by.widths) {
    const int first = static_cast<int>(reports.size());
    if (width == 1) {
      reports.push_back(alone(first));
      if (!by.why_alone.empty())
        reports.back().reason += "; one right-hand side at a time: " + by.why_alone;
    } else if (options.method != method) {  // it has been changed
      for (int c = 0; c < width; ++c) reports.push_back(alone(first + c));
    } else {
      group_solve<T> got = group(first, width, begin);
      const double finish_s = seconds_on_host() - got.ended;
      for (int c = 0; c < width; ++c)
        if (!got.finite[static_cast<std::size_t>(c)]) refuse(first + c);
      for (solve_report& report : got.reports) {
        report.finish_s = finish_s;
        if (report.stopped == stop_reason::breakdown &&
            (options.method != method || change_method(report)))
          report = alone(static_cast<int>(reports.size()));
        reports.push_back(std::move(report));
      }
    }
    begin = seconds_on_host();
  }
  return reports;
}

template <class T>
void linear_solver<T>::state::begin(const T* from, T* to) {
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
  // On a GPU all of the run is in the stream now: what the caller puts there next finds the answer.
  if (on_gpu()) solve_steps_of<T>(where.on()).end(where, places);
}

template <class T>
solve_report linear_solver<T>::state::end() {
  const device& where = queue.where();
  solve_report report = prepared;
  report.setup_s = first - began;
  if (!seen.finite) return report;
  running = false;
  report.solve_s = run->finish();
  ended = seconds_on_host();
  if (!on_gpu()) solve_steps_of<T>(where.on()).end(where, places);
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
linear_solver<T>::linear_solver(const device& where, const csr_view<T>& a,
                                const solve_options& options) {
  check_options(options);
  s_ = std::make_unique<state>(where, a, options);
}
template <class T>
linear_solver<T>::linear_solver(const device& where, const device_csr_view<T>& a,
                                const solve_options& options) {
  check_options(options);
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
  solve_report report = s.end();
  if (!s.seen.finite) {
    check_finite(b, name_of_b);
    check_finite(std::span<const T>(x), name_of_x);
  }
  if (s.on_gpu()) s.x.download(x);
  report.finish_s = seconds_on_host() - s.ended;
  return s.change_method(report) ? solve(b, x) : report;
}

template <class T>
solve_report linear_solver<T>::solve(device_span<const T> b, device_span<T> x) {
  solve_async(b, x);
  solve_report report = wait();
  return s_->change_method(report) ? solve(b, x) : report;
}

template <class T>
void linear_solver<T>::solve_async(device_span<const T> b, device_span<T> x) {
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
solve_report linear_solver<T>::wait() {
  state& s = *s_;
  if (!s.waited_for) throw input_error("expected a solve in progress to wait for, found none");
  s.waited_for = false;
  solve_report report = s.end();
  if (!s.seen.finite) {  // the message names the element
    s.check_finite_there(s.async_b.data, name_of_b);
    s.check_finite_there(s.async_x.data, name_of_x);
  }
  report.finish_s = seconds_on_host() - s.ended;
  return report;
}

template <class T>
std::vector<solve_report> linear_solver<T>::solve(std::span<const T> b, std::size_t ldb,
                                                  std::span<T> x, std::size_t ldx, int count) {
  state& s = *s_;
  check_block(b.size(), rows(), ldb, count, name_of_b);
  check_block(x.size(), rows(), ldx, count, name_of_x);
  s.require_idle();
  const auto n = static_cast<std::size_t>(rows());
  const auto b_of = [&](int k) { return b.subspan(begin_of(k, ldb), n); };
  const auto x_of = [&](int k) { return x.subspan(begin_of(k, ldx), n); };
  return s.solve_block(
      count, [&](int k) { return solve(b_of(k), x_of(k)); },
      [&](int first, int width, double began) {
        std::vector<column_data<T>> columns;
        for (int k = first; k < first + width; ++k) {
          for (int other = first; other < first + width; ++other)
            check_memory(s.matrix.in_place(), b_of(other), std::span<const T>(x_of(k)));
          columns.push_back({b_of(k).data(), x_of(k).data()});
        }
        if (s.on_gpu()) {
          buffer<T>&b_there = s.groups->b_of(width), &x_there = s.groups->x_of(width);
          for (int c = 0; c < width; ++c) {
            const auto at = static_cast<std::size_t>(c) * n;
            b_there.upload(b_of(first + c), at);
            x_there.upload(x_of(first + c), at);
            columns[static_cast<std::size_t>(c)] = {b_there.data() + at, x_there.data() + at};
          }
        }
        group_solve<T> got = s.groups->solve(columns, began);
        if (s.on_gpu())
          for (int c = 0; c < width; ++c)
            if (got.finite[static_cast<std::size_t>(c)])
              s.groups->x_of(width).download(x_of(first + c), static_cast<std::size_t>(c) * n);
        return got;
      },
      [&](int k) {
        check_finite(std::span<const T>(b_of(k)), column_name(name_of_b, k).c_str());
        check_finite(std::span<const T>(x_of(k)), column_name(name_of_x, k).c_str());
      });
}

template <class T>
std::vector<solve_report> linear_solver<T>::solve(device_span<const T> b, std::size_t ldb,
                                                  device_span<T> x, std::size_t ldx, int count) {
  check_block(b.size, rows(), ldb, count, name_of_b);
  check_block(x.size, rows(), ldx, count, name_of_x);
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
        return s.groups->solve(columns, began);
      },
      [&](int k) {
        s.check_finite_there(b_of(k).data, column_name(name_of_b, k));
        s.check_finite_there(x_of(k).data, column_name(name_of_x, k));
      });
}

template <class T>
void linear_solver<T>::update_values(std::span<const T> values) {
  s_->require_idle();
  s_->setup = {};
  s_->matrix.update(values, s_->setup);
  s_->refresh();
}
template <class T>
void linear_solver<T>::update_values(device_span<const T> values) {
  s_->require_idle();
  s_->setup = {};
  s_->matrix.update(values, s_->setup);
  s_->refresh();
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
