// SPDX-License-Identifier: MIT
// Solvers of grids: answers against dense solves, for all boundaries, sizes and coefficients; bits
// that do not depend on threads; iterations that do not grow; singular systems; ends and refusals.
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <atomic>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/grid/grid_solver.hpp"
#include "grid_answers.hpp"
#include "grid_far.hpp"
#include "grid_problem.hpp"
#include "refusal.hpp"
#include "sanitized.hpp"

namespace dwell {
namespace {

using testing::dense_of;
using testing::expect_answer;
using testing::grid_problem;
using testing::random_grid_problem;
using testing::random_values;

int iterations_of(const grid_description<double>& d, const char* method = "cg");

TEST(GridSolver, SolvesWhatDenseSolversSolve) {
  const auto each = [](unsigned first, int count, auto&& f) {
    for (int k = 0; k < test::rounds(count); ++k) f(first + unsigned(k));
  };
  each(1, 120, [](unsigned seed) { expect_answer<double>(seed, 20, {}); });
  each(201, 30, [](unsigned seed) { expect_answer<double>(seed, 40, {}); });
  each(301, 30, [](unsigned seed) { expect_answer<float>(seed, 30, {}); });
  grid_options alone;
  alone.method = "multigrid";
  each(401, 20, [&](unsigned seed) { expect_answer<double>(seed, 20, alone); });
}

template <class T>
void expect_far_answers_said(const std::string& method, const std::string& preconditioner) {
  for (unsigned seed = 1; seed <= unsigned(test::rounds(400)); ++seed) {
    SCOPED_TRACE(seed);
    const testing::far_grid<T> far(seed);
    grid_options o;
    o.method = method;
    o.preconditioner = preconditioner;
    o.rtol = far.rtol;
    std::vector<T> u = far.start;
    grid_solver<T> solver(device::cpu(1 + int(seed % 3)), far.p.d, o);
    const grid_report r = solver.solve_algebraic(far.b, u);
    far.expect_honest(r.stopped, u);
    EXPECT_EQ(r.stopped == stop_reason::converged, r.residual_relative_true <= far.rtol);
  }
}

TEST(GridSolver, AnswersThatAreTooLargeOrTooSmallForTheirTypeAreSaid) {
  expect_far_answers_said<double>("cg", "auto");
  expect_far_answers_said<float>("cg", "auto");
  expect_far_answers_said<double>("minres", "jacobi");
  expect_far_answers_said<float>("multigrid", "auto");
}

TEST(GridSolver, GridsBeyondTheMemoryAreRefused) {
  for (unsigned seed = 1; seed <= unsigned(test::rounds(60)); ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto power = [&](int e) { return (1 << e) - 1 - int(random() % 3); };
    // 2^37 to 2^40 cells
    const int all = 37 + int(random() % 4), dims = 2 + int(random() % 2);
    const int first = dims == 2 ? 12 + int(random() % 10) : 10 + int(random() % 4);
    const int second = dims == 2 ? all - first : 10 + int(random() % 4);
    grid_description<float> d;
    d.cells = {power(first), power(second)};
    if (dims == 3) d.cells.push_back(power(all - first - second));
    grid_options o;
    switch (random() % 3) {
      case 0:
        o.coarse = "galerkin";
        break;
      case 1:
        o.smoother = "lines";
        break;
      default:
        break;
    }
    const std::string said =
        test::refusal<device_error>([&] { grid_solver<float>(device::cpu(1), d, o); });
    EXPECT_TRUE(said.starts_with(
        fmt::format("too little memory: {} unknowns need ", fmt::join(d.cells, "x"))))
        << said;
  }
}

TEST(GridSolver, RefusesCoefficientsOfAGpuOnACpu) {
  const grid_description<double> d{.cells = {5, 6}};
  const std::vector<double> k(30, 1.0);
  const device_coefficients<double> there{.k_cells = {k.data(), k.size(), 0}};
  const std::string said =
      test::refusal<input_error>([&] { grid_solver<double>(device::cpu(1), d, {}, there); });
  EXPECT_NE(said.find("expected memory of the host for a CPU"), std::string::npos) << said;
  grid_solver<double> solver(device::cpu(1), d);
  EXPECT_THROW(solver.update(d, there), input_error);
}

/// Every method with every preconditioner, against dense solves and the matrix; with s < 0 the
/// system is indefinite, and all eigenvalues are away from 0.
template <class T>
void expect_method(unsigned seed, const std::string& method, const std::string& preconditioner,
                   bool indefinite) {
  grid_problem<T> p;
  random_grid_problem(seed, 12, 5, p);
  SCOPED_TRACE(p.says + ", " + method + ", " + preconditioner);
  grid_options o;
  o.method = method;
  o.preconditioner = preconditioner;
  o.rtol = sizeof(T) == 8 ? 1e-9 : 1e-4;
  o.max_iterations = 200000;
  o.history = true;
  Eigen::MatrixXd dense = dense_of(grid_operator<T>(device::cpu(1), p.d).to_matrix());
  if (indefinite) {
    // Half way between two eigenvalues of W^-1 A, W being what s is multiplied by.
    p.d.s_cells = {};
    p.d.s = 0;
    const Eigen::MatrixXd plain = dense_of(grid_operator<T>(device::cpu(1), p.d).to_matrix());
    p.d.s = 1;
    const Eigen::MatrixXd shifted = dense_of(grid_operator<T>(device::cpu(1), p.d).to_matrix());
    const Eigen::VectorXd w = (shifted - plain).diagonal().cwiseSqrt().cwiseInverse();
    const Eigen::VectorXd values =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(w.asDiagonal() * plain * w.asDiagonal())
            .eigenvalues();
    const Eigen::Index n = values.size(), at = std::min<Eigen::Index>(n - 1, 2 + seed % 3);
    double gap = 0;
    for (Eigen::Index i = 0; i < at; ++i)
      if (values(i + 1) - values(i) > gap) {
        gap = values(i + 1) - values(i);
        p.d.s = -0.5 * (values(i) + values(i + 1));
      }
    if (gap < 1e-3 * values(n - 1)) return;
    dense = dense_of(grid_operator<T>(device::cpu(1), p.d).to_matrix());
  }
  grid_solver<T> solver(device::cpu(2), p.d, o);
  const std::size_t n = solver.rows();
  const std::vector<T> b = random_values<T>(n, seed);
  std::vector<T> x = random_values<T>(n, seed + 1), other(x);
  const grid_report r = solver.solve_algebraic(b, x);
  EXPECT_EQ(r.method, method);
  EXPECT_EQ(r.preconditioner, preconditioner == "auto" && method != "jacobi" ? "multigrid"
                              : preconditioner == "auto"                     ? "jacobi"
                                                                             : preconditioner);
  if (r.stopped != stop_reason::accuracy_limit) {  // else rounding explains the residual, below
    EXPECT_EQ(r.stopped, stop_reason::converged) << to_string(r.stopped) << r.iterations;
    EXPECT_LE(r.residual_relative_true, *o.rtol);
  }
  EXPECT_EQ(r.history.size(), std::size_t(r.iterations) + 1);
  const auto rows = static_cast<Eigen::Index>(n);
  Eigen::VectorXd want(rows), got(rows);
  for (std::size_t i = 0; i < n; ++i)
    want(Eigen::Index(i)) = double(b[i]), got(Eigen::Index(i)) = double(x[i]);
  if (solver.singular()) want.array() -= want.mean();
  const double eps = sizeof(T) == 8 ? 1e-13 : 1e-4;
  EXPECT_LE((want - dense * got).norm(),
            1.01 * *o.rtol * want.norm() +
                eps * dense.cwiseAbs().rowwise().sum().maxCoeff() * got.norm());
  grid_solver<T> alone(device::cpu(1), p.d, o);
  EXPECT_EQ(alone.solve_algebraic(b, other).iterations, r.iterations);
  EXPECT_EQ(other, x);
}

TEST(GridSolver, EveryMethodWithEveryPreconditioner) {
  unsigned seed = 500;
  for (const std::string& method : grid_methods())
    for (const std::string& preconditioner : grid_preconditioners()) {
      const bool own = method == "multigrid" || method == "jacobi";
      if (own && preconditioner != "auto") continue;
      for (int k = 0; k < 12; ++k) expect_method<double>(seed++, method, preconditioner, false);
      for (int k = 0; k < 4; ++k) expect_method<float>(seed++, method, preconditioner, false);
    }
}

TEST(GridSolver, IndefiniteSystems) {
  unsigned seed = 900;
  for (const std::string method : {"minres", "bicgstab"})
    for (const std::string& preconditioner : grid_preconditioners())
      for (int k = 0; k < 12; ++k) expect_method<double>(seed++, method, preconditioner, true);
  grid_description<double> d{.cells = {9, 9}};
  d.s = -0.1;
  for (const std::string method : {"cg", "multigrid", "chebyshev", "jacobi"}) {
    grid_options o;
    o.method = method;
    EXPECT_THROW(grid_solver<double>(device::cpu(1), d, o), input_error) << method;
  }
  const std::vector<double> s(81, -0.1);
  d.s = 0, d.s_cells = s;
  EXPECT_THROW(grid_solver<double>(device::cpu(1), d), input_error);
  grid_solver<double> plain(device::cpu(1), {.cells = {9, 9}});
  EXPECT_THROW(plain.update(d), input_error);
}

/// With multigrid neither grows with the grid; sums cost Chebyshev's iteration few steps more.
TEST(GridSolver, OtherMethodsWithMultigridTakeFewIterations) {
  for (const int n : {100, 300}) {
    const grid_description<double> d{.cells = {n, n + 7}};
    EXPECT_LE(iterations_of(d, "minres"), 12) << n;
    EXPECT_LE(iterations_of(d, "bicgstab"), 8) << n;
    EXPECT_LE(iterations_of(d, "chebyshev"), 20) << n;
  }
}

int iterations_of(const grid_description<double>& d, const char* method) {
  grid_options o;
  o.method = method;
  grid_solver<double> solver(device::cpu(2), d, o);
  const std::vector<double> f(solver.rows(), 1.0);
  std::vector<double> u(solver.rows());
  const grid_report r = solver.solve(f, u);
  EXPECT_EQ(r.stopped, stop_reason::converged);
  EXPECT_LE(r.residual_relative_true, 1e-8);
  return r.iterations;
}

TEST(GridSolver, IterationsDoNotGrowWithSize) {
  for (const char* boundary :
       {"dirichlet", "x: neumann, y: dirichlet", "x: periodic, y-: robin 1, y+: neumann 1"}) {
    grid_description<double> small{.cells = {127, 130}}, large{.cells = {700, 601}};
    small.boundary = large.boundary = parse_grid_boundary(boundary, 2);
    small.spacing = {1.0 / 128, 1.0 / 128}, large.spacing = {1.0 / 650, 1.0 / 650};
    const int few = iterations_of(small);
    EXPECT_LE(few, 11) << boundary;
    EXPECT_LE(iterations_of(large), 1.3 * few) << boundary;
  }
  const int few = iterations_of({.cells = {20, 21, 19}});
  EXPECT_LE(few, 12);
  EXPECT_LE(iterations_of({.cells = {61, 70, 57}}), 1.3 * few);
  EXPECT_LE(iterations_of({.cells = {300, 301}}, "multigrid"), 20);
}

TEST(GridSolver, AnisotropyInEitherDirectionTakesEqualIterations) {
  for (const double by : {1e-1, 1e-2, 1e-3, 1e3}) {
    grid_description<double> x{.cells = {250, 250}}, y = x;
    x.k_axes = {by, 1, 1}, y.k_axes = {1, by, 1};
    const int one = iterations_of(x), other = iterations_of(y);
    EXPECT_LE(one, 12) << by;
    EXPECT_LE(std::abs(one - other), 1) << by;
  }
}

TEST(GridSolver, JumpsInBlocksTakeFewIterations) {
  for (const double jump : {1e2, 1e4, 1e6})
    for (const int blocks : {16, 30}) {
      std::mt19937 random(7);
      grid_description<double> d{.cells = {300, 320}};
      std::vector<double> of_block(std::size_t(25 * 25)), k(std::size_t(300 * 320));
      for (double& e : of_block) e = std::pow(jump, double(random()) / double(std::mt19937::max()));
      for (int y = 0; y < 300; ++y)
        for (int x = 0; x < 320; ++x)
          k[std::size_t(y * 320 + x)] = of_block[std::size_t(y / blocks * 25 + x / blocks)];
      d.k_cells = k;
      EXPECT_LE(iterations_of(d), blocks < 30 ? 18 : 15) << jump << " in blocks of " << blocks;
    }
}

TEST(GridSolver, NewCoefficientsInPlaceAreThoseOfANewSolver) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    grid_problem<double> p;
    random_grid_problem(seed, 25, 10, p);
    grid_solver<double> fresh(device::cpu(1), p.d);
    grid_description<double> before{.cells = p.d.cells};
    grid_solver<double> used(device::cpu(1), before);
    const std::vector<double> f = random_values<double>(fresh.rows(), seed);
    std::vector<double> x(f.size()), y(f.size());
    used.solve(f, x);
    used.update(p.d);
    std::fill(x.begin(), x.end(), 0.0);
    used.solve(f, x);
    fresh.solve(f, y);
    EXPECT_EQ(x, y) << p.says;
    EXPECT_EQ(used.singular(), fresh.singular());
    before.cells[0] += 1;
    EXPECT_THROW(used.update(before), input_error);
  }
}

