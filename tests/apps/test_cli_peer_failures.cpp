// SPDX-License-Identifier: MIT
// Peers by command that fail, say nothing, say too much or never end, that by their rule cannot do
// what is asked for; and options and rules that are refused.
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>

#include "peer_runs.hpp"

namespace dwell::test {
namespace {

/// What a peer may do wrong: each has one line that says it, the rest goes on, and exit code 4.
TEST(cli_peers, one_that_fails_is_said_in_a_line_and_the_rest_goes_on) {
  const scratch_folder folder;
  const auto rule = folder.write("rule.toml",
                                 "limit_s = 1\n[figure]\npattern = 'took (\\S+) ms'\nunit = 'ms'\n"
                                 "of = 'run'\n");
  const auto binary = folder("binary.sh");
  std::ofstream(binary) << "head -c 200000 /dev/urandom\nprintf '\\000\\377took\\000 5 ms'\n";
  struct wrong {
    std::string script, why;
  };
  const wrong all[] = {
      {program(folder, "code.sh", {"took 5 ms"}, {"no such kernel"}, "exit 3"),
       "ended with 3: no such kernel"},
      {program(folder, "signal.sh", {"took 5 ms"}, {}, "kill -SEGV $$"), "was ended by signal 11"},
      {program(folder, "silent.sh", {}), "found no output"},
      {program(folder, "other.sh", {"5 ms"}), "found none; the last one is: 5 ms"},
      {program(folder, "word.sh", {"took five ms"}),
       "expected a number for its figure, found 'five'"},
      {program(folder, "zero.sh", {"took 0 ms"}), "expected a figure above 0, found 0"},
      {program(folder, "nan.sh", {"took nan ms"}), "found 'nan'"},
      {program(folder, "slow.sh", {"took 5 ms"}, {}, "sleep 30 & wait"),
       "took more than the 1 s of its rule"},
      {program(folder, "much.sh", {"took 5 ms"}, {}, "yes"), "wrote more than 16 MiB"},
      {binary, "expected a line with 'took (\\S+) ms'"},
      {folder("missing.sh"), "ended with "}};
  for (const auto& one : all) {
    SCOPED_TRACE(one.script);
    const auto r = dwell_cli(compared(
        "stencil", {"2d5pt", "--size", "9x9", "--steps", "2", "--peer", "bad=sh " + one.script,
                    "--peer", "good=sh " + program(folder, "good.sh", {"took 4 ms"}),
                    "--peer-rules", rule, "--format", "json"}));
    EXPECT_EQ(r.code, 4) << r.err;
    const auto j = r.json();
    const auto row = row_of(j, "bad");
    EXPECT_EQ(row.at("outcome"), "failed");
    EXPECT_TRUE(holds(row.at("why").get<std::string>(), one.why));
    EXPECT_TRUE(row.at("time").at("per_step_us").at("median").is_null());
    EXPECT_EQ(row_of(j, "good").at("time").at("per_step_us").at("median"), 2000.0);
    EXPECT_EQ(lines_of(r.err).size(), 1u) << r.err;
    EXPECT_TRUE(starts(r.err, "dwell: 2d5pt 9x9: bad: "));
  }
}

TEST(cli_peers, one_that_fails_beside_systems_and_images) {
  const scratch_folder folder;
  const auto rule = folder.write("rule.toml",
                                 "[figure]\npattern = 'took (\\S+) ms'\nunit = 'ms'\nof = 'run'\n"
                                 "[iterations]\npattern = 'in (\\S+)'\n");
  const auto script = program(folder, "peer.sh", {"took 5 ms in 2.5"});
  const std::pair<const char*, strings> all[] = {
      {"cg", {"poisson2d:5x5", "--iterations", "3"}},
      {"solve", {"poisson2d:5x5"}},
      {"convolve", {"--size", "9x9", "--filter", "box:3"}}};
  for (const auto& one : all) {
    SCOPED_TRACE(one.first);
    auto more = one.second;
    more.insert(more.end(), {"--peer", "p=sh " + script, "--peer-rules", rule, "--format", "json"});
    const auto r = dwell_cli(compared(one.first, more));
    EXPECT_EQ(r.code, 4) << r.err;
    EXPECT_EQ(row_of(r.json(), "p").at("outcome"), "failed");
    ASSERT_EQ(lines_of(r.err).size(), 1u) << r.err;
    EXPECT_TRUE(holds(r.err, ": p: expected a number of iterations from 1 on, found 2.5"));
  }
}

TEST(cli_peers, a_program_that_is_not_there) {
  const scratch_folder folder;
  const auto r = dwell_cli(
      compared("stencil", {"2d5pt", "--size", "9x9", "--steps", "2", "--peer",
                           "faststencil=/nowhere/FastStencil {shape}", "--peer-rules",
                           folder.write("r.toml", "[figure]\npattern='(.)'\nunit='s'\nof='run'\n"),
                           "--format", "json"}));
  EXPECT_EQ(r.code, 4);
  EXPECT_TRUE(holds(row_of(r.json(), "faststencil").at("why").get<std::string>(),
                    "/nowhere/FastStencil: No such file"));
}

/// What a rule says that a peer cannot do is no error.
TEST(cli_peers, what_it_lacks_by_its_rule_is_unsupported) {
  const scratch_folder folder;
  const auto script = program(folder, "peer.sh", {"took 5 ms"});
  const std::string figure = "[figure]\npattern = 'took (\\S+) ms'\nunit = 'ms'\nof = 'run'\n";
  struct lack {
    std::string rule, problem, why;
  };
  const lack all[] = {
      {figure + "[shapes]\n2d9pt = 'box'\n", "stencil", "by its rule it has no 2d5pt"},
      {"square = true\n" + figure, "stencil", "all sides must be equal, found 9x8"},
      {"precisions = 'f32'\n" + figure, "stencil", "it knows f32, not f64"},
      {"problems = ['cg', 'solve']\n" + figure, "stencil", "it is for cg, solve, not for stencil"},
      {"runs_on = 'gpu'\n" + figure, "stencil", "it runs on GPUs only"},
      {"[figure]\npattern = 'took (\\S+) ms'\nunit = 'GCells/s'\ncells = 'all'\n", "cg",
       "a system has no cells"}};
  for (const auto& one : all) {
    SCOPED_TRACE(one.rule);
    const strings subject = one.problem == "stencil"
                                ? strings{"2d5pt", "--size", "9x8", "--steps", "2"}
                                : strings{"poisson2d:5x5", "--iterations", "3"};
    strings args = compared(one.problem, subject);
    args.insert(args.end(),
                {"--peer", "p=sh " + script, "--peer-rules", folder.write("rule.toml", one.rule)});
    auto as_json = args;
    as_json.insert(as_json.end(), {"--format", "json"});
    const auto r = dwell_cli(as_json);
    EXPECT_EQ(r.code, 0) << r.err;
    const auto row = row_of(r.json(), "p");
    EXPECT_EQ(row.at("outcome"), "unsupported");
    EXPECT_TRUE(holds(row.at("why").get<std::string>(), one.why));
    EXPECT_TRUE(holds(dwell_cli(args).out, one.why));
  }
}

TEST(cli_peers, ctrl_c_ends_the_peer_too) {
  const scratch_folder folder;
  const auto pid = folder("pid");
  const auto script =  // the file is there once it has its number
      folder.write("peer.sh", "echo $$ > " + pid + ".new\nmv " + pid + ".new " + pid +
                                  "\nsleep 100 &\nwait\n");
  const auto r = dwell_cli(
      compared(
          "stencil",
          {"2d5pt", "--size", "9x9", "--steps", "2", "--peer", "p=sh " + script, "--peer-rules",
           folder.write("rule.toml",
                        "[figure]\npattern = '(\\d+) ms'\nunit = 'ms'\nof = 'run'\n")}),
      {.terminal = true,
       .signal_when = [&](const std::string&) { return std::filesystem::exists(pid); },
       .signal = SIGINT});
  EXPECT_EQ(r.code, 130) << r.err;
  const int child = std::stoi(read_text(pid));
  EXPECT_NE(::kill(child, 0), 0) << "still there";
}

TEST(cli_peers, bad_options_and_rules_are_refused_before_anything_runs) {
  const scratch_folder folder;
  const std::string figure = "[figure]\npattern = '(x)'\nunit = 'ms'\nof = 'run'\n";
  const auto good = folder.write("good.toml", figure);
  const auto refused = [&](const strings& more, const std::string& part) {
    strings args = compared("stencil", {"2d5pt", "--size", "9x9"});
    args.insert(args.end(), more.begin(), more.end());
    expect_refused(args, part);
  };
  refused({"--peer", "sh x"}, "--peer: expected NAME=COMMAND");
  refused({"--peer", "a b=sh x"}, "--peer: expected NAME=COMMAND");
  refused({"--peer", "p="}, "expected a command behind 'p='");
  refused({"--peer", "p='sh", "--peer-rules", good}, "expected a closing '");
  refused({"--peer", "p=sh {shap}", "--peer-rules", good}, "found {shap}; did you mean 'shape'");
  refused({"--peer", "p=sh {matrix}", "--peer-rules", good}, "found {matrix}");
  refused({"--peer", "p=sh {size", "--peer-rules", good}, "a { that is not closed");
  refused({"--peer", "p=sh }", "--peer-rules", good}, "a } that nothing opened");
  refused({"--peer", "p=sh x"}, "expected --peer-rules for 'p', or the name of one that is there");
  refused({"--peer", "p=sh", "--peer", "p=sh", "--peer-rules", good}, "found 'p' twice");
  refused({"--peer", "p=sh", "--peer-rules", folder("none.toml")},
          "expected a file that can be read");
  refused({"--peer-rules", good}, "--peer-rules: expected --peer with it");
  refused({"--peer", "p=sh", "--peer-rules", good, "--peer-rules", good}, "found 2 and 1 peers");
  refused({"--peer", "p=sh", "--peer-rules", good, "--output", good}, good);
  const auto bad_rule = [&](const std::string& text, const std::string& part) {
    SCOPED_TRACE(text);
    const auto file = folder.write("bad.toml", text);
    refused({"--peer", "p=sh", "--peer-rules", file}, file + ":" + part);
  };
  bad_rule("title = 'x'\n", "1: [figure]: expected this table, found none");
  bad_rule("[figure]\npattern = 'x'\n", "2: [figure] pattern: expected one group in parentheses");
  bad_rule("[figure]\npattern = '(x'\n", "2: [figure] pattern: expected a regular expression");
  bad_rule("[figure]\npattern = '(x)'\nafter = '(y)'\n", "3: [figure] after: expected no group");
  bad_rule("[figure]\npattern = '(x)'\nunit = 'h'\n", "3: [figure] unit: expected s, ms, us");
  bad_rule("[figure]\npattern = '(x)'\nunit = 'ms'\n", "3: [figure] of: expected run or step");
  bad_rule("[figure]\npattern = '(x)'\nunit = 'GCells/s'\n",
           "3: [figure] cells: expected all or changing");
  bad_rule("[figure]\npattern = '(x)'\nunit = 'GCells/s'\ncells = 'all'\nof = 'run'\n",
           "5: [figure] of: no such key");
  bad_rule(figure + "whcih = 'last'\n", "5: [figure] whcih: no such key; did you mean 'which'");
  bad_rule("problems = 'heat'\n" + figure, "1: problems: expected some of stencil");
  bad_rule("runs_on = 'tpu'\n" + figure, "1: runs_on: expected anywhere, cpu, gpu");
  bad_rule("limit_s = 0\n" + figure, "1: limit_s: expected a whole number from 1 to 2147483647");
  bad_rule(figure + "[shapes]\n2d5pt = 3\n", "6: [shapes] 2d5pt: expected its name there, found 3");
  bad_rule(figure + "[setup]\n", "5: [setup] pattern: expected text, found none");
  bad_rule("[figure\n", "1: ");
}

}  // namespace
}  // namespace dwell::test
