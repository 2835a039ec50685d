// SPDX-License-Identifier: MIT
// A field that stays on a device: runs go on whatever lies between them, and
// a runner says and refuses what solve() does.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "each_stencil_way.hpp"
#include "place.hpp"
#include "refusal.hpp"
#include "runner_at.hpp"
#include "stencil_oracle.hpp"

#include "dwell/stencil/stencil_runner.hpp"

namespace dwell::test {
namespace {

class stencil_runners : public each_stencil_way {};

TEST_F(stencil_runners, go_on_after_a_run_to_a_tolerance) {
  const auto start = random_field<double>({21, 34}, 5);
  each_way([&](stencil_options o) {
    auto expected = start;
    o.steps = 500;
    o.until = 3e-3;
    o.check_every = 7;
    const auto whole = solve(stencil_place::where(), expected, o);
    ASSERT_EQ(whole.stopped, stencil_stop::converged);
    auto runner = runner_at(start, o);
    const auto until = runner.run_until(3e-3, 500, 7);
    EXPECT_EQ(until.stopped, stencil_stop::converged);
    EXPECT_EQ(until.steps, whole.steps);
    EXPECT_EQ(until.change, whole.change);
    EXPECT_EQ(difference(runner.field(), expected), "");
    const auto limited = runner.run_until(0, 5, 3);
    EXPECT_EQ(limited.stopped, stencil_stop::step_limit);
    EXPECT_EQ(limited.steps, 5);
    EXPECT_GT(limited.change.value(), 0);
    EXPECT_EQ(runner.run(3).change, std::nullopt);
    EXPECT_EQ(difference(runner.field(), stencil_by_loops("2d5pt", start, whole.steps + 8, o.edge)),
              "");
    runner.set_field(start);
    EXPECT_EQ(runner.run().steps, whole.steps) << "the options' own goal";
    EXPECT_EQ(difference(runner.field(), expected), "");
  });
}

TEST_F(stencil_runners, take_a_new_field_source_and_weights_between_runs) {
  const extents n(19, 70);
  const auto one = random_field<double>(n, 1), other = random_field<double>(n, 2),
             source = random_field<double>(n, 3);
  const std::vector<double> weights = {0.3, 0.1, 0.2, -0.1, 0.25};
  each_way([&](stencil_options o) {
    auto runner = runner_at(one, o, &source);
    runner.run(3);
    runner.set_field(other);  // with other values on the border, which stays fixed
    runner.set_source(one);
    runner.set_weights(weights);
    runner.run(4);
    auto expected = stencil_by_loops("2d5pt", other, 4, o.edge, weights, &one);
    EXPECT_EQ(difference(runner.field(), expected), "");
    runner.set_weights({});
    runner.run(1);
    expected = stencil_by_loops("2d5pt", expected, 1, o.edge, {}, &one);
    EXPECT_EQ(difference(runner.field(), expected), "");
  });
}

TEST_F(stencil_runners, call_back_every_few_steps_and_after_the_last) {
  const auto start = random_field<double>({12, 40}, 4);
  each_way([&](stencil_options o) {
    auto runner = runner_at(start, o);
    std::vector<int> steps;
    const auto all = runner.run(11, 4, [&](const auto& now) {
      steps.push_back(now.step());
      EXPECT_EQ(difference(now.field(), stencil_by_loops("2d5pt", start, now.step(), o.edge)), "");
    });
    EXPECT_EQ(steps, (std::vector<int>{4, 8, 11}));
    EXPECT_EQ(all.steps, 11);
    EXPECT_EQ(all.stopped, stencil_stop::steps_done);
    EXPECT_EQ(runner.report().steps, 11);

    const auto some = runner.run(100, 1, [](const auto& now) { return now.step() < 3; });
    EXPECT_EQ(some.steps, 3);
    EXPECT_EQ(some.stopped, stencil_stop::interrupted);
    EXPECT_EQ(runner.run(2, 2, [](const auto&) { return false; }).stopped, stencil_stop::steps_done)
        << "there was nothing left to stop";
    EXPECT_THROW(runner.run(5, 2, [](const auto&) { throw std::runtime_error("mine"); }),
                 std::runtime_error);
    EXPECT_EQ(difference(runner.field(), stencil_by_loops("2d5pt", start, 18, o.edge)), "");
  });
}

TEST_F(stencil_runners, end_when_they_are_interrupted_and_go_on) {
  const auto start = random_field<double>({30, 50}, 6);
  each_way([&](stencil_options o) {
    std::atomic<bool> flag{false};
    o.interrupt = &flag;
    auto runner = runner_at(start, o);
    runner.run(2);
    flag = true;
    runner.run_async(5);
    EXPECT_EQ(runner.wait().stopped, stencil_stop::interrupted);
    int calls = 0;
    EXPECT_EQ(runner.run(5, 1, [&](const auto&) { ++calls; }).steps, 0);
    EXPECT_EQ(calls, 0);
    const auto ended = runner.run(2'000'000);
    EXPECT_EQ(ended.stopped, stencil_stop::interrupted);
    EXPECT_LT(ended.steps, 2'000'000);
    flag = false;
    const int done = 2 + static_cast<int>(ended.steps);
    EXPECT_EQ(difference(runner.field(), stencil_by_loops("2d5pt", start, done, o.edge)), "");
    EXPECT_EQ(runner.run(3).stopped, stencil_stop::steps_done);
    EXPECT_EQ(difference(runner.field(), stencil_by_loops("2d5pt", start, done + 3, o.edge)), "");
  });
}

TEST_F(stencil_runners, have_no_field_after_a_run_that_failed) {
  const auto start = random_field<double>({30, 50}, 6);
  each_way([&](stencil_options o) {
    bool fails = true;
    o.progress_interval = 0;
    o.progress = [&](const stencil_progress&) {
      if (fails) throw std::runtime_error("mine");
    };
    auto runner = runner_at(start, o);
    EXPECT_THROW(runner.run(2'000'000), std::runtime_error);
    EXPECT_EQ(refusal([&] { runner.run(1); }),
              "field: expected set_field() before, and again after a run that has failed");
    fails = false;
    runner.set_field(start);
    runner.run(9);
    EXPECT_EQ(difference(runner.field(), stencil_by_loops("2d5pt", start, 9, o.edge)), "");
  });
}

TEST_F(stencil_runners, report_what_solve_does) {
  const auto start = random_field<double>({30, 50}, 6);
  each_way([&](stencil_options o) {
    o.steps = 9;
    auto u = start;
    const auto solved = solve(stencil_place::where(), u, o);
    EXPECT_EQ(solved.setup_s, solved.setup.total());
    auto runner = runner_at(start, o);
    const stencil_setup setup = runner.report().setup;
    for (const double part : {setup.check_s, setup.plan_s, setup.load_s, setup.upload_s})
      EXPECT_GT(part, 0);
    runner.run();
    const auto& r = runner.report();
    const auto facts = [](const stencil_report& x) {
      return std::vector<std::string>{
          x.shape,  x.executor,  x.policy,    x.reason,          x.device,
          x.engine, x.precision, x.traversal, to_string(x.size), to_string(x.subdomains)};
    };
    EXPECT_EQ(facts(r), facts(solved));
    EXPECT_EQ(r.steps, solved.steps);
    EXPECT_EQ(r.teams, solved.teams);
    EXPECT_EQ(r.bytes_per_step, solved.bytes_per_step);
    EXPECT_EQ(r.cached_registers, solved.cached_registers);
  });
}

TEST_F(stencil_runners, may_be_moved) {
  const auto start = random_field<double>({30, 50}, 6);
  each_way([&](stencil_options o) {
    auto first = runner_at(start, o);
    first.run(2);
    auto second = std::move(first);
    second.run(2);
    auto third = runner_at(start, o);
    third.run_async(1);  // what is assigned to gives up its own field
    third = std::move(second);
    third.run(1);
    EXPECT_EQ(difference(third.field(), stencil_by_loops("2d5pt", start, 5, o.edge)), "");
  });
}

TEST_F(stencil_runners, with_plans_that_are_tried) {
  stencil_options o;
  o.executor = "perks";
  o.policy = "measured";
  const auto start = random_field<double>({37, 90}, 5), source = random_field<double>({37, 90}, 6);
  auto runner = runner_at(start, o, &source);
  runner.run(4);
  runner.run(3);
  EXPECT_EQ(runner.report().policy, "measured");
  EXPECT_EQ(difference(runner.field(), stencil_by_loops("2d5pt", start, 7, o.edge, {}, &source)),
            "");
}

TEST_F(stencil_runners, refuse_what_cannot_be_used_in_one_line) {
  const auto where = stencil_place::where();
  const auto make = [&](stencil_options o, extents n = {8, 8}) {
    return refusal([&] { stencil_runner<double>(where, n, o); });
  };
  stencil_options o;
  o.shape = "2d6pt";
  EXPECT_NE(make(o).find("found '2d6pt'"), std::string::npos) << make(o);
  o = {};
  EXPECT_NE(make(o, {4, 4, 4}).find("2 dimensions, found 4x4x4"), std::string::npos);
  EXPECT_EQ(make(o, {0, 4}), "size: expected at least one cell along each axis, found 0x4");
  o.steps = -1;
  EXPECT_EQ(make(o), "steps: expected at least 0, found -1");

  stencil_runner<double> runner(where, {8, 8});
  EXPECT_EQ(refusal([&] { runner.run(1); }),
            "field: expected set_field() before, and again after a run that has failed");
  EXPECT_NE(refusal([&] { runner.field(); }), "accepted");
  EXPECT_EQ(refusal([&] { runner.set_field(grid<double>(extents(8, 9))); }),
            "field: expected 8x8 cells, found 8x9");
  grid<double> bad(extents(8, 8));
  bad(1, 2) = NAN;
  EXPECT_EQ(refusal([&] { runner.set_field(bad); }),
            "field: expected finite values, found nan at [1, 2] (counted from 0)");
  if (where.on() == backend::cpu)
    EXPECT_EQ(refusal([&] {
                runner.set_field(device_span<const double>{bad.cells().data(), 64});
              }),
              "field: expected memory of the host for a CPU, found a view of a GPU's");
  else
    EXPECT_EQ(refusal([&] {
                runner.set_field(device_span<const double>{bad.cells().data(), 64});
              }),
              "field: expected memory of CUDA device 0, found memory of the host");
  EXPECT_EQ(refusal([&] {
              runner.set_field(grid_view<const double>{{8, 8}, nullptr});
            }),
            "field: expected an array, found a null pointer");
  EXPECT_EQ(refusal([&] { runner.set_source(bad); }),
            "source: expected a runner that was made with has_source");
  runner.set_field(grid<double>(extents(8, 8), 1.0));
  EXPECT_EQ(refusal([&] { runner.run(-1); }), "steps: expected at least 0, found -1");
  EXPECT_EQ(refusal([&] { runner.run_until(-1, 5); }),
            "until: expected a finite number of at least 0, found -1");
  EXPECT_EQ(refusal([&] { runner.run_until(1, 5, 0); }),
            "check_every: expected at least 1, found 0");
  EXPECT_EQ(refusal([&] { runner.run(5, 0, [](const auto&) {}); }),
            "every: expected at least 1, found 0");
  EXPECT_EQ(refusal([&] {
              runner.set_weights(std::vector<double>{1, 2});
            }),
            "weights: expected 5 numbers for 2d5pt, found 2");
  EXPECT_EQ(refusal([&] {
              runner.set_weights(std::vector<double>{1, 2, 3, NAN, 5});
            }),
            "weights: expected numbers that are finite in f64, found nan");
  EXPECT_EQ(runner.run(2).steps, 2) << "a refusal changes nothing";

  stencil_runner<double> fed(where, {8, 8}, {}, true);
  fed.set_field(grid<double>(extents(8, 8)));
  EXPECT_EQ(refusal([&] { fed.run(1); }), "source: expected set_source() before");
  EXPECT_EQ(refusal([&] { fed.set_source(grid<double>(extents(9, 8))); }),
            "source: expected 8x8 cells, found 9x8");
}

}  // namespace
}  // namespace dwell::test
