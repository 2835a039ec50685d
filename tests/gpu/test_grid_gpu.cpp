// SPDX-License-Identifier: MIT
// Systems on grids on a GPU beside the solver of CPUs: random problems, arrays of the GPU, updates,
// ends, what is refused. Skipped, visibly, without the compiler of kernels at run time.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "grid_answers.hpp"
#include "grid_far.hpp"
#include "grid_made.hpp"
#include "grid_problem.hpp"
#include "scratch.hpp"
#include "stencil_place.hpp"

#include "dwell/base/error.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/device/loaded_kernel_cuda.hpp"
#include "dwell/execution/device/nvrtc.hpp"
#include "dwell/execution/device/work_queue.hpp"
#include "dwell/grid/grid_solver.hpp"
#include "dwell/solvers/grid/grid_handle.hpp"

namespace dwell::test {
namespace {

using dwell::testing::grid_problem;
using dwell::testing::random_grid_problem;
using dwell::testing::random_values;

class grid_gpu : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = stencil_place::absent(); !why.empty()) GTEST_SKIP() << why;
    try {
      nvrtc::library(cuda::target_of(stencil_place::where()).driver_major);
    } catch (const unsupported_error& e) {
      GTEST_SKIP() << e.what();
    }
    own_cache_ = !std::getenv("DWELL_CACHE_DIR");
    if (own_cache_) setenv("DWELL_CACHE_DIR", (folder_ / "cache").c_str(), 1);
  }
  ~grid_gpu() override {
    if (own_cache_) unsetenv("DWELL_CACHE_DIR");
  }

 private:
  scratch_folder folder_;
  bool own_cache_ = false;
};

/// ||(b - mean) - A u|| / ||b - mean||, by the operator of CPUs.
template <class T>
double true_residual(grid_operator<T>& a, const std::vector<T>& b, const std::vector<T>& u) {
  double mean = 0;
  if (a.singular())
    for (const T v : b) mean += double(v) / double(b.size());
  std::vector<T> au(b.size());
  a.apply(u, au);
  double left = 0, all = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double wanted = double(b[i]) - mean;
    all += wanted * wanted;
    left += (wanted - double(au[i])) * (wanted - double(au[i]));
  }
  return all > 0 ? std::sqrt(left / all) : std::sqrt(left);
}

template <class T>
void expect_as_on_a_cpu(unsigned seed, int most, double jump, grid_options o) {
  grid_problem<T> p;
  random_grid_problem(seed, most, jump, p);
  SCOPED_TRACE(p.says + ", " + o.method + ", cycle " + o.cycle);
  o.rtol = sizeof(T) == 8 ? 1e-9 : 1e-4;
  o.history = true;
  grid_operator<T> a(device::cpu(), p.d);
  grid_solver<T> there(stencil_place::where(), p.d, o), here(device::cpu(), p.d, o);
  const std::size_t n = a.rows();
  const std::vector<T> f = random_values<T>(n, seed);
  std::vector<T> u = random_values<T>(n, seed + 1), by_cpu = u, again = u, b(n);
  a.rhs(f, b);
  const grid_report r = there.solve(f, u), c = here.solve(f, by_cpu);
  EXPECT_EQ(r.null_space, c.null_space);
  if (c.stopped == stop_reason::converged && c.cycle == r.cycle) {
    EXPECT_TRUE(r.stopped == stop_reason::converged ||
                (sizeof(T) == 4 && r.stopped == stop_reason::accuracy_limit))
        << to_string(r.stopped);
    if (o.coarse != "galerkin") {  // whose last level is another one there
      EXPECT_LE(std::abs(r.iterations - c.iterations), 2 + c.iterations / 8);
    }
  }
  if (r.stopped == stop_reason::converged) {
    EXPECT_LE(true_residual(a, b, u), 1.05 * *o.rtol + (sizeof(T) == 8 ? 1e-12 : 1e-4));
  }
  EXPECT_EQ(r.history.size(), std::size_t(r.iterations) + 1);
  there.solve(f, again);
  EXPECT_EQ(again, u) << "bits repeat";
}

