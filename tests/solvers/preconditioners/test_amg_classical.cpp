// SPDX-License-Identifier: MIT
// Classical coarsening of multigrid: splittings and prolongations by their definitions on matrices
// of many kinds, and hierarchies and solves with them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "amg_hierarchy.hpp"
#include "battery.hpp"
#include "cg_runner.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/device/limits.hpp"
#include "dwell/execution/team/row_table_cpu.hpp"
#include "dwell/execution/team/setup_cpu.hpp"
#include "dwell/linear/explain.hpp"
#include "dwell/linear/linear_solver.hpp"
#include "dwell/solvers/preconditioners/amg/classical_coarsening.hpp"
#include "dwell/solvers/preconditioners/amg/coarsening_choice.hpp"
#include "dwell/solvers/preconditioners/list.hpp"
#include "one_processor.hpp"
#include "place.hpp"
#include "plain_options.hpp"
#include "played_sequence.hpp"
#include "refusal.hpp"
#include "symmetric.hpp"

namespace dwell::test {
namespace {

class amg_classical : public testing::Test {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }
};

/// Splitting and prolongation of a matrix on the host, as dense ones.
class split_matrix : dwell::amg::classical_coarsening<cpu::setup_loops, cpu::row_table> {
  using base = dwell::amg::classical_coarsening<cpu::setup_loops, cpu::row_table>;

