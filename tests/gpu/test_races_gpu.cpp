// SPDX-License-Identifier: MIT
// Tiny solves by few blocks, for compute-sanitizer's racecheck, which instruments every access to
// shared memory and so cannot wait for many blocks that spin (--gtest_filter=*Races*, and memcheck
// too). Every config of perks, form of the iteration and policy; in a grid and in a cluster.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cg_runner.hpp"

namespace dwell::test {
namespace {

class Races : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }

  /// Two systems, one of them preconditioned, take both code paths of every phase.
  void solve_with_every_policy(bool in_cluster) {
    solve_with_every_policy(in_cluster, "five_rows", preconditioner::none);
    solve_with_every_policy(in_cluster, "seventeen_dense", preconditioner::jacobi);
  }

 private:
  /// Among the configs for plans that cache everything the first needs a cluster, and the last far
  /// columns, which these systems do not have; none takes the pairs of vectors of pipelined.
  bool runs_whole(bool in_cluster, int config) const {
    return GetParam() != std::string("pipelined") && config < place::all_perks_configs() - 1 &&
           (in_cluster || config > place::perks_configs());
  }
  void solve_with_every_policy(bool in_cluster, const char* name, preconditioner p) {
    const linear_system<double> s = make_system<double>(battery_at(name));
    for (int config = 0; config < place::all_perks_configs(); ++config) {
      const bool whole = config >= place::perks_configs();
      if (whole && !runs_whole(in_cluster, config)) continue;
      std::vector<double> first;
      for (const char* policy : {"none", "vectors", "matrix", "mixed", "greedy"}) {
        if (whole && policy != std::string("greedy")) continue;
        SCOPED_TRACE(fmt::format("{}, config {}, policy {}", name, config, policy));
        solve_options o = with("perks", {3, 0, false}, 0, p);
        o.config = config;
        o.variant = GetParam();
        o.policy = policy;
        o.clusters = in_cluster;
        o.max_iterations = 3;
        const auto got = run(s, o);
        check_report(s, got);
        EXPECT_EQ(got.report.reason.find("as one cluster") != std::string::npos, in_cluster);
        if (first.empty()) first = got.x;
        EXPECT_TRUE(same_bits(first, got.x)) << "other bits than policy none";
      }
    }
  }
};
TEST_P(Races, in_a_grid) { solve_with_every_policy(false); }
TEST_P(Races, in_a_cluster) { solve_with_every_policy(true); }
INSTANTIATE_TEST_SUITE_P(variants, Races,
                         testing::Values("textbook", "single-reduction", "pipelined"),
                         [](const auto& info) {
                           const std::string name = info.param;
                           return name.substr(0, name.find('-'));
                         });

}  // namespace
}  // namespace dwell::test
