// SPDX-License-Identifier: MIT
// Levels of multigrid that Gauss-Seidel smooths by colours: the sequence beside a V-cycle whose
// sweeps go row by row, written with dense matrices; symmetry and definiteness; bits of any number
// of threads and of other values; iterations beside Jacobi's; what is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "amg_hierarchy.hpp"
#include "battery.hpp"
#include "cg_runner.hpp"
#include "dwell/base/error.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/linear/explain.hpp"
#include "dwell/linear/linear_solver.hpp"
#include "dwell/solvers/preconditioners/list.hpp"
#include "plain_options.hpp"
#include "played_sequence.hpp"
#include "refusal.hpp"
#include "symmetric.hpp"

namespace dwell::test {
namespace {

class amg_coloured : public testing::Test {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }
};

/// A grid with couplings from 1e-2 to 1, and some between rows anywhere, in a random order.
csr<double> uneven_mesh(index x, index y, std::uint64_t seed) {
  splitmix64 random(seed);
  symmetric m(x * y);
  const auto couple = [&](index i, index j) {
    if (!m.has(i, j)) m.add(i, j, -std::pow(10.0, random.uniform() - 1.0));
  };
  for (index j = 0; j < y; ++j)
    for (index i = 0; i < x; ++i) {
      if (i + 1 < x) couple(j * x + i, j * x + i + 1);
      if (j + 1 < y) couple(j * x + i, (j + 1) * x + i);
      if (random.below(9) == 0)
        if (const index other = random.below(x * y); other != j * x + i) couple(j * x + i, other);
    }
  const csr<double> a = m.dominant([](index i) { return i % 5 == 0 ? 0.05 : 1e-3; });
  return renumber(a.view(), renumbering(a.rows, seed));
}

amg_options coloured_from(index rows, index coarsest = 12) {
  amg_options o{coarsest};
  o.coloured_rows = rows;
  return o;
}

/// Rows in the order in which a sweep takes them: the first colour that no coupled row with a
/// smaller number has, then the number.
std::vector<index> order_of_sweep(const dense_matrix& pattern) {
  const index n = static_cast<index>(pattern.rows());
  std::vector<int> colour(static_cast<std::size_t>(n), -1);
  for (index i = 0; i < n; ++i) {
    std::vector<bool> taken(static_cast<std::size_t>(n) + 1, false);
    for (index j = 0; j < i; ++j)
      if (pattern(i, j) != 0.0)
        taken[static_cast<std::size_t>(colour[static_cast<std::size_t>(j)])] = true;
    colour[static_cast<std::size_t>(i)] =
        static_cast<int>(std::find(taken.begin(), taken.end(), false) - taken.begin());
  }
  std::vector<index> order(static_cast<std::size_t>(n));
  for (index i = 0; i < n; ++i) order[static_cast<std::size_t>(i)] = i;
  std::stable_sort(order.begin(), order.end(), [&](index i, index j) {
    return colour[static_cast<std::size_t>(i)] < colour[static_cast<std::size_t>(j)];
  });
  return order;
}

/// Levels as a textbook has them. Without an order a level has damped Jacobi.
struct textbook {
  std::vector<dense_matrix> a, p;
  std::vector<std::vector<index>> order;
  std::vector<double> omega;
  dense_matrix inverse;

