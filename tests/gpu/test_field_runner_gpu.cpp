// SPDX-License-Identifier: MIT
// Stencils of several fields on a GPU: cases drawn at random, passes over wide fields, fields that
// stay on the chip, ends, values
// that are not finite, reductions. Skipped, visibly, without the compiler of kernels at run time.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "field_cases.hpp"
#include "field_oracle.hpp"
#include "scratch.hpp"
#include "stencil_place.hpp"

#include "dwell/base/error.hpp"
#include "dwell/execution/device/loaded_kernel_cuda.hpp"
#include "dwell/execution/device/nvrtc.hpp"
#include "dwell/stencil/field_runner.hpp"
#include "dwell/stencil/formulas.hpp"

namespace dwell::test {
namespace {

class field_runner_gpu : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = stencil_place::absent(); !why.empty()) GTEST_SKIP() << why;
    try {
      nvrtc::library(cuda::target_of(stencil_place::where()).driver_major);
    } catch (const unsupported_error& e) {
      GTEST_SKIP() << e.what();
    }
    setenv("DWELL_CACHE_DIR", (folder_ / "cache").c_str(), 1);
  }
  ~field_runner_gpu() override { unsetenv("DWELL_CACHE_DIR"); }
  scratch_folder folder_;
};

field_place on_gpu(std::vector<const char*> executors) {
  return {
      [](int) { return stencil_place::where(); }, std::move(executors), "auto", {2000, 150, 24}, 9};
}

TEST_F(field_runner_gpu, any_definition_has_the_bits_of_plain_loops) {
  run_field_cases(on_gpu({"auto", "host-loop", "graph", "temporal", "perks", "perks"}), 40);
}

TEST_F(field_runner_gpu, single_steps_in_any_way_have_the_bits_of_plain_loops) {
  run_field_cases(on_gpu({"naive", "persistent"}), 24);
  field_place place = on_gpu({"persistent"});
  place.alike = true;
  run_field_cases(place, 24);
}

TEST_F(field_runner_gpu, values_that_are_computed_once_have_the_bits_of_plain_loops) {
  int hoisted = 0;
  field_place place = on_gpu({"auto", "graph", "temporal", "perks"});
  place.hoist = "always";
  place.hoisted = &hoisted;
  const int cases = number_of("DWELL_RANDOM_CASES", 12);
  run_field_cases(place, cases);
  EXPECT_GE(hoisted, std::max(1, cases / 4));  // executors of some are refused
}

TEST_F(field_runner_gpu, passes_in_three_dimensions_have_the_bits_of_plain_loops) {
  field_place place = on_gpu({"temporal"});
  place.longest[2] = 40;
  place.deepest = 4;
  place.dims = 3;
  place.alike = true;
  run_field_cases(place, 12);
  place.alike = false;
  run_field_cases(place, 24);
}

cell_node neighbour(int array, int dims, int axis, int offset) {
  std::vector<int> at(static_cast<std::size_t>(dims), 0);
  at[static_cast<std::size_t>(axis)] = offset;
  return cell_node::tap(array, at);
}
/// Heat with a conductivity per cell, and the wave equation with a speed per cell; neighbours of
/// some sides only.
stencil_definition heat(int dims = 2) {
  cell_tape t{"heat", dims, {"u"}, {"k"}, {"r"}, {}, {}};
  t.nodes = {neighbour(0, dims, 0, 0), neighbour(0, dims, dims - 1, 1), neighbour(0, dims, 0, -1),
             neighbour(1, dims, 0, 0), cell_node::parameter(0)};
  for (const auto& [a, b] : {std::pair{1, 2}, {5, 3}, {6, 4}})
    t.nodes.push_back(cell_node::operation(a == 1 ? cell_op::add : cell_op::mul, a, b));
  t.nodes.push_back(cell_node::operation(cell_op::add, 0, 7));
  t.stages = {{{0, 8}}};
  return stencil_definition(t);
}
stencil_definition wave(int dims = 2) {
  cell_tape t{"wave", dims, {"u", "v"}, {"c"}, {}, {}, {}};
  std::vector<int> corner(static_cast<std::size_t>(dims), 1);
  t.nodes = {neighbour(0, dims, 0, 0), neighbour(1, dims, 0, 0), neighbour(2, dims, 0, 0),
             neighbour(0, dims, dims - 2, -1), cell_node::tap(0, corner)};
  t.nodes.push_back(cell_node::operation(cell_op::sub, 3, 4));
  t.nodes.push_back(cell_node::operation(cell_op::mul, 2, 5));
  t.nodes.push_back(cell_node::operation(cell_op::sub, 6, 1));
  t.stages = {{{0, 7}, {1, 0}}};
  return stencil_definition(t);
}

