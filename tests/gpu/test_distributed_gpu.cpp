// SPDX-License-Identifier: MIT
// Systems whose rows are divided among ranks with GPUs: one rank has the bits of linear_solver,
// several converge as one does; transports and executors have the same bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "battery.hpp"
#include "divided_answer.hpp"
#include "divided_columns.hpp"
#include "dwell/base/error.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/execution/comm/nccl.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "gpu_ranks.hpp"
#include "plain_options.hpp"
#include "singular_systems.hpp"

namespace dwell::test {
namespace {

class divided_on_one_gpu : public testing::TestWithParam<std::tuple<way, const char*>> {};

TEST_P(divided_on_one_gpu, has_the_bits_of_one) {
  const gpu_ranks where{1, false};
  if (const std::string why = where.missing(); !why.empty()) GTEST_SKIP() << why;
  const csr<double> a = generate("poisson2d:131x97");
  const std::vector<double> b = random_vector(a.rows, 1);
  solve_options o = options_of(std::get<0>(GetParam()));
  o.executor = std::get<1>(GetParam());
  const auto got = solve_divided_on(where, a, b, {0, a.rows}, o);
  o.variant = got.report.variant;
  if (!is_the_same_divided(o.preconditioner)) o.variant = "auto";
  const auto wanted = solve_whole_on(device::cuda(0), a, b, o);
  EXPECT_EQ(got.report.executor, o.executor);
  EXPECT_EQ(got.report.iterations, wanted.report.iterations);
  EXPECT_EQ(got.x, wanted.x);
  EXPECT_EQ(got.report.residual_relative_true, wanted.report.residual_relative_true);
  EXPECT_EQ(got.report.condition_estimate, wanted.report.condition_estimate);
  EXPECT_EQ(got.transport, where.transport());
}
INSTANTIATE_TEST_SUITE_P(by, divided_on_one_gpu,
                         testing::Combine(testing::ValuesIn(ways()),
                                          testing::Values("host-loop", "graph")),
                         [](const auto& p) {
                           return name_of(std::get<0>(p.param)) +
                                  (std::get<1>(p.param)[0] == 'g' ? "_graph" : "_host_loop");
                         });

TEST(divided_columns_on_one_gpu, have_the_bits_of_one) {
  const gpu_ranks where{1, false};
  if (const std::string why = where.missing(); !why.empty()) GTEST_SKIP() << why;
  const csr<double> a = generate("poisson2d:131x97");
  for (const preconditioner by : {preconditioner::none, preconditioner::jacobi})
    for (const int width : {2, 4, 8})
      for (const char* executor : {"host-loop", "graph"}) {
        SCOPED_TRACE(std::string(executor) + ", " + std::to_string(width));
        const auto b = random_columns<double>(a.rows, width);
        solve_options o = plain_options();
        o.preconditioner = by;
        o.columns_at_once = width;
        o.executor = executor;
        const auto got = solve_columns_divided_on(where, a, b, {0, a.rows}, o);
        for (const char* other : {executor, "persistent"}) {
          o.executor = other;
          const auto wanted = solve_columns_whole_on(device::cuda(0), a, b, o);
          EXPECT_EQ(got.x, wanted.x) << other;
          for (std::size_t k = 0; k < b.size(); ++k) {
            EXPECT_EQ(got.reports[k].columns_together, width);
            EXPECT_EQ(got.reports[k].iterations, wanted.reports[k].iterations);
            EXPECT_EQ(got.reports[k].residual_relative_true,
                      wanted.reports[k].residual_relative_true);
          }
        }
      }
}

class divided_on_gpus : public testing::TestWithParam<gpu_ranks> {
 protected:
  void SetUp() override {
    if (const std::string why = GetParam().missing(); !why.empty()) GTEST_SKIP() << why;
  }
  std::vector<std::string> executors() const {
    if (GetParam().shared) return {"host-loop"};
    return {"host-loop", "graph"};
  }
  template <class T>
  std::vector<divided_answer<T>> solve(const std::vector<divided_case<T>>& cases) const {
    return solve_all_divided_on<T>(GetParam(), cases, GetParam().by());
  }
  template <class T>
  divided_case<T> case_of(const csr<T>& a, const std::vector<T>& b, const solve_options& o) const {
    return {a, b, equal_rows(a.rows, GetParam().ranks), o};
  }
  template <class T>
  divided_answer<T> solve(const csr<T>& a, const std::vector<T>& b, const solve_options& o) const {
    return solve<T>({case_of(a, b, o)}).front();
  }
};

TEST_P(divided_on_gpus, converge_as_one) {
  for (const char* kind : {"poisson2d:131x97", "poisson3d:19x20x21"}) {
    const csr<double> a = generate(kind);
    const std::vector<double> b = random_vector(a.rows, 2);
    std::vector<divided_case<double>> cases;
    for (const way& w : ways())
      for (const std::string& executor : executors()) {
        cases.push_back(case_of(a, b, options_of(w)));
        cases.back().o.executor = executor;
      }
    auto all = solve(cases);
    for (std::size_t k = 0; k < cases.size(); ++k) {
      const way w = ways()[k / executors().size()];
      const solve_options& o = cases[k].o;
      SCOPED_TRACE(std::string(kind) + " " + name_of(w) + " " + o.executor);
      auto& got = all[k];
      EXPECT_EQ(got.report.executor, o.executor);
      EXPECT_EQ(got.report.on, backend::cuda);
      EXPECT_EQ(got.transport, GetParam().transport());
      EXPECT_EQ(got.x, all[k - k % executors().size()].x) << "the same bits by every executor";
      solve_options alone = o;
      alone.executor = "host-loop";
      const auto wanted = solve_whole(a, b, alone);
      if (!is_the_same_divided(w.by)) {
        EXPECT_LE(got.report.iterations, 4 * wanted.report.iterations + 10);
        got.report.iterations = wanted.report.iterations;
      }
      // Those of bicgstab depend on rounding.
      expect_alike(got, wanted, a, b, o.rtol, w.method == "bicgstab" ? 5 : 50);
    }
  }
}

TEST_P(divided_on_gpus, have_the_same_bits_in_every_run_and_by_every_transport) {
  const csr<double> a = generate("poisson2d:131x97");
  const std::vector<double> b = random_vector(a.rows, 3);
  std::vector<divided_case<double>> cases;
  for (const char* variant : {"textbook", "single-reduction", "pipelined"}) {
    cases.push_back(case_of(a, b, {}));
    cases.back().o.variant = variant;
  }
  const gpu_ranks sharing{GetParam().ranks, true};
  const auto once = solve(cases), again = solve(cases),
             shared = solve_all_divided_on<double>(sharing, cases, sharing.by());
  for (std::size_t k = 0; k < cases.size(); ++k) {
    SCOPED_TRACE(cases[k].o.variant);
    EXPECT_EQ(once[k].x, again[k].x);
    EXPECT_EQ(once[k].x, shared[k].x);
  }
}

/// The values of rank r are r, r + 1/8 and so on.
TEST_P(divided_on_gpus, gather_in_rounds_of_groups) {
  if (GetParam().shared) GTEST_SKIP() << "NCCL needs a GPU for each rank";
  const int ranks = GetParam().ranks;
  constexpr int count = 5;
  for (const std::vector<int>& groups : {std::vector<int>{}, {2, 2, 2}, {1, ranks}, {3, 3}}) {
    run_as_ranks(ranks, [&](std::shared_ptr<communicator> comm) {
      const device where = GetParam()(comm->rank());
      const auto by = connect_by_nccl(*comm, where, groups);
      std::vector<double> mine(count), got(static_cast<std::size_t>(ranks * count)), wanted;
      for (int r = 0; r < ranks; ++r)
        for (int k = 0; k < count; ++k) wanted.push_back(r + k / 8.0);
      std::copy_n(wanted.begin() + comm->rank() * count, count, mine.begin());
      const auto here = buffer<double>::copy_of(where, mine);
      const buffer<double> all(where, got.size());
      for (int run = 0; run < 3; ++run)
        by->all_gather(here.data(), count, all.data(), where.stream());
      all.download(got);
      EXPECT_EQ(got, wanted);
    });
  }
}

TEST_P(divided_on_gpus, take_every_matrix_of_the_battery) {
  std::vector<divided_case<double>> cases;
  std::vector<std::string> names;
  std::vector<int> iterations;
  for (const battery_case& c : battery()) {
    const csr<double> a = c.build();
    const std::vector<double> b = random_vector(a.rows, 4);
    solve_options o = plain_options();
    o.preconditioner = preconditioner::jacobi;
    o.max_iterations = 2000;
    const auto wanted = solve_whole(a, b, o);
    if (wanted.report.stopped != stop_reason::converged) continue;
    cases.push_back(case_of(a, b, o));
    names.push_back(c.name);
    iterations.push_back(wanted.report.iterations);
  }
  ASSERT_GT(cases.size(), 5u);
  const auto all = solve(cases);
  for (std::size_t k = 0; k < cases.size(); ++k) {
    SCOPED_TRACE(names[k]);
    EXPECT_EQ(all[k].report.stopped, stop_reason::converged);
    const double residual = residual_norm(cases[k].a.view(), std::span<const double>(cases[k].b),
                                          std::span<const double>(all[k].x));
    EXPECT_LE(residual, 1.01 * cases[k].o.rtol * norm2(cases[k].b));
    EXPECT_LE(all[k].report.iterations, iterations[k] * 3 / 2 + 5);
  }
}

TEST_P(divided_on_gpus, solve_again_with_other_values_and_tolerances) {
  csr<double> a = generate("poisson2d:43x44"), other = a;
  const std::vector<double> b = random_vector(a.rows, 9);
  for (index i = 0; i < other.rows; ++i)
    for (index k = other.row_ptr[static_cast<std::size_t>(i)];
         k < other.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      if (other.col[static_cast<std::size_t>(k)] == i) other.val[static_cast<std::size_t>(k)] += 1;
  for (const preconditioner by : {preconditioner::jacobi, preconditioner::amg}) {
    solve_options o = plain_options();
    o.preconditioner = by;
    const gpu_ranks where = GetParam();
    run_as_ranks(where.ranks, [&](std::shared_ptr<communicator> comm) {
      const auto first = equal_rows(a.rows, where.ranks);
      const distributed_matrix<double> before(comm, a.view(), first),
          after(comm, other.view(), first);
      const std::vector<double> mine = before.scatter(b);
      std::vector<double> x(mine.size(), 0.0), wanted(mine.size(), 0.0);
      {
        distributed_solver<double> changed(where(comm->rank()), before, o, where.by());
        std::vector<double> junk(mine.size(), 0.0);
        changed.solve(mine, junk);
        changed.update_values(
            {after.local().val, static_cast<std::size_t>(after.local().nonzeros())});
        changed.solve(mine, x);
      }
      distributed_solver<double> fresh_one(where(comm->rank()), after, o, where.by());
      fresh_one.solve(mine, wanted);
      EXPECT_EQ(x, wanted);
    });
  }
}

TEST_P(divided_on_gpus, know_scales_and_null_spaces_of_the_whole) {
  csr<double> a = generate("poisson2d:45x45");
  for (double& v : a.val) v = std::ldexp(v, 400);
  std::vector<double> b = random_vector(a.rows, 7);
  for (std::size_t k = 0; k < b.size(); ++k) b[k] = std::ldexp(b[k], k < 900 ? 900 : 890);
  const auto wanted = solve_whole(a, b, {});
  const auto got = solve(a, b, {});
  EXPECT_EQ(got.report.stopped, stop_reason::converged);
  EXPECT_NEAR(got.report.iterations, wanted.report.iterations, 2);
  EXPECT_NEAR(got.report.rhs_norm, wanted.report.rhs_norm, 1e-12 * wanted.report.rhs_norm);

  const csr<double> n = generate("neumann2d:32x47");
  const std::vector<double> rhs = random_vector(n.rows, 8);
  const auto there = solve_whole(n, rhs, {});
  const auto here = solve(n, rhs, {});
  EXPECT_EQ(here.report.null_space, "constant");
  EXPECT_NEAR(here.report.rhs_outside_range, there.report.rhs_outside_range, 1e-12);
  for (std::size_t k = 0; k < rhs.size(); ++k) EXPECT_NEAR(here.x[k], there.x[k], 1e-5);
}

TEST_P(divided_on_gpus, solve_modulo_null_vectors_that_are_given) {
  const singular p = three_parts(20, 17);
  const std::vector<double> b = random_vector(p.a.rows, 4);
  solve_options o = plain_options();
  o.null_vectors = p.flat();
  o.rtol = 1e-11;
  const auto wanted = solve_whole(p.a, b, o);
  const auto got = solve(p.a, b, o);
  EXPECT_EQ(got.report.stopped, stop_reason::converged);
  EXPECT_EQ(got.report.null_space, "given");
  EXPECT_LE(along(p, got.x), 1e-12);
  EXPECT_LE(distance(got.x, wanted.x), 1e-8);
}

TEST_P(divided_on_gpus, iterate_in_mixed_precision) {
  const csr<double> a = generate("poisson2d:131x97");
  const std::vector<double> b = random_vector(a.rows, 5);
  for (const preconditioner by : {preconditioner::jacobi, preconditioner::amg}) {
    SCOPED_TRACE(to_string(by));
    solve_options o = plain_options();
    o.mixed_precision = true;
    o.rtol = 1e-12;
    o.preconditioner = by;
    auto got = solve(a, b, o);
    EXPECT_EQ(got.report.precision, "mixed");
    EXPECT_GE(got.report.refinements, 1);
    const auto wanted = solve_whole(a, b, o);
    if (by == preconditioner::amg) got.report.iterations = wanted.report.iterations;
    expect_alike(got, wanted, a, b, o.rtol, 10);
  }
}

TEST_P(divided_on_gpus, choose_a_preconditioner_together) {
  const csr<double> a = generate("poisson2d:170x160");
  const std::vector<double> b = random_vector(a.rows, 6);
  solve_options o = plain_options();
  o.preconditioner = preconditioner::automatic;
  const auto got = solve(a, b, o);
  EXPECT_EQ(got.report.stopped, stop_reason::converged);
  EXPECT_LE(got.report.residual_relative_true, 1.01 * o.rtol);
  EXPECT_NE(got.report.preconditioner_reason.find("after 60 iterations"), std::string::npos)
      << got.report.preconditioner_reason;
}

TEST_P(divided_on_gpus, converge_in_f32) {
  const csr<double> wide = generate("poisson2d:60x70");
  csr<float> a{wide.rows, wide.cols, wide.row_ptr, wide.col, {}};
  a.val.assign(wide.val.begin(), wide.val.end());
  const std::vector<double> rhs = random_vector(a.rows, 6);
  const std::vector<float> b(rhs.begin(), rhs.end());
  solve_options o = plain_options();
  o.rtol = 1e-4;
  std::vector<divided_case<float>> cases;
  for (const char* variant : {"textbook", "single-reduction", "pipelined"}) {
    o.variant = variant;
    cases.push_back(case_of(a, b, o));
  }
  for (const auto& got : solve(cases)) {
    EXPECT_EQ(got.report.stopped, stop_reason::converged) << got.report.variant;
    EXPECT_LE(residual_norm(a.view(), std::span<const float>(b), std::span<const float>(got.x)),
              1.1e-4 * norm2(widen(std::span<const float>(b))));
  }
}

TEST_P(divided_on_gpus, solve_columns_in_one_pass) {
  const csr<double> a = generate("poisson2d:131x97");
  const auto first_rows = equal_rows(a.rows, GetParam().ranks);
  const gpu_ranks sharing{GetParam().ranks, true};
  for (const int width : {2, 4, 8}) {
    const auto b = random_columns<double>(a.rows, width + 1);
    solve_options o = plain_options();
    o.columns_at_once = width;
    const auto whole = solve_columns_whole_on(device::cuda(0), a, b, o);
    std::vector<column_answers<double>> all;
    for (const std::string& executor : executors()) {
      o.executor = executor;
      all.push_back(solve_columns_divided_on(GetParam(), a, b, first_rows, o, GetParam().by()));
      for (std::size_t k = 0; k < b.size(); ++k) {
        SCOPED_TRACE(executor + ", column " + std::to_string(k) + " of " + std::to_string(width));
        const bool last = k == b.size() - 1;
        const solve_report& r = all.back().reports[k];
        EXPECT_EQ(r.columns_together, last ? 1 : width) << r.reason;
        EXPECT_EQ(r.executor, executor);
        expect_alike({all.back().x[k], r}, {whole.x[k], whole.reports[k]}, a, b[k], o.rtol);
      }
      EXPECT_EQ(all.back().x, all.front().x) << "the same bits by every executor";
    }
    o.executor = "host-loop";
    EXPECT_EQ(solve_columns_divided_on(sharing, a, b, first_rows, o, sharing.by()).x, all.front().x)
        << "and by every transport";
  }
}

TEST_P(divided_on_gpus, solve_columns_in_f32_modulo_constants_and_from_any_start) {
  const csr<double> wide = generate("neumann2d:45x47");
  const csr<float> a = convert<float>(wide.view());
  const auto b = random_columns<float>(a.rows, 8);
  solve_options o = plain_options();
  o.columns_at_once = 8;
  o.preconditioner = preconditioner::jacobi;
  o.rtol = 1e-4;
  const gpu_ranks where = GetParam();
  run_as_ranks(where.ranks, [&](std::shared_ptr<communicator> comm) {
    const distributed_matrix<float> d(comm, a.view(), equal_rows(a.rows, where.ranks));
    distributed_solver<float> solver(where(comm->rank()), d, o, where.by());
    const column_list<float> zeros(8, std::vector<float>(b[0].size()));
    const auto cold = solve_columns_of_rank(*comm, d, solver, b, zeros);
    column_list<float> start = comm->rank() == 0 ? cold.x : zeros;
    for (auto& one : start) one = list_of_rank(*comm, 0, std::span<const float>(one));
    start[3] = zeros[3];
    const auto warm = solve_columns_of_rank(*comm, d, solver, b, start);
    for (std::size_t k = 0; k < b.size(); ++k) {
      EXPECT_EQ(cold.reports[k].columns_together, 8) << cold.reports[k].reason;
      EXPECT_EQ(cold.reports[k].stopped, stop_reason::converged);
      EXPECT_EQ(cold.reports[k].null_space, "constant");
      EXPECT_LE(cold.reports[k].residual_relative_true, 1.01 * o.rtol);
      if (k != 3) {
        EXPECT_LE(warm.reports[k].iterations, 3);
      }
    }
    EXPECT_EQ(warm.reports[3].iterations, cold.reports[3].iterations);
    if (comm->rank() == 0) {
      EXPECT_EQ(warm.x[3], cold.x[3]);
    }
  });
}

TEST_P(divided_on_gpus, end_together) {
  const csr<double> a = generate("poisson2d:100x100");
  const std::vector<double> b = random_vector(a.rows, 10);
  const gpu_ranks where = GetParam();
  for (const std::string& executor : executors()) {
    for (const bool by_flag : {true, false}) {
      std::atomic<bool> flag{true};
      std::atomic<int> interrupted{0};
      run_as_ranks(where.ranks, [&](std::shared_ptr<communicator> comm) {
        solve_options o = plain_options();
        o.executor = executor;
        o.rtol = 0;
        o.fixed_iterations = false;
        o.max_iterations = 1 << 20;
        o.progress_interval = 0.001;
        int calls = 0;
        if (comm->rank() == 1 && by_flag) o.interrupt = &flag;
        if (comm->rank() == 1 && !by_flag)
          o.progress = [&](const solve_progress&) { return ++calls < 3; };
        const distributed_matrix<double> d(comm, a.view(), equal_rows(a.rows, where.ranks));
        const std::vector<double> mine = d.scatter(b);
        std::vector<double> x(mine.size(), 0.0);
        distributed_solver<double> solver(where(comm->rank()), d, o, where.by());
        if (solver.solve(mine, x).stopped == stop_reason::interrupted) ++interrupted;
      });
      EXPECT_EQ(interrupted, where.ranks) << executor << (by_flag ? " flag" : " progress");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(ranks, divided_on_gpus, testing::ValuesIn(all_gpu_ranks()),
                         [](const auto& p) { return name_of(p.param); });

/// What all of two ranks throw that share a GPU; "" if some do not.
template <class Error>
std::string refusal_of_two(const solve_options& o, gpu_transport by) {
  const csr<double> a = generate("poisson2d:8x8");
  std::atomic<int> thrown{0};
  std::string text;
  run_as_ranks(2, [&](std::shared_ptr<communicator> comm) {
    const distributed_matrix<double> d(comm, a.view(), equal_rows(a.rows, 2));
    try {
      distributed_solver<double> solver(device::cuda(0), d, o, by);
    } catch (const Error& e) {
      if (comm->rank() == 0) text = e.what();
      ++thrown;
    }
  });
  return thrown == 2 ? text : "";
}

TEST(divided_gpu_refusals, are_those_of_all) {
  if (const cuda_presence found = find_cuda(); found.devices == 0) GTEST_SKIP() << found.reason;
  if (why_no_nccl().empty())
    EXPECT_NE(refusal_of_two<device_error>({}, gpu_transport::nccl).find("a GPU for each rank"),
              std::string::npos);
  else
    EXPECT_NE(refusal_of_two<unsupported_error>({}, gpu_transport::nccl).find("NCCL"),
              std::string::npos);
  solve_options o = plain_options();
  o.executor = "graph";
  EXPECT_NE(refusal_of_two<unsupported_error>(o, gpu_transport::automatic).find("by the hosts"),
            std::string::npos);
  o.executor = "perks";
  EXPECT_NE(refusal_of_two<unsupported_error>(o, gpu_transport::host), "");
  EXPECT_NE(refusal_of_two<unsupported_error>({}, gpu_transport::mpi).find("CUDA-aware"),
            std::string::npos);
}

}  // namespace
}  // namespace dwell::test
