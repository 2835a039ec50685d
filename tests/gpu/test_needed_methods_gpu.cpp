// SPDX-License-Identifier: MIT
// Kernels of methods that are compiled when they are needed, on a GPU, against the same templates
// compiled by nvcc (ahead_methods.cu) and by the host's compiler for teams of as many lanes: bits
// of vectors and scalars. Skipped, visibly, without NVRTC.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ahead_methods.hpp"
#include "place.hpp"
#include "played_lanes.hpp"
#include "scratch.hpp"

#include "dwell/base/error.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/execution/device/loaded_kernel_cuda.hpp"
#include "dwell/execution/device/nvrtc.hpp"
#include "dwell/execution/device/work_queue.hpp"
#include "dwell/execution/krylov/launch/run.hpp"
#include "dwell/execution/krylov/plan/planning_apart.hpp"
#include "dwell/execution/krylov/spmv/placed_csr.hpp"
#include "dwell/solvers/bicgstab/pipelined.hpp"
#include "dwell/solvers/bicgstab/textbook.hpp"
#include "dwell/solvers/cg/textbook.hpp"
#include "dwell/solvers/cg/textbook_columns.hpp"
#include "dwell/solvers/gmres/textbook.hpp"
#include "dwell/solvers/minres/textbook.hpp"

