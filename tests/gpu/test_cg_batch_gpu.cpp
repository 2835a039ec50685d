// SPDX-License-Identifier: MIT
// What only batches on a GPU have: vectors and values in its memory, a stream of the caller's, many
// systems at once; and tiny solves under every kernel for compute-sanitizer
// (--gtest_filter=*BatchRaces*).
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "batch_runner.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/device/work_queue.hpp"

namespace dwell::test {
namespace {

using batches_on_a_gpu = batches;

template <class T>
device_span<T> span_of(const buffer<T>& v) {
  return {v.data(), v.size(), 0};
}
template <class T>
device_span<const T> const_span_of(const buffer<T>& v) {
  return span_of(v);
}

std::vector<linear_system<double>> of_sizes(const std::vector<index>& sizes, std::uint64_t seed) {
  std::vector<linear_system<double>> all;
  for (const index n : sizes) {
    ++seed;
    all.push_back(system_of<double>(spd(n, seed), seed));
  }
  return all;
}

TEST_F(batches_on_a_gpu, vectors_in_its_memory_give_the_same_bits) {
  const auto systems = of_sizes({40, 1, 257, 90}, 3);
  const auto want = run_all(systems, options({}));
  const auto all = views(systems);
  const work_queue own(place::where());
  for (const device& where : {place::where(), own.where()}) {
    cg_batch<double> batch(where, std::span<const csr_view<double>>(all), options({}));
    const auto b = rhs(systems);
    const buffer<double> there = buffer<double>::copy_of(where, b), x(where, b.size());
    if (!where.stream()) memory_of(backend::cuda).finish(where);
    const cg_batch_report report = batch.solve(const_span_of(there), span_of(x));
    std::vector<double> got(b.size());
    x.download(got);
    EXPECT_TRUE(same_bits(got, joined(want.x)));
    for (std::size_t k = 0; k < systems.size(); ++k)
      expect_equal(report.systems[k], want.report.systems[k]);
  }
}

TEST_F(batches_on_a_gpu, values_in_its_memory) {
  auto systems = of_sizes({30, 200}, 5);
  const auto all = views(systems);
  const device where = place::where();
  cg_batch<double> batch(where, std::span<const csr_view<double>>(all), options({}));
  auto changed = systems;
  std::vector<double> values;
  for (auto& s : changed) {
    for (double& v : s.a.val) v *= 3;
    s.a.val[0] += 1;
    values.insert(values.end(), s.a.val.begin(), s.a.val.end());
  }
  const buffer<double> there = buffer<double>::copy_of(where, values);
  memory_of(backend::cuda).finish(where);
  batch.update_values(const_span_of(there));
  const auto want = run_all(changed, options({}));
  EXPECT_TRUE(same_bits(joined(solve_with(batch, rhs(systems)).x), joined(want.x)));

  auto bad = values;
  bad[static_cast<std::size_t>(systems[0].a.nonzeros())] = -1;
  const buffer<double> unsound = buffer<double>::copy_of(where, bad);
  memory_of(backend::cuda).finish(where);
  const std::string said = refusal([&] { batch.update_values(const_span_of(unsound)); });
  EXPECT_NE(said.find("system 1 (counted from 0): matrix: expected a positive diagonal"),
            std::string::npos)
      << said;
  EXPECT_TRUE(same_bits(joined(solve_with(batch, rhs(systems)).x), joined(want.x)));
}

TEST_F(batches_on_a_gpu, a_thousand_systems) {
  std::vector<linear_system<double>> systems;
  for (int k = 0; k < 1000; ++k) {
    csr<double> a = mesh(50, 40, 4 + 0.001 * (k % 40));
    systems.push_back(system_of<double>(a, static_cast<std::uint64_t>(k % 40) + 1));
  }
  const auto got = run_all(systems, options({}));
  EXPECT_EQ(got.report.converged, 1000);
  EXPECT_EQ(got.report.teams, 1000);
  for (std::size_t k = 0; k < systems.size(); ++k) {
    EXPECT_TRUE(same_bits(got.x[k], got.x[k % 40])) << k;
    if (k < 40) check_report(systems[k], as_alone(systems[k], got, k, preconditioner::none));
  }
}

TEST_F(batches_on_a_gpu, agree_with_the_cpu) {
  const auto systems = of_sizes({500, 33, 900, 2}, 8);
  const auto all = views(systems);
  const auto here = run_all(systems, options({}));
  std::vector<double> b = rhs(systems), x(b.size());
  const cg_batch_report there =
      solve_batch(device::cpu(), std::span<const csr_view<double>>(all), std::span<const double>(b),
                  std::span<double>(x), options({}));
  EXPECT_EQ(there.converged, here.report.converged);
  for (std::size_t k = 0; k < systems.size(); ++k) {
    const int of_cpu = there.systems[k].iterations;
    EXPECT_LE(std::abs(of_cpu - here.report.systems[k].iterations), 1 + 0.02 * of_cpu);
    EXPECT_EQ(there.systems[k].rhs_norm, here.report.systems[k].rhs_norm);
  }
}

class BatchRaces : public batches {};

TEST_F(BatchRaces, tiny_solves) {
  const auto systems = of_sizes({1, 5, 70, 33}, 2);
  each_way([&](const way& w) {
    for (const auto p : {preconditioner::none, preconditioner::jacobi}) {
      solve_options o = options(w, 0);
      o.preconditioner = p;
      o.max_iterations = 3;
      const auto got = run_all(systems, o);
      for (const auto& e : got.report.systems) EXPECT_LE(e.iterations, 3);
    }
  });
}

}  // namespace
}  // namespace dwell::test
