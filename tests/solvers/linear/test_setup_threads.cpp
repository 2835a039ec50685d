// SPDX-License-Identifier: MIT
// Set-ups take the threads of their device, not all there are.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <complex>
#include <thread>
#include <vector>

#include "dwell/base/parallel.hpp"
#include "dwell/base/threads_at_most.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/device/device.hpp"
#include "dwell/grid/grid_solver.hpp"
#include "dwell/linear/complex_solver.hpp"
#include "dwell/linear/linear_solver.hpp"
#include "dwell/solvers/preconditioners/list.hpp"
#include "sanitized.hpp"

namespace {
std::atomic<int> threads_begun{0};
}

#if !defined(DWELL_SANITIZED)
/// That of the system, counted.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*start)(void*), void* given) {
  static const auto create =
      reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  ++threads_begun;
  return create(thread, attributes, start, given);
}
#endif

namespace dwell::test {
namespace {

/// What a set-up begins for a device of so many threads.
template <class Solver, class Number>
int begun_by(int threads, const csr<Number>& a, const solve_options& o) {
  const int before = threads_begun;
  const Solver solver(device::cpu(threads), a.view(), o);
  return threads_begun - before;
}

TEST(threads_of_set_ups, none_is_begun_for_a_device_of_one) {
  if (sanitized) GTEST_SKIP() << "sanitizers begin threads themselves";
  if (default_threads() == 1) GTEST_SKIP() << "there is one processor";
  std::thread([] {}).join();
  ASSERT_GT(threads_begun, 0) << "threads are not counted";
  const csr<double> a = generate("poisson2d:300x300");
  solve_options o;
  bool seen = false;  // that more threads do begin more
  for (const preconditioner_kind& kind : preconditioner_kinds()) {
    SCOPED_TRACE(kind.name);
    o.preconditioner = kind.is;
    for (const char* method : {"cg", "gmres"}) {
      o.method = method;
      try {
        EXPECT_EQ(begun_by<linear_solver<double>>(1, a, o), 0) << method;
        seen = seen || begun_by<linear_solver<double>>(2, a, o) > 0;
      } catch (const error&) {  // the two do not go together
      }
    }
  }
  EXPECT_TRUE(seen);
  csr<std::complex<double>> c{a.rows, a.cols, a.row_ptr, a.col, {a.val.begin(), a.val.end()}};
  o.method = "bicgstab";
  o.preconditioner = preconditioner::ilu0;
  EXPECT_EQ((begun_by<complex_solver<double>>(1, c, o)), 0);
}

TEST(threads_of_set_ups, none_is_begun_for_grids_of_one) {
  if (sanitized) GTEST_SKIP() << "sanitizers begin threads themselves";
  if (default_threads() == 1) GTEST_SKIP() << "there is one processor";
  const int n = 600;
  std::vector<double> k(std::size_t(n) * n);
  for (std::size_t i = 0; i < k.size(); ++i) k[i] = i / 7 % 2 ? 1 : 1e3;
  grid_description<double> d{.cells = {n, n}};
  d.k_cells = k;
  grid_options o;
  o.coarse = "galerkin";
  const auto begun = [&](int threads) {
    grid_solver<double> solver(device::cpu(threads), d, o);
    const int before = threads_begun;  // those of solves are there
    solver.update(d);
    return threads_begun - before;
  };
  EXPECT_EQ(begun(1), 0);
  EXPECT_GT(begun(2), 0);
}

TEST(threads_at_most, nest_and_are_those_of_their_thread) {
  const int all = default_threads();
  {
    const threads_at_most one(1);
    EXPECT_EQ(default_threads(), 1);
    const threads_at_most more(7);
    EXPECT_EQ(default_threads(), 1);
    int elsewhere = 0;
    std::thread([&] { elsewhere = default_threads(); }).join();
    EXPECT_EQ(elsewhere, all);
  }
  EXPECT_EQ(default_threads(), all);
  const threads_at_most none(0);
  EXPECT_EQ(default_threads(), 1);
}

}  // namespace
}  // namespace dwell::test