  void sweep(std::size_t l, const dense_vector& b, dense_vector& x, bool backwards) const {
    if (order[l].empty()) {
      x += omega[l] * (b - a[l] * x).cwiseQuotient(a[l].diagonal());
      return;
    }
    std::vector<index> rows = order[l];
    if (backwards) std::reverse(rows.begin(), rows.end());
    for (const index i : rows) x[i] += (b[i] - a[l].row(i).dot(x)) / a[l](i, i);
  }
  dense_vector cycle(const dense_vector& b, std::size_t l = 0) const {
    if (l == p.size() && inverse.size() > 0) return inverse * b;
    dense_vector x = dense_vector::Zero(b.size());
    sweep(l, b, x, false);
    if (l < p.size()) x += p[l] * cycle(p[l].transpose() * (b - a[l] * x), l + 1);
    sweep(l, b, x, true);
    return x;
  }
};

/// From a hierarchy with Jacobi alone, whose matrices hold P; levels of `coloured_rows` rows and
/// more have orders.
textbook textbook_of(const csr<double>& matrix, index coloured_rows, double unit) {
  const set_up plain(device::cpu(1), matrix, coloured_from(0));
  const std::vector<dense_matrix> m = matrices_of(plain);
  const std::size_t levels = plain.made.levels.size();
  textbook t;
  t.a = {dense_of(matrix)};
  for (std::size_t l = 0; l + 1 < levels; ++l) {
    const dense_matrix here = t.a[l];
    EXPECT_EQ((m[2 * l].array() != 0.0).count(), plain.made.levels[l].nonzeros);  // the pattern
    t.omega.push_back(plain.made.levels[l].omega);
    t.order.push_back(here.rows() >= coloured_rows ? order_of_sweep(m[2 * l])
                                                   : std::vector<index>());
    const dense_matrix sweep =
        dense_matrix::Identity(here.rows(), here.rows()) -
        t.omega[l] * dense_matrix(here.diagonal().cwiseInverse().asDiagonal()) * here;
    t.p.push_back(solve_by_full_pivoting(sweep, m[2 * (levels - 1) + (levels - 1 - l)]));
    t.a.push_back(t.p[l].transpose() * here * t.p[l]);
  }
  t.inverse = m[2 * (levels - 1)] / unit;
  return t;
}

double unit_of(const csr<double>& a) {
  return std::ldexp(1.0, std::ilogb(dense_of(a).diagonal().maxCoeff()));
}

TEST_F(amg_coloured, is_the_v_cycle_of_a_textbook) {
  const index of = sanitized ? 2 : 1;  // the judges are dense
  for (std::uint64_t seed = 1; seed <= (races_only ? 1u : 6u); ++seed) {
    splitmix64 random(seed);
    const csr<double> a = uneven_mesh(8 + random.below(12 / of), 6 + random.below(10 / of), seed);
    const double unit = unit_of(a);
    for (const index coloured_rows : {index{13}, a.rows / 3, a.rows}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << a.rows << " rows, colours from "
                                      << coloured_rows << " on");
      const set_up s(device::cpu(1), a, coloured_from(coloured_rows));
      ASSERT_GE(s.made.levels.size(), 2u);
      const textbook t = textbook_of(a, coloured_rows, unit);
      ASSERT_EQ(t.a.size(), s.made.levels.size());
      for (std::size_t l = 0; l + 1 < t.a.size(); ++l)
        EXPECT_EQ(s.made.levels[l].colours > 0, !t.order[l].empty()) << l;
      const played_sequence played(s.where, a.rows, s.made.products);
      for (int k = 0; k < 3; ++k) {
        dense_vector b(a.rows);
        for (index i = 0; i < a.rows; ++i) b[i] = random.uniform();
        const dense_vector expected = unit * t.cycle(b);
        EXPECT_LT((played(b) - expected).norm(), 1e-4 * expected.norm());
      }
    }
  }
}

