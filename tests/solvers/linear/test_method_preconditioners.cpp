// SPDX-License-Identifier: MIT
// Methods with preconditioners that are sequences of products: answers, iteration counts, the same
// bits from every executor, at any scale. Linked again into the tests of a GPU.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "cg_runner.hpp"
#include "dwell/solvers/preconditioners/list.hpp"
#include "method_problems.hpp"
#include "refusal.hpp"

namespace dwell::test {
namespace {

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
      } catch (const unsupported_error& e) {  // a config without code for sequences
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

// Every preconditioner that is a sequence, under every method that takes it.
TEST_F(methods_here, take_every_preconditioner_that_fits) {
  for (const char* matrix : {"poisson2d:41x37", "convection2d:40x30:20"})
    for (const method_description& method : iterative_methods()) {
      const auto s = system_of(generate(matrix));
      const bool symmetric = matrix == std::string("poisson2d:41x37");
      if (!symmetric && method.solves != matrix_class::general) continue;
      solve_options o = by(method.name);
      o.restart = 60;
      const int alone = run(s, o).report.iterations;
      for (const preconditioner_kind& kind : preconditioner_kinds()) {
        if (!kind.is_sequence()) continue;
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
        if (kind.on_cpus_alone && place::on() == backend::cuda) {
          EXPECT_NE(refusal<error>([&] { (void)run(s, o); }).find("expected a CPU"),
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

}  // namespace
}  // namespace dwell::test
