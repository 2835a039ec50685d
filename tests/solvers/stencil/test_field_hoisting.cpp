// SPDX-License-Identifier: MIT
// Values of coefficients alone that are computed once: their bits, their arrays, when it is worth
// it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <vector>

#include "field_cases.hpp"

#include "dwell/base/error.hpp"
#include "dwell/device/limits.hpp"
#include "dwell/execution/device/threads/division_cpu.hpp"
#include "dwell/execution/stencil/fields/hoisting.hpp"
#include "dwell/execution/stencil/fields/operation_costs.hpp"
#include "dwell/solvers/stencil/fields/field_schedule.hpp"
#include "dwell/solvers/stencil/fields/hoisting_choice.hpp"
#include "dwell/stencil/explain_fields.hpp"
#include "dwell/stencil/formulas.hpp"
#include "sanitized.hpp"

namespace dwell::test {
namespace {

stencil_definition made_of(const std::string& step, std::vector<std::string> fields,
                           std::vector<std::string> coefficients, int dims = 2) {
  stencil_formulas text;
  text.name = "hoisting";
  text.dims = dims;
  text.fields = std::move(fields);
  text.coefficients = std::move(coefficients);
  text.parameters = {"r"};
  text.stages = {step};
  return parse_formulas(text);
}

stencil_definition layers() {
  return made_of(
      "right = where(k + k[0, 1] > 0, 2 * k * k[0, 1] / (k + k[0, 1]), 0)\n"
      "left = where(k + k[0, -1] > 0, 2 * k * k[0, -1] / (k + k[0, -1]), 0)\n"
      "u = u + r * (right * (u[0, 1] - u) + left * (u[0, -1] - u))",
      {"u"}, {"k"});
}

TEST(FieldHoisting, AnyDefinitionHasTheBitsOfPlainLoops) {
  int hoisted = 0;
  field_place place{[](int threads) { return device::cpu(threads); },
                    {"auto", "naive", "persistent", "temporal"},
                    "interpreted"};
  place.hoist = "always";
  place.hoisted = &hoisted;
  run_field_cases(place, rounds(400));
  EXPECT_GT(hoisted, rounds(400) / 2);
}

TEST(FieldHoisting, ValuesFollowCoefficientsThatAreSetAgain) {
  const stencil_definition d = layers();
  std::mt19937_64 chance(7);
  std::uniform_real_distribution<double> values(0, 1);
  const auto some = [&] {
    std::vector<double> cells(31 * 23);
    for (double& v : cells) v = values(chance) < 0.2 ? 0 : values(chance);
    return cells;
  };
  for (const side_kind kind : {side_kind::fixed, side_kind::reflect, side_kind::periodic}) {
    field_options options;
    options.boundaries = {field_boundary::all({kind, 0})};
    options.kernel = "interpreted";
    options.hoist = "never";
    field_runner<double> plain(device::cpu(1), d, {31, 23}, options);
    options.hoist = "always";
    field_runner<double> runner(device::cpu(2), d, {31, 23}, options);
    const std::vector<double> u = some();
    for (auto* r : {&plain, &runner}) {
      r->set_field(0, u);
      r->set_parameter(0, 0.2);
    }
    // Coefficients are zero until they are set.
    for (int round = 0; round < 4; ++round) {
      if (round > 0) {
        const std::vector<double> k = some();
        plain.set_coefficient(0, k);
        runner.set_coefficient(0, k);
      }
      std::vector<double> found(u.size()), wanted(u.size());
      for (int piece = 0; piece < 2; ++piece) {
        plain.run(3);
        runner.run(3);
      }
      plain.field(0, wanted);
      runner.field(0, found);
      ASSERT_TRUE(same_values(found, wanted)) << "round " << round;
    }
    EXPECT_EQ(plain.report().hoisted, 0);
    EXPECT_EQ(runner.report().hoisted, 2);
    EXPECT_EQ(runner.definition().coefficients(), 1);
    // The coefficient that was given, two values of it in its place.
    EXPECT_EQ(runner.report().memory, plain.report().memory + 2 * u.size() * sizeof(double));
  }
}

TEST(FieldHoisting, OfADefinitionOnlyWhatIsTheSameInEveryStep) {
  const auto count = [](const stencil_definition& d, bool dear) {
    const auto made = hoisted(d, hoistable_nodes(d, dear));
    return made ? made->count() : 0;
  };
  EXPECT_EQ(count(layers(), true), 2);
  const auto made = hoisted(layers(), hoistable_nodes(layers(), true));
  EXPECT_TRUE(made->left.empty());  // steps read k no more
  EXPECT_EQ(made->values.size(), 1u);
  // A sum is not dear; the product with r changes with r.
  EXPECT_EQ(count(made_of("u = u[0, 1] * (k + 1) + r * k", {"u"}, {"k"}), true), 0);
  EXPECT_EQ(count(made_of("u = u[0, 1] * (k + 1) + r * k", {"u"}, {"k"}), false), 1);
  // Constants alone, taps alone, parameters.
  EXPECT_EQ(count(made_of("u = u[0, 1] * sqrt(2) + k * r / 3", {"u"}, {"k"}), false), 0);
  // The radius is that of k's neighbour, and says which cells are fixed: so it stays.
  EXPECT_EQ(count(made_of("u = u[0, 1] / sqrt(k[0, 2])", {"u"}, {"k"}), false), 0);
  // Names of the caller's are not taken.
  const auto named = made_of("once1 = once1[0, 1] * sqrt(once2)", {"once1"}, {"once2"});
  EXPECT_EQ(hoisted(named, hoistable_nodes(named, true))->steps.tape().coefficients,
            std::vector<std::string>{"once3"});
  // No more than there may be coefficients, the ones that cost most.
  std::string step = "u = u[0, 1]";
  for (int k = 1; k < 12; ++k) step += fmt::format(" + u * {}(k + {})", k < 9 ? "exp" : "sqrt", k);
  const auto many = made_of(step, {"u"}, {"k"});
  EXPECT_EQ(hoistable_nodes(many, true).size(), 11u);
  EXPECT_EQ(count(many, true), stencil_definition::most_coefficients - 1);
}

TEST(FieldHoisting, IsTakenWhereItIsProjectedToPay) {
  const std::vector<std::int64_t> size{8192, 8192};
  const device_facts h200 = facts_of("h200");
  const auto explained = [&](const stencil_definition& d, const device_facts& device,
                             const char* hoist = "auto") {
    field_options options;
    options.hoist = hoist;
    return explain(d, size, "f64", device, options);
  };
  const auto made = explained(layers(), h200), given = explained(layers(), h200, "never");
  EXPECT_EQ(made.hoisted.values, 2);
  EXPECT_EQ(made.hoisted.operations, layers().flops());
  EXPECT_LT(made.steps.flops(), layers().flops());
  EXPECT_LT(made.plan.step_seconds * 1.1, made.hoisted.step_seconds);
  EXPECT_DOUBLE_EQ(made.hoisted.step_seconds, given.plan.step_seconds);
  EXPECT_EQ(made.arrays, given.arrays + 2);
  EXPECT_EQ(given.hoisted.values, 0);
  // A sum costs less than its array.
  EXPECT_EQ(explained(made_of("u = u[0, 1] + (k + 1)", {"u"}, {"k"}), h200).hoisted.values, 0);
  device_facts small = h200;
  small.memory = std::size_t{1} << 30;
  EXPECT_EQ(explained(layers(), small).hoisted.values, 0);
  EXPECT_THROW(explained(layers(), h200, "perhaps"), input_error);
}

TEST(FieldHoisting, OnACpuDependsOnWhatADivisionCosts) {
  device_facts cpu;
  cpu.units = 2;
  cpu.memory = std::size_t{64} << 30;
  cpu.l2 = std::size_t{32} << 20;
  cpu.core_cache = std::size_t{1} << 20;
  field_options options;
  // division: in 10^-9 s. value: bytes of one.
  const auto values = [&](const stencil_definition& d, double division, std::size_t value = 8,
                          std::int64_t cells = 4096) {
    const std::array<std::int64_t, 2> size{cells, cells};
    const hoisting_choice choice = choose_hoisting(d, checked_field_size(2, size), value, options,
                                                   cpu, false, 1e-9 * division);
    EXPECT_EQ(choice.made_seconds, 0);
    return choice.made ? choice.made->count() : 0;
  };
  // Two divisions against 8 or 4 bytes more.
  for (const std::int64_t cells : {300, 4096}) {
    EXPECT_EQ(values(layers(), 0.8, 8, cells), 2) << cells;
    EXPECT_EQ(values(layers(), 0.2, 8, cells), 0) << cells;
    EXPECT_EQ(values(layers(), 0.4, 4, cells), 2) << cells;
    EXPECT_EQ(values(layers(), 0.1, 4, cells), 0) << cells;
  }
  // One division is done while the rows come; functions take longer than that.
  const auto one = made_of("u = u[0, 1] / (k + 2)", {"u"}, {"k"});
  EXPECT_EQ(values(one, 0.6), 0);
  EXPECT_EQ(values(made_of("u = u[0, 1] * (exp(k) * sin(k))", {"u"}, {"k"}), 0.2), 1);
  EXPECT_EQ(values(made_of("u = u[0, 1] + (k + 1)", {"u"}, {"k"}), 3), 0);
  options.executor = "persistent";  // from memory in every step, or from a cache
  EXPECT_EQ(values(layers(), 0.8), 0);
  EXPECT_EQ(values(layers(), 0.8, 8, 300), 2);
  EXPECT_EQ(values(layers(), 5), 2);
  // Small fields, which passes of many threads do not take: what is chosen, they do.
  options.executor = "temporal";
  cpu.units = 64;
  int taken = 0;
  for (std::int64_t cells = 20; cells < 400; cells += 3) {
    const std::array<std::int64_t, 2> axes{cells, cells};
    const field_size size = checked_field_size(2, axes);
    hoisting_choice choice;
    ASSERT_NO_THROW(choice = choose_hoisting(layers(), size, 8, options, cpu, false, 5e-9));
    if (!choice.made) continue;
    ++taken;
    const field_domain domain(choice.made->steps, size, options.boundaries);
    EXPECT_NO_THROW(cpu_schedule_of(domain, bytes_of(domain, 8), options, cpu, std::nullopt))
        << cells;
  }
  EXPECT_GT(taken, 0);
  cpu.units = 2;
  options.executor = "auto";
  cpu.memory = std::size_t{512} << 20;
  EXPECT_EQ(values(layers(), 5), 0);
  cpu.memory = std::size_t{64} << 30;
  options.hoist = "never";
  EXPECT_EQ(values(layers(), 5), 0);
  options.hoist = "always";
  EXPECT_EQ(values(layers(), 0.01), 2);
}

TEST(FieldHoisting, ADivisionIsMeasuredOnce) {
  for (const int bytes : {4, 8}) {
    const double here = division_seconds(bytes);
    EXPECT_TRUE(here > 1e-12 && here < 1e-5) << here;
    EXPECT_EQ(division_seconds(bytes), here);
  }
}

/// A division binds plain steps by arithmetic, and plans know.
TEST(FieldHoisting, DivisionsCostWhatTheyDo) {
  EXPECT_EQ(operation_cost(cell_op::tap, 8), 0);
  EXPECT_EQ(operation_cost(cell_op::add, 4), 1);
  EXPECT_GT(operation_cost(cell_op::div, 8), 10);
  const std::vector<std::int64_t> size{4096, 4096};
  const auto seconds = [&](const char* step) {
    return explain(made_of(step, {"u"}, {"k"}), size, "f64", facts_of("h200")).plan.step_seconds;
  };
  EXPECT_GT(seconds("u = u[0, 1] / k + u[0, -1] / k + u[1, 0] / k"),
            1.5 * seconds("u = u[0, 1] * k + u[0, -1] * k + u[1, 0] * k"));
}

}  // namespace
}  // namespace dwell::test
