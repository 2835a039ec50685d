// SPDX-License-Identifier: MIT
// Incomplete factors: on a CPU those of the textbook, in the order of the rows or of colours; with
// enough sweeps the same; with few the sweeps written with dense matrices; fewer steps of two plain
// methods; factors that fail. Linked again into the tests of a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "cg_runner.hpp"
#include "dwell/base/error.hpp"
#include "place.hpp"
#include "played_sequence.hpp"
#include "sequence_matrices.hpp"

namespace dwell::test {
namespace {

/// A in units of its diagonal, S A S'.
struct scaled_matrix {
  explicit scaled_matrix(const csr<double>& m) : a(dense_of(m)) {
    after = a.diagonal().cwiseAbs().cwiseSqrt().cwiseInverse();
    before = after.cwiseProduct(a.diagonal().cwiseSign());
    pattern = (a.array() != 0.0).cast<double>();
    a = before.asDiagonal() * a * after.asDiagonal();
  }
  dense_matrix a, pattern;
  dense_vector before, after;
};

/// Gaussian elimination row by row on the pattern (Saad 2003, algorithm 10.4).
dense_matrix textbook_factors(const scaled_matrix& s) {
  dense_matrix f = s.a;
  const auto n = f.rows();
  for (Eigen::Index i = 1; i < n; ++i)
    for (Eigen::Index k = 0; k < i; ++k) {
      if (s.pattern(i, k) == 0.0) continue;
      f(i, k) /= f(k, k);
      for (Eigen::Index j = k + 1; j < n; ++j)
        if (s.pattern(i, j) != 0.0) f(i, j) -= f(i, k) * f(k, j);
    }
  return f;
}
/// Sweeps over all elements, from the values before.
dense_matrix swept_factors(const scaled_matrix& s, int sweeps) {
  dense_matrix f = s.a;
  for (int k = 0; k < sweeps; ++k) {
    const dense_matrix lower = f.triangularView<Eigen::StrictlyLower>(),
                       upper = f.triangularView<Eigen::Upper>();
    for (Eigen::Index i = 0; i < f.rows(); ++i)
      for (Eigen::Index j = 0; j < f.rows(); ++j) {
        if (s.pattern(i, j) == 0.0) continue;
        const auto top = std::min(i, j);
        const double sum = s.a(i, j) - lower.row(i).head(top).dot(upper.col(j).head(top));
        f(i, j) = i > j ? sum / upper(j, j) : sum;
      }
  }
  return f;
}
/// M with so many sweeps of Jacobi per factor; none: by substitution.
dense_matrix applied(const scaled_matrix& s, const dense_matrix& f, int sweeps) {
  const auto n = f.rows();
  const dense_matrix one = dense_matrix::Identity(n, n);
  const dense_matrix lower = f.triangularView<Eigen::UnitLower>(),
                     upper = f.triangularView<Eigen::Upper>();
  const dense_matrix unit_upper = f.diagonal().cwiseInverse().asDiagonal() * upper;
  dense_matrix y = s.before.asDiagonal();
  const dense_matrix start = y;
  if (sweeps == 0) {
    y = f.triangularView<Eigen::UnitLower>().solve(start);
    y = f.triangularView<Eigen::Upper>().solve(y);
    return s.after.asDiagonal() * y;
  }
  for (int k = 0; k < sweeps; ++k) y = start + (one - lower) * y;
  dense_matrix x = f.diagonal().cwiseInverse().asDiagonal() * y;
  const dense_matrix middle = x;
  for (int k = 0; k < sweeps; ++k) x = middle + (one - unit_upper) * x;
  return s.after.asDiagonal() * x;
}
/// Random couplings, `far` apart at most, one way and the other with values of their own, and where
/// `one_way` some of them one way only. The diagonal, of either sign, outweighs them.
csr<double> random_unsymmetric(index n, index far, bool one_way, std::mt19937& random) {
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  dense_matrix d = dense_matrix::Zero(n, n);
  for (index i = 0; i < n; ++i)
    for (int k = 0; k < 3; ++k) {
      const index j = i + 1 + static_cast<index>(random() % static_cast<unsigned>(far));
      if (j >= n) continue;
      if (!one_way || random() % 3 != 0) d(i, j) = value(random);
      if (!one_way || random() % 3 != 0) d(j, i) = value(random);
    }
  for (index i = 0; i < n; ++i)
    d(i, i) = (random() % 2 ? 1.1 : -1.1) * (0.2 + d.row(i).cwiseAbs().sum());
  csr<double> a;
  a.rows = a.cols = n;
  a.row_ptr = {0};
  for (index i = 0; i < n; ++i) {
    for (index j = 0; j < n; ++j)
      if (d(i, j) != 0.0) a.col.push_back(j), a.val.push_back(d(i, j));
    a.row_ptr.push_back(static_cast<index>(a.col.size()));
  }
  return a;
}
/// M by factors of the rows in another order, old row order[k] as number k.
dense_matrix applied_in_order(const csr<double>& a, const std::vector<index>& order) {
  const scaled_matrix natural(a);
  scaled_matrix s = natural;
  for (Eigen::Index i = 0; i < s.a.rows(); ++i) {
    const index from = order[static_cast<std::size_t>(i)];
    s.before[i] = natural.before[from];
    s.after[i] = natural.after[from];
    for (Eigen::Index j = 0; j < s.a.cols(); ++j) {
      s.a(i, j) = natural.a(from, order[static_cast<std::size_t>(j)]);
      s.pattern(i, j) = natural.pattern(from, order[static_cast<std::size_t>(j)]);
    }
  }
  const dense_matrix m = applied(s, textbook_factors(s), 0);
  dense_matrix out(m.rows(), m.cols());
  for (Eigen::Index i = 0; i < m.rows(); ++i)
    for (Eigen::Index j = 0; j < m.cols(); ++j)
      out(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(j)]) = m(i, j);
  return out;
}
/// Rows by colour, each row with the least that none coupled with it has before it.
std::vector<index> by_colours(const csr<double>& a) {
  const dense_matrix d = dense_of(a);
  std::vector<index> colour, order;
  for (index i = 0; i < a.rows; ++i) {
    index c = 0;
    for (index j = 0; j < i; ++j)
      if ((d(i, j) != 0.0 || d(j, i) != 0.0) && colour[static_cast<std::size_t>(j)] == c)
        ++c, j = -1;
    colour.push_back(c);
  }
  for (index c = 0; c < a.rows; ++c)
    for (index i = 0; i < a.rows; ++i)
      if (colour[static_cast<std::size_t>(i)] == c) order.push_back(i);
  return order;
}
/// Up to a power of two.
void expect_near(const dense_matrix& m, const dense_matrix& expected, double tolerance) {
  const double unit = std::exp2(std::round(std::log2(m.norm() / expected.norm())));
  EXPECT_LT((m / unit - expected).norm(), tolerance * expected.norm());
}
std::vector<named_matrix> general_matrices() {
  std::vector<named_matrix> all = {{"convection", generate("convection2d:13x9:30")},
                                   {"grid", generate("poisson2d:11x7")},
                                   {"helmholtz", generate("helmholtz2d:9x8:0.5")}};
  csr<double> signs = random_graph(70, 1, 3);  // rows of either sign, upper values changed
  for (index i = 0; i < signs.rows; ++i)
    for (index k = signs.row_ptr[static_cast<std::size_t>(i)];
         k < signs.row_ptr[static_cast<std::size_t>(i) + 1]; ++k) {
      double& v = signs.val[static_cast<std::size_t>(k)];
      if (signs.col[static_cast<std::size_t>(k)] > i) v *= 0.25;
      if (i % 3 == 0) v = -v;
    }
  all.push_back({"signs", signs});
  return all;
}

class ilu0 : public testing::Test {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }
};

