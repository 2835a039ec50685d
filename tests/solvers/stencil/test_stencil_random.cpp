// SPDX-License-Identifier: MIT
// Cases drawn at random: whatever the executor, the plan and the device, the field has the bits
// that executor naive has on one thread of the CPU, the run ends at the same step, and a case that
// is refused leaves its field alone. DWELL_RANDOM_CASES and DWELL_RANDOM_SEED change how many cases
// are run and which; a case that fails is printed so that it can be added to `regressions` below.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "place.hpp"
#include "stencil_case.hpp"
#include "stencil_oracle.hpp"
#include "stencil_place.hpp"

#include "dwell/base/error.hpp"

namespace dwell::test {
namespace {

/// Cases that failed once, with a mistake made on purpose or not, or that are seldom drawn.
const stencil_case regressions[] = {
    {.shape = "2d5pt", .size = extents(1, 1), .edge = boundary::reflect, .steps = 3},
    {.shape = "2d9pt",
     .size = extents(5, 199),
     .edge = boundary::periodic,
     .single = true,
     .source = true,
     .steps = 19,
     .executor = "perks",
     .policy = "both",
     .teams = 3,
     .blocking = "spatial"},
    {.shape = "3d7pt",
     .size = extents(6, 33, 40),
     .steps = 31,
     .until = 0.25,
     .check_every = 3,
     .executor = "perks",
     .blocking = "temporal"},
    // Tiles narrower than their halo, with rows that are not in registers.
    {.shape = "2d5pt",
     .size = extents(63, 4),
     .source = true,
     .steps = 17,
     .values = 223,
     .executor = "perks",
     .policy = "greedy",
     .teams = 3,
     .blocking = "spatial"},
    {.shape = "2d5pt",
     .size = extents(33, 3),
     .edge = boundary::periodic,
     .steps = 10,
     .until = 0.5,
     .check_every = 9,
     .values = 689,
     .executor = "perks",
     .policy = "none",
     .threads = 3},
};

/// The whole number of an environment variable, or `otherwise` where there is none.
std::uint32_t number_from(const char* variable, std::uint32_t otherwise) {
  const char* found = std::getenv(variable);
  if (!found) return otherwise;
  const std::string_view text(found);
  std::uint32_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc{} || end != text.data() + text.size())
    throw std::invalid_argument(
        fmt::format("{}: expected a whole number from 0 to 4294967295, "
                    "found '{}'",
                    variable, text));
  return number;
}

/// What the runs went through, by name: how often.
using tally = std::map<std::string, int>;

class stencil_random : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = stencil_place::absent(); !why.empty()) GTEST_SKIP() << why;
  }

  /// False if the case is refused.
  static bool check(const stencil_case& c, tally& met) {
    return c.single ? check_in<float>(c, met) : check_in<double>(c, met);
  }

 private:
  template <class T>
  static bool check_in(const stencil_case& c, tally& met) {
    const auto start = random_field<T>(c.size, c.values);
    const auto source = random_field<T>(c.size, c.values + 1);
    const grid<T>* f = c.source ? &source : nullptr;
    const device place = stencil_place::where();
    const device where = place.on() == backend::cpu ? device::cpu(c.threads) : place;
    grid<T> u = start, expected = start;
    stencil_report found;
    try {
      found = solve(where, u, c.options(), f);
    } catch (const unsupported_error&) {
      EXPECT_EQ(difference(u, start), "") << "refused, and changed\n  " << c;
      return false;
    }
    const auto naive = solve(device::cpu(1), expected, c.naive_options(), f);
    EXPECT_EQ(difference(u, expected), "") << "  " << c;
    EXPECT_EQ(found.steps, naive.steps) << "  " << c;
    EXPECT_EQ(found.stopped, naive.stopped) << "  " << c;
    EXPECT_EQ(found.change, naive.change) << "  " << c;
    ++met[found.executor];
    met["cells in registers"] += found.cached_registers > 0;
    met["cells in scratch"] += found.cached_scratch > 0;
    met["several steps per pass"] += found.pass_steps > 1;
    met["several steps between exchanges"] += found.depth > 1;
    met["converged"] += found.stopped == stencil_stop::converged;
    return true;
  }
};

TEST_F(stencil_random, cases_of_the_past_have_the_bits_of_naive) {
  tally met;
  const auto built = stencil_place::shapes();
  for (const auto& c : regressions) {
    if (std::find(built.begin(), built.end(), c.shape) == built.end()) continue;
    EXPECT_TRUE(check(c, met)) << "refused\n  " << c;
  }
}

TEST_F(stencil_random, cases_have_the_bits_of_naive) {
  const std::uint32_t usual = sanitized ? 40 : 500;
  const auto wanted = number_from("DWELL_RANDOM_CASES", usual);
  const auto seed = number_from("DWELL_RANDOM_SEED", 20240229);
  const device where = stencil_place::where();
  tally met;
  std::uint32_t drawn = 0, run = 0;
  for (int failed = 0; run < wanted && failed < 5; ++drawn) {
    // Without this a build whose plans are all refused would never come to an end.
    ASSERT_LT(drawn, 3 * wanted + 10) << "most cases are refused";
    const auto problems = [] {
      return testing::UnitTest::GetInstance()->current_test_info()->result()->total_part_count();
    };
    const int before = problems();
    SCOPED_TRACE(fmt::format("DWELL_RANDOM_SEED={}, case {}", seed, drawn));
    run += check(draw_case(seed, drawn, where), met);
    failed += problems() > before;
  }
  std::cout << fmt::format("DWELL_RANDOM_SEED={}: {} cases, {} more were refused;", seed, run,
                           drawn - run);
  for (const auto& [what, times] : met) std::cout << ' ' << what << ' ' << times << ',';
  std::cout << '\n';
  if (wanted < usual || sanitized) return;
  for (const auto& [what, times] : met) EXPECT_GE(times, 5) << what;
}

TEST_F(stencil_random, a_case_prints_what_a_list_of_cases_takes) {
  std::ostringstream out;
  out << stencil_case{.size = extents(7, 13)} << ' ' << regressions[1] << ' ' << regressions[2];
  EXPECT_EQ(out.str(),
            "{.shape = \"2d5pt\", .size = extents(7, 13)} "
            "{.shape = \"2d9pt\", .size = extents(5, 199), .edge = boundary::periodic, .single = "
            "true, .source = true, .steps = 19, .executor = \"perks\", .policy = \"both\", .teams "
            "= 3, .blocking = \"spatial\"} "
            "{.shape = \"3d7pt\", .size = extents(6, 33, 40), .steps = 31, .until = 0.25, "
            ".check_every = 3, .executor = \"perks\", .blocking = \"temporal\"}");
}

TEST_F(stencil_random, a_seed_and_a_number_name_one_case) {
  const device where = stencil_place::where();
  const auto text = [&](std::uint32_t seed, std::uint32_t number) {
    std::ostringstream out;
    out << draw_case(seed, number, where);
    return out.str();
  };
  EXPECT_EQ(text(3, 14), text(3, 14));
  EXPECT_NE(text(3, 14), text(3, 15));
  EXPECT_NE(text(3, 14), text(4, 14));
}

}  // namespace
}  // namespace dwell::test
