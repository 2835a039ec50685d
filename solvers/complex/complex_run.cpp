// SPDX-License-Identifier: MIT
// Programs by the names of their methods.
#include "dwell/solvers/complex/complex_run.hpp"

#include <algorithm>
#include <type_traits>

#include "dwell/base/policy_words.hpp"
#include "dwell/execution/device/executors.hpp"
#include "dwell/execution/krylov/launch/run.hpp"
#include "dwell/execution/krylov/plan/planning.hpp"
#include "dwell/solvers/bicgstab/complex.hpp"
#include "dwell/solvers/bicgstab/preconditioned.hpp"
#include "dwell/solvers/cg/complex.hpp"
#include "dwell/solvers/gmres/textbook.hpp"

namespace dwell {
namespace {

struct executor_choice {
  std::string name, why;
};

executor_choice executor_for(const solve_options& o, const device_facts& facts) {
  if (o.executor != automatic) return {o.executor, "as asked"};
  if (facts.on == backend::cpu)
    return {executors::persistent.name, "threads that live through the solve"};
  if (facts.cooperative_launch)
    return {executors::perks.name, "one launch, and what fits is cached on the chip"};
  return {executors::graph.name, "this device cannot launch cooperatively"};
}

std::span<const program_kernel> rows_for(const plan_target& target) {
  return target.here ? complex_kernels() : planned_complex_kernels();
}

template <class P, class R>
class run_of final : public complex_run<R> {
  using number = complex_value<R>;

 public:
  run_of(const device& where, const plan_target& target, cut_cache<number>& cuts,
         const solve_options& o, int exponent, const owned_sequence* sequence)
      : executor_(executor_for(o, target.facts)),
        kernel_(find_kernel_among(rows_for(target), P::name, executor_.name, precision_of<number>,
                                  target.on())),
        basis_(std::clamp(o.restart, 1, std::max<index>(cuts.arrays().rows, 1))),
        made_(planned_for(target, cuts, o, exponent, sequence)),
        run_(where, kernel_, made_, records_of(o), sequence, basis_),
        jacobi_(o.preconditioner == preconditioner::jacobi),
        by_sequence_(sequence != nullptr),
        fixed_(o.fixed_iterations),
        with_history_(o.history) {
    run_.reverse_lanes(o.reverse_lanes);
    run_.ready();
    making_ = run_.making();
    describe(target, o);
  }

  void put_diagonal(std::span<const number> d) override {
    if constexpr (requires { P::diagonal; }) run_.vector(P::diagonal).upload(d);
  }
  void put(std::span<const number> b, std::span<const number> x) override {
    run_.vector(P::rhs).upload(b);
    run_.vector(P::x).upload(x);
  }
  void get(std::span<number> x) const override { run_.vector(P::x).download(x); }
  complex_end run(const complex_start& start, const run_control& control) override {
    typename P::scalars m;
    m.max_steps = start.max_steps;
    m.target2 = start.target2;
    m.jacobi = jacobi_;
    m.fixed = fixed_;
    if constexpr (has_basis<P>) {
      m.restart = basis_;
      m.by_sequence = by_sequence_;
    }
    complex_end end;
    end.seconds = run_.run(m, control);
    const typename P::scalars last = run_.outcome();
    end.step = std::max(last.step, 0);
    end.stop = last.stop;
    const int noted = run_.last_noted();
    if (noted >= 0) end.rr = last.rr;
    if constexpr (requires { last.skew; }) end.skew = last.skew;
    if (with_history_) end.history = run_.history(static_cast<std::size_t>(noted) + 1);
    return end;
  }
  void ask(run_judge* judge) override { run_.ask(judge); }
  const solve_report& prepared() const override { return prepared_; }
  const kernel_making& making() const override { return making_; }

 private:
  static run_records records_of(const solve_options& o) {
    run_records r;
    r.every = o.progress && o.progress_interval == 0.0;
    if (o.history || r.every) r.history = static_cast<std::size_t>(o.max_iterations) + 1;
    return r;
  }
  planned<number> planned_for(const plan_target& target, cut_cache<number>& cuts,
                              const solve_options& o, int exponent,
                              const owned_sequence* sequence) const {
    typename P::scalars steady = P::steady_state(o.preconditioner == preconditioner::jacobi);
    if constexpr (has_basis<P>) {
      steady.restart = basis_;
      steady.column = basis_ / 2;
      steady.by_sequence = sequence != nullptr;
    }
    planned<number> made =
        make_plan<P, number>(kernel_, configs_of(kernel_, target), target.facts, cuts,
                             {o.policy, o.teams, o.config, o.scratch_per_team, o.clusters, exponent,
                              facts_of_sequence(sequence)},
                             steady);
    const auto config = static_cast<std::size_t>(made.how.config);
    made.configs[config] = config_on(kernel_, target, made.how.config);
    check_plan(kernel_, made.how, made.configs,
               cached_bytes<number>(made.how.cache, made.cut->outline.narrow), target.facts);
    return made;
  }
  void describe(const plan_target& target, const solve_options& o) {
    const plan& how = made_.how;
    solve_report& r = prepared_;
    r.method = P::method;
    r.variant = P::variant;
    r.executor = executor_.name;
    r.policy = how.policy;
    r.policy_chosen = how.chosen;
    r.reason = executor_.why + "; " + how.reason + words_of(making_);
    r.compiler = making_.compiler;
    r.device = target.facts.name;
    r.on = target.on();
    r.precision = precision_of<number> == precision::f64 ? "complex f64" : "complex f32";
    r.preconditioner = o.preconditioner;
    r.teams = how.teams;
    r.lanes = kernel_.configs[static_cast<std::size_t>(how.config)].lanes;
    r.bytes_per_iteration = made_.facts.bytes_per_iteration;
  }

  executor_choice executor_;
  const program_kernel& kernel_;
  int basis_;
  planned<number> made_;
  mutable program_run<P, number> run_;
  bool jacobi_, by_sequence_, fixed_, with_history_;
  kernel_making making_;
  solve_report prepared_;
};

}  // namespace

template <class R>
std::unique_ptr<complex_run<R>> make_complex_run(const device& where, const plan_target& target,
                                                 cut_cache<complex_value<R>>& cuts,
                                                 const solve_options& o, int exponent,
                                                 const owned_sequence* sequence) {
  const auto of = [&]<class P>(std::type_identity<P>) -> std::unique_ptr<complex_run<R>> {
    return std::make_unique<run_of<P, R>>(where, target, cuts, o, exponent, sequence);
  };
  if (o.method == complex_cg::method) return of(std::type_identity<complex_cg>{});
  if (o.method == complex_gmres::method) return of(std::type_identity<complex_gmres>{});
  return sequence ? of(std::type_identity<complex_preconditioned_bicgstab>{})
                  : of(std::type_identity<complex_bicgstab>{});
}

template std::unique_ptr<complex_run<double>> make_complex_run(const device&, const plan_target&,
                                                               cut_cache<complex_value<double>>&,
                                                               const solve_options&, int,
                                                               const owned_sequence*);
template std::unique_ptr<complex_run<float>> make_complex_run(const device&, const plan_target&,
                                                              cut_cache<complex_value<float>>&,
                                                              const solve_options&, int,
                                                              const owned_sequence*);

}  // namespace dwell
