// SPDX-License-Identifier: MIT
// Methods for matrices that are not positive definite: answers beside Eigen's direct solutions,
// iteration counts beside Eigen's, the same bits from every executor, "auto" and what it falls back
// on, breakdowns, refusals. Linked again into the tests of a GPU.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "cg_runner.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/formats/triplets.hpp"
#include "dwell/linear/cg_batch.hpp"
#include "dwell/linear/linear_solver.hpp"
#include "dwell/solvers/preconditioners/list.hpp"
#include "refusal.hpp"

namespace dwell::test {
namespace {

/// Duplicates are summed.
csr<double> from_entries(index n, const std::vector<std::tuple<index, index, double>>& all) {
  triplets<double> t{n, n, {}, {}, {}};
  for (const auto& [i, j, v] : all) t.row.push_back(i), t.col.push_back(j), t.val.push_back(v);
  return to_csr(t);
}

/// [A B; B^T 0]: a Laplacian with constraints, whose diagonal has zeros or is not stored.
csr<double> saddle_point(bool stored_zeros) {
  const csr<double> a = generate("poisson2d:20x15");
  const index n = a.rows, constraints = 30;
  std::vector<std::tuple<index, index, double>> all;
  for (index i = 0; i < n; ++i)
    for (index k = a.row_ptr[static_cast<std::size_t>(i)];
         k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      all.emplace_back(i, a.col[static_cast<std::size_t>(k)], a.val[static_cast<std::size_t>(k)]);
  for (index c = 0; c < constraints; ++c) {
    for (index e = 0; e < 5; ++e) {
      const index j = 10 * c + 2 * e;
      all.emplace_back(n + c, j, 1.0 + 0.1 * e);
      all.emplace_back(j, n + c, 1.0 + 0.1 * e);
    }
    if (stored_zeros) all.emplace_back(n + c, n + c, 0.0);
  }
  return from_entries(n + constraints, all);
}

/// Dominant diagonals of both signs, one long row and one long column.
csr<double> unsymmetric_rows(index n) {
  splitmix64 random(5);
  std::vector<std::tuple<index, index, double>> all;
  for (index i = 0; i < n; ++i) {
    const index count = i == n / 3 ? n / 2 : 1 + random.below(9);
    double sum = 0;
    for (index e = 0; e < count; ++e) {
      const index j = e == 0 ? n / 5 : random.below(n);
      if (j == i) continue;
      const double v = std::ldexp(static_cast<double>(random.below(1000)) - 400, -9);
      all.emplace_back(i, j, v);
      sum += std::abs(v);
    }
    all.emplace_back(i, i, (i % 7 == 0 ? -1 : 1) * (1.5 * sum + 0.5));
  }
  return from_entries(n, all);
}

struct problem {
  const char* name;
  std::function<csr<double>()> build;
  bool symmetric;
};
const std::vector<problem>& problems() {
  static const std::vector<problem> all = {
      {"convection", [] { return generate("convection2d:40x30:20"); }, false},
      {"strong_convection", [] { return generate("convection2d:50x20:1000"); }, false},
      {"unsymmetric_rows", [] { return unsymmetric_rows(sanitized ? 500 : 1500); }, false},
      {"one_by_one",
       [] {
         return csr<double>{1, 1, {0, 1}, {0}, {-2.0}};
       },
       true},
      {"helmholtz", [] { return generate("helmholtz2d:31x23:1.2"); }, true},
      {"saddle_point", [] { return saddle_point(true); }, true},
      {"saddle_point_without_diagonal", [] { return saddle_point(false); }, true},
      {"definite", [] { return generate("poisson2d:33x21"); }, true},
  };
  return all;
}

bool has_full_diagonal(const csr<double>& a) {
  for (index i = 0; i < a.rows; ++i) {
    bool found = false;
    for (index k = a.row_ptr[static_cast<std::size_t>(i)];
         k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      found |= a.col[static_cast<std::size_t>(k)] == i && a.val[static_cast<std::size_t>(k)] != 0;
    if (!found) return false;
  }
  return true;
}

template <class T>
struct judged_system {
  linear_system<T> system;
  std::vector<double> x;  ///< Eigen's
};

template <class T>
judged_system<T> judged(const csr<double>& a) {
  const csr<T> rounded = convert<T>(a.view());
  judged_system<T> out{{"", rounded, {}}, {}};
  const auto b = random_vector(a.rows, 7);
  out.system.b.assign(b.begin(), b.end());
  out.x = solve_by_lu(convert<double>(rounded.view()), widen(std::span<const T>(out.system.b)));
  EXPECT_FALSE(out.x.empty());
  return out;
}

class methods_of : public testing::TestWithParam<std::tuple<std::string, int>> {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }

  template <class T>
  void solve_everywhere(preconditioner p) {
    const auto& [method, number] = GetParam();
    const problem& of = problems()[static_cast<std::size_t>(number)];
    const csr<double> a = of.build();
    if (method == "minres" && !of.symmetric) GTEST_SKIP() << "not symmetric";
    if (p == preconditioner::jacobi && !has_full_diagonal(a))
      GTEST_SKIP() << "zeros on the diagonal";
    const judged_system<T> s = judged<T>(a);
    // What is left to rounding: in f32 ill-conditioned systems stop where they can.
    const double rtol = sizeof(T) == 8 ? 1e-9 : 2e-4;
    std::map<std::tuple<std::string, int, int, int>, std::vector<T>> bits;
    for (const std::string& executor : place::executors())
      for (const cut& how : place::few_cuts()) {
        SCOPED_TRACE(
            fmt::format("{} of {} under {}, {}", method, of.name, executor, describe(how)));
        solve_options o = with(executor, how, rtol, p);
        o.method = method;
        o.restart = 250;  // short cycles stagnate with indefinite matrices
        const solution<T> got = run(s.system, o);
        const solve_report& r = got.report;
        // Residuals of indefinite matrices jump beyond the digits of f32: it must say so.
        if (sizeof(T) == 4 && method == "bicgstab" && r.stopped == stop_reason::breakdown) {
          EXPECT_EQ(of.name, std::string("helmholtz"));
          EXPECT_NE(r.advice.find("f64"), std::string::npos);
          continue;
        }
        ASSERT_EQ(r.stopped, stop_reason::converged) << r.residual_relative_recursive;
        EXPECT_EQ(r.method, method);
        EXPECT_EQ(r.executor, executor);
        const double residual = residual_norm(s.system.a.view(), std::span<const T>(s.system.b),
                                              std::span<const T>(got.x)) /
                                norm2(widen(std::span<const T>(s.system.b)));
        EXPECT_NEAR(r.residual_relative_true, residual, 1e-6 * rtol + 1e-3 * residual);
        EXPECT_LE(residual, sizeof(T) == 8 ? 20 * rtol : 100 * rtol);
        if (sizeof(T) == 8) {
          double apart = 0, size = 0;
          for (std::size_t i = 0; i < s.x.size(); ++i) {
            apart += std::pow(static_cast<double>(got.x[i]) - s.x[i], 2);
            size += s.x[i] * s.x[i];
          }
          EXPECT_LE(std::sqrt(apart / size), 1e-4);
        }
        const auto [first, is_first] =
            bits.try_emplace({place::family(executor), how.teams, how.config, r.lanes}, got.x);
        if (!is_first) {
          EXPECT_TRUE(same_bits(first->second, got.x)) << "other bits than the same cut before";
        }
        if (HasFatalFailure()) return;
      }
  }
};

TEST_P(methods_of, f64) { solve_everywhere<double>(preconditioner::none); }
TEST_P(methods_of, f64_jacobi) { solve_everywhere<double>(preconditioner::jacobi); }
TEST_P(methods_of, f32) { solve_everywhere<float>(preconditioner::none); }

INSTANTIATE_TEST_SUITE_P(
    problems, methods_of,
    testing::Combine(testing::Values("minres", "bicgstab", "gmres"),
                     testing::Range(0, static_cast<int>(problems().size()))),
    [](const auto& info) {
      return std::get<0>(info.param) + "_" +
             problems()[static_cast<std::size_t>(std::get<1>(info.param))].name;
    });

class methods_here : public testing::Test {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }
  static linear_system<double> system_of(const csr<double>& a) {
    return {"", a, random_vector(a.rows, 7)};
  }
  static solve_options by(const std::string& method) {
    solve_options o;
    o.method = method;
    return o;
  }
};

TEST_F(methods_here, take_about_the_iterations_of_eigen) {
  for (const problem& of : problems()) {
    SCOPED_TRACE(of.name);
    const auto s = system_of(of.build());
    if (s.a.rows == 1) continue;
    if (of.symmetric) {
      const int theirs = eigen_iterations("minres", s.a, s.b, 1e-8, 5000);
      EXPECT_GT(theirs, 0);
      const auto got = run(s, by("minres"));
      EXPECT_NEAR(got.report.iterations, theirs, 0.03 * theirs + 3);
    }
    const int theirs = eigen_iterations("bicgstab", s.a, s.b, 1e-8, 5000);
    EXPECT_GT(theirs, 0);
    const auto got = run(s, by("bicgstab"));
    EXPECT_EQ(got.report.stopped, stop_reason::converged);
    // Rounding decides much of its count; half of it is the residual's jumps.
    EXPECT_LE(got.report.iterations, 1.5 * theirs + 10);
    for (const int restart : {20, 400}) {
      solve_options o = by("gmres");
      o.restart = restart;
      o.max_iterations = 5000;
      const auto found = run(s, o);
      if (found.report.stopped != stop_reason::converged) {  // nor does theirs
        EXPECT_EQ(restart, 20);
        EXPECT_EQ(eigen_iterations("gmres", s.a, s.b, 1e-8, found.report.iterations, restart), -1);
        continue;
      }
      EXPECT_NEAR(found.report.iterations, eigen_iterations("gmres", s.a, s.b, 1e-8, 5000, restart),
                  0.05 * found.report.iterations + restart / 20.0);
    }
  }
}

TEST_F(methods_here, record_each_residual_from_the_start_on) {
  for (const char* method : {"minres", "bicgstab", "gmres"})
    for (const auto p : {preconditioner::none, preconditioner::jacobi}) {
      SCOPED_TRACE(fmt::format("{}, {}", method, to_string(p)));
      const auto s = system_of(generate("helmholtz2d:31x23:1.2"));
      solve_options o = by(method);
      o.preconditioner = p;
      o.history = true;
      o.restart = 200;
      const auto start = random_vector(s.a.rows, 8);
      const auto got = run(s, o, start);
      const auto& h = got.report.history;
      ASSERT_EQ(h.size(), static_cast<std::size_t>(got.report.iterations) + 1);
      const double first =
          residual_norm(s.a.view(), std::span<const double>(s.b), std::span<const double>(start));
      EXPECT_NEAR(h.front(), first, 1e-9 * first);
      EXPECT_NEAR(h.back() / norm2(s.b), got.report.residual_relative_recursive, 1e-12);
      EXPECT_FALSE(got.report.residuals_disagree);
      if (method == std::string("gmres") ||
          (method == std::string("minres") && p == preconditioner::none))
        for (std::size_t k = 1; k < h.size(); ++k) {
          EXPECT_LE(h[k], h[k - 1] * (1 + 1e-12));
        }
      EXPECT_EQ(got.report.condition_estimate, 0) << "their coefficients show no spectrum";
    }
}

TEST_F(methods_here, stop_as_asked) {
  const auto s = system_of(generate("helmholtz2d:31x23:1.2"));
  for (const char* method : {"minres", "bicgstab", "gmres"})
    for (const std::string& executor : place::executors()) {
      SCOPED_TRACE(fmt::format("{} under {}", method, executor));
      solve_options o = by(method);
      o.executor = executor;
      o.max_iterations = 7;
      EXPECT_EQ(run(s, o).report.stopped, stop_reason::iteration_limit);
      EXPECT_EQ(run(s, o).report.iterations, 7);
      o.max_iterations = 0;
      EXPECT_EQ(run(s, o).report.iterations, 0);
      o.max_iterations = 3000;
      o.fixed_iterations = true;
      EXPECT_EQ(run(s, o).report.iterations, 3000) << "far past convergence";
      o.fixed_iterations = false;
      std::atomic<bool> now = true;
      o.interrupt = &now;
      EXPECT_EQ(run(s, o).report.stopped, stop_reason::interrupted);
      o.interrupt = nullptr;
      auto zero = s;
      zero.b.assign(zero.b.size(), 0.0);
      const auto got = run(zero, o);
      EXPECT_EQ(got.report.stopped, stop_reason::converged);
      EXPECT_EQ(got.report.iterations, 0);
    }
}

TEST_F(methods_here, break_down_by_name) {
  // (r, A r) = 0 for every r.
  const csr<double> turn{2, 2, {0, 1, 2}, {1, 0}, {1.0, -1.0}};
  const linear_system<double> s{"", turn, {1.0, 2.0}};
  EXPECT_EQ(run(s, by("bicgstab")).report.stopped, stop_reason::breakdown);
  // No x has A x = b, and none brings b nearer.
  const csr<double> flat{3, 3, {0, 1, 2, 3}, {0, 1, 2}, {0.0, 0.0, 0.0}};
  const linear_system<double> t{"", flat, {1.0, 1.0, 0.0}};
  EXPECT_EQ(run(t, by("minres")).report.stopped, stop_reason::breakdown);
  EXPECT_EQ(run(t, by("bicgstab")).report.stopped, stop_reason::breakdown);
  EXPECT_EQ(run(t, by("gmres")).report.stopped, stop_reason::breakdown);
  EXPECT_EQ(run(s, by("gmres")).report.stopped, stop_reason::converged) << "two steps are all";
  EXPECT_EQ(run(s, by("gmres")).report.iterations, 2);
  // The shadow vector loses the residual at the second step: it is replaced.
  const csr<double> swap{3, 3, {0, 2, 4, 5}, {0, 1, 0, 1, 2}, {1.0, 2.0, -2.0, 1.0, 3.0}};
  const linear_system<double> u{"", swap, {1.0, 0.0, 1.0}};
  EXPECT_EQ(run(u, by("bicgstab")).report.stopped, stop_reason::converged);
}

TEST_F(methods_here, of_a_singular_consistent_system) {
  // Neumann: row sums of zero, and a right-hand side without a constant part.
  csr<double> a = generate("poisson2d:20x20");
  for (index i = 0; i < a.rows; ++i) {
    double sum = 0;
    std::size_t diagonal = 0;
    for (auto k = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i) + 1]); ++k)
      if (a.col[k] == i)
        diagonal = k;
      else
        sum -= a.val[k];
    a.val[diagonal] = sum;
  }
  linear_system<double> s = system_of(a);
  double mean = 0;
  for (const double v : s.b) mean += v / a.rows;
  for (double& v : s.b) v -= mean;
  const auto got = run(s, by("minres"));
  EXPECT_EQ(got.report.stopped, stop_reason::converged);
  EXPECT_LT(got.report.residual_relative_true, 2e-8);
}

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

