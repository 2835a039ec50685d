// SPDX-License-Identifier: MIT
// Axes that lie in memory in another order than they are described: which ones, arrays that are
// turned, answers against dense solves, problems with permuted axes, what reports and messages say.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/grid/explain_grid.hpp"
#include "dwell/grid/grid_solver.hpp"
#include "dwell/solvers/grid/axis_order.hpp"
#include "grid_answers.hpp"
#include "grid_problem.hpp"
#include "refusal.hpp"
#include "sanitized.hpp"

namespace dwell {
namespace {

using grids::axis_order;
using grids::reordering;
using testing::expect_answer;
using testing::grid_problem;
using testing::random_grid_problem;
using testing::random_values;

std::size_t count_of(const std::vector<int>& sizes) {
  std::size_t n = 1;
  for (const int of : sizes) n *= std::size_t(of);
  return n;
}
/// f(coordinates) in C order.
template <class F>
void each_cell(const std::vector<int>& sizes, F&& f) {
  std::vector<int> at(sizes.size(), 0);
  for (std::size_t i = 0; i < count_of(sizes); ++i) {
    f(at);
    for (std::size_t a = sizes.size(); a-- > 0;) {
      if (++at[a] < sizes[a]) break;
      at[a] = 0;
    }
  }
}
std::size_t place_of(const std::vector<int>& sizes, const std::vector<int>& at) {
  std::size_t place = 0;
  for (std::size_t a = 0; a < sizes.size(); ++a)
    place = place * std::size_t(sizes[a]) + std::size_t(at[a]);
  return place;
}

/// Axis a of what comes out is axis `from`[a] of what goes in.
using permutation = std::vector<std::size_t>;
template <class E>
std::vector<E> permuted(const std::vector<E>& v, const permutation& from) {
  std::vector<E> out;
  for (const std::size_t a : from) out.push_back(v[a]);
  return out;
}
template <class E>
std::vector<E> permuted_array(const std::vector<E>& v, const std::vector<int>& sizes,
                              const permutation& from) {
  if (v.empty()) return {};
  const std::vector<int> out_sizes = permuted(sizes, from);
  std::vector<E> out(v.size());
  each_cell(sizes, [&](const std::vector<int>& at) {
    out[place_of(out_sizes, permuted(at, from))] = v[place_of(sizes, at)];
  });
  return out;
}
template <class T>
void permute(const grid_problem<T>& p, const permutation& from, grid_problem<T>& to) {
  const std::vector<int>& cells = p.d.cells;
  to.d = p.d;
  to.d.cells = permuted(cells, from);
  to.d.spacing = permuted(p.d.spacing, from);
  to.k = permuted_array(p.k, cells, from);
  to.s = permuted_array(p.s, cells, from);
  to.d.k_cells = to.k, to.d.s_cells = to.s;
  for (std::size_t a = 0; a < from.size(); ++a) {
    to.d.k_axes[a] = p.d.k_axes[from[a]];
    std::vector<int> faces = cells, side = cells;
    ++faces[from[a]];
    side[from[a]] = 1;
    to.faces[a] = permuted_array(p.faces[from[a]], faces, from);
    to.d.k_faces[a] = to.faces[a];
    to.d.boundary.sides[a] = p.d.boundary.sides[from[a]];
    for (grid_side& one : to.d.boundary.sides[a])
      one.values = permuted_array(one.values, side, from);
  }
  to.says = p.says + ", permuted";
}

/// Cells of a grid with this axis long and the others short.
std::vector<int> with_long_axis(std::mt19937& random, std::size_t dims, std::size_t axis,
                                int longest) {
  std::vector<int> cells;
  for (std::size_t a = 0; a < dims; ++a)
    cells.push_back(a == axis ? longest / 2 + int(random() % unsigned(longest / 2))
                              : 1 + int(random() % (dims == 2 ? 8 : 3)));
  return cells;
}

TEST(AxisOrder, RowsAreLong) {
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    std::vector<int> cells;
    for (std::size_t dims = 1 + random() % 3; cells.size() < dims;)
      cells.push_back(random() % 3 ? 1 + int(random() % 300) : 1);
    SCOPED_TRACE(::testing::PrintToString(cells));
    const int longest = *std::ranges::max_element(cells);
    for (const reordering may : {reordering::one_cell, reordering::planes_stay, reordering::any}) {
      const axis_order order(cells, may);
      axis_order::sizes n{1, 1, 1};
      for (std::size_t a = 0; a < cells.size(); ++a) {
        EXPECT_EQ(order.described(order.inside(a)), int(a));
        n[std::size_t(order.inside(a))] = cells[a];
      }
      EXPECT_EQ(order.described(n), cells);
      if (cells.size() < 3) {
        EXPECT_EQ(order.described(grids::y_axis), -1);
      }
      const int row = n[2];
      if (may == reordering::any) {
        EXPECT_TRUE(row > 128 || 2 * row > longest) << row;
      }
      if (may == reordering::planes_stay && cells.size() > 1) {
        EXPECT_EQ(order.inside(0), grids::z_axis);
        EXPECT_TRUE(row > 128 || 2 * row > std::max(n[1], n[2])) << row;
      }
      if (may == reordering::one_cell) {
        EXPECT_FALSE(order.turns(n));
        EXPECT_TRUE(row > 1 || longest == 1);
      }
    }
  }
}

/// Arrays of cells, and of faces along any axis, by numbers that are their places.
TEST(AxisOrder, ArraysAreTurnedAndBack) {
  std::mt19937 random(2);
  int turned = 0;
  for (int round = 0; round < test::rounds(200); ++round) {
    std::vector<int> cells;
    for (std::size_t dims = 1 + random() % 3; cells.size() < dims;)
      cells.push_back(1 + int(random() % (dims == 3 ? 30 : 150)));
    const axis_order order(cells, random() % 3 ? reordering::any : reordering(random() % 3));
    std::vector<int> sizes = cells;
    if (random() % 2) ++sizes[random() % sizes.size()];
    SCOPED_TRACE(::testing::PrintToString(sizes));
    axis_order::sizes n{1, 1, 1};
    for (std::size_t a = 0; a < sizes.size(); ++a) n[std::size_t(order.inside(a))] = sizes[a];
    std::vector<double> v(count_of(sizes)), inside(v.size(), -1), back(v.size(), -1);
    std::iota(v.begin(), v.end(), 0.0);
    const int threads = 1 + int(random() % 4);
    order.take<double>(v, inside, n, threads);
    each_cell(sizes, [&](const std::vector<int>& at) {
      std::array<int, 3> p{};
      for (std::size_t a = 0; a < at.size(); ++a) p[std::size_t(order.inside(a))] = at[a];
      const std::size_t place =
          (std::size_t(p[0]) * std::size_t(n[1]) + std::size_t(p[1])) * std::size_t(n[2]) +
          std::size_t(p[2]);
      ASSERT_EQ(inside[place], double(place_of(sizes, at)));
    });
    EXPECT_EQ(order.turns(n), inside != v);
    turned += order.turns(n);
    order.give<double>(inside, back, n, threads);
    EXPECT_EQ(back, v);
  }
  EXPECT_GT(turned, test::rounds(200) / 20);
}

/// Sides let nothing through.
template <class T>
void make_singular(grid_description<T>& d) {
  d.s = 0, d.s_cells = {};
  if (std::ranges::count(d.cells, 1)) d.centring = grid_centring::cell;
  for (auto& axis : d.boundary.sides)
    for (grid_side& side : axis)
      if (side.kind != boundary_kind::periodic) side.kind = boundary_kind::neumann;
}

template <class T>
void expect_answers(unsigned first, int count, int longest, double jump, const grid_options& o) {
  for (unsigned seed = first; seed < first + unsigned(test::rounds(count)); ++seed)
    for (const std::size_t dims : {2, 3})
      for (std::size_t axis = 0; axis < dims; ++axis) {
        std::mt19937 random(seed);
        grid_problem<T> p;
        random_grid_problem(seed, 0, jump, p, with_long_axis(random, dims, axis, longest));
        if (seed % 5 == 0) make_singular(p.d);
        expect_answer(p, seed, o);
        if (::testing::Test::HasFailure()) return;
      }
}

TEST(AxisOrder, EveryAxisMayBeLong) {
  expect_answers<double>(1, 20, 60, 20, {});
  expect_answers<float>(101, 12, 60, 3, {});
}
TEST(AxisOrder, EveryAxisMayBeLongWithAllOptions) {
  unsigned seed = 201;
  for (const std::string& method : grid_methods()) {
    grid_options o;
    o.method = method;
    o.max_iterations = 100000;
    const bool alone = method == "jacobi";
    expect_answers<double>(seed++, 2, alone ? 16 : 50, alone ? 1.5 : 10, o);
    if (alone || method == "multigrid") continue;
    o.preconditioner = "jacobi";
    expect_answers<double>(seed++, 2, 30, 2, o);
  }
  for (const char* const smoother : {"points", "lines"})
    for (const char* const coarse : {"averaged", "galerkin"}) {
      if (smoother == std::string("lines") && coarse == std::string("galerkin")) continue;
      grid_options o;
      o.smoother = smoother, o.coarse = coarse;
      expect_answers<double>(seed++, 4, 120, 10, o);
      o.full_multigrid = true, o.cycle = "w";
      expect_answers<double>(seed++, 2, 120, 10, o);
    }
}

/// The matrix by rows, with permuted unknowns: bits, but for diagonals, which are sums.
void expect_permuted_matrix(const csr<double>& a, const csr<double>& b,
                            const std::vector<std::size_t>& place) {
  ASSERT_EQ(a.col.size(), b.col.size());
  for (std::size_t row = 0; row < place.size(); ++row) {
    const std::size_t other = place[row];
    ASSERT_EQ(a.row_ptr[row + 1] - a.row_ptr[row], b.row_ptr[other + 1] - b.row_ptr[other]);
    for (auto e = std::size_t(a.row_ptr[row]); e < std::size_t(a.row_ptr[row + 1]); ++e) {
      const auto first = b.col.begin() + b.row_ptr[other],
                 last = b.col.begin() + b.row_ptr[other + 1];
      const auto at = std::lower_bound(first, last, index(place[std::size_t(a.col[e])]));
      ASSERT_NE(at, last);
      ASSERT_EQ(std::size_t(*at), place[std::size_t(a.col[e])]);
      const double v = b.val[std::size_t(at - b.col.begin())];
      ASSERT_NEAR(a.val[e], v, 1e-14 * std::abs(v));
    }
  }
}

/// Permuted axes permute the answer, the matrix, and what is said of levels.
template <class T>
void expect_permuted(unsigned seed, const std::vector<int>& cells, double jump) {
  grid_problem<T> p, q;
  random_grid_problem(seed, 0, jump, p, cells);
  std::mt19937 random(seed);
  permutation from(cells.size());
  std::iota(from.begin(), from.end(), std::size_t(0));
  std::ranges::shuffle(from, random);
  permute(p, from, q);
  SCOPED_TRACE(q.says + ::testing::PrintToString(q.d.cells));
  grid_options o;
  o.rtol = sizeof(T) == 8 ? 1e-11 : 1e-5;
  grid_solver<T> of_p(device::cpu(1), p.d, o), of_q(device::cpu(1), q.d, o);
  EXPECT_EQ(of_p.singular(), of_q.singular());
  const std::vector<T> f = random_values<T>(p.cells(), seed);
  std::vector<T> u = random_values<T>(f.size(), seed + 1);
  std::vector<T> v = permuted_array(u, cells, from);
  const grid_report r = of_p.solve(f, u);
  const grid_report s = of_q.solve(permuted_array(f, cells, from), v);
  EXPECT_EQ(r.stopped, s.stopped);
  for (const grid_report& of : {r, s})
    if (of.iterations > 0) {
      EXPECT_DOUBLE_EQ(of.per_iteration_us * of.iterations, of.solve_s * 1e6);
    }
  EXPECT_NEAR(r.iterations, s.iterations, 3);
  EXPECT_EQ(r.null_space, s.null_space);
  EXPECT_NEAR(r.rhs_norm, s.rhs_norm, (sizeof(T) == 8 ? 1e-13 : 1e-5) * r.rhs_norm);
  ASSERT_EQ(r.levels.size(), s.levels.size());
  for (std::size_t n = 0; n < r.levels.size(); ++n)
    EXPECT_EQ(s.levels[n].cells, permuted(r.levels[n].cells, from));
  // They are apart by what residuals allow, and A is not close to singular.
  grid_operator<T> a(device::cpu(1), p.d);
  const std::vector<T> wanted = permuted_array(u, cells, from);
  double apart = 0, size = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    apart = std::max(apart, std::abs(double(v[i]) - double(wanted[i])));
    size = std::max(size, std::abs(double(v[i])));
  }
  EXPECT_LE(apart, (sizeof(T) == 8 ? 1e-7 : 0.05) * size);
  if constexpr (sizeof(T) == 8) {
    std::vector<double> places(p.cells());
    std::iota(places.begin(), places.end(), 0.0);
    const std::vector<double> moved = permuted_array(places, cells, from);
    std::vector<std::size_t> place(places.size());
    for (std::size_t i = 0; i < moved.size(); ++i) place[std::size_t(moved[i])] = i;
    expect_permuted_matrix(a.to_matrix(), grid_operator<T>(device::cpu(1), q.d).to_matrix(), place);
    const grid_explanation e = explain(p.d, device::cpu(1).facts(), o);
    const grid_explanation g = explain(q.d, device::cpu(1).facts(), o);
    ASSERT_EQ(e.levels.size(), g.levels.size());
    ASSERT_EQ(g.levels.size(), s.levels.size());
    for (std::size_t n = 0; n < e.levels.size(); ++n) {
      EXPECT_EQ(g.levels[n].cells, s.levels[n].cells);
      std::vector<int> halved;
      for (std::size_t axis = 0; axis < from.size(); ++axis)
        if (std::ranges::count(e.levels[n].halved, int(from[axis]))) halved.push_back(int(axis));
      EXPECT_EQ(g.levels[n].halved, halved);
    }
  }
}