template <class T>
std::vector<T> some_cells(std::int64_t cells, std::uint64_t seed) {
  std::mt19937_64 chance(seed);
  std::uniform_real_distribution<double> values(-1, 1);
  std::vector<T> some(static_cast<std::size_t>(cells));
  for (T& v : some) v = static_cast<T>(values(chance));
  return some;
}

/// Harmonic means of conductivities, which are the same in every step.
stencil_definition layers(int dims = 2) {
  const std::string right = dims == 2 ? "[0, 1]" : "[0, 0, 1]",
                    before = dims == 2 ? "[-1, 0]" : "[-1, 0, 0]";
  return parse_formulas({"layers",
                         dims,
                         {"u"},
                         {"k"},
                         {"r"},
                         {fmt::format("a = 0.3 * exp(k)\n"
                                      "u = u + r * (2 * a * a{0} / (a + a{0}) * (u{0} - u) + "
                                      "2 * a * a{1} / (a + a{1}) * (u{1} - u))\n",
                                      right, before)}});
}

/// In passes: wider than a strip, longer than a team's part, all steps of a run that passes leave
/// over. On the chip (perks): several tiles, several launches.
template <class T>
void has_the_bits_of_single_steps(const char* executor, const stencil_definition& d,
                                  std::uint64_t seed, int depth = 0) {
  std::mt19937_64 chance(seed);
  const auto below = [&](int n) {
    return static_cast<std::int64_t>(chance() % static_cast<unsigned>(n));
  };
  constexpr side_kind kinds[] = {side_kind::fixed, side_kind::reflect, side_kind::mirror,
                                 side_kind::nearest, side_kind::periodic};
  const bool on_chip = std::string_view(executor) == "perks";
  for (const side_kind kind : {kinds[0], kinds[1 + below(4)]}) {
    std::vector<std::int64_t> size{1000 + below(on_chip ? 300'000 : 2'000'000)};
    if (d.dims() == 2) size = {2 + below(on_chip ? 900 : 1500), 200 + below(on_chip ? 700 : 1500)};
    if (d.dims() == 3)
      size = {2 + below(on_chip ? 70 : 90), 2 + below(on_chip ? 70 : 200),
              2 + below(on_chip ? 70 : 300)};
    std::int64_t cells = 1;
    for (const std::int64_t n : size) cells *= n;
    field_options options;
    options.boundaries = {field_boundary::all({kind, 0})};
    const int steps = on_chip ? 4000 : 20 + static_cast<int>(below(80));
    std::vector<std::vector<T>> fields[2];
    for (const bool passes : {false, true}) {
      options.executor = passes ? executor : "graph";
      options.depth = passes ? depth : 0;
      options.hoist = passes ? "always" : "never";
      field_runner<T> runner(stencil_place::where(), d, size, options);
      const auto same = some_cells<T>(cells, seed);
      for (int f = 0; f < d.fields(); ++f) runner.set_field(f, same);
      for (int c = 0; c < d.coefficients(); ++c)
        runner.set_coefficient(c, some_cells<T>(cells, seed + 1));
      for (int p = 0; p < d.parameters(); ++p) runner.set_parameter(p, 0.2);
      runner.run(steps / 3);
      runner.run(steps - steps / 3);
      const field_report report = runner.report();
      EXPECT_EQ(report.executor, options.executor);
      EXPECT_EQ(report.total_steps, steps);
      EXPECT_EQ(report.hoisted > 0, passes && d.name() == "layers");
      EXPECT_TRUE(!passes || report.depth > 1 || on_chip || options.executor == "graph" ||
                  options.executor == "persistent" || options.executor == "naive")
          << report.reason;
      EXPECT_TRUE(!passes || depth == 0 || report.depth == depth) << report.reason;
      for (int f = 0; f < d.fields(); ++f)
        runner.field(f, fields[passes].emplace_back(same.size()));
    }
    for (std::size_t f = 0; f < fields[0].size(); ++f)
      EXPECT_TRUE(same_values(fields[0][f], fields[1][f]))
          << d.name() << ", field " << f << ", " << fmt::format("{}", fmt::join(size, "x")) << ", "
          << steps << " steps, " << to_string(field_side{kind, 0});
  }
}
TEST_F(field_runner_gpu, passes_of_heat_have_the_bits_of_single_steps_f64) {
  has_the_bits_of_single_steps<double>("temporal", heat(), 1);
}
TEST_F(field_runner_gpu, passes_of_heat_have_the_bits_of_single_steps_f32) {
  has_the_bits_of_single_steps<float>("temporal", heat(), 2);
}
TEST_F(field_runner_gpu, passes_of_waves_have_the_bits_of_single_steps_f64) {
  has_the_bits_of_single_steps<double>("temporal", wave(), 3);
}
TEST_F(field_runner_gpu, passes_of_waves_have_the_bits_of_single_steps_f32) {
  has_the_bits_of_single_steps<float>("temporal", wave(), 4);
}
TEST_F(field_runner_gpu, passes_in_space_have_the_bits_of_single_steps_f64) {
  has_the_bits_of_single_steps<double>("temporal", heat(3), 5);
  has_the_bits_of_single_steps<double>("temporal", wave(3), 7);
}
TEST_F(field_runner_gpu, passes_in_space_have_the_bits_of_single_steps_f32) {
  has_the_bits_of_single_steps<float>("temporal", heat(3), 6);
  has_the_bits_of_single_steps<float>("temporal", wave(3), 8);
}

TEST_F(field_runner_gpu, values_computed_once_have_the_bits_of_every_step_f64) {
  has_the_bits_of_single_steps<double>("temporal", layers(), 21);
  has_the_bits_of_single_steps<double>("temporal", layers(3), 22);
}
TEST_F(field_runner_gpu, values_computed_once_have_the_bits_of_every_step_f32) {
  has_the_bits_of_single_steps<float>("temporal", layers(), 23);
  has_the_bits_of_single_steps<float>("graph", layers(), 24);
}
TEST_F(field_runner_gpu, values_computed_once_stay_on_the_chip) {
  has_the_bits_of_single_steps<double>("perks", layers(), 25);
}

/// Some cells: a row, a column, corners and others, some of them twice; none that is fixed. Of one
/// axis or three: others alone.
std::vector<std::int64_t> some_places(const std::vector<std::int64_t>& size, int margin,
                                      std::mt19937_64& chance) {
  std::vector<std::int64_t> cells;
  const auto below = [&](std::int64_t n) {
    return margin +
           static_cast<std::int64_t>(chance() % static_cast<std::uint64_t>(n - 2 * margin));
  };
  if (size.size() != 2) {
    for (int k = 0; k < 60; ++k)
      for (const std::int64_t n : size) cells.push_back(k == 0 ? margin : below(n));
    cells.insert(cells.end(), cells.begin(), cells.begin() + static_cast<int>(size.size()));
    return cells;
  }
  const auto put = [&](std::int64_t y, std::int64_t x) { cells.insert(cells.end(), {y, x}); };
  for (std::int64_t x = margin, y = below(size[0]); x < size[1] - margin; x += 3) put(y, x);
  for (std::int64_t y = margin, x = below(size[1]); y < size[0] - margin; ++y) put(y, x);
  for (const std::int64_t y : {std::int64_t{margin}, size[0] - 1 - margin})
    for (const std::int64_t x : {std::int64_t{margin}, size[1] - 1 - margin}) put(y, x);
  for (int k = 0; k < 30; ++k) put(below(size[0]), below(size[1]));
  put(cells[0], cells[1]);
  return cells;
}

/// Sources and receivers in two lists each, the second ones given later, parameters of every step,
/// and reductions, at which passes end; then others in place of all of them.
template <class T>
void has_the_points_of_single_steps(const char* executor, const stencil_definition& d,
                                    std::uint64_t seed) {
  std::mt19937_64 chance(seed);
  const auto below = [&](int n) {
    return static_cast<std::int64_t>(chance() % static_cast<unsigned>(n));
  };
  constexpr side_kind kinds[] = {side_kind::fixed, side_kind::antisymmetric, side_kind::mirror,
                                 side_kind::nearest, side_kind::periodic};
  for (const side_kind kind : {kinds[0], kinds[1 + seed % 4]}) {
    const std::string_view wanted(executor);
    std::vector<std::int64_t> size{10 + below(wanted == "perks" ? 700 : 1200),
                                   200 + below(wanted == "perks" ? 500 : 1200)};
    if (d.dims() == 1) size = {5000 + below(300'000)};
    // In passes: more than a tile of a plane, so that a cell is computed in several.
    if (d.dims() == 3) {
      const bool tiles = wanted == "temporal";
      size = {8 + below(60), 8 + below(tiles ? 120 : 60), 8 + below(tiles ? 200 : 60)};
    }
    std::int64_t cells = 1;
    for (const std::int64_t n : size) cells *= n;
    const auto points = [&](const auto& list) {
      return static_cast<std::int64_t>(list.size() / size.size());
    };
    field_options options;
    options.boundaries = {field_boundary::all({kind, 0})};
    const int margin = kind == side_kind::fixed ? d.radius() : 0;
    const auto places = some_places(size, margin, chance),
               others = some_places(size, margin, chance);
    const int steps = 150;
    const auto series = some_cells<T>(points(places) * steps, seed + 2);
    const auto more = some_cells<T>(points(others) * steps, seed + 3);
    std::vector<double> table;
    for (int s = 0; s < steps; ++s) table.push_back(0.15 + 0.1 * static_cast<double>(below(5)));
    std::vector<std::vector<T>> found[2];
    std::vector<field_reduction_row> rows[2];
    for (const bool passes : {false, true}) {
      options.executor = passes ? executor : "host-loop";
      field_runner<T> runner(stencil_place::where(), d, size, options);
      const auto same = some_cells<T>(cells, seed);
      for (int f = 0; f < d.fields(); ++f) runner.set_field(f, same);
      // So small that nothing grows beyond f32.
      auto small = some_cells<T>(cells, seed + 1);
      for (T& v : small) v *= T(0.2);
      for (int c = 0; c < d.coefficients(); ++c) runner.set_coefficient(c, small);
      for (int p = 0; p < d.parameters(); ++p) runner.set_parameter(p, table);
      const auto keep = [&](int list) {
        const auto record = runner.record(list);
        found[passes].emplace_back(record.begin(), record.end());
      };
      runner.set_sources(0, places, series);
      const int last = d.fields() - 1;
      EXPECT_EQ(runner.set_receivers(last, others), 0);
      runner.run(37);
      runner.set_sources(0, others, more);
      EXPECT_EQ(runner.set_receivers(0, places), 1);
      runner.set_reductions({{0, parse_field_quantity("norm2"), {}},
                             {last, parse_field_quantity("change-norm2"), {}}},
                            29);
      runner.run(61);
      keep(0);
      keep(1);
      rows[passes] = runner.reductions();
      runner.clear_points();
      runner.set_receivers(0, others);
      runner.run(30);
      keep(0);
      EXPECT_EQ(runner.report().executor, options.executor);
      EXPECT_TRUE(runner.report().finite);
      for (int f = 0; f < d.fields(); ++f) runner.field(f, found[passes].emplace_back(same.size()));
    }
    ASSERT_EQ(rows[0].size(), 2U);
    for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(rows[0][k].values, rows[1][k].values) << k;
    for (std::size_t k = 0; k < found[0].size(); ++k)
      EXPECT_TRUE(same_values(found[0][k], found[1][k]))
          << d.name() << ", array " << k << ", " << fmt::format("{}", fmt::join(size, "x")) << ", "
          << to_string(field_side{kind, 0});
  }
}
TEST_F(field_runner_gpu, passes_of_heat_have_points_and_tables_f64) {
  has_the_points_of_single_steps<double>("temporal", heat(), 11);
}
TEST_F(field_runner_gpu, passes_of_heat_have_points_and_tables_f32) {
  has_the_points_of_single_steps<float>("temporal", heat(), 13);
}
TEST_F(field_runner_gpu, passes_of_waves_have_points_f64) {
  has_the_points_of_single_steps<double>("temporal", wave(), 15);
}
TEST_F(field_runner_gpu, passes_of_waves_have_points_f32) {
  has_the_points_of_single_steps<float>("temporal", wave(), 16);
}
TEST_F(field_runner_gpu, passes_in_space_have_points_and_tables_f64) {
  has_the_points_of_single_steps<double>("temporal", heat(3), 41);
  has_the_points_of_single_steps<double>("temporal", wave(3), 42);
}
TEST_F(field_runner_gpu, passes_in_space_have_points_and_tables_f32) {
  has_the_points_of_single_steps<float>("temporal", heat(3), 43);
  has_the_points_of_single_steps<float>("temporal", wave(3), 44);
}
TEST_F(field_runner_gpu, heat_on_the_chip_has_points_and_tables) {
  has_the_points_of_single_steps<double>("perks", heat(), 17);
  has_the_points_of_single_steps<float>("perks", heat(3), 18);
}
TEST_F(field_runner_gpu, waves_on_the_chip_have_points) {
  has_the_points_of_single_steps<float>("perks", wave(), 19);
  has_the_points_of_single_steps<double>("perks", wave(3), 20);
}
TEST_F(field_runner_gpu, lines_have_points_and_tables) {
  has_the_points_of_single_steps<double>("perks", heat(1), 26);
  has_the_points_of_single_steps<float>("temporal", heat(1), 27);
}
TEST_F(field_runner_gpu, steps_in_one_launch_have_the_bits_of_single_steps) {
  has_the_bits_of_single_steps<double>("persistent", heat(1), 41);
  has_the_bits_of_single_steps<float>("persistent", heat(), 42);
  has_the_bits_of_single_steps<double>("persistent", wave(), 43);
  has_the_bits_of_single_steps<float>("persistent", wave(3), 44);
  has_the_bits_of_single_steps<double>("persistent", layers(3), 45);
}
TEST_F(field_runner_gpu, cell_by_cell_has_the_bits_of_single_steps) {
  has_the_bits_of_single_steps<double>("naive", heat(), 46);
  has_the_bits_of_single_steps<float>("naive", wave(3), 47);
  has_the_points_of_single_steps<double>("naive", wave(), 48);
  has_the_points_of_single_steps<float>("naive", heat(3), 49);
}
TEST_F(field_runner_gpu, lines_have_the_bits_of_single_steps) {
  has_the_bits_of_single_steps<double>("perks", heat(1), 31);
  has_the_bits_of_single_steps<float>("perks", heat(1), 32, 7);
  has_the_bits_of_single_steps<double>("temporal", heat(1), 33);
  has_the_bits_of_single_steps<float>("temporal", heat(1), 34, 11);
}
TEST_F(field_runner_gpu, space_on_the_chip_has_the_bits_of_single_steps) {
  has_the_bits_of_single_steps<double>("perks", heat(3), 35);
  has_the_bits_of_single_steps<float>("perks", heat(3), 36, 2);
  has_the_bits_of_single_steps<double>("perks", wave(3), 37);
  has_the_bits_of_single_steps<float>("perks", wave(3), 38);
}
TEST_F(field_runner_gpu, heat_on_the_chip_has_the_bits_of_single_steps_f64) {
  has_the_bits_of_single_steps<double>("perks", heat(), 11);
}
TEST_F(field_runner_gpu, heat_on_the_chip_has_the_bits_of_single_steps_f32) {
  has_the_bits_of_single_steps<float>("perks", heat(), 12, 3);
}
TEST_F(field_runner_gpu, waves_on_the_chip_have_the_bits_of_single_steps_f64) {
  has_the_bits_of_single_steps<double>("perks", wave(), 13, 1);
}
TEST_F(field_runner_gpu, waves_on_the_chip_have_the_bits_of_single_steps_f32) {
  has_the_bits_of_single_steps<float>("perks", wave(), 14);
}

TEST_F(field_runner_gpu, perks_says_what_it_does_not_take) {
  field_options o;
  o.executor = "perks";
  try {
    field_runner<double> runner(stencil_place::where(), heat(), {20000, 20000}, o);
    runner.run(3);
    ADD_FAILURE() << "was taken";
  } catch (const input_error& e) {
    const std::string said = e.what();
    EXPECT_TRUE(said.starts_with("executor perks: ") &&
                said.find("do not fit the registers") != std::string::npos)
        << said;
  }
}

TEST_F(field_runner_gpu, ends_after_a_whole_step_or_pass_if_asked_to) {
  for (const char* executor : {"naive", "host-loop", "graph", "persistent", "temporal", "perks"}) {
    std::atomic<bool> stop{false};
    field_options o;
    o.executor = executor;
    o.interrupt = &stop;
    o.progress_interval = 0;
    std::int64_t told = -1;
    o.progress = [&](const field_progress& now) {
      EXPECT_GE(now.step, told);
      told = now.step;
      return now.step < 200;
    };
    o.boundaries = {field_boundary::all({side_kind::periodic, 0})};
    const auto make = [&] {
      return field_runner<double>(stencil_place::where(), heat(), {64, 50}, o);
    };
    const auto start = some_cells<double>(64 * 50, 5);
    std::vector<double> found(start.size()), wanted(start.size());
    auto runner = make();
    runner.set_field(0, start);
    runner.set_parameter(0, 0.25);
    const field_outcome end = runner.run(100000000);
    EXPECT_TRUE(end.interrupted);
    EXPECT_LT(end.steps, 100000000);
    EXPECT_GT(end.steps, 0);
    runner.field(0, found);
    o.progress = nullptr;
    auto again = make();
    again.set_field(0, start);
    again.set_parameter(0, 0.25);
    EXPECT_FALSE(again.run(end.steps).interrupted);
    again.field(0, wanted);
    EXPECT_EQ(found, wanted) << executor << " after " << end.steps;
    stop = true;
    EXPECT_TRUE(again.run(100000000).interrupted);
    o.progress = [](const field_progress&) -> bool { throw std::runtime_error("enough"); };
    stop = false;
    auto thrown = make();
    EXPECT_THROW(thrown.run(100000000), std::runtime_error);
  }
}

TEST_F(field_runner_gpu, says_what_is_not_finite_and_reduces_as_a_cpu_does) {
  field_options o;
  o.boundaries = {field_boundary::all({side_kind::reflect, 0})};
  const auto start = some_cells<float>(333 * 401, 6);
  std::vector<field_reduction_row> rows[2];
  for (const bool gpu : {false, true}) {
    field_runner<float> runner(gpu ? stencil_place::where() : device::cpu(2), heat(), {333, 401},
                               o);
    runner.set_field(0, start);
    runner.set_reductions(
        {{0, parse_field_quantity("sum"), {}}, {0, parse_field_quantity("change-norm2"), {}}}, 7);
    runner.run(30);
    EXPECT_TRUE(runner.report().finite);
    rows[gpu] = runner.reductions();
    auto bad = start;
    bad[12345] = std::nanf("");
    runner.set_field(0, bad);
    EXPECT_FALSE(runner.report().finite);
  }
  ASSERT_EQ(rows[0].size(), 4U);
  ASSERT_EQ(rows[1].size(), 4U);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(rows[0][k].values, rows[1][k].values) << k;
}

TEST_F(field_runner_gpu, what_cannot_be_is_refused_in_one_line) {
  const auto refused = [](const std::string& with, auto&& change) {
    field_options o;
    change(o);
    try {
      field_runner<double> runner(stencil_place::where(), heat(), {50, 60}, o);
      ADD_FAILURE() << with << ": was taken";
    } catch (const input_error& e) {
      EXPECT_NE(std::string(e.what()).find(with), std::string::npos) << e.what();
    }
  };
  refused("naive, host-loop, graph, persistent, perks or temporal",
          [](auto& o) { o.executor = "circular"; });
  refused("a GPU has compiled ones alone", [](auto& o) { o.kernel = "interpreted"; });
  field_options passes;
  passes.executor = "temporal";
  // Without what lies beside the row ahead: v is then rows of u that are kept.
  cell_tape tape = wave().tape();
  tape.nodes[4] = cell_node::tap(0, std::array{1, 0});
  field_runner<double> waves(stencil_place::where(), stencil_definition(tape), {50, 60}, passes);
  waves.set_sources(1, std::vector<std::int64_t>{7, 8}, std::vector<double>{1});
  try {
    waves.run(1);
    ADD_FAILURE() << "sources of old values were taken";
  } catch (const input_error& e) {
    EXPECT_NE(std::string(e.what()).find("field 'v' has sources, and passes have it as old values"),
              std::string::npos)
        << e.what();
  }
  refused("no pass of 1000 steps", [](auto& o) {
    o.executor = "temporal";
    o.depth = 1000;
  });
}

}  // namespace
}  // namespace dwell::test
