// SPDX-License-Identifier: MIT
// `dwell compare cg` and `dwell explain cg` from outside, on the CPU. What a figure is cannot be
// known here; that figures agree with each other can.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
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
  for (const auto& line : csv) EXPECT_EQ(commas(line), 19) << line;
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
  for (const auto* part : {"500 rows, 8,478 nonzeros", "2 threads", "model *", "greedy", "barriers",
                           "no model of CPUs", "streamed"})
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
}

}  // namespace
}  // namespace dwell::test
