// SPDX-License-Identifier: MIT
// Products of set-ups that 32 bits would not count: with a limit as low as theirs, every set-up is
// refused below the largest of its products and is the same from there on.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "amg_hierarchy.hpp"
#include "dwell/base/error.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/execution/krylov/spmv/csr_arrays.hpp"
#include "dwell/execution/team/row_table_cpu.hpp"
#include "dwell/execution/team/setup_cpu.hpp"
#include "dwell/linear/linear_solver.hpp"
#include "dwell/solvers/preconditioners/amg/multiplying.hpp"
#include "dwell/solvers/preconditioners/amg/operands.hpp"
#include "dwell/solvers/preconditioners/amg/product_size.hpp"
#include "dwell/solvers/preconditioners/list.hpp"
#include "place.hpp"
#include "plain_options.hpp"
#include "refusal.hpp"

namespace dwell::test {
namespace {

class product_size : public testing::Test {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }
};

/// No product of more nonzeros is there meanwhile.
struct product_limit {
  explicit product_limit(std::int64_t most) { dwell::amg::most_in_product() = most; }
  ~product_limit() { dwell::amg::most_in_product() = most_in_32_bits; }
};

struct system_of_set_up {
  std::string name;
  csr<double> a;
  amg_options options;
};

std::vector<system_of_set_up> systems() {
  splitmix64 random(66);
  const auto size = [&](index least) { return least + random.below(least); };
  std::vector<system_of_set_up> all;
  for (const char* kind : {"roots", "classical", "in rounds", "nodes", "coloured roots"}) {
    amg_options o{12};
    const std::string name = kind;
    if (name == "classical" || name == "in rounds") o.coarsening = coarsening_kind::classical;
    o.split_in_rounds = name == "in rounds";
    if (name == "coloured roots") o.coloured_rows = 40;
    all.push_back(
        {name, generate(fmt::format("poisson3d:{}x{}x{}", size(6), size(6), size(7))), o});
    all.push_back({name, generate(fmt::format("anisotropic2d:{}x{}:0.1", size(20), size(20))), o});
    if (name != "nodes") continue;
    all.pop_back();
    all.back().a = generate(fmt::format("elasticity2d:{}x{}", size(12), size(12)));
    all.back().options.node_rows = 2;
  }
  return all;
}

/// The least limit at which make() is not refused, and what it says one below.
template <class F>
std::pair<std::int64_t, std::string> least_limit(F&& make) {
  std::int64_t low = 0, high = 1 << 24;  // refused at low, made at high
  std::string said;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    const product_limit limit(middle);
    const std::string refused = refusal<unsupported_error>(make);
    if (refused == "accepted")
      high = middle;
    else
      low = middle, said = refused;
  }
  return {high, said};
}

TEST_F(product_size, of_hierarchies_is_refused_beyond_the_limit_and_nothing_before) {
  for (const system_of_set_up& s : systems()) {
    const csr<double>& a = s.a;
    SCOPED_TRACE(fmt::format("{}, {} rows", s.name, a.rows));
    amg_options o = s.options;
    std::vector<double> translations(2 * static_cast<std::size_t>(a.rows));
    for (index i = 0; i < a.rows; ++i)
      translations[static_cast<std::size_t>(i % 2) * static_cast<std::size_t>(a.rows) +
                   static_cast<std::size_t>(i)] = 1.0;
    if (o.node_rows == 2) o.near_null = translations;
    const device where = o.coloured_rows > 0 ? device::cpu(2) : place::where();
    const set_up want(where, a, o);
    ASSERT_GT(want.made.levels.size(), 1u);
    const auto [least, said] = least_limit([&] { set_up(where, a, o); });
    for (std::size_t l = 1; l < want.made.levels.size(); ++l)
      EXPECT_GE(least, want.made.levels[l].nonzeros);
    EXPECT_EQ(
        said.find(fmt::format("amg: expected matrices of its set-up with at most {} nonzeros, "
                              "found a product of ",
                              least - 1)),
        0u)
        << said;
    EXPECT_NE(said.find(fmt::format(" rows with {}", least)), std::string::npos) << said;
    const product_limit limit(least);
    EXPECT_EQ(values_of(set_up(where, a, o)), values_of(want));
  }
}

/// Products in the tables that a GPU has.
struct in_tables : dwell::amg::multiplying<cpu::setup_loops, cpu::row_table> {
  in_tables() : multiplying(device::cpu(1)) {}
  void square(const csr<double>& a) {
    const dwell::amg::matrix_rows rows{a.row_ptr.data(), a.row_ptr.data() + 1, a.col.data(),
                                       a.val.data()};
    dwell::amg::made_matrix made;
    const bool fits =
        this->multiply_with<cpu::row_table<128, 8>>(a.rows, rows, rows, made, this->with_values());
    EXPECT_TRUE(fits);
  }
};

// The reference: columns that a walk over two couplings reaches.
TEST_F(product_size, of_squares_is_what_two_couplings_reach) {
  splitmix64 random(67);
  for (int k = 0; k < 3; ++k) {
    const csr<double> a =
        generate(fmt::format("poisson2d:{}x{}", 10 + random.below(30), 10 + random.below(30)));
    std::int64_t reached = 0;
    for (std::size_t i = 0; i + 1 < a.row_ptr.size(); ++i) {
      std::vector<bool> seen(static_cast<std::size_t>(a.rows));
      for (index e = a.row_ptr[i]; e < a.row_ptr[i + 1]; ++e) {
        const auto over = static_cast<std::size_t>(a.col[static_cast<std::size_t>(e)]);
        for (index f = a.row_ptr[over]; f < a.row_ptr[over + 1]; ++f)
          seen[static_cast<std::size_t>(a.col[static_cast<std::size_t>(f)])] = true;
      }
      reached += std::count(seen.begin(), seen.end(), true);
    }
    solve_options o = plain_options();
    o.preconditioner = preconditioner::fsai;
    o.preconditioning.power = 2;
    const auto [least, said] =
        least_limit([&] { linear_solver<double>(place::where(), a.view(), o); });
    EXPECT_EQ(least, reached);
    EXPECT_EQ(said, fmt::format("fsai: expected matrices of its set-up with at most {} nonzeros, "
                                "found a product of {} rows with {}",
                                reached - 1, a.rows, reached));
    EXPECT_EQ(least_limit([&] { in_tables().square(a); }).first, reached);
  }
}

// Who asked for it is told; a solve that chooses goes on with another one.
TEST_F(product_size, of_solves_is_told_or_another_preconditioner_follows) {
  const csr<double> a = generate("anisotropic2d:150x140:0.01");
  const std::vector<double> b(static_cast<std::size_t>(a.rows), 1.0);
  std::vector<double> x(b.size(), 0.0);
  const product_limit limit(a.nonzeros() / 4);
  solve_options o;
  o.preconditioner = preconditioner::amg;
  EXPECT_EQ(
      refusal<unsupported_error>([&] { solve(place::where(), a.view(), b, x, o); }).find("amg: "),
      0u);
  o.preconditioner = preconditioner::automatic;
  const solve_report r = solve(place::where(), a.view(), b, x, o);
  EXPECT_EQ(r.stopped, stop_reason::converged);
  EXPECT_NE(r.preconditioner, preconditioner::amg);
}

}  // namespace
}  // namespace dwell::test
