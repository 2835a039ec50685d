// SPDX-License-Identifier: MIT
// The struct that kernels of devices are compiled for, of definitions, sizes and borders drawn at
// random: compiled by this system's compiler, plain steps and passes of engine ring_fields2d, which
// threads of a CPU play, have the bits of plain loops.
#include "dwell/execution/stencil/fields/device_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "device_program.hpp"
#include "drawn_fields.hpp"
#include "drawn_points.hpp"
#include "dwell/base/error.hpp"
#include "dwell/device/limits.hpp"
#include "dwell/execution/stencil/engines/column_fields3d/args.hpp"
#include "dwell/execution/stencil/engines/resident_fields/args.hpp"
#include "dwell/execution/stencil/engines/ring_fields2d/args.hpp"
#include "dwell/execution/stencil/fields/columns_plan.hpp"
#include "dwell/execution/stencil/fields/field_memory.hpp"
#include "dwell/execution/stencil/fields/plain_step.hpp"
#include "dwell/execution/stencil/fields/point_table.hpp"
#include "dwell/execution/stencil/fields/resident_plan.hpp"
#include "dwell/execution/stencil/fields/steps_in_one_launch.hpp"
#include "dwell/execution/stencil/fields/system_compiler.hpp"
#include "dwell/stencil/formulas.hpp"
#include "field_cases.hpp"
#include "field_oracle.hpp"
#include "sanitized.hpp"
#include "scratch.hpp"

