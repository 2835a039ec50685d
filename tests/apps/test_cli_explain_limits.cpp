// SPDX-License-Identifier: MIT
// `dwell explain stencil` where there is no plan, or none that caches what was asked for: the table
// stands, with the reason; and bytes that can be compared.
#include <gtest/gtest.h>

#include <algorithm>

#include "cli_runner.hpp"

namespace dwell::test {
namespace {

using strings = std::vector<std::string>;

/// More cells than have numbers, or than teams can share: what is in the way, and the rest.
TEST(cli_explain_limits, a_field_that_perks_cannot_tile_has_a_table_with_the_reason) {
  const auto seen = [](const char* shape, const char* size, const std::string& part) {
    const strings args = {"explain", "stencil", shape, "--size", size, "--device-facts", "h200"};
    const auto text = dwell_cli(args);
    EXPECT_EQ(text.code, 0) << text.err;
    EXPECT_TRUE(holds(text.out, "no plan: perks: " + std::string(size) + " cells cannot be tiled"));
    EXPECT_TRUE(holds(text.out, part));
    int rows = 0;
    for (const auto& line : lines_of(text.out)) rows += starts(line, "perks ");
    EXPECT_EQ(rows, 1) << text.out;
    const auto j = explain_stencil(strings(args.begin() + 2, args.end()));
    EXPECT_EQ(j.at("chosen"), "auto");
    std::string others;
    for (const auto& p : j.at("plans"))
      if (p.at("executor") == "perks") {
        EXPECT_FALSE(p.at("refusal").is_null()) << p;
      } else {
        others += p.at("executor").get<std::string>() + " ";
        EXPECT_EQ(p.at("projection"), p.at("executor") == "temporal" ? "model" : "roof");
        EXPECT_GT(p.at("projected_us").at("total").get<double>(), 1) << p;
      }
    EXPECT_EQ(others, "host-loop graph persistent temporal ");
    auto asked = args;
    asked.insert(asked.end(), {"--policy", "model"});
    expect_refused(asked, part);
  };
  seen("2d5pt", "46341x46341", "number cells in 32 bits, up to 2147483647; 132 teams are too few");
  seen("2d5pt", "10x200000", "over 132 teams: one takes at most 896 of a row's 200000 cells");
  seen("3d7pt", "700x700x700", "over 132 teams: one takes at most ");
  seen("3d7pt", "1000x1000x1000", "of a plane's 1000 x 1000 cells");
  EXPECT_EQ(
      explain_stencil({"3d7pt", "--size", "600x600x600", "--device-facts", "h200"}).at("chosen"),
      "auto");
  EXPECT_TRUE(explain_stencil({"2d5pt", "--size", "10x115104", "--device-facts", "h200"})
                  .at("plans")
                  .at(0)
                  .at("refusal")
                  .is_null());
  EXPECT_TRUE(explain_stencil({"2d5pt", "--size", "46340x46340", "--device-facts", "h200"})
                  .at("plans")
                  .at(0)
                  .at("refusal")
                  .is_null());
}

/// Two copies of 46300 x 46300 cells are 34.3 GB.
TEST(cli_explain_limits, a_field_beyond_the_memory_of_the_device_is_said_to_be) {
  const auto on = [](const char* size, const char* device, const char* precision) {
    return strings{"2d5pt", "--size", size, "--device-facts", device, "--precision", precision};
  };
  const auto text = [](strings args) {
    args.insert(args.begin(), {"explain", "stencil"});
    const auto r = dwell_cli(args);
    EXPECT_EQ(r.code, 0) << r.err;
    return r.out;
  };
  const auto large = on("46300x46300", "v100", "f64");
  EXPECT_TRUE(holds(text(large),
                    "memory     DOES NOT FIT: 2 copies of 46300x46300 cells need 31.9 GiB, the "
                    "device has 29.8 GiB\n"));
  const auto memory = explain_stencil(large).at("memory");
  EXPECT_EQ(memory.at("fits"), false);
  EXPECT_EQ(memory.at("needed_bytes"), 2 * 8 * 46300.0 * 46300.0);
  EXPECT_EQ(memory.at("device_bytes"), 32e9);
  for (const auto& args : {on("46300x46300", "v100", "f32"), on("46300x46300", "h200", "f64")}) {
    EXPECT_FALSE(holds(text(args), "DOES NOT FIT"));
    EXPECT_EQ(explain_stencil(args).at("memory").at("fits"), true);
  }
}

TEST(cli_explain_limits, what_measured_would_choose_only_a_run_tells) {
  const strings args = {"2d5pt",    "--size",         "1320x1200", "--policy",
                        "measured", "--device-facts", "h200"};
  const auto j = explain_stencil(args);
  EXPECT_EQ(j.at("chosen"), "measured");
  for (const auto& p : j.at("plans"))
    if (p.at("policy") == "measured") {
      EXPECT_TRUE(starts(p.at("refusal"), "known only by a run"));
      EXPECT_TRUE(p.at("projected_us").at("total").is_null() && p.at("teams").is_null()) << p;
    } else if (p.at("executor") == "perks") {
      EXPECT_TRUE(p.at("refusal").is_null()) << p;
      EXPECT_EQ(p.at("projection"), "model");
    }
  auto whole = args;
  whole.insert(whole.begin(), {"explain", "stencil"});
  EXPECT_TRUE(holds(dwell_cli(whole).out, "no plan: known only by a run, which tries plans"));
}

TEST(cli_explain_limits, bytes_that_stream_are_part_of_those_with_nothing_cached) {
  const scratch_folder in;
  const auto f = in("f.npy");
  ASSERT_EQ(dwell_cli({"stencil", "2d5pt", "--size", "20x30", "--steps", "1", "-o", f}).code, 0);
  const std::vector<strings> cases = {{"gradient2d", "--size", "960x960"},
                                      {"2d5pt", "--size", "20x30", "--source", f},
                                      {"2d5pt", "--size", "2816x2400"},
                                      {"3d7pt", "--size", "48x352x256"}};
  for (auto args : cases) {
    args.insert(args.end(), {"--device-facts", "h200"});
    const auto j = explain_stencil(args);
    const double all = j.at("bytes_per_step"), source = j.at("source").is_null() ? 0 : all / 3;
    for (const auto& p : j.at("plans")) {
      if (!p.at("refusal").is_null()) continue;
      const double streamed = p.at("bytes").at("streamed"), cached = p.at("cached");
      const auto pass = p.at("steps_per_pass");
      const double steps = pass.is_null() ? 1 : pass.get<double>();
      EXPECT_NEAR(streamed, source + (all - source) * (1 - cached) / steps, 1e-6 * all) << p;
      EXPECT_LE(streamed, all);
    }
  }
}

TEST(cli_explain_limits, a_policy_that_can_cache_nothing_says_so) {
  const strings args = {"2d5pt", "--size", "1320x1200", "--device-facts", "h200"};
  const auto plans = explain_stencil(args).at("plans");
  for (const auto& p : plans) {
    if (!p.at("refusal").is_null() || p.at("executor") != "perks") continue;
    const auto policy = p.at("policy").get<std::string>();
    const bool asked = policy == "shared" || policy == "registers" || policy == "both";
    EXPECT_EQ(p.at("caches_nothing_because").is_string(), asked && p.at("cached") == 0.0) << p;
    if (policy != "shared") continue;
    EXPECT_TRUE(holds(p.at("reason"), "; nothing can be cached in shared memory with these tiles"));
  }
  auto whole = args;
  whole.insert(whole.begin(), {"explain", "stencil"});
  EXPECT_TRUE(holds(dwell_cli(whole).out, "\nshared: nothing can be cached in shared memory"));
}

/// A policy under which nothing streams has no plan for it; others may.
TEST(cli_explain_limits, an_order_of_rows_is_refused_where_none_stream) {
  const auto with = [](const std::string& policy) {
    return strings{"3d7pt",    "--size", "48x200x200",  "--device-facts", "h200",
                   "--policy", policy,   "--traversal", "static"};
  };
  const std::string why =
      "traversal 'static': nothing streams, all planes of a block fit in registers and shared "
      "memory";
  const std::vector<std::string> idle = {"auto", "both", "greedy", "model", "measured"};
  for (const auto& policy : idle) {
    auto args = with(policy);
    args.insert(args.begin(), {"explain", "stencil"});
    expect_refused(args, why);
  }
  const auto explained = explain_stencil(with("none"));
  for (const auto& p : explained.at("plans")) {
    if (p.at("executor") != "perks") continue;
    if (std::count(idle.begin(), idle.end(), p.at("policy").get<std::string>()) > 0)
      EXPECT_EQ(p.at("refusal"), why);
    else
      EXPECT_EQ(p.at("traversal"), "static") << p;
  }
  auto args = with("none");
  args.insert(args.begin(), {"explain", "stencil"});
  const auto text = dwell_cli(args);
  EXPECT_TRUE(holds(text.out, "\nauto, both, greedy, model, measured: no plan: " + why + "\n"));
  int rows = 0;
  for (const auto& line : lines_of(text.out)) rows += starts(line, "perks ");
  EXPECT_EQ(rows, 8) << text.out;
}

}  // namespace
}  // namespace dwell::test
