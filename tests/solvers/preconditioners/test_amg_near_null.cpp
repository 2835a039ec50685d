// SPDX-License-Identifier: MIT
// Multigrid with near-null vectors and nodes: the tentative prolongation and the vectors of coarse
// levels from their definitions, the sequence beside a V-cycle with dense matrices, symmetry
// and definiteness, the same bits on two set-ups and on both backends, iterations of elasticity,
// refusals. Linked again into the tests of a GPU.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "amg_hierarchy.hpp"
#include "cg_runner.hpp"
#include "dwell/base/error.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/formats/matrix_market.hpp"
#include "dwell/linear/explain.hpp"
#include "dwell/linear/linear_solver.hpp"
#include "dwell/linear/rigid_body_modes.hpp"
#include "place.hpp"
#include "plain_options.hpp"
#include "real_matrices.hpp"
#include "refusal.hpp"
#include "symmetric.hpp"

namespace dwell::test {
namespace {

struct system_with_modes {
  std::string name;
  csr<double> a;
  std::vector<double> near_null;
  index node_rows;

  index vectors() const { return static_cast<index>(near_null.size()) / a.rows; }
  dense_matrix modes() const {
    return Eigen::Map<const dense_matrix>(near_null.data(), a.rows, vectors());
  }
  amg_options options(index coarsest = 160) const {
    amg_options o{coarsest};
    o.near_null = near_null;
    o.node_rows = node_rows;
    return o;
  }
  solve_options solving() const {
    solve_options o = plain_options();
    o.preconditioner = preconditioner::amg;
    o.preconditioning.near_null = near_null;
    o.preconditioning.block_size = node_rows;
    o.rtol = 1e-8;
    return o;
  }
};

system_with_modes elastic(const std::string& kind) {
  const generated_nodes nodes = generate_coordinates(kind);
  return {kind, generate(kind), rigid_body_modes(nodes.values, nodes.dimension), nodes.dimension};
}
/// A system with rows and columns of some unknowns fixed as boundary conditions do it: a row of the
/// identity, or a large diagonal element.
system_with_modes with_fixed_unknowns(system_with_modes s, double diagonal) {
  const auto is_fixed = [&](index i) { return i % 17 == 3 || i / s.node_rows % 23 == 5; };
  for (index i = 0; i < s.a.rows; ++i)
    for (index k = s.a.row_ptr[static_cast<std::size_t>(i)];
         k < s.a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k) {
      const index j = s.a.col[static_cast<std::size_t>(k)];
      double& v = s.a.val[static_cast<std::size_t>(k)];
      if (diagonal > 1.0) {
        if (i == j && is_fixed(i)) v = diagonal;
      } else if (is_fixed(i) || is_fixed(j)) {
        v = i == j ? diagonal : 0.0;
      }
    }
  s.name += fmt::format(", fixed by {}", diagonal);
  return s;
}
/// Nodes without neighbours and in pairs beside a path, four vectors that are not smooth, one of
/// them twice: aggregates of one node, columns that depend on others, and more vectors than rows.
system_with_modes scattered(index nodes, index node_rows) {
  symmetric m(nodes * node_rows);
  for (index node = 0; node + 1 < nodes; ++node)
    for (index i = 0; i < node_rows; ++i)
      for (index j = 0; j < node_rows; ++j) {
        if (i != j && j < i) m.add(node * node_rows + i, node * node_rows + j, 0.2);
        if (node % 11 != 4 && node % 11 != 5 && node % 11 != 7)
          m.add(node * node_rows + i, (node + 1) * node_rows + j, i == j ? -1.0 : 0.1);
      }
  csr<double> a = m.dominant([](index) { return 0.1; });
  std::vector<double> v;
  for (int column = 0; column < 4; ++column)
    for (index i = 0; i < a.rows; ++i)
      v.push_back(column == 2 ? 3.0 * v[static_cast<std::size_t>(i)]
                              : 1.0 + std::cos(0.7 * i * (column + 1)));
  return {"scattered", a, v, node_rows};
}
std::vector<system_with_modes> small_systems() {
  // The judges are dense: under sanitizers a minute each.
  if (sanitized)
    return {elastic("elasticity2d:9x6"), elastic("elasticity3d:12x1x1"),
            with_fixed_unknowns(elastic("elasticity2d:7x6"), 1.0), scattered(60, 2)};
  return {elastic("elasticity2d:13x9"),
          elastic("elasticity2d:40x3:0.4"),
          elastic("elasticity3d:5x4x6"),
          elastic("elasticity3d:30x1x1"),
          with_fixed_unknowns(elastic("elasticity2d:12x11"), 1.0),
          with_fixed_unknowns(elastic("elasticity3d:5x5x4"), 1e12),
          scattered(60, 2),
          scattered(150, 1)};
}
constexpr index coarsest = 24;

class amg_near_null : public testing::Test {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }
};

dense_matrix sweep_of(const dense_matrix& a, double omega) {
  const dense_matrix inverse_d = a.diagonal().cwiseInverse().asDiagonal();
  return dense_matrix::Identity(a.rows(), a.rows()) - omega * inverse_d * a;
}
/// The vectors without rows that are left to the smoother: unknowns that are fixed, and nodes
/// without neighbours.
dense_matrix held_part(const dense_matrix& a, index node_rows, const dense_matrix& b) {
  dense_matrix held = b;
  const auto weight = [&](index i, index j) { return a(i, j) / a(i, i) * a(i, j) / a(j, j); };
  for (index node = 0; node < a.rows() / node_rows; ++node) {
    bool alone = true;
    for (index i = node * node_rows; i < (node + 1) * node_rows; ++i) {
      bool fixed = true;
      for (index j = 0; j < a.rows(); ++j) {
        if (i != j && weight(i, j) > 1e-10) fixed = false;
        if (j / node_rows != node && a(i, j) != 0.0) alone = false;
      }
      if (fixed) held.row(i).setZero();
    }
    if (alone) held.middleRows(node * node_rows, node_rows).setZero();
  }
  return held;
}

// With Q = (I - w D^-1 A)^2 T of the sequence, T R = B means that Q R is what two sweeps make of B.
TEST_F(amg_near_null, is_a_v_cycle_whose_tentative_prolongations_hold_the_vectors) {
  for (const system_with_modes& system : small_systems()) {
    SCOPED_TRACE(system.name);
    const set_up s(place::where(), system.a, system.options(coarsest));
    const std::size_t levels = s.made.levels.size();
    ASSERT_GE(levels, 2u);
    EXPECT_EQ(s.made.levels[0].node_rows, system.node_rows);
    const std::vector<dense_matrix> m = matrices_of(s);
    const double unit = std::ldexp(1.0, std::ilogb(dense_of(system.a).diagonal().maxCoeff()));
    std::vector<dense_matrix> a = {dense_of(system.a)}, p;
    std::vector<double> omega;
    dense_matrix near_null = system.modes();
    for (std::size_t l = 0; l + 1 < levels; ++l) {
      SCOPED_TRACE(l);
      EXPECT_EQ(s.made.levels[l].vectors, system.vectors());
      const dense_matrix here = a[l];
      const double w = s.made.levels[l].omega;
      omega.push_back(w);
      const dense_matrix root = here.diagonal().cwiseInverse().cwiseSqrt().asDiagonal();
      const double most = symmetric_eigenvalues(root * here * root).maxCoeff();
      EXPECT_LE(w * most, 1.7);
      const dense_matrix& up = m[2 * (levels - 1) + (levels - 1 - l)];
      EXPECT_EQ(m[2 * l + 1], up.transpose());
      const dense_matrix sweep = sweep_of(here, w);
      p.push_back(solve_by_full_pivoting(sweep, up));
      dense_matrix galerkin = p[l].transpose() * here * p[l];
      for (index c = 0; c < up.cols(); ++c)
        if (up.col(c).isZero(0.0)) galerkin(c, c) = unit;
      const dense_matrix smoothed =
          sweep * (sweep * held_part(here, s.made.levels[l].node_rows, near_null));
      near_null = least_norm(up, smoothed, 1e-5);
      EXPECT_LT((up * near_null - smoothed).norm(), 1e-4 * smoothed.norm());
      a.push_back(galerkin);
    }
    const dense_matrix identity = dense_matrix::Identity(a.back().rows(), a.back().rows());
    const dense_matrix inverse = m[2 * (levels - 1)] / unit;
    EXPECT_LT((inverse * a.back() - identity).norm(), 1e-2 * identity.norm());
    const dense_matrix whole = applied(m, levels);
    for (int k = 0; k < 3; ++k) {
      dense_vector b(system.a.rows);
      for (index i = 0; i < system.a.rows; ++i) b[i] = std::sin(1.0 + i * (k + 1.3));
      const dense_vector expected = unit * v_cycle(a, p, omega, inverse, b);
      EXPECT_LT((whole * b - expected).norm(), 2e-3 * expected.norm());
    }
  }
}

TEST_F(amg_near_null, is_symmetric_and_positive_definite) {
  for (const system_with_modes& system : small_systems()) {
    SCOPED_TRACE(system.name);
    const set_up s(place::where(), system.a, system.options(coarsest));
    const dense_matrix m = applied(matrices_of(s), s.made.levels.size());
    // In the scale of the matrix's diagonal, which a fixed unknown may have to itself.
    const dense_vector root = dense_of(system.a).diagonal().cwiseSqrt();
    const dense_matrix scaled = root.asDiagonal() * m * root.asDiagonal();
    EXPECT_LT((scaled - scaled.transpose()).norm(), 1e-5 * scaled.norm());
    const dense_matrix even = 0.5 * (scaled + scaled.transpose());
    EXPECT_GT(symmetric_eigenvalues(even).minCoeff(), 0.0);
  }
}

TEST_F(amg_near_null, repeats_bit_for_bit_with_any_threads_and_as_on_the_host) {
  for (const system_with_modes& system :
       {elastic("elasticity2d:131x90"), elastic("elasticity3d:15x13x11"), scattered(5000, 3)}) {
    SCOPED_TRACE(system.name);
    const set_up first(place::where(), system.a, system.options());
    const set_up second(place::where(), system.a, system.options());
    const set_up several(device::cpu(4), system.a, system.options());
    const on_one_processor there;
    const set_up one(device::cpu(1), system.a, system.options());
    ASSERT_GE(one.made.levels.size(), 2u);
    for (const set_up* other : {&second, &several, &one}) {
      ASSERT_EQ(other->made.levels.size(), first.made.levels.size());
      for (std::size_t l = 0; l < first.made.levels.size(); ++l) {
        EXPECT_EQ(other->rows(l), first.rows(l));
        EXPECT_EQ(other->made.levels[l].nonzeros, first.made.levels[l].nonzeros);
      }
      EXPECT_EQ(values_of(*other), values_of(first));
    }
  }
}

// A power of two changes no bit of the fractions.
TEST_F(amg_near_null, refreshes_values_with_the_bits_of_a_new_set_up) {
  for (const system_with_modes& system :
       {elastic("elasticity2d:40x31"), elastic("elasticity3d:9x8x7"), scattered(700, 2)}) {
    SCOPED_TRACE(system.name);
    amg_options o = system.options();
    o.keep = true;
    csr<double> scaled = system.a;
    for (double& v : scaled.val) v *= 0x1p-9;
    const set_up kept(place::where(), system.a, o), fresh(place::where(), scaled, o);
    ASSERT_GE(kept.made.levels.size(), 2u);
    const auto before = values_of(kept);
    const auto again = [&](const csr<double>& a) {
      const auto val = buffer<double>::copy_of(kept.where, a.val);
      const csr_arrays<double> there{a.rows,          a.cols,    a.nonzeros(), kept.row_ptr.data(),
                                     kept.col.data(), val.data()};
      kept.made.refresh(&there);
    };
    again(scaled);
    EXPECT_EQ(values_of(kept), values_of(fresh));
    again(system.a);
    EXPECT_EQ(values_of(kept), before);
    csr<double> other = system.a;
    for (index i = 0; i < other.rows; ++i)
      for (index k = other.row_ptr[static_cast<std::size_t>(i)];
           k < other.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
        if (other.col[static_cast<std::size_t>(k)] == i)
          other.val[static_cast<std::size_t>(k)] *= 1.0 + 0.01 * (i % 5);
    again(other);
    EXPECT_NE(values_of(kept), before);
  }
}

// What spans the same vectors gives the same prolongation, up to rounding.
TEST_F(amg_near_null, does_not_depend_on_the_scale_of_a_vector) {
  system_with_modes system = elastic("elasticity2d:30x30");
  const auto iterations = [&] {
    return run(system_of<double>(system.a), system.solving()).report.iterations;
  };
  const int before = iterations();
  for (index i = 0; i < system.a.rows; ++i) {
    system.near_null[static_cast<std::size_t>(i)] *= 1e200;
    system.near_null[static_cast<std::size_t>(2 * system.a.rows + i)] *= 1e-200;
  }
  EXPECT_NEAR(iterations(), before, 1);
}

TEST_F(amg_near_null, needs_as_few_iterations_on_finer_meshes) {
  for (const auto& [kinds, most] :
       {std::pair{std::vector<std::string>{"elasticity2d:30x30", "elasticity2d:61x60",
                                           "elasticity2d:120x121"},
                  32},
        std::pair{std::vector<std::string>{"elasticity3d:8x8x8", "elasticity3d:12x11x13",
                                           "elasticity3d:16x17x16"},
                  36}}) {
    int first = 0;
    for (const std::string& kind : kinds) {
      if (sanitized && kind == kinds.back()) continue;
      SCOPED_TRACE(kind);
      const system_with_modes system = elastic(kind);
      const linear_system<double> to_solve = system_of<double>(system.a);
      const auto with = run(to_solve, system.solving());
      solve_options scalar = system.solving();
      scalar.preconditioning.near_null.clear();
      const auto without = run(to_solve, scalar);
      EXPECT_EQ(with.report.stopped, stop_reason::converged);
      EXPECT_LE(with.report.iterations, most);
      EXPECT_LT(with.report.iterations, without.report.iterations);
      if (first == 0) first = with.report.iterations;
      EXPECT_LE(with.report.iterations, first + 8);
    }
  }
}

// A beam bends, which translations do not.
TEST_F(amg_near_null, holds_rotations_of_a_beam) {
  const system_with_modes system = elastic("elasticity2d:300x10");
  system_with_modes translations = system;
  translations.near_null.resize(static_cast<std::size_t>(2 * system.a.rows));
  const linear_system<double> to_solve = system_of<double>(system.a);
  const auto all = run(to_solve, system.solving()), some = run(to_solve, translations.solving());
  EXPECT_EQ(all.report.stopped, stop_reason::converged);
  EXPECT_LE(all.report.iterations, 45);
  EXPECT_GT(some.report.iterations, 2 * all.report.iterations);
}

TEST_F(amg_near_null, solves_where_unknowns_are_fixed_and_in_single_precision) {
  for (const double diagonal : {1.0, 1e8}) {
    SCOPED_TRACE(diagonal);
    const system_with_modes system = with_fixed_unknowns(elastic("elasticity2d:60x60"), diagonal);
    const auto got = run(system_of<double>(system.a), system.solving());
    EXPECT_EQ(got.report.stopped, stop_reason::converged);
    EXPECT_LE(got.report.iterations, 40);
  }
  const system_with_modes system = elastic("elasticity3d:9x9x9");
  solve_options o = system.solving();
  o.rtol = 1e-5;
  const auto got = run(system_of<float>(system.a), o);
  EXPECT_EQ(got.report.stopped, stop_reason::converged);
  EXPECT_LE(got.report.iterations, 30);
}

TEST_F(amg_near_null, takes_other_values_of_the_same_pattern) {
  const system_with_modes system = elastic("elasticity2d:40x40");
  csr<double> second = system.a;
  for (double& v : second.val) v *= 2.0;
  linear_solver<double> changed(place::where(), system.a.view(), system.solving()),
      fresh(place::where(), second.view(), system.solving());
  const std::vector<double> b(static_cast<std::size_t>(system.a.rows), 1.0);
  std::vector<double> x(b.size(), 0.0), y(b.size(), 0.0);
  EXPECT_EQ(changed.solve(b, x).stopped, stop_reason::converged);
  for (int time = 0; time < 2; ++time) {  // the second time with the patterns that are there
    changed.update_values(second.val);
    std::fill(x.begin(), x.end(), 0.0);
    std::fill(y.begin(), y.end(), 0.0);
    EXPECT_EQ(changed.solve(b, x).iterations, fresh.solve(b, y).iterations);
    EXPECT_TRUE(same_bits(x, y));
  }
}

TEST_F(amg_near_null, holds_for_matrices_of_any_scale) {
  for (system_with_modes system : {elastic("elasticity2d:30x30"), scattered(300, 2)}) {
    SCOPED_TRACE(system.name);
    const int wanted = run(system_of<double>(system.a), system.solving()).report.iterations;
    for (const double by : {0x1p-660, 0x1p-100, 0x1p100, 0x1p660}) {
      SCOPED_TRACE(by);
      system_with_modes scaled = system;
      for (double& v : scaled.a.val) v *= by;
      const auto got = run(system_of<double>(scaled.a), scaled.solving());
      EXPECT_EQ(got.report.stopped, stop_reason::converged);
      EXPECT_EQ(got.report.iterations, wanted);
    }
  }
}

/// A plane truss that nothing holds: springs between neighbours, diagonal ones among them.
system_with_modes free_truss(index nx, index ny) {
  symmetric m(2 * nx * ny);
  std::vector<double> coordinates;
  for (index y = 0; y < ny; ++y)
    for (index x = 0; x < nx; ++x) {
      coordinates.insert(coordinates.end(), {double(x), double(y)});
      for (const auto& [dx, dy] : {std::pair{1, 0}, {0, 1}, {1, 1}, {-1, 1}}) {
        if (x + dx < 0 || x + dx >= nx || y + dy >= ny) continue;
        const index here = y * nx + x, there = (y + dy) * nx + x + dx;
        const double along[] = {dx / std::hypot(dx, dy), dy / std::hypot(dx, dy)};
        for (int r = 0; r < 2; ++r)
          for (int c = 0; c < 2; ++c) {
            const double v = along[r] * along[c];
            m.add(2 * here + r, 2 * there + c, -v);
            if (c > r) continue;
            m.add(2 * here + r, 2 * here + c, v);
            m.add(2 * there + r, 2 * there + c, v);
          }
      }
    }
  return {"truss", m.as_is(), rigid_body_modes(coordinates, 2), 2};
}

// The coarsest matrix is singular then, and so is A on the modes.
TEST_F(amg_near_null, solves_for_a_body_that_nothing_holds) {
  for (const index n : {15, 30, 60}) {
    SCOPED_TRACE(n);
    const system_with_modes system = free_truss(n, n + 1);
    solve_options o = system.solving();
    o.null_vectors = system.near_null;
    const auto got = run(system_of<double>(system.a), o);
    EXPECT_EQ(got.report.stopped, stop_reason::converged);
    EXPECT_EQ(got.report.null_space, "given");
    EXPECT_LE(got.report.iterations, 30);
  }
}

TEST_F(amg_near_null, says_rows_and_vectors_of_levels) {
  const system_with_modes system = elastic("elasticity2d:30x30");
  const solve_explanation e = explain(system.a.view(), device::cpu(1).facts(), system.solving());
  ASSERT_GE(e.preconditioner_parts.size(), 2u);
  EXPECT_EQ(e.preconditioner_parts[0].name, "level 1, 2 rows a node, 3 vectors");
  EXPECT_EQ(e.preconditioner_parts[1].name, "level 2, 3 rows a node, 3 vectors");
}

TEST_F(amg_near_null, refuses_what_does_not_fit) {
  const system_with_modes sound = elastic("elasticity2d:10x10");  // 220 rows
  const auto message = [&](auto&& change) {
    solve_options o = sound.solving();
    change(o.preconditioning);
    return refusal<input_error>([&] { run(system_of<double>(sound.a), o); });
  };
  EXPECT_EQ(message([](auto& o) { o.near_null.pop_back(); }),
            "near_null: expected 1 to 6 vectors of 220 values, one per row of the matrix, found "
            "659 values");
  EXPECT_EQ(message([](auto& o) { o.near_null.resize(7 * 220); }),
            "near_null: expected 1 to 6 vectors of 220 values, one per row of the matrix, found 7 "
            "vectors");
  EXPECT_EQ(message([](auto& o) { o.near_null[222] = std::numeric_limits<double>::quiet_NaN(); }),
            "near_null: expected finite values, found nan in row 3 of vector 2 (counted from 1)");
  EXPECT_EQ(message([](auto& o) { o.block_size = 3; }),
            "block_size: expected rows of a node, 1 to 32 and a divisor of the matrix's 220 rows "
            "(or 0: 1), found 3");
  EXPECT_EQ(message([](auto& o) { o.block_size = 44; }),
            "block_size: expected rows of a node, 1 to 32 and a divisor of the matrix's 220 rows "
            "(or 0: 1), found 44");
}

TEST_F(amg_near_null, leaves_a_matrix_without_couplings_to_the_smoother) {
  symmetric m(700);
  system_with_modes system{"diagonal", m.dominant([](index i) { return 1.0 + i % 3; }),
                           std::vector<double>(1400, 1.0), 2};
  const auto got = run(system_of<double>(system.a), system.solving());
  EXPECT_EQ(got.report.stopped, stop_reason::converged);
  EXPECT_LE(got.report.iterations, 5);
}

// Without coordinates, constants for each unknown of a node. Their number is a guess (none of these
// files says it), so that the vectors help with some matrices and hardly change others.
TEST_F(amg_near_null, translations_of_real_matrices) {
  if (sanitized) GTEST_SKIP() << "iterations are counted without sanitizers";
  const struct {
    const char* name;
    index node_rows;
    double most;  ///< iterations, of those without
  } cases[] = {
      {"bcsstk16", 3, 1.2}, {"bcsstk17", 6, 0.7}, {"bcsstk15", 6, 0.7}, {"gyro_m", 3, 0.8}};
  int found = 0;
  for (const indexed_matrix& there : indexed_matrices())
    for (const auto& [name, node_rows, most] : cases) {
      if (there.name != name) continue;
      SCOPED_TRACE(name);
      ++found;
      system_with_modes system{name, read_matrix_market(there.file).matrix, {}, node_rows};
      for (index c = 0; c < node_rows; ++c)
        for (index i = 0; i < system.a.rows; ++i)
          system.near_null.push_back(i % node_rows == c ? 1.0 : 0.0);
      const linear_system<double> to_solve = system_of<double>(system.a);
      solve_options scalar = system.solving();
      scalar.preconditioning.near_null.clear();
      scalar.preconditioning.coarsening = "roots";
      const auto with = run(to_solve, system.solving()), without = run(to_solve, scalar);
      EXPECT_EQ(with.report.stopped, stop_reason::converged);
      EXPECT_LE(with.report.iterations, most * without.report.iterations);
    }
  if (found == 0) GTEST_SKIP() << why_no_matrices();
}

}  // namespace
}  // namespace dwell::test
