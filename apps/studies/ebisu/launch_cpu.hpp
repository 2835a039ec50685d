// SPDX-License-Identifier: MIT
// How the CPU runs the passes of engine multi_queue, for tests: a thread for each team.
#pragma once
#include <memory>

#include "studies/ebisu/agent.hpp"
#include "studies/ebisu/bulk_copies_cpu.hpp"
#include "studies/ebisu/engine.hpp"

#include "dwell/execution/stencil/launch/launch_cpu.hpp"
#include "dwell/execution/stencil/launch/temporal_cpu.hpp"
#include "dwell/execution/team/grid_team_cpu.hpp"

namespace dwell::cpu {

template <class S, class T, int Variant, queue_config C>
class passes<S, T, multi_queue_on<backend::cpu, Variant>, C> {
  using player = cpu_grid_team<perks_lanes>;
  using sizes = queue_sizes<S, T, C>;

 public:
  static constexpr int phases = 1;
  static int copy_after(int from, int) { return from ^ 1; }

  explicit passes(const stencil_args<T>& a)
      : scratch_(a.plan.teams, sizes::scratch_bytes + 64),
        pass_(queue_runs(C, radius_of<S>, a.size, a.edge, a.pitch, a.plan)),
        grid_(std::make_unique<cpu_barrier>(a.plan.teams)) {}
  void run(int team, const stencil_call<S, T>& a, int from, int steps, int) const {
    pass_runs pass = pass_;
    pass.from = from;
    pass.steps = steps;
    player lanes(team, a.plan.teams, grid_.get(), a.reverse_lanes, scratch_.of(team),
                 scratch_.bytes());
    queue_pass<S, T, player, cpu_bulk_copies<sizes::barriers>, C>(lanes, a, pass).run();
  }

 private:
  team_scratch scratch_;
  pass_runs pass_;
  std::unique_ptr<cpu_barrier> grid_;  ///< whose waiting serves teams that wait for flags
};

}  // namespace dwell::cpu
