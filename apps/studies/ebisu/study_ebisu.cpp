// SPDX-License-Identifier: MIT
// study-ebisu: EBISU's kernels with one optimisation at a time, on a stencil and depths of passes,
// beside the engine that executor temporal takes by itself. The best time of some runs counts,
// since another program on the machine can only make one longer. Every field must have host-loop's
// bits.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "studies/ebisu/kernels.hpp"
#include "studies/ebisu/shapes.hpp"
#include "studies/ebisu/sizes.hpp"

#include "dwell/base/error.hpp"
#include "dwell/device/device.hpp"
#include "dwell/execution/device/executors.hpp"
#include "dwell/solvers/stencil/api/stencil_table.hpp"
#include "dwell/stencil/solve.hpp"

namespace dwell::ebisu {
namespace {

struct settings {
  std::string shape = "2d5pt", device = "auto";
  std::vector<int> size, depths = {0};
  std::vector<std::string> engines;
  int steps = 240, runs = 3, threads = 0;
};

grid<double> made_up(const extents& n) {
  grid<double> u(n);
  unsigned state = 1;
  for (double& v : u.cells()) v = (state = state * 1664525u + 1013904223u) * 0x1p-32;
  return u;
}

device device_of(const settings& how) {
  const bool gpu = how.device == "cuda" || (how.device == "auto" && find_cuda().devices > 0);
  return gpu ? device::cuda(0) : device::cpu(how.threads);
}

class measurement {
 public:
  measurement(const settings& how, const extents& n)
      : how_(how), where_(device_of(how)), start_(made_up(n)), u_(start_) {
    options_.shape = how.shape;
    options_.steps = how.steps;
    options_.executor = executors::host_loop.name;
    solve_from(kernels(), where_, u_, options_);
    expected_ = u_;
    fmt::print("{}, {}, {} steps on {}\n\n", how.shape, to_string(n), how.steps,
               where_.facts().name);
    fmt::print("| engine | steps of a pass | us per step | GCells/s |\n|---|--:|--:|--:|\n");
  }

  /// The engine that temporal takes by itself, by the library's own kernels.
  void run_chosen() {
    run("auto", 0, [&](const stencil_options& o) { return solve(where_, u_, o); });
  }
  void run_variant(const std::string& engine, int depth) {
    run(engine, depth,
        [&](const stencil_options& o) { return solve_from(kernels(), where_, u_, o); });
  }

 private:
  template <class Solve>
  void run(const std::string& engine, int depth, Solve&& solved) {
    options_.executor = executors::temporal.name;
    options_.engine = engine;
    options_.depth = depth;
    stencil_report best;
    try {
      for (int k = 0; k <= how_.runs; ++k) {  // the first does not count
        u_ = start_;
        const stencil_report report = solved(options_);
        if (k == 1 || (k > 1 && report.per_step_us < best.per_step_us)) best = report;
      }
    } catch (const unsupported_error& e) {
      fmt::print("| {} | {} | - | {} |\n", engine, depth, e.what());
      return;
    }
    if (std::memcmp(u_.cells().data(), expected_.cells().data(), u_.cells().size_bytes()) != 0)
      throw std::runtime_error(engine + ": other bits than host-loop");
    const double cells = static_cast<double>(best.changing_cells);
    fmt::print("| {} | {} | {:.4g} | {:.4g} |\n", best.engine, best.pass_steps, best.per_step_us,
               cells / best.per_step_us * 1e-3);
  }

  const settings& how_;
  const device where_;
  stencil_options options_;
  const grid<double> start_;
  grid<double> u_, expected_;
};

int run(int argc, char** argv) {
  CLI::App app("EBISU's kernels with one optimisation at a time.");
  settings how;
  for (const queue_variant& v : queue_variants) how.engines.emplace_back(v.engine);
  std::vector<std::string> shapes;
  each_shape([&]<class S>() { shapes.emplace_back(S::name); });
  app.add_option("SHAPE", how.shape)->check(CLI::IsMember(shapes))->required();
  app.add_option("--size", how.size, "Cells along each axis: rows x columns, or planes first")
      ->delimiter('x')
      ->expected(2, 3)
      ->required();
  app.add_option("--engines", how.engines, "Variants")
      ->delimiter(',')
      ->check(CLI::IsMember(how.engines));
  app.add_option("--depths", how.depths, "Steps of a pass; 0: as planned")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--steps", how.steps, "Of each run")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--runs", how.runs, "Of each, after one not counted")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--threads", how.threads, "Of the CPU; 0: all")->capture_default_str();
  app.add_option("--device", how.device, "auto is the first GPU, else the CPU")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  const auto& n = how.size;
  measurement m(how, n.size() == 2 ? extents(n[0], n[1]) : extents(n[0], n[1], n[2]));
  m.run_chosen();
  for (const auto& engine : how.engines)
    for (const int depth : how.depths) m.run_variant(engine, depth);
  return 0;
}

}  // namespace
}  // namespace dwell::ebisu

int main(int argc, char** argv) try {
  return dwell::ebisu::run(argc, argv);
} catch (const std::exception& e) {
  fmt::print(stderr, "study-ebisu: {}\n", e.what());
  return 1;
}
