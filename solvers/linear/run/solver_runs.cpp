// SPDX-License-Identifier: MIT
// Plans of runs and what they need: the preconditioner, the cut of the matrix, the kernel. From one
// run to another in a solve, and back before the next.
#include "dwell/solvers/linear/run/solver_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <type_traits>
#include <utility>

#include "dwell/base/interruption.hpp"
#include "dwell/comm/agreement.hpp"
#include "dwell/execution/device/small_kernels.hpp"
#include "dwell/solvers/linear/direct/direct_method.hpp"
#include "dwell/solvers/linear/direct/direct_run.hpp"
#include "dwell/solvers/linear/mixed/mixed_precision.hpp"
#include "dwell/solvers/linear/run/rank_kernels.hpp"
#include "dwell/solvers/linear/run/verification.hpp"
#include "dwell/solvers/preconditioners/list.hpp"
#include "dwell/solvers/preconditioners/sequences/equilibrated.hpp"

namespace dwell {

// Preconditioners -------------------------------------------------------------------------------

template <class T>
void solver_runs<T>::make_preconditioner(solver_run<T>& run) {
  const preconditioner_kind& kind = kind_of(options_.preconditioner);
  if (!kind.is_sequence()) return;
  check_backend(kind, matrix_.where().on());
  const lap_timer time(setup_.preconditioner_s);
  if (run.sequence && run.sequence->refresh) {
    const csr_arrays<T> arrays = matrix_.system.block();
    matrix_units units;
    find_units(matrix_.where(), arrays, false, units);
    if (units.wide() == run.sequence->wide_units) return run.sequence->refresh(&arrays);
  }
  auto made = std::make_unique<prepared_preconditioner>(
      kind.make<T>()(matrix_.where(), matrix_.system.block(), options_.preconditioning));
  if (run.code && run.sequence) run.code->take_sequence(made->products);
  run.sequence = std::move(made);
}

template <class T>
void solver_runs<T>::make_preconditioners(solver_run<T>& run, const end_of_set_up& asked) {
  const row_ranks* const ranks = matrix_.ranks();
  if (!ranks) return make_preconditioner(run);
  if (const preconditioner_kind& kind = kind_of(options_.preconditioner); kind.is_sequence())
    setup_.compile_s +=
        exchange_kernels_of(ranks, matrix_.where(), small_kernels_of_set_up(kind.name)).seconds;
  together(*ranks->comm, [&] {
    std::optional<interruption_scope> scope;
    if (asked) scope.emplace(asked);
    try {
      make_preconditioner(run);
    } catch (const input_error& e) {  // its rows are those of the block
      throw input_error(fmt::format("block of rank {}: {}", ranks->comm->rank(), e.what()));
    }
  });
}

template <class T>
void solver_runs<T>::describe_preconditioner(solver_run<T>& run) const {
  const bool made = kind_of(options_.preconditioner).is_sequence();
  run.prepared.preconditioner_note = made ? run.sequence->note : std::string();
  run.prepared.near_null_misfit = made && run.sequence->vectors_misfit;
}

template <class T>
void solver_runs<T>::place_diagonal(solver_run<T>& run) {
  if (T* const to = run.code->places().inverse_diagonal)
    invert_diagonal(matrix_.where(), matrix_.arrays(), -matrix_.system.scale_exponent(),
                    solver_variants(options_.method).front().solves == matrix_class::symmetric, to);
}

// One run ---------------------------------------------------------------------------------------

template <class T>
void solver_runs<T>::connect(solver_run<T>& run) {
  const row_ranks* const ranks = matrix_.ranks();
  if (!ranks) return;
  T* const x = run.code->places().x;
  if (ranks->gpus)
    run.ghosts_of_x_there =
        std::make_unique<device_halo>(matrix_.where(), *ranks->gpus, *ranks->halo, x, sizeof(T));
  else
    run.ghosts_of_x = std::make_unique<halo_exchange>(*ranks->comm, *ranks->halo, x, sizeof(T));
}

template <class T>
void solver_runs<T>::prepare(solver_choice& of, const end_of_set_up& asked) {
  set_choice(of.run);
  if (options_.mixed_precision && prepare_mixed(of)) return;
  if (is_direct(of.run.method)) return prepare_direct(of);
  const device& where = matrix_.where();
  solver_run<T> run;
  make_preconditioners(run, asked);
  run.cuts = std::make_unique<cut_cache<T>>(where, matrix_.arrays());
  double trials_compiled_s = 0;
  const solve_request<T> request{matrix_.target,
                                 *run.cuts,
                                 options_,
                                 matrix_.system.scale_exponent(),
                                 true,
                                 &trials_compiled_s,
                                 run.sequence ? &run.sequence->products : nullptr,
                                 matrix_.ranks()};
  solve_decision<T> made = [&] {
    const lap_timer time(setup_.plan_s);
    return decide(request);
  }();
  setup_.plan_s -= trials_compiled_s;
  setup_.plan_s -= run.cuts->seconds();
  setup_.cut_s += run.cuts->seconds();
  {
    const lap_timer time(setup_.cut_s);
    run.code = made.variant->template code<T>().prepare(where, request, *made.kernel, made.made);
    run.code->connect();
  }
  const kernel_making exchanged =
      exchange_kernels_of(matrix_.ranks(), where, *made.kernel, made.made.how.config);
  kernel_making making;
  {
    const lap_timer time(setup_.load_s);
    making = run.code->load_kernel();
  }
  setup_.load_s -= making.seconds;
  making.seconds += exchanged.seconds + trials_compiled_s;
  setup_.compile_s += making.seconds;
  run.prepared = report_of(matrix_.target, options_, made);
  run.prepared.compiler = making.compiler;
  run.prepared.reason += words_of(making);
  describe_preconditioner(run);
  run.groups =
      std::make_unique<column_groups<T>>(where, matrix_.target, matrix_.system, matrix_.null_space,
                                         options_, *run.cuts, std::move(made));
  run.cuts->drop_unused();
  {
    const lap_timer time(setup_.upload_s);
    connect(run);
  }
  place_diagonal(run);
  run.choice = of.run;
  run.version = matrix_.version;
  current_.emplace(std::move(run));
}

template <class T>
bool solver_runs<T>::prepare_mixed(solver_choice& of) {
  if constexpr (std::is_same_v<T, double>) {
    const device& where = matrix_.where();
    solver_run<T> run;
    try {
      auto made = std::make_unique<mixed_precision_run>(
          where, matrix_.system, options_, has_null_space(options_, matrix_.facts()), setup_);
      run.mixed = made.get();
      run.code = std::move(made);
    } catch (const input_error& e) {  // in f32 the matrix is not what it is in f64
      of.run.mixed_precision = false;
      of.why_f64 = std::string("in f32 ") + e.what();
      choose_preconditioner_of(of, options_, matrix_.facts(), matrix_.searched(), matrix_.judges());
      set_choice(of.run);
      return false;
    }
    prepare_alone(run);
    {
      const lap_timer time(setup_.upload_s);
      connect(run);
    }
    place_diagonal(run);
    run.choice = of.run;
    run.version = matrix_.version;
    current_.emplace(std::move(run));
    return true;
  }
  return false;
}

template <class T>
void solver_runs<T>::prepare_alone(solver_run<T>& run) {
  run.cuts = std::make_unique<cut_cache<T>>(matrix_.where(), matrix_.arrays());
  run.groups = std::make_unique<column_groups<T>>(matrix_.where(), matrix_.target, matrix_.system,
                                                  matrix_.null_space, options_, *run.cuts,
                                                  solve_decision<T>{});
}

template <class T>
void solver_runs<T>::prepare_direct(const solver_choice& of) {
  solver_run<T> run;
  std::unique_ptr<direct_run<T>> made;
  try {
    made = std::make_unique<direct_run<T>>(matrix_.system, options_, matrix_.known_fill(), setup_);
  } catch (const std::bad_alloc&) {
    throw device_error("too little memory for the factors of the matrix (method direct)");
  }
  run.factorised = made.get();
  run.code = std::move(made);
  prepare_alone(run);
  solve_report& report = run.prepared;
  report.method = of.run.method;
  report.variant = variant_lu;  // until conclude() says which
  report.executor = direct_executor;
  report.reason = run.factorised->library() + " on one thread";
  report.device = matrix_.target.facts.name;
  report.on = matrix_.target.on();
  report.precision = sizeof(T) == sizeof(double) ? "f64" : "f32";
  report.preconditioner = preconditioner::none;
  report.teams = report.lanes = 1;
  run.choice = of.run;
  run.version = matrix_.version;
  current_.emplace(std::move(run));
}

template <class T>
void solver_runs<T>::bring_up_to_date(solver_choice& of, const end_of_set_up& asked) {
  if (!outdated()) return;
  solver_run<T>& run = *current_;
  if (run.mixed) {
    refresh_mixed(of, asked);
  } else if (run.factorised) {
    run.code->refill(matrix_.arrays(), -matrix_.system.scale_exponent());
  } else {
    {
      const lap_timer time(setup_.cut_s);
      run.code->refill(matrix_.arrays(), -matrix_.system.scale_exponent());
      run.groups->refresh();
    }
    make_preconditioners(run, asked);
    describe_preconditioner(run);
    place_diagonal(run);
  }
  current_->version = matrix_.version;
}

template <class T>
void solver_runs<T>::refresh_mixed(solver_choice& of, const end_of_set_up& asked) {
  solver_run<T>& run = *current_;
  try {
    run.code->refill(matrix_.arrays(), -matrix_.system.scale_exponent());
  } catch (const input_error& e) {
    solver_choice in_f64 = of;
    in_f64.run = {of.run.method, run.mixed->current_preconditioner(), false};
    in_f64.why_f64 = std::string("in f32 ") + e.what();
    in_f64.preconditioner_reason = run.mixed->preconditioner_reason();
    take(in_f64, asked);
    of = in_f64;
    return;
  }
  setup_ += run.mixed->setup();
  place_diagonal(run);
}

// From one to another ---------------------------------------------------------------------------

template <class T>
run_choice solver_runs<T>::choice() const {
  return {options_.method, options_.preconditioner, options_.mixed_precision};
}

template <class T>
void solver_runs<T>::set_choice(const run_choice& to) {
  options_.method = to.method;
  options_.preconditioner = to.with;
  options_.mixed_precision = to.mixed_precision;
}

template <class T>
void solver_runs<T>::rethrow_of_one_rank(const error& e) const {
  if (matrix_.ranks() && dynamic_cast<const device_error*>(&e) &&
      !dynamic_cast<const agreed_failure*>(&e))
    throw;
}

template <class T>
void solver_runs<T>::leave() {
  if (!current_) return;
  left_.push_back(std::move(*current_));
  current_.reset();
}

template <class T>
bool solver_runs<T>::enter_left(const run_choice& wanted) {
  const auto at = std::find_if(left_.begin(), left_.end(),
                               [&](const solver_run<T>& r) { return r.choice == wanted; });
  if (at == left_.end()) return false;
  current_.reset();
  current_.emplace(std::move(*at));
  left_.erase(at);
  set_choice(wanted);
  return true;
}

template <class T>
void solver_runs<T>::prepare_with_room(solver_choice& of, const end_of_set_up& asked) {
  try {
    prepare(of, asked);
  } catch (const device_error& e) {
    rethrow_of_one_rank(e);
    if (left_.empty()) throw;
    left_.clear();  // those that were left may have the memory that is missing
    prepare(of, asked);
  }
}

template <class T>
void solver_runs<T>::take(solver_choice& wanted, const end_of_set_up& asked) {
  const run_choice before = choice();
  if (current_ && wanted.run == before) return bring_up_to_date(wanted, asked);
  leave();
  try {
    if (enter_left(wanted.run)) return bring_up_to_date(wanted, asked);
    set_choice(wanted.run);
    matrix_.system.demand(demand_of(options_));
    prepare_with_room(wanted, asked);
  } catch (const error& e) {
    rethrow_of_one_rank(e);
    if (current_ && outdated())
      leave();
    else
      current_.reset();
    set_choice(before);
    enter_left(before);
    throw;
  }
}

template <class T>
void solver_runs<T>::forget() {
  left_.clear();
  current_.reset();
}

template class solver_runs<double>;
template class solver_runs<float>;

}  // namespace dwell
