// SPDX-License-Identifier: MIT
// dwell/dwell.h: a status for every end, one line for every misuse, lists of options and reports.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "battery.hpp"
#include "c_handles.hpp"
#include "c_solvers.hpp"
#include "dwell/dwell.h"
#include "dwell/version.hpp"

namespace dwell::test {
namespace {

TEST(c_status, says_how_a_solve_ended) {
  const csr<double> a = mesh(31, 17, 4.0);
  const auto n = static_cast<std::size_t>(a.rows);
  const std::vector<double> b(n, 1.0);
  std::vector<double> x(n, 0.0);
  const auto options = cg_options_of();
  ASSERT_EQ(dwell_options_set_int(options.get(), "max_iterations", 3), DWELL_SUCCESS);
  const auto short_of = prepare(a, options.get());
  dwell_report* made = nullptr;
  EXPECT_EQ(dwell_cg_solve(short_of.get(), b.data(), x.data(), &made), DWELL_NOT_CONVERGED);
  EXPECT_EQ(whole(owned<dwell_report>(made).get(), "iterations"), 3);

  const csr<double> indefinite = mesh(31, 17, 0.5);
  std::vector<double> rough(n);
  for (std::size_t i = 0; i < n; ++i) rough[i] = i % 2 ? 1.0 : -1.0;
  EXPECT_EQ(dwell_cg_solve(prepare(indefinite).get(), rough.data(), x.data(), nullptr),
            DWELL_BREAKDOWN);

  // Converged by the residual that the iteration carries, which the true one does not follow.
  ASSERT_EQ(dwell_options_set_int(options.get(), "max_iterations", 1000), DWELL_SUCCESS);
  ASSERT_EQ(dwell_options_set_int(options.get(), "refine", 0), DWELL_SUCCESS);
  std::fill(x.begin(), x.end(), 1e14);
  EXPECT_EQ(dwell_cg_solve(prepare(a, options.get()).get(), b.data(), x.data(), &made),
            DWELL_NOT_CONVERGED);
  const owned<dwell_report> drifted(made);
  EXPECT_EQ(text(drifted.get(), "stopped"), "converged");
  EXPECT_EQ(whole(drifted.get(), "target_missed"), 1);
  std::fill(x.begin(), x.end(), 0.0);

  // An interrupt without a solve in progress ends the next one, and only that one.
  const auto solver = prepare(a);
  dwell_cg_interrupt(solver.get());
  EXPECT_EQ(dwell_cg_solve(solver.get(), b.data(), x.data(), nullptr), DWELL_INTERRUPTED);
  EXPECT_EQ(dwell_cg_solve(solver.get(), b.data(), x.data(), nullptr), DWELL_SUCCESS);
  // Nor does it outlive a call that is refused.
  dwell_cg_interrupt(solver.get());
  expect_refused(dwell_cg_solve(solver.get(), nullptr, x.data(), nullptr), "b: expected a pointer");
  EXPECT_EQ(dwell_cg_solve(solver.get(), b.data(), x.data(), nullptr), DWELL_SUCCESS);
}

TEST(c_status, progress_may_end_a_solve) {
  const csr<double> a = mesh(31, 17, 4.0);
  const std::vector<double> b(static_cast<std::size_t>(a.rows), 1.0);
  std::vector<double> x(b.size(), 0.0);
  struct seen {
    int calls = 0, last = -1;
  } user;
  const auto count = [](const dwell_progress* now, void* to) {
    auto& s = *static_cast<seen*>(to);
    EXPECT_EQ(now->step, s.last + 1);
    EXPECT_GE(now->value, 0);
    EXPECT_EQ(now->target, 1e-8);
    s.last = now->step;
    return int{++s.calls < 5};
  };
  const auto options = cg_options_of();
  // A solve does not wait for its calls: one that converges might end before the answer is seen.
  ASSERT_EQ(dwell_options_set_int(options.get(), "fixed_iterations", 1), DWELL_SUCCESS);
  ASSERT_EQ(dwell_options_set_int(options.get(), "max_iterations", 1 << 24), DWELL_SUCCESS);
  ASSERT_EQ(dwell_options_set_progress(options.get(), count, &user, 0), DWELL_SUCCESS);
  EXPECT_EQ(dwell_cg_solve(prepare(a, options.get()).get(), b.data(), x.data(), nullptr),
            DWELL_INTERRUPTED);
  EXPECT_EQ(user.calls, 5);
  // Nobody is called any more.
  ASSERT_EQ(dwell_options_set_int(options.get(), "fixed_iterations", 0), DWELL_SUCCESS);
  ASSERT_EQ(dwell_options_set_progress(options.get(), nullptr, nullptr, 0.1), DWELL_SUCCESS);
  EXPECT_EQ(dwell_cg_solve(prepare(a, options.get()).get(), b.data(), x.data(), nullptr),
            DWELL_SUCCESS);
  EXPECT_EQ(user.calls, 5);
}

TEST(c_options, are_listed_and_checked) {
  const auto cg = cg_options_of(), stencil = stencil_options_of();
  for (const auto& o : {std::cref(cg), std::cref(stencil)}) {
    int names = 0;
    for (; const char* name = dwell_options_name(o.get().get(), names); ++names) {
      const double one = 1;
      const std::string as_text = name == std::string("preconditioner") ? "jacobi"
                                  : name == std::string("edge")         ? "periodic"
                                                                        : "word";
      const int kinds[] = {dwell_options_set_int(o.get().get(), name, 1),
                           dwell_options_set_double(o.get().get(), name, 0.5),
                           dwell_options_set_text(o.get().get(), name, as_text.c_str()),
                           dwell_options_set_doubles(o.get().get(), name, &one, 1)};
      int taken = 0;
      for (const int status : kinds) taken += status == DWELL_SUCCESS;
      // A number with a fraction may be given as an integer, too.
      EXPECT_TRUE(taken == 1 || (taken == 2 && kinds[0] == kinds[1])) << name << ": " << taken;
    }
    EXPECT_GE(names, 10);
    EXPECT_EQ(dwell_options_name(o.get().get(), -1), nullptr);
  }
  dwell_options* o = cg.get();
  expect_refused(dwell_options_set_double(o, "rtool", 1), "did you mean 'rtol'");
  expect_refused(dwell_options_set_text(o, "rtol", "1e-8"),
                 "rtol: expected a number, found a text");
  expect_refused(dwell_options_set_int(o, "history", 2), "history: expected 0 or 1, found 2");
  expect_refused(dwell_options_set_int(o, "max_iterations", 1LL << 40), "that fits");
  expect_refused(dwell_options_set_text(o, "preconditioner", "jacoby"), "did you mean 'jacobi'");
  expect_refused(dwell_options_set_text(stencil.get(), "edge", "torus"), "periodic");
  expect_refused(dwell_options_set_text(o, "executor", nullptr), "value: expected a pointer");
  expect_refused(dwell_options_set_int(o, nullptr, 1), "name: expected a pointer");
  expect_refused(dwell_options_set_int(nullptr, "teams", 1), "options: expected a pointer");

  // Ranges, and whose options they are, when a handle is made.
  const csr<double> a = mesh(4, 4, 4.5);
  const dwell_csr view = matrix_of(a);
  dwell_cg* solver = nullptr;
  const auto fresh = cg_options_of();
  ASSERT_EQ(dwell_options_set_double(fresh.get(), "rtol", -1), DWELL_SUCCESS);
  expect_refused(dwell_cg_create(&solver, &two_threads, &view, fresh.get()), "rtol");
  expect_refused(dwell_cg_create(&solver, &two_threads, &view, stencil.get()), "another solver");
  EXPECT_EQ(solver, nullptr);
}

TEST(c_refusals, name_the_argument) {
  const csr<double> a = mesh(4, 4, 4.5);
  dwell_csr view = matrix_of(a);
  dwell_cg* solver = nullptr;
  expect_refused(dwell_cg_create(nullptr, &two_threads, &view, nullptr), "solver");
  expect_refused(dwell_cg_create(&solver, &two_threads, nullptr, nullptr), "matrix");
  expect_refused(dwell_cg_create(&solver, &no_gpu, &view, nullptr), "", DWELL_DEVICE_ERROR);
  const dwell_device neither{7, 0, nullptr};
  expect_refused(dwell_cg_create(&solver, &neither, &view, nullptr), "DWELL_CUDA (1), found 7");
  const int place = 0;
  const dwell_device stream_of_threads{DWELL_HOST, 1, const_cast<int*>(&place)};
  expect_refused(dwell_cg_create(&solver, &stream_of_threads, &view, nullptr), "stream");
  view.precision = 3;
  expect_refused(dwell_cg_create(&solver, &two_threads, &view, nullptr), "precision");
  view = matrix_of(a);
  view.memory = DWELL_CUDA;
  expect_refused(dwell_cg_create(&solver, &two_threads, &view, nullptr), "");
  view = matrix_of(a);
  view.row_ptr = nullptr;
  expect_refused(dwell_cg_create(&solver, &two_threads, &view, nullptr), "row_ptr");
  csr<double> skew = a;
  skew.val[1] += 1;
  view = matrix_of(skew);
  expect_refused(dwell_cg_create(&solver, &two_threads, &view, nullptr), "symmetric");
  EXPECT_EQ(solver, nullptr);

  const auto made = prepare(a);
  std::vector<double> b(16, 1.0), x(16, 0.0);
  expect_refused(dwell_cg_solve(nullptr, b.data(), x.data(), nullptr), "solver");
  expect_refused(dwell_cg_solve(made.get(), b.data(), nullptr, nullptr), "x");
  expect_refused(dwell_cg_solve(made.get(), b.data(), b.data(), nullptr), "overlaps");
  b[3] = std::numeric_limits<double>::quiet_NaN();
  expect_refused(dwell_cg_solve(made.get(), b.data(), x.data(), nullptr), "right-hand side");
  expect_refused(dwell_cg_solve_on_device(made.get(), b.data(), x.data(), nullptr), "");
  expect_refused(dwell_cg_wait(made.get(), nullptr), "in progress");
  EXPECT_EQ(dwell_cg_rows(nullptr), 0);
  dwell_cg_interrupt(nullptr);
  dwell_cg_destroy(nullptr);
  dwell_stencil_destroy(nullptr);
  dwell_options_destroy(nullptr);
  dwell_report_destroy(nullptr);
}

TEST(c_reports, are_listed_and_checked) {
  const csr<double> a = mesh(4, 4, 4.5);
  const auto solver = prepare(a);
  const std::vector<double> b(16, 1.0);
  std::vector<double> x(16, 0.0);
  dwell_report* made = nullptr;
  ASSERT_EQ(dwell_cg_solve(solver.get(), b.data(), x.data(), &made), DWELL_SUCCESS);
  const owned<dwell_report> report(made);
  int names = 0;
  for (; const char* name = dwell_report_name(report.get(), names); ++names) {
    double n = 0;
    const char* t = nullptr;
    EXPECT_NE(dwell_report_double(report.get(), name, &n) == DWELL_SUCCESS,
              dwell_report_text(report.get(), name, &t) == DWELL_SUCCESS)
        << name;
  }
  EXPECT_GE(names, 30);
  EXPECT_EQ(text(report.get(), "preconditioner_note"), "");
  long long n = 7;
  expect_refused(dwell_report_int(report.get(), "iteration", &n), "did you mean 'iterations'");
  expect_refused(dwell_report_int(report.get(), "reason", &n), "expected an integer, found a text");
  expect_refused(dwell_report_int(report.get(), "solve_s", &n), "found a number");
  EXPECT_EQ(n, 7) << "unchanged";
  expect_refused(dwell_report_int(nullptr, "iterations", &n), "report");
  expect_refused(dwell_report_int(report.get(), "iterations", nullptr), "value");
}

TEST(c_errors, belong_to_a_thread) {
  dwell_cg* solver = nullptr;
  expect_refused(dwell_cg_create(&solver, nullptr, nullptr, nullptr), "matrix");
  std::string there = "not asked";
  std::thread([&] { there = dwell_last_error(); }).join();
  EXPECT_EQ(there, "");
  EXPECT_NE(std::string(dwell_last_error()), "");
}

TEST(c_versions, are_those_of_the_library) {
  EXPECT_STREQ(dwell_version(), version());
  EXPECT_EQ(dwell_version_number(), version_number());
}

}  // namespace
}  // namespace dwell::test
