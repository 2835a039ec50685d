// SPDX-License-Identifier: MIT
// Solves on a GPU by kernels that are compiled when they are needed: executors that share configs
// have the same bits, answers are right by an independent residual, and reports say what compiled
// them and how long that took. Skipped, visibly, without NVRTC.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "place.hpp"
#include "scratch.hpp"

#include "dwell/base/error.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/execution/device/loaded_kernel_cuda.hpp"
#include "dwell/execution/device/nvrtc.hpp"
#include "dwell/execution/krylov/launch/kernel_table.hpp"
#include "dwell/linear/cg_batch.hpp"
#include "dwell/linear/linear_solver.hpp"
#include "dwell/linear/solve.hpp"
#include "dwell/solvers/linear/choose/variant.hpp"

namespace dwell::test {
namespace {

class needed_solves_gpu : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = place::absent(); !why.empty()) GTEST_SKIP() << why;
    try {
      nvrtc::library(cuda::target_of(place::where()).driver_major);
    } catch (const unsupported_error& e) {
      GTEST_SKIP() << e.what();
    }
    setenv("DWELL_CACHE_DIR", (folder_ / "cache").c_str(), 1);
  }
  ~needed_solves_gpu() override { unsetenv("DWELL_CACHE_DIR"); }

  static std::vector<double> ones(const csr<double>& a) {
    return std::vector<double>(static_cast<std::size_t>(a.rows), 1.0);
  }
  /// ||b - A x|| / ||b||, of b = 1, by plain loops.
  static double residual(const csr<double>& a, const double* x) {
    double square = 0;
    for (index row = 0; row < a.rows; ++row) {
      double left = 1.0;
      for (index k = a.row_ptr[static_cast<std::size_t>(row)];
           k < a.row_ptr[static_cast<std::size_t>(row) + 1]; ++k)
        left -= a.val[static_cast<std::size_t>(k)] * x[a.col[static_cast<std::size_t>(k)]];
      square += left * left;
    }
    return std::sqrt(square / a.rows);
  }

  /// Whether the library has the kernel of a run.
  static bool is_compiled_ahead(const solve_report& r) {
    for (const solver_variant& v : solver_variants(r.method))
      if (r.variant == v.name)
        return find_kernel(v.program, r.executor,
                           r.precision == "f32" ? precision::f32 : precision::f64, backend::cuda)
            .compiled_ahead();
    ADD_FAILURE() << r.method << " has no variant " << r.variant;
    return false;
  }
  static void expect_told(const solve_report& r) {
    const bool told = r.reason.find("; compiled when needed by NVRTC") != std::string::npos;
    EXPECT_EQ(r.compiler.substr(0, 5), is_compiled_ahead(r) ? "" : "NVRTC") << r.reason;
    EXPECT_EQ(told, !r.compiler.empty()) << r.reason;
  }

  scratch_folder folder_;
};

TEST_F(needed_solves_gpu, have_the_same_bits_under_executors_that_share_configs) {
  struct asked {
    const char *method, *matrix;
    preconditioner with;
  };
  for (const asked& one : {asked{"minres", "poisson2d:90x70", preconditioner::jacobi},
                           asked{"minres", "poisson2d:90x70", preconditioner::fsai},
                           asked{"bicgstab", "convection2d:80x60:5", preconditioner::none},
                           asked{"bicgstab", "convection2d:80x60:5", preconditioner::ilu0},
                           asked{"gmres", "convection2d:80x60:5", preconditioner::jacobi},
                           asked{"gmres", "convection2d:80x60:5", preconditioner::ilu0},
                           asked{"cg", "poisson2d:90x70", preconditioner::amg}}) {
    const csr<double> a = generate(one.matrix);
    const auto b = ones(a);
    std::vector<double> first;
    for (const char* executor : {"host-loop", "graph", "persistent", "perks"}) {
      SCOPED_TRACE(fmt::format("{}, {}, {}", one.method, to_string(one.with), executor));
      solve_options o;
      o.method = one.method;
      o.preconditioner = one.with;
      o.executor = executor;
      o.rtol = 1e-9;
      std::vector<double> x(b.size(), 0.0);
      const solve_report r = solve(place::where(), a.view(), std::span<const double>(b), x, o);
      EXPECT_EQ(r.stopped, stop_reason::converged) << r.reason;
      EXPECT_LT(residual(a, x.data()), 2e-9);
      expect_told(r);
      if (r.executor == "graph") {
        EXPECT_EQ(r.setup.compile_s, 0) << "it has host-loop's kernels";
      }
      if (r.executor == "perks") continue;
      if (first.empty()) first = x;
      EXPECT_EQ(x, first);
    }
  }
}