TEST_F(grid_gpu, solves_as_a_cpu_does) {
  for (unsigned k = 0; k < 40; ++k) {
    expect_as_on_a_cpu<double>(1 + k, 60, 20, {});
    if (k % 4 == 0) expect_as_on_a_cpu<float>(101 + k, 40, 5, {});
  }
  for (unsigned k = 0; k < 6; ++k) expect_as_on_a_cpu<double>(201 + k, 700, 20, {});
}
TEST_F(grid_gpu, takes_cycles_alone_and_small_levels_twice) {
  grid_options o;
  o.method = "multigrid";
  for (unsigned k = 0; k < 10; ++k) expect_as_on_a_cpu<double>(301 + k, 50, 2, o);
  o.method = "cg";
  o.cycle = "w";
  for (unsigned k = 0; k < 12; ++k) expect_as_on_a_cpu<double>(401 + k, 200, 100, o);
}

TEST_F(grid_gpu, takes_all_methods_and_preconditioners) {
  unsigned seed = 1001;
  for (const std::string& method : grid_methods())
    for (const std::string& preconditioner : grid_preconditioners()) {
      grid_options o;
      o.method = method;
      if (preconditioner != "auto" && (method == "multigrid" || method == "jacobi")) continue;
      o.preconditioner = preconditioner;
      o.max_iterations = 3000;
      const bool multigrid = preconditioner == "auto" || preconditioner == "multigrid";
      for (int k = 0; k < 4; ++k)
        expect_as_on_a_cpu<double>(seed++, method == "jacobi" ? 16 : multigrid ? 80 : 40, 5, o);
      expect_as_on_a_cpu<float>(seed++, 16, 3, o);
      if (!multigrid || method == "jacobi") continue;
      o.smoother = "lines";
      expect_as_on_a_cpu<double>(seed++, 60, 5, o);
      o.smoother = "points", o.coarse = "galerkin";
      expect_as_on_a_cpu<double>(seed++, 60, 50, o);
    }
}

TEST_F(grid_gpu, indefinite_operators_are_solved_by_minres_and_bicgstab) {
  for (const char* const method : {"minres", "bicgstab"}) {
    SCOPED_TRACE(method);
    grid_description<double> d{.cells = {40, 30}};
    d.boundary = parse_grid_boundary("dirichlet 0", 2);
    d.s = -0.05;
    grid_options o;
    o.method = method;
    o.max_iterations = 2000;
    grid_solver<double> solver(stencil_place::where(), d, o);
    grid_operator<double> a(device::cpu(), d);
    const std::vector<double> f = random_values<double>(a.rows(), 5);
    std::vector<double> u(f.size(), 0.0), b(f.size());
    a.rhs(f, b);
    EXPECT_EQ(solver.solve(f, u).stopped, stop_reason::converged);
    EXPECT_LE(true_residual(a, b, u), 1.05e-8);
  }
}

/// Jacobi's iteration has no sums but those for the end: so the bits of a CPU.
TEST_F(grid_gpu, jacobis_iteration_has_the_bits_of_a_cpu) {
  int compared = 0;
  for (unsigned seed = 1; seed <= 30; ++seed) {
    grid_problem<double> p;
    random_grid_problem(1200 + seed, 80, 10, p);
    SCOPED_TRACE(p.says);
    grid_options o;
    o.method = "jacobi";
    o.rtol = 0;
    o.max_iterations = 1 + int(seed % 23);
    grid_solver<double> there(stencil_place::where(), p.d, o), here(device::cpu(), p.d, o);
    if (there.singular()) continue;
    const std::vector<double> b = random_values<double>(there.rows(), seed);
    std::vector<double> u = random_values<double>(b.size(), seed + 1), by_cpu = u;
    const grid_report r = there.solve_algebraic(b, u), c = here.solve_algebraic(b, by_cpu);
    if (r.iterations != c.iterations || r.refinements != c.refinements) continue;
    ++compared;
    EXPECT_EQ(u, by_cpu);
  }
  EXPECT_GT(compared, 10);
}

TEST_F(grid_gpu, relaxes_lines) {
  grid_options o;
  o.smoother = "lines";
  for (unsigned k = 0; k < 16; ++k) expect_as_on_a_cpu<double>(651 + k, k % 4 ? 60 : 300, 30, o);
}