/// Under every executor and cut: the answer of a direct solution, and the same bits.
template <class T>
void precondition_by_products(const std::string& method) {
  const csr<double> a = generate(sanitized ? "poisson2d:25x22" : "poisson2d:41x37");
  const judged_system<T> s = judged<T>(a);
  const double rtol = sizeof(T) == 8 ? 1e-10 : 1e-5;
  std::map<std::tuple<std::string, int, int, int>, std::vector<T>> bits;
  for (const std::string& executor : place::executors())
    for (const cut& how : place::few_cuts()) {
      SCOPED_TRACE(fmt::format("{} under {}, {}", method, executor, describe(how)));
      solve_options o = with(executor, how, rtol, preconditioner::none);
      o.method = method;
      o.restart = 8;  // gmres: over the end of a cycle
      const int alone = run(s.system, o).report.iterations;
      o.preconditioner = preconditioner::amg;
      o.variant = "auto";
      solution<T> got;
      try {
        got = run(s.system, o);
      } catch (const unsupported_error& e) {  // a config without code for chains
        EXPECT_GE(how.config, 0) << e.what();
        continue;
      }
      EXPECT_EQ(got.report.stopped, stop_reason::converged);
      EXPECT_EQ(got.report.variant, method == "gmres" ? "textbook" : "preconditioned");
      EXPECT_LT(got.report.iterations, alone / 2);
      EXPECT_LE(got.report.residual_relative_true, 1.1 * rtol);
      double apart = 0, size = 0;
      for (std::size_t i = 0; i < s.x.size(); ++i) {
        apart += std::pow(static_cast<double>(got.x[i]) - s.x[i], 2);
        size += s.x[i] * s.x[i];
      }
      EXPECT_LE(std::sqrt(apart / size), 1e3 * rtol);
      const auto [first, is_first] = bits.try_emplace(
          {place::family(executor), how.teams, how.config, got.report.lanes}, got.x);
      if (!is_first) {
        EXPECT_TRUE(same_bits(first->second, got.x)) << "other bits than the same cut before";
      }
    }
}
TEST_F(methods_here, are_preconditioned_by_products) {
  for (const char* method : {"minres", "bicgstab", "gmres"}) {
    precondition_by_products<double>(method);
    precondition_by_products<float>(method);
  }
}