TEST_F(ilu0, is_exact_on_a_cpu) {
  if (place::on() != backend::cpu) GTEST_SKIP() << "sweeps on a GPU";
  std::vector<named_matrix> all = general_matrices();
  all.push_back(
      {"many levels", generate(sanitized ? "convection2d:17x15:50" : "convection2d:31x29:50")});
  all.push_back({"a chain", generate("convection2d:128x1:9")});
  all.push_back({"a full matrix", generate("trefethen:100")});
  std::mt19937 random(7);
  for (int k = 0; k < rounds(16); ++k) {
    const index n = 1 + static_cast<index>(random() % 128);
    all.push_back({"random " + std::to_string(k),
                   random_unsymmetric(n, 1 + static_cast<index>(random() % 40), false, random)});
  }
  for (const auto& [name, matrix] : all) {
    SCOPED_TRACE(name);
    const scaled_matrix s(matrix);
    const played_sequence made(place::where(), matrix, preconditioner::ilu0);
    expect_near(made.dense(), applied(s, textbook_factors(s), 0), 1e-5);
  }
}

// Where each level has few rows.
TEST_F(ilu0, goes_by_colours_on_a_cpu) {
  if (place::on() != backend::cpu) GTEST_SKIP() << "sweeps on a GPU";
  std::mt19937 random(11);
  std::vector<named_matrix> all = {{"a chain", generate("convection2d:211x1:9")}};
  for (int k = 0; k < rounds(4); ++k)
    all.push_back(
        {"random " + std::to_string(k),
         random_unsymmetric(250 + static_cast<index>(random() % 150), 1 + k, k % 2 == 1, random)});
  for (const auto& [name, matrix] : all) {
    SCOPED_TRACE(name);
    const played_sequence made(place::where(), matrix, preconditioner::ilu0);
    EXPECT_LT(made.phases(), 60) << "by levels";
    expect_near(made.dense(), applied_in_order(matrix, by_colours(matrix)), 1e-5);
  }
}

