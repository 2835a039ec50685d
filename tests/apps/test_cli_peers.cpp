// SPDX-License-Identifier: MIT
// Peers by command: stand-in programs of the shell that print a known time in any unit, among any
// lines, to either stream, beside stencils, systems and convolutions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <random>

#include "peer_runs.hpp"

namespace dwell::test {
namespace {

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

}  // namespace
}  // namespace dwell::test
