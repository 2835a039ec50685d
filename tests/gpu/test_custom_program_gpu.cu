// SPDX-License-Identifier: MIT
// Programs that Dwell does not know, compiled by nvcc as in a program of a user's: under every
// executor for GPUs, with the answers of plain loops, and the bits of each other where they share a
// cut.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "battery.hpp"
#include "custom_programs.hpp"
#include "place.hpp"

#include "dwell/base/error.hpp"
#include "dwell/custom_program.hpp"
#include "dwell/execution/krylov/plan/policy.hpp"

namespace dwell::test {
namespace {

double norm_of(const csr<double>& a) {
  double most = 0;
  for (std::size_t row = 0; row + 1 < a.row_ptr.size(); ++row) {
    double sum = 0;
    for (index k = a.row_ptr[row]; k < a.row_ptr[row + 1]; ++k)
      sum += std::abs(a.val[static_cast<std::size_t>(k)]);
    most = std::max(most, sum);
  }
  return most;
}

template <class P>
std::vector<double> answer_of(const csr<double>& a, const std::vector<double>& given,
                              const typename P::scalars& start, const program_options& o) {
  program_runner<P> runner(place::where(), a.view(), o);
  runner.set_vector(given_vector<P>(), given);
  EXPECT_EQ(runner.run(start).step, start.steps);
  std::vector<double> x(given.size());
  runner.vector(P::x, x);
  return x;
}

template <class P>
void every_executor_agrees_with_loops() {
  if (const auto why = place::absent(); !why.empty()) GTEST_SKIP() << why;
  for (const battery_case& one : battery()) {
    const csr<double> a = one.build();
    const auto given = random_vector(a.rows, 3);
    typename P::scalars start;
    start.steps = 6;
    start.omega = 1 / norm_of(a);
    const auto expected = P::by_loops(a.view(), given, start);
    double largest = 0;
    for (const double v : expected) largest = std::max(largest, std::abs(v));
    const auto near = [&](const std::vector<double>& x, const std::string& what) {
      for (std::size_t i = 0; i < x.size(); ++i)
        ASSERT_NEAR(x[i], expected[i], 1e-12 * largest) << what << ", element " << i;
    };
    program_options o;
    o.executor = "host-loop";
    const auto first = answer_of<P>(a, given, start, o);
    near(first, one.name + ", host-loop");
    for (const char* executor : {"graph", "persistent"}) {
      o.executor = executor;
      EXPECT_EQ(answer_of<P>(a, given, start, o), first) << one.name << ", " << executor;
    }
    o.executor = "perks";
    for (const std::string& policy : planning_policies()) {
      o.policy = policy;
      near(answer_of<P>(a, given, start, o), one.name + ", perks, " + policy);
    }
  }
}

TEST(custom_program_gpu, whole_rows) { every_executor_agrees_with_loops<plain_richardson>(); }
TEST(custom_program_gpu, shared_rows) { every_executor_agrees_with_loops<power_iteration>(); }
TEST(custom_program_gpu, vectors_in_registers) { every_executor_agrees_with_loops<heavy_ball>(); }

TEST(custom_program_gpu, has_kernels_for_every_executor_of_gpus_alone) {
  std::vector<std::string> executors;
  for (const auto& v : program_kernels_of<plain_richardson, double>()) {
    EXPECT_EQ(v.on, backend::cuda);
    executors.push_back(v.executor);
  }
  EXPECT_EQ(executors, (std::vector<std::string>{"host-loop", "graph", "persistent", "perks"}));
  const auto a = tridiagonal(4, 2, -1);
  EXPECT_THROW(program_runner<plain_richardson>(device::cpu(), a.view()), unsupported_error);
}

}  // namespace
}  // namespace dwell::test