// Patterns that are not symmetric: elimination takes the places that are there.
TEST_F(ilu0, takes_couplings_of_one_direction) {
  if (place::on() != backend::cpu) GTEST_SKIP() << "sweeps on a GPU";
  std::mt19937 random(13);
  for (int k = 0; k < rounds(12); ++k) {
    SCOPED_TRACE(k);
    const csr<double> matrix =
        random_unsymmetric(1 + static_cast<index>(random() % 120), 30, true, random);
    const scaled_matrix s(matrix);
    const played_sequence made(place::where(), matrix, preconditioner::ilu0);
    expect_near(made.dense(), applied(s, textbook_factors(s), 0), 1e-5);
  }
}

TEST_F(ilu0, solves_by_levels_under_every_executor) {
  if (place::on() != backend::cpu) GTEST_SKIP() << "sweeps on a GPU";
  linear_system<double> system;
  system.a = generate("convection2d:61x47:40");  // 107 levels
  for (index i = 0; i < system.a.rows; ++i) system.b.push_back(std::sin(1.0 + 0.37 * i));
  for (const char* method : {"bicgstab", "gmres"})
    for (const int teams : {1, 2, 5}) {
      std::vector<std::vector<double>> plain;
      for (const std::string& executor : place::executors()) {
        SCOPED_TRACE(testing::Message() << method << ", " << teams << ", " << executor);
        solve_options o;
        o.method = method;
        o.preconditioner = preconditioner::ilu0;
        o.executor = executor;
        o.teams = teams;
        o.rtol = 1e-10;
        const auto got = run(system, o);
        EXPECT_EQ(got.report.stopped, stop_reason::converged);
        EXPECT_LE(residual_norm(system.a.view(), std::span<const double>(system.b),
                                std::span<const double>(got.x)),
                  3e-10 * norm2(system.b));
        if (place::family(executor) == "plain") plain.push_back(got.x);
      }
      for (const auto& x : plain) EXPECT_TRUE(same_bits(x, plain.front()));
    }
}

TEST_F(ilu0, refuses_factors_whose_inverse_grows) {
  if (place::on() != backend::cpu) GTEST_SKIP() << "sweeps on a GPU";
  csr<double> a;  // y_i = 1 + 4 y_i-1
  a.rows = a.cols = 30;
  a.row_ptr = {0};
  for (index i = 0; i < 30; ++i) {
    if (i > 0) a.col.push_back(i - 1), a.val.push_back(-4.0);
    a.col.push_back(i), a.val.push_back(1.0);
    a.row_ptr.push_back(static_cast<index>(a.col.size()));
  }
  try {
    played_sequence(place::where(), a, preconditioner::ilu0);
    ADD_FAILURE() << "it was taken";
  } catch (const input_error& e) {
    EXPECT_NE(std::string(e.what()).find("found an element of size 4e+17"), std::string::npos)
        << e.what();
  }
}

TEST_F(ilu0, has_the_factors_of_the_textbook_after_enough_sweeps) {
  for (const auto& [name, matrix] : general_matrices()) {
    SCOPED_TRACE(name);
    const scaled_matrix s(matrix);
    const dense_matrix f = textbook_factors(s);
    const played_sequence made(place::where(), matrix, preconditioner::ilu0,
                               {.factor_sweeps = 100, .sweeps = 16});
    EXPECT_EQ(made.phases(), 32);
    expect_near(made.dense(), applied(s, f, 16), 1e-5);
    // N_L, the matrix of the second sweep, is there as it is.
    const dense_matrix lower = f.triangularView<Eigen::StrictlyLower>();
    EXPECT_LT((made.matrix(2) + lower).norm(), 1e-6 * lower.norm());
  }
}

