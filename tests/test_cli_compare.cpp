// SPDX-License-Identifier: MIT
// `dwell compare cg` and `dwell explain cg` from outside, on the CPU. What a figure is cannot be
// known here; that figures agree with each other can.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "cli_runner.hpp"

namespace dwell::test {
namespace {

using strings = std::vector<std::string>;

/// Two threads and short runs, and what else is asked for.
strings compare(const strings& more) {
  strings args = {"compare", "cg",           "--device", "cpu",           "--threads",
                  "2",       "--iterations", "20",       "--repetitions", "3"};
  if (std::find(more.begin(), more.end(), "--rtol") != more.end())
    args.erase(args.begin() + 6, args.begin() + 8);
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

/// The runs of the first matrix, by executor and policy.
std::map<std::string, nlohmann::json> runs_of(const nlohmann::json& j) {
  std::map<std::string, nlohmann::json> all;
  for (const auto& r : j.at("matrices").at(0).at("runs"))
    all[r.at("executor").get<std::string>() +
        (r.at("policy").is_null() ? "" : std::string(" ") + r.at("policy").get<std::string>())] = r;
  return all;
}

TEST(cli_compare, every_combination_has_a_row) {
  const auto r = dwell_cli(compare(
      {"trefethen:200", "poisson2d:9x9", "--policies", "none,greedy,auto", "--format", "json"}));
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.err, "") << "no progress where standard error is no terminal";
  const auto j = r.json();
  ASSERT_EQ(j.at("matrices").size(), 2u);
  EXPECT_EQ(j.at("matrices").at(1).at("rows"), 81);
  EXPECT_EQ(j.at("matrices").at(0).at("runs").at(0).at("executor"), "host-loop");
  const auto runs = runs_of(j);
  EXPECT_EQ(runs.size(), 9u);
  for (const auto* name : {"host-loop", "persistent", "perks none", "perks greedy", "perks auto"}) {
    const auto& run = runs.at(name);
    EXPECT_EQ(run.at("outcome"), "measured") << name;
    EXPECT_EQ(run.at("iterations"), 20) << name;
    EXPECT_EQ(run.at("stop_reason"), "iteration limit") << name;
    const auto& us = run.at("per_iteration_us");
    ASSERT_EQ(us.at("all").size(), 3u) << name << ": the first run is not counted";
    EXPECT_GT(us.at("min"), 0.0) << name;
    EXPECT_EQ(us.at("min"), us.at("all").at(0));
    EXPECT_EQ(us.at("median"), us.at("all").at(1));
    EXPECT_EQ(us.at("max"), us.at("all").at(2));
    EXPECT_LE(us.at("min"), us.at("max")) << name;
    const double base = runs.at("host-loop").at("per_iteration_us").at("median");
    EXPECT_NEAR(run.at("speed_up").get<double>(), base / us.at("median").get<double>(), 1e-9);
    EXPECT_NEAR(
        run.at("bandwidth_bytes_per_s").get<double>() * us.at("median").get<double>() * 1e-6,
        j.at("matrices").at(0).at("bytes_per_iteration").get<double>(), 1.0);
    EXPECT_TRUE(run.at("fraction_of_floor").is_null()) << "there is no model of CPUs";
    EXPECT_NEAR(run.at("residual_relative_true").get<double>() /
                    runs.at("host-loop").at("residual_relative_true").get<double>(),
                1, 1e-6)
        << name;
  }
  EXPECT_EQ(runs.at("perks auto").at("plan_policy"), "model");
}

/// Executor, variant and policy of the rows of a matrix.
strings rows_of(const nlohmann::json& matrix) {
  strings rows;
  for (const auto& r : matrix.at("runs")) {
    std::string row = r.at("executor");
    for (const auto* key : {"variant", "policy"})
      if (!r.at(key).is_null()) row.append(" ").append(r.at(key).get<std::string>());
    rows.push_back(row);
  }
  return rows;
}

TEST(cli_compare, variants) {
  const strings what = {"trefethen:100", "--no-peers", "--format", "json", "--executors"};
  const auto rows = [&](const strings& more) {
    auto args = what;
    args.insert(args.end(), more.begin(), more.end());
    const auto r = dwell_cli(compare(args));
    EXPECT_EQ(r.code, 0) << r.err;
    const auto j = r.json();
    for (const auto& run : j.at("matrices").at(0).at("runs")) {
      EXPECT_EQ(run.at("outcome"), "measured") << run;
      EXPECT_NE(run.at("plan_variant"), "auto") << run;
      if (run.at("variant") != "auto") {
        EXPECT_EQ(run.at("plan_variant"), run.at("variant"));
      }
    }
    return rows_of(j.at("matrices").at(0));
  };
  EXPECT_EQ(rows({"persistent,perks"}),
            (strings{"host-loop textbook", "persistent textbook", "perks auto auto"}));
  EXPECT_EQ(rows({"host-loop", "--variants", "single-reduction,pipelined"}),
            (strings{"host-loop textbook", "host-loop single-reduction", "host-loop pipelined"}));
  EXPECT_EQ(rows({"persistent,perks", "--variants", "textbook,auto", "--policies", "none,greedy"}),
            (strings{"host-loop textbook", "persistent textbook", "persistent auto",
                     "perks textbook none", "perks textbook greedy", "perks auto none",
                     "perks auto greedy"}));
}

TEST(cli_compare, policy_measured) {
  const auto r = dwell_cli(compare({"trefethen:100", "--no-peers", "--executors", "perks",
                                    "--policies", "measured", "--format", "json"}));
  EXPECT_EQ(r.code, 0) << r.err;
  const auto run = runs_of(r.json()).at("perks measured");
  EXPECT_EQ(run.at("outcome"), "measured");
  EXPECT_TRUE(holds(run.at("detail"), "least measured time of (none "));
  const auto solved = dwell_cli({"cg", "trefethen:100", "--device", "cpu", "--threads", "2",
                                 "--executor", "perks", "--policy", "measured", "--json", "-"});
  EXPECT_EQ(solved.code, 0) << solved.err;
  EXPECT_EQ(solved.json().at("policy"), "measured");
  const auto policies = dwell_cli({"info", "--json", "-"}).json().at("policies");
  const auto chosen = solved.json().at("policy_chosen");
  EXPECT_NE(chosen, "measured");
  EXPECT_NE(std::find(policies.begin(), policies.end(), chosen), policies.end()) << chosen;
  EXPECT_NE(std::find(policies.begin(), policies.end(), "measured"), policies.end());
}

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
        eigen = run.at("per_iteration_us").at("median");
        EXPECT_TRUE(run.at("over_best_peer").is_null());
      }
    ASSERT_GT(eigen, 0);
    for (const auto& run : m.at("runs"))
      if (run.at("executor") == "perks") {
        const double factor = run.at("over_best_peer");
        EXPECT_NEAR(factor * run.at("per_iteration_us").at("median").get<double>() / eigen, 1,
                    1e-9);
        (m.at("nonzeros") > 1'500'000 ? large : small)[run.at("policy")].push_back(factor);
      }
  }
  const auto found = j.at("perks_over_best_peer");
  ASSERT_EQ(found.at("means").size(), 2u);
  for (const auto& mean : found.at("means")) {
    const std::string policy = mean.at("policy");
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
  EXPECT_NEAR(ours.at("over_best_peer").get<double>() * ours.at("solve_us").get<double>() /
                  runs.at("eigen").at("solve_us").get<double>(),
              1, 1e-9);
  EXPECT_LE(ours.at("residual_relative_true").get<double>(), 1.1e-8);
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

TEST(cli_compare, what_cannot_run_says_so) {
  const auto runs = runs_of(dwell_cli(compare({"trefethen:20", "--format", "json"})).json());
  for (const auto* name : {"graph", "cusparse-stream", "cusparse-graph"}) {
    EXPECT_EQ(runs.at(name).at("outcome"), "unsupported");
    EXPECT_NE(runs.at(name).at("why"), "");
    EXPECT_TRUE(runs.at(name).at("per_iteration_us").is_null());
  }
  EXPECT_TRUE(holds(runs.at("graph").at("why"), "on cpu"));
  const auto text = dwell_cli(compare({"trefethen:20"})).out;
  EXPECT_TRUE(holds(text, "\n  graph: unsupported: "));
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
    EXPECT_LE(theirs.at("residual_relative_true").get<double>(), 1.1e-7);
    EXPECT_LE(ours.at("residual_relative_true").get<double>(), 1.1e-7);
    EXPECT_NEAR(theirs.at("speed_up").get<double>(),
                ours.at("solve_us").get<double>() / theirs.at("solve_us").get<double>(), 1e-9)
        << "with a tolerance, times to solution are compared";
  }
}

