// SPDX-License-Identifier: MIT
// Stencils of several fields, drawn at random: whatever the definition, the size, the boundaries,
// the precision, the executor, the kernel and the number of threads, fields and records are those
// of plain loops, bit by bit, in one run or in several. DWELL_RANDOM_CASES and DWELL_RANDOM_SEED
// change how many cases are run and which.
#include "dwell/stencil/field_runner.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "field_oracle.hpp"

#include "dwell/base/error.hpp"

namespace dwell::test {
namespace {

int number_of(const char* variable, int otherwise) {
  const char* value = std::getenv(variable);
  return value ? std::atoi(value) : otherwise;
}

struct points {
  int field;
  std::vector<std::int64_t> cells;  ///< z, y, x of each
  std::size_t count() const { return cells.size() / 3; }
};

struct random_case {
  cell_tape tape;
  std::array<std::int64_t, 3> n{1, 1, 1};
  std::vector<field_boundary> boundaries;  ///< axes z, y, x
  int steps = 0, first_run = 0;
  bool tables = false, same_ring = false;
  std::optional<points> sources, receivers;
  std::string executor, kernel;
  int threads = 1, depth = 0;

  std::string text() const {
    std::string sides;
    for (const auto& b : boundaries)
      for (const auto& axis : b.sides) sides += to_string(axis[0]) + "|" + to_string(axis[1]) + " ";
    return fmt::format("{}size {}, sides {}, {} then {} steps, {} {} {} threads depth {}{}{}\n",
                       stencil_definition(tape).describe(), fmt::join(n, "x"), sides, first_run,
                       steps - first_run, executor, kernel, threads, depth,
                       sources ? ", sources" : "", receivers ? ", receivers" : "");
  }
};

random_case draw(std::mt19937_64& chance, const std::string& kernel) {
  const auto below = [&](int n) { return static_cast<int>(chance() % static_cast<unsigned>(n)); };
  random_case c;
  c.tape = random_tape(chance);
  c.kernel = kernel;
  const stencil_definition d(c.tape);
  const int longest = c.tape.dims == 1 ? 300 : c.tape.dims == 2 ? 70 : 18;
  for (int axis = 3 - c.tape.dims; axis < 3; ++axis)
    c.n[static_cast<std::size_t>(axis)] = 1 + below(below(3) == 0 ? 9 : longest);
  c.boundaries.assign(c.tape.fields.size(), field_boundary::all({side_kind::nearest, 0}));
  const int fixed_chance = 2 + below(6);
  for (int axis = 3 - c.tape.dims; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const bool periodic = below(4) == 0;
    for (int high = 0; high < 2; ++high) {
      const bool fixed = below(fixed_chance) == 0;
      for (auto& b : c.boundaries) {
        auto& side = b.sides[a][static_cast<std::size_t>(high)];
        side.kind = periodic ? side_kind::periodic
                    : fixed  ? side_kind::fixed
                             : static_cast<side_kind>(1 + below(5));
        if (side.kind == side_kind::constant) side.value = below(9) - 4;
        const std::int64_t need = d.radius() + (side.kind == side_kind::mirror ? 1 : 0);
        if (c.n[a] < need && side.kind != side_kind::fixed) c.n[a] = need;
      }
    }
  }
  c.steps = below(41);
  c.first_run = below(c.steps + 1);
  c.tables = below(3) == 0;
  c.same_ring = below(2) == 0;
  const auto some = [&] {
    points p{below(d.fields()), {}};
    for (int k = below(5); k >= 0; --k)
      for (const std::int64_t cells : c.n) p.cells.push_back(below(static_cast<int>(cells)));
    return p;
  };
  if (below(3) == 0) c.receivers = some();
  if (below(3) == 0) c.sources = some();
  constexpr const char* executors[] = {"auto", "naive", "persistent", "temporal"};
  c.executor = executors[below(4)];
  c.threads = 1 + below(4);
  if (c.executor == "temporal" && below(2)) c.depth = 1 + below(9);
  return c;
}

/// Indices of the axes that there are.
std::vector<std::int64_t> given(const std::vector<std::int64_t>& cells, int dims) {
  std::vector<std::int64_t> out;
  for (std::size_t k = 0; k < cells.size(); ++k)
    if (static_cast<int>(k % 3) >= 3 - dims) out.push_back(cells[k]);
  return out;
}

template <class T>
void check(const random_case& c, std::mt19937_64& chance) {
  const stencil_definition d(c.tape);
  const auto cells = static_cast<std::size_t>(c.n[0] * c.n[1] * c.n[2]);
  std::uniform_real_distribution<double> values(-2, 2);
  plain_fields<T> plain(d, c.n, c.boundaries);
  for (int a = 0; a < d.fields() + d.coefficients(); ++a) {
    std::vector<T> some(cells);
    for (T& v : some) v = static_cast<T>(values(chance));
    plain.arrays.push_back(std::move(some));
  }
  for (std::int64_t z = 0; z < c.n[0] && c.same_ring; ++z)
    for (std::int64_t y = 0; y < c.n[1]; ++y)
      for (std::int64_t x = 0; x < c.n[2]; ++x)
        if (plain.fixed(z, y, x))
          for (int f = 1; f < d.fields(); ++f) plain.cell(f, z, y, x) = plain.cell(0, z, y, x);

  field_options options;
  options.boundaries.clear();
  for (const field_boundary& b : c.boundaries) {
    field_boundary axes;
    for (int a = 0; a < c.tape.dims; ++a)
      axes.sides[static_cast<std::size_t>(a)] =
          b.sides[static_cast<std::size_t>(a + 3 - c.tape.dims)];
    options.boundaries.push_back(axes);
  }
  options.executor = c.executor;
  options.kernel = c.kernel;
  options.depth = c.depth;
  field_runner<T> runner(device::cpu(c.threads), d, {c.n.begin() + (3 - c.tape.dims), c.n.end()},
                         options);
  for (int f = 0; f < d.fields(); ++f)
    runner.set_field(f, plain.arrays[static_cast<std::size_t>(f)]);
  for (int k = 0; k < d.coefficients(); ++k)
    runner.set_coefficient(k, plain.arrays[static_cast<std::size_t>(d.fields() + k)]);
  std::vector<std::vector<double>> tables(static_cast<std::size_t>(d.parameters()));
  for (std::size_t p = 0; p < tables.size(); ++p) {
    for (int s = 0; s < c.steps; ++s) tables[p].push_back(values(chance));
    if (tables[p].empty()) tables[p].push_back(1);
    if (c.tables)
      runner.set_parameter(static_cast<int>(p), tables[p]);
    else
      runner.set_parameter(static_cast<int>(p), tables[p][0]);
  }
  std::vector<T> series, wanted_record;
  if (c.sources) {
    for (std::size_t k = 0; k < c.sources->count() * static_cast<std::size_t>(c.steps); ++k)
      series.push_back(static_cast<T>(values(chance)));
    bool any_fixed = false;
    for (std::size_t k = 0; k < c.sources->count(); ++k)
      any_fixed = any_fixed || plain.fixed(c.sources->cells[3 * k], c.sources->cells[3 * k + 1],
                                           c.sources->cells[3 * k + 2]);
    if (any_fixed) {
      EXPECT_THROW(
          runner.set_sources(c.sources->field, given(c.sources->cells, c.tape.dims), series),
          input_error);
      return;
    }
    runner.set_sources(c.sources->field, given(c.sources->cells, c.tape.dims), series);
  }
  if (c.receivers) {
    EXPECT_EQ(runner.set_receivers(c.receivers->field, given(c.receivers->cells, c.tape.dims)), 0);
  }

  runner.run(c.first_run);
  runner.run(c.steps - c.first_run);
  for (int s = 0; s < c.steps; ++s) {
    plain.parameters.clear();
    for (const auto& t : tables)
      plain.parameters.push_back(static_cast<T>(t[c.tables ? static_cast<std::size_t>(s) : 0]));
    plain.step();
    const auto at = [&](const points& p, std::size_t k) -> T& {
      return plain.cell(p.field, p.cells[3 * k], p.cells[3 * k + 1], p.cells[3 * k + 2]);
    };
    if (c.sources)
      for (std::size_t k = 0; k < c.sources->count(); ++k)
        at(*c.sources, k) += series[static_cast<std::size_t>(s) * c.sources->count() + k];
    if (c.receivers)
      for (std::size_t k = 0; k < c.receivers->count(); ++k)
        wanted_record.push_back(at(*c.receivers, k));
  }
  for (int f = 0; f < d.fields(); ++f) {
    std::vector<T> found(cells);
    runner.field(f, found);
    ASSERT_TRUE(same_values(found, plain.arrays[static_cast<std::size_t>(f)])) << "field " << f;
  }
  if (c.receivers) {
    const auto record = runner.record(0);
    ASSERT_TRUE(same_values(std::vector<T>(record.begin(), record.end()), wanted_record));
  }
  EXPECT_EQ(runner.report().total_steps, c.steps);
}

void run_cases(const std::string& kernel, int cases) {
  ::setenv("DWELL_CACHE_DIR", DWELL_KERNEL_CACHE, 1);
  const int first = number_of("DWELL_RANDOM_SEED", 1);
  for (int seed = first; seed < first + number_of("DWELL_RANDOM_CASES", cases); ++seed) {
    std::mt19937_64 chance(static_cast<std::uint64_t>(seed));
    const random_case c = draw(chance, kernel);
    SCOPED_TRACE(fmt::format("seed {}, {}: {}", seed, kernel, c.text()));
    const bool single = chance() % 2 == 0;
    try {
      if (single)
        check<float>(c, chance);
      else
        check<double>(c, chance);
    } catch (const input_error& e) {
      // Passes that are asked for may be refused, and say why.
      ASSERT_TRUE(std::string(e.what()).starts_with("executor temporal: ")) << e.what();
    }
    if (testing::Test::HasFailure()) return;
  }
}

TEST(FieldRunner, AnyDefinitionInterpretedHasTheBitsOfPlainLoops) { run_cases("interpreted", 400); }
TEST(FieldRunner, AnyDefinitionCompiledHasTheBitsOfPlainLoops) { run_cases("compiled", 12); }

/// Wider than what a core's cache has room for: passes go by tiles.
TEST(FieldRunner, PassesByTilesHaveTheBitsOfSingleSteps) {
  int tiled = 0;
  for (int seed = 1; tiled < 12 && seed < 400; ++seed) {
    std::mt19937_64 chance(static_cast<std::uint64_t>(seed));
    const stencil_definition d(random_tape(chance));
    if (d.dims() == 1) continue;
    const auto below = [&](int n) {
      return static_cast<std::int64_t>(chance() % static_cast<unsigned>(n));
    };
    const std::vector<std::int64_t> size =
        d.dims() == 2 ? std::vector<std::int64_t>{40 + below(30), 4000 + below(5000)}
                      : std::vector<std::int64_t>{20 + below(5), 40 + below(20), 300 + below(200)};
    field_options options;
    options.kernel = "interpreted";
    constexpr side_kind kinds[] = {side_kind::reflect, side_kind::mirror, side_kind::antisymmetric,
                                   side_kind::periodic};
    options.boundaries = {field_boundary::all({kinds[below(4)], 0})};
    std::vector<std::vector<float>> fields[2];
    std::vector<float> some(
        static_cast<std::size_t>(size[0] * size[1] * (d.dims() == 3 ? size[2] : 1)));
    for (float& v : some) v = static_cast<float>(below(1000)) / 500 - 1;
    std::string reason;
    for (const bool passes : {false, true}) {
      options.executor = passes ? "temporal" : "naive";
      options.depth = passes ? 3 : 0;
      field_runner<float> runner(device::cpu(1 + static_cast<int>(below(2))), d, size, options);
      for (int f = 0; f < d.fields(); ++f) runner.set_field(f, some);
      for (int c = 0; c < d.coefficients(); ++c) runner.set_coefficient(c, some);
      for (int p = 0; p < d.parameters(); ++p) runner.set_parameter(p, 0.5);
      runner.run(5);
      for (int f = 0; f < d.fields(); ++f)
        runner.field(f, fields[passes].emplace_back(some.size()));
      reason = runner.report().reason;
    }
    tiled += reason.find(" tiles") != std::string::npos;
    for (std::size_t f = 0; f < fields[0].size(); ++f)
      ASSERT_TRUE(same_values(fields[0][f], fields[1][f]))
          << "seed " << seed << ": " << reason << '\n'
          << d.describe();
  }
  EXPECT_EQ(tiled, 12);
}

/// Heat in two dimensions: radius 1, a parameter.
stencil_definition heat() {
  cell_tape t{"heat", 2, {"u"}, {}, {"r"}, {}, {}};
  t.nodes = {cell_node::tap(0, std::array{0, 0}), cell_node::tap(0, std::array{0, 1}),
             cell_node::parameter(0), cell_node::operation(cell_op::sub, 1, 0),
             cell_node::operation(cell_op::fma, 2, 3, 0)};
  t.stages = {{{0, 4}}};
  return stencil_definition(t);
}

template <class F>
void refused(const std::string& with, F&& f) {
  try {
    f();
    ADD_FAILURE() << with << ": was taken";
  } catch (const input_error& e) {
    EXPECT_NE(std::string(e.what()).find(with), std::string::npos) << e.what();
    EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos) << e.what();
  }
}

TEST(FieldRunner, WhatCannotBeIsRefusedInOneLine) {
  const auto make = [](const std::vector<std::int64_t>& size, auto&& change) {
    field_options o;
    o.kernel = "interpreted";
    change(o);
    return field_runner<double>(device::cpu(1), heat(), size, o);
  };
  const auto nothing = [](field_options&) {};
  refused("expected 2 axes, found 1", [&] { make({5}, nothing); });
  refused("found 0 along axis 1", [&] { make({5, 0}, nothing); });
  refused("2^40", [&] { make({1 << 21, 1 << 20}, nothing); });
  refused("did you mean 'temporal'", [&] {
    make({5, 5}, [](auto& o) { o.executor = "temporel"; });
  });
  refused("depth", [&] { make({5, 5}, [](auto& o) { o.depth = 3; }); });
  refused("depth", [&] { make({5, 5}, [](auto& o) { o.depth = -1; }); });
  refused("expected one for each of 1 fields", [&] {
    make({5, 5}, [](auto& o) { o.boundaries.clear(); });
  });
  refused("periodic is both sides", [&] {
    make({5, 5}, [](auto& o) { o.boundaries[0].sides[0][0].kind = side_kind::periodic; });
  });
  refused("along x: mirror needs at least 2 cells, found 1", [&] {
    make({5, 1}, [](auto& o) { o.boundaries[0].sides[1][1].kind = side_kind::mirror; });
  });
  auto r = make({5, 6}, nothing);
  refused("field: heat has 1, found number 1", [&] { r.set_field(1, std::vector<double>(30)); });
  refused("field 'u': expected 30 cells, found 29",
          [&] { r.set_field(0, std::vector<double>(29)); });
  refused("coefficient: heat has 0", [&] { r.set_coefficient(0, std::vector<double>(30)); });
  refused("parameter: heat has 1, found number -1", [&] { r.set_parameter(-1, 1.0); });
  refused("at least one value", [&] { r.set_parameter(0, std::span<const double>{}); });
  refused("2 indices", [&] { r.set_receivers(0, std::vector<std::int64_t>{1, 2, 3}); });
  refused("index 6 along axis 1 of 6", [&] {
    r.set_receivers(0, std::vector<std::int64_t>{1, 6});
  });
  refused("is fixed", [&] {
    r.set_sources(0, std::vector<std::int64_t>{0, 3}, std::vector<double>{1});
  });
  refused("a value for each of 2 cells", [&] {
    r.set_sources(0, std::vector<std::int64_t>{1, 1, 2, 2}, std::vector<double>{1, 2, 3});
  });
  refused("there are 0 lists", [&] { r.record(0); });
  refused("steps: expected at least 0", [&] { r.run(-1); });
  r.set_sources(0, std::vector<std::int64_t>{1, 1}, std::vector<double>{1, 2, 3});
  EXPECT_EQ(r.run(2).steps, 2);
  refused("has values for 1 more, found 2", [&] { r.run(2); });
  r.clear_points();
  r.set_parameter(0, std::vector<double>{1, 2});
  refused("parameter 'r' has values for 2 more, found 3", [&] { r.run(3); });
  EXPECT_EQ(r.run(2).steps, 2);
  EXPECT_EQ(r.report().total_steps, 4);
}

TEST(FieldRunner, EndsAfterAWholeStepOrPassIfAskedTo) {
  for (const char* executor : {"naive", "persistent", "temporal"}) {
    for (const int threads : {1, 3}) {
      std::atomic<bool> stop{false};
      field_options o;
      o.kernel = "interpreted";
      o.executor = executor;
      o.interrupt = &stop;
      o.progress_interval = 0;
      std::int64_t told = -1;
      o.progress = [&](const field_progress& now) {
        EXPECT_GE(now.step, told);
        told = now.step;
        return now.step < 20;
      };
      o.boundaries = {field_boundary::all({side_kind::periodic, 0})};
      const auto make = [&] {
        return field_runner<double>(device::cpu(threads), heat(), {64, 50}, o);
      };
      std::vector<double> start(64 * 50), found(start.size()), wanted(start.size());
      for (std::size_t i = 0; i < start.size(); ++i) start[i] = static_cast<double>(i * i % 101);
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
      EXPECT_EQ(found, wanted) << executor << " " << threads << " after " << end.steps;
      stop = true;
      EXPECT_TRUE(again.run(100000000).interrupted);
    }
  }
}

TEST(FieldRunner, WhatAProgressFunctionThrowsEndsTheRun) {
  for (const int threads : {1, 2}) {
    field_options o;
    o.kernel = "interpreted";
    o.executor = "persistent";
    o.progress_interval = 0;
    o.progress = [](const field_progress&) -> bool { throw std::runtime_error("enough"); };
    field_runner<float> runner(device::cpu(threads), heat(), {64, 50}, o);
    EXPECT_THROW(runner.run(100000000), std::runtime_error);
  }
}

TEST(FieldRunner, ReportsValuesThatAreNotFinite) {
  field_options o;
  o.kernel = "interpreted";
  field_runner<double> runner(device::cpu(1), heat(), {6, 7}, o);
  std::vector<double> u(42, 1.0);
  runner.set_field(0, u);
  EXPECT_TRUE(runner.report().finite);
  u[13] = std::nan("");
  runner.set_field(0, u);
  EXPECT_FALSE(runner.report().finite);
}

}  // namespace
}  // namespace dwell::test
