// SPDX-License-Identifier: MIT
// Fields that are divided among ranks have the bits of the whole: shapes, boundaries, executors,
// sources, steps between two exchanges; and they end together.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/stencil/distributed_stencil.hpp"
#include "stencil_oracle.hpp"

namespace dwell::test {
namespace {

template <class T>
grid<T> run_whole(grid<T> u, const stencil_options& o, int steps, const grid<T>* source = nullptr) {
  return stencil_by_loops(o.shape, std::move(u), steps, o.edge, {}, source);
}

template <class T>
grid<T> run_divided(const grid<T>& start, const stencil_options& o, int ranks,
                    const field_division& division, std::vector<int> runs,
                    const grid<T>* source = nullptr) {
  grid<T> whole;
  std::mutex guard;
  run_as_ranks(ranks, [&](std::shared_ptr<communicator> comm) {
    const bool first = comm->rank() == 0;
    const grid<T> none;
    distributed_stencil<T> field(device::cpu(1), comm, start.size(), o, division,
                                 source != nullptr);
    field.scatter(first ? start.view() : none.view());
    if (source) {  // each gives its own
      grid<T> part(field.size());
      copy_box(source->view(), field.share().own.first, part.view());
      field.set_source(part.view());
    }
    for (const int steps : runs) EXPECT_EQ(field.run(steps).steps, steps);
    grid<T> all = field.gather();
    const std::lock_guard lock(guard);
    if (first) whole = std::move(all);
  });
  return whole;
}

struct slab_case {
  std::string shape;
  boundary edge;
};
std::string name_of(const slab_case& c) { return c.shape + "_" + to_string(c.edge); }

class slabs : public testing::TestWithParam<slab_case> {
 protected:
  void SetUp() override {
    if (!has_stencil_shape(GetParam().shape))
      GTEST_SKIP() << "this build has no " << GetParam().shape;
  }
};

/// "ranks" as along each axis.
int ranks_of(const extents& along) { return static_cast<int>(along.cells()); }

TEST_P(slabs, have_the_bits_of_the_whole) {
  stencil_options o;
  o.shape = GetParam().shape;
  o.edge = GetParam().edge;
  const int dims = find_stencil_shape(o.shape).dims;
  const extents size = dims == 3 ? extents(19, 9, 13) : extents(37, 29);
  const grid<double> start = random_field<double>(size, 1);
  const grid<double> f = random_field<double>(size, 2);
  for (const grid<double>* source : {static_cast<const grid<double>*>(nullptr), &f}) {
    const grid<double> wanted = run_whole(start, o, 11, source);
    for (const char* executor : {"persistent", "perks", "host-loop"})
      for (const int ranks : {1, 2, 3, 4})
        for (const int between : {0, 1, 3}) {
          if (between * find_stencil_shape(o.shape).radius * ranks > (dims == 3 ? 19 : 37))
            continue;
          SCOPED_TRACE(testing::Message() << executor << ", " << ranks << " ranks, " << between
                                          << " steps" << (source ? ", source" : ""));
          o.executor = executor;
          EXPECT_TRUE(run_divided(start, o, ranks, {.steps_per_exchange = between}, {4, 0, 7},
                                  source) == wanted);
        }
  }
}

// Cuts along several axes: corners come by way of neighbours, parts of an axis differ in length,
// and two ranks may be each other's neighbours on both sides.
TEST_P(slabs, cut_along_several_axes_have_the_bits_of_the_whole) {
  stencil_options o;
  o.shape = GetParam().shape;
  o.edge = GetParam().edge;
  const stencil_shape shape = find_stencil_shape(o.shape);
  const extents size = shape.dims == 3 ? extents(13, 14, 15) : extents(25, 29);
  const grid<double> start = random_field<double>(size, 1), f = random_field<double>(size, 2);
  const std::vector<extents> divisions =
      shape.dims == 3 ? std::vector<extents>{{2, 2, 1}, {1, 3, 1}, {1, 1, 2}, {2, 2, 2}}
                      : std::vector<extents>{{2, 2}, {1, 3}, {3, 2}};
  for (const grid<double>* source : {static_cast<const grid<double>*>(nullptr), &f}) {
    const grid<double> wanted = run_whole(start, o, 9, source);
    for (const char* executor : {"persistent", "perks"})
      for (const extents& along : divisions)
        for (const int between : {1, 2, 3}) {
          bool fits = true;
          for (int axis = 0; axis < 3; ++axis)
            fits &= along[axis] == 1 || size[axis] / along[axis] >= between * shape.radius;
          if (!fits) continue;
          SCOPED_TRACE(testing::Message() << executor << ", " << to_string(along) << " ranks, "
                                          << between << " steps" << (source ? ", source" : ""));
          o.executor = executor;
          EXPECT_TRUE(run_divided(start, o, ranks_of(along), {along, between}, {4, 0, 5}, source) ==
                      wanted);
        }
  }
}

std::vector<slab_case> slab_cases() {
  std::vector<slab_case> all;
  for (const char* shape : {"2d5pt", "2d9pt", "2ds9pt", "gradient2d", "3d7pt", "3d13pt"})
    for (const boundary edge : {boundary::fixed, boundary::periodic, boundary::reflect})
      all.push_back({shape, edge});
  return all;
}
INSTANTIATE_TEST_SUITE_P(of, slabs, testing::ValuesIn(slab_cases()),
                         [](const auto& p) { return name_of(p.param); });

TEST(slabs_, run_under_temporal_and_in_f32) {
  stencil_options o;
  o.executor = "temporal";
  const grid<double> start = random_field<double>(extents(61, 70), 3);
  const grid<double> wanted = run_whole(start, o, 13);
  EXPECT_TRUE(run_divided(start, o, 3, {.steps_per_exchange = 4}, {13}) == wanted);
  EXPECT_TRUE(run_divided(start, o, 4, {extents(2, 2), 4}, {13}) == wanted);
  const grid<float> single = random_field<float>(extents(61, 70), 3);
  o.executor = "auto";
  EXPECT_TRUE(run_divided(single, o, 4, {.steps_per_exchange = 2}, {9}) == run_whole(single, o, 9));
}

TEST(slabs_, are_blocks_where_that_is_less) {
  const grid<double> start = random_field<double>(extents(70, 200), 3);
  EXPECT_TRUE(run_divided(start, {}, 8, {}, {13}) == run_whole(start, {}, 13));
  run_as_ranks(8, [&](std::shared_ptr<communicator> comm) {
    const distributed_stencil<double> field(device::cpu(1), comm, start.size());
    EXPECT_EQ(field.share().ranks, extents(2, 4));
  });
}

TEST(slabs_, say_what_they_have) {
  run_as_ranks(3, [&](std::shared_ptr<communicator> comm) {
    const distributed_stencil<double> field(device::cpu(1), comm, extents(100, 50), {},
                                            {.steps_per_exchange = 2});
    const field_share mine = field.share();
    const int first = 100 * comm->rank() / 3, layers = 100 * (comm->rank() + 1) / 3 - first;
    EXPECT_EQ(mine.ranks, extents(3, 1));
    EXPECT_EQ(mine.own, (grid_box{{0, first, 0}, extents(layers, 50)}));
    EXPECT_EQ(mine.ghosts_before, (grid_offset{0, comm->rank() > 0 ? 2 : 0, 0}));
    EXPECT_EQ(mine.ghosts_after, (grid_offset{0, comm->rank() < 2 ? 2 : 0, 0}));
    EXPECT_EQ(mine.steps_per_exchange, 2);
    EXPECT_EQ(field.size(), extents(layers, 50));
    EXPECT_EQ(field.all(), extents(100, 50));
    EXPECT_EQ(field.report().shape, "2d5pt");
  });
  run_as_ranks(6, [&](std::shared_ptr<communicator> comm) {
    stencil_options o;
    o.shape = "3d7pt";
    if (!has_stencil_shape(o.shape)) return;
    o.edge = boundary::periodic;
    const distributed_stencil<double> field(device::cpu(1), comm, extents(20, 11, 30), o,
                                            {extents(2, 1, 3), 3});
    const field_share mine = field.share();
    const int z = comm->rank() / 3, x = comm->rank() % 3;
    EXPECT_EQ(mine.own, (grid_box{{10 * z, 0, 10 * x}, extents(10, 11, 10)}));
    EXPECT_EQ(mine.ghosts_before, (grid_offset{3, 0, 3}));
    EXPECT_EQ(mine.ghosts_after, (grid_offset{3, 0, 3}));
  });
}

// Tested after the same steps, with the same changes, as by one.
TEST(slabs_, end_by_the_change_of_all) {
  stencil_options o;
  const grid<double> start = random_field<double>(extents(24, 20), 4);
  grid<double> alone = start;
  o.until = 1e-3;
  o.check_every = 7;
  o.steps = 5000;
  const stencil_report wanted = solve(device::cpu(1), alone, o);
  ASSERT_EQ(wanted.stopped, stencil_stop::converged);
  for (const int ranks : {1, 2, 3})
    run_as_ranks(ranks, [&](std::shared_ptr<communicator> comm) {
      distributed_stencil<double> field(device::cpu(1), comm, start.size(), {});
      field.scatter(start.view());
      const stencil_outcome end = field.run_until(1e-3, 5000, 7);
      EXPECT_EQ(end.stopped, stencil_stop::converged);
      EXPECT_EQ(end.steps, wanted.steps);
      EXPECT_EQ(end.change, wanted.change);
      const grid<double> all = field.gather();
      if (comm->rank() == 0) {
        EXPECT_EQ(all, alone);
      }
      EXPECT_EQ(field.run_until(0, 10, 4).stopped, stencil_stop::step_limit);
    });
}

TEST(slabs_, are_interrupted_together) {
  for (const int who : {0, 1}) {
    std::atomic<bool> flag{true};
    run_as_ranks(2, [&](std::shared_ptr<communicator> comm) {
      stencil_options o;
      if (comm->rank() == who) o.interrupt = &flag;
      distributed_stencil<double> field(device::cpu(1), comm, extents(30, 30), o);
      field.set_field(grid<double>(field.size()).view());
      const stencil_outcome end = field.run(100);
      EXPECT_EQ(end.stopped, stencil_stop::interrupted);
      EXPECT_EQ(end.steps, 0);
    });
  }
  run_as_ranks(2, [&](std::shared_ptr<communicator> comm) {
    stencil_options o;
    o.progress_interval = 0;
    int calls = 0;
    if (comm->rank() == 1) o.progress = [&](const stencil_progress&) { return ++calls < 3; };
    distributed_stencil<double> field(device::cpu(1), comm, extents(30, 30), o,
                                      {.steps_per_exchange = 1});
    field.set_field(grid<double>(field.size()).view());
    const stencil_outcome end = field.run(100);
    EXPECT_EQ(end.stopped, stencil_stop::interrupted);
    EXPECT_EQ(end.steps, 2);
  });
}

TEST(slabs_, refuse_on_all_ranks) {
  run_as_ranks(2, [&](std::shared_ptr<communicator> comm) {
    const auto make = [&](const extents& n, const stencil_options& o, int between) {
      distributed_stencil<double> field(device::cpu(1), comm, n, o,
                                        {.steps_per_exchange = between});
    };
    const auto divide = [&](const extents& n, const extents& ranks) {
      distributed_stencil<double> field(device::cpu(1), comm, n, {}, {ranks});
    };
    EXPECT_THROW(divide(extents(9, 9), extents(2, 2)), input_error) << "4 ranks, there are 2";
    EXPECT_THROW(divide(extents(9, 9), extents(-1, -2)), input_error);
    EXPECT_THROW(divide(extents(9, 9), extents(2, 1, 1)), input_error) << "3 axes";
    EXPECT_THROW(divide(extents(9, 1), extents(1, 2)), input_error) << "a rank without columns";
    EXPECT_THROW(make(extents(1, 1), {}, 0), input_error) << "a rank without cells";
    EXPECT_THROW(make(extents(9, 9), {}, 5), input_error) << "4 layers, 5 needed";
    EXPECT_THROW(make(extents(9, 9), {}, -1), input_error);
    stencil_options o;
    o.shape = "2d6pt";
    EXPECT_THROW(make(extents(9, 9), o, 0), unsupported_error);
    distributed_stencil<double> field(device::cpu(1), comm, extents(20, 9));
    grid<double> mine(field.size());
    if (comm->rank() == 1) mine.view()(3, 3) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW(field.set_field(mine.view()), input_error) << "on the other one, too";
    EXPECT_THROW(field.run(-1), input_error);
    EXPECT_THROW(field.run_until(-1.0, 10), input_error);
  });
}

// The runner's own: boxes to the host and back.
TEST(boxes_of_runners, are_taken_and_given) {
  for (const char* executor : {"persistent", "perks"}) {
    stencil_options o;
    o.executor = executor;
    const grid<double> start = random_field<double>(extents(20, 11), 5);
    stencil_runner<double> runner(device::cpu(2), start.size(), o);
    grid<double> some(extents(3, 5));
    EXPECT_THROW(runner.set_box({}, some.view()), input_error) << "no field yet";
    runner.set_field(start);
    runner.box({0, 4, 2}, some.view());
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 5; ++x) EXPECT_EQ(some(y, x), start(4 + y, 2 + x));
    // Some of these cells are fixed: they must be new in both copies.
    const grid<double> other = random_field<double>(extents(3, 5), 6);
    grid<double> wanted = start;
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 5; ++x) wanted(y, 6 + x) = other(y, x);
    runner.set_box({0, 0, 6}, other.view());
    runner.run(3);
    EXPECT_TRUE(runner.field() == run_whole(wanted, o, 3));
    EXPECT_THROW(runner.box({0, 18, 0}, some.view()), input_error);
    EXPECT_THROW(runner.box({0, 0, 7}, some.view()), input_error);
    EXPECT_THROW(runner.box({0, -1, 0}, some.view()), input_error);
    grid<double> volume(extents(1, 3, 5));
    EXPECT_THROW(runner.box({}, volume.view()), input_error);
  }
  if (!has_stencil_shape("3d7pt")) GTEST_SKIP() << "this build has no 3d7pt";
  stencil_options o;
  o.shape = "3d7pt";
  const grid<double> start = random_field<double>(extents(9, 8, 7), 5);
  stencil_runner<double> runner(device::cpu(2), start.size(), o);
  runner.set_field(start);
  grid<double> some(extents(2, 3, 4)), wanted(some.size());
  runner.box({3, 4, 2}, some.view());
  copy_box(start.view(), {3, 4, 2}, wanted.view());
  EXPECT_EQ(some, wanted);
}

}  // namespace
}  // namespace dwell::test