namespace dwell::test {
namespace {

template <class T>
constexpr const char* real_name = sizeof(T) == 8 ? "double" : "float";

/// Strips of a pass of the places that compiled() has.
overlapping_strips strips_of(const drawn& d, const chain_numbers& n) {
  return {n.width(), n.halo(), static_cast<int>(d.n[2]),
          d.of_axes[0].sides[2][0].kind == side_kind::periodic};
}

/// Takes the parameters of step `step` of a table.
template <class T>
void put_parameters(plain_fields<T>& plain, const std::vector<T>& table, int step) {
  const auto n = static_cast<std::ptrdiff_t>(plain.parameters.size());
  std::copy_n(table.begin() + step * n, n, plain.parameters.begin());
}

int resident_runs[4] = {};  ///< runs of several tiles, by dimensions
int resident_points_seen = 0, column_points_seen = 0;

/// Several tries of tiles and depths on a chip, from the arrays after plain steps.
template <class T>
void check_tiles(const drawn& d, const field_domain& domain, const program& code,
                 const pass_demands& demands, const plain_fields<T>& plain,
                 const fields_stage_args<T>& stage, const field_memory<T>& one,
                 const std::function<void(const field_memory<T>&, const field_places&, const char*,
                                          const plain_fields<T>&)>& expect) {
  const stencil_definition& def = d.definition;
  const resident_numbers n{resident_shape_of_domain(domain), tile_of(domain), sizeof(T)};
  ASSERT_TRUE(n.valid());
  std::mt19937_64 chance(static_cast<std::uint64_t>(d.n[0] + d.n[1] * 1000 + d.n[2]));
  const auto drawn = [&](int m) { return static_cast<int>(chance() % static_cast<unsigned>(m)); };
  int runs = 0;
  for (int round = 0; round < 3000 && runs < 3; ++round) {
    resident_run<T> run;
    std::ranges::copy(stage.n, run.n);
    run.pitch = static_cast<int>(stage.pitch);
    run.depth = 1 + drawn(3), run.passes = 1 + drawn(3), run.last = 1 + drawn(run.depth);
    int tiles = 1;
    for (int axis = 0; axis < 3; ++axis)
      if (run.n[axis] > 1) tiles *= run.tiles[axis] = 1 + drawn(7);
    if (tiles > 40 || !n.fits(run.n, run.tiles, run.depth)) continue;
    ++runs;
    resident_runs[def.dims()] += tiles > 1;
    field_memory<T> chip[2] = {{domain, 1}, {domain, 1}};
    std::memcpy(run.outside, stage.outside, sizeof run.outside);
    std::memcpy(run.p, stage.p, sizeof run.p);
    const field_places at = chip[0].start();
    plain_fields<T> after = plain;
    for (int f = 0; f < def.fields(); ++f) {
      chip[0].copy_in(plain.arrays[static_cast<std::size_t>(f)].data(), chip[0].field(at, f));
      for (int copy = 0; copy < 2; ++copy) run.fields[copy][f] = chip[copy].field(at, f);
    }
    for (int c = 0; c < def.coefficients(); ++c) run.coefficients[c] = one.coefficient(c);
    const int steps = (run.passes - 1) * run.depth + run.last;
    std::vector<std::int64_t> edges;
    for (int tile = 1; tile < run.tiles[1]; ++tile)
      for (const int beside : {-1, 0}) edges.push_back(run.n[1] * tile / run.tiles[1] + beside);
    drawn_points<T> points(
        d, plain, steps, edges, [](int) { return true; }, chance);
    const tile_points table = tile_points_of(points.points, n, run.n, run.tiles, run.depth);
    run.points = {table.list.data(), table.first.data(), data_or_null(points.series), 0,
                  data_or_null(points.record)};
    std::vector<T> parameters;
    for (int k = 0; k < steps * def.parameters(); ++k)
      parameters.push_back(static_cast<T>(0.01 * drawn(300) - 1.5));
    run.table = data_or_null(parameters);
    const bool reversed = drawn(2);
    SCOPED_TRACE(fmt::format("{} tiles, {} passes of {}, the last of {}, reversed {}",
                             fmt::join(run.tiles, "x"), run.passes, run.depth, run.last, reversed));
    code.resident_steps(&run, reversed);
    for (int s = 0; s < steps; ++s) {
      if (demands.parameters_change) put_parameters(after, parameters, s);
      after.step();
      if (demands.points) points.expect(after, s);
    }
    if (demands.points) resident_points_seen += static_cast<int>(points.points.size());
    expect(chip[run.passes % 2], at, "steps on the chip", after);
  }
}

template <class T>
void check(const drawn& d, const field_domain& domain, const program& code,
           const pass_demands& demands, std::mt19937_64& chance) {
  const auto below = [&](int n) { return static_cast<int>(chance() % static_cast<unsigned>(n)); };
  const stencil_definition& def = d.definition;
  const int fields = def.fields();
  std::uniform_real_distribution<double> values(-2, 2);
  plain_fields<T> plain(def, d.n, d.of_axes);
  for (int a = 0; a < fields + def.coefficients(); ++a) {
    std::vector<T> some(static_cast<std::size_t>(domain.size().cells()));
    for (T& v : some) v = static_cast<T>(values(chance));
    plain.arrays.push_back(std::move(some));
  }
  // Fixed cells of a field that becomes another one are the host's: here they are alike.
  for (std::int64_t z = 0; z < d.n[0]; ++z)
    for (std::int64_t y = 0; y < d.n[1]; ++y)
      for (std::int64_t x = 0; x < d.n[2]; ++x)
        for (int f = 1; f < fields && plain.fixed(z, y, x); ++f)
          plain.cell(f, z, y, x) = plain.cell(0, z, y, x);
  for (int p = 0; p < def.parameters(); ++p)
    plain.parameters.push_back(static_cast<T>(values(chance)));

  field_memory<T> one(domain, 1), other(domain, 1);
  field_places places = one.start();
  fields_stage_args<T> stage;
  fields_pass<T> pass;
  constexpr int axes[] = {1, 2, 0};
  for (int k = 0; k < 3; ++k) stage.n[k] = static_cast<int>(d.n[static_cast<std::size_t>(axes[k])]);
  stage.pitch = one.pitch();
  pass.nx = stage.n[1];
  pass.ny = stage.n[0];
  pass.pitch = static_cast<int>(one.pitch());
  for (int a = 0; a < fields; ++a)
    for (int k = 0; k < 3; ++k)
      for (int side = 0; side < 2; ++side) {
        const T value = static_cast<T>(domain.side(a, axes[k], side).value);
        stage.outside[a][k][side] = value;
        if (k < 2) pass.outside[a][k][side] = value;
      }
  std::ranges::copy(plain.parameters, stage.p);
  std::ranges::copy(plain.parameters, pass.p);
  for (int a = 0; a < fields + def.coefficients(); ++a) {
    const auto& cells = plain.arrays[static_cast<std::size_t>(a)];
    one.copy_in(cells.data(), a < fields ? one.field(places, a) : one.coefficient(a - fields));
  }
  const auto expect = [&](const field_memory<T>& memory, const field_places& at, const char* what,
                          const plain_fields<T>& plain) {
    for (int f = 0; f < fields; ++f) {
      std::vector<T> found(static_cast<std::size_t>(domain.size().cells()));
      memory.copy_out(memory.field(at, f), found.data());
      const auto& expected = plain.arrays[static_cast<std::size_t>(f)];
      std::vector<std::string> wrong;
      for (std::size_t i = 0; i < found.size(); ++i)
        if (!same_values(std::vector{found[i]}, std::vector{expected[i]}))
          wrong.push_back(fmt::format("{}: {} for {}", i, found[i], expected[i]));
      EXPECT_TRUE(wrong.empty()) << what << ", field " << f << ", " << wrong.size()
                                 << " cells, the first: " << wrong[0];
    }
  };

  const auto args_of = [&](const field_stage& of) {
    const stage_memory<T> m = one.next(of, places);
    fields_stage_args<T> a = stage;
    std::ranges::copy(m.in, a.in);
    for (std::size_t k = 0; k < of.computed.size(); ++k) a.out[of.computed[k].field] = m.out[k];
    return a;
  };
  for (int step = below(4); step >= 0; --step) {
    plain.step();
    for (std::size_t s = 0; s < def.stages().size(); ++s) {
      const fields_stage_args<T> a = args_of(def.stages()[s]);
      (step % 2 ? code.naive_stage : code.plain_stage)(static_cast<int>(s), &a);
    }
  }
  expect(one, places, "plain steps", plain);
  // Some in one launch, of which the list has fewer where arrays come to the same places again.
  std::vector<fields_stage_args<T>> list;
  const int together = 1 + below(7);
  for (int step = 0; step < together; ++step) {
    plain.step();
    for (const field_stage& of : def.stages()) list.push_back(args_of(of));
  }
  const auto same = [&](std::size_t step) {
    const std::size_t count = def.stages().size();
    return std::equal(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(count),
                      list.begin() + static_cast<std::ptrdiff_t>(step * count),
                      [](const auto& a, const auto& b) {
                        return std::ranges::equal(a.in, b.in) && std::ranges::equal(a.out, b.out);
                      });
  };
  fields_steps<T> launch{list.data(), 1, together, nullptr};
  while (launch.cycle < together && !same(static_cast<std::size_t>(launch.cycle))) ++launch.cycle;
  code.steps_together(&launch, 1 + below(3));
  expect(one, places, "steps in one launch", plain);
  check_tiles<T>(d, domain, code, demands, plain, stage, one, expect);
  if (def.dims() == 3) {
    fields_columns<T> columns;
    std::ranges::copy(stage.n, columns.n);
    columns.pitch = one.pitch();
    std::memcpy(columns.outside, stage.outside, sizeof(columns.outside));
    std::ranges::copy(plain.parameters, columns.p);
    field_places there = other.start();
    for (int f = 0; f < fields; ++f) {
      columns.from[f] = one.field(places, f);
      columns.to[f] = other.field(there, f);
    }
    for (int c = 0; c < def.coefficients(); ++c) columns.from[fields + c] = one.coefficient(c);
    const int teams = 1 + below(7);
    const columns_shape shape = columns_of(domain);
    const int depth = code.column_steps, rows = code.column_rows;
    // The sizes that columns_for() has.
    const columns_numbers n{shape,
                            {2 * depth * shape.step_columns() + 5,
                             (2 * depth * shape.step_rows() + 4) / rows + 1, rows, depth},
                            sizeof(T)};
    if (!n.valid()) return;
    const columns_tiles tiles = tiles_of(domain, n);
    std::vector<std::int64_t> edges;
    for (int tile = 0; tile < tiles.x.count(); ++tile)
      edges.insert(edges.end(), {tiles.x.first(tile), tiles.x.end(tile) - 1});
    drawn_points<T> points(
        d, plain, depth, edges, [&](int field) { return !shape.is_renamed(field); }, chance);
    const point_table table =
        columns_table_of(points.points, tiles, static_cast<int>(d.n[0]), rows);
    columns.points = {table.rows.data(), table.list.data(), data_or_null(points.series), 0,
                      data_or_null(points.record)};
    std::vector<T> parameters;
    for (int k = 0; k < depth * def.parameters(); ++k)
      parameters.push_back(static_cast<T>(values(chance)));
    columns.table = data_or_null(parameters);
    const int steps = code.columns_pass(&columns, teams, below(2));
    SCOPED_TRACE(fmt::format("{} teams", teams));
    ASSERT_EQ(steps, depth);
    for (int s = 0; s < steps; ++s) {
      if (demands.parameters_change) put_parameters(plain, parameters, s);
      plain.step();
      if (demands.points) points.expect(plain, s);
    }
    if (demands.points) column_points_seen += static_cast<int>(points.points.size());
    expect(other, there, "a pass", plain);
  }
  if (def.dims() != 2) return;

  field_places there = other.start();
  for (int f = 0; f < fields; ++f) {
    pass.from[f] = one.field(places, f);
    pass.to[f] = other.field(there, f);
  }
  for (int c = 0; c < def.coefficients(); ++c) pass.from[fields + c] = one.coefficient(c);
  const int warps = 1 + below(2), teams = 1 + below(5);
  const chain_shape shape = chain_of(domain);
  const int columns = shape.step_columns();
  const chain_numbers n{shape, {2, 1, columns < 5 ? 5 : columns | 1, 3, 1, 1}, sizeof(T)};
  const overlapping_strips strips = strips_of(d, n);
  std::vector<std::int64_t> edges;
  for (int strip = 0; strip < strips.count(); ++strip)
    edges.insert(edges.end(), {strips.first(strip), strips.end(strip) - 1});
  drawn_points<T> points(
      d, plain, warps, edges, [&](int field) { return !shape.is_renamed(field); }, chance);
  const point_table table =
      point_table_of(points.points, strips, static_cast<int>(d.n[1]), n.config.across);
  pass.points = {table.rows.data(), table.list.data(), data_or_null(points.series), 0,
                 data_or_null(points.record)};
  std::vector<T> tables;
  for (int k = 0; k < warps * def.parameters(); ++k)
    tables.push_back(static_cast<T>(values(chance)));
  pass.table = data_or_null(tables);
  const int steps = code.ring_pass(&pass, warps, teams, below(2));
  SCOPED_TRACE(fmt::format("{} warps, {} teams", warps, teams));
  if (steps == 0) return;
  for (int s = 0; s < steps; ++s) {
    if (demands.parameters_change) put_parameters(plain, tables, s);
    plain.step();
    if (demands.points) points.expect(plain, s);
  }
  // Cells of a field that has another one's are left to the host where they are fixed; so is what
  // no stage writes.
  expect(other, there, "a pass", plain);
}

template <class T>
void check_drawn(const drawn& d, const program& code, const pass_demands& demands,
                 const field_domain& domain, std::mt19937_64& chance) {
  if (!code.plain_stage) return;
  std::string sides;
  for (const auto& b : d.given)
    for (const auto& axis : b.sides) sides += to_string(axis[0]) + "|" + to_string(axis[1]) + " ";
  SCOPED_TRACE(
      fmt::format("{}size {}, sides {}", d.definition.describe(), fmt::join(d.n, "x"), sides));
  check<T>(d, domain, code, demands, chance);
}

TEST_F(DeviceText, StepsAndPassesHaveTheBitsOfLoops) {
  std::string why;
  if (!find_compiler(why)) GTEST_SKIP() << why;
  std::mt19937_64 chance(20261128);
  for (int round = 0; round < rounds(5); ++round) {
    const drawn d = draw(chance, round < 4 ? 2 : 0);
    const std::vector<std::int64_t> axes(d.n.begin() + (3 - d.definition.dims()), d.n.end());
    const field_domain domain(d.definition, checked_field_size(d.definition.dims(), axes), d.given);
    const pass_demands demands{round % 4 > 1, round % 3 > 0};
    if (round % 2)
      check_drawn<float>(d, compiled(domain, "float", demands), demands, domain, chance);
    else
      check_drawn<double>(d, compiled(domain, "double", demands), demands, domain, chance);
  }
  EXPECT_GT(resident_runs[2], 0);
  EXPECT_GT(resident_points_seen, 0);
}

TEST_F(DeviceText, LinesOnTheChipHaveTheBitsOfLoops) {
  std::string why;
  if (!find_compiler(why)) GTEST_SKIP() << why;
  std::mt19937_64 chance(number_of("DWELL_RANDOM_SEED", 20261130));
  for (int round = 0; round < number_of("DWELL_RANDOM_CASES", rounds(4)); ++round) {
    const drawn d = draw(chance, 1);
    const field_domain domain(d.definition, checked_field_size(1, {&d.n[2], 1}), d.given);
    const pass_demands demands{round % 3 == 1, round % 2 == 0};
    SCOPED_TRACE(fmt::format("round {}", round));
    if (round % 2)
      check_drawn<float>(d, compiled(domain, "float", demands), demands, domain, chance);
    else
      check_drawn<double>(d, compiled(domain, "double", demands), demands, domain, chance);
  }
  EXPECT_GT(resident_runs[1], 0);
}

/// A field that is another one's old values, which passes do not carry.
cell_tape wave_equation(int radius) {
  stencil_formulas f;
  f.name = "wave";
  f.fields = {"u", "v"};
  f.coefficients = {"c"};
  std::string sum = "u[-1, 0, 0] + u[1, 0, 0] + (u[0, -1, 0] + u[0, 1, 0]) + u[0, 0, 1]";
  if (radius == 2) sum += " - (u[2, 0, 0] + u[-2, 0, 0]) + u[0, 1, -2]";
  f.stages = {"u = 1.5 * u - 0.5 * v + c * (" + sum + " - 3 * u) / 16\nv = u"};
  return parse_formulas(f).tape();
}

TEST_F(DeviceText, PassesInThreeDimensionsHaveTheBitsOfLoops) {
  std::string why;
  if (!find_compiler(why)) GTEST_SKIP() << why;
  std::mt19937_64 chance(number_of("DWELL_RANDOM_SEED", 20261129));
  for (int round = 0; round < number_of("DWELL_RANDOM_CASES", rounds(5)); ++round) {
    const drawn d =
        round % 3 == 0 ? with_borders(wave_equation(1 + round % 2), chance) : draw(chance, 3);
    const std::vector<std::int64_t> axes(d.n.begin(), d.n.end());
    const field_domain domain(d.definition, checked_field_size(3, axes), d.given);
    const int steps = 1 + static_cast<int>(chance() % 3), rows = 1 + static_cast<int>(chance() % 3);
    SCOPED_TRACE(fmt::format("round {}, {} steps, {} rows", round, steps, rows));
    const pass_demands demands{round % 4 == 1, round % 2 == 0};
    if (round % 2)
      check_drawn<float>(d, compiled(domain, "float", demands, steps, rows), demands, domain,
                         chance);
    else
      check_drawn<double>(d, compiled(domain, "double", demands, steps, rows), demands, domain,
                          chance);
  }
  EXPECT_GT(resident_runs[3], 0);
  EXPECT_GT(column_points_seen, 0);
}

/// Counts of pieces do not wrap round.
TEST(StepsInOneLaunch, LongLinesHaveAllTheirPieces) {
  fields_stage_args<float> a;
  for (const int below : {0, 1, 31, 32, 33}) {
    a.n[1] = std::numeric_limits<int>::max() - below;
    const std::int64_t wanted = (std::int64_t{a.n[1]} + step_lanes - 1) / step_lanes;
    EXPECT_EQ(pieces_of_stage(a, 4).all(), wanted);
    std::swap(a.n[0], a.n[1]);
    EXPECT_EQ(pieces_of_stage(a, 4).down, (std::int64_t{a.n[0]} + 3) / 4);
    std::swap(a.n[0], a.n[1]);
  }
}

}  // namespace
}  // namespace dwell::test
