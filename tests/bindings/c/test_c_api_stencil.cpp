// SPDX-License-Identifier: MIT
// dwell/dwell.h, fields: the bits of stencil_runner, and a status for every end.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <vector>

#include "c_handles.hpp"
#include "dwell/dwell.h"
#include "dwell/stencil/stencil_runner.hpp"

namespace dwell::test {
namespace {

/// A field with no two equal cells.
template <class T>
std::vector<T> field(std::size_t cells) {
  std::vector<T> u(cells);
  for (std::size_t i = 0; i < cells; ++i)
    u[i] = static_cast<T>(std::sin(0.37 * static_cast<double>(i * i % 1013)));
  return u;
}

template <class T>
class c_stencils : public testing::Test {};
TYPED_TEST_SUITE(c_stencils, precisions);

TYPED_TEST(c_stencils, have_the_bits_of_stencil_runner) {
  using T = TypeParam;
  const extents n(11, 7, 13);
  const auto u = field<T>(n.cells()), source = field<T>(n.cells());
  stencil_options o;
  o.shape = "3d7pt";
  o.edge = boundary::periodic;
  stencil_runner<T> judge(device::cpu(2), n, o, true);
  judge.set_field(grid_view<const T>{n, u.data()});
  judge.set_source(grid_view<const T>{n, source.data()});
  judge.run(9);
  const grid<T> want = judge.field();

  const auto options = stencil_options_of();
  ASSERT_EQ(dwell_options_set_text(options.get(), "shape", "3d7pt"), DWELL_SUCCESS);
  ASSERT_EQ(dwell_options_set_text(options.get(), "edge", "periodic"), DWELL_SUCCESS);
  const int size[] = {11, 7, 13};
  dwell_stencil* made = nullptr;
  ASSERT_EQ(
      dwell_stencil_create(&made, &two_threads, std::is_same_v<T, double> ? DWELL_F64 : DWELL_F32,
                           3, size, 1, options.get()),
      DWELL_SUCCESS)
      << dwell_last_error();
  const owned<dwell_stencil> runner(made);
  ASSERT_EQ(dwell_stencil_set_field(made, u.data(), DWELL_HOST), DWELL_SUCCESS);
  ASSERT_EQ(dwell_stencil_set_source(made, source.data(), DWELL_HOST), DWELL_SUCCESS);
  dwell_report* told = nullptr;
  ASSERT_EQ(dwell_stencil_run(made, 4, &told), DWELL_SUCCESS);
  const owned<dwell_report> report(told);
  EXPECT_EQ(whole(report.get(), "steps"), 4);
  EXPECT_EQ(text(report.get(), "size"), "11x7x13");
  EXPECT_EQ(text(report.get(), "edge"), "periodic");
  EXPECT_TRUE(std::isnan(number(report.get(), "change"))) << "never tested";
  ASSERT_EQ(dwell_stencil_start(made, 3), DWELL_SUCCESS);
  ASSERT_EQ(dwell_stencil_start(made, 2), DWELL_SUCCESS);
  ASSERT_EQ(dwell_stencil_wait(made, nullptr), DWELL_SUCCESS);
  std::vector<T> got(n.cells());
  ASSERT_EQ(dwell_stencil_get_field(made, got.data(), DWELL_HOST), DWELL_SUCCESS);
  EXPECT_TRUE(std::equal(got.begin(), got.end(), want.cells().begin()));
}

TEST(c_stencil, ends_as_its_status_says) {
  const int size[] = {20, 30};
  const auto u = field<double>(600);
  dwell_stencil* made = nullptr;
  ASSERT_EQ(dwell_stencil_create(&made, &two_threads, DWELL_F64, 2, size, 0, nullptr),
            DWELL_SUCCESS);
  const owned<dwell_stencil> runner(made);
  expect_refused(dwell_stencil_run(made, 1, nullptr), "field");
  ASSERT_EQ(dwell_stencil_set_field(made, u.data(), DWELL_HOST), DWELL_SUCCESS);
  EXPECT_EQ(dwell_stencil_run_until(made, 1e-300, 5, 5, nullptr), DWELL_NOT_CONVERGED);
  EXPECT_EQ(dwell_stencil_run_until(made, 1e3, 50, 5, nullptr), DWELL_SUCCESS);
  dwell_stencil_interrupt(made);
  EXPECT_EQ(dwell_stencil_start(made, 5), DWELL_SUCCESS);
  EXPECT_EQ(dwell_stencil_wait(made, nullptr), DWELL_INTERRUPTED);
  EXPECT_EQ(dwell_stencil_run(made, 5, nullptr), DWELL_SUCCESS);
  // All weight on the centre: nothing changes.
  std::vector<double> before(600), after(600);
  ASSERT_EQ(dwell_stencil_get_field(made, before.data(), DWELL_HOST), DWELL_SUCCESS);
  const double weights[] = {1, 0, 0, 0, 0};
  ASSERT_EQ(dwell_stencil_set_weights(made, weights, 5), DWELL_SUCCESS);
  ASSERT_EQ(dwell_stencil_run(made, 5, nullptr), DWELL_SUCCESS);
  ASSERT_EQ(dwell_stencil_get_field(made, after.data(), DWELL_HOST), DWELL_SUCCESS);
  EXPECT_EQ(before, after);
  expect_refused(dwell_stencil_set_weights(made, weights, 4), "weights");

  expect_refused(dwell_stencil_set_field(made, nullptr, DWELL_HOST), "cells");
  expect_refused(dwell_stencil_set_field(made, u.data(), DWELL_CUDA), "");
  expect_refused(dwell_stencil_set_source(made, u.data(), DWELL_HOST), "source");
  expect_refused(dwell_stencil_run(nullptr, 1, nullptr), "runner");
  dwell_stencil* none = nullptr;
  expect_refused(dwell_stencil_create(&none, &two_threads, DWELL_F64, 4, size, 0, nullptr), "dims");
  expect_refused(dwell_stencil_create(&none, &two_threads, DWELL_F64, 2, nullptr, 0, nullptr),
                 "size");
  expect_refused(dwell_stencil_create(&none, &two_threads, 9, 2, size, 0, nullptr), "precision");
  expect_refused(dwell_stencil_create(&none, &no_gpu, DWELL_F64, 2, size, 0, nullptr), "",
                 DWELL_DEVICE_ERROR);
  EXPECT_EQ(none, nullptr);
}

}  // namespace
}  // namespace dwell::test
