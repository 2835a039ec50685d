// SPDX-License-Identifier: MIT
// bench-occupancy: how fast a kernel that stays for all steps is by its thread blocks on a
// multiprocessor, and what they leave of the registers (Zhang 2023, figure 4.2 and table 4.1):
// 2d5pt in f64 and f32 and conjugate gradients, executor persistent, which caches nothing. The
// median of runs counts. With --device cpu by threads. Ends with 77 and a line that says why where
// there is no GPU.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/device/device.hpp"
#include "dwell/execution/device/executors.hpp"
#include "dwell/linear/solve.hpp"
#include "dwell/stencil/explain.hpp"
#include "dwell/stencil/solve.hpp"

namespace dwell {
namespace {

struct settings {
  device where = device::cpu();
  int edge = 3072, steps = 500, runs = 3;
  std::string matrix = "poisson2d:1000x1000";
};

/// What one run says.
struct run_facts {
  double us = 0;  ///< time of a step or an iteration
  int lanes = 0;  ///< lanes of a team
};

double median_us(std::vector<double> us) {
  std::sort(us.begin(), us.end());
  return us[us.size() / 2];
}

/// A line for 1, 2, ... blocks on each multiprocessor (threads of a CPU), until the device takes no
/// more. registers: of a lane; 0: not known. amount: of a step, in units of 1e9.
void sweep(const settings& how, int registers, double amount,
           const std::function<run_facts(int teams)>& run) {
  const device_facts facts = how.where.facts();
  const bool gpu = facts.on == backend::cuda;
  fmt::print("{:>7} {:>7} {:>10} {:>9} {:>7}{}\n", gpu ? "blocks" : "threads", "lanes", "us", "G/s",
             "of 1", registers > 0 ? "  registers used      left, KiB" : "");
  double first = 0;
  for (int k = 1; gpu || k <= facts.units; ++k) {
    std::vector<double> us;
    int lanes = 0;
    try {
      for (int r = 0; r <= how.runs; ++r) {  // the first one warms up
        const run_facts found = run(gpu ? k * facts.units : k);
        if (r > 0) us.push_back(found.us);
        lanes = found.lanes;
      }
    } catch (const error& e) {
      if (k == 1) throw;
      fmt::print("{:>7} {}\n", k, e.what());
      break;
    }
    const double rate = amount / (median_us(us) * 1e-6);
    if (k == 1) first = rate;
    const auto used = static_cast<double>(k) * lanes * registers;
    fmt::print("{:>7} {:>7} {:>10.3f} {:>9.4g} {:>7.2f}", k, k * lanes, median_us(us), rate,
               rate / first);
    if (registers > 0)
      fmt::print("{:>14.0f} % {:>14.0f}",
                 100 * used / static_cast<double>(facts.registers_per_unit),
                 (static_cast<double>(facts.registers_per_unit) - used) * 4 / 1024);
    fmt::print("\n");
  }
  fmt::print("\n");
}

/// Registers of a lane of this executor's kernel; 0: not known.
int registers_of(const settings& how, const stencil_options& options, const extents& size,
                 std::string_view precision) {
  for (const auto& plan : explain(size, precision, how.where.facts(), options).plans)
    if (plan.executor == options.executor) return plan.registers;
  return 0;
}

template <class T>
void sweep_stencil(const settings& how, std::string_view precision) {
  const extents size{how.edge, how.edge};
  stencil_options options;
  options.shape = "2d5pt";
  options.executor = executors::persistent.name;
  options.steps = how.steps;
  const int registers = registers_of(how, options, size, precision);
  fmt::print("2d5pt, {}, {} cells, {} steps{}; GCells/s\n", precision, to_string(size), how.steps,
             registers > 0 ? fmt::format(", {} registers of a lane", registers) : "");
  const double cells = static_cast<double>(how.edge - 2) * (how.edge - 2);
  grid<T> field(size);
  sweep(how, registers, cells * 1e-9, [&](int teams) {
    options.teams = teams;
    const auto report = solve(how.where, field, options);
    return run_facts{report.per_step_us, report.lanes};
  });
}

void sweep_cg(const settings& how) {
  const csr<double> a = generate(how.matrix);
  const std::vector<double> b(static_cast<std::size_t>(a.rows), 1);
  solve_options options;
  options.preconditioner = preconditioner::none;
  options.executor = executors::persistent.name;
  options.variant = "textbook";
  options.fixed_iterations = true;
  options.max_iterations = how.steps;
  fmt::print("cg, f64, {}, {} iterations; billions of nonzeros/s\n", how.matrix, how.steps);
  sweep(how, 0, static_cast<double>(a.val.size()) * 1e-9, [&](int teams) {
    std::vector<double> x(b.size());
    options.teams = teams;
    const auto report = solve(how.where, a.view(), b, x, options);
    return run_facts{report.per_iteration_us, report.lanes};
  });
}

int parse_and_run(int argc, char** argv) {
  settings how;
  std::string on = "cuda";
  CLI::App app("Speed by thread blocks of a multiprocessor, nothing cached");
  app.name("bench-occupancy");
  app.add_option("--device", on, "cuda or cpu")
      ->check(CLI::IsMember({"cuda", "cpu"}))
      ->capture_default_str();
  app.add_option("--edge", how.edge, "Cells along each axis of the field")
      ->check(CLI::Range(64, 20000))
      ->capture_default_str();
  app.add_option("--matrix", how.matrix, "Of conjugate gradients")->capture_default_str();
  app.add_option("--steps", how.steps, "And iterations")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--runs", how.runs, "Of each, after one that is not counted")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 1;
  }
  if (on == "cuda" && find_cuda().devices == 0) {
    fmt::print(stderr, "bench-occupancy: needs a GPU: {}\n", find_cuda().reason);
    return 77;
  }
  if (on == "cuda") how.where = device::cuda(0);
  const device_facts facts = how.where.facts();
  fmt::print("{}, {} {}\n\n", facts.name, facts.units,
             facts.on == backend::cuda ? "multiprocessors" : "threads");
  sweep_stencil<double>(how, "f64");
  sweep_stencil<float>(how, "f32");
  sweep_cg(how);
  return 0;
}

}  // namespace
}  // namespace dwell

int main(int argc, char** argv) {
  try {
    return dwell::parse_and_run(argc, argv);
  } catch (const dwell::error& e) {
    fmt::print(stderr, "bench-occupancy: {}\n", e.what());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "bench-occupancy: too little memory\n");
  }
  return 1;
}
