// SPDX-License-Identifier: MIT
// What the command line says of itself: the reference in docs/, manual pages, scripts of shells
// (which tests/scripts/completion_test.sh asks).
#include <gtest/gtest.h>

#include <algorithm>

#include "cli_runner.hpp"
#include "dwell/version.hpp"

namespace dwell::test {
namespace {

using strings = std::vector<std::string>;

/// "  2d5pt        2 dimensions, radius 1, reads ...": a stencil that this build may not have.
bool is_stencil_line(const std::string& line) {
  return line.starts_with("  ") && line.find(" dimensions, radius ") != std::string::npos;
}

TEST(cli_describe, the_reference_is_what_the_command_prints) {
  const auto printed = dwell_cli({"man", "--format", "markdown"});
  ASSERT_EQ(printed.code, 0) << printed.err;
  auto committed = lines_of(read_text(DWELL_COMMAND_LINE_REFERENCE)), made = lines_of(printed.out);
  for (const auto& line : made) {
    if (!is_stencil_line(line)) continue;
    EXPECT_NE(std::find(committed.begin(), committed.end(), line), committed.end()) << line;
  }
  std::erase_if(committed, is_stencil_line), std::erase_if(made, is_stencil_line);
  EXPECT_EQ(committed, made) << "to renew it, with a build that has all stencils:\n"
                                "  dwell man --format markdown -o docs/reference/command-line.md";
}

/// Every option of --help is on the page, the reference and in each completion.
TEST(cli_describe, no_option_is_left_out) {
  const auto bash = dwell_cli({"completion", "bash"}).out,
             zsh = dwell_cli({"completion", "zsh"}).out,
             fish = dwell_cli({"completion", "fish"}).out;
  for (const strings& words : {strings{"solve"},
                               {"cg"},
                               {"stencil"},
                               {"compare", "cg"},
                               {"explain", "stencil"},
                               {"man"}}) {
    auto help = words, man = words;
    help.push_back("--help");
    man.insert(man.begin(), "man");
    const auto page = dwell_cli(man).out;
    int options = 0;
    for (const auto& line : lines_of(dwell_cli(help).out)) {
      const auto at = line.find("--");
      if (!line.starts_with("  -") || at == std::string::npos) continue;
      const auto name = line.substr(at + 2, line.find_first_of(" [", at) - at - 2);
      std::string roff = "\\fB\\-\\-";
      for (const char c : name) roff += c == '-' ? std::string("\\-") : std::string(1, c);
      EXPECT_TRUE(holds(page, roff + "\\fR")) << words.front();
      EXPECT_TRUE(holds(bash, "--" + name));
      EXPECT_TRUE(holds(zsh, "--" + name));
      EXPECT_TRUE(holds(fish, " -l " + name + " "));
      ++options;
    }
    EXPECT_GT(options, 2);
  }
}

/// A group of options is there once, and a heading has something below it.
TEST(cli_describe, groups_and_sections_are_whole) {
  for (const strings& words :
       {strings{"solve"}, {"cg"}, {"stencil"}, {"completion"}, {"compare", "cg"}}) {
    auto args = words;
    args.insert(args.begin(), "man");
    args.insert(args.end(), {"--format", "markdown"});
    const auto lines = lines_of(dwell_cli(args).out);
    std::vector<std::string> heads;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (!lines[i].starts_with("**")) continue;
      EXPECT_EQ(std::find(heads.begin(), heads.end(), lines[i]), heads.end()) << lines[i];
      heads.push_back(lines[i]);
      ASSERT_LT(i + 3, lines.size());
      EXPECT_FALSE(lines[i + 2] == "```" && lines[i + 3] == "```") << lines[i];
    }
    EXPECT_GT(heads.size(), 2u);
  }
}

TEST(cli_describe, pages_of_all_commands) {
  const scratch_folder in;
  ASSERT_EQ(dwell_cli({"man", "--directory", in("")}).code, 0);
  const auto files = in.files();
  for (const auto* name : {"dwell.1", "dwell-cg.1", "dwell-compare.1", "dwell-compare-cg.1",
                           "dwell-explain-stencil.1", "dwell-generate.1", "dwell-man.1"})
    EXPECT_NE(std::find(files.begin(), files.end(), name), files.end()) << name;
  const auto page = read_text(in("dwell-compare-cg.1"));
  EXPECT_TRUE(holds(page, ".TH DWELL\\-COMPARE\\-CG 1 \"\" \"dwell " DWELL_VERSION_STRING "\""));
  EXPECT_EQ(page, dwell_cli({"man", "compare", "cg"}).out);
  EXPECT_TRUE(holds(page, ".SH EXIT CODES\n"));
  EXPECT_TRUE(holds(page, "  dwell compare cg A.mtx \\-\\-rtol 1e\\-8"));
}

TEST(cli_describe, what_is_refused) {
  expect_refused({"man", "cgg"}, "COMMAND: expected solve, cg, stencil, convolve, grid, compare");
  expect_refused({"man", "cgg"}, "did you mean 'cg'?");
  expect_refused({"man", "cg", "x"}, "'dwell cg' has no commands, found 'x'");
  expect_refused({"man", "--directory", "/no/such"}, "--directory: expected a folder");
  expect_refused({"man", "cg", "--directory", "/tmp"}, "--directory: gets the pages of all");
  expect_refused({"completion"}, "SHELL is required");
  expect_refused({"completion", "tcsh"}, "expected bash, zsh or fish, found 'tcsh'");
}

}  // namespace
}  // namespace dwell::test
