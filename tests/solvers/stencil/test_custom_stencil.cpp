// SPDX-License-Identifier: MIT
// Stencils that Dwell does not know, compiled here by dwell/custom_stencil.hpp: under every
// executor that it offers, whole fields with the bits of plain loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "stencil_oracle.hpp"

#include "dwell/base/error.hpp"
#include "dwell/custom_stencil.hpp"

namespace dwell::test {
namespace {

/// Neither a star nor a box, and wider below than above.
struct lopsided : linear_stencil<lopsided> {
  static constexpr const char* name = "lopsided";
  static constexpr bool caches_on_cpu = true;
  static constexpr int dims = 2;
  static constexpr tap taps[] = {{0, 0}, {0, -1}, {2, 1}, {-1, 0}, {1, -2}};
};

/// Not linear, with two parameters.
struct limiter {
  static constexpr const char* name = "limiter";
  static constexpr bool caches_on_cpu = true;
  static constexpr int dims = 2;
  static constexpr tap taps[] = {{0, 0}, {0, -1}, {0, 1}, {-1, 0}, {1, 0}};
  static constexpr double defaults[] = {0.2, 0.5};
  static constexpr int flops = 9;
  template <class T, class Near>
  DWELL_FN static T apply(const Near& u, const T* w) {
    const T here = u(0, 0);
    const T pull = (u(0, -1) - here) + (u(0, 1) - here) + (u(-1, 0) - here) + (u(1, 0) - here);
    return multiply_add(w[0], pull > w[1] ? w[1] : pull, here);
  }
};

/// Its formula once more, for loops.
template <class T>
T limited(const std::vector<T>& u, const std::vector<T>& w) {
  const T pull = (u[1] - u[0]) + (u[2] - u[0]) + (u[3] - u[0]) + (u[4] - u[0]);
  return std::fma(w[0], std::min(pull, w[1]), u[0]);
}

struct upwind : linear_stencil<upwind> {
  static constexpr const char* name = "upwind";
  static constexpr bool caches_on_cpu = true;
  static constexpr int dims = 3;
  static constexpr tap taps[] = {{0, 0, 0}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
};

/// One of the ways to run a stencil.
struct way {
  std::string executor, policy = "auto", blocking = "auto";
  int depth = 0;
};

/// Every executor as it plans; and perks, which has several kernels, as it may be asked to. Tiles
/// are then exchanged after every step.
template <class S, class T>
std::vector<way> ways() {
  std::vector<way> all;
  for (const auto& v : custom_kernels<S, T>()) all.push_back({v.executor});
  EXPECT_EQ(all.size(), 5u) << "naive, host-loop, persistent, perks, temporal";
  for (const char* policy : {"none", "shared", "registers", "both"}) {
    all.push_back({"perks", policy, "spatial", 1});
    if (is_linear<S>) all.push_back({"perks", policy, "temporal"});
  }
  return all;
}

/// Under each of them whole fields have the bits of loops; none is refused.
template <class S, class T>
void every_way_gives_the_bits_of_loops(const extents& n, const std::vector<double>& weights = {},
                                       cell_formula<T> formula = nullptr) {
  const auto start = random_field<T>(n, 1), source = random_field<T>(n, 2);
  std::size_t registers = 0, scratch = 0, streamed = 0;
  constexpr int steps = 3;  // no multiple of a pass
  int longest_pass = 0;
  for (const grid<T>* f : {static_cast<const grid<T>*>(nullptr), &source})
    for (const boundary edge : {boundary::fixed, boundary::periodic, boundary::reflect}) {
      const auto expected =
          stencil_by_loops(shape_of<S>(), start, steps, edge, weights, f, formula);
      for (const way& w : ways<S, T>()) {
        grid<T> u = start;
        stencil_options o;
        o.executor = w.executor;
        o.policy = w.policy;
        o.blocking = w.blocking;
        o.depth = w.depth;
        o.edge = edge;
        o.steps = steps;
        o.weights = weights;
        const auto report = solve<S>(device::cpu(2), u, o, f);
        EXPECT_EQ(report.shape, S::name);
        EXPECT_EQ(report.executor, w.executor);
        EXPECT_EQ(difference(u, expected), "")
            << S::name << " under " << w.executor << ", " << to_string(edge) << ", "
            << report.reason << (f ? ", with a source" : "");
        if (w.executor != "perks") continue;
        registers += report.cached_registers;
        scratch += report.cached_scratch;
        streamed += report.streamed;
        longest_pass = std::max(longest_pass, report.pass_steps);
      }
    }
  EXPECT_GT(registers, 0u);
  EXPECT_GT(scratch, 0u);
  EXPECT_GT(streamed, 0u);
  EXPECT_EQ(longest_pass > 1, is_linear<S>);
}

TEST(custom_stencil, a_linear_one_of_odd_form) {
  const auto weights = uneven_weights(shape_of<lopsided>());
  every_way_gives_the_bits_of_loops<lopsided, double>({41, 150}, weights);
  every_way_gives_the_bits_of_loops<lopsided, float>({7, 23}, weights);
}
TEST(custom_stencil, one_that_is_not_linear) {
  every_way_gives_the_bits_of_loops<limiter, double>({33, 70}, {}, limited);
}
TEST(custom_stencil, one_in_three_dimensions) {
  const auto weights = uneven_weights(shape_of<upwind>());
  every_way_gives_the_bits_of_loops<upwind, double>({12, 12, 37}, weights);
  every_way_gives_the_bits_of_loops<upwind, float>({18, 4, 6}, weights);
}

/// Strips, an engine for fields that are too wide for the tiles of so few teams.
TEST(custom_stencil, a_linear_one_that_is_fully_cached) {
  stencil_options o;
  o.executor = "perks";
  o.policy = "both";
  o.blocking = "spatial";
  o.steps = 5;
  o.teams = 2;
  const auto start = random_field<double>({100, 404}, 3);
  for (const boundary edge : {boundary::fixed, boundary::periodic}) {
    o.edge = edge;
    auto u = start;
    const auto report = solve<lopsided>(device::cpu(2), u, o);
    EXPECT_EQ(report.engine, "strip2d") << report.reason;
    EXPECT_EQ(difference(u, stencil_by_loops(shape_of<lopsided>(), start, o.steps, edge)), "");
  }
}

TEST(custom_stencil, what_is_not_compiled_is_refused) {
  grid<double> u(extents(8, 8));
  stencil_options o;
  o.executor = "turbo";
  EXPECT_THROW(solve<lopsided>(device::cpu(2), u, o), unsupported_error);
  o.executor = "perks";
  o.blocking = "temporal";
  EXPECT_THROW(solve<limiter>(device::cpu(2), u, o), unsupported_error);
  grid<double> deep(extents(8, 8, 8));
  EXPECT_THROW(solve<lopsided>(device::cpu(2), deep), input_error);
}

/// The loops guess no formula: a shape that is not linear brings its own, or has one there.
TEST(stencil_oracle, knows_the_formulas_of_stencils_by_their_names) {
  try {
    stencil_by_loops(shape_of<limiter>(), random_field<double>({4, 5}, 1), 1, boundary::fixed);
    ADD_FAILURE() << "accepted";
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "stencil_oracle: no formula for limiter");
  }
}

}  // namespace
}  // namespace dwell::test
