// SPDX-License-Identifier: MIT
// Rung 5: the same by the library. Rungs 1 to 4 are its executors host-loop, persistent and perks,
// and what rung 4 decides by hand (which vectors and which part of the matrix stay on the chip) is
// the plan of a caching policy. The phases of rung 1 are a Program there: solvers/cg/
// textbook.hpp has them once, for all executors, for CPU threads and for GPUs.
#include <cstdio>
#include <dwell/core.hpp>
#include <exception>

#include "ladder.hpp"

using namespace ladder;

namespace {

/// Bytes to and from L2 and device memory in an iteration: of the plan, if there is one.
double bytes_of(const dwell::csr_view<double>& a, const dwell::device& where,
                const dwell::solve_options& options, const dwell::solve_report& report) {
  if (report.executor != "perks") return static_cast<double>(report.bytes_per_iteration);
  const dwell::policy_plan plan = dwell::explain(a, where.facts(), options).plan();
  return plan.l2_bytes + plan.memory_bytes;
}

int run(const request& wanted) {
  if (!wanted.cpu && dwell::find_cuda().devices == 0)
    leave(no_gpu, "no CUDA device: " + dwell::find_cuda().reason + " (--cpu runs on the CPU)");
  const csr matrix = poisson(wanted.side);
  const std::vector<double> b = right_hand_side(matrix.rows);

  // [program begin]
  const dwell::device where = wanted.cpu ? dwell::device::cpu() : dwell::device::cuda();
  const dwell::csr_view<double> a{matrix.rows, matrix.rows, matrix.row_ptr.data(),
                                  matrix.col.data(), matrix.val.data()};
  dwell::solve_options options;
  options.executor = wanted.cpu ? "persistent" : "perks";  // a CPU caches by itself
  options.preconditioner = dwell::preconditioner::none;
  options.fixed_iterations = true;  // whatever the residual, as rungs 1 to 4
  options.max_iterations = wanted.iterations;

  // Checked, planned, cut and uploaded once; solved as often as needed.
  dwell::linear_solver<double> solver(where, a, options);
  std::vector<double> x, us;
  dwell::solve_report report;
  for (int run = 0; run < 6; ++run) {
    x.assign(b.size(), 0.0);
    report = solver.solve(b, x);
    if (run > 0) us.push_back(report.per_iteration_us);  // the first one is not counted
  }
  // [program end]

  std::sort(us.begin(), us.end());
  outcome of{"5_program",
             report.device,
             us[us.size() / 2],
             bytes_of(a, where, options, report),
             report.residual_relative_recursive * report.rhs_norm,
             x};
  if (!wanted.row)
    std::printf("%s, %s: %s\n", report.executor.c_str(), report.variant.c_str(),
                report.reason.c_str());
  return ladder::report(matrix, b, wanted, of);
}

}  // namespace

int main(int argc, char** argv) {
  const request wanted = parse(argc, argv, "--cpu");
  try {
    return run(wanted);
  } catch (const std::exception& e) {
    leave(wrong, e.what());
  }
}
