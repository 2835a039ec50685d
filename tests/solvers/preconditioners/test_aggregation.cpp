// SPDX-License-Identifier: MIT
// Plain aggregation multigrid: aggregates by their definition, the cycle beside dense algebra in
// f64, iterations whatever the convection and the numbering, answers beside dense factors, and
// refusals. On a GPU: that it is refused.
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cg_runner.hpp"
#include "dense.hpp"
#include "dwell/base/error.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/solvers/preconditioners/aggregation/pairs.hpp"
#include "dwell/solvers/preconditioners/list.hpp"
#include "place.hpp"
#include "played_sequence.hpp"
#include "refusal.hpp"

namespace dwell::test {
namespace {

csr<double> compressed(const dense_matrix& d) {
  csr<double> a;
  a.rows = a.cols = static_cast<index>(d.rows());
  a.row_ptr = {0};
  for (index i = 0; i < a.rows; ++i) {
    for (index j = 0; j < a.rows; ++j)
      if (d(i, j) != 0.0) a.col.push_back(j), a.val.push_back(d(i, j));
    a.row_ptr.push_back(static_cast<index>(a.col.size()));
  }
  return a;
}
/// A row has couplings of sizes from 1e-3 to 1 with others anywhere and with those beside it, in
/// one direction or both, and is weakly dominant; some are so by much.
csr<double> random_m_matrix(index n, std::mt19937& random) {
  dense_matrix d = dense_matrix::Zero(n, n);
  const auto size = [&] {
    return -std::pow(10.0, -3.0 * static_cast<double>(random() % 1000) / 1000.0);
  };
  for (index i = 0; i < n; ++i)
    for (int k = 0; k < 3; ++k) {
      const index j = k == 0 ? (i + 1) % n : static_cast<index>(random() % unsigned(n));
      if (j == i) continue;
      d(i, j) = size();
      if (random() % 2 == 0) d(j, i) = size();
    }
  for (index i = 0; i < n; ++i) {
    const double beside = -d.row(i).sum();
    d(i, i) = beside * (random() % 20 == 0 ? 3.0 : 1.0) + (random() % 5 == 0 ? 0.05 : 1e-4);
  }
  return compressed(d);
}

csr<double> renumbered(const csr<double>& a, std::mt19937& random) {
  const auto n = static_cast<std::size_t>(a.rows);
  std::vector<index> place(n), row_at(n);
  std::iota(place.begin(), place.end(), 0);
  std::shuffle(place.begin(), place.end(), random);
  for (std::size_t i = 0; i < n; ++i) row_at[static_cast<std::size_t>(place[i])] = index(i);
  csr<double> out;
  out.rows = out.cols = a.rows;
  out.row_ptr = {0};
  for (const index i : row_at) {
    std::vector<std::pair<index, double>> row;
    for (index k = a.row_ptr[static_cast<std::size_t>(i)];
         k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      row.emplace_back(place[static_cast<std::size_t>(a.col[static_cast<std::size_t>(k)])],
                       a.val[static_cast<std::size_t>(k)]);
    std::sort(row.begin(), row.end());
    for (const auto& [column, v] : row) out.col.push_back(column), out.val.push_back(v);
    out.row_ptr.push_back(static_cast<index>(out.col.size()));
  }
  return out;
}

aggregation::couplings couplings_of(const csr<double>& a, const std::vector<double>& diagonal) {
  const csr<double> b = compressed(dense_of(a).transpose());
  const cpu::setup_loops loops(device::cpu(1));
  return aggregation::find_couplings(loops, {a.rows, a.row_ptr.data(), a.col.data(), a.val.data()},
                                     {b.rows, b.row_ptr.data(), b.col.data(), b.val.data()},
                                     diagonal.data());
}
aggregation::grouping aggregates_of(const csr<double>& a) {
  const dense_vector d = dense_of(a).diagonal();
  return aggregation::find_aggregates(cpu::setup_loops(device::cpu(1)),
                                      couplings_of(a, {d.begin(), d.end()}));
}

/// One application of the cycle to a vector of ones at a time, in f64: I - M A is the product of
/// the errors of Jacobi's sweep, of the coarse correction and of the other sweep.
dense_matrix cycle(const dense_matrix& a) {
  const Eigen::Index n = a.rows();
  if (n <= 160) return inverse_of(a);
  const csr<double> sparse = compressed(a);
  const aggregation::grouping groups = aggregates_of(sparse);
  dense_matrix p = dense_matrix::Zero(n, groups.count);
  for (Eigen::Index i = 0; i < n; ++i)
    if (const index g = groups.group[static_cast<std::size_t>(i)]; g >= 0) p(i, g) = 1.0;
  const dense_matrix coarse = p.transpose() * a * p;
  const dense_matrix one = dense_matrix::Identity(n, n);
  dense_matrix c = cycle(coarse);
  const double elements = static_cast<double>(compressed(coarse).nonzeros());
  if (elements <= 0.45 * sparse.nonzeros()) c = 2.0 * c - c * coarse * c;
  const dense_matrix sweep =
      one - 2.0 / 3.0 * dense_matrix(a.diagonal().cwiseInverse().asDiagonal()) * a;
  const dense_matrix error = sweep * (one - p * c * p.transpose() * a) * sweep;
  return (one - error) * inverse_of(a);
}

linear_system<double> system_of_aggregation(csr<double> a, unsigned seed) {
  linear_system<double> s{"", std::move(a), {}};
  s.b = random_vector(s.a.rows, seed);
  return s;
}
solve_options by_aggregation(const char* method, double rtol = 1e-8) {
  solve_options o;
  o.method = method;
  o.preconditioner = preconditioner::aggregation;
  o.rtol = rtol;
  o.max_iterations = 400;
  return o;
}

class plain_aggregation : public testing::Test {
 protected:
  void SetUp() override {
    DWELL_SKIP_IF_ABSENT();
    if (place::on() != backend::cpu) GTEST_SKIP() << "for CPUs";
  }
};

TEST_F(plain_aggregation, has_aggregates_of_strongly_coupled_rows) {
  std::mt19937 random(3);
  index apart = 0, of_four = 0;
  for (int k = 0; k < (sanitized ? 6 : 30); ++k) {
    const csr<double> a = random_m_matrix(20 + static_cast<index>(random() % 300), random);
    const dense_matrix d = dense_of(a);
    const dense_matrix w = -0.5 * (d + d.transpose());
    const auto found = aggregates_of(a);
    std::vector<std::vector<index>> rows(static_cast<std::size_t>(found.count));
    for (index i = 0; i < a.rows; ++i) {
      double beside = 0.0;
      for (index j = 0; j < a.rows; ++j)
        if (j != i) beside += 0.5 * (std::fabs(d(i, j)) + std::fabs(d(j, i)));
      const index g = found.group[static_cast<std::size_t>(i)];
      EXPECT_EQ(g < 0, d(i, i) >= 2.0 * beside * (1 + 1e-12)) << i;
      apart += g < 0;
      if (g >= 0) rows[static_cast<std::size_t>(g)].push_back(i);
    }
    for (const auto& one : rows) {
      ASSERT_FALSE(one.empty());
      EXPECT_LE(one.size(), 4U);
      of_four += one.size() == 4;
      for (const index i : one) {  // each has a partner
        if (one.size() == 1) continue;
        double strongest = 0.0;
        for (const index j : one)
          if (j != i) strongest = std::max(strongest, w(i, j));
        EXPECT_GT(strongest, 0.0) << i;
      }
    }
  }
  EXPECT_GT(apart, 0);
  EXPECT_GT(of_four, 0);
}

TEST_F(plain_aggregation, pairs_as_many_rows_as_a_plain_look_does) {
  std::mt19937 random(4);
  for (int k = 0; k < 20; ++k) {
    const csr<double> a = random_m_matrix(10 + static_cast<index>(random() % 60), random);
    const dense_matrix d = dense_of(a);
    const std::vector<double> diagonal(static_cast<std::size_t>(a.rows), 0.0);  // none is apart
    const auto pairs = aggregation::find_pairs(couplings_of(a, diagonal));
    std::vector<index> group(static_cast<std::size_t>(a.rows), -1);
    index count = 0;
    const auto weight = [&](index i, index j) {
      return i == j ? 0.0 : std::max(0.0, -0.5 * (d(i, j) + d(j, i)));
    };
    const auto strongest = [&](index i) {
      double most = 0.0;
      for (index j = 0; j < a.rows; ++j) most = std::max(most, weight(i, j));
      return most;
    };
    for (index i = 0; i < a.rows; ++i) {
      if (group[static_cast<std::size_t>(i)] >= 0) continue;
      index with = -1;
      double best = 0.0;
      for (index j = 0; j < a.rows; ++j)
        if (group[static_cast<std::size_t>(j)] < 0 && weight(i, j) > best * (1 + 1e-4) &&
            weight(i, j) >= 0.25 * std::max(strongest(i), strongest(j)))
          best = weight(i, j), with = j;
      group[static_cast<std::size_t>(i)] = count;
      if (with >= 0) group[static_cast<std::size_t>(with)] = count;
      ++count;
    }
    EXPECT_EQ(pairs.group, group);
    EXPECT_EQ(pairs.count, count);
  }
}

TEST_F(plain_aggregation, is_the_cycle_of_dense_algebra) {
  std::mt19937 random(5);
  std::vector<csr<double>> all = {generate("convection2d:20x17:100"),
                                  generate("convection2d:33x24:3000")};
  for (const index n : {1, 2, 40, 160, 161, 300, 700})
    if (!sanitized || n < 400) all.push_back(random_m_matrix(n, random));
  for (const csr<double>& a : all) {
    SCOPED_TRACE(a.rows);
    const played_sequence made(place::where(), a, preconditioner::aggregation);
    dense_matrix expected = cycle(dense_of(a)), found = made.dense();
    found *= expected.norm() / found.norm();  // it has a unit of its own, a power of two
    EXPECT_LT((found - expected).norm(), 2e-5 * expected.norm());
  }
}

// Set-ups take the threads that the process may have: all, and one.
TEST_F(plain_aggregation, has_the_same_bits_with_any_number_of_threads) {
  const csr<double> a = generate("convection2d:310x290:500");
  const played_sequence first(place::where(), a, preconditioner::aggregation);
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu)
    if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  first.expect_same({place::where(), a, preconditioner::aggregation});
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

// From a cell Peclet number of some hundred on random numbers cut the lines of the wind in pieces:
// then a few times as many.
TEST_F(plain_aggregation, takes_few_iterations_whatever_the_convection_and_the_numbering) {
  std::mt19937 random(6);
  for (const double peclet : {0.0, 1.0, 100.0, 1e4, 1e6}) {
    const csr<double> natural =
        generate("convection2d:90x80:" + std::to_string(static_cast<int>(peclet)));
    for (int k = 0; k < 3; ++k) {
      SCOPED_TRACE(testing::Message() << peclet << ", numbering " << k);
      const auto s = system_of_aggregation(k == 0 ? natural : renumbered(natural, random), 2);
      const auto got = run(s, by_aggregation("bicgstab"));
      EXPECT_EQ(got.report.stopped, stop_reason::converged);
      EXPECT_LE(got.report.iterations, k > 0 && peclet > 1e4 ? 70 : 22);
      EXPECT_LE(
          residual_norm(s.a.view(), std::span<const double>(s.b), std::span<const double>(got.x)),
          1.01e-8 * norm2(s.b));
    }
  }
}

/// Cells in a box, and the wind through each face, in cell Peclet numbers: one of a direction, or
/// one that circles in the plane of the first two axes, upwind differences, Dirichlet boundaries.
struct windy_box {
  index size[3];
  double wind[3];
  bool circling;

  double through(int axis, const index* cell, int side) const {  // side 0: the face before the cell
    if (!circling) return wind[axis];
    if (axis == 2) return 0.0;
    const auto at = [&](int k, double shift) {
      return 2.0 * (cell[k] + shift) / static_cast<double>(size[k]) - 1.0;
    };
    const double along = at(axis, side), across = at(1 - axis, 0.5);
    return (axis == 0 ? -1.0 : 1.0) * wind[0] * (1.0 - along * along) * across;
  }
  csr<double> matrix() const {
    csr<double> a;
    a.rows = a.cols = size[0] * size[1] * size[2];
    a.row_ptr = {0};
    const index away[3] = {1, size[0], size[0] * size[1]};
    for (index i = 0; i < a.rows; ++i) {
      const index cell[3] = {i % size[0], i / size[0] % size[1], i / away[2]};
      std::vector<std::pair<index, double>> row;
      double diagonal = 0.0;
      for (int axis = 0; axis < 3; ++axis) {
        if (size[axis] == 1) continue;  // flat
        const double before = 1.0 + std::max(0.0, through(axis, cell, 0));
        const double behind = 1.0 + std::max(0.0, -through(axis, cell, 1));
        if (cell[axis] > 0) row.emplace_back(i - away[axis], -before);
        if (cell[axis] + 1 < size[axis]) row.emplace_back(i + away[axis], -behind);
        diagonal += before + behind;
      }
      row.emplace_back(i, diagonal);
      std::sort(row.begin(), row.end());
      for (const auto& [column, v] : row) a.col.push_back(column), a.val.push_back(v);
      a.row_ptr.push_back(static_cast<index>(a.col.size()));
    }
    return a;
  }
};

template <class T>
linear_system<T> of_type(const csr<double>& a, unsigned seed) {
  linear_system<T> s{"", {a.rows, a.cols, a.row_ptr, a.col, {}}, {}};
  for (const double v : a.val) s.a.val.push_back(static_cast<T>(v));
  for (const double v : random_vector(a.rows, seed)) s.b.push_back(static_cast<T>(v));
  return s;
}

template <class T>
void expect_few_iterations(const csr<double>& a, solve_options o, unsigned seed) {
  o.rtol = std::is_same_v<T, float> ? 1e-4 : 1e-8;
  const linear_system<T> s = of_type<T>(a, seed);
  const auto got = run(s, o);
  EXPECT_EQ(got.report.stopped, stop_reason::converged);
  EXPECT_LE(got.report.iterations, o.method == "gmres" ? 48 : 30);
  double residual = 0.0, whole = 0.0;
  for (index i = 0; i < a.rows; ++i) {
    const auto row = static_cast<std::size_t>(i);
    double r = s.b[row];
    for (index k = s.a.row_ptr[row]; k < s.a.row_ptr[row + 1]; ++k)
      r -= static_cast<double>(s.a.val[static_cast<std::size_t>(k)]) *
           got.x[static_cast<std::size_t>(s.a.col[static_cast<std::size_t>(k)])];
    residual += r * r;
    whole += static_cast<double>(s.b[row]) * s.b[row];
  }
  EXPECT_LE(std::sqrt(residual), 1.01 * o.rtol * std::sqrt(whole));
  EXPECT_TRUE(same_bits(run(s, o).x, got.x));
}

// Sizes, direction and size of the wind, its kind, numbering, method, type and teams at random.
TEST_F(plain_aggregation, takes_few_iterations_in_any_wind) {
  std::mt19937 random(8);
  const auto between = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random() % 10000) / 10000.0;
  };
  for (int k = 0; k < (sanitized ? 4 : 40); ++k) {
    windy_box box{};
    const bool flat = random() % 2 == 0;
    for (int axis = 0; axis < 3; ++axis) {
      const double most = sanitized ? (flat ? 30.0 : 10.0) : (flat ? 110.0 : 24.0);
      box.size[axis] = flat && axis == 2 ? 1 : static_cast<index>(between(5.0, most));
      box.wind[axis] = between(-1.0, 1.0) * std::pow(10.0, between(-2.0, 2.0));
    }
    box.circling = random() % 3 == 0;
    csr<double> a = box.matrix();
    const bool shuffled = random() % 2 == 0;
    if (shuffled) a = renumbered(a, random);
    solve_options o = by_aggregation(random() % 2 == 0 ? "bicgstab" : "gmres");
    o.teams = 1 + static_cast<int>(random() % 3);
    const bool single = random() % 3 == 0;
    SCOPED_TRACE(testing::Message()
                 << k << ": " << box.size[0] << " x " << box.size[1] << " x " << box.size[2]
                 << (box.circling ? ", circling " : ", straight ") << box.wind[0] << " "
                 << box.wind[1] << " " << box.wind[2] << (shuffled ? ", shuffled, " : ", ")
                 << o.method << ", " << o.teams << " teams" << (single ? ", f32" : ", f64"));
    single ? expect_few_iterations<float>(a, o, 20 + static_cast<unsigned>(k))
           : expect_few_iterations<double>(a, o, 20 + static_cast<unsigned>(k));
  }
}

TEST_F(plain_aggregation, has_the_answers_of_dense_factors) {
  std::mt19937 random(7);
  for (int k = 0; k < (sanitized ? 2 : 8); ++k) {
    const csr<double> a = random_m_matrix(200 + static_cast<index>(random() % 250), random);
    const auto s = system_of_aggregation(a, 10 + static_cast<unsigned>(k));
    dense_vector b(a.rows);
    for (index i = 0; i < a.rows; ++i) b[i] = s.b[static_cast<std::size_t>(i)];
    const dense_vector expected = inverse_of(dense_of(a)) * b;
    for (const char* method : {"bicgstab", "gmres"})
      for (const int teams : {1, 3}) {
        SCOPED_TRACE(testing::Message() << k << ", " << method << ", " << teams);
        solve_options o = by_aggregation(method, 1e-12);
        o.teams = teams;
        const auto got = run(s, o);
        EXPECT_EQ(got.report.stopped, stop_reason::converged);
        double apart = 0.0;
        for (index i = 0; i < a.rows; ++i)
          apart += std::pow(got.x[static_cast<std::size_t>(i)] - expected[i], 2);
        EXPECT_LE(std::sqrt(apart), 1e-6 * expected.norm());
      }
  }
}

// Rows that nothing couples, one row, a matrix without any coupling at all.
TEST_F(plain_aggregation, takes_rows_without_couplings) {
  csr<double> diagonal;
  diagonal.rows = diagonal.cols = 900;
  diagonal.row_ptr = {0};
  for (index i = 0; i < 900; ++i) {
    diagonal.col.push_back(i), diagonal.val.push_back(1.0 + i % 7);
    diagonal.row_ptr.push_back(i + 1);
  }
  csr<double> downstream = diagonal;  // each row follows from the one before it
  downstream.row_ptr = {0}, downstream.col.clear(), downstream.val.clear();
  for (index i = 0; i < 900; ++i) {
    if (i > 0) downstream.col.push_back(i - 1), downstream.val.push_back(-1.0);
    downstream.col.push_back(i), downstream.val.push_back(1.0);
    downstream.row_ptr.push_back(static_cast<index>(downstream.col.size()));
  }
  for (const csr<double>& a : {diagonal, downstream}) {
    const auto got = run(system_of_aggregation(a, 4), by_aggregation("gmres"));
    EXPECT_EQ(got.report.stopped, stop_reason::converged);
    EXPECT_LE(got.report.iterations, 60);
  }
}

std::string refused_by_aggregation(const linear_system<double>& s, const solve_options& o) {
  try {
    (void)run(s, o);
  } catch (const error& e) {
    return e.what();
  }
  return {};
}

TEST_F(plain_aggregation, refuses_what_it_is_not_for) {
  csr<double> a = generate("convection2d:9x9:5");
  const auto s = system_of_aggregation(a, 1);
  EXPECT_EQ(refused_by_aggregation(s, by_aggregation("bicgstab")), "");
  for (index k = a.row_ptr[4]; k < a.row_ptr[5]; ++k)
    if (a.col[static_cast<std::size_t>(k)] == 4) a.val[static_cast<std::size_t>(k)] = -4;
  EXPECT_EQ(refused_by_aggregation(system_of_aggregation(a, 1), by_aggregation("bicgstab")),
            "aggregation: expected a positive diagonal, found -4 in row 5 (counted from 1); ilu0 "
            "and block-jacobi do not need it");
  EXPECT_NE(refused_by_aggregation(system_of_aggregation(generate("poisson2d:9x9"), 1),
                                   by_aggregation("cg"))
                .find("expected method bicgstab or gmres"),
            std::string::npos);
}

TEST_F(plain_aggregation, is_the_only_one_that_no_gpu_has) {
  for (const preconditioner_kind& kind : preconditioner_kinds()) {
    EXPECT_NO_THROW(check_backend(kind, backend::cpu)) << kind.name;
    const auto asked = [&] { check_backend(kind, backend::cuda); };
    if (kind.is == preconditioner::aggregation)
      EXPECT_EQ(refusal<unsupported_error>(asked),
                "preconditioner aggregation: expected a CPU, found a GPU (its cycle has more "
                "products than fit the kernels there); ilu0 is there on both");
    else
      EXPECT_NO_THROW(asked()) << kind.name;
  }
}

TEST_F(plain_aggregation, says_so_of_a_matrix_that_is_no_m_matrix) {
  csr<double> a = generate("convection2d:30x30:5");
  for (double& v : a.val) v = std::fabs(v);
  const played_sequence made(place::where(), a, preconditioner::aggregation);
  EXPECT_NE(made.note().find("100 % of the rows have much that is positive"), std::string::npos)
      << made.note();
  const played_sequence fits(place::where(), generate("convection2d:30x30:5"),
                             preconditioner::aggregation);
  EXPECT_EQ(fits.note(), "");
}

class aggregation_on_gpus : public testing::Test {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }
};
TEST_F(aggregation_on_gpus, is_refused) {
  if (place::on() == backend::cpu) GTEST_SKIP() << "it is for CPUs";
  EXPECT_NE(refused_by_aggregation(system_of_aggregation(generate("convection2d:9x9:5"), 1),
                                   by_aggregation("bicgstab"))
                .find("expected a CPU, found a GPU"),
            std::string::npos);
}

}  // namespace
}  // namespace dwell::test
