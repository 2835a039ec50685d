// SPDX-License-Identifier: MIT
// The count of the fill against elimination of whole rows, and advice of a direct solver.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "direct_systems.hpp"

#include "dwell/linear/explain.hpp"
#include "dwell/solvers/linear/direct/fill.hpp"

namespace dwell::test {
namespace {

/// By elimination of whole rows.
factor_fill fill_by_elimination(const csr<double>& a, const std::vector<index>& order) {
  const std::size_t n = order.size();
  std::vector<std::size_t> number(n);
  for (std::size_t k = 0; k < n; ++k) number[place(order[k])] = k;
  std::vector<std::set<std::size_t>> below(n);
  for (index i = 0; i < a.rows; ++i)
    for (index k = a.row_ptr[place(i)]; k < a.row_ptr[place(i) + 1]; ++k) {
      const std::size_t p = number[place(i)], q = number[place(a.col[place(k)])];
      if (p != q) below[std::min(p, q)].insert(std::max(p, q));
    }
  factor_fill out;
  for (std::size_t k = 0; k < n; ++k) {
    const double count = 1.0 + static_cast<double>(below[k].size());
    out.nonzeros += count;
    out.flops += count * count;
    for (const std::size_t i : below[k])
      for (const std::size_t j : below[k])
        if (j > i) below[i].insert(j);
  }
  return out;
}

TEST_F(direct, counts_the_fill_in_any_order) {
  std::mt19937 engine(77);
  for (int round = 0; round < 200; ++round) {
    const auto n = static_cast<index>(1 + engine() % 60);
    const csr<double> a =
        random_matrix(engine, n, round % 2 ? shape::definite : shape::unsymmetric);
    const row_pattern pattern{a.rows, a.row_ptr.data(), a.col.data()};
    EXPECT_EQ(has_mirrors(pattern), round % 2 == 1 || n == 1 || a.nonzeros() == n) << round;
    const owned_pattern both = with_mirrors(pattern);
    EXPECT_TRUE(has_mirrors(both.view()));
    const std::vector<index> order = random_order(engine, n);
    const factor_fill counted = fill_of(both.view(), order), wanted = fill_by_elimination(a, order);
    EXPECT_EQ(counted.nonzeros, wanted.nonzeros) << round;
    EXPECT_EQ(counted.flops, wanted.flops) << round;
  }
}

TEST_F(direct, is_explained_by_its_fill) {
  const csr<double> a = generate("poisson2d:40x40");
  const solve_explanation e = explain(a.view(), device::cpu(1).facts(), {});
  ASSERT_TRUE(e.direct.known) << e.direct.words;
  EXPECT_TRUE(e.direct.symmetric);
  const auto got = solved(a, std::vector<double>(1600, 1.0));
  EXPECT_EQ(e.direct.nonzeros, static_cast<double>(got.report.factor_nonzeros));
  EXPECT_FALSE(
      explain(generate("poisson2d:300x200").view(), device::cpu(1).facts(), {}).direct.known);
}

TEST_F(direct, is_advised_where_iterations_failed) {
  const csr<double> a = generate("helmholtz2d:60x60:1.2");
  const std::vector<double> b = random_vector(a.rows, 4);
  solve_options o = plain_options();
  o.method = "minres";
  o.max_iterations = 600;
  o.rtol = 1e-14;
  const auto failed = solved(a, b, o).report;
  ASSERT_NE(failed.stopped, stop_reason::converged);
  if (failed.stopped == stop_reason::iteration_limit) {
    EXPECT_NE(failed.advice.find("method direct"), std::string::npos) << failed.advice;
  }
  o.max_iterations = 20;  // which takes less time than a count
  EXPECT_EQ(solved(a, b, o).report.advice.find("method direct"), std::string::npos);
}

}  // namespace
}  // namespace dwell::test
