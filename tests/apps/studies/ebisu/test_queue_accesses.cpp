// SPDX-License-Identifier: MIT
// Accesses of scratch that a cell takes in a step of EBISU's kernels (Zhang 2023, table 5.3), as
// threads of a CPU play them: each load and each store is counted, by the address of the value.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "studies/ebisu/agent.hpp"
#include "studies/ebisu/engine.hpp"
#include "studies/models/shared_accesses.hpp"

#include "dwell/execution/team/grid_team_cpu.hpp"
#include "dwell/solvers/stencil/shapes/box2d9.hpp"
#include "dwell/solvers/stencil/shapes/star2d5.hpp"
#include "dwell/solvers/stencil/shapes/star3d7.hpp"

namespace dwell::test {
namespace {

/// Where scratch lies, and what was counted.
struct access_counts {
  std::uintptr_t begin = 0, end = 0;
  std::int64_t loads = 0, stores = 0, products = 0;
  bool has(const void* p) const {
    const auto at = reinterpret_cast<std::uintptr_t>(p);
    return at >= begin && at < end;
  }
};
access_counts seen;

/// A value of eight bytes that says so when it is read from scratch or written to it.
class counted {
 public:
  counted() = default;
  explicit counted(double v) : v_(v) {}
  counted(const counted& o) : v_(o.read()) {}
  counted& operator=(const counted& o) {
    seen.stores += seen.has(this);
    v_ = o.read();
    return *this;
  }
  counted& operator+=(const counted& o) { return *this = counted(v_ + o.v_); }
  double value() const { return v_; }

 private:
  double read() const {
    seen.loads += seen.has(this);
    return v_;
  }
  double v_ = 0;
};
counted operator*(const counted& a, const counted& b) {
  ++seen.products;
  return counted(a.value() * b.value());
}
counted multiply_add(const counted& a, const counted& b, const counted& c) {
  ++seen.products;
  return counted(a.value() * b.value() + c.value());
}

/// Copies of whole rows, which the variants here do not make.
struct no_copies {
  explicit no_copies(std::uint64_t*) {}
  template <class T>
  void start(T*, int, const T*, int, int, int) {
    ADD_FAILURE();
  }
  void await() {}
};

/// Loads and stores of scratch by a cell and step, in a pass of one team over a field that goes
/// around: every step of every tick takes all lanes.
template <class S, int Variant, int Steps, int Cells>
double accesses_of_cell() {
  constexpr queue_config C{Steps, Cells, Variant};
  using sizes = queue_sizes<S, counted, C>;
  using team_type = cpu_grid_team<perks_lanes>;
  const extents n = S::dims == 3 ? extents(7, 40, 64) : extents(30, 1100);
  std::vector<counted> field(static_cast<std::size_t>(n.cells()), counted(1)), to = field;
  stencil_call<S, counted> call;
  call.size = n;
  call.edge = boundary::periodic;
  call.inner = {0, n.z, 0, n.y, 0, n.x};
  call.pitch = n.x;
  call.field[0] = field.data();
  call.field[1] = to.data();
  call.plan.teams = 1;
  std::fill(std::begin(call.w), std::end(call.w), counted(0.25));
  pass_runs pass = queue_runs(C, radius_of<S>, n, call.edge, call.pitch, call.plan);
  pass.steps = Steps;
  std::vector<std::byte> scratch(sizes::scratch_bytes + 64);
  seen = {};
  seen.begin = reinterpret_cast<std::uintptr_t>(scratch.data());
  seen.end = seen.begin + scratch.size();
  team_type team(0, 1, nullptr, false, scratch.data(), scratch.size());
  queue_pass<S, counted, team_type, no_copies, C>(team, call, pass).run();
  EXPECT_GT(seen.products, 0);
  const double cells = static_cast<double>(seen.products) / tap_count<S>;
  return static_cast<double>(seen.loads + seen.stores) / cells;
}

constexpr int variant_named(const char* name) {
  for (int v = 0; v < queue_variant_count; ++v)
    if (std::string_view(queue_variants[static_cast<std::size_t>(v)].engine) == name) return v;
  return -1;
}
constexpr int plain = variant_named("queue"), lazy = variant_named("queue-lazy"),
              streamed = variant_named("queue-registers");

const model::shared_accesses& table_5_3(const std::string& stencil) {
  return *std::ranges::find(model::shared_accesses_of_stencils, stencil,
                            &model::shared_accesses::stencil);
}

/// A lane needs nothing from scratch for its own column; what comes from memory it takes once.
template <class S>
double expected_with_columns(int steps, int cells) {
  double loads = 0;
  for (const tap& t : S::taps) {
    if (t.dx != 0)
      loads += 1;
    else if (S::dims == 3 && t.dy != 0)
      loads += 1.0 / cells;  // but for the first or last of a lane's cells
  }
  return loads + 1 + 1.0 / steps;
}

template <class S, int Steps, int Cells>
void expect_accesses() {
  SCOPED_TRACE(std::string(S::name) + ", " + std::to_string(Steps) + " steps");
  // A load of each tap and a store, as the table has them.
  EXPECT_EQ((accesses_of_cell<S, plain, Steps, Cells>()), table_5_3(S::name).plain);
  EXPECT_EQ((accesses_of_cell<S, lazy, Steps, Cells>()), table_5_3(S::name).plain);
  EXPECT_DOUBLE_EQ((accesses_of_cell<S, streamed, Steps, Cells>()),
                   (expected_with_columns<S>(Steps, Cells)));
}

TEST(queue_accesses, are_those_of_table_5_3_and_of_columns_in_registers) {
  expect_accesses<star2d5, 4, 2>();
  expect_accesses<star2d5, 6, 1>();
  expect_accesses<box2d9, 4, 2>();
  expect_accesses<star3d7, 4, 4>();
  expect_accesses<star3d7, 2, 1>();
}

/// Stars take no more than the table has, which counts a load of the own cell in every step; a
/// box's rows it reads once, which is not done here.
TEST(queue_accesses, of_stars_are_fewer_than_the_table_has) {
  EXPECT_LT((accesses_of_cell<star2d5, streamed, 4, 2>()), table_5_3("2d5pt").streamed);
  EXPECT_LT((accesses_of_cell<star3d7, streamed, 4, 4>()), table_5_3("3d7pt").streamed);
  EXPECT_GT((accesses_of_cell<box2d9, streamed, 4, 2>()), table_5_3("2d9pt").streamed);
}

}  // namespace
}  // namespace dwell::test