namespace dwell::test {
namespace {

std::string absent() {
  if (const auto why = place::absent(); !why.empty()) return why;
  try {
    nvrtc::library(cuda::target_of(place::where()).driver_major);
  } catch (const unsupported_error& e) {
    return e.what();
  }
  return {};
}

/// Iterations: over a replacement of the vectors of pipelined forms.
constexpr int basis = 7, iterations = 53;

/// What a run leaves.
template <class P, class T>
struct left_by_run {
  std::vector<T> x;
  typename P::scalars end;
  int config = -1;
  kernel_making making;
};

template <class P>
typename P::scalars start_of_run() {
  typename P::scalars start;
  start.max_steps = iterations;
  start.fixed = true;
  start.jacobi = true;
  if constexpr (has_basis<P>) start.restart = basis;
  return start;
}

/// In the midst of a run, for counting what an iteration moves.
template <class P>
typename P::scalars steady_state_of_run() {
  typename P::scalars m = P::steady_state(true);
  if constexpr (has_basis<P>) {
    m.restart = basis;
    m.column = basis / 2;
  }
  return m;
}

template <class T>
std::vector<T> random_values(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 draw(seed);
  std::vector<T> v(n);
  for (T& one : v) one = std::uniform_real_distribution<T>(T(0.25), T(1))(draw);
  return v;
}

/// Runs a row on a matrix whose vectors have random elements. teams: 0, as planned.
template <class P, class T>
left_by_run<P, T> run_by(const program_kernel& row, const csr_view<T>& a, int config,
                         const std::vector<index>& systems, int teams = 0) {
  const device where = row.on == backend::cuda ? place::where() : device::cpu(teams);
  const work_queue queue(where);
  const placed_csr<T> matrix(queue.where(), a);
  cut_cache<T> cuts(queue.where(), matrix.arrays());
  const plan_target target = target_of(where);
  plan_request request;
  request.config = config;
  request.teams = teams;
  const auto first_rows = buffer<index>::copy_of(queue.where(), systems);
  const planned<T> made = [&] {
    if (!row.alone)
      return make_plan<P, T>(row, configs_of(row, target), target.facts, cuts, request,
                             steady_state_of_run<P>());
    systems_request all{static_cast<int>(systems.size()) - 1, first_rows.data(), 0};
    for (std::size_t k = 1; k < systems.size(); ++k)
      all.most_rows = std::max(all.most_rows, systems[k] - systems[k - 1]);
    return make_plan_apart<P, T>(row, configs_of(row, target), target.facts, cuts, request, all,
                                 steady_state_of_run<P>());
  }();
  run_records records;
  records.coefficients = 4;
  program_run<P, T> run(queue.where(), row, made, records, nullptr, basis);
  for (const int k : {int{P::x}, int{P::rhs}, int{P::d}})
    run.vector(k).upload(random_values<T>(run.vector(k).size(), 100u + static_cast<unsigned>(k)));
  left_by_run<P, T> left;
  (void)run.run(start_of_run<P>(), {});
  left.x.resize(run.vector(P::x).size());
  run.vector(P::x).download(left.x);
  left.end = run.outcome();
  left.config = made.how.config;
  left.making = run.making();
  return left;
}

/// Compares a run by a config, -1: as planned, by nvcc's kernel and by NVRTC's, and returns the
/// config. systems: of a batch, their first rows, and the end.
template <class P, class T>
int expect_bits(const csr<double>& a, const char* executor, int config,
                std::vector<index> systems = {}) {
  SCOPED_TRACE(std::string(P::name) + ", " + executor + (sizeof(T) == 8 ? ", f64" : ", f32") +
               ", config " + std::to_string(config));
  const std::vector<T> values(a.val.begin(), a.val.end());
  const csr_view<T> view{a.rows, a.cols, a.row_ptr.data(), a.col.data(), values.data()};
  if (systems.empty()) systems = {0, a.rows};
  const program_kernel& ahead =
      find_kernel_among(methods_by_nvcc(), P::name, executor, precision_of<T>, backend::cuda);
  const auto table = ahead.alone ? planned_batch_kernels() : planned_program_kernels();
  const program_kernel& needed =
      find_kernel_among(table, P::name, executor, precision_of<T>, backend::cuda);
  EXPECT_TRUE(ahead.compiled_ahead());
  EXPECT_FALSE(needed.compiled_ahead());
  const auto expected = run_by<P, T>(ahead, view, config, systems);
  const auto found = run_by<P, T>(needed, view, config, systems);
  EXPECT_TRUE(expected.making.compiler.empty());
  EXPECT_EQ(found.making.compiler.substr(0, 5), "NVRTC");
  EXPECT_EQ(found.config, expected.config);
  EXPECT_TRUE(std::memcmp(found.x.data(), expected.x.data(), sizeof(T) * found.x.size()) == 0);
  if constexpr (requires { found.end.rr; }) {
    if (!ahead.alone) {
      EXPECT_EQ(found.end.step, iterations);
      EXPECT_EQ(found.end.rr, expected.end.rr);
    }
  }
  EXPECT_NE(std::count_if(found.x.begin(), found.x.end(), [](T v) { return v - v == 0; }), 0);
  return found.config;
}

/// Compares runs with the same number of teams on a GPU and on a CPU, whose teams play as many
/// lanes.
template <class P, class T>
void expect_bits_of_cpu(const csr<double>& a, const char* executor) {
  const std::vector<T> values(a.val.begin(), a.val.end());
  const csr_view<T> view{a.rows, a.cols, a.row_ptr.data(), a.col.data(), values.data()};
  const program_kernel& needed = find_kernel_among(planned_program_kernels(), P::name, executor,
                                                   precision_of<T>, backend::cuda);
  const program_kernel& played = played_kernel(P::name, executor, precision_of<T>);
  for (const int teams : {1, 5}) {
    SCOPED_TRACE(std::string(P::name) + ", " + executor + (sizeof(T) == 8 ? ", f64, " : ", f32, ") +
                 std::to_string(teams) + " teams");
    const auto expected = run_by<P, T>(played, view, 0, {0, a.rows}, teams);
    const auto found = run_by<P, T>(needed, view, 0, {0, a.rows}, teams);
    EXPECT_EQ(found.making.compiler.substr(0, 5), "NVRTC");
    EXPECT_TRUE(std::memcmp(found.x.data(), expected.x.data(), sizeof(T) * found.x.size()) == 0);
    EXPECT_EQ(found.end.step, iterations);
    EXPECT_EQ(found.end.rr, expected.end.rr);
    EXPECT_GT(found.end.rr, 0);
  }
}

class needed_methods_gpu : public testing::Test {
 protected:
  const csr<double> symmetric = generate("poisson2d:67x53");
  const csr<double> general = generate("convection2d:61x47:5");