TEST(AxisOrder, PermutedAxesPermuteAnswers) {
  for (unsigned seed = 1; seed <= unsigned(test::rounds(80)); ++seed) {
    std::mt19937 random(seed);
    const std::size_t dims = 2 + random() % 2;
    const auto cells = with_long_axis(random, dims, random() % dims, seed % 8 ? 200 : 3000);
    expect_permuted<double>(seed, cells, 5);
    if (seed % 4 == 0) expect_permuted<float>(1000 + seed, cells, 2);
    if (HasFailure()) return;
  }
}

/// Bad values in arrays of every kind are named by their places in what the caller gave, and
/// another grid with as many unknowns is another grid.
TEST(AxisOrder, MessagesSpeakOfTheCallersAxes) {
  std::mt19937 random(3);
  for (int round = 0; round < test::rounds(120); ++round) {
    const std::size_t dims = 2 + random() % 2;
    grid_description<double> d{.cells = with_long_axis(random, dims, random() % dims, 300)};
    const std::vector<int> cells = d.cells;
    // k, s, k of faces along an axis, values of a side of one.
    const std::size_t which = random() % (2 + 2 * dims), axis = (which - 2) % dims;
    std::vector<int> sizes = cells;
    if (which >= 2) sizes[axis] = which < 2 + dims ? cells[axis] + 1 : 1;
    std::vector<double> values(count_of(sizes), 1.0);
    std::string place;
    std::vector<int> at;
    for (const int n : sizes) {
      at.push_back(int(random() % unsigned(n)));
      place += (place.empty() ? "" : ", ") + std::to_string(at.back());
    }
    values[place_of(sizes, at)] = NAN;
    if (which == 0) d.k_cells = values;
    if (which == 1) d.s_cells = values;
    if (which >= 2 && which < 2 + dims) d.k_faces[axis] = values;
    if (which >= 2 + dims) d.boundary.sides[axis][random() % 2].values = values;
    const std::string said =
        test::refusal<input_error>([&] { grid_solver<double>(device::cpu(1), d); });
    EXPECT_NE(said.find("found nan at [" + place + "] (counted from 0)"), std::string::npos)
        << said << ", " << place;
    grid_solver<double> solver(device::cpu(1), {.cells = cells});
    std::vector<int> other = cells;
    std::ranges::reverse(other);
    if (other != cells) {
      EXPECT_THROW(solver.update({.cells = other}), input_error);
    }
  }
}

