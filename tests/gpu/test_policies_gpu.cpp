// SPDX-License-Identifier: MIT
// Policy auto beside policy measured on the first GPU. Times are printed, not judged: that is the
// business of `dwell compare cg --policies auto,measured`. Both must solve, and alike.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cg_runner.hpp"
#include "dwell/datasets/generators.hpp"
#include "plain_options.hpp"

namespace dwell::test {
namespace {

class auto_beside_measured : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }
};

TEST_P(auto_beside_measured, both_solve) {
  linear_system<double> s{GetParam(), generate(GetParam()), {}};
  s.b = row_sums(s.a.view());
  solve_options o = plain_options();
  o.executor = "perks";
  o.rtol = 1e-8;
  o.max_iterations = 20000;
  solution<double> by[2];
  const char* policies[] = {"auto", "measured"};
  for (int k = 0; k < 2; ++k) {
    o.policy = policies[k];
    by[k] = run(s, o);
    check_report(s, by[k]);
    EXPECT_EQ(by[k].report.stopped, stop_reason::converged) << policies[k];
    EXPECT_LE(by[k].report.residual_relative_true, 2e-8) << policies[k];
  }
  EXPECT_EQ(by[1].report.policy, "measured");
  if (by[0].report.lanes == by[1].report.lanes) {
    EXPECT_TRUE(same_bits(by[0].x, by[1].x)) << "one cut, whatever is kept";
  }
  fmt::print("{}: auto {:.2f} us ({}), measured {:.2f} us ({}): {:.2f}\n", s.name,
             by[0].report.per_iteration_us, by[0].report.policy_chosen,
             by[1].report.per_iteration_us, by[1].report.policy_chosen,
             by[0].report.per_iteration_us / by[1].report.per_iteration_us);
}

INSTANTIATE_TEST_SUITE_P(systems, auto_beside_measured,
                         testing::Values("trefethen:2000", "poisson2d:300x300",
                                         "poisson2d:1000x1000", "poisson3d:60x60x60"),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name)
                             if (c == ':') c = '_';
                           return name;
                         });

}  // namespace
}  // namespace dwell::test
