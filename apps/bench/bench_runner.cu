// SPDX-License-Identifier: MIT
// bench-runner: what a call of a prepared stencil costs. One solve() of many steps under host-loop,
// and a stencil_runner that does as many calls of one step, waiting for each and not. Microseconds
// per step on the host's clock, medians.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "dwell/base/lap_timer.hpp"
#include "dwell/custom_stencil.hpp"
#include "dwell/solvers/stencil/shapes/star2d5.hpp"
#include "dwell/stencil/stencil_runner.hpp"

namespace dwell {
namespace {

template <class F>
double microseconds_per_step(int runs, int steps, F&& f) {
  std::vector<double> all;
  for (int k = 0; k < runs; ++k) {
    const double begin = seconds_on_host();
    f();
    all.push_back(1e6 * (seconds_on_host() - begin) / steps);
  }
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

int run(int argc, char** argv) {
  CLI::App app{"calls of a prepared stencil, on the first CUDA device"};
  int size = 128, steps = 1000, runs = 9;
  app.add_option("--size", size, "cells along each axis");
  app.add_option("--steps", steps, "steps");
  app.add_option("--runs", runs, "runs whose median counts")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  if (find_cuda().devices == 0) {
    std::fprintf(stderr, "bench-runner: no CUDA device: %s\n", find_cuda().reason.c_str());
    return 77;
  }
  const device gpu = device::cuda(0);
  std::printf("%s, 2d5pt, %d x %d, %d steps, us per step\n", gpu.facts().name.c_str(), size, size,
              steps);
  std::printf(
      "| executor | solve(), the steps alone | calls of run(1) | calls of run_async(1) | one "
      "run() | set-up, ms |\n|-|-|-|-|-|-|\n");
  grid<double> u(extents(size, size));
  u(size / 2, size / 2) = 1;
  for (const char* executor : {"host-loop", "graph", "persistent", "perks", "auto"}) {
    stencil_options o;
    o.executor = executor;
    o.steps = steps;
    std::vector<double> alone;
    for (int k = 0; k < runs; ++k) {
      grid<double> v = u;
      alone.push_back(solve<star2d5>(gpu, v, o).per_step_us);
    }
    std::sort(alone.begin(), alone.end());
    auto runner = runner_of<star2d5, double>(gpu, u.size(), o);
    runner.set_field(u);
    runner.run(1);
    const double waiting = microseconds_per_step(runs, steps, [&] {
      for (int k = 0; k < steps; ++k) runner.run(1);
    });
    const double going_on = microseconds_per_step(runs, steps, [&] {
      for (int k = 0; k < steps; ++k) runner.run_async(1);
      runner.wait();
    });
    const double at_once = microseconds_per_step(runs, steps, [&] { runner.run(steps); });
    std::printf("| %s | %.3f | %.3f | %.3f | %.3f | %.2f |\n", executor, alone[alone.size() / 2],
                waiting, going_on, at_once, 1e3 * runner.report().setup_s);
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace dwell

int main(int argc, char** argv) {
  try {
    return dwell::run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench-runner: %s\n", e.what());
    return 1;
  }
}