TEST_F(amg_coloured, is_symmetric_and_positive_definite_with_any_values) {
  for (const std::uint64_t seed : {11, 12, 13}) {
    SCOPED_TRACE(seed);
    const csr<double> a = uneven_mesh(sanitized ? 9 : 17, 11, seed);
    amg_options o = coloured_from(20);
    o.keep = true;
    const set_up s(device::cpu(1), a, o);
    const auto expect_definite = [&] {
      const dense_matrix m = [&] {
        const played_sequence played(s.where, a.rows, s.made.products);
        return played.dense();
      }();
      EXPECT_LT((m - m.transpose()).norm(), 1e-6 * m.norm());
      EXPECT_GT(symmetric_eigenvalues(0.5 * (m + m.transpose())).minCoeff(), 0.0);
    };
    expect_definite();
    csr<double> other = a;
    for (index i = 0; i < a.rows; ++i)
      for (index k = a.row_ptr[static_cast<std::size_t>(i)];
           k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
        if (const index j = a.col[static_cast<std::size_t>(k)]; j != i && (i + j) % 3 == 0)
          other.val[static_cast<std::size_t>(k)] *= 0.01;
    const csr_arrays<double> there{a.rows,           a.cols,       a.nonzeros(),
                                   a.row_ptr.data(), a.col.data(), other.val.data()};
    s.made.refresh(&there);
    expect_definite();
  }
}

// Without a level below, as where coarsening ends early, there are the two sweeps.
TEST_F(amg_coloured, the_last_level_has_both_sweeps) {
  symmetric m(150);  // nothing is coupled strongly enough to be aggregated: a star
  for (index i = 1; i < 150; ++i) m.add(0, i, 0.1);
  const csr<double> a = m.dominant([](index) { return 1.0; });
  const set_up s(device::cpu(1), a, coloured_from(100));
  ASSERT_EQ(s.made.levels.size(), 1u);
  EXPECT_EQ(s.made.levels[0].colours, 2);
  EXPECT_NE(s.made.note().find("ended early"), std::string::npos);
  const double unit = unit_of(a);
  textbook t;
  t.a = {dense_of(a)};
  t.order = {order_of_sweep(t.a[0])};
  const played_sequence played(s.where, a.rows, s.made.products);
  dense_vector b(a.rows);
  for (index i = 0; i < a.rows; ++i) b[i] = std::cos(1.0 + i);
  const dense_vector expected = unit * t.cycle(b);
  EXPECT_LT((played(b) - expected).norm(), 1e-5 * expected.norm());
}

std::vector<std::string> kinds() {
  if (races_only) return {"poisson2d:70x60"};
  return {"poisson2d:131x97",          "poisson3d:25x31x22",  "anisotropic2d:120x140:0.01",
          "anisotropic2d:140x120:100", "jumps2d:130x110:1e4", "neumann2d:90x70"};
}
amg_options usual() { return coloured_from(1000, 160); }

TEST_F(amg_coloured, has_the_bits_of_one_thread) {
  for (const std::string& kind : kinds())
    for (const bool shuffled : {false, true}) {
      SCOPED_TRACE(kind);
      csr<double> a = generate(kind);
      if (shuffled) a = renumber(a.view(), renumbering(a.rows, 3));
      const set_up several(device::cpu(4), a, usual());
      const on_one_processor there;
      const set_up one(device::cpu(1), a, usual());
      ASSERT_GT(one.made.levels[0].colours, 1);
      played_sequence(one.where, a.rows, one.made.products)
          .expect_same(played_sequence(several.where, a.rows, several.made.products));
    }
}

// A scale that is a power of four has an exact root, so that it changes no bit of the fractions.
TEST_F(amg_coloured, refreshes_values_with_the_bits_of_a_new_set_up) {
  for (const std::string& kind : kinds()) {
    SCOPED_TRACE(kind);
    const csr<double> a = generate(kind);
    csr<double> scaled = a;
    for (double& v : scaled.val) v *= 0x1p-18;
    amg_options o = usual();
    o.keep = true;
    const set_up kept(device::cpu(2), a, o), fresh(device::cpu(2), scaled, o);
    const played_sequence before(kept.where, a.rows, kept.made.products);
    const auto again = [&](const csr<double>& to) {
      const csr_arrays<double> there{to.rows,           to.cols,       to.nonzeros(),
                                     to.row_ptr.data(), to.col.data(), to.val.data()};
      kept.made.refresh(&there);
      return played_sequence(kept.where, a.rows, kept.made.products);
    };
    again(scaled).expect_same(played_sequence(fresh.where, a.rows, fresh.made.products));
    again(a).expect_same(before);
  }
}

template <class T>
solution<T> solved(const csr<double>& a, const char* smoother, double rtol,
                   const std::string& executor = "auto") {
  solve_options o = plain_options();
  o.preconditioner = preconditioner::amg;
  o.preconditioning.smoother = smoother;
  o.preconditioning.coarsening = "roots";
  o.executor = executor;
  o.rtol = rtol;
  const linear_system<T> system = system_of<T>(a);
  solution<T> got = run(system, o);
  EXPECT_EQ(got.report.stopped, stop_reason::converged);
  return got;
}

TEST_F(amg_coloured, takes_fewer_iterations_than_jacobi) {
  for (const std::string& kind : kinds())
    for (const std::uint64_t order : {0, 5}) {
      if (kind.starts_with("neumann")) continue;
      SCOPED_TRACE(testing::Message() << kind << " in order " << order);
      csr<double> a = generate(kind);
      a = renumber(a.view(), renumbering(a.rows, order));
      const int wanted = solved<double>(a, "jacobi", 1e-8).report.iterations;
      const auto got = solved<double>(a, "gauss-seidel", 1e-8);
      EXPECT_LT(got.report.iterations, wanted);
      if (order == 0) {
        EXPECT_EQ(solved<double>(a, "auto", 1e-8).x, got.x);
      }
      EXPECT_LE(solved<float>(a, "gauss-seidel", 1e-4).report.iterations, wanted);
    }
}

TEST_F(amg_coloured, has_no_colours_where_rows_take_too_many) {
  symmetric m(2000);  // 33 rows that are all coupled
  for (index i = 0; i < 33; ++i)
    for (index j = 0; j < i; ++j) m.add(i, j, -0.1);
  for (index i = 1; i < 2000; ++i) m.has(i - 1, i) ? void() : m.add(i - 1, i, -1.0);
  const csr<double> a = m.dominant([](index) { return 0.01; });
  const set_up s(device::cpu(1), a, usual()), plain(device::cpu(1), a, amg_options{});
  EXPECT_EQ(s.made.levels[0].colours, 0);
  EXPECT_GT(s.made.levels[0].omega, 0.0);
  played_sequence(s.where, a.rows, s.made.products)
      .expect_same(played_sequence(plain.where, a.rows, plain.made.products));
}

TEST_F(amg_coloured, refusals) {
  const csr<double> a = generate("poisson2d:40x30");
  const std::vector<double> b(1200, 1.0);
  std::vector<double> x(b.size(), 0.0);
  solve_options o = plain_options();
  o.preconditioner = preconditioner::amg;
  o.preconditioning.smoother = "sor";
  EXPECT_EQ(refusal<input_error>([&] { solve(device::cpu(1), a.view(), b, x, o); }),
            "smoother: expected auto, jacobi or gauss-seidel, found sor");
  o.preconditioning.smoother = "gauss-seidel";
  o.preconditioning.near_null = b;
  EXPECT_EQ(refusal<input_error>([&] { solve(device::cpu(1), a.view(), b, x, o); }),
            "smoother: expected jacobi or auto with near_null, found gauss-seidel");
}

TEST_F(amg_coloured, explained_with_its_colours) {
  const csr<double> a = generate("poisson2d:70x60");
  solve_options o = plain_options();
  o.preconditioner = preconditioner::amg;
  const auto first_level = [&] {
    return explain(a.view(), device::cpu(1).facts(), o).preconditioner_parts.at(0).name;
  };
  for (const char* smoother : {"auto", "gauss-seidel"}) {
    o.preconditioning.smoother = smoother;
    EXPECT_EQ(first_level(), "level 1, 2 colours");
  }
  o.preconditioning.smoother = "jacobi";
  EXPECT_EQ(first_level(), "level 1");
}

// A plan for a GPU is made with what a set-up there takes, wherever it is made.
TEST_F(amg_coloured, is_jacobi_on_a_gpu) {
  const auto on_a_gpu = [](const char* smoother) {
    preconditioner_options o;
    o.smoother = smoother;
    return options_on(backend::cuda, preconditioner::amg, o).smoother;
  };
  EXPECT_EQ(on_a_gpu("auto"), "jacobi");
  EXPECT_EQ(on_a_gpu("jacobi"), "jacobi");
  EXPECT_EQ(
      refusal<unsupported_error>([&] { on_a_gpu("gauss-seidel"); }),
      "smoother: expected jacobi or auto on a GPU, found gauss-seidel, which CPUs alone have");
}

}  // namespace
}  // namespace dwell::test