TEST_F(grid_gpu, begins_by_full_multigrid) {
  grid_options o;
  o.full_multigrid = true;
  for (unsigned k = 0; k < 40; ++k) {
    o.method = k % 5 == 4 ? "minres" : k % 5 == 3 ? "multigrid" : "cg";
    o.cycle = k % 3 ? "auto" : "w";
    o.smoother = k % 4 == 1 ? "lines" : "points";
    o.coarse = k % 4 == 2 ? "galerkin" : "averaged";
    expect_as_on_a_cpu<double>(701 + k, k % 4 ? 60 : 300, k % 2 ? 2 : 20, o);
    if (k % 4 == 0) expect_as_on_a_cpu<float>(751 + k, 40, 3, o);
  }
  // The start itself is that of a CPU, but for rounding, and is close to the answer.
  for (const std::vector<int>& cells : {std::vector{300, 310}, std::vector{41, 50, 37}}) {
    grid_description<double> d{.cells = cells};
    o = {};
    o.full_multigrid = o.history = true;
    grid_solver<double> there(stencil_place::where(), d, o), here(device::cpu(), d, o);
    const std::vector<double> f(there.rows(), 1.0);
    std::vector<double> u(f.size(), 0.0), by_cpu = u;
    const grid_report r = there.solve(f, u), c = here.solve(f, by_cpu);
    EXPECT_EQ(r.cycle, c.cycle);
    EXPECT_EQ(r.iterations, c.iterations);
    EXPECT_LT(r.history.at(0), 0.2 * r.rhs_norm);
    EXPECT_NEAR(r.history[0], c.history.at(0), 1e-2 * c.history[0]);
  }
}

TEST_F(grid_gpu, takes_galerkins_levels) {
  grid_options o;
  o.coarse = "galerkin";
  for (unsigned k = 0; k < 24; ++k) {
    o.cycle = k % 3 ? "auto" : "v";
    expect_as_on_a_cpu<double>(501 + k, k % 2 ? 300 : 60, k % 4 ? 1e3 : 3, o);
    if (k % 4 == 0) expect_as_on_a_cpu<float>(601 + k, 100, 5, o);
  }
}

TEST_F(grid_gpu, slow_solves_go_on_with_galerkins_levels) {
  grid_description<double> d;
  const int n = 300, block = 5, blocks = n / block;
  std::mt19937 random(3);
  std::vector<bool> is_high;
  for (int i = 0; i < blocks * blocks; ++i) is_high.push_back(random() % 2);
  d.cells = {n, n};
  std::vector<double> k(std::size_t(n) * n), f(k.size(), 1.0), u(k.size(), 0.0);
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < n; ++x)
      k[std::size_t(y * n + x)] = is_high[std::size_t(y / block * blocks + x / block)] ? 1e4 : 1.0;
  d.k_cells = k;
  grid_options o;
  o.history = true;
  grid_solver<double> solver(stencil_place::where(), d, o);
  grid_operator<double> a(device::cpu(), d);
  std::vector<double> b(f.size()), again(f.size(), 0.0);
  a.rhs(f, b);
  const grid_report r = solver.solve(f, u);
  EXPECT_NE(r.cycle.find("Galerkin's coarse operators after 16 slow iterations"), std::string::npos)
      << r.cycle;
  EXPECT_EQ(r.stopped, stop_reason::converged);
  EXPECT_LE(true_residual(a, b, u), 1.05 * r.residual_relative_wanted);
  EXPECT_EQ(r.history.size(), std::size_t(r.iterations) + 1);
  solver.solve(f, again);
  EXPECT_EQ(again, u) << "bits repeat";
}

TEST_F(grid_gpu, takes_arrays_of_the_gpu_and_other_coefficients) {
  grid_problem<double> p;
  random_grid_problem(11, 90, 3, p);
  const device where = stencil_place::where();
  grid_solver<double> solver(where, p.d, {});
  const std::size_t n = solver.rows();
  const std::vector<double> f = random_values<double>(n, 3);
  for (int round = 0; round < 2; ++round) {
    std::vector<double> host(n, 0.0), found(n);
    solver.solve(f, host);
    const buffer<double> of = buffer<double>::copy_of(where, f);
    buffer<double> u(where, n);
    const grid_report r = solver.solve(device_span<const double>{of.data(), n, where.ordinal()},
                                       device_span<double>{u.data(), n, where.ordinal()});
    EXPECT_EQ(r.stopped, stop_reason::converged);
    u.download(found);
    EXPECT_EQ(found, host);
    for (double& v : p.k) v *= 2;
    p.d.k *= 2;
    p.d.s *= 2;
    solver.update(p.d);
  }
}

