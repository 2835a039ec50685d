// SPDX-License-Identifier: MIT
// Which executor a CPU's run of a stencil with several fields takes, by its caches.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "dwell/device/limits.hpp"
#include "dwell/stencil/explain_fields.hpp"
#include "dwell/stencil/formulas.hpp"

namespace dwell::test {
namespace {

stencil_definition heat(int dims) {
  stencil_formulas text;
  text.name = "heat";
  text.dims = dims;
  text.fields = {"u"};
  text.coefficients = {"k"};
  const std::string origin = dims == 1 ? "" : dims == 2 ? "0, " : "0, 0, ";
  text.stages = {fmt::format("u = u + k * (u[{0}1] + u[{0}-1] - 2 * u)", origin)};
  return parse_formulas(text);
}

/// The mean of a box in three dimensions.
stencil_definition box(int radius) {
  stencil_formulas text;
  text.name = "box";
  text.dims = 3;
  text.fields = {"u"};
  std::string sum;
  for (int z = -radius; z <= radius; ++z)
    for (int y = -radius; y <= radius; ++y)
      for (int x = -radius; x <= radius; ++x)
        sum += fmt::format("{}u[{}, {}, {}]", sum.empty() ? "" : " + ", z, y, x);
  text.stages = {fmt::format("u = 0.001 * ({})", sum)};
  return parse_formulas(text);
}

TEST(FieldSchedule, AutoTakesPassesOfSeveralStepsOnAGpu) {
  std::mt19937_64 chance(5);
  const device_facts facts = facts_of("h200");
  int passes = 0, single = 0;
  for (int round = 0; round < 60; ++round) {
    const int dims = round % 3 == 0 ? 2 : 3, radius = 1 + static_cast<int>(chance() % 2);
    const bool is_box = dims == 3 && round % 2 == 0;
    const auto axis = [&] { return static_cast<std::int64_t>(100 + chance() % 500); };
    const std::vector<std::int64_t> size =
        dims == 2 ? std::vector{10 * axis(), 10 * axis()} : std::vector{axis(), axis(), axis()};
    const stencil_definition d = is_box ? box(radius) : heat(dims);
    const char* precision = chance() % 2 ? "f32" : "f64";
    const auto taken = explain(d, size, precision, facts).plan;
    SCOPED_TRACE(fmt::format("{} {}, radius {}: {}", d.name(), precision, radius, taken.reason));
    const bool in_passes = taken.executor == "temporal";
    EXPECT_TRUE(!in_passes || taken.depth > 1);
    ++(in_passes ? passes : single);
    if (!is_box || radius == 1) continue;
    field_options options;
    options.executor = "temporal";
    EXPECT_EQ(explain(d, size, precision, facts, options).plan.depth, 1) << "as asked for";
  }
  EXPECT_GT(passes, 5);
  EXPECT_GT(single, 5);
}

/// A virtual machine says how much cache all machines on its processor share: what each thread
/// counts on has a limit.
TEST(FieldSchedule, AThreadCountsOnAShareOfTheLastLevelCache) {
  constexpr std::size_t share = std::size_t{32} << 20;
  std::mt19937_64 chance(3);
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(chance() % static_cast<std::uint64_t>(n));
  };
  int passes = 0, steps = 0;
  for (int round = 0; round < 400; ++round) {
    const int dims = 1 + static_cast<int>(below(3));
    // Two arrays of u and one of k, of up to 2 GiB together.
    const double cells = 1e4 * static_cast<double>(std::int64_t{1} << below(15));
    std::vector<std::int64_t> size;
    for (int axis = 0; axis < dims; ++axis)
      size.push_back(static_cast<std::int64_t>(std::pow(cells, 1.0 / dims)) + below(9));
    device_facts device;
    device.units = 1 + static_cast<int>(below(8));
    device.core_cache = std::size_t{1} << 20;
    device.memory = device.memory_free = std::size_t{64} << 30;
    const auto threads = static_cast<std::size_t>(device.units);
    const std::size_t limit = share * threads;
    const auto with = [&](std::size_t last_level) {
      device.l2 = last_level;
      return explain(heat(dims), size, below(2) ? "f32" : "f64", device);
    };
    const std::size_t large = limit + (std::size_t{1} << 20) * static_cast<std::size_t>(below(999));
    const auto e = with(large);
    const bool is_large = e.memory > limit;
    SCOPED_TRACE(fmt::format("{}-D, {} threads, {} bytes", dims, threads, e.memory));
    EXPECT_EQ(e.plan.executor, is_large ? "temporal" : "persistent") << e.plan.reason;
    // Less than a share is what there is.
    const std::size_t small = limit / 2 - static_cast<std::size_t>(below(99));
    const auto less = with(small);
    EXPECT_EQ(less.plan.executor, less.memory > small ? "temporal" : "persistent")
        << less.plan.reason;
    (is_large ? passes : steps) += 1;
  }
  EXPECT_GT(passes, 20);
  EXPECT_GT(steps, 20);
}

}  // namespace
}  // namespace dwell::test
