// SPDX-License-Identifier: MIT
// What complex systems refuse, each in one line that says what was expected.
#include <gtest/gtest.h>

#include <complex>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "complex_systems.hpp"
#include "dwell/base/error.hpp"
#include "dwell/linear/complex_solver.hpp"
#include "refusal.hpp"

namespace dwell::test {
namespace {

using number = std::complex<double>;

std::string said(const csr<number>& a, const solve_options& o, std::vector<number> b = {}) {
  if (b.empty()) b = random_numbers(a.rows, 1);
  std::vector<number> x(b.size());
  return refusal<error>([&] {
    solve(device::cpu(1), a.view(), std::span<const number>(b), std::span<number>(x), o);
  });
}
void expect_said(const std::string& found, const std::string& words) {
  EXPECT_NE(found.find(words), std::string::npos) << found;
}
void set_element(csr<number>& a, index i, index j, number v) {
  for (index k = a.row_ptr[static_cast<std::size_t>(i)];
       k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
    if (a.col[static_cast<std::size_t>(k)] == j) a.val[static_cast<std::size_t>(k)] = v;
}

TEST(complex_refusals, options_that_complex_systems_do_not_have) {
  const auto a = random_complex(20, 1, true);
  const std::vector<std::pair<std::function<void(solve_options&)>, std::string>> all = {
      {[](auto& o) { o.method = "minres"; }, "method: expected auto, cg, bicgstab or gmres"},
      {[](auto& o) { o.method = "direct"; }, "method: expected auto, cg, bicgstab or gmres"},
      {[](auto& o) { o.variant = "pipelined"; }, "variant: expected auto or textbook"},
      {[](auto& o) { o.preconditioner = preconditioner::amg; },
       "preconditioner: expected none, jacobi, ilu0, auto for a complex matrix, found amg"},
      {[](auto& o) { o.preconditioner = preconditioner::fsai; }, "found fsai"},
      {[](auto& o) { o.null_space = "constant"; }, "null_space: expected auto or none"},
      {[](auto& o) { o.null_vectors = std::vector<double>(20, 1.0); }, "null_vectors"},
      {[](auto& o) { o.mixed_precision = true; },
       "precision: expected f64 or f32 for a complex matrix, found mixed"},
      {[](auto& o) { o.columns_at_once = 4; }, "columns_at_once: expected 0 or 1"},
      {[](auto& o) { o.policy = "measured"; }, "policy: expected one that tries no plans"},
      {[](auto& o) { o.rtol = -1; }, "rtol"},
      {[](auto& o) { o.executor = "graph"; }, "graph"},
  };
  for (const auto& [change, words] : all) {
    solve_options o;
    change(o);
    expect_said(said(a, o), words);
  }
}

TEST(complex_refusals, matrices_that_are_not_hermitian_or_not_definite) {
  solve_options o;
  o.method = "cg";
  expect_said(said(random_complex(20, 2, false), o), "expected a Hermitian one, found ");
  auto a = random_complex(20, 3, true);
  EXPECT_EQ(said(a, o), "accepted");
  set_element(a, 4, 4, {9.0, 0.5});  // a diagonal that is not real
  expect_said(said(a, o),
              "expected a Hermitian one, found 9+0.5i at (5, 5) of the diagonal, which is real");
  a = random_complex(20, 3, true);
  set_element(a, 4, 4, -9.0);
  expect_said(said(a, o), "expected a positive diagonal, found -9+0i at (5, 5)");
  for (number& v : a.val) v = std::conj(v);  // a Hermitian matrix has a Hermitian conjugate
  o.method = "gmres";
  EXPECT_EQ(said(a, o), "accepted");
  auto symmetric = absorbing_helmholtz(5, 0.3);  // equal to its transpose, not to the conjugate
  o.method = "cg";
  expect_said(said(symmetric, o), "expected a Hermitian one");
}

TEST(complex_refusals, broken_matrices_and_vectors) {
  solve_options o;
  o.method = "gmres";
  auto a = random_complex(20, 4, false);
  a.val[7] = {1.0, std::numeric_limits<double>::infinity()};
  expect_said(said(a, o), "expected finite values, found 1+infi");
  a = random_complex(20, 4, false);
  auto b = random_numbers(20, 5);
  b[3] = {std::numeric_limits<double>::quiet_NaN(), 0.0};
  expect_said(said(a, o, b), "right-hand side (b): expected finite numbers, found nan+0i in row 4");
  expect_said(said(a, o, random_numbers(19, 5)), "expected 20 elements");
  a.cols = 21;
  expect_said(said(a, o), "expected as many rows as columns, found 20 x 21");
  a.cols = 20;
  o.preconditioner = preconditioner::jacobi;
  set_element(a, 2, 2, 0.0);
  expect_said(said(a, o), "expected a diagonal without zeros for preconditioner jacobi");
  csr<number> empty_row{2, 2, {0, 1, 1}, {0}, {1.0}};
  expect_said(said(empty_row, o), "expected an entry in every row, found none in row 2");
  std::vector<number> x = random_numbers(20, 6);
  o.preconditioner = preconditioner::none;
  expect_said(refusal([&] {
                solve(device::cpu(1), random_complex(20, 4, false).view(),
                      std::span<const number>(x), std::span<number>(x), o);
              }),
              "overlaps the right-hand side (b)");
}

}  // namespace
}  // namespace dwell::test
