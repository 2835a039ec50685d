// SPDX-License-Identifier: MIT
// Standard error that nobody can read, and a terminal that hangs up: the run, its files and its
// exit code are those of any other.
#include <gtest/gtest.h>
#include <signal.h>

#include "cli_runner.hpp"
#include "dwell/formats/npy.hpp"

namespace dwell::test {
namespace {

using strings = std::vector<std::string>;

const strings unreadable = {"closed", "/dev/full", "gone"};

/// One thread on a CPU, and what else is asked for.
strings watched_run(const strings& more) {
  strings args = {"stencil", "2d5pt", "--device", "cpu", "--threads", "1"};
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

TEST(cli_streams, an_error_that_cannot_be_told_has_its_code) {
  for (const auto& where : unreadable) {
    const cli_setting setting = {.stderr_to = where};
    EXPECT_EQ(dwell_cli({"solver"}, setting).code, 1) << where;
    EXPECT_EQ(dwell_cli(watched_run({"--size", "0x8"}), setting).code, 1) << where;
    EXPECT_EQ(dwell_cli({"info", "--device", "cuda:99"}, setting).code, 4) << where;
    EXPECT_EQ(dwell_cli({"cg", "trefethen:500", "--max-iterations", "1"}, setting).code, 2);
    EXPECT_EQ(dwell_cli({"compare", "stencil", "2d5pt", "--size", "1000000x1000000", "--executors",
                         "host-loop", "--device", "cpu"},
                        setting)
                  .code,
              4)
        << where;
  }
}

TEST(cli_streams, words_that_cannot_be_told_cost_no_result) {
  for (const auto& where : unreadable) {
    const scratch_folder in;
    const auto r =
        dwell_cli(watched_run({"--size", "9x9", "--weights", "9,9,9,9,9", "--boundary", "periodic",
                               "--steps", "3000", "-o", in("u.npy"), "--json", in("r.json")}),
                  {.stderr_to = where});
    EXPECT_EQ(r.code, 3) << where;
    EXPECT_TRUE(holds(r.out, "NOT FINITE in all cells")) << where;
    EXPECT_EQ(in.files(), (strings{"r.json", "u.npy"})) << where;
    const auto warned = dwell_cli({"cg", "poisson2d:30x30", "--precision", "f32", "--rtol", "1e-14",
                                   "--max-iterations", "500", "-o", in("x.mtx")},
                                  {.stderr_to = where});
    EXPECT_GE(warned.code, 0) << where;
    EXPECT_TRUE(holds(warned.out, "THEY DISAGREE")) << where;
  }
}

// The kernel and the shell both tell of it; standard output is that terminal too.
TEST(cli_streams, a_terminal_that_hangs_up_is_an_interrupt) {
  const scratch_folder in;
  const auto steps = [](const std::string& err) { return err.find("step ") != std::string::npos; };
  for (const auto* out : {"terminal", ""}) {
    const auto r = dwell_cli(watched_run({"--size", "500x500", "--steps", "2000000000", "-o",
                                          in("u.npy"), "--json", in("r.json")}),
                             {.terminal = true, .stdout_to = out, .hang_up_when = steps});
    EXPECT_EQ(r.code, 130) << out;
    EXPECT_EQ(in.files(), (strings{"r.json", "u.npy"})) << out;
    EXPECT_EQ(read_npy<double>(in("u.npy")).size(), extents(500, 500));
    const auto j = nlohmann::json::parse(read_text(in("r.json")));
    EXPECT_EQ(j.at("stop_reason"), "interrupted");
    std::filesystem::remove(in("u.npy")), std::filesystem::remove(in("r.json"));
  }
  const auto compared =
      dwell_cli({"compare", "stencil", "2d5pt", "--size", "50x50", "--device", "cpu", "--threads",
                 "1", "--steps", "2147483647", "--format", "json", "-o", in("c.json")},
                {.terminal = true, .hang_up_when = [](const std::string& err) {
                   return err.find("host-loop, run 1") != std::string::npos;
                 }});
  EXPECT_EQ(compared.code, 130);
  EXPECT_EQ(nlohmann::json::parse(read_text(in("c.json"))).at("interrupted"), true);
}

}  // namespace
}  // namespace dwell::test
