// SPDX-License-Identifier: MIT
// Plans of stencils of several fields on GPUs, of definitions, sizes and borders drawn at random:
// a plan's kernel is there and fits.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "drawn_fields.hpp"

#include "dwell/device/limits.hpp"
#include "dwell/execution/stencil/engines/column_fields3d/args.hpp"
#include "dwell/execution/stencil/engines/resident_fields/args.hpp"
#include "dwell/execution/stencil/engines/ring_fields2d/args.hpp"
#include "dwell/execution/stencil/fields/columns_plan.hpp"
#include "dwell/execution/stencil/fields/device_kernels.hpp"
#include "dwell/execution/stencil/fields/resident_plan.hpp"

namespace dwell::test {
namespace {

/// A plan's kernel is there, fits, and is the one that is compiled; a depth is kept or refused.
TEST(ChainPlan, FitsWhateverIsRead) {
  std::mt19937_64 chance(7);
  int planned = 0;
  for (int round = 0; round < 300; ++round) {
    const drawn d = draw(chance, 2);
    const std::vector<std::int64_t> axes(d.n.begin() + 1, d.n.end());
    const field_domain domain(d.definition, checked_field_size(2, axes), d.given);
    if (refuses_chain(domain, 90)) continue;
    for (const int other : {80, 89, 100, 120}) EXPECT_TRUE(refuses_chain(domain, other)) << other;
    const chain_shape shape = chain_of(domain);
    const int bytes = chance() % 2 ? 4 : 8;
    const std::size_t scratch = (chance() % 2 ? 99 : 227) << 10;
    const chain_room room{scratch, chance() % 2 ? 2.0 : 128.0};
    const int depth = chance() % 3 ? 0 : 1 + static_cast<int>(chance() % 32);
    const auto c = plan_chain(shape, work_of(d.definition, bytes), bytes, room, depth);
    if (!c) continue;
    const chain_numbers n{shape, *c, bytes};
    EXPECT_TRUE(n.valid());
    EXPECT_LE(n.scratch_bytes(), scratch);
    EXPECT_EQ(c->warps % 4, 0);
    if (depth > 0) {
      EXPECT_TRUE(depth % c->steps == 0 && depth <= n.depth()) << depth;
    } else {
      EXPECT_GT(n.own(), n.width() / 3);
    }
    ++planned;
  }
  EXPECT_GT(planned, 100);
}

/// Likewise in three dimensions.
TEST(ColumnsPlan, FitsWhateverIsRead) {
  std::mt19937_64 chance(8);
  int planned = 0;
  for (int round = 0; round < 300; ++round) {
    const drawn d = draw(chance, 3);
    const std::vector<std::int64_t> axes(d.n.begin(), d.n.end());
    const field_domain domain(d.definition, checked_field_size(3, axes), d.given);
    if (refuses_chain(domain, 90)) continue;
    for (const int other : {80, 89, 100, 120}) EXPECT_TRUE(refuses_chain(domain, other)) << other;
    const columns_shape shape = columns_of(domain);
    const int bytes = chance() % 2 ? 4 : 8;
    columns_room room;
    room.scratch = std::size_t{chance() % 2 ? 99U : 227U} << 10;
    const int depth = chance() % 3 ? 0 : 1 + static_cast<int>(chance() % 8);
    const auto c = plan_columns(shape, work_of(d.definition, bytes), bytes, room, depth);
    if (!c) continue;
    const columns_numbers n{shape, *c, bytes};
    EXPECT_TRUE(n.valid());
    EXPECT_LE(n.scratch_bytes(), room.scratch);
    EXPECT_EQ(n.lanes() % 32, 0);
    EXPECT_LE(columns_registers(n) * n.lanes(), room.registers);
    if (depth > 0) {
      EXPECT_EQ(c->steps, depth);
    }
    const columns_division division = divide_columns(domain, n, 132);
    const columns_tiles tiles = tiles_of(domain, n);
    EXPECT_EQ(division.tiles, tiles.count());
    for (const overlapping_strips& strips : {tiles.x, tiles.y}) {
      std::int64_t end = 0;
      for (int k = 0; k < strips.count(); ++k) {
        EXPECT_EQ(strips.first(k), end);
        EXPECT_GT(strips.end(k), end);
        end = strips.end(k);
        EXPECT_TRUE(strips.origin(k) <= strips.first(k) && end <= strips.origin(k) + strips.width);
      }
      EXPECT_EQ(end, strips.cells);
    }
    EXPECT_LE(division.teams, division.tiles * d.n[0]);
    device_facts h200 = facts_of("h200");
    EXPECT_GT(columns_seconds(domain, n, h200), 0);
    ++planned;
  }
  EXPECT_GT(planned, 100);
}

/// Likewise, and all cells are there: tiles with their halos.
TEST(ResidentPlan, FitsTheChip) {
  std::mt19937_64 chance(8);
  int planned = 0, several = 0, refused = 0;
  for (int round = 0; round < 60; ++round) {
    const int dims = round % 5 == 0 ? 1 : round % 5 == 1 ? 3 : 2;
    drawn d = draw(chance, dims);
    const auto below = [&](int n) { return static_cast<int>(chance() % static_cast<unsigned>(n)); };
    const auto first = static_cast<std::size_t>(3 - dims);
    const int most[2][4] = {{0, 300'000, 1500, 100}, {0, 100'000'000, 20000, 1000}};
    for (std::size_t a = first; a < 3; ++a)
      d.n[a] = std::max<std::int64_t>(d.n[a], below(most[round % 3 == 0][dims]));
    const field_domain domain(
        d.definition,
        checked_field_size(dims, {d.n.begin() + static_cast<std::ptrdiff_t>(first), d.n.end()}),
        d.given);
    device_facts gpu = facts_of(std::array{"a100", "h100", "h200", "b200"}[chance() % 4]);
    if (chance() % 4 == 0) gpu.units = 1 + below(gpu.units);
    const int bytes = chance() % 2 ? 4 : 8, depth = chance() % 3 ? 0 : 1 + below(6);
    ASSERT_FALSE(refuses_resident(gpu));
    const auto p = plan_resident(domain, bytes, gpu, depth);
    if (!p) {
      ++refused;
      continue;
    }
    SCOPED_TRACE(fmt::format("{} cells, {} tiles, depth {}", fmt::join(d.n, "x"),
                             fmt::join(p->tiles, "x"), p->depth));
    const resident_numbers n{resident_shape_of_domain(domain), p->config, bytes};
    EXPECT_TRUE(n.valid());
    EXPECT_EQ(p->scratch, n.scratch_bytes());
    EXPECT_LE(p->scratch, gpu.shared_per_team);
    EXPECT_LE(p->count(), gpu.units);
    EXPECT_FALSE(p->apart);
    EXPECT_TRUE(depth == 0 || p->depth == depth);
    EXPECT_GT(p->step_seconds, 0);
    const auto [rows, columns, planes] = resident_size_of(domain);
    EXPECT_TRUE(n.fits({rows, columns, planes}, {p->tiles[0], p->tiles[1], p->tiles[2]}, p->depth));
    ++planned;
    several += p->count() > 1;
  }
  EXPECT_GT(planned, 10);
  EXPECT_GT(several, 5);
  EXPECT_GT(refused, 5);
}

}  // namespace
}  // namespace dwell::test
