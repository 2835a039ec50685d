// SPDX-License-Identifier: MIT
// Which method solves a system: "auto" and what it falls back on, and what is refused. Linked again
// into the tests of a GPU.
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "cg_runner.hpp"
#include "dwell/linear/cg_batch.hpp"
#include "dwell/linear/linear_solver.hpp"
#include "method_problems.hpp"
#include "refusal.hpp"

namespace dwell::test {
namespace {

TEST_F(methods_here, are_chosen_by_the_matrix) {
  const auto chosen = [&](const csr<double>& a) { return run(system_of(a), by("auto")).report; };
  EXPECT_EQ(chosen(generate("poisson2d:9x9")).method, "cg");
  EXPECT_EQ(chosen(saddle_point(true)).method, "minres");
  EXPECT_EQ(chosen(saddle_point(false)).method, "minres");
  EXPECT_EQ(chosen(generate("convection2d:9x9:5")).method, "bicgstab");
  EXPECT_EQ(chosen(generate("convection2d:9x9:5")).method_reason, "the matrix is not symmetric");
  EXPECT_EQ(run(system_of(generate("poisson2d:9x9")), by("cg")).report.method_reason, "as asked");
}

// The diagonal is positive, the matrix is not positive definite.
TEST_F(methods_here, minres_goes_on_where_cg_breaks_down) {
  const auto s = system_of(generate("helmholtz2d:31x23:1.2"));
  EXPECT_EQ(run(s, by("cg")).report.stopped, stop_reason::breakdown);
  EXPECT_NE(run(s, by("cg")).report.advice.find("minres"), std::string::npos);
  const auto got = run(s, by("auto"));
  EXPECT_EQ(got.report.stopped, stop_reason::converged);
  EXPECT_EQ(got.report.method, "minres");
  EXPECT_NE(got.report.method_reason.find("cg broke down after"), std::string::npos);
  EXPECT_LT(got.report.residual_relative_true, 2e-8);
  // Several right-hand sides: the first finds out, the others profit.
  linear_solver<double> solver(place::where(), s.a.view(), by("auto"));
  const auto n = static_cast<std::size_t>(s.a.rows);
  const std::vector<double> b = random_vector(5 * s.a.rows, 3);
  std::vector<double> x(5 * n, 0.0);
  const auto reports = solver.solve(std::span<const double>(b), n, std::span<double>(x), n, 5);
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_EQ(reports[k].stopped, stop_reason::converged);
    EXPECT_EQ(reports[k].method, "minres");
    const std::span<const double> bk(b.data() + k * n, n), xk(x.data() + k * n, n);
    EXPECT_LT(residual_norm(s.a.view(), bk, xk), 3e-8 * norm2(bk));
  }
}

/// A strong wind one way, in the order of the numbers or against it.
TEST_F(methods_here, factors_follow_jacobi_in_a_strong_wind_one_way) {
  if (place::where().on() != backend::cpu) GTEST_SKIP() << "a choice on CPUs";
  constexpr index n = 150;
  for (const bool against : {false, true}) {
    SCOPED_TRACE(against);
    csr<double> a;
    a.rows = a.cols = n * n;
    a.row_ptr = {0};
    for (index i = 0; i < n; ++i)
      for (index j = 0; j < n; ++j) {
        const index here = i * n + j;
        const auto add = [&](bool there, index to, double v) {
          if (there) a.col.push_back(to), a.val.push_back(v);
        };
        const double wind = 1500, before = against ? 1 : 1 + wind, behind = against ? 1 + wind : 1;
        add(i > 0, here - n, -before);
        add(j > 0, here - 1, -before);
        add(true, here, 4 + 2 * wind);
        add(j + 1 < n, here + 1, -behind);
        add(i + 1 < n, here + n, -behind);
        a.row_ptr.push_back(static_cast<index>(a.col.size()));
      }
    solve_options o = by("auto");
    o.preconditioner = preconditioner::automatic;
    const auto got = run(system_of(a), o);
    EXPECT_EQ(got.report.stopped, stop_reason::converged);
    EXPECT_EQ(to_string(got.report.preconditioner), std::string("ilu0"))
        << got.report.preconditioner_reason;
    EXPECT_LT(got.report.iterations, 40) << "most with jacobi, before";
  }
}

// (r, A r) = 0 for every r, on which bicgstab breaks down.
TEST_F(methods_here, gmres_goes_on_where_bicgstab_breaks_down) {
  const csr<double> turn{2, 2, {0, 1, 2}, {1, 0}, {1.0, -1.0}};
  const linear_system<double> s{"", turn, {1.0, 2.0}};
  EXPECT_EQ(run(s, by("bicgstab")).report.stopped, stop_reason::breakdown) << "as asked";
  const auto got = run(s, by("auto"));
  EXPECT_EQ(got.report.stopped, stop_reason::converged);
  EXPECT_EQ(got.report.method, "gmres");
  EXPECT_NE(got.report.method_reason.find("bicgstab broke down after"), std::string::npos)
      << got.report.method_reason;
  ASSERT_EQ(got.report.attempts.size(), 2u);
  EXPECT_EQ(got.report.attempts.front().method, "bicgstab");
  EXPECT_EQ(got.report.attempts.front().ended, got.report.method_reason);
}

// The residual of a wind across 300 cells hardly falls for some 300 iterations.
TEST_F(methods_here, bicgstab_stays_while_a_wind_crosses_the_mesh) {
  if (sanitized) GTEST_SKIP() << "90,000 rows";
  linear_system<double> s{"", generate("convection2d:300x300:50"), {}};
  s.b.assign(static_cast<std::size_t>(s.a.rows), 1.0);
  solve_options o = by("auto");
  o.preconditioner = preconditioner::jacobi;
  o.rtol = 1e-8;
  o.max_iterations = 3000;
  const auto got = run(s, o);
  EXPECT_EQ(got.report.stopped, stop_reason::converged);
  EXPECT_EQ(got.report.method, "bicgstab");
  EXPECT_GT(got.report.iterations, 300);
}

TEST_F(methods_here, say_what_they_do_not_solve) {
  const auto said = [&](const csr<double>& a, const solve_options& o) {
    return refusal<error>([&] { (void)run(system_of(a), o); });
  };
  const csr<double> unsymmetric = generate("convection2d:9x9:5");
  EXPECT_NE(said(unsymmetric, by("cg")).find("method bicgstab does not need symmetry"),
            std::string::npos);
  EXPECT_NE(said(unsymmetric, by("minres")).find("expected a symmetric one"), std::string::npos);
  EXPECT_NE(
      said(saddle_point(true), by("cg"))
          .find("methods minres, if the matrix is symmetric, bicgstab and gmres do not need it"),
      std::string::npos);
  EXPECT_NE(said(unsymmetric, by("gauss"))
                .find("expected a method (auto, cg, minres, bicgstab, gmres, direct)"),
            std::string::npos);
  solve_options o = by("bicgstab");
  o.preconditioner = preconditioner::amg;
  EXPECT_NE(said(unsymmetric, o).find("preconditioner amg asks for it"), std::string::npos);
  o.method = "gmres";
  o.restart = 0;
  EXPECT_NE(said(unsymmetric, o).find("restart: expected 1 to 500, found 0"), std::string::npos);
  for (const char* method : {"minres", "bicgstab", "auto"}) {
    o = by(method);
    o.preconditioner = preconditioner::jacobi;
    EXPECT_NE(said(saddle_point(true), o).find("expected a diagonal without zeros"),
              std::string::npos);
    EXPECT_NE(said(saddle_point(false), o).find("found none stored in row 301"), std::string::npos);
  }
  const csr<double> gap{3, 3, {0, 1, 1, 2}, {0, 2}, {1.0, 1.0}};
  for (const char* method : {"minres", "bicgstab", "auto"})
    EXPECT_NE(said(gap, by(method)).find("an entry in every row, found none in row 2"),
              std::string::npos);
  o = by("auto");
  o.variant = "textbook";
  EXPECT_NE(said(unsymmetric, o).find("expected auto where the method is auto"), std::string::npos);
  o = by("minres");
  o.variant = "pipelined";
  EXPECT_NE(said(saddle_point(true), o).find("expected a variant (auto, textbook)"),
            std::string::npos);
  const csr<double> one = generate("poisson2d:3x3");
  const csr_view<double> systems[] = {one.view()};
  EXPECT_NE(refusal<error>([&] {
              cg_batch<double>(place::where(), std::span<const csr_view<double>>(systems),
                               by("bicgstab"));
            }).find("a batch has no choice of a method"),
            std::string::npos);
}

}  // namespace
}  // namespace dwell::test
