// SPDX-License-Identifier: MIT
// The variants of EBISU's kernels: the bits of plain loops where a pass ends early, where rows go
// around an odd width and come in parts and cells, and with a source, forwards and with reversed
// lanes; a plan has one only if it is asked for, and the library's own table has none.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "stencil_oracle.hpp"
#include "stencil_place.hpp"
#include "studies/ebisu/kernels.hpp"
#include "studies/ebisu/sizes.hpp"

#include "dwell/base/error.hpp"
#include "dwell/execution/device/executors.hpp"
#include "dwell/solvers/built_kernels.hpp"
#include "dwell/solvers/stencil/api/stencil_table.hpp"

namespace dwell::test {
namespace {

/// Those that have kernels for a shape here.
std::vector<std::string> variants_of(const std::string& shape) {
  std::vector<std::string> names;
  for (const stencil_kernel& row : ebisu::kernels())
    if (row.shape.name == shape && row.on == stencil_place::where().on() &&
        row.executor == std::string(executors::temporal.name))
      for (const stencil_engine* engine : row.engines)
        if (names.empty() || names.back() != engine->name()) names.emplace_back(engine->name());
  return names;
}

class queue_passes : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (const auto why = stencil_place::absent(); !why.empty()) GTEST_SKIP() << why;
  }
  static void expect_bits(const std::string& engine, const extents& n, boundary edge,
                          bool has_source) {
    const device where = stencil_place::where();
    const stencil_shape shape = find_stencil_shape(ebisu::kernels(), GetParam());
    stencil_options o;
    o.shape = shape.name;
    o.executor = executors::temporal.name;
    o.engine = engine;
    o.edge = edge;
    o.weights = uneven_weights(shape);
    o.steps = 17;  // not a number of whole passes
    const auto start = random_field<double>(n, 7), source = random_field<double>(n, 8);
    const grid<double>* f = has_source ? &source : nullptr;
    const auto expected = stencil_by_loops(shape, start, o.steps, edge, o.weights, f);
    for (const bool reversed : {false, true}) {
      if (reversed && where.on() == backend::cuda) break;
      o.reverse_lanes = reversed;
      auto u = start;
      const auto report = solve_from(ebisu::kernels(), where, u, o, f);
      EXPECT_EQ(report.engine, engine);
      EXPECT_EQ(difference(u, expected), "") << engine << ' ' << to_string(n) << ' '
                                             << to_string(edge) << (reversed ? " reversed" : "");
    }
  }
};

TEST_P(queue_passes, every_variant_has_the_bits_of_loops) {
  const auto engines = variants_of(GetParam());
  const bool rows = find_stencil_shape(ebisu::kernels(), GetParam()).dims == 2;
  // Device tiles are there in three dimensions only.
  EXPECT_EQ(engines.size(), queue_variants.size() - (rows ? 1 : 0));
  // Wider than a tile on either backend, and once not; the odd one ends within a unit of copies.
  const std::vector<extents> sizes =
      rows ? std::vector<extents>{{61, 997}, {40, 1000}, {23, 37}}
           : std::vector<extents>{{19, 45, 77}, {12, 33, 96}, {9, 13, 11}};
  for (const std::string& engine : engines)
    for (const extents& n : sizes)
      for (const boundary edge : {boundary::fixed, boundary::periodic, boundary::reflect})
        expect_bits(engine, n, edge, n.x % 2 == 0);
}

TEST_P(queue_passes, are_taken_by_name_only) {
  grid<double> u(find_stencil_shape(ebisu::kernels(), GetParam()).dims == 2 ? extents(40, 50)
                                                                            : extents(9, 40, 50));
  stencil_options o;
  o.shape = GetParam();
  o.executor = executors::temporal.name;
  EXPECT_THROW(solve_from(ebisu::kernels(), stencil_place::where(), u, o), unsupported_error);
  for (const kernel_info& row : built_kernels())
    for (const std::string& engine : row.engines)
      EXPECT_TRUE(std::none_of(queue_variants.begin(), queue_variants.end(),
                               [&](const queue_variant& v) { return engine == v.engine; }))
          << engine;
}

INSTANTIATE_TEST_SUITE_P(shapes, queue_passes, testing::Values("2d5pt", "2d9pt", "3d7pt"));

}  // namespace
}  // namespace dwell::test