// Every preconditioner that is a chain, under every method that takes it.
TEST_F(methods_here, take_every_preconditioner_that_fits) {
  for (const char* matrix : {"poisson2d:41x37", "convection2d:40x30:20"})
    for (const method_description& method : methods()) {
      const auto s = system_of(generate(matrix));
      const bool symmetric = matrix == std::string("poisson2d:41x37");
      if (!symmetric && method.solves != matrix_class::general) continue;
      solve_options o = by(method.name);
      o.restart = 60;
      const int alone = run(s, o).report.iterations;
      for (const preconditioner_kind& kind : preconditioner_kinds()) {
        if (!kind.is_chain()) continue;
        SCOPED_TRACE(fmt::format("{} of {} with {}", method.name, matrix, kind.name));
        o.preconditioner = kind.is;
        o.preconditioning.block_size = 8;
        if (!kind.symmetric && method.solves != matrix_class::general) {
          EXPECT_NE(refusal<error>([&] {
                      (void)run(s, o);
                    }).find("expected method bicgstab or gmres, for it is not symmetric"),
                    std::string::npos);
          continue;
        }
        if (!symmetric && kind.of != matrix_class::general) {
          EXPECT_NE(refusal<error>([&] { (void)run(s, o); }).find("asks for it"),
                    std::string::npos);
          continue;
        }
        const auto got = run(s, o);
        EXPECT_EQ(got.report.stopped, stop_reason::converged);
        EXPECT_LT(got.report.residual_relative_true, 1.2e-8);
        EXPECT_LT(got.report.iterations, alone);
      }
    }
}

