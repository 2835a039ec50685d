// SPDX-License-Identifier: MIT
// Runs with too little address space for them, whatever it is that finds none: a line and exit
// code 4, never the end of the process from within a thread.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "cli_runner.hpp"

namespace dwell::test {
namespace {

using strings = std::vector<std::string>;

/// `args` under less and less address space, by `step` MiB around where it begins to be too little:
/// there what a team needs for itself is missing, and all else is not.
void expect_done_or_one_line(const strings& args, std::size_t step) {
  SCOPED_TRACE(args[0] + ' ' + args[1] + ' ' + args.back());
  const auto run = [&](std::size_t mib) {
    const auto r = dwell_cli(args, {.memory = rlim_t{mib} << 20});
    EXPECT_TRUE(r.code == 0 || r.code == 4) << r.code << " at " << mib << " MiB: " << r.err;
    if (r.code != 0) {
      EXPECT_EQ(r.out, "") << mib << " MiB";
      EXPECT_EQ(lines_of(r.err).size(), 1u) << mib << " MiB: " << r.err;
    }
    return r.code == 0;
  };
  std::size_t starts = 8, enough = 1024;
  while (dwell_cli({"--version"}, {.memory = rlim_t{starts} << 20}).code != 0) starts += 4;
  ASSERT_TRUE(run(enough));
  for (std::size_t little = starts; enough - little > 1;) {
    const std::size_t middle = (little + enough) / 2;
    (run(middle) ? enough : little) = middle;
  }
  for (std::size_t mib = enough + 8; mib > starts && mib + 24 > enough; mib -= step) run(mib);
}

TEST(cli_memory, too_little_of_it_is_one_line_under_every_executor) {
#if defined(DWELL_SANITIZED)
  GTEST_SKIP() << "sanitizers reserve more address space than this test leaves";
#endif
  std::size_t turn = 0;
  for (const char* executor : {"perks", "persistent", "host-loop"}) {
    const strings how = {"--device", "cpu", "-q", "--threads", "4", "--executor", executor};
    for (strings args : {strings{"stencil", "2d5pt", "--size", "800x800", "--steps", "3"},
                         {"stencil", "3d7pt", "--size", "80x80x80", "--steps", "3"},
                         {"cg", "poisson2d:200x200", "--rtol", "1e-2"}}) {
      args.insert(args.end(), how.begin(), how.end());
      expect_done_or_one_line(args,
                              turn++ % 4 == 0 ? 1 : 5);  // each executor and each problem once by 1
    }
  }
}

// More nonzeros than 32 bits count: refused before they are made, by options and by memory.
TEST(cli_memory, of_a_matrix_with_billions_of_nonzeros_is_looked_at_before_it_is_made) {
#if defined(DWELL_SANITIZED)
  GTEST_SKIP() << "sanitizers reserve more address space than this test leaves";
#endif
  const auto said = [](const strings& more) {
    strings args = {"solve", "poisson3d:700x700x700", "--device", "cpu"};
    args.insert(args.end(), more.begin(), more.end());
    const auto r = dwell_cli(args, {.memory = rlim_t{1} << 30});
    EXPECT_EQ(lines_of(r.err).size(), 1u) << r.err;
    EXPECT_EQ(r.out, "");
    return std::to_string(r.code) + ": " + r.err;
  };
  // The matrix, b and x, and what the solve has: vectors, residuals, a basis, copies in f32.
  const auto gib = [](double bytes_of_row, double bytes_of_nonzero) {
    const double bytes = 343e6 * bytes_of_row + 2398060000.0 * bytes_of_nonzero;
    return fmt::format(
        "4: dwell: too little memory: 2,398,060,000 nonzeros in 343,000,000 rows "
        "and the solve take {:.1f} GiB or more, ",
        bytes / (1 << 30));
  };
  const double system = 8 + 2 * 8 + 16, in_f32 = 8 + 2 * 4 + 5 * 4;
  for (const auto& [more, expected] :
       {std::pair{strings{}, gib(system + 5 * 8, 12)},
        {{"--solver", "cg", "--preconditioner", "none"}, gib(system + 5 * 8, 12)},
        {{"--precision", "f32"}, gib(system + in_f32, 12 + 8)},
        {{"--precision", "mixed"}, gib(system + 5 * 4, 12 + 4)}})
    EXPECT_TRUE(said(more).starts_with(expected)) << said(more) << expected;
  for (const int restart : {2, 30, 100}) {
    const auto vectors = std::to_string(restart);
    const std::string one = said({"--solver", "gmres", "--restart", vectors}),
                      more = said({"--solver", "gmres", "--restart", std::to_string(restart - 1)});
    EXPECT_NE(one, more) << one;
  }
  const std::string many = "not with a matrix of more than 2^31 - 1 nonzeros, found 2398060000";
  EXPECT_EQ(said({"--preconditioner", "amg"}),
            "1: dwell: preconditioner amg: expected a matrix of at most 2147483647 nonzeros, found "
            "2398060000 (preconditioners none and jacobi take more)\n");
  EXPECT_EQ(said({"--rhs-count", "2"}), "1: dwell: --rhs-count: " + many + "\n");
  EXPECT_EQ(said({"--rhs", "companion"}), "1: dwell: --rhs companion: " + many + "\n");
  EXPECT_EQ(said({"--coordinates", "nodes.mtx"}),
            "1: dwell: --near-null and --coordinates: " + many + "\n");
}

}  // namespace
}  // namespace dwell::test