TEST_F(ilu0, is_exact_where_the_sweeps_reach_all_rows) {
  const csr<double> matrix = generate("poisson2d:9x7");  // 15 levels
  const scaled_matrix s(matrix);
  const played_sequence made(place::where(), matrix, preconditioner::ilu0,
                             {.factor_sweeps = 60, .sweeps = 16});
  expect_near(made.dense(), applied(s, textbook_factors(s), 0), 1e-5);
}

TEST_F(ilu0, sweeps_as_often_as_asked) {
  for (const auto& [name, matrix] : general_matrices())
    for (const int factor_sweeps : {1, 2, 5})
      for (const int sweeps : {1, 2, 3, 4}) {
        SCOPED_TRACE(testing::Message() << name << ", " << factor_sweeps << ", " << sweeps);
        const scaled_matrix s(matrix);
        const played_sequence made(place::where(), matrix, preconditioner::ilu0,
                                   {.factor_sweeps = factor_sweeps, .sweeps = sweeps});
        EXPECT_EQ(made.phases(), 2 * sweeps);
        expect_near(made.dense(), applied(s, swept_factors(s, factor_sweeps), sweeps), 1e-5);
      }
}

/// Steps of BiCGSTAB (van der Vorst 1992) preconditioned from the right until |r| <= 1e-8 |b|.
template <class M>
int bicgstab_steps(const csr<double>& a, M&& m) {
  const auto times = [&](const dense_vector& v) {
    dense_vector out = dense_vector::Zero(a.rows);
    for (index i = 0; i < a.rows; ++i)
      for (index k = a.row_ptr[static_cast<std::size_t>(i)];
           k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
        out[i] += a.val[static_cast<std::size_t>(k)] * v[a.col[static_cast<std::size_t>(k)]];
    return out;
  };
  dense_vector r = dense_vector::Ones(a.rows);
  const dense_vector shadow = r;
  const double target = 1e-8 * r.norm();
  dense_vector p = dense_vector::Zero(a.rows), v = p;
  double rho = 1, alpha = 1, omega = 1;
  for (int k = 1; k < 2000; ++k) {
    const double rho_before = rho;
    rho = shadow.dot(r);
    p = r + rho / rho_before * (alpha / omega) * (p - omega * v);
    v = times(m(p));
    alpha = rho / shadow.dot(v);
    const dense_vector s = r - alpha * v, t = times(m(s));
    omega = t.dot(s) / t.dot(t);
    r = s - omega * t;
    if (r.norm() <= target) return k;
  }
  return 2000;
}

TEST_F(ilu0, spares_steps_of_bicgstab) {
  for (const char* kind :
       {"convection2d:60x50:10", "convection2d:60x50:60", "convection2d:60x50:300"}) {
    SCOPED_TRACE(kind);
    const csr<double> a = generate(kind);
    const dense_vector inverse = [&] {
      dense_vector d(a.rows);
      for (index i = 0; i < a.rows; ++i)
        for (index k = a.row_ptr[static_cast<std::size_t>(i)];
             k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
          if (a.col[static_cast<std::size_t>(k)] == i)
            d[i] = 1 / a.val[static_cast<std::size_t>(k)];
      return d;
    }();
    const int jacobi =
        bicgstab_steps(a, [&](const dense_vector& v) { return inverse.cwiseProduct(v).eval(); });
    const played_sequence made(place::where(), a, preconditioner::ilu0);
    const int steps = bicgstab_steps(a, made);
    RecordProperty(kind, steps);
    EXPECT_LT(steps, 0.6 * jacobi) << jacobi;
  }
}

TEST_F(ilu0, refuses_factors_that_fail) {
  symmetric m(6);
  for (index i = 0; i < 6; ++i) m.add(i, i, 2.0);
  m.add(4, 1, 2.0);  // the pivot of row 5 is 2 - 2 2 / 2 = 0
  try {
    played_sequence(place::where(), m.as_is(), preconditioner::ilu0);
    ADD_FAILURE() << "it was taken";
  } catch (const input_error& e) {
    EXPECT_NE(std::string(e.what()).find("found pivot 0 in row 5 (counted from 1"),
              std::string::npos)
        << e.what();
  }
}

}  // namespace
}  // namespace dwell::test
