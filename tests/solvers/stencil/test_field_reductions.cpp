// SPDX-License-Identifier: MIT
// Reductions of fields, drawn at random: whatever the definition, the size, the precision, the
// executor, the number of threads and the cuts of a run, numbers are those of reduce() of the
// fields of plain loops, bit by bit, and runs end where they should.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "field_oracle.hpp"

#include "dwell/base/error.hpp"
#include "dwell/stencil/field_runner.hpp"
#include "sanitized.hpp"

namespace dwell::test {
namespace {

constexpr reduction all_operations[] = {reduction::sum,   reduction::min,   reduction::max,
                                        reduction::norm1, reduction::norm2, reduction::norm_max};

/// Equal bits; NaN is of one kind.
bool same_number(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

template <class T>
void check_random_case(std::uint64_t seed) {
  std::mt19937_64 chance(seed);
  const auto below = [&](int n) { return static_cast<int>(chance() % static_cast<unsigned>(n)); };
  const stencil_definition d(random_tape(chance));
  std::array<std::int64_t, 3> n{1, 1, 1};
  // Up to several chunks of a sum, and thin fields.
  const int longest = d.dims() == 1 ? 5000 : d.dims() == 2 ? 90 : 22;
  for (int axis = 3 - d.dims(); axis < 3; ++axis)
    n[static_cast<std::size_t>(axis)] = 5 + below(below(3) == 0 ? 9 : longest);
  constexpr side_kind kinds[] = {side_kind::fixed, side_kind::reflect, side_kind::periodic};
  const std::vector<field_boundary> boundaries(static_cast<std::size_t>(d.fields()),
                                               field_boundary::all({kinds[below(3)], 0}));
  auto of_axes = boundaries;  // z, y, x; where there is no axis there is no border
  for (field_boundary& b : of_axes)
    for (int axis = 0; axis < 3 - d.dims(); ++axis)
      b.sides[static_cast<std::size_t>(axis)] = {field_side{side_kind::nearest, 0},
                                                 field_side{side_kind::nearest, 0}};
  const auto cells = static_cast<std::size_t>(n[0] * n[1] * n[2]);
  std::uniform_real_distribution<double> values(-2, 2);
  plain_fields<T> plain(d, n, of_axes);
  for (int a = 0; a < d.fields() + d.coefficients(); ++a) {
    std::vector<T> some(cells);
    for (T& v : some) v = static_cast<T>(values(chance));
    plain.arrays.push_back(std::move(some));
  }
  plain.parameters.assign(static_cast<std::size_t>(d.parameters()), T(0.5));

  field_options options;
  options.kernel = "interpreted";
  options.boundaries = boundaries;
  constexpr const char* executors[] = {"auto", "naive", "persistent", "temporal"};
  options.executor = executors[below(4)];
  const int threads = 1 + below(4);
  field_runner<T> runner(device::cpu(threads), d, {n.begin() + (3 - d.dims()), n.end()}, options);
  for (int f = 0; f < d.fields(); ++f)
    runner.set_field(f, plain.arrays[static_cast<std::size_t>(f)]);
  for (int k = 0; k < d.coefficients(); ++k)
    runner.set_coefficient(k, plain.arrays[static_cast<std::size_t>(d.fields() + k)]);
  for (int p = 0; p < d.parameters(); ++p) runner.set_parameter(p, 0.5);

  std::vector<field_reduction> list;
  for (int f = 0; f < d.fields(); ++f)
    for (const reduction operation : all_operations)
      for (const bool of_change : {false, true})
        if (below(3) == 0) list.push_back({f, {operation, of_change}, std::nullopt});
  if (list.empty()) list.push_back({0, {reduction::norm2, true}, std::nullopt});
  const int before = below(6), every = 1 + below(7), steps = below(25);
  SCOPED_TRACE(fmt::format("seed {}, {}, {} threads, {} cells, every {} of {} steps behind {}",
                           seed, options.executor, threads, cells, every, steps, before));
  runner.run(before);
  runner.set_reductions(list, every);
  for (int done = 0; done < steps;) {
    const int some = 1 + below(steps - done);
    EXPECT_EQ(runner.run(some).steps, some);
    done += some;
  }

  for (int s = 0; s < before; ++s) plain.step();
  std::size_t row = 0;
  for (int s = 1; s <= steps; ++s) {
    const auto old = plain.arrays;
    plain.step();
    if (s % every != 0) continue;
    ASSERT_LT(row, runner.reductions().size());
    const field_reduction_row& found = runner.reductions()[row++];
    EXPECT_EQ(found.step, before + s);
    ASSERT_EQ(found.values.size(), list.size());
    for (std::size_t k = 0; k < list.size(); ++k) {
      const auto f = static_cast<std::size_t>(list[k].field);
      std::vector<T> of = plain.arrays[f];
      if (list[k].quantity.of_change)
        for (std::size_t i = 0; i < cells; ++i) of[i] -= old[f][i];
      const double wanted =
          reduce(device::cpu(1), std::span<const T>(of), list[k].quantity.operation);
      ASSERT_TRUE(same_number(found.values[k], wanted))
          << to_string(list[k].quantity) << " of field " << f << " after step " << s << ": "
          << found.values[k] << ", wanted " << wanted;
    }
  }
  EXPECT_EQ(row, runner.reductions().size());
  for (int f = 0; f < d.fields(); ++f) {
    std::vector<T> found(cells);
    runner.field(f, found);
    ASSERT_TRUE(same_values(found, plain.arrays[static_cast<std::size_t>(f)])) << "field " << f;
  }
  const field_report report = runner.report();
  EXPECT_EQ(report.reduce_every, every);
  ASSERT_EQ(report.reductions.size(), list.size());
  EXPECT_EQ(report.reductions[0].last.has_value(), row > 0);
}

TEST(FieldReductions, AreThoseOfArraysOfPlainLoops) {
  for (int seed = 1; seed <= rounds(150); ++seed) {
    try {
      if (seed % 2)
        check_random_case<double>(seed);
      else
        check_random_case<float>(seed);
    } catch (const input_error& e) {
      ASSERT_TRUE(std::string(e.what()).starts_with("executor temporal: ")) << e.what();
    }
    if (testing::Test::HasFailure()) return;
  }
}

/// u = r u, v = -v: what a step changes is known.
stencil_definition decay() {
  cell_tape t{"decay", 2, {"u", "v"}, {}, {"r"}, {}, {}};
  t.nodes = {cell_node::tap(0, std::array{0, 0}), cell_node::parameter(0),
             cell_node::operation(cell_op::mul, 0, 1), cell_node::tap(1, std::array{0, 0}),
             cell_node::operation(cell_op::neg, 3)};
  t.stages = {{{0, 2}, {1, 4}}};
  return stencil_definition(t);
}

template <class T = double>
field_runner<T> decaying(field_options options = {}, int threads = 1) {
  options.kernel = "interpreted";
  options.boundaries = {field_boundary::all({side_kind::reflect, 0})};
  field_runner<T> runner(device::cpu(threads), decay(), {30, 40}, options);
  std::vector<T> one(1200, T(1));
  runner.set_field(0, one);
  runner.set_parameter(0, 0.5);
  return runner;
}

TEST(FieldReductions, EndARunAfterTheSameStepUnderEveryExecutor) {
  for (const char* executor : {"naive", "persistent", "temporal"})
    for (const int threads : {1, 3})
      for (const int every : {1, 3}) {
        field_options o;
        o.executor = executor;
        auto runner = decaying(o, threads);
        // After step s the change is 2^-s: no more than 2^-10 from step 10 on.
        runner.set_reductions(
            {{1, {reduction::sum, false}, std::nullopt}, {0, {reduction::norm_max, true}, 0x1p-10}},
            every);
        const field_outcome end = runner.run(1000);
        EXPECT_EQ(end.stopped, stencil_stop::converged);
        EXPECT_FALSE(end.interrupted);
        EXPECT_EQ(end.steps, every == 1 ? 10 : 12) << executor << " " << threads;
        EXPECT_EQ(runner.reductions().back().values[1], std::ldexp(1.0, -end.steps));
        const field_report r = runner.report();
        EXPECT_EQ(r.stopped, stencil_stop::converged);
        EXPECT_EQ(r.total_steps, end.steps);
        EXPECT_EQ(r.reductions[1].name, "change-norm-max(u)");
        EXPECT_EQ(r.reductions[1].until, 0x1p-10);
        // From then on each reduction ends a run.
        EXPECT_EQ(runner.run(1000).steps, every);
      }
}

TEST(FieldReductions, SayWhyARunEnded) {
  auto runner = decaying();
  EXPECT_EQ(runner.run(3).stopped, stencil_stop::steps_done);
  runner.set_reductions({{0, {reduction::sum, false}, std::nullopt}}, 2);
  EXPECT_EQ(runner.run(3).stopped, stencil_stop::steps_done);
  runner.set_reductions({{0, {reduction::max, false}, 1e-30}}, 2);
  EXPECT_TRUE(runner.reductions().empty());
  EXPECT_EQ(runner.run(5).stopped, stencil_stop::step_limit);
  EXPECT_EQ(runner.run(0).stopped, stencil_stop::steps_done);
  std::vector<double> u(1200, 1);
  u[77] = std::numeric_limits<double>::quiet_NaN();
  runner.set_field(0, u);
  const field_outcome end = runner.run(100);
  EXPECT_EQ(end.stopped, stencil_stop::not_finite);
  EXPECT_EQ(end.steps, 1);  // five were done before: the next is the third sixth
  runner.set_reductions({{0, {reduction::max, false}, std::nullopt}}, 2);
  EXPECT_EQ(runner.run(4).stopped, stencil_stop::steps_done);
  EXPECT_TRUE(std::isnan(runner.reductions().back().values[0]));
  runner.set_reductions({}, 1);
  EXPECT_EQ(runner.run(4).steps, 4);
  EXPECT_TRUE(runner.reductions().empty());
  EXPECT_EQ(runner.report().reduce_every, 0);
}

TEST(FieldReductions, LeaveInterruptsAndProgressAsTheyAre) {
  for (const double interval : {0.0, 1e-3}) {
    std::atomic<bool> stop{false};
    field_options o;
    o.interrupt = &stop;
    o.progress_interval = interval;
    std::int64_t told = -1;
    o.progress = [&](const field_progress& now) {
      EXPECT_GE(now.step, told);
      told = now.step;
      return now.step < 30;
    };
    auto runner = decaying(o);
    runner.set_reductions({{0, {reduction::norm2, true}, std::nullopt}}, 1);
    const field_outcome end = runner.run(100000000);
    EXPECT_TRUE(end.interrupted);
    EXPECT_GE(end.steps, 30);
    EXPECT_EQ(runner.reductions().size(), static_cast<std::size_t>(end.steps));
    stop = true;
    told = -1;
    EXPECT_LT(runner.run(100000000).steps, 100000000);
  }
}

TEST(FieldReductions, WhatCannotBeIsRefusedInOneLine) {
  auto runner = decaying();
  const auto refused = [&](std::vector<field_reduction> list, int every, const std::string& with) {
    try {
      runner.set_reductions(std::move(list), every);
      ADD_FAILURE() << with << ": was taken";
    } catch (const input_error& e) {
      EXPECT_NE(std::string(e.what()).find(with), std::string::npos) << e.what();
      EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos) << e.what();
    }
  };
  const field_reduction sum{0, {reduction::sum, false}, std::nullopt};
  refused({sum}, 0, "expected every 1 step or more, found 0");
  refused({sum, sum}, 1, "found sum(u) twice");
  refused({{2, {}, std::nullopt}}, 1, "decay has 2 fields, found number 2");
  refused({{0, {}, std::nan("")}}, 1, "expected a finite number");
  for (const reduction operation : all_operations)
    for (const bool of_change : {false, true})
      EXPECT_EQ(parse_field_quantity(to_string(field_quantity{operation, of_change})),
                (field_quantity{operation, of_change}));
  try {
    parse_field_quantity("change-norm");
    ADD_FAILURE();
  } catch (const input_error& e) {
    EXPECT_NE(std::string(e.what()).find("did you mean 'change-norm1'"), std::string::npos)
        << e.what();
  }
}

}  // namespace
}  // namespace dwell::test
