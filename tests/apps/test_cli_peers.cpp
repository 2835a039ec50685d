// SPDX-License-Identifier: MIT
// Peers by command: stand-in programs of the shell that print a known time in any unit, among any
// lines, to either stream; and those that fail, say nothing, say too much or never end.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "cli_runner.hpp"
#include "compare/peers/child_process.hpp"

namespace dwell::test {
namespace {

using strings = std::vector<std::string>;
using nlohmann::json;

/// Short runs of one executor, and what else is asked for.
strings compared(const std::string& problem, const strings& more) {
  strings args = {"compare", problem, "--device", "cpu", "--threads", "1", "--repetitions", "2"};
  if (problem == "stencil") args.insert(args.end(), {"--executors", "host-loop"});
  if (problem == "cg") args.insert(args.end(), {"--executors", "host-loop", "--no-peers"});
  if (problem == "solve")
    args.insert(args.end(), {"--solvers", "cg", "--preconditioners", "none", "--no-peers"});
  if (problem == "convolve") args.insert(args.end(), {"--algorithms", "direct"});
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

/// The row of a peer in the first subject.
json row_of(const json& j, const std::string& name) {
  for (const char* subjects : {"stencils", "matrices", "convolutions"})
    if (j.contains(subjects))
      for (const auto& run : j.at(subjects).at(0).at("runs")) {
        const auto& word = run.contains("method")      ? run.at("method")
                           : run.contains("algorithm") ? run.at("algorithm")
                                                       : run.at("executor");
        if (run.at("peer") == true && word == name) return run;
      }
  throw std::runtime_error("no row for " + name);
}

std::string number_text(double v, int form) {
  char text[64];
  std::snprintf(text, sizeof text, form == 0 ? "%.9g" : form == 1 ? "%.9e" : "%.12f", v);
  return text;
}

struct known_unit {
  const char* name;
  double scale;  ///< microseconds, or cells per second
  bool rate;
};
constexpr known_unit units[] = {{"s", 1e6, false},       {"ms", 1e3, false},
                                {"us", 1, false},        {"ns", 1e-3, false},
                                {"cells/s", 1, true},    {"MCells/s", 1e6, true},
                                {"GCells/s", 1e9, true}, {"TCells/s", 1e12, true}};

/// A program of the shell that prints these lines, and how it ends.
std::string program(const scratch_folder& folder, const std::string& name, const strings& output,
                    const strings& errors = {}, const std::string& end = "exit 0") {
  std::string text;
  for (const auto& line : output) text += "printf '%s\\n' \"" + line + "\"\n";
  for (const auto& line : errors) text += "printf '%s\\n' \"" + line + "\" >&2\n";
  return folder.write(name, text + end + "\n");
}

TEST(cli_peers, a_known_time_in_any_unit_among_any_lines) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto pick = [&](int count) {
      return static_cast<int>(random() % static_cast<unsigned>(count));
    };
    const bool three = pick(2) == 1;
    const int y = 8 + pick(20), x = 8 + pick(20), z = three ? 6 + pick(6) : 1, steps = 1 + pick(9);
    const std::string size =
        three ? std::to_string(z) + "x" + std::to_string(y) + "x" + std::to_string(x)
              : std::to_string(y) + "x" + std::to_string(x);
    const double us = std::exp(0.01 * pick(1200));  // to 160 ms a step
    const auto& unit = units[pick(8)];
    const bool of_step = pick(2) == 1, all = pick(2) == 1, errors = pick(2) == 1,
               last = pick(2) == 1;
    const double total = static_cast<double>(x) * y * z;
    const double changing = static_cast<double>(x - 2) * (y - 2) * (three ? z - 2 : 1);
    const double cells = all ? total : changing;
    const double figure =
        unit.rate ? cells / (us * 1e-6) / unit.scale : us * (of_step ? 1 : steps) / unit.scale;
    const auto text = number_text(figure, unit.scale > 1e5 && !unit.rate ? 1 : pick(2));
    const auto wrong = number_text(figure * 3, 0);
    const scratch_folder folder;
    // The shape and the size come as arguments, and are said back.
    const strings said = {"Warming up: speed=" + wrong,
                          "---",
                          "[x] speed=" + (last ? wrong : text) + " on $1 of $2",
                          "[y] speed=" + (last ? text : wrong) + " on $1 of $2",
                          "GPU name: Abacus 9000 ",
                          ""};
    const auto script = errors ? program(folder, "peer.sh", {"nothing here"}, said)
                               : program(folder, "peer.sh", said, {"nothing here"});
    const auto rule = folder.write(
        "rule.toml",
        std::string("title = 'A stand-in'\n[figure]\npattern = 'speed=([-+0-9.e]+) on theirs of ") +
            size + "'\nafter = '^---$'\nwhich = '" + (last ? "last" : "first") + "'\nunit = '" +
            unit.name + "'\n" +
            (unit.rate ? std::string("cells = '") + (all ? "all" : "changing") + "'\n"
                       : std::string("of = '") + (of_step ? "step" : "run") + "'\n") +
            "[device]\npattern = 'GPU name: (\\w+ \\d+)'\n[shapes]\n" +
            (three ? "3d7pt" : "2d5pt") + " = 'theirs'\n");
    const auto r = dwell_cli(compared(
        "stencil",
        {three ? "3d7pt" : "2d5pt", "--size", size, "--steps", std::to_string(steps), "--peer",
         "standin=sh " + script + " {shape} {size}", "--peer-rules", rule, "--format", "json"}));
    ASSERT_EQ(r.code, 0) << r.err << r.out;
    const auto row = row_of(r.json(), "standin");
    EXPECT_EQ(row.at("outcome"), "measured");
    EXPECT_NEAR(row.at("time").at("per_step_us").at("median").get<double>() / us, 1, 1e-6);
    EXPECT_EQ(row.at("time").at("per_step_us").at("all").size(), 2u) << "the first is not counted";
    EXPECT_NEAR(row.at("cells_per_s").get<double>() * us * 1e-6 / changing, 1, 1e-6)
        << "cells that change, whatever it counts";
    EXPECT_NEAR(row.at("printed").at("value").get<double>() / figure, 1, 1e-6);
    EXPECT_EQ(row.at("printed").at("unit"), unit.name);
    if (unit.rate) {
      EXPECT_EQ(row.at("printed").at("cells"), cells);
    }
    EXPECT_EQ(row.at("device").at("name"), "Abacus 9000");
    EXPECT_TRUE(ends(row.at("command").get<std::string>(), " theirs " + size));
    EXPECT_TRUE(row.at("same_bits").is_null()) << "nobody has its field";
    EXPECT_EQ(row.at("reason"), "A stand-in");
  }
}

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

/// It reads the files that stand in its command.
TEST(cli_peers, systems_are_files_that_it_can_read) {
  const scratch_folder folder;
  const auto rule = folder.write(
      "rule.toml",
      "[figure]\npattern = 'took (\\S+) us'\nunit = 'us'\nof = 'run'\n"
      "[setup]\npattern = 'setup (\\S+) us'\n[iterations]\npattern = 'iterations (\\d+)'\n"
      "[residual]\npattern = 'residual (\\S+)'\n");
  const auto script =
      folder.write("peer.sh",
                   "cp \"$1\" \"$5/m\" && cp \"$2\" \"$5/b\" && cp \"$3.00000\" \"$5/a\" && cp "
                   "\"$4.00000\" \"$5/v\" || exit 9\n"
                   "echo took 600 us, setup 400 us, iterations 3, residual 1e-9\n");
  const std::string command = "p=sh " + script + " {matrix} {rhs} {matrix_ij} {rhs_ij} '" +
                              std::filesystem::path(script).parent_path().string() + "'";
  for (const char* problem : {"cg", "solve"}) {
    SCOPED_TRACE(problem);
    const auto r =
        dwell_cli(compared(problem, {"poisson2d:1x3", "--rtol", "1e-6", "--peer", command,
                                     "--peer-rules", rule, "--format", "json"}));
    ASSERT_EQ(r.code, 0) << r.err << r.out;
    const auto row = row_of(r.json(), "p");
    ASSERT_EQ(row.at("outcome"), "measured") << row;
    EXPECT_EQ(row.at("stop_reason"), "converged");
    EXPECT_EQ(row.at("iterations"), 3);
    EXPECT_EQ(row.at("printed").at("residual"), 1e-9);
    EXPECT_TRUE(row.at("residual").at("relative_true").is_null())
        << "its answer is not ours to check";
    if (std::string(problem) == "cg")
      EXPECT_EQ(row.at("time").at("per_iteration_us").at("median"), 200.0);
    else
      EXPECT_EQ(row.at("time").at("total_us").at("median"), 1000.0) << "with its set-up";
    EXPECT_EQ(read_text(folder("a")),
              "0 2 0 2\n0 0 4\n0 1 -1\n1 0 -1\n1 1 4\n1 2 -1\n2 1 -1\n2 2 4\n");
    EXPECT_EQ(read_text(folder("v")), "0 2\n0 1\n1 1\n2 1\n");
    EXPECT_TRUE(starts(read_text(folder("m")), "%%MatrixMarket matrix coordinate real"));
    EXPECT_TRUE(starts(read_text(folder("b")), "%%MatrixMarket matrix array real general"));
    const auto file = row.at("command").get<std::string>();
    const auto begin = file.find("/", file.find("peer.sh") + 7);
    EXPECT_FALSE(std::filesystem::exists(file.substr(begin, file.find(' ', begin) - begin)))
        << "they are gone with the run";
  }
}

TEST(cli_peers, a_tolerance_needs_its_iterations_and_decides_whether_it_arrived) {
  const scratch_folder folder;
  const std::string figure = "[figure]\npattern = 'took (\\S+) us'\nunit = 'us'\nof = 'step'\n";
  const auto script = program(folder, "peer.sh", {"took 10 us, iterations 7, residual 0.5"});
  const auto stop = [&](const std::string& rule) {
    return row_of(dwell_cli(compared("cg", {"poisson2d:6x6", "--rtol", "1e-3", "--peer",
                                            "p=sh " + script, "--peer-rules",
                                            folder.write("rule.toml", rule), "--format", "json"}))
                      .json(),
                  "p");
  };
  EXPECT_EQ(stop(figure).at("outcome"), "unsupported");
  const std::string iterations = figure + "[iterations]\npattern = 'iterations (\\d+)'\n";
  EXPECT_EQ(stop(iterations).at("stop_reason"), "converged");
  const auto far = stop(iterations + "[residual]\npattern = 'residual (\\S+)'\n");
  EXPECT_EQ(far.at("stop_reason"), "iteration limit");
  EXPECT_NEAR(far.at("time").at("solve_s").get<double>(), 70e-6, 1e-12);
}

TEST(cli_peers, convolutions) {
  const scratch_folder folder;
  const auto script = program(folder, "peer.sh", {"$1 $2 $3 $4: 3 ms"});
  const auto r = dwell_cli(compared(
      "convolve",
      {"--size", "20x30", "--filter", "box:3", "--images", "2", "--peer",
       "p=sh " + script + " {shape} {taps} {images} {border}", "--peer-rules",
       folder.write(
           "rule.toml",
           "[figure]\npattern = 'box:3 3x3 2 reflect: (\\d+) ms'\nunit = 'ms'\nof = 'run'\n"),
       "--format", "json"}));
  ASSERT_EQ(r.code, 0) << r.err;
  const auto row = row_of(r.json(), "p");
  EXPECT_EQ(row.at("time").at("us").at("median"), 3000.0);
  EXPECT_NEAR(row.at("cells_per_s").get<double>(), 1200 / 3e-3, 1e-6);
}

/// A run of the peer is between two of ours, not before or behind all of them.
TEST(cli_peers, runs_are_between_ours) {
  const scratch_folder folder;
  const auto script = folder.write("peer.sh", "echo 1 ms\n");
  const auto r = dwell_cli(
      {"compare", "stencil", "2d5pt", "--size", "9x9", "--steps", "2", "--repetitions", "3",
       "--device", "cpu", "--threads", "1", "--executors", "host-loop,persistent", "--peer",
       "p=sh " + script, "--peer-rules",
       folder.write("rule.toml", "[figure]\npattern = '(\\d+) ms'\nunit = 'ms'\nof = 'run'\n")},
      {.terminal = true});
  ASSERT_EQ(r.code, 0) << r.err;
  // The line of progress names each run before it is begun.
  std::string order;
  for (std::size_t at = 0; at < r.err.size(); ++at)
    for (const auto& [words, letter] :
         {std::pair{"host-loop, run ", 'h'}, {"persistent, run ", 'p'}, {": p, run ", 'x'}})
      if (r.err.compare(at, std::string(words).size(), words) == 0) order += letter;
  order.erase(
      std::unique(order.begin(), order.end(), [](char a, char b) { return a == b && a != 'x'; }),
      order.end());
  EXPECT_TRUE(holds(order, "hxh")) << order;
  EXPECT_TRUE(holds(order, "pxp")) << order;
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

/// Rules that are in the program, against lines as the sources of those programs write them.
TEST(cli_peers, shipped_rules_read_what_their_programs_print) {
  const scratch_folder folder;
  struct sample {
    const char *name, *problem;
    strings lines;
    double us;  ///< per step or iteration; of 2d5pt 18x18 resp. 3d7pt 18x18x18, 10 steps
  };
  const double plane = 18 * 18, inner = 16 * 16;
  const sample all[] = {
      {"devito",
       "stencil",
       {"Operator Kernel ran in 0.02 s",
        "Global performance: [OI=1.00, 3.00 GFlops/s, 0.50 GPts/s]",
        "Global performance <w/o setup>: [0.01 s, 0.25 GPts/s]", "Local performance:"},
       inner / 0.25e3},
      {"hypre",
       "cg",
       {"=============", "Setup phase times:", "=============", "PCG Setup:",
        "  wall clock time = 0.004000 seconds", "  cpu clock time  = 0.003000 seconds",
        "=============", "Solve phase times:", "=============", "PCG Solve:",
        "  wall clock time = 0.000500 seconds", "  wall MFLOPS     = 0.000000",
        "  cpu clock time  = 0.000400 seconds", "", "Iterations = 5",
        "Final Relative Residual Norm = 5.114025e-07"},
       100},
      {"ginkgo",
       "cg",
       {"[", "    {", "        \\\"solver\\\": {", "            \\\"cg\\\": {",
        "                \\\"generate\\\": {", "                    \\\"time\\\": 0.25",
        "                },", "                \\\"apply\\\": {",
        "                    \\\"components\\\": {",
        "                        \\\"apply(<typename>)\\\": 1.0", "                    },",
        "                    \\\"iterations\\\": 8,", "                    \\\"time\\\": 0.0004",
        "                },", "                \\\"residual_norm\\\": 1.0,"},
       50}};
  for (const auto& one : all) {
    SCOPED_TRACE(one.name);
    const auto script = program(folder, "peer.sh", one.lines);
    const strings subject = std::string(one.problem) == "stencil"
                                ? strings{"2d5pt", "--size", "18x18", "--steps", "10"}
                                : strings{"poisson2d:5x5", "--rtol", "1e-3"};
    strings args = compared(one.problem, subject);
    args.insert(args.end(),
                {"--peer", std::string(one.name) + "=sh " + script, "--format", "json"});
    const auto r = dwell_cli(args);
    ASSERT_EQ(r.code, 0) << r.err << r.out;
    const auto row = row_of(r.json(), one.name);
    ASSERT_EQ(row.at("outcome"), "measured") << row;
    const auto& time = row.at("time");
    EXPECT_NEAR(
        (time.contains("per_step_us") ? time.at("per_step_us") : time.at("per_iteration_us"))
            .at("median")
            .get<double>(),
        one.us, 1e-6 * one.us);
  }
  // Those of GPUs: the same patterns as files of one's own, for here they may run.
  const sample on_gpus[] = {
      {"faststencil",
       "2d5pt",
       {"[INFO] NY 18, NX 18, T 10, checker 0",
        "[CRITICAL] FastStencil: 0.500000 GStencil/s, 0.007470 TFLOPS, 91.2% Efficient "
        "computation(0.007/0.008)"},
       plane / 0.5e3},
      {"ebisu",
       "2d5pt",
       {"[FORMA] Performance (ms) : 0.010000 ", "[FORMA] Performance (GCells/s) : 0.250000 ",
        "[FORMA] Valid Performance (GCells/s): 0.200000 "},
       plane / 0.25e3},
      {"perks-2d",
       "2d5pt",
       {"0\t2\t0\t18\t18\t10\t256\t<1,1>\t1\t2.000000\t0.010000\t0.125000\t4\t5\t256\t36\t8\t"},
       inner / 0.125e3},
      {"perks-3d",
       "3d7pt",
       {"0\t2\t18\t18\t18\t10\t256\t4\t<1,1,1>\t132\t1\t2.000000\t0.010000\t0.500000\t1\t2\t3\t"},
       plane * 18 / 0.5e3},
      {"an5d",
       "2d5pt",
       {"[Device warm-up]", "9.0000 ms", "", "[Device execution]",
        "      0:     1.0000 GFLOPS,     0.5000 ms", "Average:     1.0000 GFLOPS,     0.4000 ms"},
       40},
      {"drstencil",
       "2d5pt",
       {"Initiating ...", "GPU computing ...", "GPU finished computing.",
        "GPU computation time: 0.700000 ms"},
       70},
      {"bricks",
       "3d7pt",
       {"d3pt7", "Arr: 0.5", "Arr warp: 0.25", "Arr scatter: 0.125", "Bri: 0.0625",
        "Trans: 3.125e-05"},
       31.25},
      {"diffusion",
       "3d7pt",
       {"Benchmarking finished.", "Elapsed time : 3.500 (s)", "FLOPS        : 1.000 (GFLOPS)",
        "Accuracy     : 1.000000e-07", "Kernel-only performance:", "Elapsed time : 1.250 (s)",
        "FLOPS        : 3.000 (GFLOPS)"},
       125e3},
      {"driver", "2d5pt", {"STENCILGEN 10 steps: 0.320000 ms"}, 32},
      {"driver", "3d7pt", {"error of 2 steps: none", "Halide 10 steps: 4.8e-01 ms"}, 48},
      {"amgx",
       "cg",
       {"         Total Iterations: 4", "         Avg Convergence Rate: \t\t         0.0374",
        "         Final Residual: \t\t   5.114025e-07",
        "         Total Reduction in Residual: \t   1.022805e-10", "Total Time: 0.83328",
        "    setup: 0.37252 s", "    solve: 0.0004 s", "    solve(per iteration): 0.0658232 s"},
       100}};
  const std::filesystem::path rules = DWELL_PEER_RULES;
  for (const auto& one : on_gpus) {
    SCOPED_TRACE(one.name);
    auto text = read_text((rules / (std::string(one.name) + ".toml")).string());
    const auto place = text.find("runs_on = \"gpu\"\n");
    ASSERT_NE(place, std::string::npos);
    text.erase(place, 16);
    const auto script = program(folder, "peer.sh", one.lines);
    const bool system = std::string(one.problem) == "cg";
    const bool single = text.find("precisions = \"f32\"") != std::string::npos;
    strings args = system ? compared("cg", {"poisson2d:5x5", "--rtol", "1e-3"})
                          : compared("stencil", {one.problem, "--steps", "10", "--size",
                                                 one.problem[0] == '2' ? "18x18" : "18x18x18"});
    args.insert(args.end(), {"--precision", single ? "f32" : "f64", "--peer", "p=sh " + script,
                             "--peer-rules", folder.write("rule.toml", text), "--format", "json"});
    const auto r = dwell_cli(args);
    ASSERT_EQ(r.code, 0) << r.err << r.out;
    const auto row = row_of(r.json(), "p");
    ASSERT_EQ(row.at("outcome"), "measured") << row;
    EXPECT_NEAR(
        row.at("time").at(system ? "per_iteration_us" : "per_step_us").at("median").get<double>(),
        one.us, 1e-6 * one.us);
  }
  // And as they are, they say so here.
  const auto r = dwell_cli(compared(
      "stencil", {"2d5pt", "--size", "18x18", "--peer", "faststencil=true", "--format", "json"}));
  EXPECT_EQ(row_of(r.json(), "faststencil").at("why"), "by its rule it runs on GPUs only");
}

/// Words are those of a shell, and a value never becomes two.
TEST(cli_peers, a_command_is_words_without_a_shell) {
  const scratch_folder folder;
  const auto script = folder.write(
      "peer.sh", "for word; do echo \"word [$word]\"; done; echo $# words; echo 1 ms\n");
  const auto r = dwell_cli(compared(
      "stencil", {"2d5pt", "--size", "9x9", "--steps", "1", "--peer",
                  "p=sh " + script + " 'a b' \"c \\\"{size}\\\"\" d\\ e ''  {{x}} $HOME ';' '*'",
                  "--peer-rules",
                  folder.write("rule.toml",
                               "[figure]\npattern = '(\\d+) ms'\nunit = 'ms'\nof = 'run'\n"
                               "[device]\npattern = '(.* words)'\n"),
                  "--format", "json"}));
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(row_of(r.json(), "p").at("device").at("name"), "8 words");
  EXPECT_TRUE(ends(row_of(r.json(), "p").at("command").get<std::string>(),
                   "peer.sh 'a b' 'c \"9x9\"' 'd e' '' '{x}' '$HOME' ';' '*'"));
}

TEST(peer_child, what_it_started_ends_with_it) {
  const scratch_folder folder;
  const auto pid = folder("pid");
  const std::atomic<bool> never = false;
  app::child_limits limits;
  limits.seconds = 60;
  const auto r =
      app::run_command({"sh", "-c", "sleep 100 & echo $! > " + pid + "; echo done"}, limits, never);
  EXPECT_EQ(r.code, 0);
  EXPECT_EQ(r.out, "done\n");
  EXPECT_FALSE(r.too_long);
  // Ended, or a zombie of init's for a moment.
  const auto state = [&] {
    std::ifstream stat("/proc/" + std::to_string(std::stoi(read_text(pid))) + "/stat");
    std::string number, name, letter;
    stat >> number >> name >> letter;
    return letter;
  };
  for (int k = 0; k < 200 && !(state().empty() || state() == "Z"); ++k) ::usleep(10000);
  EXPECT_TRUE(state().empty() || state() == "Z") << state();
}

TEST(peer_child, variables_of_its_environment) {
  const std::atomic<bool> never = false;
  app::child_limits limits;
  limits.environment = {{"CUDA_VISIBLE_DEVICES", "7"}, {"DWELL_NEW", "a b"}};
  const auto r = app::run_command(
      {"sh", "-c", "echo $CUDA_VISIBLE_DEVICES, $DWELL_NEW, ${HOME:+home}"}, limits, never);
  EXPECT_EQ(r.out, std::getenv("HOME") ? "7, a b, home\n" : "7, a b, \n");
}

}  // namespace
}  // namespace dwell::test
