// SPDX-License-Identifier: MIT
// How the CPU runs temporal: the protocol of the GPU, for tests. A thread plays a team.
#pragma once
#include <vector>

#include "dwell/execution/stencil/launch/launch_cpu.hpp"
#include "dwell/execution/team/ring_team_cpu.hpp"
#include "dwell/execution/temporal/engines.hpp"
#include "dwell/execution/temporal/ring2d/agent.hpp"
#include "dwell/execution/temporal/stencil.hpp"

namespace dwell::cpu {

template <class S, class T, ring_config C>
using ring_team_of = cpu_ring_team<ring_sizes<S, T, C>>;

/// The passes of a plan: a thread for each team.
template <class S, class T>
class played_passes {
 public:
  explicit played_passes(const stencil_args<T>& a) : scratch_(a.plan.teams, scratch_bytes(a.plan)) {
    temporal_engines<backend::cpu>::with<S, T>(
        a.plan.config, [&]<class Engine, auto C>() {
          pass_ = divided_pass(C, radius_of<S>, a.size, a.edge, a.plan);
        });
  }

  /// One team's part of so many steps from field[from] to the other copy.
  void run(int team, const stencil_call<S, T>& a, int from, int steps) const {
    if (has_ended(a)) return;
    temporal_engines<backend::cpu>::with<S, T>(
        a.plan.config, [&]<class Engine, auto C>() {
          ring_pass pass = pass_;
          pass.from = from;
          pass.steps = steps;
          ring_team_of<S, T, C> player(team, a.reverse_lanes, scratch_.of(team));
          if (a.source)
            ring_pass_of_team<S, T, C, true>(player, a, pass);
          else
            ring_pass_of_team<S, T, C, false>(player, a, pass);
        });
  }

 private:
  static std::size_t scratch_bytes(const stencil_plan& how) {
    return temporal_engines<backend::cpu>::with<S, T>(
        how.config, []<class Engine, auto C>() { return ring_team_of<S, T, C>::scratch_bytes(); });
  }
  team_scratch scratch_;
  ring_pass pass_;
};

template <class S, class T>
engine_facts assume_passes(const device_facts& facts, int config) {
  return {temporal_kernels<backend::cpu, S, T>().all()[static_cast<std::size_t>(config)], 0, 0,
          facts.units, 0};
}
template <class S, class T>
engine_facts probe_passes(const device& where, int config) {
  return assume_passes<S, T>(where.facts(), config);
}

/// Nothing for shapes that have no such kernels.
template <class S, class T, class E>
void add_passing_kernel(std::vector<stencil_kernel>& all) {
  if constexpr (has_temporal_engines<backend::cpu, S, T>)
    all.push_back({shape_facts<S>(), E::name, precision_of<T>, backend::cpu, false,
                   temporal_kernels<backend::cpu, S, T>().all(), &assume_passes<S, T>,
                   &probe_passes<S, T>,
                   &prepare_plain<T, driven_launcher<S, T, E, played_passes<S, T>>>});
}

}  // namespace dwell::cpu
