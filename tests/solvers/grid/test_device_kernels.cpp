// SPDX-License-Identifier: MIT
// Kernels of grids as texts, and how cells are dealt to their lanes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <set>
#include <string>

#include "dwell/base/error.hpp"
#include "dwell/execution/device/compiled_kernel.hpp"
#include "dwell/execution/device/nvrtc.hpp"
#include "dwell/solvers/grid/device/cycle_steps.hpp"
#include "dwell/solvers/grid/device/needed.hpp"
#include "sanitized.hpp"
#include "scratch.hpp"

namespace dwell {
namespace {

TEST(DeviceGrid, WorkIsDealtToAllLanesOnce) {
  std::mt19937 chance(1);
  for (int round = 0; round < 2000; ++round) {
    const auto drawn = [&](int least, int most) {
      return least + int(chance() % unsigned(most - least + 1));
    };
    const int rows = drawn(1, 60), n = drawn(1, round % 5 ? 70 : 3000), teams = drawn(1, 140),
              lanes = 32 * drawn(1, 32);
    const grids::row_deal d = grids::deal_of(rows, n, teams, lanes);
    const int evens = (n + 1) / 2;
    EXPECT_GE(d.piece << d.piece_bits, evens);
    EXPECT_LE(1 << d.lane_bits, 32);
    EXPECT_LE(1 << d.lane_bits, lanes);
    EXPECT_EQ(d.piece % (1 << d.lane_bits), 0);
    EXPECT_EQ(d.each * teams + d.rest, rows << d.piece_bits);
    EXPECT_LT(d.rest, teams);
  }
}

TEST(DeviceGrid, ColumnsAreDealtToAllLanesOnce) {
  std::mt19937 chance(2);
  for (int round = 0; round < 2000; ++round) {
    const auto drawn = [&](int least, int most) {
      return least + int(chance() % unsigned(most - least + 1));
    };
    const int n[3] = {drawn(1, round % 3 ? 60 : 5000), drawn(1, round % 2 ? 1 : 20),
                      drawn(1, round % 5 ? 70 : 3000)};
    const int teams = drawn(1, 140), lanes = 32 * drawn(1, 32);
    const grids::column_deal d = grids::columns_of(n, teams, lanes);
    SCOPED_TRACE(fmt::format("{}x{}x{}, {} teams of {} lanes", n[0], n[1], n[2], teams, lanes));
    const int evens = (n[2] + 1) / 2, along = 1 << d.lane_bits;
    EXPECT_LE(along, 32);
    EXPECT_LT((d.strips - 1) * along, evens);
    EXPECT_GE(d.strips * along, evens);
    const int bands = (n[0] + d.height - 1) / d.height;
    EXPECT_EQ(d.each * teams + d.rest, d.strips * n[1] * bands);
    EXPECT_LT(d.rest, teams);
    // No lanes go down more than another deal of as many or one round would have them do.
    const int groups = teams * (lanes / along), columns = d.strips * n[1];
    const auto planes = [&](int height) {
      const int units = columns * ((n[0] + height - 1) / height);
      return (units + groups - 1) / groups * (height + 2);
    };
    EXPECT_LE(planes(d.height), planes(n[0]));
  }
}

TEST(DeviceGrid, NeededKernelsAreThoseOfAllForms) {
  for (const precision type : {precision::f64, precision::f32}) {
    std::set<std::string> kernels, says;
    for (const kernel_source& one : grids::needed_sources(type)) {
      kernels.insert(one.kernel);
      says.insert(one.about);
      EXPECT_NE(one.about.find(type == precision::f64 ? "f64" : "f32"), std::string::npos);
    }
    EXPECT_EQ(kernels.size(), 15U);
    EXPECT_EQ(says.size(), 15U);
    EXPECT_EQ(kernels.count(grids::setup_source_of(type).kernel), 1U);
    // All methods and levels that a solve may have.
    for (const bool flat : {true, false})
      for (const std::string& method : grid_methods())
        for (const std::string& preconditioner : grid_preconditioners())
          for (const bool galerkin : {true, false})
            for (const bool lines : {true, false}) {
              grid_options o;
              o.method = method, o.preconditioner = preconditioner;
              const kernel_source source = grids::source_of(
                  grids::form_of(flat, grids::method_of(o), galerkin, lines), type);
              EXPECT_EQ(kernels.count(source.kernel), 1U) << source.kernel;
            }
  }
}

TEST(DeviceGrid, TheKernelCompilesWithoutAGpu) {
  if (test::sanitized) GTEST_SKIP() << "the compiler is not ours";
  try {
    nvrtc::library(0);
  } catch (const unsupported_error& e) {
    GTEST_SKIP() << e.what();
  }
  const test::scratch_folder folder;
  setenv("DWELL_CACHE_DIR", (folder / "cache").c_str(), 1);
  // One of two, one of three dimensions. scripts/check/nvrtc.py takes all forms through the front
  // end.
  using grids::level_kind;
  for (const auto& source : {grids::source_of({true, level_kind::points, true}, precision::f64),
                             grids::source_of({false, level_kind::none, false}, precision::f32)})
    EXPECT_GT(compile_kernel(source, {90, 0})->cubin.size(), 10000U);
  unsetenv("DWELL_CACHE_DIR");
}

}  // namespace
}  // namespace dwell
