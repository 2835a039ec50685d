// SPDX-License-Identifier: MIT
// `dwell compare cg` from outside, on the CPU: rows, forms of output, ends, wrong command lines.
// What a figure is cannot be known here; that figures agree with each other can.
#include <gtest/gtest.h>
#include <signal.h>

#include "cli_comparison.hpp"

namespace dwell::test {
namespace {

/// Executor, variant and policy of the rows of a matrix.
strings rows_of(const nlohmann::json& matrix) {
  strings rows;
  for (const auto& r : matrix.at("runs")) {
    std::string row = r.at("executor");
    for (const auto* key : {"variant", "policy"})
      if (const auto asked = r.at("requested").at(key); !asked.is_null())
        row.append(" ").append(asked.get<std::string>());
    rows.push_back(row);
  }
  return rows;
}

TEST(cli_compare, several_right_hand_sides_have_rows_of_their_own) {
  const auto r = dwell_cli(compare({"trefethen:200", "--executors", "persistent", "--rhs-count",
                                    "5", "--no-peers", "--format", "json"}));
  EXPECT_EQ(r.code, 0) << r.err;
  const auto runs = runs_of(r.json());
  EXPECT_EQ(runs.size(), 5u) << "host-loop, persistent, and 1, 2 and 4 at once";
  for (const auto* name : {"1-at-once", "2-at-once", "4-at-once"}) {
    const auto& run = runs.at(name);
    EXPECT_EQ(run.at("outcome"), "measured") << name;
    EXPECT_EQ(run.at("iterations"), 20) << name;
    EXPECT_GT(run.at("time").at("per_iteration_us").at("median"), 0.0) << name;
    EXPECT_LT(run.at("residual").at("relative_true").get<double>(), 1.0) << name;
  }
}

TEST(cli_compare, multigrid_has_the_form_that_it_needs) {
  const auto r = dwell_cli(compare({"poisson2d:40x30", "--rtol", "1e-8", "--preconditioner", "amg",
                                    "--policies", "none", "--peers", "eigen", "--format", "json"}));
  EXPECT_EQ(r.code, 0) << r.err;
  const auto runs = runs_of(r.json());
  for (const auto* name : {"host-loop", "persistent", "perks none"}) {
    EXPECT_EQ(runs.at(name).at("outcome"), "measured") << name;
    EXPECT_EQ(runs.at(name).at("variant"), "preconditioned") << name;
    EXPECT_LT(runs.at(name).at("iterations").get<int>(), 30) << name;
  }
  EXPECT_EQ(runs.at("eigen").at("outcome"), "unsupported");
}

TEST(cli_compare, whole_solves_have_a_row_for_each_method_and_preconditioner) {
  const auto with = [](strings args) {
    args.insert(args.begin(), {"compare", "solve"});
    args.insert(args.end(), {"--device", "cpu", "--threads", "2", "--repetitions", "2"});
    return dwell_cli(args);
  };
  const auto r = with({"poisson2d:12x11", "convection2d:12x11:9", "--solvers", "auto,gmres",
                       "--preconditioners", "none,jacobi,amg", "--format", "json"});
  EXPECT_EQ(r.code, 0) << r.err;
  const auto j = r.json();
  ASSERT_EQ(j.at("matrices").size(), 2u);
  const auto& symmetric = j.at("matrices").at(0).at("runs");
  ASSERT_EQ(symmetric.size(), 8u) << "and two of Eigen";
  for (const auto& run : symmetric) {
    EXPECT_EQ(run.at("outcome"), "measured");
    EXPECT_EQ(run.at("stop_reason"), "converged");
    EXPECT_LT(run.at("residual").at("relative_true").get<double>(), 2e-8);
    const double total = run.at("time").at("total_us").at("median");
    EXPECT_GT(total, 0.0);
    EXPECT_LE(run.at("time").at("solve_s").get<double>() * 1e6,
              run.at("time").at("total_us").at("max").get<double>());
    EXPECT_EQ(run.at("over_best_peer").is_null(), run.at("peer").get<bool>());
  }
  EXPECT_EQ(symmetric.at(0).at("method"), "cg");
  EXPECT_EQ(symmetric.at(3).at("method"), "gmres");
  const auto& unsymmetric = j.at("matrices").at(1).at("runs");
  EXPECT_EQ(unsymmetric.at(0).at("method"), "bicgstab");
  EXPECT_EQ(unsymmetric.at(2).at("outcome"), "unsupported");
  EXPECT_TRUE(holds(unsymmetric.at(2).at("why").get<std::string>(), "amg asks for it"));
  const auto text = with({"poisson2d:12x11"}).out;
  for (const auto* words : {"Whole solves on", "total ms", "poisson2d:12x11: 132 rows", "eigen cg"})
    EXPECT_TRUE(holds(text, words)) << words;
  EXPECT_EQ(with({"poisson2d:30x30", "--max-iterations", "2"}).code, 2);
  EXPECT_EQ(with({"poisson2d:9x9", "--solvers", "gauss"}).code, 1);
}

TEST(cli_compare, whole_solves_that_miss_their_target_have_a_remark) {
  const auto with = [](const strings& more) {
    strings args = {"compare",
                    "solve",
                    "poisson2d:15x13",
                    "--device",
                    "cpu",
                    "--solvers",
                    "cg",
                    "--threads",
                    "1",
                    "--preconditioners",
                    "none,jacobi",
                    "--repetitions",
                    "1"};
    args.insert(args.end(), more.begin(), more.end());
    return dwell_cli(args);
  };
  const auto missed = with({"--rtol", "0"});
  EXPECT_EQ(missed.code, 2) << missed.out;
  for (const auto* row : {"cg, none: ended after ", "cg, jacobi: ended after "})
    EXPECT_TRUE(holds(missed.out, row)) << missed.out;
  const auto json = with({"--rtol", "0", "--format", "json"}).json();
  for (const auto& run : json.at("matrices").at(0).at("runs"))
    EXPECT_TRUE(run.at("over_best_peer").is_null());
  const auto met = with({"--rtol", "1e-6"});
  EXPECT_EQ(met.code, 0) << met.out;
  EXPECT_FALSE(holds(met.out, "ended after")) << met.out;
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
    const auto& us = run.at("time").at("per_iteration_us");
    ASSERT_EQ(us.at("all").size(), 3u) << name << ": the first run is not counted";
    EXPECT_GT(us.at("min"), 0.0) << name;
    EXPECT_EQ(us.at("min"), us.at("all").at(0));
    EXPECT_EQ(us.at("median"), us.at("all").at(1));
    EXPECT_EQ(us.at("max"), us.at("all").at(2));
    EXPECT_LE(us.at("min"), us.at("max")) << name;
    const double base = runs.at("host-loop").at("time").at("per_iteration_us").at("median");
    EXPECT_NEAR(run.at("speed_up").get<double>(), base / us.at("median").get<double>(), 1e-9);
    EXPECT_NEAR(
        run.at("bandwidth_bytes_per_s").get<double>() * us.at("median").get<double>() * 1e-6,
        j.at("matrices").at(0).at("bytes_per_iteration").get<double>(), 1.0);
    EXPECT_TRUE(run.at("fraction_of_floor").is_null()) << "there is no model of CPUs";
    EXPECT_NEAR(run.at("residual").at("relative_true").get<double>() /
                    runs.at("host-loop").at("residual").at("relative_true").get<double>(),
                1, 1e-6)
        << name;
  }
  EXPECT_EQ(runs.at("perks auto").at("policy"), "model");
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
      EXPECT_NE(run.at("variant"), "auto") << run;
      const auto asked = run.at("requested").at("variant");
      if (asked != "auto") {
        EXPECT_EQ(run.at("variant"), asked);
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
  EXPECT_TRUE(holds(run.at("reason"), "least measured time of (none "));
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

TEST(cli_compare, what_cannot_run_says_so) {
  const auto runs = runs_of(dwell_cli(compare({"trefethen:20", "--format", "json"})).json());
  for (const auto* name : {"graph", "cusparse-stream", "cusparse-graph"}) {
    EXPECT_EQ(runs.at(name).at("outcome"), "unsupported");
    EXPECT_NE(runs.at(name).at("why"), "");
    const auto us = runs.at(name).at("time").at("per_iteration_us");
    EXPECT_TRUE(us.at("median").is_null());
    EXPECT_EQ(us.at("all").size(), 0u);
  }
  EXPECT_TRUE(holds(runs.at("graph").at("why"), "on cpu"));
  const auto text = dwell_cli(compare({"trefethen:20"})).out;
  EXPECT_TRUE(holds(text, "\n  graph: unsupported: "));
}

TEST(cli_compare, single_precision) {
  const auto r = dwell_cli(compare({"trefethen:50", "--precision", "f32", "--format", "json"}));
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.json().at("precision"), "f32");
  for (const auto& [name, run] : runs_of(r.json()))
    if (run.at("outcome") == "measured") {
      EXPECT_LT(run.at("residual").at("relative_true"), 1.0) << name;
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
  EXPECT_TRUE(starts(csv[0], "matrix.name,matrix.rows,matrix.nonzeros,matrix.refusal,"));
  const auto commas = [](const std::string& line) {
    bool quoted = false;
    int n = 0;
    for (const char c : line) n += !quoted && c == ',', quoted ^= c == '"';
    return n;
  };
  for (const auto& line : csv) EXPECT_EQ(commas(line), commas(csv[0])) << line;
  EXPECT_TRUE(holds(csv[1], ",host-loop,"));
  EXPECT_TRUE(holds(csv[2], ",graph,textbook,,,,,,,false,unsupported,"));

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

// Peers read vectors of the wrong length.
TEST(cli_compare, matrices_that_are_not_square_are_refused) {
  const scratch_folder in;
  for (const auto& [rows, cols] : {std::pair{3, 4}, {4, 3}, {1, 9}, {9, 1}, {2, 3000}, {3000, 2}}) {
    std::string text = "%%MatrixMarket matrix coordinate real general\n" + std::to_string(rows) +
                       " " + std::to_string(cols) + " 2\n1 1 2\n" + std::to_string(rows) + " " +
                       std::to_string(cols) + " 1\n";
    const auto file = in.write("A.mtx", text);
    for (const char* what : {"solve", "cg"}) {
      SCOPED_TRACE(text + what);
      const auto r = dwell_cli({"compare", what, file, "--repetitions", "1"});
      EXPECT_EQ(r.code, 1) << r.err;
      EXPECT_EQ(r.err, "dwell: A: matrix: expected as many rows as columns, found " +
                           std::to_string(rows) + " x " + std::to_string(cols) + "\n");
    }
  }
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
  expect_refused({"compare"}, "see 'dwell compare --help'");
  expect_refused({"compare", "cg"}, "see 'dwell compare cg --help'");
  expect_refused({"compare", "cg", "a", "--policies", "none,hoard"}, "found 'hoard'");
  expect_refused({"compare", "cg", "a", "--executors", "graph,graph"}, "each word once");
  expect_refused({"compare", "cg", "a", "--variants", "textbook,fancy"}, "found 'fancy'");
  expect_refused({"compare", "cg", "a", "--executors", ""}, "found ''");
  expect_refused({"compare", "cg", "a", "--executors", "graph", "--policies", "greedy"},
                 "--policies: is for executor perks");
  expect_refused({"compare", "cg", "a", "--rtol", "1e-8", "--iterations", "5"}, "--iterations");
  expect_refused({"compare", "cg", "a", "--max-iterations", "5"}, "--rtol");
  expect_refused({"compare", "cg", "no-such-file"}, "no such file");
  const auto help = dwell_cli({"compare", "cg", "--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_TRUE(holds(help.out, "Examples:\n  dwell compare cg "));
  for (const auto& line : lines_of(help.out)) EXPECT_LE(line.size(), 80u) << line;
}

}  // namespace
}  // namespace dwell::test
