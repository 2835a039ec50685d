// SPDX-License-Identifier: MIT
// A stencil that Dwell does not know, compiled by nvcc as in a program of a user's: the kernels of
// every executor for GPUs, whole fields with the bits of plain loops.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "stencil_oracle.hpp"
#include "stencil_place.hpp"

#include "dwell/base/error.hpp"
#include "dwell/custom_stencil.hpp"

namespace dwell::test {
namespace {

/// Neither a star nor a box.
struct slanted : linear_stencil<slanted> {
  static constexpr const char* name = "slanted";
  static constexpr int dims = 2;
  static constexpr tap taps[] = {{0, 0}, {1, 0}, {-1, 1}, {0, -1}};
};

struct way {
  std::string executor, policy = "auto", blocking = "auto";
  int teams = 0;
};

/// Every executor as it plans; and perks, which has several kernels, as it may be asked to, by as
/// many teams as it likes and by two.
std::vector<way> ways() {
  std::vector<way> all;
  for (const auto& v : custom_kernels<slanted, double>()) all.push_back({v.executor});
  for (const char* policy : {"none", "shared", "registers", "both"})
    for (const char* blocking : {"spatial", "temporal"})
      for (const int teams : {0, 2}) all.push_back({"perks", policy, blocking, teams});
  return all;
}

TEST(custom_stencil_gpu, has_kernels_for_every_executor) {
  std::vector<std::string> executors;
  for (const auto& v : custom_kernels<slanted, double>()) {
    EXPECT_EQ(v.on, backend::cuda);
    executors.push_back(v.executor);
  }
  EXPECT_EQ(executors, (std::vector<std::string>{"naive", "host-loop", "graph", "persistent",
                                                 "perks", "temporal"}));
}

/// Rows of whole pieces and others; and a field that is too wide for the tiles of two teams, but
/// not for subdomains of their warps. More steps than there are between exchanges.
TEST(custom_stencil_gpu, every_way_gives_the_bits_of_loops) {
  if (const auto why = stencil_place::absent(); !why.empty()) GTEST_SKIP() << why;
  stencil_options o;
  o.steps = 17;
  o.weights = uneven_weights(shape_of<slanted>());
  int runs = 0, streams = 0, warps_rows = 0;
  std::size_t registers = 0, scratch = 0, streamed = 0;
  const auto count = [&](const stencil_report& r) {
    registers += r.cached_registers;
    scratch += r.cached_scratch;
    streamed += r.streamed;
    streams += r.pass_steps > 1;
    warps_rows += r.engine == "strip2d";
  };
  for (const extents& n : {extents(45, 136), extents(100, 404), extents(31, 67)}) {
    const auto start = random_field<double>(n, 1), source = random_field<double>(n, 2);
    for (const grid<double>* f : {static_cast<const grid<double>*>(nullptr), &source})
      for (const boundary edge : {boundary::fixed, boundary::periodic, boundary::reflect}) {
        o.edge = edge;
        const auto expected =
            stencil_by_loops(shape_of<slanted>(), start, o.steps, edge, o.weights, f);
        for (const way& w : ways()) {
          o.executor = w.executor;
          o.policy = w.policy;
          o.blocking = w.blocking;
          o.teams = w.teams;
          auto u = start;
          try {
            const auto report = solve<slanted>(stencil_place::where(), u, o, f);
            EXPECT_EQ(report.executor, w.executor);
            EXPECT_EQ(difference(u, expected), "")
                << to_string(n) << ", " << to_string(edge) << (f ? ", with a source, " : ", ")
                << w.executor << ": " << report.reason;
            ++runs;
            if (w.executor == "perks") count(report);
          } catch (const unsupported_error& e) {
            EXPECT_EQ(w.teams, 2) << e.what();
            EXPECT_EQ(n.x, 404) << e.what();
          }
        }
      }
  }
  EXPECT_GE(runs, 330);  // 360 in all
  EXPECT_GT(streams, 0);
  EXPECT_GT(warps_rows, 0);
  EXPECT_GT(registers, 0u);
  EXPECT_GT(scratch, 0u);
  EXPECT_GT(streamed, 0u);
}

}  // namespace
}  // namespace dwell::test
