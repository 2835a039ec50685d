// SPDX-License-Identifier: MIT
// A word that is not known is named in the message, with the known one that was perhaps meant:
// subcommands, options, their values, matrices, stencils. And `dwell help`, `dwell version`.
#include <gtest/gtest.h>

#include <thread>

#include "cli_runner.hpp"

namespace dwell::test {
namespace {

using strings = std::vector<std::string>;

TEST(cli_suggestions, subcommands) {
  expect_refused({"cgg"},
                 "dwell: expected a command (solve, cg, stencil, convolve, grid, compare, explain, "
                 "info, generate, convert, "
                 "kernels, measure, model, trace, completion or man), found "
                 "'cgg'; did you mean 'cg'? (see 'dwell --help')\n");
  expect_refused({"stencils", "2d5pt", "--size", "9x9"},
                 "found 'stencils'; did you mean 'stencil'?");
  expect_refused({"compare", "cgg", "A.mtx"},
                 "expected a command (solve, cg, stencil or convolve), found 'cgg'; did you mean "
                 "'cg'? (see 'dwell "
                 "compare --help')");
  expect_refused({"compare"}, "expected a command (solve, cg, stencil or convolve), found nothing");
  expect_refused({"vresion"}, "did you mean 'version'?");
  expect_refused({"cgg", "--help"}, "found 'cgg'; did you mean 'cg'?");
}

TEST(cli_suggestions, help_and_version_are_words_too) {
  EXPECT_EQ(dwell_cli({"version"}).out, dwell_cli({"--version"}).out);
  for (const strings& words : {strings{}, {"cg"}, {"compare"}, {"compare", "stencil"}}) {
    strings asked = {"help"}, option = words;
    asked.insert(asked.end(), words.begin(), words.end());
    option.push_back("--help");
    const auto r = dwell_cli(asked);
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_EQ(r.out, dwell_cli(option).out);
  }
  expect_refused({"help", "cgg"}, "found 'cgg'; did you mean 'cg'?");
}

TEST(cli_suggestions, options) {
  const strings solve = {"cg", "trefethen:20"};
  const auto refused = [&](const strings& more, const std::string& part) {
    auto args = solve;
    args.insert(args.end(), more.begin(), more.end());
    expect_refused(args, "dwell: " + part);
  };
  refused({"--ouput", "x.mtx"}, "--ouput: no such option; did you mean '--output'? (see 'dwell cg");
  refused({"--ouput=x.mtx"}, "--ouput: no such option; did you mean '--output'? (see");
  refused({"--tol", "1e-8"}, "--tol: no such option; did you mean '--rtol' or '--atol'? (see");
  refused({"-tol", "1e-8"}, "-tol: no such option; did you mean '--rtol' or '--atol'? (see");
  refused({"--iterations", "5"}, "--iterations: no such option; did you mean '--max-iterations'?");
  refused({"--frobnicate"}, "--frobnicate: no such option (see");
  refused({"-k"}, "-k: no such option (see");
  // What is missing may follow from it.
  expect_refused({"cg", "--matrix=A.mtx"}, "dwell: --matrix: no such option");
  expect_refused({"generate", "trefethen:20", "--ouput", "x"}, "did you mean '--output'?");
  expect_refused({"compare", "stencil", "2d5pt", "--sise", "9x9"},
                 "did you mean '--size'? (see 'dwell compare stencil --help')");
  expect_refused({"--rtol", "1e-3", "cg", "trefethen:20"},
                 "--rtol: an option of 'cg', expected behind that word");
}

TEST(cli_suggestions, values) {
  expect_refused({"cg", "trefethen:20", "--policy", "gredy"},
                 "found 'gredy'; did you mean 'greedy'?");
  expect_refused({"cg", "trefethen:20", "--executor", "perk"},
                 "found 'perk'; did you mean 'perks'?");
  expect_refused({"cg", "trefethen:20", "--variant", "texbook"}, "did you mean 'textbook'?");
  expect_refused({"cg", "trefethen:20", "--precision", "f46"}, "found 'f46'; did you mean 'f64'?");
  expect_refused({"compare", "cg", "trefethen:20", "--policies", "none,gredy"},
                 "with commas between, found 'gredy'; did you mean 'greedy'?");
  expect_refused({"explain", "cg", "trefethen:20", "--device-facts", "h20"},
                 "did you mean 'h200'?");
  expect_refused({"stencil", "2d5pt", "--size", "9x9", "--boundary", "periodc"},
                 "found 'periodc'; did you mean 'periodic'?");
  expect_refused({"stencil", "2d5pt", "--size", "9x9", "--initial", "hotspot"},
                 "found 'hotspot'; did you mean 'hot-spot'?");
}

TEST(cli_suggestions, stencils_and_matrices) {
  for (const strings& args : {strings{"stencil", "2d5p", "--size", "9x9"},
                              {"compare", "stencil", "2d5p", "--size", "9x9"}})
    expect_refused(args, "found '2d5p'; did you mean '2d5pt'?");
  expect_refused({"info", "2d5p"}, "did you mean '2d5pt'?");
  expect_refused({"cg", "trefethn:20"}, "did you mean 'trefethen:20'?");
  expect_refused({"info", "poisson2d"}, "did you mean 'poisson2d:WxH'?");
  expect_refused({"cg", "ecology2"}, "did you mean 'like:ecology2'?");
  expect_refused({"generate", "trefethn:20", "-o", "/dev/null"}, "did you mean 'trefethen:20'?");
  expect_refused({"cg", "like:ecolgy2"}, "found 'like:ecolgy2'; did you mean 'like:ecology2'?");
}

TEST(cli_suggestions, threads_are_bounded_by_the_machine) {
  const auto most = 4 * std::thread::hardware_concurrency();
  const auto too_many = std::to_string(most + 1);
  const auto message =
      "expected 1 to " + std::to_string(most) + " threads (four for each of the machine's ";
  const scratch_folder in;
  const auto file = in.write("a.mtx", two_by_two(2, 1, 2));
  for (const strings& what : {strings{"cg", "trefethen:20", "--device", "cpu"},
                              {"compare", "cg", file, "--device", "cpu"},
                              {"explain", "cg", file, "--device", "cpu"},
                              {"explain", "cg", file, "--device-facts", "h200"},
                              {"info", file},
                              {"info", "--device", "cpu"},
                              {"stencil", "2d5pt", "--size", "9x9", "--device", "cpu"},
                              {"compare", "stencil", "2d5pt", "--size", "9x9", "--device", "cpu"},
                              {"explain", "stencil", "2d5pt", "--size", "9x9", "--device", "cpu"}})
    for (const auto& threads : {too_many, std::string("1000000000")}) {
      auto args = what;
      args.insert(args.end(), {"--threads", threads});
      expect_refused(args, message);
      expect_refused(args, ", found " + threads);
    }
  const auto at_most =
      dwell_cli({"cg", "trefethen:20", "--device", "cpu", "--threads", std::to_string(most), "-q"});
  EXPECT_EQ(at_most.code, 0) << at_most.err;
}

TEST(cli_suggestions, a_peer_whose_threads_do_not_start_has_a_row_that_says_so) {
#if defined(DWELL_SANITIZED)
  GTEST_SKIP() << "sanitizers need more address space than this test leaves";
#endif
  const auto r = dwell_cli({"compare", "cg", "trefethen:2000", "--device", "cpu", "--threads", "4",
                            "--executors", "host-loop", "--peers", "eigen", "--iterations", "3",
                            "--repetitions", "1", "--format", "json"},
                           {.memory = rlim_t{2} << 30, .stack = rlim_t{1} << 30});
  EXPECT_EQ(r.code, 4) << r.err;
  const auto runs = r.json().at("matrices").at(0).at("runs");
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[1].at("executor"), "eigen");
  EXPECT_EQ(runs[1].at("outcome"), "failed");
  EXPECT_TRUE(holds(runs[1].at("why"), "expected the system to start 4 threads, it started "));
}

}  // namespace
}  // namespace dwell::test
