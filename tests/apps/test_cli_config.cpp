// SPDX-License-Identifier: MIT
// --config: the options of a command from a TOML file, its errors with file and line, and the
// command line that wins.
#include <gtest/gtest.h>

#include "cli_runner.hpp"

namespace dwell::test {
namespace {

using strings = std::vector<std::string>;

strings cpu(strings args) {
  args.insert(args.end(), {"--device", "cpu", "--threads", "1"});
  return args;
}

TEST(cli_config, options_of_a_command_come_from_its_section) {
  const scratch_folder in;
  const auto file = in.write("run.toml",
                             "# comment\n[cg]\nMATRIX = \"trefethen:50\"\nrtol = 1e-3\natol=0.5\n"
                             "max-iterations = 1_000\npreconditioner = 'jacobi'\n"
                             "assume-symmetric = true\n\n[stencil]\nsteps = 7\nsize = \"9x9\"\n");
  for (const strings& words : {strings{"cg", "--config", file}, {"--config", file, "cg"}}) {
    auto args = words;
    args.insert(args.end(), {"--json", "-"});
    const auto r = dwell_cli(cpu(args));
    ASSERT_EQ(r.code, 0) << r.err;
    const auto j = r.json();
    EXPECT_EQ(j.at("matrix").at("name"), "trefethen:50");
    EXPECT_EQ(j.at("tolerance").at("relative"), 1e-3);
    EXPECT_EQ(j.at("tolerance").at("absolute"), 0.5);
    EXPECT_EQ(j.at("max_iterations"), 1000);
    EXPECT_EQ(j.at("preconditioner"), "jacobi");
  }
  const auto r = dwell_cli(cpu({"stencil", "2d5pt", "--config", file, "--json", "-"}));
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.json().at("steps"), 7);
}

TEST(cli_config, the_command_line_wins) {
  const scratch_folder in;
  const auto file = in.write("run.toml", "[cg]\nrtol = 1e-3\nquiet = false\nmonitor = 1000\n");
  const auto r =
      dwell_cli(cpu({"cg", "trefethen:50", "--rtol", "1e-5", "--config", file, "--json", "-"}));
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.json().at("tolerance").at("relative"), 1e-5);
  EXPECT_EQ(lines_of(r.err).size(), 2u) << "monitor: the first and the last iteration\n" << r.err;
}

TEST(cli_config, lists_and_sections_below_sections) {
  const scratch_folder in;
  const auto file = in.write("run.toml",
                             "[compare.cg]\nMATRIX = [\"trefethen:20\", \"trefethen:30\"]\n"
                             "executors = [\"host-loop\", \"persistent\"]\nno-peers = true\n"
                             "repetitions = 1\niterations = 3\n");
  const auto r = dwell_cli(cpu({"compare", "cg", "--config", file, "--format", "json"}));
  ASSERT_EQ(r.code, 0) << r.err;
  const auto j = r.json();
  ASSERT_EQ(j.at("matrices").size(), 2u);
  EXPECT_EQ(j.at("matrices")[1].at("runs").size(), 2u);
}