TEST_F(needed_solves_gpu, by_default_say_what_compiled_them) {
  const csr<double> a = generate("poisson2d:300x200");
  const auto b = ones(a);
  std::vector<double> x(b.size(), 0.0);
  solve_options o;
  o.preconditioner = preconditioner::jacobi;
  const solve_report r = solve(place::where(), a.view(), std::span<const double>(b), x, o);
  EXPECT_EQ(r.executor, "perks");
  expect_told(r);
}

/// No other test here takes this kernel: what was compiled stays in the process.
TEST_F(needed_solves_gpu, are_compiled_once_in_a_process_and_found_by_the_next_solver) {
  const csr<double> a = generate("poisson2d:90x70");
  const std::vector<float> values(a.val.begin(), a.val.end());
  const csr_view<float> view{a.rows, a.cols, a.row_ptr.data(), a.col.data(), values.data()};
  solve_options o;
  o.method = "minres";
  o.executor = "persistent";
  o.preconditioner = preconditioner::fsai;
  o.rtol = 1e-4;
  const std::vector<float> b(static_cast<std::size_t>(a.rows), 1.0f);
  for (const bool first : {true, false}) {
    std::vector<float> x(b.size(), 0.0f);
    linear_solver<float> solver(place::where(), view, o);
    const solve_report r = solver.solve(std::span<const float>(b), std::span<float>(x));
    expect_told(r);
    EXPECT_EQ(r.stopped, stop_reason::converged) << r.reason;
    EXPECT_EQ(solver.setup().compile_s > 0, first && !is_compiled_ahead(r));
  }
}

TEST_F(needed_solves_gpu, of_blocks_and_batches_say_what_compiled_them) {
  const csr<double> a = generate("poisson2d:60x50");
  const auto n = static_cast<std::size_t>(a.rows);
  solve_options o;
  o.preconditioner = preconditioner::jacobi;
  o.rtol = 1e-9;
  o.columns_at_once = 8;  // no other test here takes these kernels
  linear_solver<double> solver(place::where(), a.view(), o);
  const bool columns_ahead =
      find_kernel("cg-8-columns", "persistent", precision::f64, backend::cuda).compiled_ahead();
  const std::vector<double> b(8 * n, 1.0);
  std::vector<double> x(8 * n, 0.0);
  const auto all = solver.solve(std::span<const double>(b), n, std::span<double>(x), n, 8);
  ASSERT_EQ(all.size(), 8u);
  for (std::size_t c = 0; c < 8; ++c) {
    EXPECT_EQ(all[c].columns_together, 8) << all[c].reason;
    EXPECT_EQ(all[c].compiler.substr(0, 5), columns_ahead ? "" : "NVRTC") << all[c].reason;
    EXPECT_EQ(all[c].setup.compile_s > 0, !columns_ahead);
    EXPECT_LT(residual(a, x.data() + c * n), 2e-9);
  }

  const std::vector<csr_view<double>> systems(6, a.view());
  solve_options of_batch;
  of_batch.preconditioner = preconditioner::jacobi;
  of_batch.rtol = 1e-9;
  const std::vector<double> ones_of_all(6 * n, 1.0);
  std::vector<double> answers(6 * n, 0.0);
  const cg_batch_report r =
      solve_batch(place::where(), std::span<const csr_view<double>>(systems),
                  std::span<const double>(ones_of_all), std::span<double>(answers), of_batch);
  const bool batches_ahead =
      find_batch_kernel("cg", precision::f64, backend::cuda).compiled_ahead();
  EXPECT_EQ(r.compiler.substr(0, 5), batches_ahead ? "" : "NVRTC") << r.reason;
  EXPECT_EQ(r.converged, 6);
  for (std::size_t k = 0; k < 6; ++k) EXPECT_LT(residual(a, answers.data() + k * n), 2e-9);
}

}  // namespace
}  // namespace dwell::test
