// SPDX-License-Identifier: MIT
// Not a test: what kernels that are compiled when they are needed cost, beside those that nvcc has
// compiled with this library, on the first GPU (docs/results/build.md).
//
//   needed_rates first SHAPE SIZE EXECUTOR   seconds of a run's set-up: in an empty cache; again,
//   in
//                                            memory; SIZE: 8192 or 512 (in three dimensions)
//   needed_rates rates SHAPE SIZE            microseconds a step of both, and whether bits are
//   equal
//
// In f64. DWELL_CACHE_DIR names the cache.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/execution/stencil/launch/kernel_table.hpp"
#include "dwell/solvers/stencil/api/stencil_table.hpp"
#include "dwell/stencil/stencil_runner.hpp"
#include "stencil_oracle.hpp"

namespace dwell::test {
namespace {

/// Rows of the shape that are compiled ahead, or those that are not, whatever this library has.
std::vector<stencil_kernel> rows_of(const std::string& shape, bool ahead) {
  std::vector<stencil_kernel> rows;
  for (const stencil_kernel& v : ahead ? stencil_kernels() : planned_stencil_kernels())
    if (v.shape.name == shape && v.on == backend::cuda && v.type == precision::f64 &&
        v.compiled_ahead() == ahead)
      rows.push_back(v);
  return rows;
}

extents size_of(const std::string& shape, int n) {
  return find_stencil_shape(shape).dims == 2 ? extents(n, n) : extents(n, n, n);
}

stencil_options options_of(const std::string& shape, const std::string& executor, int steps) {
  stencil_options o;
  o.shape = shape;
  o.executor = executor;
  o.steps = steps;
  return o;
}

void first(const std::string& shape, int n, const std::string& executor) {
  const auto rows = rows_of(shape, false);
  for (const char* when : {"first", "again"}) {
    grid<double> u(size_of(shape, n), 1.0);
    const stencil_report r = solve_from(rows, device::cuda(0), u, options_of(shape, executor, 100));
    fmt::print("{} {} {}: {} compile {:.3f} s, load {:.3f} s, plan {:.4f} s; {}; {}\n", shape,
               to_string(u.size()), executor, when, r.setup.compile_s, r.setup.load_s,
               r.setup.plan_s, r.engine, r.reason);
  }
}

void rates(const std::string& shape, int n) {
  const auto ahead = rows_of(shape, true), needed = rows_of(shape, false);
  if (ahead.empty()) throw unsupported_error(shape + " is not compiled with this library");
  const extents size = size_of(shape, n);
  const auto start = random_field<double>(size, 1);
  for (const char* executor : {"host-loop", "graph", "persistent", "perks", "temporal"}) {
    std::vector<double> us[2];
    grid<double> ends[2];
    std::string plans[2];
    const int steps = 120;
    stencil_runner<double> runners[2] = {
        {ahead, device::cuda(0), size, options_of(shape, executor, steps), false},
        {needed, device::cuda(0), size, options_of(shape, executor, steps), false}};
    for (auto& runner : runners) runner.set_field(start.view());
    for (int repetition = 0; repetition < 12; ++repetition)
      for (int k = 0; k < 2; ++k) {
        const auto end = runners[k].run(steps);
        if (repetition > 1) us[k].push_back(end.solve_s * 1e6 / steps);
      }
    for (int k = 0; k < 2; ++k) {
      std::sort(us[k].begin(), us[k].end());
      ends[k] = runners[k].field();
      const stencil_report& r = runners[k].report();
      plans[k] = fmt::format("{} {} teams", r.engine, r.teams);
    }
    const double a = us[0][us[0].size() / 2], b = us[1][us[1].size() / 2];
    const std::string different = difference(ends[1], ends[0]);
    fmt::print("{} {} {}: nvcc {:.3f} us ({}), NVRTC {:.3f} us ({}), {:+.2f} %, {}\n", shape,
               to_string(size), executor, a, plans[0], b, plans[1], 100 * (b / a - 1),
               different.empty() ? "the same bits" : different);
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace dwell::test

int main(int count, char** words) {
  const std::vector<std::string> w(words + 1, words + count);
  try {
    if (w.size() == 4 && w[0] == "first")
      dwell::test::first(w[1], std::atoi(w[2].c_str()), w[3]);
    else if (w.size() == 3 && w[0] == "rates")
      dwell::test::rates(w[1], std::atoi(w[2].c_str()));
    else
      throw dwell::input_error("expected: first SHAPE SIZE EXECUTOR, or rates SHAPE SIZE");
  } catch (const std::exception& e) {
    fmt::print(stderr, "needed_rates: {}\n", e.what());
    return 1;
  }
  return 0;
}
