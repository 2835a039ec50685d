// SPDX-License-Identifier: MIT
// Preconditioner "auto": choices by facts and by the probe's model, and what solves make of them
// (those of a CPU: test_preconditioner_search.cpp). Linked again into the tests of a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <string>
#include <vector>

#include "cg_runner.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/linear/cg_batch.hpp"
#include "dwell/linear/explain.hpp"
#include "dwell/linear/linear_solver.hpp"
#include "dwell/solvers/linear/choose/choose_preconditioner.hpp"
#include "symmetric.hpp"

namespace dwell::test {
namespace {

constexpr auto open = preconditioner::automatic;

solve_options asking(const std::string& method = "cg") {
  solve_options o;
  o.method = method;
  o.preconditioner = open;
  return o;
}

system_facts definite() {
  system_facts f;
  f.sound = f.symmetric = f.positive_diagonal = f.full_diagonal = true;
  return f;
}

/// Runs that nobody judges step by step: on a GPU, among ranks.
TEST(choose_preconditioner, by_facts) {
  const system_facts f = definite();
  EXPECT_TRUE(choose_preconditioner(asking(), f, 1000000, false).probe);
  EXPECT_EQ(choose_preconditioner(asking(), f, 1000000, false).is, preconditioner::jacobi);
  EXPECT_FALSE(choose_preconditioner(asking(), f, least_rows_of_multigrid, false).probe);
  system_facts mixed = f;
  mixed.rows_with_positive = 0.4;
  const auto elastic = choose_preconditioner(asking(), mixed, 1000000, false);
  EXPECT_EQ(elastic.is, preconditioner::jacobi);
  EXPECT_FALSE(elastic.probe);
  EXPECT_NE(elastic.why.find("40 %"), std::string::npos) << elastic.why;
  solve_options fixed = asking();
  fixed.fixed_iterations = true;
  EXPECT_FALSE(choose_preconditioner(fixed, f, 1000000, false).probe);
  solve_options form = asking();
  form.variant = textbook();
  EXPECT_FALSE(choose_preconditioner(form, f, 1000000, false).probe);
  for (const char* method : {"minres", "bicgstab"}) {
    EXPECT_EQ(choose_preconditioner(asking(method), f, 1000000, false).is, preconditioner::jacobi);
    EXPECT_FALSE(choose_preconditioner(asking(method), f, 1000000, false).probe);
    system_facts zeros = f;
    zeros.full_diagonal = false;
    EXPECT_EQ(choose_preconditioner(asking(method), zeros, 1000000, false).is,
              preconditioner::none);
  }
}

/// What may follow: the first one begins.
TEST(choose_preconditioner, of_all_that_are_allowed) {
  using list = std::vector<preconditioner>;
  const auto all = [](const solve_options& o, const system_facts& f) {
    for (const bool judged : {false, true}) {
      const auto found = choose_preconditioner(o, f, 1000, judged);
      EXPECT_FALSE(judged && found.probe);
      if (!found.all.empty()) {
        EXPECT_EQ(found.all.front(), found.is);
      }
    }
    return choose_preconditioner(o, f, 1000, true).all;
  };
  const system_facts f = definite();
  system_facts indefinite = f, zeros = f;
  indefinite.positive_diagonal = false;
  zeros.full_diagonal = zeros.positive_diagonal = false;
  EXPECT_EQ(all(asking(), f), (list{preconditioner::jacobi, preconditioner::amg,
                                    preconditioner::fsai, preconditioner::block_jacobi}));
  EXPECT_EQ(all(asking("minres"), indefinite), list{preconditioner::jacobi});
  EXPECT_EQ(all(asking("minres"), f), (list{preconditioner::jacobi, preconditioner::block_jacobi}));
  EXPECT_EQ(all(asking("minres"), zeros), list{preconditioner::none});
  const list without_multigrid{preconditioner::jacobi, preconditioner::block_jacobi,
                               preconditioner::ilu0};
  list with_multigrid = without_multigrid;
  with_multigrid.push_back(preconditioner::aggregation);
  EXPECT_EQ(all(asking("gmres"), f), with_multigrid);
  EXPECT_EQ(choose_preconditioner(asking("gmres"), f, 1000, false).all, without_multigrid);
  system_facts mixed_signs = f;
  mixed_signs.rows_with_positive = 0.4;
  EXPECT_EQ(all(asking("gmres"), mixed_signs), without_multigrid);
  EXPECT_EQ(all(asking("bicgstab"), indefinite), without_multigrid);
  EXPECT_EQ(all(asking("bicgstab"), zeros),
            (list{preconditioner::none, preconditioner::block_jacobi}));
  solve_options form = asking();
  form.variant = textbook();
  EXPECT_EQ(all(form, f), list{preconditioner::jacobi});
  solve_options fixed = asking();
  fixed.fixed_iterations = true;
  EXPECT_EQ(all(fixed, f), list{});
  EXPECT_EQ(choose_preconditioner(asking("minres"), zeros, 1000, true).why,
            "the diagonal has zeros");
  EXPECT_NE(choose_preconditioner(asking("minres"), indefinite, 1000, true).why.find("no other"),
            std::string::npos);
}

/// The systems of docs/results/preconditioners.md, after 60 of their iterations with Jacobi.
TEST(choose_preconditioner, by_the_model_of_a_gpu) {
  jacobi_probe seen;
  seen.residual = 1e-1;
  seen.target = 1e-8;
  seen.rows = 1000000;
  seen.nonzeros = 4996000;
  seen.seconds = 29e-6;
  seen.reduction = 0.991;  // 1800 iterations
  const auto slow = choose_after(seen, backend::cuda);
  EXPECT_EQ(slow.is, preconditioner::amg) << slow.why;
  EXPECT_EQ(slow.patience, INT_MAX);
  const preconditioner_forecast of = forecast(seen, backend::cuda);
  EXPECT_NEAR(of.amg_setup_s, 9.6e-3, 2e-3);
  EXPECT_NEAR(of.amg_s, 4.7e-3, 2e-3);
  EXPECT_NEAR(of.jacobi_iterations, 1780, 50);
  seen.nonzeros = 6940000;  // 100 x 100 x 100
  seen.seconds = 37e-6;
  seen.reduction = 0.92;  // 250
  EXPECT_EQ(choose_after(seen, backend::cuda).is, preconditioner::jacobi);
  EXPECT_NEAR(forecast(seen, backend::cuda).amg_setup_s, 25.6e-3, 6e-3);
  // Multigrid takes about 31 ms, 830 iterations with Jacobi.
  EXPECT_EQ(choose_after(seen, backend::cuda).patience, 1024);
  seen.reduction = 1.01;  // it does not fall yet
  EXPECT_EQ(choose_after(seen, backend::cuda).is, preconditioner::amg);
  // 300 x 300: 550 iterations with Jacobi take longer than a further hierarchy, not the first one.
  jacobi_probe small = seen;
  small.rows = 90000;
  small.nonzeros = 448800;
  small.seconds = 12e-6;
  small.reduction = 0.97;
  EXPECT_EQ(choose_after(small, backend::cuda).is, preconditioner::amg);
  small.first_on_gpu = true;
  EXPECT_EQ(choose_after(small, backend::cuda).is, preconditioner::jacobi);
  EXPECT_GT(forecast(small, backend::cuda).amg_setup_s, 15e-3);
  small.seconds = 60e-6;
  EXPECT_EQ(choose_after(small, backend::cuda).is, preconditioner::amg);
  seen.residual = 0.5e-8;  // nothing is left to do
  EXPECT_EQ(choose_after(seen, backend::cuda).is, preconditioner::jacobi);
}

/// Multigrid of blocks of rows, with the counts of docs/results/distributed.md.
TEST(choose_preconditioner, by_the_model_of_ranks) {
  const auto iterations = [](double rows, int ranks) {
    jacobi_probe seen;
    seen.residual = 1;
    seen.target = 1e-8;
    seen.rows = rows;
    seen.nonzeros = 5 * rows;
    seen.seconds = 1e-3;
    seen.reduction = 0.99;
    seen.ranks = ranks;
    return forecast(seen, backend::cpu).amg_iterations;
  };
  const struct {
    double rows;
    int ranks, counted;
  } measured[] = {{4e4, 2, 69},  {4e4, 4, 87},  {4e4, 8, 112},
                  {1e6, 2, 146}, {1e6, 4, 189}, {1e6, 8, 236}};
  for (const auto& [rows, ranks, counted] : measured)
    EXPECT_NEAR(iterations(rows, ranks), counted, 0.15 * counted) << rows << " " << ranks;
  EXPECT_LT(iterations(1e6, 1), 40);
}

class open_preconditioner : public testing::Test {
 protected:
  /// Runs on a CPU ask a judge after every step.
  static bool judged_here() { return place::on() == backend::cpu; }
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }
  template <class T = double>
  static linear_system<T> system_of(const csr<double>& a) {
    linear_system<T> s{"", convert<T>(a.view()), {}};
    const auto b = random_vector(a.rows, 3);
    s.b.assign(b.begin(), b.end());
    return s;
  }
};

TEST_F(open_preconditioner, small_systems_take_jacobi) {
  const auto s = system_of(generate("poisson2d:33x21"));
  const auto got = run(s, asking());
  EXPECT_EQ(got.report.preconditioner, preconditioner::jacobi);
  EXPECT_NE(
      got.report.preconditioner_reason.find(judged_here() ? "the cheapest first" : "20000 rows"),
      std::string::npos)
      << got.report.preconditioner_reason;
  solve_options o = asking();
  o.preconditioner = preconditioner::jacobi;
  const auto asked = run(s, o);
  EXPECT_EQ(asked.report.preconditioner_reason, "as asked");
  EXPECT_TRUE(same_bits(got.x, asked.x));
  EXPECT_EQ(
      run(system_of(generate("helmholtz2d:31x23:1.2")), asking("minres")).report.preconditioner,
      preconditioner::jacobi);
}

TEST_F(open_preconditioner, large_ones_are_probed_or_judged) {
  const auto s = system_of(generate("poisson2d:400x400"));
  solve_options o = asking();
  o.history = true;
  std::vector<int> told;
  o.progress_interval = 0;
  o.progress = [&](const solve_progress& p) { told.push_back(p.iteration); };
  const auto got = run(s, o);
  const solve_report& r = got.report;
  EXPECT_EQ(r.stopped, stop_reason::converged);
  EXPECT_LE(r.residual_relative_true, o.rtol);
  EXPECT_LE(residual_norm(s.a.view(), std::span<const double>(s.b), std::span<const double>(got.x)),
            1.01 * o.rtol * r.rhs_norm)
      << "not the answer that was judged";
  EXPECT_NE(r.preconditioner_reason.find(judged_here() ? "iterations with jacobi"
                                                       : "after 60 iterations with jacobi"),
            std::string::npos)
      << r.preconditioner_reason;
  if (!judged_here()) {
    EXPECT_GT(r.iterations, 60);
  }
  EXPECT_GT(r.attempts.size(), 1u);
  EXPECT_EQ(r.history.size(), static_cast<std::size_t>(r.iterations) + 1);
  ASSERT_EQ(told.size(), r.history.size());
  for (std::size_t k = 0; k < told.size(); ++k) EXPECT_EQ(told[k], static_cast<int>(k));
  EXPECT_EQ(r.preconditioner == preconditioner::amg, r.setup.preconditioner_s > 0);
  EXPECT_NEAR(r.per_iteration_us, 1e6 * r.solve_s / r.iterations, 1e-3 * r.per_iteration_us);
}

/// The right-hand side is rough but for a small part: 60 iterations take nearly all of
/// it, which looks like fast convergence, and leave what takes hundreds.
TEST_F(open_preconditioner, patience_ends) {
  auto s = system_of(generate("poisson2d:200x200"));
  for (index i = 0; i < s.a.rows; ++i)
    s.b[static_cast<std::size_t>(i)] = ((i % 200 + i / 200) % 2 == 0 ? 1.0 : -1.0) + 1e-7;
  const auto got = run(s, asking());
  const solve_report& r = got.report;
  EXPECT_EQ(r.stopped, stop_reason::converged);
  EXPECT_LE(residual_norm(s.a.view(), std::span<const double>(s.b), std::span<const double>(got.x)),
            1.01e-8 * r.rhs_norm);
  EXPECT_EQ(r.preconditioner == preconditioner::amg, r.setup.preconditioner_s > 0);
}

TEST_F(open_preconditioner, convergence_in_the_probe_is_the_end) {
  csr<double> a = generate("poisson2d:200x150");
  for (index i = 0; i < a.rows; ++i)
    for (index k = a.row_ptr[static_cast<std::size_t>(i)];
         k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      if (a.col[static_cast<std::size_t>(k)] == i) a.val[static_cast<std::size_t>(k)] = 5;
  const auto s = system_of(a);
  const auto got = run(s, asking());
  EXPECT_EQ(got.report.stopped, stop_reason::converged);
  EXPECT_LE(got.report.iterations, 60);
  EXPECT_EQ(got.report.preconditioner, preconditioner::jacobi);
  if (!judged_here()) {
    EXPECT_NE(got.report.preconditioner_reason.find("converged within"), std::string::npos);
  }
}

TEST_F(open_preconditioner, positive_elements_beside_the_diagonal) {
  // Two unknowns a point that couple with either sign, as displacements do.
  symmetric e(2 * 150 * 100);
  const auto at = [](index x, index y, index c) { return 2 * (y * 150 + x) + c; };
  for (index y = 0; y < 100; ++y)
    for (index x = 0; x < 150; ++x)
      for (index c = 0; c < 2; ++c) {
        e.add(at(x, y, c), at(x, y, c), 8.5);
        if (x + 1 < 150) e.add(at(x, y, c), at(x + 1, y, c), -1);
        if (y + 1 < 100) e.add(at(x, y, c), at(x, y + 1, c), -1);
        if (x + 1 < 150 && y + 1 < 100)
          e.add(at(x, y, c), at(x + 1, y + 1, 1 - c), c == 0 ? 0.5 : -0.5);
      }
  const auto got = run(system_of(e.as_is()), asking());
  EXPECT_EQ(got.report.preconditioner, preconditioner::jacobi);
  if (!judged_here()) {
    EXPECT_NE(got.report.preconditioner_reason.find("positive beside the diagonal"),
              std::string::npos);
  }
}

TEST_F(open_preconditioner, a_solver_keeps_what_it_has_prepared) {
  const auto s = system_of(generate("poisson2d:400x400"));
  linear_solver<double> solver(place::where(), s.a.view(), asking());
  std::vector<double> x(s.b.size()), y(s.b.size()), block(2 * s.b.size()), both(s.b);
  const solve_report first = solver.solve(s.b, x);
  const solve_report second = solver.solve(s.b, y);
  if (first.preconditioner == second.preconditioner) {  // measured times decide
    EXPECT_EQ(second.setup.preconditioner_s, 0.0);
    EXPECT_EQ(second.setup.plan_s, 0.0);
  }
  EXPECT_EQ(second.stopped, stop_reason::converged);
  both.insert(both.end(), s.b.begin(), s.b.end());
  linear_solver<double> of_columns(place::where(), s.a.view(), asking());
  const auto n = s.b.size();
  const auto reports =
      of_columns.solve(std::span<const double>(both), n, std::span<double>(block), n, 2);
  ASSERT_EQ(reports.size(), 2u);
  for (const solve_report& r : reports) {
    EXPECT_EQ(r.stopped, stop_reason::converged);
    EXPECT_EQ(r.preconditioner, reports.front().preconditioner);
  }
}

TEST_F(open_preconditioner, limits_and_refusals) {
  const auto s = system_of(generate("poisson2d:400x400"));
  solve_options o = asking();
  o.max_iterations = 70;
  const auto got = run(s, o);
  EXPECT_LE(got.report.iterations, 70);
  const csr<double> a = generate("poisson2d:9x9");
  const std::vector<csr_view<double>> systems = {a.view()};
  // A batch has no choice: jacobi.
  const std::vector<double> b = random_vector(a.rows, 3);
  const auto of_batch = [&](preconditioner p) {
    solve_options how;
    how.preconditioner = p;
    cg_batch<double> batch(place::where(), std::span<const csr_view<double>>(systems), how);
    std::vector<double> x(b.size());
    EXPECT_EQ(batch.solve(std::span<const double>(b), std::span<double>(x)).preconditioner,
              preconditioner::jacobi);
    return x;
  };
  EXPECT_TRUE(same_bits(of_batch(open), of_batch(preconditioner::jacobi)));
}

}  // namespace
}  // namespace dwell::test