TEST(cli_compare, single_precision) {
  const auto r = dwell_cli(compare({"trefethen:50", "--precision", "f32", "--format", "json"}));
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.json().at("precision"), "f32");
  for (const auto& [name, run] : runs_of(r.json()))
    if (run.at("outcome") == "measured") {
      EXPECT_LT(run.at("residual_relative_true"), 1.0) << name;
    }
}

TEST(cli_compare, formats) {
  const strings what = {"trefethen:20", "--no-peers", "--executors", "graph", "--format"};
  const auto as = [&](const char* format) {
    auto args = what;
    args.push_back(format);
    const auto r = dwell_cli(compare(args));
    EXPECT_EQ(r.code, 0) << r.err;
    return lines_of(r.out);
  };
  const auto csv = as("csv");
  ASSERT_EQ(csv.size(), 3u) << "heads, the baseline though it was not asked for, and graph";
  EXPECT_TRUE(starts(csv[0], "matrix,rows,nonzeros,device,executor,policy,"));
  const auto commas = [](const std::string& line) {
    bool quoted = false;
    int n = 0;
    for (const char c : line) n += !quoted && c == ',', quoted ^= c == '"';
    return n;
  };
  for (const auto& line : csv) EXPECT_EQ(commas(line), 22) << line;
  EXPECT_TRUE(holds(csv[1], ",host-loop,"));
  EXPECT_TRUE(holds(csv[2], ",graph,,,unsupported,,"));

  int bars = 0;
  for (const auto& line : as("markdown"))
    if (starts(line, "|")) {
      EXPECT_EQ(std::count(line.begin(), line.end(), '|'), 11) << line;
      ++bars;
    }
  EXPECT_EQ(bars, 4);
  for (const auto& line : as("table")) {
    EXPECT_FALSE(line.size() && line.back() == ' ') << line;
    EXPECT_LE(line.size(), 130u) << line;
  }
}

