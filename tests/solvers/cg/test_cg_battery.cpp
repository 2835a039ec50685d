// SPDX-License-Identifier: MIT
// Every matrix of the battery under every executor and cut of this place: right against Eigen, the
// same bits from every executor with the same cut, with lanes reversed, and from a second run.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "cg_runner.hpp"

namespace dwell::test {
namespace {

class battery_test : public testing::TestWithParam<std::string> {
 protected:
  template <class T>
  void solve_everywhere(preconditioner p) {
    DWELL_SKIP_IF_ABSENT();
    if (races_only && sizeof(T) < sizeof(double)) GTEST_SKIP() << "f64 meets the same barriers";
    const battery_case& c = battery_at(GetParam());
    const linear_system<T> system = make_system<T>(c);
    const expectation expected = expect_of(system, p);
    ASSERT_FALSE(system.a.val.empty()) << "the builder made no matrix";

    // Which answers must agree: lanes run in reverse with lanes run forward, every executor with
    // every other one of its family; but what is left to the plan may be planned differently for
    // each.
    std::map<std::tuple<std::string, int, int>, std::vector<T>> bits;
    int planned = 0;
    for (const std::string& executor : place::executors()) {
      const bool few = system.a.nonzeros() > many_nonzeros || place::family(executor) != "plain";
      const std::vector<cut>& cuts = few ? place::few_cuts() : place::cuts();
      for (const cut& how : cuts) {
        SCOPED_TRACE(fmt::format("{} ({}): {}, {}", c.name, c.aim, executor, describe(how)));
        solve_options options = with(executor, how, expected.rtol, p);
        options.max_iterations = expected.max_iterations;
        const solution<T> got = run(system, options);
        EXPECT_EQ(got.report.executor, executor);
        EXPECT_EQ(got.report.preconditioner, p);
        check_solution(system, expected, got);
        if (HasFatalFailure()) return;
        const int teams = how.teams > 0 ? how.teams : --planned;
        const auto [known, first] =
            bits.try_emplace({place::family(executor), teams, how.config}, got.x);
        EXPECT_TRUE(first || same_bits(known->second, got.x))
            << "other bits than the same cut before";
      }
      const cut& how =
          *std::find_if(cuts.begin(), cuts.end(), [](const cut& c) { return c.teams > 0; });
      solve_options options = with(executor, how, expected.rtol, p);
      options.max_iterations = expected.max_iterations;
      EXPECT_TRUE(same_bits(bits.at({place::family(executor), how.teams, how.config}),
                            run(system, options).x))
          << executor << " does not repeat";
    }
  }

 private:
  static constexpr index many_nonzeros = 20000;
};

TEST_P(battery_test, f64) { solve_everywhere<double>(preconditioner::none); }
TEST_P(battery_test, f64_jacobi) { solve_everywhere<double>(preconditioner::jacobi); }
TEST_P(battery_test, f64_amg) { solve_everywhere<double>(preconditioner::amg); }
TEST_P(battery_test, f32_amg) { solve_everywhere<float>(preconditioner::amg); }
TEST_P(battery_test, f32) { solve_everywhere<float>(preconditioner::none); }
TEST_P(battery_test, f32_jacobi) { solve_everywhere<float>(preconditioner::jacobi); }

INSTANTIATE_TEST_SUITE_P(battery, battery_test, testing::ValuesIn(names_of_battery()),
                         [](const auto& info) { return info.param; });

// The battery must be what it says, or the tests above prove less than they claim.
TEST(battery_itself, is_symmetric_definite_and_mostly_well_conditioned) {
  int well_conditioned = 0;
  std::set<std::string> seen;
  for (const auto& c : battery()) {
    SCOPED_TRACE(c.name);
    EXPECT_TRUE(seen.insert(c.name).second) << "the name is there twice";
    const linear_system<double> s = make_system<double>(c);
    ASSERT_NO_THROW(check(s.a.view()));
    EXPECT_EQ(s.a.rows, s.a.cols);
    if (s.a.nonzeros() > 50000) continue;  // the tests above factor these as well
    const oracle o = solve_directly(s.a.view(), s.b);
    EXPECT_TRUE(o.definite);
    EXPECT_LT(o.condition(), 1e9);
    well_conditioned += o.condition() < 2e4;
  }
  EXPECT_GE(well_conditioned, static_cast<int>(battery().size()) - 6);
}

// Many more teams than cores, and than rows: only meetings can go wrong here.
TEST(many_teams, give_the_answer) {
  DWELL_SKIP_IF_ABSENT();
  for (const char* name : {"one_by_one", "five_rows", "arrow_first", "blocks_300"}) {
    const linear_system<double> system = make_system<double>(battery_at(name));
    const expectation expected = expect_of(system, preconditioner::jacobi);
    std::map<std::string, std::vector<double>> bits;
    for (const std::string& executor : place::executors()) {
      SCOPED_TRACE(fmt::format("{}: {}", name, executor));
      const cut how{place::many_teams(), -1, false};
      const auto got = run(system, with(executor, how, expected.rtol, preconditioner::jacobi));
      check_solution(system, expected, got);
      if (HasFatalFailure()) return;
      EXPECT_TRUE(same_bits(bits.try_emplace(place::family(executor), got.x).first->second, got.x));
    }
  }
}

}  // namespace
}  // namespace dwell::test