TEST(GridSolver, ScalesDoNotMatter) {
  grid_description<double> d{.cells = {30, 41}};
  const std::vector<double> f = random_values<double>(30 * 41, 3);
  std::vector<double> u(f.size());
  grid_solver<double> plain(device::cpu(1), d);
  const grid_report r = plain.solve(f, u);
  for (const int k_by : {-600, 600})
    for (const int f_by : {-500, 500}) {
      if (k_by < 0 && f_by > 0) continue;  // u would overflow
      d.k = std::ldexp(1.0, k_by);
      std::vector<double> g(f), v(f.size());
      for (double& e : g) e = std::ldexp(e, f_by);
      grid_solver<double> scaled(device::cpu(1), d);
      const grid_report s = scaled.solve(g, v);
      EXPECT_EQ(s.iterations, r.iterations) << k_by << " " << f_by;
      if (f_by - k_by < -1000) continue;  // u has lost digits
      for (std::size_t i = 0; i < u.size(); ++i) ASSERT_EQ(v[i], std::ldexp(u[i], f_by - k_by));
    }
}

TEST(GridSolver, Ends) {
  grid_description<double> d{.cells = {60, 70}};
  const std::vector<double> f = random_values<double>(60 * 70, 1), zero(f.size());
  std::vector<double> u(f.size());
  grid_options o;
  o.history = true;
  {
    grid_solver<double> s(device::cpu(1), d, o);
    const grid_report r = s.solve(f, u);
    ASSERT_EQ(r.history.size(), std::size_t(r.iterations) + 1);
    EXPECT_NEAR(r.history[0], r.rhs_norm, 1e-9 * r.rhs_norm);
    EXPECT_LE(r.history.back(), r.residual_relative_wanted * r.rhs_norm);
    const std::vector<double> answer = u;
    EXPECT_EQ(s.solve(f, u).iterations, 0);  // it is the answer
    EXPECT_EQ(u, answer);
    const grid_report none = s.solve(zero, u);
    EXPECT_EQ(none.stopped, stop_reason::converged);
    EXPECT_EQ(u, zero);
    s.set_tolerances(0, 0);
    const grid_report most = s.solve(f, u);
    EXPECT_EQ(most.stopped, stop_reason::accuracy_limit);
    EXPECT_LT(most.residual_relative_true, 1e-14);
    s.set_tolerances(0, 1e-3 * r.rhs_norm);
    std::fill(u.begin(), u.end(), 0.0);
    EXPECT_LE(s.solve(f, u).iterations, 5);
    EXPECT_THROW(s.set_tolerances(-1), input_error);
  }
  o.max_iterations = 2;
  std::fill(u.begin(), u.end(), 0.0);
  const grid_report limit = grid_solver<double>(device::cpu(1), d, o).solve(f, u);
  EXPECT_EQ(limit.stopped, stop_reason::iteration_limit);
  EXPECT_EQ(limit.iterations, 2);
  EXPECT_LT(limit.residual_relative_true, 0.5);
  std::atomic<bool> stop{true};
  o.interrupt = &stop;
  EXPECT_EQ(grid_solver<double>(device::cpu(2), d, o).solve(f, u).stopped,
            stop_reason::interrupted);
}

