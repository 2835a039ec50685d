// SPDX-License-Identifier: MIT
// Steps whose cells are taken in any order have the bits of plain loops: by teams whose lanes are
// vectors, and by tiles as a GPU takes them; and who has no order.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "refusal.hpp"
#include "stencil_oracle.hpp"

#include "dwell/execution/stencil/launch/tile_order.hpp"
#include "dwell/execution/stencil/loops/barrier_steps.hpp"
#include "dwell/execution/stencil/order/cell_order.hpp"
#include "dwell/execution/team/grid_team_cpu.hpp"
#include "dwell/solvers/stencil/shapes/star2d5.hpp"
#include "dwell/solvers/stencil/shapes/star3d7.hpp"
#include "dwell/stencil/default_weights.hpp"
#include "dwell/stencil/solve.hpp"

namespace dwell::test {
namespace {

const std::vector<std::string> flat_orders = {
    "auto",      "rows",        "tiles:7x5", "tiles:64x1", "columns:1",
    "columns:9", "columns:500", "zigzag:70", "hilbert",    "hilbert:3x2"};
const std::vector<std::string> deep_orders = {"auto",        "rows",         "tiles:7x5",
                                              "tiles:7x5x3", "columns:9",    "columns:9x4",
                                              "zigzag:6",    "hilbert:4x3x2"};

void expect_bits(const std::string& shape, const extents& n, boundary edge) {
  const auto start = random_field<double>(n, 3), source = random_field<double>(n, 4);
  const auto s = find_stencil_shape(shape);
  for (const auto* f : {static_cast<const grid<double>*>(nullptr), &source}) {
    const auto expected = stencil_by_loops<double>(s, start, 5, edge, s.weights, f);
    for (const auto& order : n.dims == 3 ? deep_orders : flat_orders)
      for (const char* executor : {"host-loop", "persistent"})
        for (const int teams : {1, 3}) {
          stencil_options o;
          o.shape = shape;
          o.executor = executor;
          o.edge = edge;
          o.steps = 5;
          o.order = order;
          o.teams = teams;
          o.reverse_lanes = teams == 3;
          auto u = start;
          const auto report = solve(device::cpu(2), u, o, f);
          EXPECT_EQ(difference(u, expected), "")
              << shape << ' ' << to_string(n) << ' ' << executor << ' ' << order << ' ' << teams;
          EXPECT_EQ(report.order, order == "auto" ? "rows" : order);
        }
  }
}

TEST(stencil_orders, have_the_bits_of_plain_loops) {
  for (const extents& n : {extents(17, 150), extents(41, 23), extents(3, 3), extents(2, 5)})
    for (const boundary edge : {boundary::fixed, boundary::periodic, boundary::reflect})
      expect_bits("2d5pt", n, edge);
  for (const boundary edge : {boundary::fixed, boundary::periodic})
    expect_bits("3d7pt", {9, 14, 21}, edge);
}
TEST(stencil_orders, of_a_stencil_that_is_not_linear_have_the_bits_of_plain_loops) {
  if (!has_stencil_shape("gradient2d")) GTEST_SKIP() << "this build has no gradient2d";
  expect_bits("gradient2d", {17, 40}, boundary::fixed);
}

/// A team like a GPU's: lanes are threads, teams take tiles.
struct tile_team : cpu_grid_team<8> {
  using cpu_grid_team<8>::cpu_grid_team;
  static constexpr bool vectors = false;
  template <class F>
  void deal(unsigned n, F&& f) {
    for (unsigned t = 0; t < n; ++t) f(t);
  }
};

template <class S>
void expect_bits_of_tiles(const extents& n) {
  const auto start = random_field<double>(n, 5);
  const auto expected =
      stencil_by_loops<double>(shape_of<S>(), start, 1, boundary::fixed, default_weights<S>());
  for (const auto& text : n.dims == 3 ? deep_orders : flat_orders) {
    if (text == "auto") continue;
    stencil_call<S, double> call;
    call.size = n;
    call.pitch = n.x;
    call.inner = {n.dims == 3 ? 1 : 0, n.dims == 3 ? n.z - 1 : 1, 1, n.y - 1, 1, n.x - 1};
    stencil_plan& p = call.plan;
    p.cells = *parse_cell_order(text, n.dims);
    p.tile_x = 8, p.tile_y = 4, p.tile_z = n.dims == 3 ? 2 : 1;
    p.tiles_x = pieces(n.x - 2, p.tile_x), p.tiles_y = pieces(n.y - 2, p.tile_y);
    p.tiles_z = n.dims == 3 ? pieces(n.z - 2, p.tile_z) : 1;
    const auto order = tile_order(p, n.dims);
    call.tile_order = order.empty() ? nullptr : order.data();
    EXPECT_EQ(order.empty(), text == "rows") << text;
    std::copy_n(default_weights<S>().begin(), weight_count<S>, call.w);
    auto in = start, out = start;
    tile_team team(0, 1, nullptr, false, nullptr, 0);
    step_field<S, double, false>(team, call, in.cells().data(), out.cells().data());
    EXPECT_EQ(difference(out, expected), "") << S::name << ' ' << text;
  }
}
TEST(stencil_orders, of_tiles_have_the_bits_of_plain_loops) {
  expect_bits_of_tiles<star2d5>({37, 101});
  expect_bits_of_tiles<star2d5>({3, 9});
  expect_bits_of_tiles<star3d7>({9, 14, 37});
}

/// A column of a width in cells is one of as many whole tiles.
TEST(stencil_orders, of_tiles_are_those_of_cells_in_whole_tiles) {
  stencil_plan p;
  p.tile_x = 64, p.tile_y = 8;
  p.tiles_x = 5, p.tiles_y = 3, p.tiles_z = 1;
  p.cells = *parse_cell_order("columns:100", 2);
  EXPECT_EQ(tile_order(p, 2),
            (std::vector<unsigned>{0, 1, 5, 6, 10, 11, 2, 3, 7, 8, 12, 13, 4, 9, 14}));
  p.cells = *parse_cell_order("columns:64", 2);
  EXPECT_EQ(tile_order(p, 2),
            (std::vector<unsigned>{0, 5, 10, 1, 6, 11, 2, 7, 12, 3, 8, 13, 4, 9, 14}));
  p.cells = {};
  EXPECT_TRUE(tile_order(p, 2).empty());
}

std::string refused(const std::string& executor, const std::string& order,
                    const extents& n = {9, 9}) {
  stencil_options o;
  o.shape = n.dims == 3 ? "3d7pt" : "2d5pt";
  o.executor = executor;
  o.order = order;
  o.steps = 1;
  grid<double> u(n);
  try {
    solve(device::cpu(1), u, o);
  } catch (const error& e) {
    return e.what();
  }
  return "accepted";
}
TEST(stencil_orders, are_refused_by_executors_with_an_order_of_their_own) {
  for (const char* executor : {"naive", "perks", "temporal"}) {
    EXPECT_EQ(refused(executor, "columns:4"),
              "order 'columns:4': executor '" + std::string(executor) +
                  "' takes cells in an order of its own (any order: host-loop, graph, persistent)");
    EXPECT_EQ(refused(executor, "auto"), "accepted");
  }
  EXPECT_EQ(refused("auto", "columns:4"), "accepted");
}
TEST(stencil_orders, that_cannot_be_are_refused) {
  EXPECT_EQ(refused("persistent", "columns:4x4"),
            "order: expected columns:W[xH] with numbers of 1 to 2^30 in 2 dimensions, found "
            "'columns:4x4'");
  EXPECT_EQ(refused("persistent", "columns:4x4", {5, 6, 7}), "accepted");
  EXPECT_EQ(
      refused("perks", "row"),
      "order: expected auto, rows, tiles, columns, zigzag, hilbert, found 'row'; did you mean "
      "'rows'?");
}

}  // namespace
}  // namespace dwell::test