// Also of a start vector, and of numbers that f32 does not hold.
TEST_F(methods_here, are_preconditioned_whatever_the_scale) {
  for (const char* method : {"minres", "bicgstab", "gmres"})
    for (const double by_a : {1e-200, 1.0, 1e+180})
      for (const double by_b : {1e-90, 1e+90}) {
        SCOPED_TRACE(fmt::format("{}, {}, {}", method, by_a, by_b));
        linear_system<double> s = system_of(generate("poisson2d:23x19"));
        for (double& v : s.a.val) v *= by_a;
        for (double& v : s.b) v *= by_b;
        std::vector<double> start = random_vector(s.a.rows, 8);
        for (double& v : start) v *= by_b / by_a;
        solve_options o = by(method);
        o.preconditioner = preconditioner::amg;
        o.restart = 9;
        const auto got = run(s, o, start);
        EXPECT_EQ(got.report.stopped, stop_reason::converged);
        EXPECT_LE(got.report.residual_relative_true, 1.1e-8);
        EXPECT_LE(got.report.iterations, 40);
      }
}

TEST_F(methods_here, restart_as_asked) {
  const auto s = system_of(generate("convection2d:40x30:20"));
  int before = std::numeric_limits<int>::max();
  for (const int restart : {5, 20, 120}) {
    solve_options o = by("gmres");
    o.restart = restart;
    const auto got = run(s, o);
    EXPECT_EQ(got.report.stopped, stop_reason::converged);
    EXPECT_LT(got.report.iterations, before);
    EXPECT_FALSE(got.report.residuals_disagree);
    before = got.report.iterations;
  }
  // More basis vectors than rows are not made.
  const auto small = system_of(generate("poisson2d:3x3"));
  EXPECT_EQ(run(small, by("gmres")).report.stopped, stop_reason::converged);
}

