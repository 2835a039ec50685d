// SPDX-License-Identifier: MIT
// Passes of several steps on a GPU, where strips and tiles are wide: fields of several and of one,
// rows that copies take whole and rows that they do not, last passes of fewer steps; and all small
// grids, whose chains must not wait for ever. Judged by executor naive on the same GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "dwell/solvers/built_kernels.hpp"
#include "stencil_oracle.hpp"
#include "stencil_place.hpp"

namespace dwell::test {
namespace {

std::vector<std::string> shapes_of_temporal() {
  std::vector<std::string> names;
  for (const auto& v : built_kernels())
    if (v.executor == std::string("temporal") && v.on == backend::cuda &&
        std::find(names.begin(), names.end(), v.shape) == names.end())
      names.push_back(v.shape);
  return names;
}

class temporal_on_gpu : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const auto why = stencil_place::absent(GetParam()); !why.empty()) GTEST_SKIP() << why;
  }
  static stencil_options options(const char* executor, boundary edge, int steps) {
    stencil_options o;
    o.shape = GetParam();
    o.weights = uneven_weights(o.shape);
    o.executor = executor;
    o.edge = edge;
    o.steps = steps;
    return o;
  }
  template <class T>
  static void check(const extents& n, boundary edge, int steps, bool with_source = false,
                    std::optional<double> until = {}) {
    const auto start = random_field<T>(n, 5), source = random_field<T>(n, 6);
    auto expected = start, u = start;
    stencil_options plain = options("naive", edge, steps),
                    passes = options("temporal", edge, steps);
    for (stencil_options* o : {&plain, &passes}) {
      o->until = until;
      o->check_every = 30;
    }
    const auto* f = with_source ? &source : nullptr;
    const auto judge = solve(stencil_place::where(), expected, plain, f);
    const auto report = solve(stencil_place::where(), u, passes, f);
    EXPECT_EQ(report.steps, judge.steps);
    EXPECT_EQ(difference(u, expected), "")
        << GetParam() << ' ' << to_string(n) << ' ' << to_string(edge) << ", " << steps << " steps"
        << (with_source ? " with a source" : "") << ": " << report.reason;
  }
  template <class T>
  static void check_all() {
    for (const boundary edge : {boundary::fixed, boundary::periodic, boundary::reflect}) {
      const int most = edge == boundary::reflect ? 3 : 53;
      if (find_stencil_shape(GetParam()).dims == 3) {
        check<T>({97, 131, 200}, edge, most > 13 ? 13 : most);
        check<T>({40, 48, 64}, edge, most > 9 ? 9 : most);
        check<T>({150, 90, 203}, edge, most > 6 ? 6 : most);
        check<T>({7, 301, 133}, edge, most > 8 ? 8 : most);
        check<T>({300, 5, 31}, edge, most > 7 ? 7 : most);
        check<T>({61, 101, 130}, edge, 6, true);
        check<T>({61, 101, 131}, edge, 100, false, 1e-2);
        continue;
      }
      check<T>({301, 480}, edge, most);
      check<T>({613, 1037}, edge, most - 2);
      check<T>({409, 2048}, edge, most);
      check<T>({97, 3001}, edge, most > 8 ? 8 : most);
      check<T>({9, 5000}, edge, most > 7 ? 7 : most);
      check<T>({1500, 37}, edge, most);
      check<T>({203, 1200}, edge, 3, true);
      check<T>({203, 1203}, edge, 100, false, 1e-2);
    }
  }
};

TEST_P(temporal_on_gpu, wide_fields_have_the_bits_of_loops) { check_all<double>(); }
TEST_P(temporal_on_gpu, wide_fields_have_the_bits_of_loops_in_single_precision) {
  check_all<float>();
}

/// A chain in which a warp waits for rows or room that never come would hang here.
TEST_P(temporal_on_gpu, small_grids_end) {
  if (find_stencil_shape(GetParam()).dims == 3) {
    for (int n = 1; n <= 140; n += n < 70 ? 3 : 7) {
      const boundary edge = n % 2 == 0 ? boundary::fixed : boundary::periodic;
      const auto start = random_field<double>(extents(1 + n % 13, n, 1 + (3 * n) % 150), 5);
      auto u = start, expected = start;
      solve(stencil_place::where(), u, options("temporal", edge, 1 + n % 11));
      solve(stencil_place::where(), expected, options("naive", edge, 1 + n % 11));
      ASSERT_EQ(difference(u, expected), "") << to_string(start.size()) << ' ' << to_string(edge);
    }
    return;
  }
  const bool all = GetParam() == std::string("2d5pt");
  for (int y = 1; y <= 200; y += all ? 1 : 23)
    for (int x = 1; x <= 200; x += all ? 1 : 17) {
      const boundary edge = (x + y) % 2 == 0 ? boundary::fixed : boundary::periodic;
      const extents n(y, x);
      const auto start = random_field<double>(n, 5);
      auto u = start;
      solve(stencil_place::where(), u, options("temporal", edge, 1 + (x + 3 * y) % 30));
      if ((x + 2 * y) % 37 != 0) continue;
      auto expected = start;
      solve(stencil_place::where(), expected, options("naive", edge, 1 + (x + 3 * y) % 30));
      ASSERT_EQ(difference(u, expected), "") << to_string(n) << ' ' << to_string(edge);
    }
}

INSTANTIATE_TEST_SUITE_P(shapes, temporal_on_gpu, testing::ValuesIn(shapes_of_temporal()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace dwell::test
