// SPDX-License-Identifier: MIT
// `dwell compare cg` and `dwell compare stencil` with --ranks: rows beside those of one process,
// and what is refused.
#include <gtest/gtest.h>

#include "cli_comparison.hpp"

namespace dwell::test {
namespace {

using nlohmann::json;

std::vector<json> rows_of_ranks(const json& subject) {
  std::vector<json> rows;
  for (const json& run : subject.at("runs"))
    if (!run.at("ranks").is_null()) rows.push_back(run);
  return rows;
}

TEST(cli_compare_ranks, have_rows_beside_the_executors) {
  const auto r = dwell_cli(compare({"trefethen:200", "poisson2d:30x30", "--executors", "persistent",
                                    "--no-peers", "--ranks", "1,3,2", "--format", "json"}));
  ASSERT_EQ(r.code, 0) << r.err;
  const json j = r.json();
  EXPECT_EQ(j.at("partition"), "rows");
  for (const json& matrix : j.at("matrices")) {
    ASSERT_EQ(matrix.at("runs").size(), 5u);
    const json& first = matrix.at("runs").at(0);
    EXPECT_TRUE(first.at("ranks").is_null());
    const auto rows = rows_of_ranks(matrix);
    ASSERT_EQ(rows.size(), 3u);
    for (std::size_t k = 0; k < 3; ++k) {
      const json& row = rows[k];
      EXPECT_EQ(row.at("ranks"), std::vector<int>({1, 3, 2})[k]);
      EXPECT_EQ(row.at("outcome"), "measured");
      EXPECT_EQ(row.at("requested").at("executor"), "auto");
      EXPECT_EQ(row.at("executor"), "host-loop");
      EXPECT_EQ(row.at("iterations"), 20);
      const json& us = row.at("time").at("per_iteration_us");
      EXPECT_EQ(us.at("all").size(), 3u);
      EXPECT_GT(us.at("min"), 0.0);
      EXPECT_NEAR(row.at("time").at("solve_s").get<double>(), 20e-6 * us.at("median").get<double>(),
                  1e-12);
      EXPECT_NEAR(row.at("speed_up").get<double>(),
                  first.at("time").at("per_iteration_us").at("median").get<double>() /
                      us.at("median").get<double>(),
                  1e-9);
      EXPECT_NEAR(row.at("residual").at("relative_true").get<double>() /
                      first.at("residual").at("relative_true").get<double>(),
                  1, 1e-6);
    }
    EXPECT_EQ(rows[0].at("residual").at("relative_true"), first.at("residual").at("relative_true"))
        << "one rank has the bits of the baseline";
  }
}

TEST(cli_compare_ranks, solve_to_a_tolerance_by_multigrid_in_f32) {
  const auto r = dwell_cli(
      compare({"poisson2d:40x30", "--rtol", "1e-4", "--precision", "f32", "--preconditioner", "amg",
               "--executors", "host-loop", "--no-peers", "--ranks", "2", "--format", "json"}));
  ASSERT_EQ(r.code, 0) << r.err;
  const auto rows = rows_of_ranks(r.json().at("matrices").at(0));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].at("stop_reason"), "converged");
  EXPECT_EQ(rows[0].at("variant"), "preconditioned");
  EXPECT_LE(rows[0].at("residual").at("relative_true").get<double>(), 1.1e-4);
}

TEST(cli_compare_ranks, are_told_apart_in_the_tables) {
  const auto r = dwell_cli(compare({"trefethen:200", "trefethen:100", "--executors", "host-loop",
                                    "--no-peers", "--ranks", "1,2"}));
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(holds(r.out, "auto (host-loop)")) << r.out;
  EXPECT_TRUE(holds(r.out, "host-loop, 2 ranks")) << r.out;
  EXPECT_TRUE(holds(r.out, "ranks: threads of this process")) << r.out;
  const auto without =
      dwell_cli(compare({"trefethen:200", "--executors", "host-loop", "--no-peers"}));
  EXPECT_EQ(without.out.find("ranks"), std::string::npos) << without.out;
}

TEST(cli_compare_ranks, refuse_what_has_no_meaning) {
  const auto says = [](const strings& more, const char* what) {
    const auto r = dwell_cli(compare(more));
    EXPECT_EQ(r.code, 1) << r.err;
    EXPECT_TRUE(holds(r.err, what)) << r.err;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
  };
  says({"trefethen:20", "--ranks", "0"}, "--ranks: expected a whole number from 1");
  says({"trefethen:20", "--ranks", "1,x"}, "--ranks: expected a whole number from 1");
  says({"trefethen:20", "--ranks", "2,2"}, "--ranks: expected each number once");
  says({"trefethen:20", "--ranks", "2", "--rhs-count", "2"}, "--rhs-count: not with --ranks");
  says({"trefethen:20", "--partition", "metis"}, "--partition: expected --ranks with it");
}

// Fewer cells than ranks: the row says so.
TEST(cli_compare_ranks, say_what_cannot_be_divided) {
  const auto r = dwell_cli({"compare", "stencil", "2d5pt", "--size", "3x5", "--steps", "3",
                            "--device", "cpu", "--repetitions", "1", "--executors", "host-loop",
                            "--ranks", "2,20", "--format", "json"});
  ASSERT_EQ(r.code, 0) << r.err;
  const auto rows = rows_of_ranks(r.json().at("stencils").at(0));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].at("outcome"), "measured");
  EXPECT_EQ(rows[0].at("same_bits"), true);
  EXPECT_EQ(rows[1].at("outcome"), "unsupported");
  EXPECT_TRUE(holds(rows[1].at("why").get<std::string>(), "layers"));
}

TEST(cli_compare_ranks, have_the_bits_of_the_whole_field) {
  const auto r = dwell_cli(
      {"compare",    "stencil",     "2d5pt",    "--size",  "61x50",     "--steps",  "13",
       "--boundary", "periodic",    "--device", "cpu",     "--threads", "1",        "--repetitions",
       "2",          "--precision", "f32",      "--ranks", "1,2,3",     "--format", "json"});
  ASSERT_EQ(r.code, 0) << r.err;
  const auto rows = rows_of_ranks(r.json().at("stencils").at(0));
  ASSERT_EQ(rows.size(), 3u);
  for (const json& row : rows) {
    EXPECT_EQ(row.at("outcome"), "measured") << row.at("why");
    EXPECT_EQ(row.at("same_bits"), true);
    EXPECT_EQ(row.at("steps"), 13);
    EXPECT_GT(row.at("time").at("per_step_us").at("median"), 0.0);
    EXPECT_TRUE(holds(row.at("reason").get<std::string>(), "(threads)") || row.at("ranks") == 1)
        << row.at("reason");
  }
}

}  // namespace
}  // namespace dwell::test
