// SPDX-License-Identifier: MIT
// From a program to a row of the table of forms: how it is planned, tried and run. Included by the
// file that CMake writes, and by nothing else.
#pragma once
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "dwell/execution/krylov/launch/run.hpp"
#include "dwell/execution/krylov/launch/trial.hpp"
#include "dwell/solvers/linear/choose/form.hpp"
#include "dwell/solvers/linear/run/judgement.hpp"
#include "dwell/solvers/preconditioners/list.hpp"

namespace dwell::linear {

/// Has P a vector d, the inverse of the diagonal? Those whose preconditioner is always a chain have
/// none.
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
    start.chained = kind_of(o.preconditioner).is_chain();
    start.restart = basis_of(o, rows);
  }
  return start;
}

/// Scalars in the midst of a run, for counting what an iteration moves; of a basis half is there.
template <class P>
typename P::scalars midst_of(const solve_options& o, index rows) {
  typename P::scalars m = P::in_midst(o.preconditioner == preconditioner::jacobi);
  if constexpr (has_basis<P>) {
    m.chained = kind_of(o.preconditioner).is_chain();
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

inline chain_facts facts_of_chain(const owned_chain& c) {
  return {c.chain.phases, c.chain.bytes, bytes_in_memory(c)};
}

template <class P, class T>
planned<T> plan_form(const solve_request<T>& q, const program_kernel& v) {
  const solve_options& o = q.options;
  const index rows = q.cuts.arrays().rows, all_rows = all_rows_of(q);
  const typename P::scalars start = start_of<P, T>(o, all_rows);
  const auto with = [&](auto&& trial) {
    return make_plan<P, T>(v, configs_of(v, q.target), q.target.facts, q.cuts,
                           {o.policy, o.teams, o.config, o.scratch_per_team, o.clusters,
                            -q.matrix_exponent, q.chain ? facts_of_chain(*q.chain) : chain_facts{}},
                           midst_of<P>(o, all_rows), trial);
  };
  if constexpr (column_count<P> == 1)
    if (q.may_try)
      return with(program_trial<P, T>(
          *q.target.here, v, start, [&](program_run<P, T>& run) { load_ones(rows, run); },
          o.interrupt, q.chain, basis_of(o, all_rows)));
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
                               midst_of<P>(o, q.cuts.arrays().rows));
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
class prepared_form final : public prepared_run<T> {
 public:
  prepared_form(const device& where, const solve_request<T>& q, const program_kernel& v,
                const planned<T>& made)
      : start_(start_of<P, T>(q.options, all_rows_of(q))),
        run_(where, v, made, records_of(q.options, v), q.chain, basis_of(q.options, all_rows_of(q)),
             q.ranks) {
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
  void load_kernel() override { run_.ready(); }
  void refill(const csr_arrays<T>& a, int exponent) override { run_.refill(a, exponent); }
  void take_chain(const owned_chain& chain) override { run_.take_chain(chain); }
  void limit(int iterations) override { start_.max_steps = iterations; }
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
std::unique_ptr<prepared_run<T>> prepare_form(const device& where, const solve_request<T>& q,
                                              const program_kernel& v, const planned<T>& made) {
  return std::make_unique<prepared_form<P, T>>(where, q, v, made);
}

template <class P>
constexpr solver_form form_of() {
  solver_form f{P::method,
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
                has_chain<P>,
                !has_chain<P> || has_diagonal<P>,
                nullptr,
                {&plan_form<P, double>, &plan_batch<P, double>, &prepare_form<P, double>},
                {&plan_form<P, float>, &plan_batch<P, float>, &prepare_form<P, float>}};
  if constexpr (requires { P::shows_spectrum; }) f.shows_spectrum = P::shows_spectrum;
  if constexpr (requires { P::weighed_first; }) f.weighed_first = P::weighed_first;
  if constexpr (requires { P::drifts; }) f.drifts = P::drifts;
  if constexpr (requires(const weighed_form& first) { P::may_beat(first); })
    f.may_beat = &P::may_beat;
  return f;
}

}  // namespace dwell::linear
