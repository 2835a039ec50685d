// SPDX-License-Identifier: MIT
// From a program to a row of the table of variants: how it is planned, tried and run. Included by
// the file that CMake writes, and by nothing else.
#pragma once
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "dwell/execution/krylov/launch/run.hpp"
#include "dwell/execution/krylov/launch/trial.hpp"
#include "dwell/solvers/linear/choose/variant.hpp"
#include "dwell/solvers/linear/run/verification.hpp"
#include "dwell/solvers/preconditioners/list.hpp"

namespace dwell::linear {

/// Has P a vector d, the inverse of the diagonal? Those whose preconditioner is always a sequence
/// have none.
template <class P>
inline constexpr bool has_diagonal = requires {
  P::d;
};

/// Rows of all ranks, as far as a basis is limited by them.
template <class T>
index all_rows_of(const solve_request<T>& q) {
  const index rows = q.cuts.arrays().rows;
  return q.ranks ? static_cast<index>(std::min(q.ranks->all_rows, 1e9)) : rows;
}

/// Basis vectors of a run.
inline int basis_of(const solve_options& o, index rows) {
  return std::clamp(o.restart, 1, std::max<index>(rows, 1));
}

template <class P, class T>
typename P::scalars start_of(const solve_options& o, index rows) {
  typename P::scalars start;
  start.max_steps = o.max_iterations;
  if constexpr (has_diagonal<P>) start.jacobi = o.preconditioner == preconditioner::jacobi;
  start.fixed = o.fixed_iterations;
  if constexpr (has_basis<P>) {
    start.by_sequence = kind_of(o.preconditioner).is_sequence();
    start.restart = basis_of(o, rows);
  }
  return start;
}

/// Scalars in the midst of a run, for counting what an iteration moves; of a basis half is there.
template <class P>
typename P::scalars steady_state_of(const solve_options& o, index rows) {
  typename P::scalars m = P::steady_state(o.preconditioner == preconditioner::jacobi);
  if constexpr (has_basis<P>) {
    m.by_sequence = kind_of(o.preconditioner).is_sequence();
    m.restart = basis_of(o, rows);
    m.column = m.restart / 2;
  }
  return m;
}

/// For trials, whose numbers do not matter: x = 0, and ones elsewhere.
template <class P, class T>
void load_ones(index rows, program_run<P, T>& run) {
  const auto n = static_cast<std::size_t>(rows);
  run.vector(P::x).upload(std::vector<T>(n, T(0)));
  run.vector(P::rhs).upload(std::vector<T>(n, T(1)));
  if constexpr (has_diagonal<P>) run.vector(P::d).upload(std::vector<T>(n, T(1)));
}

template <class P, class T>
planned<T> plan_variant(const solve_request<T>& q, const program_kernel& v) {
  const solve_options& o = q.options;
  const index rows = q.cuts.arrays().rows, all_rows = all_rows_of(q);
  const typename P::scalars start = start_of<P, T>(o, all_rows);
  const auto with = [&](auto&& trial) {
    return make_plan<P, T>(v, configs_of(v, q.target), q.target.facts, q.cuts,
                           {o.policy, o.teams, o.config, o.scratch_per_team, o.clusters,
                            -q.matrix_exponent, facts_of_sequence(q.sequence)},
                           steady_state_of<P>(o, all_rows), trial);
  };
  if constexpr (column_count<P> == 1)
    if (q.may_try)
      return with(program_trial<P, T>(
          *q.target.here, v, start, [&](program_run<P, T>& run) { load_ones(rows, run); },
          o.interrupt, q.sequence, basis_of(o, all_rows), q.compile_s));
  return with(no_trial{});
}

template <class P, class T>
planned<T> plan_batch(const solve_request<T>& q, const program_kernel& v,
                      const systems_request& systems) {
  const solve_options& o = q.options;
  plan_request request;
  request.config = o.config;
  request.scratch_per_team = o.scratch_per_team;
  request.exponent = -q.matrix_exponent;
  return make_plan_apart<P, T>(v, configs_of(v, q.target), q.target.facts, q.cuts, request, systems,
                               steady_state_of<P>(o, q.cuts.arrays().rows));
}

inline run_records records_of(const solve_options& o, const program_kernel& v) {
  run_records r;
  if (v.alone) {
    r.coefficients = batch_coefficients(o);
    return r;
  }
  r.every = o.progress && o.progress_interval == 0.0;
  if (o.history || r.every) r.history = static_cast<std::size_t>(o.max_iterations) + 1;
  if (!o.fixed_iterations)
    r.coefficients =
        static_cast<std::size_t>(std::min(o.max_iterations, most_coefficients - 1)) + 1;
  return r;
}

template <class P, class T>
class prepared_variant final : public prepared_run<T> {
 public:
  prepared_variant(const device& where, const solve_request<T>& q, const program_kernel& v,
                   const planned<T>& made)
      : start_(start_of<P, T>(q.options, all_rows_of(q))),
        run_(where, v, made, records_of(q.options, v), q.sequence,
             basis_of(q.options, all_rows_of(q)), q.ranks) {
    run_.reverse_lanes(q.options.reverse_lanes);
  }