TEST(cli_compare, output_goes_to_a_file) {
  const scratch_folder in;
  const auto r =
      dwell_cli(compare({"trefethen:20", "--no-peers", "--format", "json", "-o", in("c.json")}));
  EXPECT_EQ(r.code, 0);
  EXPECT_EQ(r.out, "");
  EXPECT_EQ(nlohmann::json::parse(read_text(in("c.json"))).at("repetitions"), 3);
  const auto a = in.write("a.mtx", two_by_two(4, 1, 3));
  EXPECT_EQ(dwell_cli(compare({a, "-o", a})).code, 1);
  EXPECT_EQ(read_text(a), two_by_two(4, 1, 3));
}

TEST(cli_compare, a_refused_system_does_not_end_the_others) {
  const scratch_folder in;
  const auto bad = in.write("bad.mtx", two_by_two(-4, 1, 3));
  const auto r = dwell_cli(compare({bad, "trefethen:20", "--no-peers", "--format", "json"}));
  EXPECT_EQ(r.code, 1);
  EXPECT_EQ(lines_of(r.err).size(), 1u) << r.err;
  const auto matrices = r.json().at("matrices");
  EXPECT_TRUE(holds(matrices.at(0).at("refusal"), "diagonal"));
  EXPECT_EQ(matrices.at(0).at("runs").size(), 0u);
  EXPECT_EQ(matrices.at(1).at("runs").size(), 4u);
}

TEST(cli_compare, limit_is_2) {
  const auto r = dwell_cli(
      compare({"trefethen:200", "--rtol", "1e-8", "--max-iterations", "3", "--no-peers"}));
  EXPECT_EQ(r.code, 2);
}

