// SPDX-License-Identifier: MIT
// Fields that are divided among ranks with GPUs have the bits of the whole.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/stencil/distributed_stencil.hpp"
#include "gpu_ranks.hpp"
#include "stencil_oracle.hpp"

namespace dwell::test {
namespace {

class slabs_on_gpus : public testing::TestWithParam<gpu_ranks> {
 protected:
  void SetUp() override {
    if (const std::string why = GetParam().missing(); !why.empty()) GTEST_SKIP() << why;
  }
  template <class T>
  struct field_case {
    grid<T> start, wanted;
    stencil_options o;
    field_division division;
    std::vector<int> runs;
    const grid<T>* source = nullptr;
  };
  template <class T>
  void expect_bits(const std::vector<field_case<T>>& cases) const {
    const gpu_ranks where = GetParam();
    std::vector<grid<T>> got(cases.size());
    run_as_ranks(where.ranks, [&](std::shared_ptr<communicator> comm) {
      for (std::size_t k = 0; k < cases.size(); ++k) {
        const field_case<T>& c = cases[k];
        const bool first = comm->rank() == 0;
        const grid<T> none;
        field_division division = c.division;
        division.by = where.by();
        distributed_stencil<T> field(where(comm->rank()), comm, c.start.size(), c.o, division,
                                     c.source != nullptr);
        EXPECT_STREQ(field.transport(), where.transport());
        field.scatter(first ? c.start.view() : none.view());
        if (c.source) field.scatter_source(first ? c.source->view() : none.view());
        for (const int steps : c.runs) EXPECT_EQ(field.run(steps).steps, steps);
        grid<T> all = field.gather();
        if (first) got[k] = std::move(all);
      }
    });
    for (std::size_t k = 0; k < cases.size(); ++k) {
      const field_division& c = cases[k].division;
      EXPECT_TRUE(got[k] == cases[k].wanted)
          << cases[k].o.shape << " " << to_string(cases[k].o.edge) << " " << cases[k].o.executor
          << ", " << (c.ranks ? to_string(*c.ranks) : "planned") << " ranks, "
          << c.steps_per_exchange << " steps" << (cases[k].source ? ", source" : "");
    }
  }
};

TEST_P(slabs_on_gpus, have_the_bits_of_the_whole) {
  for (const char* shape : {"2d5pt", "3d7pt", "2d9pt", "gradient2d"}) {
    if (!has_gpu_stencil(shape)) continue;
    const int dims = find_stencil_shape(shape).dims;
    // A width whose rows have gaps, and layers that ranks cannot share equally.
    const extents size = dims == 3 ? extents(43, 29, 37) : extents(205, 77);
    const grid<double> start = random_field<double>(size, 1), f = random_field<double>(size, 2);
    std::vector<field_case<double>> cases;
    for (const boundary edge : {boundary::fixed, boundary::periodic, boundary::reflect})
      for (const grid<double>* source : {static_cast<const grid<double>*>(nullptr), &f}) {
        stencil_options o;
        o.shape = shape;
        o.edge = edge;
        const grid<double> wanted = stencil_by_loops(o.shape, start, 11, o.edge, {}, source);
        for (const char* executor : {"auto", "host-loop", "graph", "persistent", "perks"})
          for (const int between : {0, 1, 3}) {
            o.executor = executor;
            cases.push_back({start, wanted, o, {.steps_per_exchange = between}, {4, 0, 7}, source});
          }
      }
    expect_bits(cases);
  }
}

// Pencils and blocks: what is packed, corners, ranks that are each other's neighbours twice.
TEST_P(slabs_on_gpus, cut_along_several_axes_have_them_too) {
  const int ranks = GetParam().ranks;
  for (const char* shape : {"2d5pt", "3d7pt", "2d9pt"}) {
    if (!has_gpu_stencil(shape)) continue;
    const int dims = find_stencil_shape(shape).dims;
    const extents size = dims == 3 ? extents(23, 29, 37) : extents(105, 77);
    std::vector<extents> divisions = {dims == 3 ? extents(1, ranks, 1) : extents(1, ranks)};
    if (dims == 3) divisions.push_back(extents(1, 1, ranks));
    if (ranks == 4) divisions.push_back(dims == 3 ? extents(2, 2, 1) : extents(2, 2));
    const grid<double> start = random_field<double>(size, 1);
    std::vector<field_case<double>> cases;
    for (const boundary edge : {boundary::fixed, boundary::periodic, boundary::reflect}) {
      stencil_options o;
      o.shape = shape;
      o.edge = edge;
      const grid<double> wanted = stencil_by_loops(o.shape, start, 11, o.edge, {});
      for (const char* executor : {"graph", "persistent", "perks"})
        for (const extents& along : divisions)
          for (const int between : {1, 3}) {
            o.executor = executor;
            cases.push_back({start, wanted, o, {along, between}, {4, 0, 7}});
          }
    }
    expect_bits(cases);
  }
}

// Large enough for several pieces in flight, and for executors that make several steps in a pass.
TEST_P(slabs_on_gpus, have_them_after_many_steps_and_in_f32) {
  stencil_options o;
  const grid<float> single = random_field<float>(extents(600, 512), 3);
  expect_bits<float>({{single,
                       stencil_by_loops(o.shape, single, 61, o.edge, {}),
                       o,
                       {.steps_per_exchange = 2},
                       {61}}});
  const grid<double> start = random_field<double>(extents(611, 1000), 3);
  const grid<double> wanted = stencil_by_loops(o.shape, start, 200, o.edge, {});
  std::vector<field_case<double>> cases;
  for (const char* executor : {"auto", "temporal"})
    for (const int between : {0, 4, 30}) {
      o.executor = executor;
      cases.push_back({start, wanted, o, {.steps_per_exchange = between}, {200}});
    }
  expect_bits(cases);
}

TEST_P(slabs_on_gpus, end_by_the_change_of_all_and_by_requests) {
  const gpu_ranks where = GetParam();
  const grid<double> start = random_field<double>(extents(64, 60), 4);
  grid<double> alone = start;
  stencil_options o;
  o.until = 1e-3;
  o.check_every = 7;
  o.steps = 5000;
  const stencil_report wanted = solve(device::cpu(1), alone, o);
  ASSERT_EQ(wanted.stopped, stencil_stop::converged);
  std::atomic<bool> flag{true};
  const field_division by_two{.steps_per_exchange = 2, .by = where.by()};
  run_as_ranks(where.ranks, [&](std::shared_ptr<communicator> comm) {
    distributed_stencil<double> field(where(comm->rank()), comm, start.size(), {}, by_two);
    field.scatter(start.view());
    const stencil_outcome end = field.run_until(1e-3, 5000, 7);
    EXPECT_EQ(end.stopped, stencil_stop::converged);
    EXPECT_EQ(end.steps, wanted.steps);
    EXPECT_EQ(end.change, wanted.change);
    const grid<double> all = field.gather();
    if (comm->rank() == 0) {
      EXPECT_EQ(all, alone);
    }
    stencil_options asked;
    if (comm->rank() == 1) asked.interrupt = &flag;
    distributed_stencil<double> other(where(comm->rank()), comm, start.size(), asked, by_two);
    other.scatter(start.view());
    EXPECT_EQ(other.run(100).stopped, stencil_stop::interrupted);
  });
}

INSTANTIATE_TEST_SUITE_P(ranks, slabs_on_gpus, testing::ValuesIn(all_gpu_ranks()),
                         [](const auto& p) { return name_of(p.param); });

TEST(field_in_place, is_the_field) {
  if (const cuda_presence found = find_cuda(); found.devices == 0) GTEST_SKIP() << found.reason;
  stencil_runner<double> runner(device::cuda(0), extents(20, 41));
  EXPECT_THROW(runner.field_in_place(), input_error) << "no field yet";
  const grid<double> start = random_field<double>(extents(20, 41), 5);
  runner.set_field(start);
  const auto there = runner.field_in_place();
  EXPECT_GE(there.row_pitch, 41u);
  EXPECT_EQ(there.plane_rows, 20u);
  grid<double> some(extents(7, 9)), wanted(some.size());
  runner.box({0, 6, 30}, some.view());
  copy_box(start.view(), {0, 6, 30}, wanted.view());
  EXPECT_EQ(some, wanted);
  EXPECT_THROW(runner.box({0, 14, 30}, some.view()), input_error);
}

// One copy of several planes, to the host and back.
TEST(boxes_on_a_gpu, are_taken_and_given) {
  if (const cuda_presence found = find_cuda(); found.devices == 0) GTEST_SKIP() << found.reason;
  if (!has_gpu_stencil("3d7pt")) GTEST_SKIP() << "this build has no 3d7pt for GPUs";
  stencil_options o;
  o.shape = "3d7pt";
  const grid<double> start = random_field<double>(extents(12, 20, 41), 5),
                     other = random_field<double>(extents(5, 7, 9), 6);
  stencil_runner<double> runner(device::cuda(0), start.size(), o);
  runner.set_field(start);
  grid<double> some(other.size()), wanted(other.size()), changed = start;
  runner.box({3, 6, 30}, some.view());
  copy_box(start.view(), {3, 6, 30}, wanted.view());
  EXPECT_EQ(some, wanted);
  runner.set_box({7, 13, 32}, other.view());
  copy_to_box(other.view(), changed.view(), {7, 13, 32});
  EXPECT_EQ(runner.field(), changed);
  runner.run(3);
  EXPECT_EQ(runner.field(), stencil_by_loops(o.shape, changed, 3, o.edge, {}));
}

}  // namespace
}  // namespace dwell::test
