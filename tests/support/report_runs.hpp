// SPDX-License-Identifier: MIT
// Solves, runs and convolutions of which each field of a report has another value than in an empty
// one: to be read on every surface.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "dwell/arrays/convolution.hpp"
#include "dwell/base/report_table.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/grid/grid_solver.hpp"
#include "dwell/linear/linear_solver.hpp"
#include "dwell/stencil/solve.hpp"
#include "dwell/stencil/stencil_runner.hpp"
#include "plain_options.hpp"

namespace dwell::test {

/// The fields that stay as they are in an empty report: a GPU's, or those of another kind of run.
template <class Report>
std::vector<std::string> without_a_value(std::span<const report_field<Report>> table,
                                         const std::vector<Report>& runs) {
  std::vector<std::string> names;
  for (const auto& row : table) {
    bool found = false;
    for (const Report& one : runs) found = found || row.value(one) != row.value(Report());
    if (!found) names.emplace_back(row.name);
  }
  return names;
}

inline solve_report report_of_solve(const csr<double>& a, const std::vector<double>& b,
                                    const solve_options& o) {
  std::vector<double> x(b.size(), 0.0);
  return solve(device::cpu(2), a.view(), b, x, o);
}

inline csr<double> tridiagonal_of(const std::vector<double>& diagonal, double beside_first,
                                  double beside_last) {
  csr<double> a;
  const auto n = static_cast<index>(diagonal.size());
  a.rows = a.cols = n;
  a.row_ptr = {0};
  const auto beside = [&](index i) { return 2 * i < n ? beside_first : beside_last; };
  for (index i = 0; i < n; ++i) {
    const auto add = [&](index j, double v) {
      if (v != 0) a.col.push_back(j), a.val.push_back(v);
    };
    if (i > 0 && 2 * (i - 1) / n == 2 * i / n) add(i - 1, beside(i));
    add(i, diagonal[static_cast<std::size_t>(i)]);
    if (i + 1 < n && 2 * (i + 1) / n == 2 * i / n) add(i + 1, beside(i));
    a.row_ptr.push_back(static_cast<index>(a.col.size()));
  }
  return a;
}

inline std::vector<solve_report> solves_for_reports() {
  std::vector<solve_report> runs;
  const csr<double> grid = generate("poisson2d:40x30");
  const std::vector<double> ones(1200, 1.0);
  solve_options o = plain_options();
  o.preconditioner = preconditioner::amg;
  o.history = true;
  runs.push_back(report_of_solve(grid, ones, o));
  o = plain_options();
  o.preconditioner = preconditioner::automatic;
  runs.push_back(report_of_solve(grid, ones, o));
  o = plain_options();
  o.mixed_precision = true;
  o.rtol = 1e-12;
  runs.push_back(report_of_solve(grid, ones, o));
  o = plain_options();
  o.max_iterations = 5;
  runs.push_back(report_of_solve(grid, ones, o));
  o = plain_options();
  o.refine = false;
  o.rtol = 1e-18;  // below what rounding allows
  runs.push_back(report_of_solve(grid, ones, o));
  o = plain_options();
  std::vector<double> uneven(1200, 1.0);
  uneven[0] = 100;
  runs.push_back(report_of_solve(generate("neumann2d:40x30"), uneven, o));
  // Rows of very different sizes, of which only the large ones count.
  std::vector<double> diagonal(400, 3e6), b(400, 1e6);
  for (std::size_t i = 200; i < 400; ++i) diagonal[i] = 2.5, b[i] = 1;
  o.rtol = 1e-6;
  runs.push_back(report_of_solve(tridiagonal_of(diagonal, -1e6, -1), b, o));
  o = plain_options();
  runs.push_back(report_of_solve(tridiagonal_of({1, 1, 1e-9}, 0, 0), {1, 1, 1e-10}, o));
  // The residual of a line rests until the iteration has crossed it.
  csr<double> line = tridiagonal_of(std::vector<double>(2000, 2.0), -1, -1);
  std::vector<double> rough(2000);
  for (std::size_t i = 0; i < rough.size(); ++i)
    rough[i] = static_cast<double>((i * 7919) % 1009) / 504 - 1;
  o.max_iterations = 300;
  runs.push_back(report_of_solve(line, rough, o));
  // A row of the square of an arrow is full.
  csr<double> arrow;
  arrow.rows = arrow.cols = 2000;
  arrow.row_ptr = {0};
  for (index i = 0; i < 2000; ++i) {
    for (index j = i < 1999 ? i : 0; j < 2000; j += i < 1999 ? 1999 - i : 1) {
      arrow.col.push_back(j);
      arrow.val.push_back(i == j ? 2001 : -1);
    }
    arrow.row_ptr.push_back(static_cast<index>(arrow.col.size()));
  }
  o = plain_options();
  o.preconditioner = preconditioner::fsai;
  o.preconditioning.power = 2;
  runs.push_back(report_of_solve(arrow, std::vector<double>(2000, 1.0), o));
  o = plain_options();
  o.preconditioner = preconditioner::amg;
  for (int i = 0; i < 1200; ++i) o.preconditioning.near_null.push_back(i % 2 ? 1 : -1);
  runs.push_back(report_of_solve(grid, ones, o));
  o = plain_options();
  o.method = "direct";  // builds with tests have Eigen
  runs.push_back(report_of_solve(grid, ones, o));
  std::vector<double> columns(2400, 1.0), x(2400, 0.0);
  o = plain_options();
  o.columns_at_once = 2;
  linear_solver<double> two(device::cpu(2), grid.view(), o);
  runs.push_back(
      two.solve(std::span<const double>(columns), 1200, std::span<double>(x), 1200, 2).front());
  return runs;
}

inline std::vector<stencil_report> stencils_for_reports() {
  std::vector<stencil_report> runs;
  const auto add = [&](const extents& size, const stencil_options& o) {
    grid<double> u(size, 0.5);
    u(size.dims == 3 ? 3 : 0, 4, 5) = 1;
    runs.push_back(solve(device::cpu(2), u, o));
  };
  stencil_options o;
  o.steps = 20;
  o.until = 1e-9;
  o.check_every = 5;
  o.edge = boundary::periodic;
  add(extents(40, 50), o);
  o = {};
  o.steps = 400;
  o.weights = {1e10, 0, 0, 0, 0};
  add(extents(7, 9), o);
  return runs;
}

inline std::vector<convolution_report> convolutions_for_reports() {
  const extents size(20, 30);
  std::vector<float> in(1200, 0.5F), out(1200);
  convolution_options o;
  o.correlate = true;
  return {convolve<float>(device::cpu(2), size, std::span<const float>(in), std::span<float>(out),
                          convolution_filter::named("gaussian:5", 2), o)};
}

inline std::vector<grid_report> grids_for_reports() {
  std::vector<grid_report> runs;
  const auto add = [&](const grid_description<float>& d, const grid_options& o) {
    grid_solver<float> solver(device::cpu(2), d, o);
    std::vector<float> f(solver.rows(), 1.0F), u(solver.rows());
    runs.push_back(solver.solve(f, u));
  };
  grid_description<float> d{.cells = {40, 50}};
  grid_options o;
  o.history = true;
  o.rtol = 0;
  add(d, o);
  o.method = "jacobi";
  o.max_iterations = 60;
  add({.cells = {90, 80}}, o);
  d.boundary = grid_boundary::all({boundary_kind::neumann});
  add(d, {});
  add({.cells = {150, 160}}, {});
  return runs;
}

}  // namespace dwell::test
