// SPDX-License-Identifier: MIT
// `dwell compare cg` beside a peer, on the CPU: Eigen solves the same systems, and what is said of
// time to solution and of means agrees with the rows.
#include <gtest/gtest.h>

#include <cmath>

#include "cli_comparison.hpp"

namespace dwell::test {
namespace {

TEST(cli_compare, geometric_means_over_the_best_peer) {
  const strings what = {"trefethen:100",
                        "poisson2d:9x9",
                        "poisson2d:560x560",
                        "--executors",
                        "perks",
                        "--peers",
                        "eigen",
                        "--iterations",
                        "3",
                        "--repetitions",
                        "1",
                        "--policies",
                        "none,greedy",
                        "--device",
                        "cpu",
                        "--threads",
                        "2",
                        "--format"};
  const auto as = [&](const char* format) {
    strings args = {"compare", "cg"};
    args.insert(args.end(), what.begin(), what.end());
    args.push_back(format);
    const auto r = dwell_cli(args);
    EXPECT_EQ(r.code, 0) << r.err;
    return r;
  };
  const auto j = as("json").json();
  std::map<std::string, std::vector<double>> small, large;
  for (const auto& m : j.at("matrices")) {
    double eigen = 0;
    for (const auto& run : m.at("runs"))
      if (run.at("executor") == "eigen") {
        eigen = run.at("time").at("per_iteration_us").at("median");
        EXPECT_TRUE(run.at("over_best_peer").is_null());
      }
    ASSERT_GT(eigen, 0);
    for (const auto& run : m.at("runs"))
      if (run.at("executor") == "perks") {
        const double factor = run.at("over_best_peer");
        EXPECT_NEAR(
            factor * run.at("time").at("per_iteration_us").at("median").get<double>() / eigen, 1,
            1e-9);
        (m.at("nonzeros") > 1'500'000 ? large : small)[run.at("requested").at("policy")].push_back(
            factor);
      }
  }
  const auto found = j.at("perks_over_best_peer");
  ASSERT_EQ(found.at("means").size(), 2u);
  for (const auto& mean : found.at("means")) {
    const std::string policy = mean.at("requested").at("policy");
    ASSERT_EQ(small.at(policy).size(), 2u);
    ASSERT_EQ(large.at(policy).size(), 1u);
    EXPECT_EQ(mean.at("small").at("systems"), 2);
    EXPECT_EQ(mean.at("large").at("systems"), 1);
    EXPECT_NEAR(mean.at("small").at("geometric_mean").get<double>(),
                std::sqrt(small.at(policy)[0] * small.at(policy)[1]), 1e-9);
    EXPECT_NEAR(mean.at("large").at("geometric_mean").get<double>(), large.at(policy)[0], 1e-9);
  }
  const auto text = as("table").out;
  EXPECT_TRUE(holds(text, "\nAll systems, us/iteration\nsystem "));
  EXPECT_TRUE(holds(text, "\npoisson2d:9x9 "));
  EXPECT_TRUE(holds(text, "perks, times faster than the fastest peer of each system"));
  EXPECT_TRUE(holds(text, "(2 systems)"));
  const auto csv = lines_of(as("csv").out);
  EXPECT_EQ(std::count_if(csv.begin(), csv.end(),
                          [](const std::string& l) { return starts(l, "geometric mean of "); }),
            4)
      << "two policies, small and large";
}

TEST(cli_compare, no_means_of_one_system) {
  const auto r = dwell_cli(compare({"trefethen:50", "--peers", "eigen", "--format", "json"}));
  EXPECT_EQ(r.json().at("perks_over_best_peer").at("means").size(), 0u);
  EXPECT_FALSE(holds(dwell_cli(compare({"trefethen:50", "--peers", "eigen"})).out, "geometric"));
}

TEST(cli_compare, time_to_solution) {
  const auto args = compare(
      {"trefethen:200", "--rtol", "1e-8", "--peers", "eigen", "--executors", "perks", "--format"});
  auto with = [&](const char* format) {
    auto a = args;
    a.push_back(format);
    return dwell_cli(a);
  };
  const auto table = with("markdown");
  EXPECT_EQ(table.code, 0) << table.err;
  for (const auto* part : {"until the relative residual is 1e-08", "| solve ms", "| iterations |",
                           "| true residual |", "| over peer |", "| eigen ", "in time to solution"})
    EXPECT_TRUE(holds(table.out, part)) << part;
  const auto runs = runs_of(with("json").json());
  const auto& ours = runs.at("perks auto");
  EXPECT_NEAR(ours.at("over_best_peer").get<double>() *
                  ours.at("time").at("solve_s").get<double>() /
                  runs.at("eigen").at("time").at("solve_s").get<double>(),
              1, 1e-9);
  EXPECT_LE(ours.at("residual").at("relative_true").get<double>(), 1.1e-8);
}

TEST(cli_compare, who_does_not_arrive_is_not_compared) {
  const auto args =
      strings{"trefethen:200", "--rtol",      "1e-8", "--max-iterations", "3", "--peers",
              "eigen",         "--executors", "perks"};
  const auto r = dwell_cli(compare(args));
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(holds(r.out, "  perks auto: ended after 3 iterations: iteration limit"));
  auto as_json = args;
  as_json.insert(as_json.end(), {"--format", "json"});
  for (const auto& [name, run] : runs_of(dwell_cli(compare(as_json)).json()))
    EXPECT_TRUE(run.at("over_best_peer").is_null()) << name;
}

TEST(cli_compare, eigen_goes_the_same_way) {
  for (const auto* preconditioner : {"none", "jacobi"}) {
    const auto r =
        dwell_cli(compare({"trefethen:200", "--rtol", "1e-7", "--preconditioner", preconditioner,
                           "--executors", "host-loop", "--peers", "eigen", "--format", "json"}));
    EXPECT_EQ(r.code, 0) << r.err;
    const auto runs = runs_of(r.json());
    ASSERT_EQ(runs.size(), 2u);
    const auto& ours = runs.at("host-loop");
    const auto& theirs = runs.at("eigen");
    EXPECT_EQ(theirs.at("outcome"), "measured") << theirs;
    EXPECT_EQ(theirs.at("peer"), true);
    EXPECT_EQ(theirs.at("stop_reason"), "converged");
    EXPECT_NEAR(theirs.at("iterations").get<int>(), ours.at("iterations").get<int>(), 3);
    EXPECT_LE(theirs.at("residual").at("relative_true").get<double>(), 1.1e-7);
    EXPECT_LE(ours.at("residual").at("relative_true").get<double>(), 1.1e-7);
    EXPECT_NEAR(
        theirs.at("speed_up").get<double>(),
        ours.at("time").at("solve_s").get<double>() / theirs.at("time").at("solve_s").get<double>(),
        1e-9)
        << "with a tolerance, times to solution are compared";
  }
}

TEST(cli_compare, eigen_has_incomplete_factors_in_whole_solves) {
  const auto solved = [](const std::string& matrix) {
    return dwell_cli({"compare", "solve", matrix, "--preconditioners", "jacobi", "--repetitions",
                      "1", "--device", "cpu", "--threads", "1", "--format", "json"});
  };
  std::map<std::string, nlohmann::json> eigen;
  const auto take = [&](const cli_outcome& r) {
    eigen.clear();
    const auto j = r.json();
    for (const auto& run : j.at("matrices").at(0).at("runs"))
      if (run.at("method") == "eigen cg") eigen[run.at("preconditioner")] = run;
    ASSERT_EQ(eigen.size(), 2u) << j;
  };
  const auto good = solved("poisson2d:40x40");
  ASSERT_EQ(good.code, 0) << good.err;
  take(good);
  const auto& incomplete = eigen.at("incomplete Cholesky");
  EXPECT_EQ(incomplete.at("stop_reason"), "converged");
  EXPECT_LE(incomplete.at("residual").at("relative_true").get<double>(), 1.1e-8);
  EXPECT_LT(2 * incomplete.at("iterations").get<int>(),
            eigen.at("diagonal").at("iterations").get<int>());

  const scratch_folder folder;
  const auto indefinite = folder.write("A.mtx",
                                       "%%MatrixMarket matrix coordinate real symmetric\n"
                                       "4 4 6\n1 1 1\n2 1 10\n2 2 1\n3 3 1\n4 3 10\n4 4 1\n");
  take(solved(indefinite));
  const auto& none = eigen.at("incomplete Cholesky");
  EXPECT_EQ(none.at("outcome"), "unsupported") << none;
  EXPECT_TRUE(holds(none.at("why"), "far from positive definite"));
  EXPECT_EQ(none.at("why").get<std::string>().find('\n'), std::string::npos);
  EXPECT_TRUE(none.at("iterations").is_null());
  EXPECT_EQ(eigen.at("diagonal").at("outcome"), "measured");
}

}  // namespace
}  // namespace dwell::test
