// SPDX-License-Identifier: MIT
// Stencils of several fields, drawn at random: whatever the definition, the size, the boundaries,
// the precision, the executor, the kernel and the number of threads, fields and records are those
// of plain loops, bit by bit, in one run or in several. DWELL_RANDOM_CASES and DWELL_RANDOM_SEED
// change how many cases are run and which.
#pragma once
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "field_oracle.hpp"

#include "dwell/base/error.hpp"
#include "dwell/execution/stencil/fields/hoisting.hpp"
#include "dwell/stencil/field_runner.hpp"

namespace dwell::test {

/// Where cases run, and what is drawn.
struct field_place {
  std::function<device(int threads)> where;
  std::vector<const char*> executors;
  std::string kernel;
  std::array<int, 3> longest{300, 70, 18};  ///< cells of an axis, by the number of axes
  int deepest = 9;                          ///< steps of a pass
  int dims = 0;                             ///< axes of all cases; 0: any
  std::string hoist = "auto";               ///< field_options::hoist
  int* hoisted = nullptr;  ///< counts cases that have values which are computed once
  bool alike = false;  ///< no sources, receivers, parameters that change, fixed cells that differ
};

inline int number_of(const char* variable, int otherwise) {
  const char* value = std::getenv(variable);
  return value ? std::atoi(value) : otherwise;
}

struct case_points {
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
  std::optional<case_points> sources, receivers;
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

inline random_case drawn_case(std::mt19937_64& chance, const field_place& place) {
  const auto below = [&](int n) { return static_cast<int>(chance() % static_cast<unsigned>(n)); };
  random_case c;
  // Those of which values are to be computed once have some.
  const auto wanted = [&] {
    if (place.dims > 0 && c.tape.dims != place.dims) return false;
    if (place.hoist != "always") return true;
    const stencil_definition d(c.tape);
    return hoisted(d, hoistable_nodes(d, false)).has_value();
  };
  do {
    c.tape = random_tape(chance);
  } while (!wanted());
  c.kernel = place.kernel;
  const stencil_definition d(c.tape);
  const int longest = place.longest[static_cast<std::size_t>(c.tape.dims - 1)];
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
    case_points p{below(d.fields()), {}};
    for (int k = below(5); k >= 0; --k)
      for (const std::int64_t cells : c.n) p.cells.push_back(below(static_cast<int>(cells)));
    return p;
  };
  if (below(3) == 0) c.receivers = some();
  if (below(3) == 0) c.sources = some();
  if (place.alike) {
    c.receivers = c.sources = std::nullopt;
    c.tables = false;
    c.same_ring = true;
  }
  c.executor =
      place.executors[static_cast<std::size_t>(below(static_cast<int>(place.executors.size())))];
  c.threads = 1 + below(4);
  if ((c.executor == "temporal" || c.executor == "perks") && below(2))
    c.depth = 1 + below(place.deepest);
  return c;
}

/// Indices of the axes that there are.
inline std::vector<std::int64_t> given(const std::vector<std::int64_t>& cells, int dims) {
  std::vector<std::int64_t> out;
  for (std::size_t k = 0; k < cells.size(); ++k)
    if (static_cast<int>(k % 3) >= 3 - dims) out.push_back(cells[k]);
  return out;
}

template <class T>
void check_fields(const random_case& c, const field_place& place, std::mt19937_64& chance) {
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
  options.hoist = place.hoist;
  field_runner<T> runner(place.where(c.threads), d, {c.n.begin() + (3 - c.tape.dims), c.n.end()},
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
    const auto at = [&](const case_points& p, std::size_t k) -> T& {
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
  const field_report report = runner.report();
  EXPECT_EQ(report.total_steps, c.steps);
  if (place.hoisted) *place.hoisted += report.hoisted > 0;
}

/// So many cases. Throws nothing; stops at the first failure.
inline void run_field_cases(const field_place& place, int cases) {
  const int first = number_of("DWELL_RANDOM_SEED", 1);
  for (int seed = first; seed < first + number_of("DWELL_RANDOM_CASES", cases); ++seed) {
    std::mt19937_64 chance(static_cast<std::uint64_t>(seed));
    const random_case c = drawn_case(chance, place);
    SCOPED_TRACE(fmt::format("seed {}, {}: {}", seed, place.kernel, c.text()));
    const bool single = chance() % 2 == 0;
    try {
      if (single)
        check_fields<float>(c, place, chance);
      else
        check_fields<double>(c, place, chance);
    } catch (const input_error& e) {
      // Passes and graphs that are asked for may be refused, and say why.
      ASSERT_TRUE(std::string(e.what()).starts_with("executor " + c.executor + ": ")) << e.what();
    }
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace dwell::test
