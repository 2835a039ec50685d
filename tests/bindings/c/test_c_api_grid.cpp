// SPDX-License-Identifier: MIT
// Systems on grids of dwell/dwell.h: the answers of grid_solver bit for bit, for random problems of
// every kind; one line for every misuse.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "c_handles.hpp"
#include "grid_problem.hpp"

#include "dwell/grid/grid_solver.hpp"

namespace dwell::test {
namespace {

owned<dwell_options> grid_options_of() {
  dwell_options* o = nullptr;
  EXPECT_EQ(dwell_grid_options_create(&o), DWELL_SUCCESS);
  return owned<dwell_options>(o);
}

/// A problem as C has it. It points into the description and itself.
template <class T>
struct c_problem {
  dwell_grid grid{};
  std::string boundary;

  explicit c_problem(const grid_description<T>& d) {
    const int dims = static_cast<int>(d.cells.size());
    grid.precision = sizeof(T) == 8 ? DWELL_F64 : DWELL_F32;
    grid.dims = dims;
    grid.cells = d.cells.data();
    grid.spacing = d.spacing.data();
    grid.vertex_centred = d.centring == grid_centring::vertex;
    grid.arithmetic_mean = d.mean == face_mean::arithmetic;
    grid.k = d.k;
    grid.k_cells = d.k_cells.data();
    grid.k_axes = d.k_axes.data();
    grid.s = d.s;
    grid.s_cells = d.s_cells.data();
    for (int a = 0; a < dims; ++a) {
      const auto axis = static_cast<std::size_t>(a);
      grid.k_faces[a] = d.k_faces[axis].data();
      for (const bool high : {false, true}) {
        const grid_side& side = d.boundary.sides[axis][high];
        boundary += (boundary.empty() ? "" : ", ") + std::string(1, "xyz"[dims - 1 - a]) +
                    (high ? "+: " : "-: ") + to_string(side);
        if (!side.values.empty()) grid.side_values[a][high] = side.values.data();
      }
    }
    grid.boundary = boundary.c_str();
  }
  c_problem(const c_problem&) = delete;
};

template <class T>
class c_grids : public ::testing::Test {};
TYPED_TEST_SUITE(c_grids, precisions);

TYPED_TEST(c_grids, have_the_bits_of_grid_solver) {
  using T = TypeParam;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    testing::grid_problem<T> p, other;
    testing::random_grid_problem(seed, 40, 20, p);
    SCOPED_TRACE(p.says);
    const c_problem<T> problem(p.d);
    grid_options o;
    o.method = seed % 3 ? "cg" : "multigrid";
    o.rtol = sizeof(T) == 8 ? 1e-9 : 1e-4;
    o.history = true;
    const auto options = grid_options_of();
    EXPECT_EQ(dwell_options_set_text(options.get(), "method", o.method.c_str()), DWELL_SUCCESS);
    o.cycle = grid_cycles()[seed % 3];
    o.coarse = grid_coarse_operators()[seed / 3 % 3];
    o.full_multigrid = seed % 4 == 0;
    o.smoother = o.coarse != "galerkin" && seed % 2 ? "lines" : "points";
    EXPECT_EQ(dwell_options_set_text(options.get(), "smoother", o.smoother.c_str()), DWELL_SUCCESS);
    EXPECT_EQ(dwell_options_set_text(options.get(), "cycle", o.cycle.c_str()), DWELL_SUCCESS);
    EXPECT_EQ(dwell_options_set_text(options.get(), "coarse", o.coarse.c_str()), DWELL_SUCCESS);
    EXPECT_EQ(dwell_options_set_int(options.get(), "full_multigrid", o.full_multigrid),
              DWELL_SUCCESS);
    EXPECT_EQ(dwell_options_set_double(options.get(), "rtol", *o.rtol), DWELL_SUCCESS);
    EXPECT_EQ(dwell_options_set_int(options.get(), "history", 1), DWELL_SUCCESS);

    dwell_grid_solver* made = nullptr;
    ASSERT_EQ(dwell_grid_solver_create(&made, &two_threads, &problem.grid, options.get()),
              DWELL_SUCCESS)
        << dwell_last_error();
    const owned<dwell_grid_solver> solver(made);
    grid_solver<T> wanted(device::cpu(2), p.d, o);
    ASSERT_EQ(dwell_grid_solver_rows(made), wanted.rows());
    EXPECT_EQ(dwell_grid_solver_singular(made), wanted.singular());

    std::mt19937 random(seed);
    std::vector<T> f(wanted.rows());
    for (T& v : f) v = T(random()) / T(std::mt19937::max()) - T(0.5);
    std::vector<T> u(f.size()), x(f.size());
    dwell_report* given = nullptr;
    const int status = dwell_grid_solver_solve(made, f.data(), u.data(), &given);
    const owned<dwell_report> report(given);
    const grid_report r = wanted.solve(f, x);
    EXPECT_EQ(u, x);
    EXPECT_EQ(status, r.stopped == stop_reason::converged ? DWELL_SUCCESS : DWELL_NOT_CONVERGED);
    EXPECT_EQ(whole(given, "iterations"), r.iterations);
    EXPECT_EQ(text(given, "null_space"), r.null_space);
    EXPECT_EQ(text(given, "stopped"), to_string(r.stopped));
    EXPECT_EQ(number(given, "residual_relative_true"), r.residual_relative_true);
    const double* norms = nullptr;
    std::size_t count = 0;
    EXPECT_EQ(dwell_report_history(given, &norms, &count), DWELL_SUCCESS);
    EXPECT_EQ(std::vector<double>(norms, norms + count), r.history);

    // The system as it is, then with other coefficients.
    dwell_grid_solver_solve_algebraic(made, f.data(), u.data(), nullptr);
    wanted.solve_algebraic(f, x);
    EXPECT_EQ(u, x);
    p.d.s += 1;
    p.d.s_cells = {};
    c_problem<T> changed(p.d);
    changed.grid.s_cells = nullptr;
    ASSERT_EQ(dwell_grid_solver_update(made, &changed.grid), DWELL_SUCCESS) << dwell_last_error();
    wanted.update(p.d);
    dwell_grid_solver_solve(made, f.data(), u.data(), nullptr);
    wanted.solve(f, x);
    EXPECT_EQ(u, x);
    EXPECT_EQ(dwell_grid_solver_singular(made), 0);
  }
}

/// An rtol that is not set is that of the precision; what did not converge has advice.
TEST(c_grids, tolerances_by_precision) {
  const int cells[] = {150, 160};
  dwell_grid grid{};
  grid.dims = 2, grid.cells = cells, grid.k = 1, grid.precision = DWELL_F32;
  const std::vector<float> f(150 * 160, 1.0F);
  std::vector<float> u(f.size());
  for (const bool given : {false, true}) {
    const auto options = grid_options_of();
    if (given) {
      EXPECT_EQ(dwell_options_set_double(options.get(), "rtol", 1e-5), DWELL_SUCCESS);
    }
    dwell_grid_solver* made = nullptr;
    ASSERT_EQ(dwell_grid_solver_create(&made, &two_threads, &grid, options.get()), DWELL_SUCCESS);
    const owned<dwell_grid_solver> solver(made);
    std::fill(u.begin(), u.end(), 0.0F);
    dwell_report* said = nullptr;
    EXPECT_EQ(dwell_grid_solver_solve(made, f.data(), u.data(), &said),
              given ? DWELL_NOT_CONVERGED : DWELL_SUCCESS);
    const owned<dwell_report> report(said);
    EXPECT_EQ(whole(said, "met_by_rounding"), given ? 0 : 1);
    EXPECT_EQ(number(said, "residual_relative_wanted"), 1e-5);
    EXPECT_EQ(text(said, "advice").empty(), !given);
    EXPECT_EQ(text(said, "on"), "cpu");
  }
}

TEST(c_grids, ends_of_solves) {
  const int cells[] = {300, 200};
  dwell_grid grid{};
  grid.dims = 2, grid.cells = cells, grid.k = 1;
  const auto options = grid_options_of();
  dwell_options_set_int(options.get(), "max_iterations", 2);
  int calls = 0;
  const auto count = [](const dwell_progress* now, void* user) {
    EXPECT_GT(now->value, 0);
    ++*static_cast<int*>(user);
    return 1;
  };
  EXPECT_EQ(dwell_options_set_progress(options.get(), count, &calls, 0), DWELL_SUCCESS);
  dwell_grid_solver* made = nullptr;
  ASSERT_EQ(dwell_grid_solver_create(&made, nullptr, &grid, options.get()), DWELL_SUCCESS)
      << dwell_last_error();
  const owned<dwell_grid_solver> solver(made);
  const std::vector<double> f(60000, 1.0);
  std::vector<double> u(f.size());
  EXPECT_EQ(dwell_grid_solver_solve(made, f.data(), u.data(), nullptr), DWELL_NOT_CONVERGED);
  dwell_grid_solver_interrupt(made);
  EXPECT_EQ(dwell_grid_solver_solve(made, f.data(), u.data(), nullptr), DWELL_INTERRUPTED);
  EXPECT_EQ(dwell_grid_solver_set_tolerances(made, 0.5, 0), DWELL_SUCCESS);
  EXPECT_EQ(dwell_grid_solver_solve(made, f.data(), u.data(), nullptr), DWELL_SUCCESS);
}

TEST(c_grids, misuse_is_one_line) {
  const int cells[] = {4, 5}, none[] = {4, 0}, huge[] = {2147483647, 2147483647, 2147483647};
  dwell_grid good{};
  good.dims = 2, good.cells = cells, good.k = 1;
  dwell_grid_solver* made = nullptr;
  const auto refused = [&](const std::string& words, auto change) {
    dwell_grid bad = good;
    change(bad);
    expect_refused(dwell_grid_solver_create(&made, nullptr, &bad, nullptr), words);
    EXPECT_EQ(made, nullptr);
  };
  refused("precision: expected", [](dwell_grid& g) { g.precision = 2; });
  refused("dims: expected 1 to 3, found 4", [](dwell_grid& g) { g.dims = 4; });
  refused("cells: expected a pointer", [](dwell_grid& g) { g.cells = nullptr; });
  refused("cells: expected at least 1", [&](dwell_grid& g) { g.cells = none; });
  refused("cells", [&](dwell_grid& g) { g.cells = huge, g.dims = 3; });
  refused("k: expected a number > 0, found 0", [](dwell_grid& g) { g.k = 0; });
  refused("s: expected numbers >= 0 for method cg", [](dwell_grid& g) { g.s = -1; });
  refused("vertex_centred: expected 0 or 1", [](dwell_grid& g) { g.vertex_centred = 7; });
  refused("boundary: expected", [](dwell_grid& g) { g.boundary = "x: cold"; });
  expect_refused(dwell_grid_solver_create(&made, nullptr, nullptr, nullptr), "grid: expected");
  expect_refused(dwell_grid_solver_create(nullptr, nullptr, &good, nullptr), "solver: expected");
  EXPECT_NE(dwell_grid_solver_create(&made, &no_gpu, &good, nullptr), DWELL_SUCCESS);
  const auto options = grid_options_of();
  expect_refused(dwell_options_set_int(options.get(), "methd", 1),
                 "expected the name of an option");
  dwell_options_set_text(options.get(), "method", "lu");
  expect_refused(dwell_grid_solver_create(&made, nullptr, &good, options.get()),
                 "method: expected");
  dwell_options* of_stencils = nullptr;
  dwell_stencil_options_create(&of_stencils);
  const owned<dwell_options> others(of_stencils);
  expect_refused(dwell_grid_solver_create(&made, nullptr, &good, of_stencils),
                 "expected those of dwell_grid_solver");

  ASSERT_EQ(dwell_grid_solver_create(&made, nullptr, &good, nullptr), DWELL_SUCCESS);
  const owned<dwell_grid_solver> solver(made);
  std::vector<double> f(20, 1.0), u(20);
  expect_refused(dwell_grid_solver_solve(made, nullptr, u.data(), nullptr),
                 "f: expected a pointer");
  expect_refused(dwell_grid_solver_solve(made, f.data(), nullptr, nullptr),
                 "u: expected a pointer");
  expect_refused(dwell_grid_solver_solve(made, f.data(), f.data(), nullptr), "overlap");
  expect_refused(dwell_grid_solver_solve(nullptr, f.data(), u.data(), nullptr), "solver: expected");
  for (const auto on_device :
       {dwell_grid_solver_solve_on_device, dwell_grid_solver_solve_algebraic_on_device}) {
    expect_refused(on_device(made, f.data(), u.data(), nullptr), "expected memory of the host");
    expect_refused(on_device(made, nullptr, u.data(), nullptr), "expected");
  }
  dwell_grid other = good;
  other.precision = DWELL_F32;
  expect_refused(dwell_grid_solver_update(made, &other), "precision: expected that of the solver");
  other = good;
  const int turned[] = {5, 4};
  other.cells = turned;
  expect_refused(dwell_grid_solver_update(made, &other), "as many cells");
  expect_refused(dwell_grid_solver_set_tolerances(made, -1, 0), "rtol: expected");
  dwell_grid_solver_destroy(nullptr);
}

}  // namespace
}  // namespace dwell::test
