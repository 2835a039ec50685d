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
#include "dwell/solvers/stencil/distributed_stencil.hpp"
#include "stencil_oracle.hpp"

namespace dwell::test {
namespace {

template <class T>
grid<T> run_whole(grid<T> u, const stencil_options& o, int steps, const grid<T>* source = nullptr) {
  return stencil_by_loops(o.shape, std::move(u), steps, o.edge, {}, source);
}

template <class T>
grid<T> run_divided(const grid<T>& start, const stencil_options& o, int ranks, int between,
                    std::vector<int> runs, const grid<T>* source = nullptr) {
  grid<T> whole;
  std::mutex guard;
  run_as_ranks(ranks, [&](std::shared_ptr<communicator> comm) {
    const bool first = comm->rank() == 0;
    const grid<T> none;
    distributed_stencil<T> field(device::cpu(1), comm, start.size(), o, between, source != nullptr);
    field.scatter(first ? start.view() : none.view());
    if (source) {  // each gives its own
      const slab_share mine = field.share();
      grid<T> part(field.size());
      const std::size_t layer = part.view().cells().size() / static_cast<std::size_t>(mine.layers);
      std::copy_n(
          source->view().cells().begin() +
              static_cast<std::ptrdiff_t>(layer * static_cast<std::size_t>(mine.first_layer)),
          part.view().cells().size(), part.view().cells().begin());
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
          EXPECT_TRUE(run_divided(start, o, ranks, between, {4, 0, 7}, source) == wanted);
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
  EXPECT_TRUE(run_divided(start, o, 3, 4, {13}) == run_whole(start, o, 13));
  const grid<float> single = random_field<float>(extents(61, 70), 3);
  o.executor = "auto";
  EXPECT_TRUE(run_divided(single, o, 4, 2, {9}) == run_whole(single, o, 9));
}

TEST(slabs_, say_what_they_have) {
  run_as_ranks(3, [&](std::shared_ptr<communicator> comm) {
    stencil_options o;
    distributed_stencil<double> field(device::cpu(1), comm, extents(100, 50), o, 2);
    const slab_share mine = field.share();
    EXPECT_EQ(mine.first_layer, 100 * comm->rank() / 3);
    EXPECT_EQ(mine.layers, 100 * (comm->rank() + 1) / 3 - mine.first_layer);
    EXPECT_EQ(mine.ghosts, comm->rank() == 1 ? 4 : 2);
    EXPECT_EQ(mine.steps_per_exchange, 2);
    EXPECT_EQ(field.size(), extents(mine.layers, 50));
    EXPECT_EQ(field.all(), extents(100, 50));
    EXPECT_EQ(field.report().shape, "2d5pt");
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
    distributed_stencil<double> field(device::cpu(1), comm, extents(30, 30), o, 1);
    field.set_field(grid<double>(field.size()).view());
    const stencil_outcome end = field.run(100);
    EXPECT_EQ(end.stopped, stencil_stop::interrupted);
    EXPECT_EQ(end.steps, 2);
  });
}

TEST(slabs_, refuse_on_all_ranks) {
  run_as_ranks(2, [&](std::shared_ptr<communicator> comm) {
    const auto make = [&](const extents& n, const stencil_options& o, int between) {
      distributed_stencil<double> field(device::cpu(1), comm, n, o, between);
    };
    EXPECT_THROW(make(extents(1, 9), {}, 0), input_error) << "a rank without layers";
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

// The runner's own: layers to the host and back.
TEST(layers_of_runners, are_taken_and_given) {
  for (const char* executor : {"persistent", "perks"}) {
    stencil_options o;
    o.executor = executor;
    const grid<double> start = random_field<double>(extents(20, 11), 5);
    stencil_runner<double> runner(device::cpu(2), start.size(), o);
    grid<double> some(extents(3, 11));
    EXPECT_THROW(runner.set_layers(0, some.view()), input_error) << "no field yet";
    runner.set_field(start);
    runner.layers(4, some.view());
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 11; ++x) EXPECT_EQ(some.view()(y, x), start.view()(4 + y, x));
    // The first row is fixed: it must be new in both copies.
    grid<double> other = random_field<double>(extents(3, 11), 6);
    grid<double> wanted = start;
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 11; ++x) wanted.view()(y, x) = other.view()(y, x);
    runner.set_layers(0, other.view());
    runner.run(3);
    EXPECT_TRUE(runner.field() == run_whole(wanted, o, 3));
    EXPECT_THROW(runner.layers(18, some.view()), input_error);
    EXPECT_THROW(runner.layers(-1, some.view()), input_error);
    grid<double> narrow(extents(3, 10));
    EXPECT_THROW(runner.layers(0, narrow.view()), input_error);
  }
}

}  // namespace
}  // namespace dwell::test
