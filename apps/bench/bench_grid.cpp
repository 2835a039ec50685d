// SPDX-License-Identifier: MIT
// Times of dwell::grid_solver and of conjugate gradients with amg on the matrix of the same system.
// Solves alone, from a zero start, with a prepared handle. Prints a line of JSON for each.
//
//   bench-grid 1000x1000 threads [jump] [repeats] [alone]      alone: not amg
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include "dwell/core.hpp"
#include "grid_problem.hpp"

namespace {

double seconds_of(const std::function<void()>& f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

template <class Solve>
void measure(const char* name, int threads, int repeats, double setup_s, std::vector<double>& x,
             Solve&& solve) {
  std::vector<double> seconds;
  int iterations = 0;
  double residual = 0;
  for (int r = 0; r < repeats; ++r) {
    std::fill(x.begin(), x.end(), 0.0);
    seconds.push_back(seconds_of([&] {
      const auto report = solve();
      iterations = report.iterations;
      residual = report.residual_relative_true;
    }));
  }
  std::sort(seconds.begin(), seconds.end());
  std::printf(
      "{\"solver\": \"%s\", \"threads\": %d, \"iterations\": %d, \"residual\": %.3e, \"setup_ms\": "
      "%.3f, "
      "\"least_ms\": %.3f, \"median_ms\": %.3f}\n",
      name, threads, iterations, residual, setup_s * 1e3, seconds.front() * 1e3,
      seconds[seconds.size() / 2] * 1e3);
}

}  // namespace

int main(int argc, char** argv) {
  const dwell::bench::grid_case c(argc > 1 ? argv[1] : "100x100",
                                  argc > 3 ? std::atof(argv[3]) : 1);
  const int threads = argc > 2 ? std::atoi(argv[2]) : 1,
            repeats = argc > 4 ? std::atoi(argv[4]) : 5;
  const dwell::device where = dwell::device::cpu(threads);
  dwell::grid_description<double> d;
  d.cells = c.cells();
  const std::vector<double> k = c.all_k();
  d.k_cells = k;
  {
    dwell::grid_solver<double> solver(where, d);
    const std::vector<double> f(solver.rows(), 1.0);
    std::vector<double> u(f.size());
    const double setup = solver.solve(f, u).setup_s;
    measure("grid", threads, repeats, setup, u, [&] { return solver.solve(f, u); });
  }
  if (argc > 5) return 0;
  const dwell::csr<double> a = dwell::grid_operator<double>(where, d).to_matrix();
  const std::vector<double> f(std::size_t(a.rows), 1.0);
  std::vector<double> u(f.size());
  dwell::solve_options o;
  o.preconditioner = dwell::preconditioner::amg;
  dwell::linear_solver<double> solver(where, a.view(), o);
  measure("amg on the matrix", threads, repeats, solver.setup().total(), u,
          [&] { return solver.solve(f, u); });
}