  void SetUp() override {
    if (const auto why = absent(); !why.empty()) GTEST_SKIP() << why;
    setenv("DWELL_CACHE_DIR", (folder_ / "cache").c_str(), 1);
  }
  ~needed_methods_gpu() override { unsetenv("DWELL_CACHE_DIR"); }

  scratch_folder folder_;
};

TEST_F(needed_methods_gpu, minres_has_the_bits_of_nvcc_under_every_executor) {
  expect_bits<textbook_minres, double>(symmetric, "host-loop", 0);
  expect_bits<textbook_minres, double>(symmetric, "graph", 0);
  expect_bits<textbook_minres, double>(symmetric, "persistent", 0);
  expect_bits<textbook_minres, float>(symmetric, "persistent", 0);
  expect_bits<textbook_minres, double>(symmetric, "perks", 0);
  // What caches all has configs of its own: in a cluster, and in as many blocks as there are.
  const int in_cluster = expect_bits<textbook_minres, double>(symmetric, "perks", -1);
  const int apart =
      expect_bits<textbook_minres, double>(generate("poisson2d:300x200"), "perks", -1);
  EXPECT_GT(in_cluster, 0);
  EXPECT_GT(apart, 0);
  EXPECT_NE(in_cluster, apart);
}
TEST_F(needed_methods_gpu, bicgstab_has_the_bits_of_nvcc) {
  expect_bits<textbook_bicgstab, double>(general, "host-loop", 0);
  expect_bits<textbook_bicgstab, double>(general, "persistent", 0);
  expect_bits<pipelined_bicgstab, double>(general, "persistent", 0);
}
TEST_F(needed_methods_gpu, gmres_has_the_bits_of_nvcc) {
  expect_bits<textbook_gmres, double>(general, "persistent", 0);
}
TEST_F(needed_methods_gpu, all_have_the_bits_of_a_cpu) {
  for (const char* executor : {"persistent", "host-loop"}) {
    expect_bits_of_cpu<textbook_cg, double>(symmetric, executor);
    expect_bits_of_cpu<textbook_minres, double>(symmetric, executor);
    expect_bits_of_cpu<textbook_bicgstab, double>(general, executor);
    expect_bits_of_cpu<pipelined_bicgstab, double>(general, executor);
    expect_bits_of_cpu<textbook_gmres, double>(general, executor);
  }
  expect_bits_of_cpu<textbook_cg, float>(symmetric, "persistent");
  expect_bits_of_cpu<textbook_bicgstab, float>(general, "persistent");
  expect_bits_of_cpu<pipelined_bicgstab, float>(general, "host-loop");
}
TEST_F(needed_methods_gpu, blocks_have_the_bits_of_nvcc) {
  expect_bits<textbook_columns_4, double>(symmetric, "persistent", 0);
  expect_bits<textbook_columns_2, float>(symmetric, "host-loop", 0);
  expect_bits<textbook_columns_2, float>(symmetric, "graph", 0);
}
TEST_F(needed_methods_gpu, batches_have_the_bits_of_nvcc) {
  std::mt19937 draw(11);
  std::vector<index> systems = {0};
  csr<double> a;  // whose diagonal blocks are tridiagonal
  a.row_ptr = {0};
  for (int k = 0; k < 40; ++k) {
    const index first = systems.back(), end = first + std::uniform_int_distribution(1, 120)(draw);
    for (index row = first; row < end; ++row) {
      for (index col = std::max(first, row - 1); col <= std::min(end - 1, row + 1); ++col) {
        a.col.push_back(col);
        a.val.push_back(col == row ? 2.5 : -1);
      }
      a.row_ptr.push_back(static_cast<index>(a.col.size()));
    }
    systems.push_back(end);
  }
  a.rows = a.cols = systems.back();
  for (int config = 0; config < 4; ++config) {
    EXPECT_EQ((expect_bits<textbook_cg, double>(a, "batch", config, systems)), config);
    EXPECT_EQ((expect_bits<textbook_cg, float>(a, "batch", config, systems)), config);
  }
}

}  // namespace
}  // namespace dwell::test
