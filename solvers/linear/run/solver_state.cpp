// SPDX-License-Identifier: MIT
// Prepares (plan, cut, load), then solves (loads the vectors, runs, takes the answer, judges).
#include "dwell/solvers/linear/run/solver_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/base/lap_timer.hpp"
#include "dwell/comm/agreement.hpp"
#include "dwell/execution/device/device_backends.hpp"
#include "dwell/solvers/linear/check/system_check.hpp"
#include "dwell/solvers/linear/method/outcome.hpp"
#include "dwell/solvers/linear/run/judgement.hpp"
#include "dwell/solvers/preconditioners/chains/equilibrated.hpp"
#include "dwell/solvers/preconditioners/list.hpp"

namespace dwell {

template <class T>
void solver_state<T>::make_preconditioner() {
  const preconditioner_kind& kind = kind_of(options.preconditioner);
  if (!kind.is_chain()) return;
  const lap_timer time(setup.preconditioner_s);
  if (chain && chain->refresh) {
    const csr_arrays<T> arrays = matrix.block();
    matrix_units units;
    find_units(queue.where(), arrays, false, units);
    if (units.wide() == chain->wide_units) return chain->refresh(&arrays);
  }
  auto made = std::make_unique<made_preconditioner>(
      kind.make<T>()(queue.where(), matrix.block(), options.preconditioning));
  if (run && chain) run->take_chain(made->products);
  chain = std::move(made);
}

template <class T>
void solver_state<T>::make_preconditioners() {
  const row_ranks* const ranks = matrix.ranks();
  if (!ranks) return make_preconditioner();
  together(*ranks->comm, [&] {
    std::optional<interruption_scope> scope;
    if (asked_amid_solve) scope.emplace(asked_amid_solve);
    try {
      make_preconditioner();
    } catch (const input_error& e) {  // its rows are those of the block
      throw input_error(fmt::format("block of rank {}: {}", ranks->comm->rank(), e.what()));
    }
  });
}

template <class T>
void solver_state<T>::rethrow_of_one_rank(const error& e) const {
  if (matrix.ranks() && dynamic_cast<const device_error*>(&e) &&
      !dynamic_cast<const agreed_failure*>(&e))
    throw;
}

template <class T>
std::string solver_state<T>::preconditioner_note() const {
  return kind_of(options.preconditioner).is_chain() ? chain->note : std::string();
}

template <class T>
void solver_state<T>::check_null_vectors() {
  if (null_space.count() == 0) return;
  const lap_timer time(setup.check_s);
  matrix.demand([this](const csr_arrays<T>& a, const system_facts& facts) {
    null_space.check(a, facts.exponent);
  });
}

template <class T>
void solver_state<T>::prepare() {
  const device& where = queue.where();
  if (options.mixed_precision && prepare_mixed()) return;
  make_preconditioners();
  cuts = std::make_unique<cut_cache<T>>(where, matrix.arrays());
  const solve_request<T> request{target,        *cuts,
                                 options,       matrix.scale_exponent(),
                                 true,          chain ? &chain->products : nullptr,
                                 matrix.ranks()};
  solve_decision<T> made = [&] {
    const lap_timer time(setup.plan_s);
    return decide(request);
  }();
  setup.plan_s -= cuts->seconds();
  setup.cut_s += cuts->seconds();
  {
    const lap_timer time(setup.cut_s);
    run = made.form->template code<T>().prepare(where, request, *made.kernel, made.made);
    run->connect();
  }
  {
    const lap_timer time(setup.load_s);
    run->load_kernel();
  }
  prepared = report_of(target, options, made);
  prepared.preconditioner_note = preconditioner_note();
  groups = std::make_unique<column_groups<T>>(where, target, matrix, null_space, options, *cuts,
                                              std::move(made));
  cuts->drop_unused();
  place_vectors();
  place_matrix();
}

template <class T>
void solver_state<T>::place_vectors() {
  const lap_timer time(setup.upload_s);
  const device& where = queue.where();
  const auto n = static_cast<std::size_t>(rows());
  const run_places<T> in = run->places();
  if (residual.size() == 0) {  // else they stay: a solve may be in the midst of its vectors
    residual = {where, n, fresh::unset};
    partial = {where, solve_partials(rows()), fresh::unset};
    done = {where, 1};
    numbers = {where, 1};
    if (null_space.count() > 0) parts = {where, 1};
    if (on_gpu()) b = {where, n, fresh::unset}, x = {where, n, fresh::unset};
  }
  if (const row_ranks* const ranks = matrix.ranks()) {
    places.ranks = ranks;
    places.rows_of_ranks = ranks->all_rows;
    if (ranks->gpus) {
      ghosts_of_x_there =
          std::make_unique<device_halo>(where, *ranks->gpus, *ranks->halo, in.x, sizeof(T));
      places.ghosts_of_x_there = ghosts_of_x_there.get();
      rank_totals = {where, solve_totals * (1 + static_cast<std::size_t>(ranks->comm->size()))};
      places.rank_totals = rank_totals.data();
    } else {
      ghosts_of_x = std::make_unique<halo_exchange>(*ranks->comm, *ranks->halo, in.x, sizeof(T));
      places.ghosts_of_x = ghosts_of_x.get();
    }
  }
  places.run_x = in.x;
  places.run_rhs = in.rhs;
  places.inverse_diagonal = in.inverse_diagonal;
  places.residual = residual.data();
  places.target2 = in.target2;
  places.step = in.step;
  places.stop = in.stop;
  places.rr = in.rr;
  places.numbers = numbers.data();
  places.null_count = null_space.count();
  places.null_vectors = null_space.data();
  places.parts = parts.data();
  places.partial = partial.data();
  places.done = done.data();
}

template <class T>
void solver_state<T>::place_matrix() {
  places.a = matrix.arrays();
  places.matrix_exponent = matrix.facts().exponent;
  places.null_space = has_null_space(options, matrix.facts());
  if (T* const to = run->places().inverse_diagonal)
    invert_diagonal(queue.where(), matrix.arrays(), -matrix.scale_exponent(),
                    forms_of(options.method).front().solves == matrix_class::symmetric, to);
}

template <class T>
void solver_state<T>::refresh() {
  options.preconditioning.keep_patterns = true;
  for (solver_way<T>& way : left) way.outdated = true;
  outdated = true;
  begin_anew();
  if (choice() != first_chosen.way) remember_choice();  // f32 has too little range for these values
}

template <class T>
void solver_state<T>::refresh_way() {
  if (mixed) return refresh_mixed();
  {
    const lap_timer time(setup.cut_s);
    run->refill(matrix.arrays(), -matrix.scale_exponent());
    groups->refresh();
  }
  make_preconditioners();
  prepared.preconditioner_note = preconditioner_note();
  place_matrix();
}

template <class T>
void solver_state<T>::require_idle() const {
  if (waited_for)
    throw input_error(
        "expected wait() for the solve in progress, found another call of the solver");
  if (!run) throw device_error("the solver could not be prepared again: make a new one");
}

template <class T>
void solver_state<T>::forget_run() {
  left.clear();
  forget_way();
}

template <class T>
bool solver_state<T>::was_refused() const {
  return matrix.ranks() ? any_of_ranks(*matrix.ranks()->comm, refused) : refused;
}

template <class T>
void solver_state<T>::check_finite_there(const T* from, const std::string& what) const {
  std::vector<T> copy(static_cast<std::size_t>(rows()));
  memory_of(backend::cuda).download(queue.where(), copy.data(), from, copy.size() * sizeof(T));
  check_finite(std::span<const T>(copy), what.c_str());
}

template <class T>
int solver_state<T>::exponent_of_residual(const solve_report& report) const {
  const double relative = report.residual_relative_true;
  if (!(relative > 0.0) || !std::isfinite(relative)) return INT_MAX;
  return std::ilogb(relative) + (seen.rhs > 0.0 ? std::ilogb(seen.rhs) + seen.by.rhs : 0);
}

template <class T>
void solver_state<T>::begin(const T* from, T* to, const solve_report* so_far, int most) {
  const device& where = queue.where();
  places.b = from;
  places.x = to;
  places.rtol = options.rtol;
  places.atol = options.atol;
  places.start_residual = so_far ? exponent_of_residual(*so_far) : INT_MAX;
  const int done = so_far ? so_far->iterations : 0;
  run->limit(std::min(most, options.max_iterations - done));
  run->reset();
  solve_steps_of<T>(where.on()).begin(where, places);
  control = {};
  control.interrupt = options.interrupt;
  control.progress_interval = options.progress_interval;
  // A GPU is not waited for unless somebody listens: a run from numbers that are not finite ends at
  // its first step. (Ranks have looked at theirs before.)
  seen.finite = 1;
  if (!on_gpu() || options.progress) numbers.download({&seen, 1});
  first = seconds_on_host();
  if (!so_far) told_from = first, refused = false;
  if (!seen.finite) return;
  if (options.progress)
    control.progress = [this, done, again = so_far != nullptr](int step, double residual) {
      if (again && step == 0) return true;  // the attempt before has reported this x
      const scaled_norms norms{seen.by, seen.rhs};
      const bool go_on =
          options.progress({done + step, norms.relative(residual), norms.relative(seen.target),
                            seconds_on_host() - told_from});
      refused = refused || !go_on;
      return go_on;
    };
  running = true;
  run->start(control);
  // On a GPU all of the run is in the stream now: what the caller puts there next finds the answer.
  if (on_gpu()) solve_steps_of<T>(where.on()).end(where, {&places, 1});
}

template <class T>
solve_report solver_state<T>::end(const solve_report* so_far) {
  const device& where = queue.where();
  if (mixed) describe_mixed();
  solve_report report = prepared;
  report.method_reason = method_reason;
  if (!mixed) report.preconditioner_reason = preconditioner_reason;
  if (!why_f64.empty()) report.reason += "; in f64 instead of mixed precision: " + why_f64;
  report.setup_s = first - began;
  if (!seen.finite) return report;
  running = false;
  report.solve_s = run->finish();
  ended = seconds_on_host();
  if (!on_gpu()) solve_steps_of<T>(where.on()).end(where, {&places, 1});
  numbers.download({&seen, 1});
  if (!seen.finite) return report;
  solve_end how;
  how.numbers = seen;
  how.facts = matrix.facts();
  const auto entries = static_cast<std::size_t>(std::max(seen.step, 0)) + 1;
  // Others end where they have told of the step.
  const bool within_step =
      seen.stop == run_outcome::breakdown || seen.stop == run_outcome::not_finite;
  const auto told = within_step ? static_cast<std::size_t>(run->last_noted() + 1) : entries;
  how.has_residual = told > 0;
  how.coefficients = run->coefficients(std::min(told, entries));
  best = so_far ? 0 : best_step(how.coefficients);
  if (options.history) {
    how.history = run->history(std::min(told, entries));
    how.history.resize(entries, told > 0
                                    ? std::sqrt(seen.rr)
                                    : std::ldexp(seen.true_norm, seen.by.rhs - seen.by.vectors));
  }
  how.known_condition = so_far ? so_far->condition_estimate : condition_of_mixed();
  judge(std::move(how), options, report);
  if (mixed) conclude_mixed(report);
  return report;
}

template struct solver_state<double>;
template struct solver_state<float>;

}  // namespace dwell
