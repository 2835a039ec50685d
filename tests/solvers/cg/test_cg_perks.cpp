// SPDX-License-Identifier: MIT
// What executor perks caches on the chip changes where numbers live, never the numbers: every
// caching policy, config and amount of scratch gives the right answer, and policies with one cut
// the same bits.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "cg_runner.hpp"
#include "dwell/base/error.hpp"
#include "plain_options.hpp"

namespace dwell::test {
namespace {

constexpr const char* policies[] = {"none", "vectors", "matrix", "mixed", "greedy", "model"};

class perks : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }

  template <class T>
  void every_policy(preconditioner p) {
    const linear_system<T> s = make_system<T>(battery_at(GetParam()));
    const expectation expected = expect_of(s, p);
    for (int config = 0; config < place::perks_configs(); ++config)
      for (const int teams : sanitized ? std::vector<int>{3} : std::vector<int>{1, 3, 7}) {
        std::vector<T> first;
        for (const char* policy : policies)
          // From room for almost nothing to room for all.
          for (const std::size_t scratch :
               {std::size_t{0}, std::size_t{12} << 10, std::size_t{48} << 10}) {
            SCOPED_TRACE(fmt::format("{}: policy {}, config {}, {} teams, scratch {}", GetParam(),
                                     policy, config, teams, scratch));
            solve_options o = with("perks", {teams, config, false}, expected.rtol, p);
            o.policy = policy;
            o.scratch_per_team = scratch;
            o.max_iterations = expected.max_iterations;
            const auto got = run(s, o);
            EXPECT_EQ(got.report.policy, policy);
            check_solution(s, expected, got);
            if (HasFatalFailure()) return;
            if (first.empty()) first = got.x;
            EXPECT_TRUE(same_bits(first, got.x)) << "other bits than policy none";
          }
      }
  }
};

TEST_P(perks, f64) { every_policy<double>(preconditioner::none); }
TEST_P(perks, f64_jacobi) { every_policy<double>(preconditioner::jacobi); }
TEST_P(perks, f32_jacobi) { every_policy<float>(preconditioner::jacobi); }
INSTANTIATE_TEST_SUITE_P(battery, perks,
                         testing::Values("one_by_one", "five_rows", "arrow_first",
                                         "dense_rows_adjacent", "lonely_rows", "power_law_1500",
                                         "tile_513", "mesh_33x47"),
                         [](const auto& info) { return info.param; });

/// Configs whose code assumes that all is cached. They come after the others.
class perks_whole : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }

  template <class T>
  void every_config(preconditioner p) {
    const bool wide = GetParam() == "corner_65537";
    const int teams = wide ? std::max(64, place::many_teams()) : 7;  // at most 1088 rows each
    const linear_system<T> s = make_system<T>(battery_at(GetParam()));
    const expectation expected = expect_of(s, p);
    for (const char* variant : {"textbook", "single-reduction"}) {
      solve_options o = with("perks", {teams, 0, false}, expected.rtol, p);
      o.variant = variant;
      o.policy = "none";
      o.max_iterations = expected.max_iterations;
      const auto plain = run(s, o);
      o.policy = "greedy";
      int compared = 0;
      const int begin = place::perks_configs(), wide_config = place::all_perks_configs() - 1;
      for (int config = wide ? wide_config : begin; config < wide_config + wide; ++config)
        for (const bool reversed : {false, true}) {
          if (reversed && place::on() != backend::cpu) continue;
          SCOPED_TRACE(fmt::format("{}: {}, config {}{}", GetParam(), variant, config,
                                   reversed ? ", lanes reversed" : ""));
          o.config = config;
          o.reverse_lanes = reversed;
          const auto got = run(s, o);
          EXPECT_NE(got.report.reason.find("all of it fits"), std::string::npos)
              << got.report.reason;
          check_solution(s, expected, got);
          if (HasFatalFailure()) return;
          if (got.report.lanes == plain.report.lanes) {
            ++compared;
            EXPECT_TRUE(same_bits(plain.x, got.x)) << "other bits than policy none";
          }
          EXPECT_TRUE(same_bits(got.x, run(s, o).x)) << "does not repeat";
        }
      EXPECT_GT(compared, 0) << "no config has the lanes of policy none's";
    }
  }
};

TEST_P(perks_whole, f64) { every_config<double>(preconditioner::none); }
TEST_P(perks_whole, f64_jacobi) { every_config<double>(preconditioner::jacobi); }
TEST_P(perks_whole, f32_jacobi) { every_config<float>(preconditioner::jacobi); }
INSTANTIATE_TEST_SUITE_P(battery, perks_whole,
                         testing::Values("five_rows", "arrow_first", "dense_rows_adjacent",
                                         "tile_513", "mesh_33x47", "corner_65537"),
                         [](const auto& info) { return info.param; });

