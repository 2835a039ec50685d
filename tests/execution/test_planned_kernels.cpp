// SPDX-License-Identifier: MIT
// The stencil kernels that plans are made with, where none is compiled: those of the golden file
// and those of GPUs in every build are the kernels that a build with CUDA compiles.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dwell/execution/device/executors.hpp"
#include "dwell/execution/stencil/launch/kernel_table.hpp"
#include "planning_table.hpp"

namespace dwell::test {
namespace {

std::vector<std::string> texts_of(const stencil_kernel& v) {
  std::vector<std::string> all;
  for (const stencil_engine* e : v.engines) all.push_back(kernel_text(*e));
  return all;
}
/// The row of `table` for what `v` is for, or null.
const stencil_kernel* same_row(std::span<const stencil_kernel> table, const stencil_kernel& v) {
  for (const stencil_kernel& row : table)
    if (row.shape.name == std::string_view(v.shape.name) && row.type == v.type && row.on == v.on &&
        row.executor == std::string_view(v.executor))
      return &row;
  return nullptr;
}
void expect_same_kernels(const stencil_kernel& here, const stencil_kernel& built) {
  SCOPED_TRACE(fmt::format("{}, {}", built.shape.name, built.executor));
  EXPECT_EQ(here.cooperative, built.cooperative);
  auto expected = texts_of(here);
  // On CPUs few shapes have the engines of GPUs, which follow that of CPUs.
  stencil_kernel caching = built;
  caching.executor = executors::perks.name;
  const bool caches = same_row(stencil_kernels(), caching) != nullptr;
  if (built.on == backend::cpu && !caches &&
      built.executor == std::string_view(executors::temporal.name))
    expected.resize(std::min<std::size_t>(expected.size(), 1));
  EXPECT_EQ(expected, texts_of(built));
}

/// Else plans would be those of kernels that nobody can run.
TEST(planned_kernels, kernels_of_the_golden_file_are_those_of_the_build) {
  for (const stencil_kernel& built : stencil_kernels()) {
    if (built.executor == std::string_view("naive")) continue;  // it has one plan
    const stencil_kernel* here = same_row(planning_table(built.on), built);
    ASSERT_NE(here, nullptr) << built.shape.name << ", " << built.executor;
    expect_same_kernels(*here, built);
  }
}

/// Every build makes plans for GPUs, with the kernels that a build with CUDA has.
TEST(planned_kernels, kernels_of_gpus_that_are_not_here_are_those_of_the_build) {
  const auto planned = planned_stencil_kernels();
  std::set<std::string> shapes, executors_of_gpus;
  for (const compiled_shape& s : shapes_of(stencil_kernels())) shapes.insert(s.name);
  for (const executor_info& e : executors::all)
    if (e.stencils && e.on_cuda) executors_of_gpus.insert(e.name);
  // Passes of several steps are for linear stencils of few taps; in two dimensions radius 4 and
  // more are for those whose last row has one tap.
  std::size_t without_passes = 0;
  for (const compiled_shape& s : shapes_of(stencil_kernels())) {
    const auto in_last_row =
        std::count_if(s.taps.begin(), s.taps.end(), [&](const tap& t) { return t.dy == s.radius; });
    const bool passes =
        s.linear && (s.dims == 3 ? s.taps.size() <= 80 : s.radius <= 3 || in_last_row == 1);
    without_passes += passes ? 0 : 1;
  }
  EXPECT_EQ(planned.size(), 2 * (shapes.size() * executors_of_gpus.size() - without_passes));
  for (const stencil_kernel& v : planned) {
    EXPECT_TRUE(shapes.contains(v.shape.name) && executors_of_gpus.contains(v.executor));
    EXPECT_EQ(v.on, backend::cuda);
    EXPECT_FALSE(v.compiled_ahead());
    EXPECT_NE(v.needs, nullptr);
    if (const stencil_kernel* golden = same_row(planning_table(backend::cuda), v))
      expect_same_kernels(v, *golden);
  }
  int compared = 0;
  for (const stencil_kernel& built : stencil_kernels()) {
    if (built.on != backend::cuda) continue;
    const stencil_kernel* here = same_row(planned, built);
    ASSERT_NE(here, nullptr) << built.shape.name << ", " << built.executor;
    expect_same_kernels(*here, built);
    ++compared;
  }
  if (compared == 0) GTEST_SKIP() << "built without CUDA: there are no compiled kernels of GPUs";
}

}  // namespace
}  // namespace dwell::test
