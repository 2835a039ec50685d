// SPDX-License-Identifier: MIT
// Grid operators: against their matrices in every element, symmetric, definite or singular as they
// say; manufactured solutions with the order of convergence; refusals.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>

#include "dwell/base/error.hpp"
#include "dwell/grid/grid_operator.hpp"
#include "dwell/linear/solve.hpp"
#include "grid_problem.hpp"
#include "plain_options.hpp"

namespace dwell {
namespace {

using testing::grid_problem;
using testing::random_grid_problem;

template <class T>
void expect_matrix(unsigned seed) {
  grid_problem<T> p;
  random_grid_problem(seed, 40, 100, p);
  SCOPED_TRACE(p.says);
  grid_operator<T> a(device::cpu(1 + int(seed % 3)), p.d);
  const csr<T> m = a.to_matrix();
  check(m.view());
  ASSERT_EQ(std::size_t(m.rows), a.rows());
  std::mt19937 random(seed);
  std::vector<T> u(a.rows()), y(a.rows(), std::numeric_limits<T>::quiet_NaN());
  for (T& e : u) e = T(random()) / T(std::mt19937::max()) - T(0.5);
  a.apply(u, y);
  const double eps = std::numeric_limits<T>::epsilon();
  for (index i = 0; i < m.rows; ++i) {
    double sum = 0, size = 0;
    for (index e = m.row_ptr[std::size_t(i)]; e < m.row_ptr[std::size_t(i) + 1]; ++e) {
      const double term =
          double(m.val[std::size_t(e)]) * double(u[std::size_t(m.col[std::size_t(e)])]);
      sum += term;
      size += std::abs(double(m.val[std::size_t(e)]));
    }
    ASSERT_NEAR(double(y[std::size_t(i)]), sum, 8 * eps * size) << i;
  }
  // Bits do not depend on threads.
  std::vector<T> again(a.rows());
  grid_operator<T> b(device::cpu(2), p.d);
  b.apply(u, again);
  EXPECT_EQ(y, again);
}

TEST(GridOperator, IsItsMatrixInEveryElement) {
  for (unsigned seed = 1; seed <= 150; ++seed) expect_matrix<double>(seed);
  for (unsigned seed = 201; seed <= 250; ++seed) expect_matrix<float>(seed);
}

TEST(GridOperator, IsSymmetricAndDefiniteOrSingularAsItSays) {
  int singular = 0;
  for (unsigned seed = 1; seed <= 150; ++seed) {
    grid_problem<double> p;
    random_grid_problem(seed, 10, 10, p);
    if (seed % 5 == 0) {  // all of them would rarely be singular
      p.d.s = 0, p.d.s_cells = {};
      for (auto& axis : p.d.boundary.sides)
        for (auto& side : axis)
          if (side.kind != boundary_kind::periodic) side = {.kind = boundary_kind::neumann};
      if (p.d.centring == grid_centring::vertex)
        for (int& c : p.d.cells)
          if (c == 1) p.d.centring = grid_centring::cell;
    }
    SCOPED_TRACE(p.says);
    grid_operator<double> a(device::cpu(1), p.d);
    const csr<double> m = a.to_matrix();
    Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(m.rows, m.cols);
    for (index i = 0; i < m.rows; ++i)
      for (index e = m.row_ptr[std::size_t(i)]; e < m.row_ptr[std::size_t(i) + 1]; ++e)
        dense(i, m.col[std::size_t(e)]) = m.val[std::size_t(e)];
    EXPECT_EQ(dense, dense.transpose());
    const Eigen::VectorXd values =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(dense).eigenvalues();
    const double least = values(0), most = values(m.rows - 1);
    if (a.singular()) {
      ++singular;
      EXPECT_NEAR(least, 0, 1e-12 * most);
      if (m.rows > 1) {
        EXPECT_GT(values(1), 1e-9 * most);
      }
      std::vector<double> ones(a.rows(), 1.0), y(a.rows());
      a.apply(ones, y);
      for (const double v : y) EXPECT_EQ(v, 0.0);
    } else {
      EXPECT_GT(least, 1e-9 * most);
    }
  }
  EXPECT_GT(singular, 10);
}

/// The largest error of u = u(x), for the problem on the unit interval, square or cube that has it.
struct manufactured {
  grid_centring centring;
  std::vector<boundary_kind> low, high;  ///< per axis, slowest first
};

double error_of(const manufactured& c, int n) {
  const double pi = std::acos(-1.0);
  const int dims = int(c.low.size());
  grid_description<double> d;
  d.centring = c.centring;
  const double alpha = 1.5;
  // u = product of sin(2 pi x + 0.3) (+ 2 in all); k = exp(product of 0.5 cos(2 pi x)).
  const auto wave = [&](double x) { return std::sin(2 * pi * x + 0.3); };
  std::vector<double> first(std::size_t(dims), 0.0);
  for (int a = 0; a < dims; ++a) {
    const auto axis = std::size_t(a);
    const bool low = c.low[axis] == boundary_kind::dirichlet,
               high = c.high[axis] == boundary_kind::dirichlet;
    const bool periodic = c.low[axis] == boundary_kind::periodic;
    const double h = 1.0 / n;
    d.cells.push_back(c.centring == grid_centring::cell || periodic ? n : n + 1 - low - high);
    d.spacing.push_back(h);
    first[axis] = c.centring == grid_centring::cell ? h / 2 : low ? h : 0;
  }
  const std::size_t all = [&] {
    std::size_t m = 1;
    for (const int e : d.cells) m *= std::size_t(e);
    return m;
  }();
  const auto u_of = [&](const std::vector<double>& x) {
    double v = 1;
    for (const double e : x) v *= wave(e);
    return 2 + v;
  };
  const auto k_of = [&](const std::vector<double>& x) {
    double v = 0.5;
    for (const double e : x) v *= std::cos(2 * pi * e);
    return std::exp(v);
  };
  const auto du = [&](const std::vector<double>& x, std::size_t axis) {
    double v = 1;
    for (std::size_t a = 0; a < x.size(); ++a)
      v *= a == axis ? 2 * pi * std::cos(2 * pi * x[a] + 0.3) : wave(x[a]);
    return v;
  };
  const auto at = [&](std::size_t cell) {
    std::vector<double> x(std::size_t(dims), 0.0);
    for (std::size_t a = std::size_t(dims); a-- > 0;) {
      x[a] = first[a] + d.spacing[a] * double(cell % std::size_t(d.cells[a]));
      cell /= std::size_t(d.cells[a]);
    }
    return x;
  };
  std::vector<double> k(all), s(all), f(all), b(all), u(all);
  for (std::size_t i = 0; i < all; ++i) {
    const std::vector<double> x = at(i);
    k[i] = k_of(x);
    s[i] = 1 + x[0];
    double laplace = 0, mixed = 0;  // div(k grad u) = k (lap u + grad log k . grad u)
    for (std::size_t a = 0; a < x.size(); ++a) {
      laplace += -4 * pi * pi * (u_of(x) - 2);
      double slope = -0.5 * 2 * pi * std::sin(2 * pi * x[a]);
      for (std::size_t o = 0; o < x.size(); ++o)
        if (o != a) slope *= std::cos(2 * pi * x[o]);
      mixed += slope * du(x, a);
    }
    f[i] = -k[i] * (laplace + mixed) + s[i] * u_of(x);
  }
  d.k_cells = k;
  d.s_cells = s;
  for (std::size_t a = 0; a < std::size_t(dims); ++a)
    for (std::size_t high = 0; high < 2; ++high) {
      grid_side& side = d.boundary.sides[a][high];
      side.kind = (high ? c.high : c.low)[a];
      if (side.kind == boundary_kind::periodic) continue;
      side.alpha = side.kind == boundary_kind::robin ? alpha : 0;
      const std::size_t inner = [&] {
        std::size_t m = 1;
        for (std::size_t o = a + 1; o < std::size_t(dims); ++o) m *= std::size_t(d.cells[o]);
        return m;
      }();
      for (std::size_t i = 0; i < all / std::size_t(d.cells[a]); ++i) {
        std::vector<double> x = at(i / inner * inner * std::size_t(d.cells[a]) + i % inner);
        x[a] = double(high);
        const double flux = k_of(x) * du(x, a) * (high ? 1 : -1);
        side.values.push_back(side.kind == boundary_kind::dirichlet ? u_of(x)
                                                                    : side.alpha * u_of(x) + flux);
      }
    }
  grid_operator<double> op(device::cpu(1), d);
  op.rhs(f, b);
  solve_options o = test::plain_options();
  o.rtol = 1e-11;
  const csr<double> m = op.to_matrix();
  const solve_report r = solve(device::cpu(1), m.view(), b, u, o);
  EXPECT_EQ(r.stopped, stop_reason::converged);
  double worst = 0;
  for (std::size_t i = 0; i < all; ++i) worst = std::max(worst, std::abs(u[i] - u_of(at(i))));
  return worst;
}

TEST(GridOperator, ConvergesWithSecondOrder) {
  using enum boundary_kind;
  for (const auto centring : {grid_centring::cell, grid_centring::vertex}) {
    for (const auto low : {dirichlet, neumann, robin, periodic})
      for (const auto high : {dirichlet, neumann, robin}) {
        const manufactured one{centring, {low}, {low == periodic ? periodic : high}};
        EXPECT_GT(std::log2(error_of(one, 32) / error_of(one, 64)), 1.7)
            << int(centring) << int(low) << int(high);
        const manufactured two{
            centring,
            {low, high},
            {low == periodic ? periodic : high, low == periodic ? neumann : low}};
        EXPECT_GT(std::log2(error_of(two, 20) / error_of(two, 40)), 1.7)
            << int(centring) << int(low) << int(high);
      }
    const manufactured three{
        centring, {robin, periodic, dirichlet}, {dirichlet, periodic, neumann}};
    EXPECT_GT(std::log2(error_of(three, 12) / error_of(three, 24)), 1.7) << int(centring);
  }
}

/// Two cells with coefficients and a spacing of any magnitude between walls without flux: the
/// conductance of their face, or why there is none.
template <class T>
void expect_any_scale(unsigned seed) {
  std::mt19937 random(seed);
  const auto power = [&](int low, int high) {
    return std::ldexp(1 + double(random() % 8) / 8, low + int(random() % unsigned(high - low + 1)));
  };
  const int far = sizeof(T) == 8 ? 1074 : 149, most = sizeof(T) == 8 ? 1022 : 126;
  grid_description<T> d;
  d.cells = {2};
  d.spacing = {power(-500, 500)};
  if (random() % 2) d.spacing = {power(-1000, 1000)};
  if (random() % 4 == 0) d.spacing = {1};
  d.mean = random() % 2 ? face_mean::harmonic : face_mean::arithmetic;
  const T a = T(power(-far + 1, most)), b = random() % 2 ? a : T(power(-far + 1, most));
  const std::vector<T> of_cells{a, b};
  d.k_cells = of_cells;
  for (auto& side : d.boundary.sides[0]) side.kind = boundary_kind::neumann;
  const auto wide = [](auto v) { return static_cast<long double>(v); };
  const long double k =
      d.mean == face_mean::harmonic ? 2 / (1 / wide(a) + 1 / wide(b)) : (wide(a) + wide(b)) / 2;
  const long double expected = k / wide(d.spacing[0]) / wide(d.spacing[0]);
  const auto least = wide(std::numeric_limits<T>::denorm_min());
  SCOPED_TRACE(::testing::Message() << seed << ": k " << a << ", " << b << ", spacing "
                                    << d.spacing[0] << ", conductance " << expected);
  std::string said = "accepted";
  try {
    const csr<T> m = grid_operator<T>(device::cpu(1), d).to_matrix();
    const long double found = -wide(m.val[1]);
    EXPECT_LE(std::abs(found - expected),
              4 * wide(std::numeric_limits<T>::epsilon()) * expected + 2 * least);
  } catch (const input_error& e) {
    said = e.what();
  }
  if (expected < least / 4) {
    EXPECT_EQ(said, "grid: k over spacing squared is too small for the precision");
  } else if (expected > 2 * wide(std::numeric_limits<T>::max())) {
    EXPECT_EQ(said, "grid: k over spacing squared is too large for the precision");
  } else if (expected > 2 * least && expected < wide(std::numeric_limits<T>::max()) / 2) {
    EXPECT_EQ(said, "accepted");
  }
}

TEST(GridOperator, TakesAnyScaleThatItsPrecisionHas) {
  for (unsigned seed = 1; seed <= 2000; ++seed) {
    expect_any_scale<double>(seed);
    expect_any_scale<float>(seed);
  }
}

TEST(GridOperator, RefusesInOneLine) {
  const std::vector<double> bad{1, -1}, two{1, 1}, nan{1, std::nan("")};
  const auto refuses = [](const std::function<void(grid_description<double>&)>& change) {
    grid_description<double> d{.cells = {2}};
    change(d);
    try {
      grid_operator<double> a(device::cpu(1), d);
      FAIL() << "not refused";
    } catch (const input_error& e) {
      EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
    }
  };
  refuses([](auto& d) { d.cells = {}; });
  refuses([](auto& d) { d.cells = {2, 2, 2, 2}; });
  refuses([](auto& d) { d.cells = {0}; });
  refuses([](auto& d) { d.cells = {1 << 30, 1 << 30}; });
  refuses([](auto& d) { d.spacing = {0}; });
  refuses([](auto& d) { d.spacing = {1, 1}; });
  refuses([](auto& d) { d.k = 0; });
  refuses([](auto& d) { d.s = std::nan(""); });
  refuses([](auto& d) { d.k_axes[0] = -1; });
  refuses([&](auto& d) { d.k_cells = bad; });
  refuses([&](auto& d) { d.k_cells = nan; });
  refuses([&](auto& d) { d.s_cells = nan; });
  refuses([&](auto& d) { d.cells = {3}, d.k_cells = two; });
  refuses([&](auto& d) { d.k_faces[0] = two; });
  refuses([](auto& d) { d.boundary.sides[0][0].kind = boundary_kind::periodic; });
  refuses([](auto& d) { d.boundary.sides[0][1] = {boundary_kind::robin, 0, -1}; });
  refuses([](auto& d) { d.boundary.sides[0][1].value = INFINITY; });
  refuses([](auto& d) { d.boundary.sides[0][1].values = {1, 2}; });
  refuses([](auto& d) {
    d.centring = grid_centring::vertex;
    d.cells = {1};
    d.boundary = grid_boundary::all({.kind = boundary_kind::neumann});
  });
  try {
    grid_operator<float>(device::cpu(1), {.cells = {2}, .s = 1e300});
    FAIL() << "not refused";
  } catch (const input_error& e) {
    EXPECT_STREQ(e.what(),
                 "grid: s: expected a number that is finite in the precision, found 1e+300");
  }
  grid_operator<double> a(device::cpu(1), {.cells = {2}});
  std::vector<double> u(2), y(3);
  EXPECT_THROW(a.apply(u, y), input_error);
  EXPECT_THROW(a.apply(u, u), input_error);
  EXPECT_THROW(a.rhs(y, u), input_error);
}

}  // namespace
}  // namespace dwell