 public:
  /// then: other values, which the prolongation gets once it is there.
  split_matrix(const csr<double>& a, bool in_rounds, const csr<double>* then = nullptr)
      : base(device::cpu(1)) {
    std::vector<double> diagonal(static_cast<std::size_t>(a.rows));
    const dwell::amg::graph g{a.rows,       a.row_ptr.data(), a.row_ptr.data() + 1,
                              a.col.data(), a.val.data(),     diagonal.data()};
    cpu::setup_loops(device::cpu(1))
        .items(a.rows, a.rows, dwell::amg::find_diagonal{g, diagonal.data()});
    dwell::amg::splitting by;
    groups = this->split(g, a.nonzeros(), in_rounds, by);
    number.assign(static_cast<std::size_t>(a.rows), -1);
    for (index i = 0; i < a.rows; ++i)
      for (index k = g.row_ptr[i]; k < g.row_end[i]; ++k)
        if (by.kind.data()[k] == dwell::amg::own_of_coarse)
          number[static_cast<std::size_t>(i)] = by.number.data()[i];
    dwell::amg::made_matrix made;
    EXPECT_TRUE(this->interpolate_rows(g, a.nonzeros(), by, made));
    if (then) {
      dwell::amg::graph other = g;
      other.val = then->val.data();
      EXPECT_TRUE(this->interpolate_rows(other, a.nonzeros(), by, made));
    }
    p = dense_matrix::Zero(a.rows, groups);
    for (index i = 0; i < a.rows; ++i)
      for (index k = made.row_ptr.data()[i]; k < made.row_end.data()[i]; ++k) {
        const double v = made.val.data()[k];
        p(i, made.col.data()[k]) += v;
        zeros += v == 0.0;
        vanished += std::fabs(v) < 1e-300;
      }
  }
  bool is_coarse(index row) const { return number[static_cast<std::size_t>(row)] >= 0; }
  index groups = 0;
  std::vector<index> number;  ///< on the coarse level; -1: it is fine
  dense_matrix p;
  index zeros = 0, vanished = 0;  ///< elements of p that are zero, and as good as zero
};

/// What a row depends on, by the definition.
std::vector<std::vector<index>> dependences_of(const dense_matrix& a) {
  std::vector<std::vector<index>> all(static_cast<std::size_t>(a.rows()));
  for (index i = 0; i < a.rows(); ++i) {
    double most = 0.0;
    for (index j = 0; j < a.rows(); ++j)
      if (j != i) most = std::max(most, -a(i, j));
    for (index j = 0; j < a.rows(); ++j)
      if (j != i && a(i, j) < 0.0 && -a(i, j) >= 0.25 * most)
        all[static_cast<std::size_t>(i)].push_back(j);
  }
  return all;
}

/// Couplings from 1e-2 to 1, that share of them positive and small, some rows alone.
csr<double> scattered_signs(index n, std::uint64_t seed, double positive, bool zero_sums) {
  splitmix64 random(seed);
  symmetric m(n);
  for (index i = 1; i < n; ++i)
    for (int k = 0; k < 3 && i % 13 != 5; ++k) {
      const index j = random.below(i);
      if (j % 13 == 5 || m.has(i, j)) continue;
      const double size = std::pow(10.0, random.uniform() - 1.0);  // uniform(): from -1 to 1
      m.add(i, j, random.uniform() < 2.0 * positive - 1.0 ? 0.1 * size : -size);
    }
  return m.dominant([&](index i) { return i % 13 == 5 ? 1.0 : zero_sums ? 0.0 : 0.01; });
}
struct named {
  std::string name;
  csr<double> a;
};
std::vector<named> split_kinds(bool zero_sums = false) {
  std::vector<named> all;
  splitmix64 random(48);
  if (!zero_sums)
    for (const char* name : {"anisotropic2d:17x14:0.01", "poisson3d:6x7x8", "jumps2d:60x5:1e4"})
      all.push_back({name, generate(name)});
  all.push_back({"neumann2d", generate("neumann2d:15x16")});
  for (std::uint64_t seed = 1; seed <= 4; ++seed)
    all.push_back(
        {fmt::format("scattered {}", seed),
         scattered_signs(150 + random.below(200), seed, seed % 2 ? 0.0 : 0.2, zero_sums)});
  const std::size_t given = all.size();
  for (std::size_t k = 0; k < given; ++k)
    all.push_back({all[k].name + " renumbered",
                   renumber(all[k].a.view(), renumbering(all[k].a.rows, 7 + k))});
  return all;
}

TEST_F(amg_classical, no_two_coarse_rows_depend_on_each_other_and_no_fine_row_is_left) {
  for (const auto& [name, a] : split_kinds())
    for (const bool in_rounds : {false, true}) {
      SCOPED_TRACE(name + (in_rounds ? ", in rounds" : ", in fronts"));
      const auto depends = dependences_of(dense_of(a));
      const split_matrix s(a, in_rounds);
      EXPECT_GT(s.groups, 0);
      EXPECT_LT(s.groups, 0.8 * a.rows);
      const auto has = [&](index i, index j) {
        const auto& row = depends[static_cast<std::size_t>(i)];
        return std::find(row.begin(), row.end(), j) != row.end();
      };
      for (index i = 0; i < a.rows; ++i) {
        const auto& row = depends[static_cast<std::size_t>(i)];
        if (s.is_coarse(i)) {
          EXPECT_FALSE(row.empty());
          for (const index j : row) EXPECT_FALSE(s.is_coarse(j) && has(j, i)) << i << " " << j;
          EXPECT_EQ(s.p(i, s.number[static_cast<std::size_t>(i)]), 1.0);
          EXPECT_EQ(s.p.row(i).cwiseAbs().sum(), 1.0);
        } else {
          EXPECT_EQ(s.p.row(i).cwiseAbs().maxCoeff() > 0.0, !row.empty()) << i;
        }
      }
    }
}

/// Extended+i by its sums, the largest four of each row and those of a fifth of the largest.
dense_matrix interpolation_of(const dense_matrix& a, const std::vector<index>& number,
                              index groups) {
  const auto depends = dependences_of(a);
  const auto is_coarse = [&](index i) { return number[static_cast<std::size_t>(i)] >= 0; };
  dense_matrix p = dense_matrix::Zero(a.rows(), groups);
  for (index i = 0; i < a.rows(); ++i) {
    if (is_coarse(i)) {
      p(i, number[static_cast<std::size_t>(i)]) = 1.0;
      continue;
    }
    const auto& mine = depends[static_cast<std::size_t>(i)];
    dense_vector w = dense_vector::Zero(groups);
    double d = a.row(i).sum();  // all, and what is strong is taken off
    for (const index j : mine) d -= a(i, j);
    for (const index j : mine) {
      if (is_coarse(j)) {
        w[number[static_cast<std::size_t>(j)]] += a(i, j);
        continue;
      }
      double among = a(j, i);
      for (const index k : depends[static_cast<std::size_t>(j)])
        if (is_coarse(k)) among += a(j, k);
      for (const index k : depends[static_cast<std::size_t>(j)])
        if (is_coarse(k)) w[number[static_cast<std::size_t>(k)]] += a(i, j) * a(j, k) / among;
      d += a(i, j) * a(j, i) / among;
    }
    const double all = w.sum();
    std::vector<index> largest;
    for (index k = 0; k < groups; ++k)
      if (w[k] != 0.0) largest.push_back(k);
    std::stable_sort(largest.begin(), largest.end(),
                     [&](index k, index l) { return std::fabs(w[k]) > std::fabs(w[l]); });
    if (largest.size() > 4) largest.resize(4);
    double kept = 0.0;
    for (const index k : largest)
      if (std::fabs(w[k]) >= 0.2 * std::fabs(w[largest[0]])) kept += p(i, k) = w[k];
    if (kept != 0.0) p.row(i) *= -all / kept / std::max(d, 0.1 * a(i, i));
  }
  return p;
}

TEST_F(amg_classical, interpolates_by_the_sums_of_extended_i) {
  for (const auto& [name, a] : split_kinds())
    for (const bool in_rounds : {false, true}) {
      SCOPED_TRACE(name + (in_rounds ? ", in rounds" : ", in fronts"));
      const split_matrix s(a, in_rounds);
      const dense_matrix wanted = interpolation_of(dense_of(a), s.number, s.groups);
      index ties = 0;  // rows in which rounding chooses among equal elements
      for (index i = 0; i < a.rows; ++i)
        ties += (s.p.row(i) - wanted.row(i)).cwiseAbs().maxCoeff() > 1e-12;
      EXPECT_LE(ties, name.starts_with("scattered") ? 0 : a.rows / 10);
    }
}

// A power of two changes no bit of the prolongation.
TEST_F(amg_classical, splits_and_interpolates_alike_at_any_scale) {
  for (const auto& [name, a] : split_kinds())
    for (const bool in_rounds : {false, true}) {
      SCOPED_TRACE(name + (in_rounds ? ", in rounds" : ", in fronts"));
      const split_matrix s(a, in_rounds);
      for (const int exponent : {-700, -150, 150, 700}) {
        SCOPED_TRACE(exponent);
        csr<double> scaled = a;
        for (double& v : scaled.val) v = std::ldexp(v, exponent);
        const split_matrix other(scaled, in_rounds);
        ASSERT_EQ(other.number, s.number);
        EXPECT_EQ((other.p - s.p).cwiseAbs().maxCoeff(), 0.0);
      }
    }
}

TEST_F(amg_classical, rows_that_sum_to_zero_interpolate_constants) {
  for (const auto& [name, a] : split_kinds(true))
    for (const bool in_rounds : {false, true}) {
      SCOPED_TRACE(name + (in_rounds ? ", in rounds" : ", in fronts"));
      const dense_matrix dense = dense_of(a);
      const split_matrix s(a, in_rounds);
      const bool positive = (dense - dense_matrix(dense.diagonal().asDiagonal())).maxCoeff() > 0.0;
      for (index i = 0; i < a.rows; ++i)
        if (s.p.row(i).cwiseAbs().maxCoeff() > 0.0 && !positive) {
          EXPECT_NEAR(s.p.row(i).sum(), 1.0, 1e-11) << i;
        }
    }
}

amg_options classical(index coloured_rows = 0, bool keep = false) {
  amg_options o{12};
  o.coarsening = coarsening_kind::classical;
  o.coloured_rows = coloured_rows;
  o.keep = keep;
  return o;
}

// On a GPU, where rows are split in rounds, the bits are those of a CPU that does so.
TEST_F(amg_classical, has_the_bits_of_every_place_and_of_one_thread) {
  for (const char* kind : {"anisotropic2d:190x170:0.01", "poisson3d:27x28x29"}) {
    SCOPED_TRACE(kind);
    csr<double> a = generate(kind);
    a = renumber(a.view(), renumbering(a.rows, 3));
    amg_options o = classical();
    o.split_in_rounds = true;
    const set_up here(place::where(), a, o), one(device::cpu(1), a, o);
    ASSERT_EQ(here.made.levels.size(), one.made.levels.size());
    EXPECT_EQ(values_of(here), values_of(one));
    for (const index coloured : {0, 100}) {
      const set_up all(device::cpu(1), a, classical(coloured));
      const on_one_processor there;
      const set_up alone(device::cpu(1), a, classical(coloured));
      EXPECT_EQ(values_of(alone), values_of(all));
    }
  }
}

TEST_F(amg_classical, refreshed_is_as_made_anew) {
  for (const auto& [name, a] : split_kinds())
    for (const index coloured : {0, 50}) {
      SCOPED_TRACE(fmt::format("{}, {}", name, coloured));
      const device where = coloured > 0 ? device::cpu(1) : place::where();
      csr<double> scaled = a;
      for (double& v : scaled.val) v *= 8.0;
      const set_up kept(where, a, classical(coloured, true)),
          fresh(where, scaled, classical(coloured)), plain(where, a, classical(coloured));
      const auto refresh = [&](const csr<double>& to) {
        const auto values = buffer<double>::copy_of(where, to.val);
        const csr_arrays<double> there{
            to.rows, to.cols, to.nonzeros(), kept.row_ptr.data(), kept.col.data(), values.data()};
        kept.made.refresh(&there);
        return values_of(kept);
      };
      EXPECT_EQ(values_of(kept), values_of(plain));
      EXPECT_EQ(refresh(scaled), values_of(fresh));
      EXPECT_EQ(refresh(a), values_of(plain));
    }
}

// A zero would be left out of P' A P, whose other values would then be put in wrong places.
TEST_F(amg_classical, refreshed_has_no_zeros_where_couplings_have_vanished) {
  index vanished = 0;
  for (const auto& [name, a] : split_kinds())
    for (const bool in_rounds : {false, true}) {
      SCOPED_TRACE(name + (in_rounds ? ", in rounds" : ", in fronts"));
      csr<double> other = a;  // with diagonals over 2, by which the least number would become zero
      for (index i = 0; i < a.rows; ++i)
        for (index k = a.row_ptr[static_cast<std::size_t>(i)];
             k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k) {
          const index j = a.col[static_cast<std::size_t>(k)];
          double& v = other.val[static_cast<std::size_t>(k)];
          v *= i == j ? 8.0 : (i + j) % 3 == 0 ? -0.1 : (i + j) % 3 == 1 ? 0.0 : 1.0;
        }
      const split_matrix s(a, in_rounds, &other);
      EXPECT_EQ(s.zeros, 0);
      EXPECT_TRUE(s.p.allFinite());
      vanished += s.vanished;
    }
  EXPECT_GT(vanished, 0);
}

int iterations_with(const csr<double>& a, const char* coarsening, const char* smoother = "auto") {
  const std::vector<double> b(static_cast<std::size_t>(a.rows), 1.0);
  std::vector<double> x(b.size(), 0.0);
  solve_options o = plain_options();
  o.preconditioner = preconditioner::amg;
  o.preconditioning.coarsening = coarsening;
  o.preconditioning.smoother = smoother;
  o.refine = false;
  const solve_report r = solve(place::where(), a.view(), b, x, o);
  EXPECT_EQ(r.stopped, stop_reason::converged);
  return r.iterations;
}

TEST_F(amg_classical, takes_fewer_iterations_than_roots_in_any_order) {
  splitmix64 random(4);
  const auto size = [&](index least) { return least + random.below(least / 4); };
  for (const char* weak : {"0.1", "0.01", "1000", "0.0001"}) {
    const csr<double> a = generate(fmt::format("anisotropic2d:{}x{}:{}", size(80), size(90), weak));
    const int given = iterations_with(a, "classical");
    SCOPED_TRACE(fmt::format("{}: {}", weak, given));
    // In rounds, as on a GPU, and with Jacobi less is gained.
    EXPECT_LE(given, (place::on() == backend::cpu ? 0.75 : 1.0) * iterations_with(a, "roots"));
    EXPECT_LE(iterations_with(a, "classical", "jacobi"), iterations_with(a, "roots", "jacobi"));
    for (int k = 0; k < 3; ++k) {
      const csr<double> other = renumber(a.view(), renumbering(a.rows, 1 + random.below(1000000)));
      const int n = iterations_with(other, "classical");
      EXPECT_LE(n, 1.3 * given + 1);
      EXPECT_LE(given, 1.3 * n + 1);
    }
  }
}

TEST_F(amg_classical, refusals_and_where_there_is_no_choice) {
  preconditioner_options o;
  EXPECT_EQ(options_on(backend::cuda, preconditioner::amg, o).coarsening, "roots");
  o.coarsening = "classical";
  EXPECT_EQ(options_on(backend::cuda, preconditioner::amg, o).coarsening, "classical in rounds");
  EXPECT_EQ(options_on(backend::cpu, preconditioner::amg, o).coarsening, "classical");
  o.near_null = {1.0, 1.0};
  for (const backend on : {backend::cpu, backend::cuda})
    EXPECT_EQ(refusal<input_error>([&] { options_on(on, preconditioner::amg, o); }),
              "coarsening: expected roots or auto with near_null, found classical");
  o.coarsening = "auto";
  EXPECT_EQ(options_on(backend::cpu, preconditioner::amg, o).coarsening, "roots");
}

// With facts of a GPU the levels are those that a GPU makes, wherever the plan is made.
TEST_F(amg_classical, explained_for_a_gpu_has_the_levels_of_its_rounds) {
  splitmix64 random(60);
  const auto size = [&] { return 60 + random.below(40); };
  int other_than_fronts = 0;
  for (int k = 0; k < 4; ++k)
    for (const bool three : {false, true})
      for (const char* word : {"roots", "classical"}) {
        csr<double> a = generate(
            three ? fmt::format("poisson3d:{}x{}x{}", 13 + random.below(9), 14 + random.below(9),
                                15 + random.below(9))
                  : fmt::format("anisotropic2d:{}x{}:0.0{}", size(), size(), 1 + random.below(9)));
        a = renumber(a.view(), renumbering(a.rows, random.below(100)));
        SCOPED_TRACE(fmt::format("{} rows, {}", a.rows, word));
        amg_options made;
        if (word == std::string("classical")) made.coarsening = coarsening_kind::classical;
        const set_up fronts(device::cpu(1), a, made);
        made.split_in_rounds = true;
        const set_up want(place::where(), a, made);
        solve_options o = plain_options();
        o.preconditioner = preconditioner::amg;
        o.preconditioning.coarsening = word;
        const auto parts = explain(a.view(), facts_of("h100"), o).preconditioner_parts;
        ASSERT_EQ(parts.size(), want.made.levels.size());
        for (std::size_t l = 0; l < parts.size(); ++l) {
          EXPECT_EQ(parts[l].rows, want.made.levels[l].rows);
          EXPECT_EQ(parts[l].nonzeros, want.made.levels[l].nonzeros);
        }
        other_than_fronts +=
            parts.size() != fronts.made.levels.size() || parts.at(1).rows != fronts.rows(1);
      }
  EXPECT_GT(other_than_fronts, 0);
}

// Rows as far apart as a mesh is wide all lie on one side of it.
TEST_F(amg_classical, is_chosen_for_meshes_of_any_shape) {
  for (const char* kind : {"anisotropic2d:6x20000:0.01", "anisotropic2d:20000x6:0.01",
                           "anisotropic2d:6x20000:100", "anisotropic2d:20000x6:100"}) {
    const csr<double> a = generate(kind);
    const auto found = dwell::amg::choose_coarsening(csr_arrays<double>{
        a.rows, a.cols, a.nonzeros(), a.row_ptr.data(), a.col.data(), a.val.data()});
    EXPECT_EQ(found.is, coarsening_kind::classical) << kind << ": " << found.why;
  }
}

// Anisotropy takes classical coarsening, and nothing else of these; a GPU has roots.
TEST_F(amg_classical, is_chosen_where_it_pays) {
  const auto chosen = [](const csr<double>& a, backend on) {
    solve_options o = plain_options();
    o.preconditioner = preconditioner::amg;
    const solve_explanation e =
        explain(a.view(), on == backend::cpu ? device::cpu(1).facts() : facts_of("h100"), o);
    return e.preconditioner_note;
  };
  splitmix64 random(9);
  for (const auto& [name, more, classical] : {std::tuple{"anisotropic2d", ":0.01", true},
                                              {"anisotropic2d", ":50", true},
                                              {"poisson2d", "", false},
                                              {"jumps2d", ":1e4", false}}) {
    csr<double> a = generate(
        fmt::format("{}:{}x{}{}", name, 100 + random.below(40), 100 + random.below(40), more));
    for (const index order : {0, 3}) {
      SCOPED_TRACE(fmt::format("{}{} in order {}", name, more, order));
      a = renumber(a.view(), renumbering(a.rows, order));
      const std::string word = classical ? "classical" : "roots";
      EXPECT_EQ(chosen(a, backend::cpu).find("coarsening " + word + ": "), 0u)
          << chosen(a, backend::cpu);
      EXPECT_EQ(chosen(a, backend::cuda).find("coarsening"), std::string::npos);
      if (place::on() != backend::cpu) continue;
      EXPECT_EQ(iterations_with(a, "auto"), iterations_with(a, word.c_str()));
    }
  }
}

}  // namespace
}  // namespace dwell::test
