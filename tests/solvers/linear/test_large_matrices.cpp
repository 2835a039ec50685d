// SPDX-License-Identifier: MIT
// Row pointers of 64 bits: what solves of large matrices do, on small ones that are kept as they
// are, gives the bits of row pointers of 32 bits; what counts in 32 bits is refused; and where 32
// bits suffice, all there is works. Linked again into the tests of a GPU.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/device/executors.hpp"
#include "dwell/linear/linear_solver.hpp"
#include "dwell/solvers/linear/run/prepared_system.hpp"
#include "dwell/solvers/preconditioners/list.hpp"
#include "method_problems.hpp"
#include "refusal.hpp"

namespace dwell::test {
namespace {

/// While it lives, all matrices with row pointers of 64 bits are large.
class all_are_large {
 public:
  all_are_large() { most_nonzeros_shortened() = -1; }
  ~all_are_large() { most_nonzeros_shortened() = most_in_32_bits; }
  all_are_large(const all_are_large&) = delete;
  all_are_large& operator=(const all_are_large&) = delete;
};

template <class T>
large_csr<T> large(const csr<T>& a) {
  return {a.rows, a.cols, {a.row_ptr.begin(), a.row_ptr.end()}, a.col, a.val};
}

template <class T>
solution<T> run_large(const linear_system<T>& s, const solve_options& options) {
  solution<T> got{{}, std::vector<T>(s.b.size())};
  got.report = solve(place::where(), large(s.a).view(), std::span<const T>(s.b),
                     std::span<T>(got.x), options);
  return got;
}

/// What row pointers of 64 bits add to an iteration of so many products: teams that walk rows, as
/// a CPU's of config 0 of executors that cache nothing, read them; tiles have their own.
std::size_t more_bytes(const solve_report& r, int config, std::size_t rows) {
  return place::on() == backend::cpu && !has_policies(r.executor) && config <= 0 ? 4 * rows : 0;
}

/// products: of an iteration with row pointers of 64 bits.
template <class T>
void expect_same(const solution<T>& got, const solution<T>& want, std::size_t products,
                 int config = -1) {
  EXPECT_TRUE(same_bits(got.x, want.x));
  EXPECT_EQ(got.report.stopped, want.report.stopped);
  EXPECT_EQ(got.report.iterations, want.report.iterations);
  EXPECT_EQ(got.report.residual_relative_true, want.report.residual_relative_true);
  EXPECT_EQ(
      got.report.bytes_per_iteration,
      want.report.bytes_per_iteration + products * more_bytes(want.report, config, want.x.size()));
  EXPECT_EQ(got.report.teams, want.report.teams);
}

/// Symmetric with a dominant diagonal, of any sizes of rows.
csr<double> random_definite(index n, std::uint64_t seed) {
  splitmix64 random(seed);
  std::vector<std::tuple<index, index, double>> all;
  std::vector<double> sum(static_cast<std::size_t>(n), 0.25);
  for (index i = 0; i < n; ++i) {
    const index count = random.below(40) == 0 ? n / 3 : random.below(6);
    for (index e = 0; e < count; ++e) {
      const index j = random.below(n);
      if (j == i) continue;
      const double v = std::ldexp(static_cast<double>(random.below(1000)) - 400, -9);
      all.emplace_back(i, j, v);
      all.emplace_back(j, i, v);
      sum[static_cast<std::size_t>(i)] += std::abs(v);
      sum[static_cast<std::size_t>(j)] += std::abs(v);
    }
  }
  for (index i = 0; i < n; ++i) all.emplace_back(i, i, sum[static_cast<std::size_t>(i)]);
  return from_entries(n, all);
}

class large_matrices : public methods_here {
 protected:
  template <class T>
  void solve_everywhere(const std::string& method, preconditioner with_p, const csr<double>& a) {
    const csr<T> rounded = convert<T>(a.view());
    linear_system<T> s{"", rounded, {}};
    const auto b = random_vector(a.rows, 7);
    s.b.assign(b.begin(), b.end());
    const double rtol = sizeof(T) == 8 ? 1e-9 : 1e-3;
    for (const std::string& variant : variants_of(method)) {
      for (const std::string& executor : place::executors())
        for (const cut& how : place::few_cuts()) {
          SCOPED_TRACE(fmt::format("{} {} under {}, {}", method, variant, executor, describe(how)));
          solve_options o = with(executor, how, rtol, with_p);
          o.method = method;
          o.variant = variant;
          o.max_iterations = 3000;
          const solution<T> want = run(s, o);
          const all_are_large scope;
          const solution<T> got = run_large(s, o);
          expect_same(got, want, method == "bicgstab" ? 2 : 1, o.config);
          EXPECT_EQ(got.report.stopped, stop_reason::converged);
          const double residual =
              residual_norm(rounded.view(), std::span<const T>(s.b), std::span<const T>(got.x)) /
              norm2(widen(std::span<const T>(s.b)));
          EXPECT_LE(residual, 20 * rtol);
          if (HasFailure()) return;
        }
    }
  }
  template <class T>
  void solve_all_methods(index n, std::uint64_t seed) {
    for (const preconditioner p : {preconditioner::none, preconditioner::jacobi}) {
      for (const char* method : {"cg", "minres"})
        solve_everywhere<T>(method, p, random_definite(n, seed));
      for (const char* method : {"bicgstab", "gmres"})
        solve_everywhere<T>(method, p, unsymmetric_rows(n));
      if (HasFailure()) return;
    }
  }
};

TEST_F(large_matrices, have_the_bits_of_others) {
  splitmix64 random(3);
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    solve_all_methods<double>(60 + random.below(sanitized ? 200 : 900), seed);
    if (HasFailure()) return;
  }
}
TEST_F(large_matrices, in_f32_have_the_bits_of_others) { solve_all_methods<float>(350, 5); }

TEST_F(large_matrices, take_methods_and_preconditioners_by_themselves) {
  for (const csr<double>& a : {random_definite(700, 9), generate("convection2d:40x30:20")}) {
    const linear_system<double> s = system_of(a);
    solve_options o;
    o.method = "auto";
    o.rtol = 1e-9;
    const all_are_large scope;
    const solution<double> got = run_large(s, o);
    EXPECT_EQ(got.report.stopped, stop_reason::converged);
    EXPECT_EQ(got.report.preconditioner, preconditioner::jacobi);
    EXPECT_LE(residual_norm(a.view(), std::span<const double>(s.b), std::span<const double>(got.x)),
              2e-9 * norm2(s.b));
  }
}

/// What is refused is not advised.
TEST_F(large_matrices, are_advised_to_take_jacobi_alone) {
  const linear_system<double> s = system_of(random_definite(700, 9));
  for (const char* method : {"cg", "minres", "bicgstab"}) {
    SCOPED_TRACE(method);
    solve_options o = by(method);
    o.preconditioner = preconditioner::none;
    o.rtol = 1e-12;
    o.max_iterations = 3;
    EXPECT_NE(run(s, o).report.advice.find("(jacobi, "), std::string::npos);
    const all_are_large scope;
    const std::string advice = run_large(s, o).report.advice;
    EXPECT_NE(advice.find("a preconditioner (jacobi)"), std::string::npos) << advice;
  }
}

TEST_F(large_matrices, solve_columns_new_values_and_in_mixed_precision) {
  const linear_system<double> s = system_of(random_definite(500, 4));
  const auto n = s.b.size();
  csr<double> other = s.a;
  for (double& v : other.val) v *= 1.5;
  std::vector<double> b = s.b;
  const auto more = random_vector(s.a.rows, 8);
  b.insert(b.end(), more.begin(), more.end());
  for (const bool mixed : {false, true}) {
    solve_options o = by("cg");
    o.rtol = 1e-10;
    o.preconditioner = preconditioner::jacobi;
    o.mixed_precision = mixed;
    const auto solved = [&](auto&& view) {
      linear_solver<double> solver(place::where(), view, o);
      EXPECT_EQ(solver.nonzeros(), s.a.nonzeros());
      std::vector<double> x(3 * n);
      const auto two = std::span<double>(x).first(2 * n);
      for (const solve_report& r : solver.solve(b, n, two, n, 2))
        EXPECT_EQ(r.stopped, stop_reason::converged);
      solver.update_values(other.val);
      EXPECT_EQ(solver.solve(s.b, std::span<double>(x).last(n)).stopped, stop_reason::converged);
      return x;
    };
    const std::vector<double> want = solved(s.a.view());
    const large_csr<double> a = large(s.a);
    const all_are_large scope;
    EXPECT_TRUE(same_bits(solved(a.view()), want)) << (mixed ? "mixed" : "f64");
  }
}

TEST_F(large_matrices, have_null_spaces) {
  const csr<double> a = generate("neumann2d:23x17");
  linear_system<double> s = system_of(a);
  solve_options o = by("cg");
  const solution<double> by_sums = run(s, o);
  solve_options given = o;
  given.null_vectors.assign(s.b.size(), 1.0);
  const solution<double> by_vectors = run(s, given);
  const all_are_large scope;
  expect_same(run_large(s, o), by_sums, 1);
  expect_same(run_large(s, given), by_vectors, 1);
  given.null_vectors[3] = 2.0;
  EXPECT_NE(refusal([&] { run_large(s, given); }).find("null_vectors: expected"),
            std::string::npos);
}

TEST_F(large_matrices, refuse_what_counts_in_32_bits) {
  const linear_system<double> s = system_of(mesh(9, 7));
  const all_are_large scope;
  const auto said = [&](const solve_options& o) {
    return refusal<unsupported_error>([&] { run_large(s, o); });
  };
  for (const preconditioner_kind& kind : preconditioner_kinds()) {
    if (!kind.is_sequence()) continue;
    solve_options o = by("bicgstab");
    o.preconditioner = kind.is;
    EXPECT_EQ(said(o), fmt::format("preconditioner {}: expected a matrix of at most 2147483647 "
                                   "nonzeros, found {} (preconditioners none and jacobi take more)",
                                   kind.name, s.a.nonzeros()));
  }
  for (const method_description& m : methods())
    if (!m.iterative && place::on() == backend::cpu) {
      EXPECT_EQ(said(by(m.name)), fmt::format("method {}: expected a matrix of at most 2147483647 "
                                              "nonzeros, found {} (preconditioners none and jacobi "
                                              "take more)",
                                              m.name, s.a.nonzeros()));
    }
}

/// Broken arrays, of which nothing is followed.
TEST_F(large_matrices, are_checked) {
  const linear_system<double> s = system_of(mesh(9, 7));
  const auto broken = [&](auto&& change, bool stays_large) {
    large_csr<double> a = large(s.a);
    change(a);
    std::vector<double> x(s.b.size());
    most_nonzeros_shortened() = stays_large ? -1 : most_in_32_bits;
    const std::string said = refusal([&] {
      solve(place::where(), a.view(), std::span<const double>(s.b), std::span<double>(x), by("cg"));
    });
    most_nonzeros_shortened() = most_in_32_bits;
    return said;
  };
  for (const bool large : {false, true}) {
    SCOPED_TRACE(large);
    EXPECT_EQ(broken([](auto& a) { a.row_ptr[5] += std::int64_t{1} << 32; }, large),
              "matrix: row 5 (counted from 0): expected row_ptr not to decrease, found 23 after "
              "4294967315");
    EXPECT_EQ(broken([](auto& a) { a.row_ptr[5] -= std::int64_t{1} << 33; }, large),
              "matrix: row 4 (counted from 0): expected row_ptr not to decrease, found -8589934573 "
              "after 15");
    EXPECT_EQ(broken([](auto& a) { a.row_ptr[0] = 1; }, large),
              "matrix: row 0 (counted from 0): expected row_ptr to start at 0, found 1");
    EXPECT_EQ(broken([](auto& a) { a.col[7] = 70; }, large),
              "matrix: row 2 (counted from 0): expected columns from 0 to 62, found 70");
    EXPECT_NE(broken([](auto& a) { a.val[7] = std::numeric_limits<double>::quiet_NaN(); }, large)
                  .find("matrix: row 3 (counted from 1): expected finite values, found nan"),
              std::string::npos);
    EXPECT_NE(broken([](auto& a) { a.val[1] *= 2; }, large).find("expected a symmetric one"),
              std::string::npos);
    EXPECT_NE(broken([](auto& a) { a.row_ptr = {}, a.rows = a.cols = 0; }, large), "");
  }
}

/// Below the limit row pointers of 64 bits are as good as others.
TEST_F(large_matrices, that_fit_32_bits_have_all_preconditioners) {
  const linear_system<double> s = system_of(mesh(40, 30));
  for (const preconditioner_kind& kind : preconditioner_kinds()) {
    if (kind.on_cpus_alone && place::on() != backend::cpu) continue;
    SCOPED_TRACE(kind.name);
    solve_options o = by("bicgstab");
    o.preconditioner = kind.is;
    expect_same(run_large(s, o), run(s, o), 0);
  }
}

TEST_F(large_matrices, on_a_gpu_may_be_there_already) {
  if (place::on() != backend::cuda) GTEST_SKIP() << "a CPU reads in place";
  const linear_system<double> s = system_of(random_definite(600, 2));
  const large_csr<double> a = large(s.a);
  const device where = place::where();
  const auto row_ptr = buffer<std::int64_t>::copy_of(where, a.row_ptr);
  const auto col = buffer<index>::copy_of(where, a.col);
  const auto val = buffer<double>::copy_of(where, a.val);
  const large_device_csr_view<double> view{a.rows,     a.cols,     a.nonzeros(),   row_ptr.data(),
                                           col.data(), val.data(), where.ordinal()};
  solve_options o = by("cg");
  const solution<double> want = run(s, o);
  for (const bool stays_large : {false, true}) {
    most_nonzeros_shortened() = stays_large ? -1 : most_in_32_bits;
    linear_solver<double> solver(where, view, o);
    most_nonzeros_shortened() = most_in_32_bits;
    std::vector<double> x(s.b.size());
    solver.solve(s.b, x);
    EXPECT_TRUE(same_bits(x, want.x)) << stays_large;
  }
}

}  // namespace
}  // namespace dwell::test
