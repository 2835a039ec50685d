// SPDX-License-Identifier: MIT
// How the CPU runs temporal, a thread for each team: engine skewed for CPUs, and the protocol of
// the GPU, for tests.
#pragma once
#include <memory>
#include <vector>

#include "dwell/execution/stencil/engines/column3d/agent.hpp"
#include "dwell/execution/stencil/engines/ring2d/agent.hpp"
#include "dwell/execution/stencil/engines/skewed/pass.hpp"
#include "dwell/execution/stencil/engines/temporal_engines.hpp"
#include "dwell/execution/stencil/launch/launch_cpu.hpp"
#include "dwell/execution/stencil/loops/temporal.hpp"
#include "dwell/execution/team/ring_team_cpu.hpp"

namespace dwell::cpu {

/// The passes of a plan, by an engine: of a launch its phases, the copy of the field that holds its
/// result, and one team's part of a phase (steps_cpu.hpp).
template <class S, class T, class Engine, auto C>
class passes;

/// The passes as a queue calls them.
template <class S, class T, class Engine, auto C>
class shape_passes final : public field_steps<T> {
  using own = passes<S, T, Engine, C>;

 public:
  explicit shape_passes(const stencil_args<T>& a) : passes_(a) {}
  const stencil_args<T>& take(const stencil_start& run) override {
    return a_ = call_of<S, T>(run.args, run.weights);
  }
  int phases() const override { return own::phases; }
  int copy_after(int from, int steps) const override { return own::copy_after(from, steps); }
  void run(int team, int from, int steps, int phase) const override {
    if (!has_ended(a_)) passes_.run(team, a_, from, steps, phase);
  }

 private:
  own passes_;
  stencil_call<S, T> a_;
};

template <class S, class T, skewed_config C>
class passes<S, T, skewed_on<backend::cpu>, C> {
 public:
  static constexpr int phases = 2;
  static int copy_after(int from, int steps) { return (from + steps) % 2; }

  explicit passes(const stencil_args<T>& a)
      : by_(skewed_division_of(a.plan, a.size, a.inner, radius_of<S>, a.edge)) {}
  void run(int team, const stencil_call<S, T>& a, int from, int steps, int phase) const {
    cpu_grid_team<C.lanes> lanes(team, a.plan.teams, nullptr, a.reverse_lanes, nullptr, 0);
    skewed_pass<S, T, cpu_grid_team<C.lanes>>(lanes, a, by_, from, steps).run(phase);
  }

 private:
  skewed_division by_;
};

template <class S, class T, ring_config C>
class passes<S, T, ring2d_on<backend::cpu>, C> {
  using player = cpu_ring_team<ring_sizes<S, T, C>>;

 public:
  static constexpr int phases = 1;
  static int copy_after(int from, int) { return from ^ 1; }

  explicit passes(const stencil_args<T>& a)
      : scratch_(a.plan.teams, player::scratch_bytes()),
        pass_(divided_pass(C, radius_of<S>, a.size, a.edge, a.plan)) {}
  void run(int team, const stencil_call<S, T>& a, int from, int steps, int) const {
    pass_runs pass = pass_;
    pass.from = from;
    pass.steps = steps;
    player warps(team, a.reverse_lanes, scratch_.of(team));
    if (a.source)
      ring_pass_of_team<S, T, C, true>(warps, a, pass);
    else
      ring_pass_of_team<S, T, C, false>(warps, a, pass);
  }

 private:
  team_scratch scratch_;
  pass_runs pass_;
};

template <class S, class T, column_config C>
class passes<S, T, column3d_on<backend::cpu>, C> {
  using player = cpu_grid_team<perks_lanes>;

 public:
  static constexpr int phases = 1;
  static int copy_after(int from, int) { return from ^ 1; }

  explicit passes(const stencil_args<T>& a)
      : scratch_(a.plan.teams, column_sizes<S, T, C>::scratch_bytes + 64),
        pass_(column_pass_of(C, radius_of<S>, a.size, a.edge, a.pitch, a.plan)) {}
  void run(int team, const stencil_call<S, T>& a, int from, int steps, int) const {
    pass_runs pass = pass_;
    pass.from = from;
    pass.steps = steps;
    player lanes(team, a.plan.teams, nullptr, a.reverse_lanes, scratch_.of(team), scratch_.bytes());
    if (a.source || steps != C.steps)
      column_pass<S, T, player, C, true>(lanes, a, pass).run();
    else
      column_pass<S, T, player, C, false>(lanes, a, pass).run();
  }

 private:
  team_scratch scratch_;
  pass_runs pass_;
};

template <class S, class T, class E, class Engines>
std::unique_ptr<stencil_launcher> prepare_passes(const void* args, const device&) {
  const auto& a = *static_cast<const stencil_args<T>*>(args);
  return Engines::template with<S, T>(
      a.plan.config, [&]<class Engine, auto C>()->std::unique_ptr<stencil_launcher> {
        return std::make_unique<driven_launcher<T, E>>(
            a.plan.teams, std::make_unique<shape_passes<S, T, Engine, C>>(a));
      });
}

template <class S, class T, class Engines>
engine_facts assume_passes(const device_facts& facts, int config) {
  return {pass_kernels<Engines, S, T>().all()[static_cast<std::size_t>(config)], 0, 0, facts.units,
          0};
}
template <class S, class T, class Engines>
engine_facts probe_passes(const device& where, int config) {
  return assume_passes<S, T, Engines>(where.facts(), config);
}

template <class S, class T, class E, class Engines>
void add_passing_kernel(std::vector<stencil_kernel>& all) {
  all.push_back({shape_facts<S>(), E::name, precision_of<T>, backend::cpu, false,
                 pass_kernels<Engines, S, T>().all(), &assume_passes<S, T, Engines>,
                 &probe_passes<S, T, Engines>, &prepare_passes<S, T, E, Engines>});
}

}  // namespace dwell::cpu