template <class T>
void expect_far_answers_said_by_a_gpu() {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const dwell::testing::far_grid<T> far(seed);
    grid_options o;
    o.rtol = far.rtol;
    std::vector<T> u = far.start;
    grid_solver<T> solver(stencil_place::where(), far.p.d, o);
    const grid_report r = solver.solve_algebraic(far.b, u);
    far.expect_honest(r.stopped, u);
    EXPECT_EQ(r.stopped == stop_reason::converged, r.residual_relative_true <= far.rtol);
  }
}

TEST_F(grid_gpu, says_answers_that_are_too_large_or_too_small_for_their_type) {
  expect_far_answers_said_by_a_gpu<double>();
  expect_far_answers_said_by_a_gpu<float>();
}

template <class T>
int grids_made(unsigned seed, int most, double jump) {
  grid_problem<T> p;
  random_grid_problem(seed, most, jump, p);
  SCOPED_TRACE(p.says);
  const work_queue queue(stencil_place::where());
  const auto kernel = cuda_backend<grids::grid_kernel_functions<T>>().make(queue.where());
  const grids::deal_limits limits{.teams = kernel->teams(), .lanes = kernel->lanes()};
  return dwell::testing::expect_made_as_by_the_host<T>(queue.where(), *kernel, limits, p.d);
}

TEST_F(grid_gpu, makes_levels_with_the_bits_of_the_hosts) {
  int made = 0;
  for (unsigned k = 0; k < 60 && !HasFailure(); ++k) {
    made += grids_made<double>(701 + k, k % 6 ? 60 : 700, k % 3 ? 1e4 : 2);
    if (k % 4 == 0) made += grids_made<float>(801 + k, 200, 20);
  }
  EXPECT_GT(made, 30);
}

/// A handle whose levels kernels make, beside one whose levels the host makes: the bits of answers,
/// before and after an update, and where a solve goes on with Galerkin's levels.
TEST_F(grid_gpu, solves_alike_whoever_makes_levels) {
  const auto answers = [](const grid_problem<double>& p, bool by_gpu, const char* coarse) {
    grid_options o;
    o.coarse = coarse;
    grids::grid_handle<double> handle(stencil_place::where(), self_communicator(), p.d, o, 0,
                                      by_gpu ? 0 : std::size_t(-1));
    std::vector<double> f = random_values<double>(handle.rows(), 3), u(f.size(), 0.0);
    handle.solve(f, u, false);
    grid_description<double> other = p.d;
    other.spacing.assign(other.cells.size(), 0.75);
    handle.update(other);
    std::vector<double> then(f.size(), 0.0);
    handle.solve(f, then, false);
    u.insert(u.end(), then.begin(), then.end());
    return u;
  };
  for (unsigned k = 0; k < 20; ++k) {
    grid_problem<double> p;
    random_grid_problem(901 + k, 200, k % 2 ? 1e4 : 3, p);
    SCOPED_TRACE(p.says);
    EXPECT_EQ(answers(p, true, "auto"), answers(p, false, "auto"));
  }
}

/// k, s and k of faces from the memory of the GPU: the bits of those of the host, whoever makes
/// levels, before and after an update.
TEST_F(grid_gpu, takes_coefficients_of_the_gpu) {
  const device where = stencil_place::where();
  int arrays = 0;
  for (unsigned k = 0; k < 40; ++k) {
    grid_problem<double> p;
    random_grid_problem(1301 + k, k % 4 ? 60 : 250, k % 2 ? 1e4 : 3, p);
    SCOPED_TRACE(p.says);
    const std::size_t from = k % 3 ? 0 : std::size_t(-1);  // by kernels, or the host
    std::vector<buffer<double>> kept;
    grid_description<double> bare = p.d;
    device_coefficients<double> there;
    const auto move = [&](std::span<const double>& of, device_span<const double>& to) {
      if (of.empty()) return;
      ++arrays;
      kept.push_back(buffer<double>::copy_of(where, std::vector<double>(of.begin(), of.end())));
      to = {kept.back().data(), of.size(), where.ordinal()};
      of = {};
    };
    move(bare.k_cells, there.k_cells);
    if (k % 5) move(bare.s_cells, there.s_cells);
    for (std::size_t axis = 0; axis < 3; ++axis) move(bare.k_faces[axis], there.k_faces[axis]);
    grids::grid_handle<double> host(where, self_communicator(), p.d, {}, 0, from),
        gpu(where, self_communicator(), bare, {}, 0, from, there);
    const std::vector<double> f = random_values<double>(host.rows(), k);
    for (int round = 0; round < 2; ++round) {
      std::vector<double> u(f.size(), 0.0), by_host = u;
      host.solve(f, by_host, false);
      gpu.solve(f, u, false);
      EXPECT_EQ(u, by_host);
      p.d.spacing.assign(p.d.cells.size(), 0.5), bare.spacing = p.d.spacing;
      host.update(p.d);
      gpu.update(bare, there);
    }
  }
  EXPECT_GT(arrays, 20);
}