  run_places<T> places(int column) override {
    T* inverse_diagonal = nullptr;
    if constexpr (has_diagonal<P>)
      if (start_.jacobi) inverse_diagonal = run_.vector(P::d).data();
    const auto of = [&](double* target2, const auto& end) -> run_places<T> {
      return {run_.vector(P::x).data() + column,
              run_.vector(P::rhs).data() + column,
              column_count<P>,
              inverse_diagonal,
              target2,
              &end.step,
              &end.stop,
              &end.rr,
              2 * sizeof(typename P::scalars)};
    };
    if constexpr (many_columns<P>)
      return of(&run_.columns_begin()[column].target2, run_.columns_end()[column]);
    else
      return of(&run_.start_state()->target2, *run_.end_state());
  }
  void connect() override { run_.connect(); }
  kernel_making load_kernel() override {
    run_.ready();
    return run_.making();
  }
  void refill(const large_csr_arrays<T>& a, int exponent) override { run_.refill(a, exponent); }
  void take_sequence(const owned_sequence& sequence) override { run_.take_sequence(sequence); }
  void limit(int iterations) override { start_.max_steps = iterations; }
  void ask(run_judge* judge) override { run_.ask(judge); }
  void reset() override { run_.reset(start_); }
  void start(run_control& control) override { run_.start(control); }
  double finish() override { return run_.finish(); }
  std::vector<step_coefficients> coefficients(std::size_t count) const override {
    return run_.coefficients(count);
  }
  std::vector<double> history(std::size_t count) const override { return run_.history(count); }
  int last_noted() const override { return run_.last_noted(); }

 private:
  typename P::scalars start_;
  program_run<P, T> run_;
};

template <class P, class T>
std::unique_ptr<prepared_run<T>> prepare_variant(const device& where, const solve_request<T>& q,
                                                 const program_kernel& v, const planned<T>& made) {
  return std::make_unique<prepared_variant<P, T>>(where, q, v, made);
}

template <class P>
constexpr solver_variant variant_of() {
  solver_variant f{P::method,
                   P::title,
                   P::solves,
                   P::breaks_down,
                   false,
                   P::variant,
                   P::name,
                   column_count<P>,
                   P::vector_names,
                   false,
                   false,
                   has_sequence<P>,
                   !has_sequence<P> || has_diagonal<P>,
                   nullptr,
                   {&plan_variant<P, double>, &plan_batch<P, double>, &prepare_variant<P, double>},
                   {&plan_variant<P, float>, &plan_batch<P, float>, &prepare_variant<P, float>}};
  if constexpr (requires { P::shows_spectrum; }) f.shows_spectrum = P::shows_spectrum;
  if constexpr (requires { P::planned_first; }) f.planned_first = P::planned_first;
  if constexpr (requires { P::needs_residual_replacement; })
    f.needs_residual_replacement = P::needs_residual_replacement;
  if constexpr (requires(const cost_model& first) { P::may_beat(first); })
    f.may_beat = &P::may_beat;
  return f;
}

}  // namespace dwell::linear
