// SPDX-License-Identifier: MIT
// Stencils of several fields on a CPU: cases drawn at random (field_cases.hpp), tiles, refusals,
// ends.
#include "dwell/stencil/field_runner.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "field_cases.hpp"
#include "field_oracle.hpp"

#include "dwell/base/error.hpp"
#include "sanitized.hpp"

namespace dwell::test {
namespace {

field_place on_cpu(const std::string& kernel) {
  ::setenv("DWELL_CACHE_DIR", DWELL_KERNEL_CACHE, 1);
  return {[](int threads) { return device::cpu(threads); },
          {"auto", "naive", "persistent", "temporal"},
          kernel};
}
TEST(FieldRunner, AnyDefinitionInterpretedHasTheBitsOfPlainLoops) {
  run_field_cases(on_cpu("interpreted"), rounds(400));
}
TEST(FieldRunner, AnyDefinitionCompiledHasTheBitsOfPlainLoops) {
  run_field_cases(on_cpu("compiled"), 12);
}

/// Passes that take a line block by block.
TEST(FieldRunner, PassesOfLongLinesHaveTheBitsOfPlainLoops) {
  field_place place = on_cpu("interpreted");
  place.executors = {"temporal"};
  place.dims = 1;
  place.longest[0] = 12000;
  place.deepest = 40;
  run_field_cases(place, rounds(40));
}

/// Wider than what a core's cache has room for: passes go by tiles.
TEST(FieldRunner, PassesByTilesHaveTheBitsOfSingleSteps) {
  int tiled = 0;
  for (int seed = 1; tiled < rounds(12) && seed < 400; ++seed) {
    std::mt19937_64 chance(static_cast<std::uint64_t>(seed));
    const stencil_definition d(random_tape(chance));
    if (d.dims() == 1) continue;
    const auto below = [&](int n) {
      return static_cast<std::int64_t>(chance() % static_cast<unsigned>(n));
    };
    const std::vector<std::int64_t> size =
        d.dims() == 2 ? std::vector<std::int64_t>{40 + below(30), 4000 + below(5000)}
                      : std::vector<std::int64_t>{60 + below(5), 40 + below(20), 150 + below(100)};
    field_options options;
    options.kernel = "interpreted";
    constexpr side_kind kinds[] = {side_kind::reflect, side_kind::mirror, side_kind::antisymmetric,
                                   side_kind::periodic};
    options.boundaries = {field_boundary::all({kinds[below(4)], 0})};
    std::vector<std::vector<float>> fields[2];
    std::vector<float> some(
        static_cast<std::size_t>(size[0] * size[1] * (d.dims() == 3 ? size[2] : 1)));
    for (float& v : some) v = static_cast<float>(below(1000)) / 500 - 1;
    std::string reason;
    for (const bool passes : {false, true}) {
      options.executor = passes ? "temporal" : "naive";
      options.depth = passes ? 3 : 0;
      field_runner<float> runner(device::cpu(1 + static_cast<int>(below(2))), d, size, options);
      for (int f = 0; f < d.fields(); ++f) runner.set_field(f, some);
      for (int c = 0; c < d.coefficients(); ++c) runner.set_coefficient(c, some);
      for (int p = 0; p < d.parameters(); ++p) runner.set_parameter(p, 0.5);
      runner.run(5);
      for (int f = 0; f < d.fields(); ++f)
        runner.field(f, fields[passes].emplace_back(some.size()));
      reason = runner.report().reason;
    }
    tiled += reason.find(" tiles") != std::string::npos;
    for (std::size_t f = 0; f < fields[0].size(); ++f)
      ASSERT_TRUE(same_values(fields[0][f], fields[1][f]))
          << "seed " << seed << ": " << reason << '\n'
          << d.describe();
  }
  EXPECT_EQ(tiled, rounds(12));
}

/// Heat in two dimensions: radius 1, a parameter.
stencil_definition heat() {
  cell_tape t{"heat", 2, {"u"}, {}, {"r"}, {}, {}};
  t.nodes = {cell_node::tap(0, std::array{0, 0}), cell_node::tap(0, std::array{0, 1}),
             cell_node::parameter(0), cell_node::operation(cell_op::sub, 1, 0),
             cell_node::operation(cell_op::fma, 2, 3, 0)};
  t.stages = {{{0, 4}}};
  return stencil_definition(t);
}

template <class F>
void refused(const std::string& with, F&& f) {
  try {
    f();
    ADD_FAILURE() << with << ": was taken";
  } catch (const input_error& e) {
    EXPECT_NE(std::string(e.what()).find(with), std::string::npos) << e.what();
    EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos) << e.what();
  }
}

TEST(FieldRunner, LooksBetweenStepsSeeTheFieldsAndChangeNothing) {
  int passes = 0;
  for (int seed = 1; seed <= 60; ++seed) {
    std::mt19937_64 chance(static_cast<std::uint64_t>(seed));
    const auto below = [&](int n) { return static_cast<int>(chance() % static_cast<unsigned>(n)); };
    const stencil_definition d(random_tape(chance));
    const std::vector<std::int64_t> size(static_cast<std::size_t>(d.dims()),
                                         (d.dims() == 3 ? 10 : 30) + below(6));
    field_options options;
    options.kernel = "interpreted";
    options.boundaries = {field_boundary::all({side_kind::reflect, 0})};
    std::size_t cells = 1;
    for (const std::int64_t n : size) cells *= static_cast<std::size_t>(n);
    std::vector<double> start(cells);
    for (double& v : start) v = below(1000) / 500.0 - 1;
    const int steps = below(12), every = 1 + below(5);
    const auto made = [&](const char* executor) {
      options.executor = executor;
      field_runner<double> runner(device::cpu(1 + below(3)), d, size, options);
      for (int f = 0; f < d.fields(); ++f) runner.set_field(f, start);
      for (int c = 0; c < d.coefficients(); ++c) runner.set_coefficient(c, start);
      for (int p = 0; p < d.parameters(); ++p) runner.set_parameter(p, 0.25);
      runner.set_reductions({{0, {reduction::sum, false}, {}}, {0, {reduction::max, true}, {}}}, 3);
      return runner;
    };
    auto plain = made("naive"), runner = made(below(2) == 0 ? "naive" : "persistent");
    try {
      if (below(2) == 0) runner = made("temporal"), ++passes;
    } catch (const input_error&) {  // too small, or of one dimension
    }
    std::vector<double> seen(cells), wanted(cells);
    std::vector<std::int64_t> looks;
    const auto look = [&](const field_progress& now) {
      looks.push_back(now.step);
      plain.run(every);
      for (int f = 0; f < d.fields(); ++f) {
        runner.field(f, seen);
        plain.field(f, wanted);
        EXPECT_TRUE(same_values(seen, wanted)) << "seed " << seed << ", step " << now.step;
      }
    };
    const field_outcome done = runner.run(steps, every, look);
    EXPECT_EQ(done.steps, steps);
    EXPECT_EQ(done.stopped, stencil_stop::steps_done);
    EXPECT_EQ(looks.size(), static_cast<std::size_t>(steps / every)) << "seed " << seed;
    plain.run(steps % every);
    runner.field(0, seen);
    plain.field(0, wanted);
    EXPECT_TRUE(same_values(seen, wanted)) << "seed " << seed;
    ASSERT_EQ(runner.reductions().size(), plain.reductions().size());
    for (std::size_t k = 0; k < plain.reductions().size(); ++k)
      EXPECT_TRUE(same_values(runner.reductions()[k].values, plain.reductions()[k].values));
  }
  EXPECT_GT(passes, 5);
}

TEST(FieldRunner, WhatCannotBeIsRefusedInOneLine) {
  const auto make = [](const std::vector<std::int64_t>& size, auto&& change) {
    field_options o;
    o.kernel = "interpreted";
    change(o);
    return field_runner<double>(device::cpu(1), heat(), size, o);
  };
  const auto nothing = [](field_options&) {};
  refused("expected 2 axes, found 1", [&] { make({5}, nothing); });
  refused("found 0 along axis 1", [&] { make({5, 0}, nothing); });
  refused("2^40", [&] { make({1 << 21, 1 << 20}, nothing); });
  refused("did you mean 'temporal'", [&] {
    make({5, 5}, [](auto& o) { o.executor = "temporel"; });
  });
  refused("depth", [&] { make({5, 5}, [](auto& o) { o.depth = 3; }); });
  refused("depth", [&] { make({5, 5}, [](auto& o) { o.depth = -1; }); });
  refused("expected one for each of 1 fields", [&] {
    make({5, 5}, [](auto& o) { o.boundaries.clear(); });
  });
  refused("expected periodic of both sides", [&] {
    make({5, 5}, [](auto& o) { o.boundaries[0].sides[0][0].kind = side_kind::periodic; });
  });
  refused("along x: mirror needs at least 2 cells, found 1", [&] {
    make({5, 1}, [](auto& o) { o.boundaries[0].sides[1][1].kind = side_kind::mirror; });
  });
  auto r = make({5, 6}, nothing);
  refused("field: heat has 1, found number 1", [&] { r.set_field(1, std::vector<double>(30)); });
  refused("field 'u': expected 30 cells, found 29",
          [&] { r.set_field(0, std::vector<double>(29)); });
  refused("coefficient: heat has 0", [&] { r.set_coefficient(0, std::vector<double>(30)); });
  refused("u: expected an array, found a null pointer", [&] {
    r.set_field(0, std::span<const double>{static_cast<const double*>(nullptr), 30});
  });
  std::vector<double> cells(30);
  refused("u: expected memory of the host for a CPU, found a view of a GPU's", [&] {
    r.set_field(0, device_span<const double>{cells.data(), 30});
  });
  refused("u: expected memory of the host for a CPU", [&] {
    r.field(0, device_span<double>{cells.data(), 30});
  });
  refused("field 'u': expected 30 cells, found 29", [&] {
    r.set_field(0, device_span<const double>{cells.data(), 29});
  });
  refused("parameter: heat has 1, found number -1", [&] { r.set_parameter(-1, 1.0); });
  refused("at least one value", [&] { r.set_parameter(0, std::span<const double>{}); });
  refused("2 indices", [&] { r.set_receivers(0, std::vector<std::int64_t>{1, 2, 3}); });
  refused("index 6 along axis 1 of 6", [&] {
    r.set_receivers(0, std::vector<std::int64_t>{1, 6});
  });
  refused("is fixed", [&] {
    r.set_sources(0, std::vector<std::int64_t>{0, 3}, std::vector<double>{1});
  });
  refused("a value for each of 2 cells", [&] {
    r.set_sources(0, std::vector<std::int64_t>{1, 1, 2, 2}, std::vector<double>{1, 2, 3});
  });
  refused("there are 0 lists", [&] { r.record(0); });
  refused("steps: expected at least 0", [&] { r.run(-1); });
  r.set_sources(0, std::vector<std::int64_t>{1, 1}, std::vector<double>{1, 2, 3});
  EXPECT_EQ(r.run(2).steps, 2);
  refused("sources of 'u': expected a value for each of 2 steps, found 1", [&] { r.run(2); });
  r.clear_points();
  refused("parameter 'r': expected finite numbers, found nan",
          [&] { r.set_parameter(0, std::nan("")); });
  refused("parameter 'r': expected finite numbers, found inf for step 2", [&] {
    r.set_parameter(0, std::vector<double>{1, HUGE_VAL, 2});
  });
  r.set_parameter(0, std::vector<double>{1, 2});
  refused("parameter 'r': expected a value for each of 3 steps, found 2", [&] { r.run(3); });
  EXPECT_EQ(r.run(2).steps, 2);
  EXPECT_EQ(r.report().total_steps, 4);
}

TEST(FieldRunner, EndsAfterAWholeStepOrPassIfAskedTo) {
  for (const char* executor : {"naive", "persistent", "temporal"}) {
    for (const int threads : {1, 3}) {
      std::atomic<bool> stop{false};
      field_options o;
      o.kernel = "interpreted";
      o.executor = executor;
      o.interrupt = &stop;
      o.progress_interval = 0;
      std::int64_t told = -1;
      o.progress = [&](const field_progress& now) {
        EXPECT_GE(now.step, told);
        told = now.step;
        return now.step < 20;
      };
      o.boundaries = {field_boundary::all({side_kind::periodic, 0})};
      const auto make = [&] {
        return field_runner<double>(device::cpu(threads), heat(), {64, 50}, o);
      };
      std::vector<double> start(64 * 50), found(start.size()), wanted(start.size());
      for (std::size_t i = 0; i < start.size(); ++i) start[i] = static_cast<double>(i * i % 101);
      auto runner = make();
      runner.set_field(0, start);
      runner.set_parameter(0, 0.25);
      const field_outcome end = runner.run(100000000);
      EXPECT_TRUE(end.interrupted);
      EXPECT_LT(end.steps, 100000000);
      EXPECT_GT(end.steps, 0);
      runner.field(0, found);
      o.progress = nullptr;
      auto again = make();
      again.set_field(0, start);
      again.set_parameter(0, 0.25);
      EXPECT_FALSE(again.run(end.steps).interrupted);
      again.field(0, wanted);
      EXPECT_EQ(found, wanted) << executor << " " << threads << " after " << end.steps;
      stop = true;
      EXPECT_TRUE(again.run(100000000).interrupted);
    }
  }
}

TEST(FieldRunner, ALookMayEndTheRun) {
  field_options o;
  o.kernel = "interpreted";
  field_runner<double> runner(device::cpu(2), heat(), {8, 9}, o);
  const auto until = [&](std::int64_t last) {
    return runner.run(100, 7, [=](const field_progress& now) { return now.step < last; });
  };
  const field_outcome ended = until(21);
  EXPECT_EQ(ended.steps, 21);
  EXPECT_TRUE(ended.interrupted);
  EXPECT_EQ(until(1000).steps, 100);
  EXPECT_EQ(runner.report().total_steps, 121);
  refused("every: expected 1 step or more, found 0",
          [&] { runner.run(5, 0, [](const field_progress&) {}); });
}

TEST(FieldRunner, WhatAProgressFunctionThrowsEndsTheRun) {
  for (const int threads : {1, 2}) {
    field_options o;
    o.kernel = "interpreted";
    o.executor = "persistent";
    o.progress_interval = 0;
    o.progress = [](const field_progress&) -> bool { throw std::runtime_error("enough"); };
    field_runner<float> runner(device::cpu(threads), heat(), {64, 50}, o);
    EXPECT_THROW(runner.run(100000000), std::runtime_error);
  }
}

TEST(FieldRunner, ReportsValuesThatAreNotFinite) {
  field_options o;
  o.kernel = "interpreted";
  field_runner<double> runner(device::cpu(1), heat(), {6, 7}, o);
  std::vector<double> u(42, 1.0);
  runner.set_field(0, u);
  EXPECT_TRUE(runner.report().finite);
  u[13] = std::nan("");
  runner.set_field(0, u);
  EXPECT_FALSE(runner.report().finite);
}

}  // namespace
}  // namespace dwell::test