TEST_F(methods_here, take_other_values_of_the_pattern) {
  const csr<double> a = generate("convection2d:25x20:10"),
                    other = generate("convection2d:25x20:90");
  const auto s = system_of(other);
  solve_options o = by("bicgstab");
  o.preconditioner = preconditioner::jacobi;
  linear_solver<double> solver(place::where(), a.view(), o);
  solver.update_values(std::span<const double>(other.val));
  std::vector<double> x(s.b.size(), 0.0);
  EXPECT_EQ(solver.solve(std::span<const double>(s.b), std::span<double>(x)).stopped,
            stop_reason::converged);
  EXPECT_TRUE(same_bits(x, run(s, o).x));
}

TEST_F(methods_here, say_what_they_do_not_solve) {
  const auto said = [&](const csr<double>& a, const solve_options& o) {
    return refusal<error>([&] { (void)run(system_of(a), o); });
  };
  const csr<double> unsymmetric = generate("convection2d:9x9:5");
  EXPECT_NE(said(unsymmetric, by("cg")).find("method bicgstab does not need symmetry"),
            std::string::npos);
  EXPECT_NE(said(unsymmetric, by("minres")).find("expected a symmetric one"), std::string::npos);
  EXPECT_NE(said(saddle_point(true), by("cg")).find("method minres does not need it"),
            std::string::npos);
  EXPECT_NE(
      said(unsymmetric, by("gauss")).find("expected a method (auto, cg, minres, bicgstab, gmres)"),
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