TEST_F(grid_gpu, refuses_coefficients_that_are_not_where_they_are_said_to_be) {
  const device where = stencil_place::where();
  const std::vector<double> k(40000, 2.0);
  std::vector<double> bad = k;
  bad[1234] = -1;
  const buffer<double> good_there = buffer<double>::copy_of(where, k),
                       bad_there = buffer<double>::copy_of(where, bad);
  grid_description<double> d{.cells = {200, 200}};
  const auto said = [&](const device_span<const double>& of) {
    try {
      grid_solver<double>(where, d, {}, {.k_cells = of});
    } catch (const input_error& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  const int at = where.ordinal();
  EXPECT_EQ(said({good_there.data(), k.size(), at}), "accepted");
  EXPECT_NE(
      said({bad_there.data(), k.size(), at}).find("k: expected numbers > 0, found -1 at [6, 34]"),
      std::string::npos);
  EXPECT_NE(said({good_there.data(), 39999, at}).find("expected 40000 elements"),
            std::string::npos);
  EXPECT_NE(said({k.data(), k.size(), at}), "accepted") << "memory of the host";
  d.k_cells = k;
  EXPECT_NE(said({good_there.data(), k.size(), at}).find("found both"), std::string::npos);
}

TEST_F(grid_gpu, names_values_that_a_set_up_by_kernels_refuses) {
  const auto said = [](std::size_t at, double bad) {
    std::vector<double> k(10000, 1.0);
    k[at] = bad;
    grid_description<double> d{.cells = {100, 100}};
    d.k_cells = k;
    d.boundary.sides[0][0] = {.kind = boundary_kind::dirichlet, .value = 1};
    try {
      grids::grid_handle<double>(stencil_place::where(), self_communicator(), d, {}, 0, 0);
    } catch (const input_error& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  EXPECT_NE(said(777, -3).find("found -3 at [7, 77]"), std::string::npos) << said(777, -3);
  // Beside a side whose value is multiplied by it.
  EXPECT_NE(said(3, HUGE_VAL).find("found inf at [0, 3]"), std::string::npos) << said(3, HUGE_VAL);
}

TEST_F(grid_gpu, ends_when_asked_to_and_says_what_is_wrong) {
  grid_description<double> d;
  d.cells = {300, 300};
  std::vector<double> f(90000, 1.0), u(90000, 0.0);
  std::atomic<bool> interrupt{true};
  grid_options o;
  o.interrupt = &interrupt;
  EXPECT_EQ(grid_solver<double>(stencil_place::where(), d, o).solve(f, u).stopped,
            stop_reason::interrupted);
  o.interrupt = nullptr;
  o.max_iterations = 3;
  const grid_report few = grid_solver<double>(stencil_place::where(), d, o).solve(f, u);
  EXPECT_EQ(few.stopped, stop_reason::iteration_limit);
  EXPECT_EQ(few.iterations, 3);
  f[7] = NAN;
  EXPECT_THROW(grid_solver<double>(stencil_place::where(), d, {}).solve(f, u), input_error);
  // All methods end so.
  f[7] = 1;
  const auto stopped = [&](const grid_options& by) {  // from zeros
    std::fill(u.begin(), u.end(), 0.0);
    return grid_solver<double>(stencil_place::where(), d, by).solve(f, u);
  };
  for (const std::string& method : grid_methods()) {
    SCOPED_TRACE(method);
    grid_options w;
    w.method = method;
    w.max_iterations = 3;
    EXPECT_EQ(stopped(w).iterations, 3);
    w.max_iterations = 500;
    interrupt = true;
    w.interrupt = &interrupt;
    EXPECT_EQ(stopped(w).stopped, stop_reason::interrupted);
  }
}

}  // namespace
}  // namespace dwell::test
