// SPDX-License-Identifier: MIT
// Every engine of executor temporal by its name: the bits of plain loops where a pass ends early,
// where rows go around an odd width and come in parts and cells, and with a source, forwards and
// with reversed lanes.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "stencil_oracle.hpp"
#include "stencil_place.hpp"

#include "dwell/execution/device/executors.hpp"
#include "dwell/solvers/built_kernels.hpp"

namespace dwell::test {
namespace {

/// Engines of executor temporal, for a shape.
std::vector<std::string> engines_of_passes(const std::string& shape, const char* precision,
                                           backend on) {
  for (const kernel_info& v : built_kernels())
    if (v.shape == shape && v.on == on && v.precision == precision &&
        v.executor == executors::temporal.name) {
      std::vector<std::string> names = v.engines;
      names.erase(std::unique(names.begin(), names.end()), names.end());
      return names;
    }
  return {};
}

class stencil_passes : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (const auto why = stencil_place::absent(GetParam()); !why.empty()) GTEST_SKIP() << why;
  }

  template <class T>
  static void expect_bits(const std::string& engine, const extents& n, boundary edge,
                          bool has_source) {
    const device where = stencil_place::where();
    stencil_options o;
    o.shape = GetParam();
    o.executor = executors::temporal.name;
    o.engine = engine;
    o.edge = edge;
    o.weights = uneven_weights(o.shape);
    o.steps = 17;  // not a number of whole passes
    const auto start = random_field<T>(n, 7), source = random_field<T>(n, 8);
    const grid<T>* f = has_source ? &source : nullptr;
    const auto expected = stencil_by_loops(o.shape, start, o.steps, edge, o.weights, f);
    for (const bool reversed : {false, true}) {
      if (reversed && where.on() == backend::cuda) break;
      o.reverse_lanes = reversed;
      auto u = start;
      const auto report = solve(where, u, o, f);
      EXPECT_EQ(report.engine, engine);
      EXPECT_EQ(difference(u, expected), "") << engine << ' ' << to_string(n) << ' '
                                             << to_string(edge) << (reversed ? " reversed" : "");
    }
  }
  template <class T>
  static void expect_all() {
    const auto engines =
        engines_of_passes(GetParam(), sizeof(T) == 8 ? "f64" : "f32", stencil_place::where().on());
    if (engines.empty()) GTEST_SKIP() << "no kernel of temporal";
    const bool rows = find_stencil_shape(GetParam()).dims == 2;
    // Wider than a strip on either backend, and once not; the odd one ends within a unit of copies.
    const std::vector<extents> sizes =
        rows ? std::vector<extents>{{61, 997}, {40, 1000}, {23, 37}}
             : std::vector<extents>{{19, 45, 77}, {12, 33, 96}, {9, 13, 11}};
    for (const std::string& engine : engines)
      for (const extents& n : sizes)
        for (const boundary edge : {boundary::fixed, boundary::periodic, boundary::reflect})
          expect_bits<T>(engine, n, edge, n.x % 2 == 0);
  }
};

TEST_P(stencil_passes, every_engine_has_the_bits_of_loops_f64) { expect_all<double>(); }
TEST_P(stencil_passes, every_engine_has_the_bits_of_loops_f32) { expect_all<float>(); }

INSTANTIATE_TEST_SUITE_P(shapes, stencil_passes, testing::Values("2d5pt", "2d9pt", "3d7pt"));

}  // namespace
}  // namespace dwell::test