TEST(cli_compare, interrupt_hands_over_what_there_is) {
  const auto r = dwell_cli(
      {"compare", "cg", "poisson2d:50x50", "--device", "cpu", "--threads", "1", "--iterations",
       "2147483647", "--no-peers", "--format", "json"},
      {.terminal = true,
       .signal_when = [](const std::string& err) { return holds(err, "host-loop, run 1"); },
       .signal = SIGINT});
  EXPECT_EQ(r.code, 130);
  EXPECT_TRUE(holds(r.err, "dwell: interrupted"));
  const auto j = r.json();
  EXPECT_EQ(j.at("interrupted"), true);
  EXPECT_EQ(j.at("matrices").at(0).at("runs").size(), 0u);
}

TEST(cli_compare, wrong_command_lines) {
  const auto refused = [](const strings& args, const std::string& part) {
    const auto r = dwell_cli(args);
    EXPECT_EQ(r.code, 1) << ::testing::PrintToString(args);
    EXPECT_EQ(r.out, "");
    EXPECT_EQ(lines_of(r.err).size(), 1u) << r.err;
    EXPECT_TRUE(holds(r.err, part));
  };
  refused({"compare"}, "see 'dwell compare --help'");
  refused({"compare", "cg"}, "see 'dwell compare cg --help'");
  refused({"compare", "cg", "a", "--policies", "none,hoard"}, "found 'hoard'");
  refused({"compare", "cg", "a", "--executors", "graph,graph"}, "each word once");
  refused({"compare", "cg", "a", "--variants", "textbook,fancy"}, "found 'fancy'");
  refused({"explain", "cg", "a", "--policy", "measured"}, "found 'measured'");
  refused({"compare", "cg", "a", "--executors", ""}, "found ''");
  refused({"compare", "cg", "a", "--rtol", "1e-8", "--iterations", "5"}, "--iterations");
  refused({"compare", "cg", "a", "--max-iterations", "5"}, "--rtol");
  refused({"compare", "cg", "no-such-file"}, "no such file");
  refused({"explain", "cg", "trefethen:20", "--device-facts", "k80"}, "v100, a100, h100 or h200");
  refused({"explain", "cg", "trefethen:20", "--device-facts", "h200", "--device", "cpu"},
          "--device");
  for (const auto* command : {"compare", "explain"}) {
    const auto help = dwell_cli({command, "cg", "--help"});
    EXPECT_EQ(help.code, 0);
    EXPECT_TRUE(holds(help.out, std::string("Examples:\n  dwell ") + command + " cg "));
    for (const auto& line : lines_of(help.out)) EXPECT_LE(line.size(), 80u) << line;
  }
}

TEST(cli_explain, plan_and_all_policies) {
  const auto r = dwell_cli({"explain", "cg", "trefethen:500", "--device", "cpu", "--threads", "2"});
  EXPECT_EQ(r.code, 0) << r.err;
  for (const auto* part :
       {"500 rows, 8,478 nonzeros", "2 threads", "model *", "one per thread",
        "measured: needs the device", "greedy", "barriers", "no model of CPUs", "streamed"})
    EXPECT_TRUE(holds(r.out, part));
  for (const auto& line : lines_of(r.out)) EXPECT_FALSE(line.size() && line.back() == ' ');
}

TEST(cli_explain, figures_agree) {
  const auto r = dwell_cli({"explain", "cg", "poisson2d:200x200", "--device", "cpu", "--threads",
                            "2", "--policy", "mixed", "--preconditioner", "jacobi", "--json", "-"});
  ASSERT_EQ(r.code, 0) << r.err;
  const auto j = r.json();
  EXPECT_EQ(j.at("chosen"), "mixed");
  EXPECT_EQ(j.at("barriers"), 3);
  double none = 0;
  for (const auto& p : j.at("policies")) {
    const auto& bytes = p.at("bytes_per_iteration");
    const double all = bytes.at("resident").get<double>() + bytes.at("l2").get<double>() +
                       bytes.at("device_memory").get<double>();
    if (p.at("policy") == "none") {
      none = all;
      EXPECT_EQ(bytes.at("resident"), 0.0);
      EXPECT_EQ(p.at("tiles_kept"), 0);
    } else {
      EXPECT_GT(bytes.at("resident").get<double>(), 0.0) << p.at("policy");
    }
    EXPECT_GE(all, none * 0.999) << p.at("policy") << ": kept or moved, each byte is somewhere";
    EXPECT_LE(p.at("tiles_kept").get<int>(), p.at("tiles_per_team").get<int>());
    EXPECT_LE(p.at("scratch_bytes").at("kept").get<std::size_t>(),
              j.at("device").at("scratch_per_team").get<std::size_t>());
    EXPECT_EQ(p.at("vectors").size(), 5u) << "x, r, p, q, d";
    EXPECT_TRUE(p.at("refusal").is_null());
  }
  EXPECT_GT(none, 0);
}

