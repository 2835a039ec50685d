// SPDX-License-Identifier: MIT
// What holds for every preconditioner that is a sequence of products: the same bits on two set-ups
// and on the host, symmetry and definiteness, matrices of any scale, solves under every executor
// with fewer iterations than without, other values of the same pattern, and refused options. Linked
// again into the tests of a GPU.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "cg_runner.hpp"
#include "dwell/base/error.hpp"
#include "dwell/formats/matrix_market.hpp"
#include "dwell/linear/linear_solver.hpp"
#include "dwell/solvers/linear/api/options_table.hpp"
#include "place.hpp"
#include "plain_options.hpp"
#include "played_sequence.hpp"
#include "real_matrices.hpp"
#include "sequence_matrices.hpp"

namespace dwell::test {
namespace {

struct sequence_case {
  preconditioner is;
  preconditioner_options options;
};
std::string name_of(const sequence_case& c) {
  return fmt::format("{}_{}_{}_{}_{}",
                     to_string(c.is) == "block-jacobi" ? "block" : to_string(c.is),
                     c.options.block_size, c.options.degree, c.options.power, c.options.sweeps);
}
preconditioner_options sized(int size) { return {.block_size = size}; }
const std::vector<sequence_case>& all_cases() {
  static const std::vector<sequence_case> cases = {{preconditioner::fsai, {}},
                                                   {preconditioner::fsai, {.power = 2}},
                                                   {preconditioner::block_jacobi, {}},
                                                   {preconditioner::block_jacobi, sized(5)},
                                                   {preconditioner::chebyshev, {}},
                                                   {preconditioner::chebyshev, {.degree = 1}},
                                                   {preconditioner::chebyshev, {.degree = 2}},
                                                   {preconditioner::chebyshev, {.degree = 16}},
                                                   {preconditioner::ilu0, {}},
                                                   {preconditioner::ilu0, {.sweeps = 3}}};
  return cases;
}

template <class T>
linear_system<T> system_of(const csr<double>& a) {
  linear_system<T> s;
  s.a.rows = s.a.cols = a.rows;
  s.a.row_ptr = a.row_ptr;
  s.a.col = a.col;
  s.a.val.assign(a.val.begin(), a.val.end());
  for (index i = 0; i < a.rows; ++i) s.b.push_back(static_cast<T>(std::sin(1.0 + 0.37 * i)));
  return s;
}

class sequences : public testing::TestWithParam<sequence_case> {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }
  static solve_options options(double rtol) {
    solve_options o = plain_options();
    o.preconditioner = GetParam().is;
    o.preconditioning = GetParam().options;
    o.rtol = rtol;
    return o;
  }
};

/// Those that conjugate gradients take.
class symmetric_sequences : public sequences {};

TEST_P(sequences, repeat_bit_for_bit_and_as_on_the_host) {
  for (const csr<double>& a : {generate("poisson3d:24x40x33"), random_graph(3000, 2, 3)}) {
    const played_sequence first(place::where(), a, GetParam().is, GetParam().options);
    first.expect_same({place::where(), a, GetParam().is, GetParam().options});
    first.expect_same({device::cpu(1), a, GetParam().is,
                       options_on(place::where().on(), GetParam().is, GetParam().options)});
  }
}

TEST_P(symmetric_sequences, are_symmetric_and_positive_definite) {
  for (const auto& [name, a] : definite_matrices()) {
    SCOPED_TRACE(name);
    const played_sequence m(place::where(), a, GetParam().is, GetParam().options);
    const dense_matrix d = m.dense();
    EXPECT_LT((d - d.transpose()).norm(), 2e-6 * d.norm());
    const dense_matrix even = 0.5 * (d + d.transpose());
    EXPECT_GT(symmetric_eigenvalues(even).minCoeff(), 0.0);
    for (int k = 1; k < 4; ++k) {
      dense_vector x(a.rows), y(a.rows);
      for (index i = 0; i < a.rows; ++i) x[i] = std::sin(k + 1.7 * i), y[i] = std::cos(k * i + 0.3);
      const dense_vector mx = m(x), my = m(y);
      EXPECT_NEAR(mx.dot(y), x.dot(my), 1e-5 * mx.norm() * y.norm());
      EXPECT_GT(mx.dot(x), 0.0);
    }
  }
}

TEST_P(sequences, do_not_depend_on_the_scale_of_the_matrix) {
  const csr<double> a = random_graph(50, 3, 9);
  const dense_matrix at_one =
      played_sequence(place::where(), a, GetParam().is, GetParam().options).dense();
  for (const int e : {-996, -400, -7, 8, 500, 996}) {  // 2^996 is 7e299
    SCOPED_TRACE(e);
    csr<double> scaled = a;
    for (double& v : scaled.val) v = std::ldexp(v, e);
    const dense_matrix m =
        played_sequence(place::where(), scaled, GetParam().is, GetParam().options).dense();
    // In a unit of its own, a power of two.
    EXPECT_TRUE(m.allFinite());
    const double ratio = m.norm() / at_one.norm();
    EXPECT_GT(ratio, 0.2);
    EXPECT_LT(ratio, 5.0);
    EXPECT_LT((m / ratio - at_one).norm(), 1e-5 * at_one.norm());
  }
}

// No elements off the diagonal, and one row: sizes of which little is left.
TEST_P(sequences, of_a_diagonal_are_its_inverse) {
  for (const index n : {1, 2, 70}) {
    SCOPED_TRACE(n);
    symmetric m(n);
    for (index i = 0; i < n; ++i) m.add(i, i, 1.0 + 3 * i);
    const csr<double> a = m.as_is();
    dense_matrix product =
        played_sequence(place::where(), a, GetParam().is, GetParam().options).dense() * dense_of(a);
    product /= product(0, 0);
    EXPECT_LT((product - dense_matrix::Identity(n, n)).norm(), 1e-5);
  }
}

TEST_P(symmetric_sequences, solve_under_every_executor) {
  const linear_system<double> system = system_of<double>(random_graph(400, 3, 11));
  std::vector<std::vector<double>> plain;
  for (const std::string& executor : place::executors()) {
    SCOPED_TRACE(executor);
    solve_options o = options(1e-10);
    o.executor = executor;
    o.teams = 3;
    o.config = place::config_for(executor, {3, place::on() == backend::cuda ? 0 : 1, false});
    const auto got = run(system, o);
    EXPECT_EQ(got.report.stopped, stop_reason::converged);
    EXPECT_EQ(got.report.variant, "preconditioned");
    EXPECT_LE(residual_norm(system.a.view(), std::span<const double>(system.b),
                            std::span<const double>(got.x)),
              3e-10 * norm2(system.b));
    if (place::family(executor) == "plain") plain.push_back(got.x);
  }
  for (const auto& x : plain) EXPECT_TRUE(same_bits(x, plain.front()));
}

TEST_P(symmetric_sequences, spare_iterations) {
  for (const char* kind : {"poisson2d:70x50", "poisson3d:15x14x13", "trefethen:900"}) {
    SCOPED_TRACE(kind);
    const csr<double> a = generate(kind);
    solve_options none = plain_options();
    const int without = run(system_of<double>(a), none).report.iterations;
    const auto with_it = run(system_of<double>(a), options(1e-8)).report;
    EXPECT_EQ(with_it.stopped, stop_reason::converged);
    EXPECT_LE(with_it.iterations, without);
    const bool alone = GetParam().is == preconditioner::block_jacobi;  // blocks of one row
    if (!alone) {
      EXPECT_LT(with_it.iterations, 0.8 * without);
    }
    const auto single = run(system_of<float>(a), options(1e-4)).report;
    EXPECT_EQ(single.stopped, stop_reason::converged);
  }
}

TEST_P(symmetric_sequences, take_other_values_of_the_same_pattern) {
  const csr<double> first = random_graph(300, 2, 4);
  csr<double> second = first;
  for (index i = 0; i < second.rows; ++i)
    for (index k = second.row_ptr[static_cast<std::size_t>(i)];
         k < second.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      if (second.col[static_cast<std::size_t>(k)] == i)
        second.val[static_cast<std::size_t>(k)] *= 1.5 + i % 3;
  linear_solver<double> changed(place::where(), first.view(), options(1e-9)),
      fresh(place::where(), second.view(), options(1e-9));
  const std::vector<double> b(static_cast<std::size_t>(first.rows), 1.0);
  std::vector<double> x(b.size(), 0.0), y(b.size(), 0.0);
  EXPECT_EQ(changed.solve(b, x).stopped, stop_reason::converged);
  changed.update_values(second.val);
  std::fill(x.begin(), x.end(), 0.0);
  EXPECT_EQ(changed.solve(b, x).iterations, fresh.solve(b, y).iterations);
  EXPECT_TRUE(same_bits(x, y));
}

std::vector<sequence_case> symmetric_cases() {
  std::vector<sequence_case> cases = all_cases();
  std::erase_if(cases, [](const sequence_case& c) { return !kind_of(c.is).symmetric; });
  return cases;
}
INSTANTIATE_TEST_SUITE_P(all, sequences, testing::ValuesIn(all_cases()),
                         [](const auto& info) { return name_of(info.param); });
INSTANTIATE_TEST_SUITE_P(all, symmetric_sequences, testing::ValuesIn(symmetric_cases()),
                         [](const auto& info) { return name_of(info.param); });

class sequence_options : public testing::Test {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }
};

TEST_F(sequence_options, are_refused_out_of_range) {
  const auto said = [](preconditioner p, const preconditioner_options& of) -> std::string {
    solve_options o = plain_options();
    o.preconditioner = p;
    o.preconditioning = of;
    try {
      check_ranges(o);
    } catch (const input_error& e) {
      return e.what();
    }
    return "nothing";
  };
  EXPECT_EQ(said(preconditioner::fsai, {.power = 3}), "power: expected 1 or 2, found 3");
  EXPECT_EQ(said(preconditioner::block_jacobi, {.block_size = 33}),
            "block_size: expected 1 to 32 (or 0: by the columns), found 33");
  EXPECT_EQ(said(preconditioner::block_jacobi, {.block_size = -1}),
            "block_size: expected 1 to 32 (or 0: by the columns), found -1");
  EXPECT_EQ(said(preconditioner::chebyshev, {.degree = 0}), "degree: expected 1 to 16, found 0");
  EXPECT_EQ(said(preconditioner::chebyshev, {.degree = 17}), "degree: expected 1 to 16, found 17");
  EXPECT_EQ(said(preconditioner::ilu0, {.factor_sweeps = 101}),
            "factor_sweeps: expected 0 to 100, found 101");
  EXPECT_EQ(said(preconditioner::ilu0, {.sweeps = 17}), "sweeps: expected 0 to 16, found 17");
  // And those of another preconditioner.
  EXPECT_EQ(said(preconditioner::ilu0, {.power = 7}), "power: expected 1 or 2, found 7");
  EXPECT_EQ(said(preconditioner::jacobi, {.degree = 99}), "degree: expected 1 to 16, found 99");
  EXPECT_EQ(said(preconditioner::automatic, {.block_size = -1}),
            "block_size: expected 1 to 32 (or 0: by the columns), found -1");
  EXPECT_EQ(said(preconditioner::amg, {.block_size = -1}),
            "block_size: expected 1 to 32 (or 0: by the columns), found -1");
  EXPECT_EQ(said(preconditioner::none, {}), "nothing");
}

TEST_F(sequence_options, cg_refuses_what_is_not_symmetric) {
  solve_options o = plain_options();
  o.preconditioner = preconditioner::ilu0;
  EXPECT_THROW(run(system_of<double>(generate("poisson2d:5x4")), o), unsupported_error);
}

// Fewer iterations than jacobi on matrices from practice.
TEST_F(sequence_options, spare_iterations_on_real_matrices) {
  const auto all = indexed_matrices();
  if (all.empty()) GTEST_SKIP() << why_no_matrices();
  for (const auto& m : all) {
    if (m.name != "bcsstk14" && m.name != "nos3" && m.name != "nasa2146") continue;
    SCOPED_TRACE(m.name);
    const linear_system<double> system = system_of<double>(read_matrix_market(m.file).matrix);
    solve_options o = plain_options();
    o.preconditioner = preconditioner::jacobi;
    o.rtol = 1e-8;
    const int jacobi = run(system, o).report.iterations;
    for (std::size_t k = 0; k < all_cases().size(); ++k) {
      const sequence_case& c = all_cases()[k];
      if (c.is == preconditioner::ilu0 || c.is == preconditioner::block_jacobi) continue;
      if (sanitized && m.name != "nos3" && k % 2 != (m.name == "nasa2146")) continue;
      SCOPED_TRACE(name_of(c));
      o.preconditioner = c.is;
      o.preconditioning = c.options;
      const auto report = run(system, o).report;
      EXPECT_EQ(report.stopped, stop_reason::converged);
      EXPECT_LT(report.iterations, 0.7 * jacobi);
    }
  }
}

}  // namespace
}  // namespace dwell::test
