// SPDX-License-Identifier: MIT
// The variants of CG with fewer barriers: the answers of the textbook's, the iterations of Eigen's,
// the same bits from every executor and policy, and on ill-conditioned real matrices the true
// residual that the textbook's variant reaches.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "cg_runner.hpp"
#include "dwell/base/error.hpp"
#include "dwell/base/policy_words.hpp"
#include "dwell/formats/matrix_market.hpp"
#include "dwell/solvers/linear/choose/variant.hpp"
#include "plain_options.hpp"
#include "real_matrices.hpp"

namespace dwell::test {
namespace {

class cg_variants : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }

  template <class T>
  void solve_everywhere(preconditioner p) {
    const linear_system<T> s = make_system<T>(battery_at(GetParam()));
    const expectation expected = expect_of(s, p);
    for (const std::string& variant : other_variants()) {
      std::map<std::tuple<std::string, int, int, int>, std::vector<T>> bits;
      std::map<std::string, int> variants, compared;  // by family
      const auto one = [&](solve_options o, const std::string& policy) {
        SCOPED_TRACE(fmt::format("{}: {} under {}, policy {}, teams {}, config {}{}", GetParam(),
                                 variant, o.executor, policy, o.teams, o.config,
                                 o.reverse_lanes ? ", lanes reversed" : ""));
        o.variant = variant;
        o.policy = policy;
        o.max_iterations = expected.max_iterations;
        const auto got = run(s, o);
        EXPECT_EQ(got.report.variant, variant);
        // What such a variant carries along may cost it steps that Eigen does not need.
        expectation here = expected;
        if (find_variant("cg", variant).needs_residual_replacement) here.eigen_iterations = -1;
        check_solution(s, here, got);
        if (expected.eigen_iterations >= 0) {
          EXPECT_LE(got.report.iterations, 1.05 * expected.eigen_iterations + 2);
        }
        // Plans may choose configs of other lanes, and so another cut.
        const std::string family = place::family(o.executor);
        const auto [first, is_first] =
            bits.try_emplace({family, o.teams, o.config, got.report.lanes}, got.x);
        if (is_first) return;
        ++compared[family];
        EXPECT_TRUE(same_bits(first->second, got.x)) << "other bits than the same cut before";
      };
      for (const std::string& executor : place::executors()) {
        const std::string family = place::family(executor);
        const auto policies = family == "plain"
                                  ? std::vector<const char*>{"auto"}
                                  : std::vector<const char*>{"none", "vectors", "matrix", "greedy"};
        variants[family] += static_cast<int>(policies.size());
        for (const cut& how : place::few_cuts()) {
          for (const char* policy : policies) one(with(executor, how, expected.rtol, p), policy);
          if (HasFatalFailure()) return;
        }
      }
      for (const auto& [family, count] : variants) {
        if (count == 1) continue;
        EXPECT_GT(compared[family], 0) << family << ": no two runs had the same cut";
      }
    }
  }
};

TEST_P(cg_variants, f64) { solve_everywhere<double>(preconditioner::none); }
TEST_P(cg_variants, f64_jacobi) { solve_everywhere<double>(preconditioner::jacobi); }
TEST_P(cg_variants, f32_jacobi) { solve_everywhere<float>(preconditioner::jacobi); }

std::vector<std::string> names_for_variants() {
  if (sanitized) return {"one_by_one", "five_rows", "arrow_first", "tile_513"};
  return names_of_battery();
}
INSTANTIATE_TEST_SUITE_P(battery, cg_variants, testing::ValuesIn(names_for_variants()),
                         [](const auto& info) { return info.param; });

TEST(cg_variant_names, unknown_is_refused_with_the_list) {
  DWELL_SKIP_IF_ABSENT();
  const auto s = make_system<double>(battery_at("five_rows"));
  solve_options o = plain_options();
  o.variant = "s-step";
  try {
    (void)run(s, o);
    ADD_FAILURE() << "variant 's-step' was accepted";
  } catch (const input_error& e) {
    const std::string message = e.what();
    std::vector<std::string> names = after_auto(dwell::variants_of("cg"));
    names.emplace_back("s-step");
    for (const std::string& name : names)
      EXPECT_NE(message.find(name), std::string::npos) << name << ": " << message;
  }
}

/// Ill-conditioned systems from SuiteSparse: as far down as the textbook's variant comes.
class ill_conditioned : public testing::TestWithParam<std::string> {};

TEST_P(ill_conditioned, as_accurate_as_the_textbook) {
  DWELL_SKIP_IF_ABSENT();
  const auto all = indexed_matrices();
  if (all.empty()) GTEST_SKIP() << why_no_matrices();
  const auto known =
      std::find_if(all.begin(), all.end(), [](const auto& m) { return m.name == GetParam(); });
  ASSERT_NE(known, all.end());
  if (sanitized && known->name != "nos5") GTEST_SKIP() << "too long under a sanitizer";
  linear_system<double> s{known->name, read_matrix_market(known->file).matrix, {}};
  s.b = row_sums(s.a.view());
  for (const auto p : {preconditioner::none, preconditioner::jacobi})
    for (const double rtol : {1e-6, 1e-10}) {
      solve_options o = plain_options();
      o.executor = "persistent";
      o.preconditioner = p;
      o.rtol = rtol;
      o.max_iterations = 30000;
      o.variant = textbook();
      const auto reference = run(s, o);
      for (const std::string& variant : other_variants()) {
        o.variant = variant;
        const auto got = run(s, o);
        SCOPED_TRACE(fmt::format(
            "{}, {}, rtol {}: {} iterations, true residual {:.2g}; textbook "
            "{}, {:.2g}",
            variant, to_string(p), rtol, got.report.iterations, got.report.residual_relative_true,
            reference.report.iterations, reference.report.residual_relative_true));
        check_report(s, got);
        if (reference.report.stopped != stop_reason::converged) continue;
        EXPECT_EQ(got.report.stopped, stop_reason::converged);
        EXPECT_LE(got.report.residual_relative_true,
                  std::max(1.01 * rtol, 4 * reference.report.residual_relative_true));
        EXPECT_LE(got.report.iterations, 1.5 * reference.report.iterations + 20);
      }
    }
}

INSTANTIATE_TEST_SUITE_P(suitesparse, ill_conditioned,
                         testing::Values("bcsstk16", "nos5", "s1rmq4m1", "gyro_m", "nos1", "nos7",
                                         "bcsstk14", "nasa1824", "494_bus", "1138_bus"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace dwell::test
