// SPDX-License-Identifier: MIT
// The kernel of solves on grids, played by threads of a CPU: the text of the GPU, with missing
// barriers seen where lanes run in reverse order and under ThreadSanitizer.
#pragma once
#include <string>
#include <type_traits>
#include <vector>

#include "dwell/execution/device/watch_cpu.hpp"
#include "dwell/execution/team/run_teams_cpu.hpp"
#include "dwell/execution/team/team_cpu.hpp"
#include "dwell/solvers/grid/device/grid_kernel.hpp"
#include "dwell/solvers/grid/device/setup.hpp"
#include "dwell/solvers/grid/device/solve.hpp"

namespace dwell::testing {

template <class T, int Lanes = 64>
class grid_kernel_cpu final : public grids::grid_kernel<T> {
 public:
  grid_kernel_cpu(int teams, bool reversed) : teams_(teams), reversed_(reversed) {}
  int teams() const override { return teams_; }
  int lanes() const override { return Lanes; }
  void prepare(grids::grid_kernel_form) override {}
  double run(const grids::grid_solve_args<T>& a, const run_control& control) override {
    cpu::run_watch watch(control, a.seen);
    cpu::run_teams(teams_, watch, [&](int t, cpu_barrier& grid) {
      std::vector<std::byte> scratch(64);
      cpu_team<Lanes> team(t, teams_, &grid, reversed_, scratch.data(), scratch.size(), a.partials);
      const grids::grid_kernel_form form = grids::form_of(a);
      const auto of_kind = [&]<grids::level_kind Kind, bool Fused>() {
        const auto solve = [&]<bool Flat>() {
          grids::device_solve<T, cpu_team<Lanes>, Flat, Kind, Fused>(team, a, a.levels, a.boxes,
                                                                     a.steps)();
        };
        form.flat ? solve.template operator()<true>() : solve.template operator()<false>();
      };
      const auto with_levels = [&]<bool Fused>() {
        if (form.kind == grids::level_kind::points)
          of_kind.template operator()<grids::level_kind::points, Fused>();
        else if (form.kind == grids::level_kind::boxes)
          of_kind.template operator()<grids::level_kind::boxes, Fused>();
        else
          of_kind.template operator()<grids::level_kind::lines, Fused>();
      };
      if (form.kind == grids::level_kind::none)
        of_kind.template operator()<grids::level_kind::none, false>();
      else
        form.fused ? with_levels.template operator()<true>()
                   : with_levels.template operator()<false>();
    });
    watch.finish();
    return 0;
  }
  void make(const grids::grid_setup_args<T>& a) override {
    const run_control none;
    monitor seen{};
    cpu::run_watch watch(none, &seen);
    cpu::run_teams(teams_, watch, [&](int t, cpu_barrier& grid) {
      cpu_team<Lanes> team(t, teams_, &grid, reversed_, nullptr, 0);
      grids::device_setup<T, cpu_team<Lanes>>(team, a)();
    });
  }
  std::string compiler() const override { return ""; }
  double compile_seconds() const override { return 0; }

 private:
  int teams_;
  bool reversed_;
};

}  // namespace dwell::testing
