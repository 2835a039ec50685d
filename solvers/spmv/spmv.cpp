// SPDX-License-Identifier: MIT
#include "dwell/solvers/spmv/spmv.hpp"

#include <fmt/format.h>

#include "dwell/base/error.hpp"
#include "dwell/execution/device/work_queue.hpp"
#include "dwell/execution/krylov/launch/run.hpp"
#include "dwell/execution/krylov/spmv/placed_csr.hpp"
#include "dwell/solvers/spmv/repeated_spmv.hpp"

namespace dwell {

spmv_report spmv(const device& where, const csr_view<double>& a, std::span<const double> x,
                 std::span<double> y, const spmv_options& o) {
  using program = repeated_spmv;
  if (a.rows != a.cols)
    throw input_error(
        fmt::format("matrix: expected as many rows as columns, found {} x {}", a.rows, a.cols));
  const auto n = static_cast<std::size_t>(a.rows);
  if (x.size() != n || y.size() != n)
    throw input_error(
        fmt::format("expected vectors of {} elements, found {} and {}", n, x.size(), y.size()));
  if (o.repetitions < 1)
    throw input_error(fmt::format("expected at least 1 repetition, found {}", o.repetitions));
  check(a);

  const program_kernel& v = find_kernel(program::name, o.executor, precision::f64, where.on());
  const plan_target target = target_of(where);
  spmv_report report;
  report.bytes = (sizeof(double) + sizeof(index)) * static_cast<std::size_t>(a.nonzeros()) +
                 (sizeof(index) + 2 * sizeof(double)) * n;
  program::scalars start;
  start.max_steps = o.repetitions;
  const work_queue queue(where);
  const placed_csr<double> placed(queue.where(), a);
  cut_cache<double> cuts(queue.where(), placed.arrays());
  const planned<double> made = make_plan<program, double>(
      v, configs_of(v, target), target.facts, cuts, {.teams = o.teams, .config = o.config}, start);
  program_run<program, double> run(queue.where(), v, made);
  run.reverse_lanes(o.reverse_lanes);
  run.vector(program::x).upload(x);
  report.seconds_per_apply = run.run(start, {}) / o.repetitions;
  run.vector(program::y).download(y);
  return report;
}

}  // namespace dwell