TEST(GridSolver, AProgressFunctionIsCalledAndMayEndASolve) {
  const grid_description<double> d{.cells = {300, 300}};
  grid_options o;
  o.rtol = 1e-13;
  o.progress_interval = 0;
  int calls = 0;
  o.progress = [&](const solve_progress& p) {
    EXPECT_GE(p.iteration, 1);
    EXPECT_GT(p.relative_residual, 0);
    EXPECT_LT(p.relative_residual, 1) << "it is over the norm of b";
    ++calls;
    return false;
  };
  grid_solver<double> solver(device::cpu(1), d, o);
  const std::vector<double> f(solver.rows(), 1.0);
  std::vector<double> u(f.size());
  solver.solve(f, u);
  EXPECT_EQ(calls, 1) << "and no more after the first one has ended it";
}

TEST(GridSolver, SingularSystemsAreProjectedAndSaySo) {
  for (const char* boundary : {"neumann", "periodic", "x: periodic, y: neumann"}) {
    grid_description<double> d{.cells = {33, 47}};
    d.boundary = parse_grid_boundary(boundary, 2);
    grid_solver<double> s(device::cpu(1), d);
    EXPECT_TRUE(s.singular());
    std::vector<double> f = random_values<double>(s.rows(), 5), u(f.size(), 3.0);
    const grid_report r = s.solve(f, u);
    EXPECT_EQ(r.stopped, stop_reason::converged);
    EXPECT_EQ(r.null_space, "constant");
    EXPECT_TRUE(r.rhs_inconsistent);
    double sum = 0;
    for (const double e : f) sum += e;
    for (double& e : f) e -= sum / double(f.size());
    EXPECT_FALSE(s.solve(f, u).rhs_inconsistent);
  }
}

TEST(GridSolver, Refuses) {
  grid_description<double> d{.cells = {5, 6}};
  grid_options o;
  const auto refuses = [&](auto&& change) {
    grid_options bad;
    change(bad);
    EXPECT_THROW(grid_solver<double>(device::cpu(1), d, bad), input_error);
  };
  refuses([](auto& b) { b.method = "lu"; });
  refuses([](auto& b) { b.preconditioner = "amg"; });
  refuses([](auto& b) { b.method = "jacobi", b.preconditioner = "none"; });
  refuses([](auto& b) { b.rtol = -1; });
  refuses([](auto& b) { b.atol = std::nan(""); });
  refuses([](auto& b) { b.max_iterations = 0; });
  grid_solver<double> s(device::cpu(1), d);
  std::vector<double> f(30), u(30), wrong(29);
  EXPECT_THROW(s.solve(wrong, u), input_error);
  EXPECT_THROW(s.solve(f, wrong), input_error);
  EXPECT_THROW(s.solve(u, u), input_error);
  f[7] = std::nan("");
  EXPECT_THROW(s.solve(f, u), input_error);
  f[7] = 0, u[3] = INFINITY;
  EXPECT_THROW(s.solve(f, u), input_error);
}

}  // namespace
}  // namespace dwell