/// "none 3.25; vectors 2.50; mixed, greedy 2.75" of a reason, by the first name.
std::map<std::string, double> times_in(const std::string& reason) {
  std::map<std::string, double> times;
  const auto begin = reason.find('('), end = reason.find(" us)");
  if (begin == std::string::npos || end == std::string::npos) return times;
  std::istringstream all(reason.substr(begin + 1, end - begin - 1));
  for (std::string one; std::getline(all, one, ';');) {
    const auto name = one.find_first_not_of(' ');
    times[one.substr(name, one.find_first_of(", ", name) - name)] =
        std::stod(one.substr(one.rfind(' ')));
  }
  return times;
}

class perks_measured : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }
  static solve_options measured() {
    solve_options o = plain_options();
    o.executor = "perks";
    o.policy = "measured";
    o.rtol = 1e-9;
    o.scratch_per_team = std::size_t{12} << 10;
    return o;
  }
};

TEST_P(perks_measured, takes_the_least_of_what_it_saw) {
  const auto s = make_system<double>(battery_at(GetParam()));
  const auto got = run(s, measured());
  EXPECT_EQ(got.report.policy, "measured");
  const auto times = times_in(got.report.reason);
  ASSERT_FALSE(times.empty()) << got.report.reason;
  ASSERT_TRUE(times.contains(got.report.policy_chosen)) << got.report.reason;
  for (const auto& [name, us] : times) {
    EXPECT_GT(us, 0) << got.report.reason;
    EXPECT_LE(times.at(got.report.policy_chosen), us) << got.report.reason;
  }
}

TEST_P(perks_measured, trials_leave_no_trace) {
  const auto s = make_system<float>(battery_at(GetParam()));
  const auto x0 = [&] {
    std::vector<float> x(s.b.size());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1.0f / static_cast<float>(i + 1);
    return x;
  }();
  for (const auto p : {preconditioner::none, preconditioner::jacobi}) {
    solve_options o = measured();
    o.preconditioner = p;
    o.rtol = 1e-5;
    o.history = true;
    const auto got = run(s, o, x0);
    check_report(s, got);
    o.policy = got.report.policy_chosen;
    const auto named = run(s, o, x0);
    EXPECT_EQ(named.report.policy, named.report.policy_chosen);
    EXPECT_TRUE(same_bits(got.x, named.x));
    EXPECT_TRUE(same_bits(got.report.history, named.report.history));
  }
}

TEST_P(perks_measured, interrupt_ends_the_trials) {
  const auto s = make_system<double>(battery_at(GetParam()));
  const std::atomic<bool> stop{true};
  solve_options o = measured();
  o.interrupt = &stop;
  const auto got = run(s, o);
  EXPECT_EQ(got.report.stopped, stop_reason::interrupted);
  EXPECT_LE(got.report.iterations, 1);
  EXPECT_NE(got.report.reason.find("interrupted while measuring"), std::string::npos)
      << got.report.reason;
}

INSTANTIATE_TEST_SUITE_P(battery, perks_measured,
                         testing::Values("five_rows", "power_law_1500", "mesh_33x47"),
                         [](const auto& info) { return info.param; });

class perks_refusals : public testing::Test {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }
  const linear_system<double> s = make_system<double>(battery_at("mesh_33x47"));
};

TEST_F(perks_refusals, unknown_policy) {
  solve_options o = plain_options();
  o.executor = "perks";
  o.policy = "everything";
  try {
    (void)run(s, o);
    ADD_FAILURE() << "policy 'everything' was accepted";
  } catch (const input_error& e) {
    const std::string message = e.what();
    for (const char* name :
         {"everything", "none", "vectors", "matrix", "mixed", "greedy", "model", "measured"})
      EXPECT_NE(message.find(name), std::string::npos)
          << "'" << name << "' is not named: " << message;
  }
}

TEST_F(perks_refusals, configs_for_fully_cached_systems) {
  solve_options o = plain_options();
  o.executor = "perks";
  o.teams = 7;
  const auto refused = [&](int config) {
    o.config = config;
    try {
      (void)run(s, o);
      ADD_FAILURE() << "config " << config << " was accepted";
    } catch (const input_error& e) {
      EXPECT_NE(std::string(e.what()).find("cache everything"), std::string::npos) << e.what();
    }
  };
  for (int config = place::perks_configs(); config < place::all_perks_configs(); ++config) {
    o.policy = "vectors";
    refused(config);
    o.policy = "greedy";
    o.scratch_per_team = std::size_t{4} << 10;
    refused(config);
    o.scratch_per_team = 0;
    o.variant = "pipelined";
    refused(config);
    o.variant = "auto";
  }
  o.teams = 1;  // nobody to exchange anything with
  refused(place::perks_configs());
}

TEST_F(perks_refusals, executors_that_cache_nothing_take_no_policy) {
  for (const std::string& executor : place::executors()) {
    if (place::family(executor) != "plain") continue;
    solve_options o = plain_options();
    o.executor = executor;
    o.policy = "vectors";
    EXPECT_THROW((void)run(s, o), input_error) << executor;
    o.policy = "none";
    EXPECT_NO_THROW((void)run(s, o)) << executor;
  }
}

}  // namespace
}  // namespace dwell::test
