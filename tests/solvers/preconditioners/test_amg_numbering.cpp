// SPDX-License-Identifier: MIT
// Multigrid does not see how unknowns are numbered: iterations of systems that are transposed,
// mirrored and put into random orders; and what its aggregates are, from the steps alone.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "amg_hierarchy.hpp"
#include "battery.hpp"
#include "cg_runner.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/execution/team/row_table_cpu.hpp"
#include "dwell/execution/team/setup_cpu.hpp"
#include "dwell/linear/linear_solver.hpp"
#include "dwell/solvers/preconditioners/amg/aggregating.hpp"
#include "place.hpp"
#include "plain_options.hpp"
#include "symmetric.hpp"

namespace dwell::test {
namespace {

/// A grid whose cells are numbered along x first, and its matrix.
struct numbered_grid {
  std::string kind;
  index x, y, z;
  csr<double> a;
};
numbered_grid grid_of(const std::string& family, const std::string& more, index x, index y,
                      index z = 1) {
  const std::string size = z > 1 ? fmt::format("{}x{}x{}", x, y, z) : fmt::format("{}x{}", x, y);
  const std::string kind = family + ":" + size + more;
  return {kind, x, y, z, generate(kind)};
}

/// New numbers of its cells: axes in another order, some of them backwards.
std::vector<index> turned(const numbered_grid& g, bool transposed, int mirrored) {
  std::vector<index> to(static_cast<std::size_t>(g.a.rows));
  for (index k = 0; k < g.z; ++k)
    for (index j = 0; j < g.y; ++j)
      for (index i = 0; i < g.x; ++i) {
        const index x = mirrored & 1 ? g.x - 1 - i : i, y = mirrored & 2 ? g.y - 1 - j : j,
                    z = mirrored & 4 ? g.z - 1 - k : k;
        to[static_cast<std::size_t>((k * g.y + j) * g.x + i)] =
            transposed ? (x * g.y + y) * g.z + z : (z * g.y + y) * g.x + x;
      }
  return to;
}

int iterations_of(const csr<double>& a, const char* smoother) {
  const std::vector<double> b(static_cast<std::size_t>(a.rows), 1.0);
  std::vector<double> x(b.size(), 0.0);
  solve_options o = plain_options();
  o.preconditioner = preconditioner::amg;
  o.preconditioning.smoother = smoother;
  o.refine = false;
  return solve(place::where(), a.view(), b, x, o).iterations;
}

class amg_numbering : public testing::Test {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }
};

TEST_F(amg_numbering, changes_iterations_little) {
  splitmix64 random(2026);
  const auto size = [&](index least) { return least + random.below(least / 4); };
  std::vector<numbered_grid> grids;
  for (const char* weak : {":0.1", ":0.01", ":100", ":0.001", ":1000"})
    grids.push_back(grid_of("anisotropic2d", weak, size(90), size(80)));
  grids.push_back(grid_of("poisson2d", "", size(90), size(80)));
  grids.push_back(grid_of("poisson3d", "", size(16), size(20), size(24)));
  grids.push_back(grid_of("jumps2d", ":1e4", size(110), size(105)));
  if (races_only) grids.resize(1);
  for (const numbered_grid& g : grids)
    for (const char* smoother : {"jacobi", "auto"}) {
      SCOPED_TRACE(g.kind + ", " + smoother);
      const int given = iterations_of(g.a, smoother);
      const auto is_near = [&](const std::vector<index>& to) {
        const int n = iterations_of(renumber(g.a.view(), to), smoother);
        EXPECT_LE(n, 1.3 * given + 1);
        EXPECT_LE(given, 1.3 * n + 1);
      };
      for (const bool transposed : {false, true}) is_near(turned(g, transposed, random.below(8)));
      for (int k = 0; k < 3; ++k) is_near(renumbering(g.a.rows, 1 + random.next() % 1000000));
    }
}

/// Aggregates of a graph on the host.
class aggregates : dwell::amg::aggregating<cpu::setup_loops, cpu::row_table> {
  using base = dwell::amg::aggregating<cpu::setup_loops, cpu::row_table>;

 public:
  explicit aggregates(const csr<double>& a) : base(device::cpu(1)) {
    std::vector<double> diagonal(static_cast<std::size_t>(a.rows));
    const dwell::amg::graph g{a.rows,       a.row_ptr.data(), a.row_ptr.data() + 1,
                              a.col.data(), a.val.data(),     diagonal.data()};
    cpu::setup_loops(device::cpu(1))
        .items(a.rows, a.rows, dwell::amg::find_diagonal{g, diagonal.data()});
    buffer<index> found;
    groups = this->aggregate(g, static_cast<index>(a.val.size()), found);
    of.assign(found.data(), found.data() + a.rows);
  }
  index groups = 0;
  std::vector<index> of;
};

/// Couplings from 1e-3 to 1 of rows anywhere, some rows alone.
csr<double> scattered(index n, std::uint64_t seed) {
  splitmix64 random(seed);
  symmetric m(n);
  for (index i = 1; i < n; ++i)
    for (int k = 0; k < 3 && i % 13 != 5; ++k) {
      const index j = random.below(i);
      if (j % 13 != 5 && !m.has(i, j)) m.add(i, j, -std::pow(10.0, 1.5 * random.uniform() - 1.5));
    }
  return m.dominant([](index) { return 0.01; });
}

TEST_F(amg_numbering, aggregates_are_connected_and_hold_all_rows_that_are_coupled) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    splitmix64 random(seed);
    const csr<double> a = scattered(500 + random.below(3000), seed);
    const aggregates found(a);
    ASSERT_GT(found.groups, 0);
    EXPECT_LT(found.groups, 0.7 * a.rows);
    std::vector<index> part(found.of.size());  // the smallest row that is reached
    for (std::size_t i = 0; i < part.size(); ++i) part[i] = static_cast<index>(i);
    for (bool changed = true; changed;) {
      changed = false;
      for (index i = 0; i < a.rows; ++i)
        for (index k = a.row_ptr[static_cast<std::size_t>(i)];
             k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k) {
          const auto row = static_cast<std::size_t>(i),
                     col = static_cast<std::size_t>(a.col[static_cast<std::size_t>(k)]);
          if (found.of[row] < 0 || found.of[row] != found.of[col] || part[row] <= part[col])
            continue;
          part[row] = part[col];
          changed = true;
        }
    }
    std::vector<index> first(static_cast<std::size_t>(found.groups), -1);
    for (index i = 0; i < a.rows; ++i) {
      const auto row = static_cast<std::size_t>(i);
      const bool is_coupled = a.row_ptr[row + 1] - a.row_ptr[row] > 1;
      ASSERT_EQ(found.of[row] >= 0, is_coupled) << i;
      if (!is_coupled) continue;
      index& of_group = first[static_cast<std::size_t>(found.of[row])];
      if (of_group < 0) of_group = part[row];
      EXPECT_EQ(part[row], of_group) << i;
    }
    EXPECT_EQ(std::count(first.begin(), first.end(), -1), 0);
  }
}

}  // namespace
}  // namespace dwell::test
