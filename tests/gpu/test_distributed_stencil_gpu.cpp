// SPDX-License-Identifier: MIT
// Fields that are divided among ranks with GPUs have the bits of the whole.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/solvers/stencil/distributed_stencil.hpp"
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
    int between;
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
        distributed_stencil<T> field(where(comm->rank()), comm, c.start.size(), c.o, c.between,
                                     c.source != nullptr, where.by());
        EXPECT_STREQ(field.transport(), where.transport());
        field.scatter(first ? c.start.view() : none.view());
        if (c.source) field.scatter_source(first ? c.source->view() : none.view());
        for (const int steps : c.runs) EXPECT_EQ(field.run(steps).steps, steps);
        grid<T> all = field.gather();
        if (first) got[k] = std::move(all);
      }
    });
    for (std::size_t k = 0; k < cases.size(); ++k)
      EXPECT_TRUE(got[k] == cases[k].wanted)
          << cases[k].o.shape << " " << to_string(cases[k].o.edge) << " " << cases[k].o.executor
          << ", " << cases[k].between << " steps" << (cases[k].source ? ", source" : "");
  }
};

TEST_P(slabs_on_gpus, have_the_bits_of_the_whole) {
  for (const char* shape : {"2d5pt", "3d7pt", "2d9pt", "gradient2d"}) {
    if (!has_stencil_shape(shape)) continue;
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
            cases.push_back({start, wanted, o, between, {4, 0, 7}, source});
          }
      }
    expect_bits(cases);
  }
}

// Large enough for several pieces in flight, and for executors that make several steps in a pass.
TEST_P(slabs_on_gpus, have_them_after_many_steps_and_in_f32) {
  stencil_options o;
  const grid<float> single = random_field<float>(extents(600, 512), 3);
  expect_bits<float>({{single, stencil_by_loops(o.shape, single, 61, o.edge, {}), o, 2, {61}}});
  const grid<double> start = random_field<double>(extents(611, 1000), 3);
  const grid<double> wanted = stencil_by_loops(o.shape, start, 200, o.edge, {});
  std::vector<field_case<double>> cases;
  for (const char* executor : {"auto", "temporal"})
    for (const int between : {0, 4, 30}) {
      o.executor = executor;
      cases.push_back({start, wanted, o, between, {200}});
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
  run_as_ranks(where.ranks, [&](std::shared_ptr<communicator> comm) {
    distributed_stencil<double> field(where(comm->rank()), comm, start.size(), {}, 2, false,
                                      where.by());
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
    distributed_stencil<double> other(where(comm->rank()), comm, start.size(), asked, 2, false,
                                      where.by());
    other.scatter(start.view());
    EXPECT_EQ(other.run(100).stopped, stencil_stop::interrupted);
  });
}

INSTANTIATE_TEST_SUITE_P(ranks, slabs_on_gpus, testing::ValuesIn(all_gpu_ranks()),
                         [](const auto& p) { return name_of(p.param); });

TEST(layers_in_place, are_those_of_the_field) {
  if (const cuda_presence found = find_cuda(); found.devices == 0) GTEST_SKIP() << found.reason;
  stencil_runner<double> runner(device::cuda(0), extents(20, 41));
  EXPECT_THROW(runner.layers_in_place(0, 1), input_error) << "no field yet";
  runner.set_field(random_field<double>(extents(20, 41), 5));
  const auto first = runner.layers_in_place(0, 1), fifth = runner.layers_in_place(5, 2);
  EXPECT_GE(first.pitch, 41u);
  EXPECT_EQ(fifth.first, first.first + 5 * first.pitch);
  EXPECT_THROW(runner.layers_in_place(19, 2), input_error);
  EXPECT_THROW(runner.layers_in_place(-1, 2), input_error);
  EXPECT_THROW(runner.layers_in_place(3, 0), input_error);
}

}  // namespace
}  // namespace dwell::test
