// SPDX-License-Identifier: MIT
// Real matrices from SuiteSparse: plain CG takes the iterations that INDEX.md says, within 3 %, or
// within 10 % where the count is above 3000 and rounding decides; executors agree bit for bit.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cg_runner.hpp"
#include "dwell/formats/matrix_market.hpp"
#include "real_matrices.hpp"

namespace dwell::test {
namespace {

class real_matrices : public testing::TestWithParam<std::string> {};

const std::vector<indexed_matrix>& all() {
  static const std::vector<indexed_matrix> matrices = indexed_matrices();
  return matrices;
}

TEST_P(real_matrices, converge_at_the_known_count) {
  DWELL_SKIP_IF_ABSENT();
  if (all().empty()) GTEST_SKIP() << why_no_matrices();
  const auto known =
      std::find_if(all().begin(), all().end(), [](const auto& m) { return m.name == GetParam(); });
  ASSERT_NE(known, all().end());
  const double work =
      static_cast<double>(*known->iterations) * static_cast<double>(known->nonzeros);
  if (sanitized && work > 3e6) GTEST_SKIP() << "too long under a sanitizer";

  linear_system<double> s{known->name, read_matrix_market(known->file).matrix, {}};
  ASSERT_EQ(s.a.rows, known->rows);
  ASSERT_EQ(s.a.nonzeros(), known->nonzeros + known->explicit_zeros);
  s.b = row_sums(s.a.view());

  cg_options options;
  options.rtol = 1e-6;
  const auto check_count = [&](const solution<double>& got) {
    SCOPED_TRACE(got.report.executor);
    check_report(s, got);
    ASSERT_EQ(got.report.stopped, stop_reason::converged) << to_string(got.report.stopped);
    EXPECT_LE(got.report.residual_relative_recursive, 1e-6);
    EXPECT_LE(got.report.residual_relative_true, 2e-6);
    const int expected = *known->iterations;
    const double slack = std::max(2.0, (expected > 3000 ? 0.10 : 0.03) * expected);
    EXPECT_LE(std::abs(got.report.iterations - expected), slack)
        << got.report.iterations << " iterations, INDEX.md says " << expected;
    RecordProperty(got.report.executor + "_iterations", got.report.iterations);
  };
  // The long ones once, the others under every executor with the same cut.
  constexpr double long_work = 4e8;
  if (work > long_work) {
    options.max_iterations = 20000;
    return check_count(run(s, options));
  }
  std::vector<double> first;
  for (const std::string& executor : place::executors()) {
    options.executor = executor;
    options.teams = place::few_cuts()[1].teams;
    const auto got = run(s, options);
    check_count(got);
    if (first.empty()) first = got.x;
    EXPECT_TRUE(same_bits(first, got.x)) << executor;
  }
}

std::vector<std::string> names() {
  std::vector<std::string> usable;
  for (const auto& m : all())
    if (m.iterations) usable.push_back(m.name);
  if (usable.empty()) usable.emplace_back("none_at_hand");  // one test that skips and says why
  return usable;
}
INSTANTIATE_TEST_SUITE_P(suitesparse, real_matrices, testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace dwell::test
