// SPDX-License-Identifier: MIT
// dwell explain grid: levels, where they live, what a GPU that is not here would do.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli_runner.hpp"

namespace dwell::test {
namespace {

using words = std::vector<std::string>;

TEST(cli_explain_grid, levels_and_where_they_live) {
  const auto r = dwell_cli({"explain", "grid", "1000x1000", "--threads", "2"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(holds(r.out, "Gauss-Seidel in 2 colours"));
  EXPECT_TRUE(holds(r.out, "Cholesky factor"));
  const auto j = report_of({"explain", "grid", "64x100", "--boundary", "x: periodic", "--k-axes",
                            "1,0.001", "--device", "cpu", "--json", "-"});
  EXPECT_EQ(j.at("document"), "explain grid");
  EXPECT_EQ(j.at("levels").at(0).at("size"), "64x100");
  EXPECT_EQ(j.at("levels").at(0).at("halved"), "y");
  EXPECT_EQ(j.at("levels").at(1).at("size"), "32x100");
  std::uint64_t bytes = 0;
  for (const auto& l : j.at("levels")) bytes += l.at("bytes_per_cycle").get<std::uint64_t>();
  EXPECT_EQ(j.at("cycle_bytes"), bytes);
  // The levels are those that a solve has.
  const auto solved = report_of(
      {"grid", "64x100", "--boundary", "x: periodic", "--k-axes", "1,0.001", "--json", "-"});
  ASSERT_EQ(solved.at("levels").size(), j.at("levels").size());
  for (std::size_t k = 0; k < solved.at("levels").size(); ++k)
    EXPECT_EQ(solved.at("levels").at(k).at("size"), j.at("levels").at(k).at("size"));
  EXPECT_EQ(solved.at("cycle"), j.at("cycle"));
  expect_refused({"explain", "grid", "30x30", "--k", "0"}, "k: expected a number > 0");
}

TEST(cli_explain_grid, a_gpu_that_is_not_here) {
  const auto r = dwell_cli({"explain", "grid", "1000x1000", "--device-facts", "h200"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(holds(r.out, "a block for each multiprocessor"));
  EXPECT_TRUE(holds(r.out, "barriers, nothing else"));
  double before = 0;
  for (const char* size : {"100x100", "500x500", "1000x1000", "2000x2000", "6000x6000"}) {
    const auto j = report_of({"explain", "grid", size, "--device-facts", "h200", "--json", "-"});
    EXPECT_GT(j.at("least_s").get<double>(), before) << "a larger grid takes longer";
    before = j.at("least_s").get<double>();
    EXPECT_GT(j.at("barriers").get<int>(), 10);
    const auto& levels = j.at("levels");
    EXPECT_EQ(levels.back().at("solved_by"), "its inverse");
    EXPECT_EQ(levels.back().at("lives_in"), "last-level cache");
    EXPECT_EQ(levels.at(0).at("threads"), j.at("device").at("units"));
    // Levels are those of a CPU, where nothing jumps.
    const auto c = report_of({"explain", "grid", size, "--json", "-"});
    EXPECT_TRUE(c.at("least_s").is_null());
    ASSERT_EQ(levels.size(), c.at("levels").size());
    for (std::size_t k = 0; k < levels.size(); ++k)
      EXPECT_EQ(levels.at(k).at("size"), c.at("levels").at(k).at("size"));
  }
  const auto large =
      report_of({"explain", "grid", "6000x6000", "--device-facts", "h200", "--json", "-"});
  EXPECT_EQ(large.at("levels").at(0).at("lives_in"), "memory");
  // Two applications of the preconditioner in place of one.
  const auto barriers = [](const char* method) {
    return report_of({"explain", "grid", "200x200", "--method", method, "--device-facts", "h200",
                      "--json", "-"})
        .at("barriers")
        .get<int>();
  };
  EXPECT_GT(barriers("bicgstab"), barriers("minres") + 20);
  EXPECT_GT(barriers("chebyshev"), barriers("multigrid"));
}

TEST(cli_explain_grid, a_start_by_full_multigrid_on_a_gpu) {
  const auto of = [](words more) {
    words args{"explain", "grid", "1000x1000", "--device-facts", "h200", "--json", "-"};
    args.insert(args.end(), more.begin(), more.end());
    return report_of(args);
  };
  const auto plain = of({}), full = of({"--full-multigrid"});
  EXPECT_EQ(full.at("cycle"), plain.at("cycle").get<std::string>() + "; full multigrid first");
  EXPECT_EQ(plain.at("start_barriers"), 0);
  EXPECT_EQ(plain.at("start_least_s"), 0);
  EXPECT_EQ(full.at("barriers"), plain.at("barriers"));
  EXPECT_EQ(full.at("least_s"), plain.at("least_s"));
  // A cycle on each level: more than one on the finest.
  EXPECT_GT(full.at("start_barriers").get<int>(), 2 * full.at("barriers").get<int>());
  EXPECT_GT(full.at("start_least_s").get<double>(), full.at("least_s").get<double>());
  EXPECT_GT(of({"--full-multigrid", "--cycle", "w"}).at("start_barriers"),
            full.at("start_barriers"));
  const auto r =
      dwell_cli({"explain", "grid", "300x300", "--full-multigrid", "--device-facts", "h200"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(holds(r.out, "full multigrid before them")) << r.out;
  EXPECT_TRUE(report_of({"explain", "grid", "30x30", "--full-multigrid", "--json", "-"})
                  .at("start_barriers")
                  .is_null());
}

/// No vectors are made: grids are explained that a solve on this host would have no memory for.
TEST(cli_explain_grid, large_grids_of_a_gpu) {
  const auto j = report_of({"explain", "grid", "46340x46340", "--precision", "f32",
                            "--device-facts", "h200", "--json", "-"});
  EXPECT_EQ(j.at("levels").at(0).at("size"), "46340x46340");
  expect_refused({"explain", "grid", "46341x46341", "--device-facts", "h200"},
                 "expected fewer than 2^31 unknowns on a GPU, found 2147488281");
}

/// A finest level that is small: one block takes all steps between the phases of all blocks, with a
/// barrier behind them; its last two relaxations have one each.
TEST(cli_explain_grid, barriers_of_a_gpu_where_one_block_has_all_levels) {
  const auto of = [](const char* method) {
    return report_of(
        {"explain", "grid", "30x30", "--method", method, "--device-facts", "h200", "--json", "-"});
  };
  const auto j = of("cg");
  EXPECT_EQ(j.at("barriers"), 1 + 2 + 2) << "behind A p and r, too";
  EXPECT_EQ(of("minres").at("barriers"), 1 + 2 + 2 + 5) << "before the cycle and behind it, five";
  const auto& levels = j.at("levels");
  EXPECT_EQ(levels.at(0).at("threads"), j.at("device").at("units"));
  for (std::size_t k = 1; k < levels.size(); ++k) EXPECT_EQ(levels.at(k).at("threads"), 1);
}

}  // namespace
}  // namespace dwell::test