TEST(cli_explain, variants) {
  const auto explained = [](const char* variant) {
    const auto r = dwell_cli({"explain", "cg", "trefethen:300", "--device", "cpu", "--threads", "2",
                              "--variant", variant, "--json", "-"});
    EXPECT_EQ(r.code, 0) << r.err;
    return r.json();
  };
  const std::map<std::string, int> barriers = {
      {"textbook", 3}, {"single-reduction", 2}, {"pipelined", 1}};
  double bytes = 0;
  for (const auto* variant : {"textbook", "single-reduction", "pipelined"}) {
    const auto j = explained(variant);
    EXPECT_EQ(j.at("variant"), variant);
    EXPECT_EQ(j.at("barriers"), barriers.at(variant));
    EXPECT_EQ(j.at("variants_considered").size(), 0u);
    EXPECT_GE(j.at("bytes_per_iteration").get<double>(), bytes) << "fewer barriers, more bytes";
    bytes = j.at("bytes_per_iteration");
    std::vector<std::string> vectors;
    const auto plans = j.at("policies");
    for (const auto& v : plans.at(0).at("vectors")) vectors.push_back(v.at("name"));
    EXPECT_EQ(vectors.front(), "x");
  }
  const auto j = explained("auto");
  EXPECT_EQ(j.at("variant"), "textbook") << "on a CPU";
  EXPECT_EQ(j.at("variants_considered").size(), 1u);
}

TEST(cli_explain, a_device_that_is_not_here) {
  bool cuda = false;
  const auto info = dwell_cli({"info", "--json", "-"}).json();
  for (const auto& v : info.at("variants"))
    cuda = cuda || (v.at("backend") == "cuda" && v.at("executor") == "perks");
  const auto r =
      dwell_cli({"explain", "cg", "poisson2d:300x300", "--device-facts", "a100", "--json", "-"});
  if (!cuda) {
    EXPECT_EQ(r.code, 1);
    EXPECT_TRUE(holds(r.err, "built without CUDA"));
    return;
  }
  ASSERT_EQ(r.code, 0) << r.err;
  const auto j = r.json();
  EXPECT_EQ(j.at("device").at("units"), 108);
  double least = 1e300, model = 0;
  for (const auto& p : j.at("policies")) {
    EXPECT_GT(p.at("projected_us").get<double>(), p.at("floor_us").get<double>());
    least = std::min(least, p.at("projected_us").get<double>());
    if (p.at("policy") == "model") model = p.at("projected_us");
  }
  EXPECT_EQ(model, least);

  const auto small =
      dwell_cli({"explain", "cg", "trefethen:2000", "--device-facts", "h200", "--json", "-"});
  ASSERT_EQ(small.code, 0) << small.err;
  const auto s = small.json();
  EXPECT_EQ(s.at("in_cluster"), true);
  EXPECT_TRUE(holds(s.at("teams_reason"), "one cluster"));
  EXPECT_NEAR(s.at("barrier_us").get<double>(), 0.3, 1e-9);
  ASSERT_EQ(s.at("variants_considered").size(), 2u) << "nothing speaks for the textbook's here";
  double shortest = 1e300, chosen = 0;
  for (const auto& v : s.at("variants_considered")) {
    shortest = std::min(shortest, v.at("projected_us").get<double>());
    if (v.at("variant") == s.at("variant")) chosen = v.at("projected_us");
  }
  EXPECT_EQ(chosen, shortest);
}

}  // namespace
}  // namespace dwell::test
