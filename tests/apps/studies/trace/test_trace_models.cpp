// SPDX-License-Identifier: MIT
// Models of fetches against simulations: equal where they claim to be exact, bounds where they
// claim to be bounds (Prasetya 2022, equations 3.1 to 3.6 and 4.8; Lam et al. 1991).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "studies/models/line_fetches.hpp"
#include "studies/trace/model.hpp"
#include "studies/trace/simulation.hpp"

#include "dwell/execution/stencil/plan/column_width.hpp"

namespace dwell::test {
namespace {

using namespace trace;

constexpr int unit = 8, line = 32;  // four cells

std::vector<grid_cell> box(int radius, bool deep = false) {
  std::vector<grid_cell> all;
  for (int z = deep ? -radius : 0; z <= (deep ? radius : 0); ++z)
    for (int y = -radius; y <= radius; ++y)
      for (int x = -radius; x <= radius; ++x) all.push_back({z, y, x});
  return all;
}
std::vector<grid_cell> star(int radius, bool deep = false) {
  std::vector<grid_cell> all = box(radius, deep);
  std::erase_if(all, [](const grid_cell& c) { return (c.z != 0) + (c.y != 0) + (c.x != 0) > 1; });
  return all;
}
/// A field around so many tasks.
traced_problem stencil(const std::vector<grid_cell>& taps, int rows, int columns) {
  int radius = 0;
  for (const auto& t : taps) radius = std::max(radius, t.y);
  return traced_stencil("s", taps, {rows + 2 * radius, columns + 2 * radius}, unit, line, false);
}
cache_shape lines_of_cache(std::int64_t lines) {
  return {std::max<std::int64_t>(lines, 1) * line, line};
}

std::int64_t fetched(const traced_problem& p, const std::string& order, std::int64_t lines,
                     int threads = 1) {
  return simulate(p, *parse_cell_order(order, p.tasks.dims), threads, {lines_of_cache(lines)})
      .levels[0]
      .fetches();
}
fetch_model modelled(const traced_problem& p, const std::string& order,
                     std::int64_t lines = 1 << 20) {
  return model_fetches(p, *parse_cell_order(order, p.tasks.dims), lines_of_cache(lines));
}

TEST(trace_models, rows_are_fetched_once_if_the_cache_holds_those_that_a_task_reads) {
  for (const auto& taps : {box(1), box(2), box(3), star(1), star(2)})
    for (const auto& [rows, columns] : {std::pair{9, 40}, {17, 61}, {30, 7}, {5, 128}}) {
      const auto p = stencil(taps, rows, columns);
      const auto m = modelled(p, "rows");
      EXPECT_EQ(fetched(p, "rows", m.lines_needed), m.once) << rows << 'x' << columns;
      EXPECT_EQ(fetched(p, "rows", 10 * m.lines_needed), m.once) << rows << 'x' << columns;
    }
}
/// Equation 3.1 is sharp but for a line.
TEST(trace_models, rows_need_as_many_lines_as_equation_3_1_says) {
  for (const int radius : {1, 2, 3}) {
    const int s = 2 * radius + 1;
    const auto p = stencil(box(radius), 20, 64 - s);  // I + S = 64 cells, 16 lines
    const model::stencil_lines sizes{64.0 - s, 20, double(s), double(s), 4};
    EXPECT_EQ(model::lines_for_rows(sizes), 16 * s);
    EXPECT_EQ(modelled(p, "rows").lines_needed, 16 * s);
    const auto once = modelled(p, "rows").once;
    EXPECT_EQ(fetched(p, "rows", 16 * s), once);
    EXPECT_EQ(fetched(p, "rows", 16 * s - 1), once);
    EXPECT_GT(fetched(p, "rows", 16 * s - 2), once);
    // F of 3.1, and the rows beyond, which the document leaves out.
    EXPECT_EQ(model::fetches_by_rows(sizes) + 16.0 * (s - 1), double(once));
  }
}
TEST(trace_models, rows_are_fetched_for_every_row_of_tasks_if_the_cache_holds_a_window_only) {
  for (const int radius : {1, 2, 3})
    for (const int columns : {57, 200, 333}) {
      const int s = 2 * radius + 1;
      const auto p = stencil(box(radius), 12, columns);
      const auto m = modelled(p, "rows");
      EXPECT_EQ(fetched(p, "rows", 3 * s), m.every_row);
      // The document's bound.
      const model::stencil_lines sizes{double(columns), 12, double(s), double(s), 4};
      EXPECT_LE(double(m.every_row), model::fetches_by_rows_evicted(sizes));
      if (columns + s - 1 > 4 * ((columns + s) / 4)) {
        EXPECT_EQ(double(m.every_row), model::fetches_by_rows_evicted(sizes));
      }
    }
}
TEST(trace_models, columns_and_tiles_are_fetched_once_if_nothing_survives_until_the_next) {
  for (const auto& taps : {box(1), box(2), star(2)})
    for (const int columns : {64, 61, 100}) {
      const auto p = stencil(taps, 60, columns);
      for (const char* order :
           {"columns:8", "columns:16", "columns:20", "zigzag:16", "columns:13"}) {
        const auto m = modelled(p, order);
        EXPECT_EQ(fetched(p, order, m.lines_needed), m.once) << order << ' ' << columns;
      }
      for (const char* order : {"tiles:16x30", "tiles:20x20", "tiles:8x28"}) {
        const auto m = modelled(p, order);
        const auto found = fetched(p, order, m.lines_needed);
        EXPECT_LE(found, m.once) << order;
        // A tile's last rows are its neighbour's below only after a whole row of tiles.
        EXPECT_GE(found, m.once * 9 / 10) << order;
      }
    }
}
/// Rows that go backwards need a row more: the line that a row begins with is needed again at the
/// end of the next one.
TEST(trace_models, zigzag_needs_more_of_the_cache_than_columns) {
  const auto p = stencil(box(1), 60, 64);
  const auto columns = modelled(p, "columns:16"), zigzag = modelled(p, "zigzag:16");
  EXPECT_EQ(columns.lines_needed, 15);
  EXPECT_EQ(zigzag.lines_needed, 20);
  EXPECT_EQ(columns.once, zigzag.once);
  EXPECT_EQ(fetched(p, "columns:16", 15), columns.once);
  EXPECT_GT(fetched(p, "zigzag:16", 15), columns.once);
}
/// With a cache of any size above the need no model is passed.
TEST(trace_models, are_bounds) {
  unsigned state = 7;
  const auto random = [&](int most) {
    state = state * 1664525u + 1013904223u;
    return 1 + static_cast<int>((state >> 8) % static_cast<unsigned>(most));
  };
  for (int k = 0; k < 300; ++k) {
    const int radius = random(3);
    const auto p = stencil(random(2) == 1 ? box(radius) : star(radius), random(40), random(90));
    const int width = random(40);
    const std::string w = std::to_string(width), h = std::to_string(random(20));
    const std::string order = std::array<std::string, 5>{
        "rows", "columns:" + w, "tiles:" + w + "x" + h, "zigzag:" + w,
        "hilbert:" + w + "x" + h}[static_cast<std::size_t>(random(5) - 1)];
    const auto m = modelled(p, order);
    const auto lines = m.lines_needed + random(100) - 1;
    const auto found = fetched(p, order, lines);
    EXPECT_LE(found, m.once) << order;
    EXPECT_LE(m.once, m.every_row) << order;
    // The document's: of columns and tiles that begin with a line; rows of 3.1 lack the S_h - 1
    // beyond.
    const auto d = modelled(p, order, lines);
    ASSERT_TRUE(d.document_fetches);
    if (order != "rows" && width % 4 != 0) continue;
    const int s = 2 * radius + 1;
    const double beyond =
        std::string(d.equation) == "3.1" ? (s - 1) * std::ceil((p.tasks.x + s) / 4.0) : 0.0;
    EXPECT_LE(double(m.once), *d.document_fetches + beyond) << order << ' ' << to_string(p.tasks);
  }
}
TEST(trace_models, of_three_dimensions) {
  for (const auto& taps : {box(1, true), star(1, true), star(2, true)}) {
    const auto p = traced_stencil("s", taps, {14, 15, 37}, unit, line, false);
    for (const char* order : {"rows", "columns:8", "columns:12x4", "columns:40x5", "zigzag:12"}) {
      const auto m = modelled(p, order);
      EXPECT_FALSE(m.document_fetches);
      const auto found = fetched(p, order, m.lines_needed);
      EXPECT_LE(found, m.once) << order;
      EXPECT_GE(found, m.once * 9 / 10) << order;
      EXPECT_GT(fetched(p, order, m.lines_needed / 4), m.once) << order;
    }
    EXPECT_EQ(fetched(p, "rows", modelled(p, "rows").lines_needed), modelled(p, "rows").once);
  }
}

TEST(trace_models, tiles_by_the_size_of_the_cache) {
  // L = 4, M = 36, S = 3: tiles of 45; rounded, 3.5 is 3.4 of those.
  const model::stencil_lines s{1000, 700, 3, 3, 4};
  EXPECT_EQ(model::widest_tile(s, 36), 45);
  EXPECT_EQ(model::lines_for_tiles(s, 45), 36);
  EXPECT_EQ(model::fetches_by_widest_tiles(s, 36), 23 * 12 * 16 * 48);
  EXPECT_LT(model::fetches_by_widest_tiles_relaxed(s, 36), model::fetches_by_widest_tiles(s, 36));
  // Where nothing is rounded 3.6 is the same.
  const model::stencil_lines even{900, 450, 3, 3, 4};
  EXPECT_DOUBLE_EQ(model::fetches_by_widest_tiles_relaxed(even, 36),
                   model::fetches_by_widest_tiles(even, 36));
  EXPECT_EQ(model::fetches_by_columns(even, 45), 20 * 12 * 453);
  EXPECT_EQ(model::lines_of_warp({0, 0, 3, 3, 16}, 32, 1), 9);
  EXPECT_EQ(model::lines_of_warp({0, 0, 7, 7, 16}, 32, 2), 21);
}

TEST(trace_models, column_widths_fill_the_cache) {
  const model::column_problem p{8, 5, 5, 32};
  const double c = model::column_width(p, 32768);
  EXPECT_DOUBLE_EQ(model::column_cache(p, c), 32768);
  EXPECT_DOUBLE_EQ(c, (32768 - 8.0 * (25 + 32)) / 40);
  EXPECT_DOUBLE_EQ(model::column_cache_exact(p, 32, 64), 8.0 * 69 * 6);
  EXPECT_DOUBLE_EQ(model::column_cache_exact(p, 32, 8), 8.0 * 13 * 9);
  EXPECT_LT(model::column_width(p, 100), 0);
  EXPECT_DOUBLE_EQ(model::column_width_of_product(4, 512, 32768), 16);
  EXPECT_DOUBLE_EQ(model::column_width_beside_rows(4, 512, 32768), 14);
}
/// A column as wide as the cache's size allows is fetched once, one wider is not.
TEST(trace_models, columns_of_the_width_for_a_cache_are_fetched_once) {
  const auto p = stencil(box(2), 40, 400);
  const std::int64_t lines = 100;
  const double c = model::column_width({unit, 5, 5, 1}, double(lines * line));
  const int width = static_cast<int>(c) / 4 * 4;
  const std::string fits = "columns:" + std::to_string(width),
                    wide = "columns:" + std::to_string(width + 12);
  EXPECT_LE(fetched(p, fits, lines), modelled(p, fits).once);
  EXPECT_GT(fetched(p, wide, lines), modelled(p, wide).once);
}

TEST(trace_models, of_products) {
  for (const auto& [rows, columns, inner] : {std::array{24, 36, 20}, {9, 64, 33}, {40, 17, 8}}) {
    const auto p = traced_product({rows, columns}, inner, unit, line, false);
    for (const char* order : {"rows", "columns:4", "columns:8", "columns:7"}) {
      const auto m = modelled(p, order);
      const auto found = fetched(p, order, m.lines_needed);
      EXPECT_LE(found, m.once) << order;
      EXPECT_GE(found, m.once * 8 / 10) << order;
      // Room for the column of B and the row of A of a task.
      EXPECT_LE(fetched(p, order, 2 * inner + 4), m.every_row) << order;
    }
    EXPECT_EQ(fetched(p, "rows", modelled(p, "rows").lines_needed), modelled(p, "rows").once);
  }
}

/// Columns of B that fill the cache, c = M / (u h), leave no room for the rows of A, and LRU then
/// loses them all from row to row.
TEST(trace_models, products_need_room_for_rows_of_a_beside_columns_of_b) {
  const auto p = traced_product({30, 40}, 32, unit, line, false);
  const std::int64_t lines = 160;
  EXPECT_EQ(model::column_width_of_product(unit, 32, double(lines * line)), 20);
  EXPECT_EQ(model::column_width_beside_rows(unit, 32, double(lines * line)), 18);
  EXPECT_LE(fetched(p, "columns:16", lines), modelled(p, "columns:16").once);
  EXPECT_GT(fetched(p, "columns:20", lines), 3 * modelled(p, "columns:20").once);
}

/// Without interference each line misses once; where all reuse is lost, each load.
TEST(trace_models, interference_between_none_and_all) {
  const auto p = traced_product({24, 36}, 20, unit, line, false);
  const auto none = modelled(p, "rows", std::int64_t{1} << 40);
  EXPECT_NEAR(*none.interference, double(none.once), 1e-3);
  EXPECT_EQ(fetched(p, "rows", 1000), none.once);
  const model::reuse v{1000, 8};
  EXPECT_EQ(model::misses(v, model::interference(v, std::array<double, 0>{})), 125);
  EXPECT_EQ(model::misses(v, model::interference(v, std::array{0.2, 1.0})), 1000);
  EXPECT_DOUBLE_EQ(model::interference(v, std::array{0.5, 0.5}), 0.75);
  EXPECT_DOUBLE_EQ(model::interference({1000, 8, 0.5}, std::array{0.5}), 0.75);
  double before = 0;
  for (const int lines : {4000, 400, 200, 100, 50}) {
    const double now = *modelled(p, "rows", lines).interference;
    EXPECT_GT(now, before);
    before = now;
  }
}

/// Rows of B a power of two apart lie in a few sets: each column of B displaces itself, and every
/// load of B misses. The probability of interference does not see it.
TEST(trace_models, rows_of_b_in_few_sets_displace_each_other) {
  const auto of_size = [](int n, std::int64_t* simulated) {
    const auto p = traced_product({n, n}, n, unit, 64, false);
    const cache_shape cache{32768, 64, 8};
    const auto order = *parse_cell_order("columns:16", 2);
    *simulated = simulate(p, order, 1, {cache}).levels[0].fetches();
    return model_fetches(p, order, cache);
  };
  std::int64_t few = 0, all = 0;
  const auto in_few = of_size(128, &few), in_all = of_size(129, &all);
  EXPECT_EQ(few, 2129408);
  EXPECT_EQ(*in_few.conflicts, few);
  EXPECT_LT(*in_few.interference, 0.3 * double(few));
  EXPECT_EQ(*in_all.conflicts, all);
  EXPECT_GT(*in_all.interference, 20 * double(all));
}
/// Blocks of which nothing survives until the next one, in caches of any sets and ways.
TEST(trace_models, conflicts_are_those_that_are_simulated) {
  std::mt19937 random(5);
  const auto among = [&](int least, int most) {
    return least + static_cast<int>(random() % static_cast<unsigned>(most - least + 1));
  };
  for (int cases = 0; cases < 200;) {
    const bool power = among(1, 3) == 1;
    const auto size = [&](int most) { return power ? 16 << among(0, 2) : among(10, most); };
    const int rows = size(80), columns = size(90), inner = size(90);
    const int unit_bytes = among(0, 1) == 1 ? 8 : 4, line_bytes = among(0, 1) == 1 ? 64 : 32;
    const int sets = among(1, 4) == 1 ? among(1, 70) : 1 << among(0, 6);
    const int ways = 1 << among(0, 4);
    const cache_shape cache{std::int64_t{line_bytes} * ways * sets, line_bytes, ways};
    const auto p = traced_product({rows, columns}, inner, unit_bytes, line_bytes, false);
    const int lines_wide = among(0, 3), width = lines_wide * (line_bytes / unit_bytes);
    if (lines_wide > 0 && p.arrays[0].lines < 2 * cache.lines()) continue;
    ++cases;
    const std::string order = lines_wide == 0 ? "rows" : "columns:" + std::to_string(width);
    SCOPED_TRACE(testing::Message()
                 << rows << 'x' << columns << " inner " << inner << ", " << unit_bytes << " bytes, "
                 << line_bytes << " a line, " << sets << " sets of " << ways << ' ' << order);
    const auto parsed = *parse_cell_order(order, 2);
    const auto found = double(simulate(p, parsed, 1, {cache}).levels[0].fetches());
    const auto said = double(*model_fetches(p, parsed, cache).conflicts);
    EXPECT_NEAR(said, found, 0.02 * found);
  }
}
TEST(trace_models, conflicts_are_of_lru_alone) {
  const auto p = traced_product({20, 20}, 20, unit, line, false);
  EXPECT_FALSE(model_fetches(p, {}, {1024, line, 4, replacement::random4}).conflicts);
  EXPECT_FALSE(
      model_fetches(stencil(box(1), 9, 9), {}, {1024, line, 4, replacement::random4}).conflicts);
  EXPECT_FALSE(modelled(stencil(box(1), 40, 40), "zigzag:8").conflicts);
  EXPECT_FALSE(
      modelled(traced_stencil("s", box(1, true), {9, 9, 9}, unit, line, false), "rows").conflicts);
}

/// Steps of stencils in caches of any sets and ways, fields whose rows are a power of two apart
/// among them; columns of which nothing survives until the next one.
TEST(trace_models, conflicts_of_stencils_are_those_that_are_simulated) {
  std::mt19937 random(7);
  const auto among = [&](int least, int most) {
    return least + static_cast<int>(random() % static_cast<unsigned>(most - least + 1));
  };
  int thrashing = 0;
  for (int cases = 0; cases < 200;) {
    const int radius = among(1, 3), rows = among(4, 40) + 2 * radius;
    const auto taps = among(0, 1) == 1 ? box(radius) : star(radius);
    const int unit_bytes = among(0, 1) == 1 ? 8 : 4, line_bytes = among(0, 1) == 1 ? 64 : 32;
    const int sets = among(1, 4) == 1 ? among(1, 70) : 1 << among(0, 6), ways = 1 << among(0, 4);
    const cache_shape cache{std::int64_t{line_bytes} * ways * sets, line_bytes, ways};
    const int width = among(0, 3) * 2 * (line_bytes / unit_bytes);
    if (width > 0 && rows * width * unit_bytes < 4 * cache.bytes) continue;
    const int columns = width > 0          ? among(2, 6) * width + 2 * radius
                        : among(1, 2) == 1 ? 32 << among(0, 4)
                                           : among(20, 400);
    const auto p = traced_stencil("s", taps, {rows, columns}, unit_bytes, line_bytes, false);
    const std::string order = width == 0 ? "rows" : "columns:" + std::to_string(width);
    ++cases;
    SCOPED_TRACE(testing::Message() << rows << 'x' << columns << ", " << taps.size() << " taps, "
                                    << unit_bytes << " bytes, " << line_bytes << " a line, " << sets
                                    << " sets of " << ways << ' ' << order);
    const auto parsed = *parse_cell_order(order, 2);
    const auto found = double(simulate(p, parsed, 1, {cache}).levels[0].fetches());
    const auto model = model_fetches(p, parsed, cache);
    EXPECT_NEAR(double(*model.conflicts), found, 0.03 * found);
    if (found > 1.5 * double(model.every_row)) ++thrashing;
  }
  EXPECT_GT(thrashing, 5);  // rows that displace each other within a task
}
/// 8 KiB rows of a star of radius 4 in a cache of 8 ways: nine lines of a set, of which none stays.
TEST(trace_models, rows_a_power_of_two_apart_displace_each_other) {
  const auto of_columns = [](int columns, std::int64_t* simulated) {
    const auto p = traced_stencil("s", star(4), {40, columns}, 8, 64, false);
    const cache_shape cache{32768, 64, 8};
    *simulated = simulate(p, {}, 1, {cache}).levels[0].fetches();
    return model_fetches(p, {}, cache);
  };
  std::int64_t few = 0, all = 0;
  const auto in_few = of_columns(1024, &few), in_all = of_columns(1032, &all);
  EXPECT_EQ(*in_few.conflicts, few);
  EXPECT_EQ(*in_all.conflicts, all);
  EXPECT_GT(few, 5 * all);
  EXPECT_LT(*in_few.interference, 0.5 * double(few));  // which probability does not see
}
/// Between the two counts that it mixes, and nearer to `once` the larger the cache is.
TEST(trace_models, interference_of_a_stencil_falls_with_the_cache) {
  const auto p = stencil(box(2), 30, 300);
  double before = 1e300;
  for (const std::int64_t lines : {64, 256, 400, 512, 1024, 8192}) {
    const auto m = model_fetches(p, {}, {lines * line, line, 4});
    EXPECT_LE(*m.interference, before);
    EXPECT_GE(*m.interference, double(m.once) * (1 - 1e-12));
    EXPECT_LE(*m.interference, double(m.every_row) * (1 + 1e-12));
    before = *m.interference;
  }
  EXPECT_NEAR(before, double(modelled(p, "rows").once), 1);
}

/// All threads make an access before any makes the next: the lines are the same, in another
/// sequence.
TEST(trace_models, threads_side_by_side_make_the_same_accesses) {
  const auto p = stencil(box(1), 10, 50);
  const auto accesses = [&](int threads) {
    std::vector<std::int64_t> all;
    each_access(p, index_map({}, p.tasks), threads,
                [&](std::int64_t, int, std::int64_t l) { all.push_back(l); });
    return all;
  };
  auto one = accesses(1), many = accesses(32);
  EXPECT_EQ(one.size(), 10u * 50 * 9);
  EXPECT_NE(one, many);
  EXPECT_EQ(many[0], 0);
  EXPECT_EQ(many[31], 31 / 4);  // the first tap of the last thread
  EXPECT_EQ(many[32], 0);       // the second tap of the first
  std::sort(one.begin(), one.end());
  std::sort(many.begin(), many.end());
  EXPECT_EQ(one, many);
  // Side by side they need more of the cache (section 3.2.1).
  EXPECT_GT(fetched(p, "rows", 8, 32), fetched(p, "rows", 8, 1));
}

TEST(trace_models, a_second_level_gets_what_misses_the_first) {
  const auto p = stencil(box(1), 30, 200);
  const auto both = simulate(p, {}, 1, {lines_of_cache(10), lines_of_cache(200)});
  const auto first = simulate(p, {}, 1, {lines_of_cache(10)});
  EXPECT_EQ(both.levels[0].fetches(), first.levels[0].fetches());
  EXPECT_EQ(both.levels[1].accesses, both.levels[0].fetches());
  EXPECT_EQ(both.levels[1].fetches(), modelled(p, "rows").once);
  EXPECT_EQ(both.accesses, 30 * 200 * 9);
}

TEST(trace_models, writes_bring_lines_too) {
  const auto p = traced_stencil("s", box(1), {12, 42}, unit, line, true);
  const auto s = simulate(p, {}, 1, {lines_of_cache(10000)});
  ASSERT_EQ(p.arrays.size(), 2u);
  EXPECT_EQ(s.arrays[0][0].fetches(), 12 * 11);
  EXPECT_EQ(s.arrays[1][0].accesses, 10 * 40);
  EXPECT_EQ(s.arrays[1][0].fetches(), 10 * 11);
}

}  // namespace
}  // namespace dwell::test
