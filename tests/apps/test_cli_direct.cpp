// SPDX-License-Identifier: MIT
// `dwell solve --solver direct` from outside: reports, refusals and exit codes; and its advice.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cli_runner.hpp"
#include "dwell/linear/solve.hpp"

namespace dwell::test {
namespace {

class cli_direct : public testing::Test {
 protected:
  void SetUp() override {
    if (dwell::methods().back().iterative) GTEST_SKIP() << "this program was built without Eigen";
  }
};

TEST_F(cli_direct, reports_its_factors) {
  const auto r = dwell_cli({"solve", "helmholtz2d:20x20:1.2", "--solver", "direct"});
  EXPECT_EQ(r.code, 0) << r.err;
  for (const auto* part : {"sparse direct solver", "eigen on 1 thread", "ldlt", "factors",
                           "converged after 1 iteration", "analyse", "factor "})
    EXPECT_TRUE(holds(r.out, part)) << part;
  const auto j =
      dwell_cli({"solve", "convection2d:20x20:9", "--solver", "direct", "--json", "-"}).json();
  EXPECT_EQ(j.at("solver"), "direct");
  EXPECT_EQ(j.at("variant"), "lu");
  EXPECT_GT(j.at("factors").at("nonzeros").get<int>(), 400);
  EXPECT_GT(j.at("time").at("setup").at("factor_s").get<double>(), 0);
  const auto cg = dwell_cli({"solve", "poisson2d:9x9", "--json", "-"}).json();
  EXPECT_TRUE(cg.at("factors").at("nonzeros").is_null());
}

TEST_F(cli_direct, ends_with_the_codes_of_all_solves) {
  const scratch_folder in;
  const auto singular = in.write("singular.mtx", two_by_two(1, 1, 1));
  const auto refused = dwell_cli({"solve", singular, "--rhs", "ones", "--solver", "direct"});
  EXPECT_EQ(refused.code, 3);
  EXPECT_TRUE(holds(refused.err, "the matrix is singular")) << refused.err;
  EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
  EXPECT_EQ(
      dwell_cli({"solve", "poisson2d:9x9", "--solver", "direct", "--max-iterations", "0"}).code, 2);
  for (const std::vector<std::string>& flags :
       {std::vector<std::string>{"--executor", "persistent"},
        {"--preconditioner", "jacobi"},
        {"--precision", "mixed"},
        {"--null-space", "constant"},
        {"--policy", "greedy"},
        {"--ranks", "2"}}) {
    std::vector<std::string> all = {"solve", "poisson2d:9x9", "--solver", "direct"};
    all.insert(all.end(), flags.begin(), flags.end());
    const auto r = dwell_cli(all);
    EXPECT_EQ(r.code, 1) << flags.front();
    EXPECT_TRUE(holds(r.err, "direct")) << r.err;
  }
  EXPECT_EQ(dwell_cli({"explain", "solve", "poisson2d:9x9", "--solver", "direct"}).code, 1);
}

TEST_F(cli_direct, is_explained) {
  const auto j =
      dwell_cli({"explain", "solve", "poisson2d:30x30", "--device", "cpu", "--json", "-"}).json();
  EXPECT_GT(j.at("direct").at("factors").at("nonzeros").get<int>(), 900);
  EXPECT_TRUE(j.at("direct").at("sooner").is_boolean());
  const auto large =
      dwell_cli({"explain", "solve", "poisson2d:300x200", "--device", "cpu", "--json", "-"}).json();
  EXPECT_TRUE(large.at("direct").at("factors").at("nonzeros").is_null());
}

}  // namespace
}  // namespace dwell::test