TEST(cli_config, standard_input) {
  const auto r =
      dwell_cli(cpu({"cg", "trefethen:20", "--config", "-"}), {.input = "[cg]\nquiet = true\n"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.out, "");
}

TEST(cli_config, what_is_wrong_has_file_and_line) {
  const scratch_folder in;
  const auto refused = [&](const std::string& text, const std::string& part) {
    const auto file = in.write("bad.toml", text);
    expect_refused({"cg", "trefethen:20", "--config", file}, file + ":" + part);
  };
  refused("[cg]\n\nrtoll = 1\n", "3: rtoll: no such option of [cg]; did you mean 'rtol'?");
  refused("[cg]\nrtol = -1\n", "2: --rtol: expected a finite number >= 0, found '-1'");
  refused("[cg]\nrtol = \"x\"\n", "2: --rtol: expected a finite number >= 0, found 'x'");
  refused("[cg]\nexecutor = \"persistant\"\n", "2: --executor: expected auto, host-loop");
  refused("[cg]\nthreads = 1.5\n", "2: --threads: expected a whole number");
  refused("[cg]\nquiet = 1\n", "2: quiet: expected true or false, found 1");
  refused("[cg]\noutput = true\n", "2: output: expected a value, found true");
  refused("[cg]\nrtol = 1979-05-27\n", "2: rtol: expected text, a number, true, false or an array");
  refused("[cgg]\nrtol = 1\n", "1: [cgg]: no such command; did you mean 'cg'?");
  refused("[compare.cgg]\n", "1: [compare.cgg]: no such command; did you mean 'cg'?");
  refused("rtol = 1\n", "1: rtol: expected in the section of a command, such as [cg]");
  refused("[cg]\nrtol 1\n", "2: ");
  refused("[cg]\nrtol = 1\nrtol = 2\n", "3: ");
  refused("[cg]\nconfig = \"more.toml\"\n", "2: config: no such option of [cg]");
  refused("[stencil]\nsteps = -1\n", "2: --steps: expected a whole number from 0");
}

/// toml++ takes a key of names with dots between apart by calling itself.
TEST(cli_config, keys_of_very_many_names_are_refused) {
  const scratch_folder in;
  const auto times = [](const std::string& part, int n) {
    std::string all;
    for (int k = 0; k < n; ++k) all += part;
    return all;
  };
  const auto refused = [&](const std::string& text, const std::string& part) {
    const auto file = in.write("bad.toml", text);
    const auto r = dwell_cli({"cg", "trefethen:20", "--config", file});
    EXPECT_EQ(r.code, 1) << text.substr(0, 60);
    EXPECT_TRUE(starts(r.err, "dwell: " + file + ":" + part)) << r.err.substr(0, 200);
    EXPECT_EQ(lines_of(r.err).size(), 1u);
  };
  const std::string too_many = "expected a key of at most 16 names, found more\n";
  for (const int n : {16, 1000, 50000, 150000}) {
    refused("[" + times("a.", n) + "b]\nx = 1\n", "1: " + too_many);
    refused("[[" + times("a.", n) + "b]]\nx = 1\n", "1: " + too_many);
    refused("# line\n[cg]\n" + times("a.", n) + "b = 1\n", "3: " + too_many);
    refused("[cg]\nx = {" + times("a . ", n) + "b = 1}\n", "2: " + too_many);
    refused("[cg]\nx = [1, {" + times("'a'.", n) + "b = 1}]\n", "2: " + too_many);
    refused("[cg]\nx = [\"\"\"y\n\"\"\"\"\", {" + times("\"=\".", n) + "b = 1}]\n",
            "3: " + too_many);
  }
  for (const char* nested : {"[", "{a="})
    refused("[cg]\nx = " + times(nested, 100000) + "\n", "2: ");
  const auto file = in.write(
      "long.toml", "# " + times("a.", 100) + "\n[cg]\nrhs = \"" + times("x.", 100) + "npy\"\n");
  expect_refused({"cg", "trefethen:20", "--config", file},
                 "or the name of a file that is there, found '" + times("x.", 100) + "npy'");
  in.write("huge.toml", "#" + std::string(1 << 20, ' '));
  expect_refused({"cg", "trefethen:20", "--config", in("huge.toml")},
                 "huge.toml: expected a file of options, found more than 1 MiB");
  expect_refused({"cg", "trefethen:20", "--config", "/dev/zero"}, "found more than 1 MiB");
}

TEST(cli_config, files_that_are_not_there) {
  const scratch_folder in;
  expect_refused({"cg", "trefethen:20", "--config", in("none.toml")},
                 "--config: expected a file, found '" + in("none.toml"));
  expect_refused({"--config", in(""), "cg", "trefethen:20"}, "a folder");
  expect_refused({"cg", "trefethen:20", "--config"}, "--config: expected FILE|-, found nothing");
  const auto file = in.write("a.toml", "");
  expect_refused({"cg", "trefethen:20", "--config", file, "--config", file},
                 "--config: expected once");
}

}  // namespace
}  // namespace dwell::test