/// The operator's right-hand side, which is in the caller's order, has the solver's bits.
template <class T>
void expect_algebraic_bits(unsigned seed, const std::vector<int>& cells) {
  grid_problem<T> p;
  random_grid_problem(seed, 0, 5, p, cells);
  for (auto& axis : p.d.boundary.sides)
    for (grid_side& side : axis)
      if (side.kind == boundary_kind::neumann) side.kind = boundary_kind::dirichlet;
  SCOPED_TRACE(p.says);
  const std::vector<T> f = random_values<T>(p.cells(), seed);
  std::vector<T> b(f.size()), u(f.size(), T(0)), v = u;
  grid_operator<T>(device::cpu(1), p.d).rhs(f, b);
  grid_solver<T> solver(device::cpu(1), p.d);
  solver.solve(f, u);
  solver.solve_algebraic(b, v);
  EXPECT_EQ(u, v);
}

TEST(AxisOrder, RightHandSidesOfOperatorsHaveTheSolversBits) {
  for (unsigned seed = 1; seed <= unsigned(test::rounds(60)); ++seed) {
    std::mt19937 random(seed);
    const std::size_t dims = 2 + random() % 2;
    const auto cells = with_long_axis(random, dims, random() % dims, 60);
    expect_algebraic_bits<double>(seed, cells);
    expect_algebraic_bits<float>(seed, cells);
  }
}

TEST(AxisOrder, UpdatesAreThoseOfANewSolver) {
  for (unsigned seed = 1; seed <= unsigned(test::rounds(30)); ++seed) {
    std::mt19937 random(seed);
    const std::size_t dims = 2 + random() % 2;
    const auto cells = with_long_axis(random, dims, random() % dims, 200);
    grid_problem<double> before, after;
    random_grid_problem(seed, 0, 5, before, cells);
    random_grid_problem(seed + 500, 0, 5, after, cells);
    SCOPED_TRACE(after.says);
    grid_solver<double> fresh(device::cpu(1), after.d), updated(device::cpu(2), before.d);
    const std::vector<double> f = random_values<double>(after.cells(), seed);
    std::vector<double> u(f.size(), 0.0), v = u;
    updated.solve(f, v);
    updated.update(after.d);
    std::ranges::fill(v, 0.0);
    fresh.solve(f, u);
    updated.solve(f, v);
    EXPECT_EQ(u, v);
  }
}

}  // namespace
}  // namespace dwell
