// SPDX-License-Identifier: MIT
// `dwell explain stencil` beside `dwell stencil`: what is explained is what is run, without and
// with a source.
#include <gtest/gtest.h>

#include "cli_runner.hpp"

namespace dwell::test {
namespace {

using strings = std::vector<std::string>;

/// The plan that is explained is the plan that is run.
TEST(cli_explain_runs, agrees_with_the_run) {
  const auto j = explain_stencil(
      {"2d9pt", "--size", "90x150", "--device", "cpu", "--threads", "2", "--policy", "both"});
  const auto ran =
      dwell_cli({"stencil", "2d9pt", "--size", "90x150", "--device", "cpu", "--threads", "2",
                 "--executor", "perks", "--policy", "both", "--steps", "3", "--json", "-"})
          .json();
  for (const auto& p : j.at("plans")) {
    if (p.at("policy") != "both") continue;
    for (const auto* key : {"teams", "lanes", "steps_per_exchange", "steps_per_pass", "traversal"})
      EXPECT_EQ(p.at(key), ran.at("plan").at(key)) << key;
    EXPECT_TRUE(ends(ran.at("reason"), p.at("reason")));
    // Rounded to cells of the field there; here of those that change.
    const auto cells = ran.at("plan").at("cells");
    const int streamed = cells.at("streamed");
    EXPECT_EQ(cells.at("in_registers").get<int>() + cells.at("in_scratch").get<int>() + streamed,
              90 * 150);
    EXPECT_NEAR(p.at("bytes").at("streamed").get<double>(),
                j.at("bytes_per_step").get<double>() * streamed / (90 * 150), 64);
    return;
  }
  FAIL() << "no plan for both";
}

/// So is the plan with a source, which takes other kernels and reads more.
TEST(cli_explain_runs, knows_what_a_source_forbids) {
  const scratch_folder in;
  const auto f = in("f.npy");
  ASSERT_EQ(dwell_cli({"stencil", "2d5pt", "--size", "90x150", "--steps", "1", "-o", f}).code, 0);
  const strings where = {"2d5pt", "--size", "90x150", "--device", "cpu", "--threads", "2"};
  const auto with = [&](strings more) {
    more.insert(more.begin(), where.begin(), where.end());
    return more;
  };
  const auto plain = explain_stencil(with({})), j = explain_stencil(with({"--source", f}));
  EXPECT_TRUE(plain.at("source").is_null());
  EXPECT_EQ(j.at("source"), f);
  EXPECT_EQ(j.at("bytes_per_step").get<int>() / 3, plain.at("bytes_per_step").get<int>() / 2);
  int ran_as_explained = 0;
  for (const auto& p : j.at("plans")) {
    if (p.at("executor") != "perks" || p.at("policy") == "measured") continue;
    SCOPED_TRACE(p.at("policy"));
    ASSERT_TRUE(p.at("refusal").is_null());
    auto args = with({"--source", f, "--executor", "perks", "--policy", p.at("policy"), "--steps",
                      "3", "--json", "-"});
    args.insert(args.begin(), "stencil");
    const auto ran = dwell_cli(args).json();
    for (const auto* key : {"teams", "steps_per_exchange"})
      EXPECT_EQ(p.at(key), ran.at("plan").at(key)) << key;
    EXPECT_TRUE(ends(ran.at("reason"), p.at("reason")));
    ++ran_as_explained;
  }
  EXPECT_EQ(ran_as_explained, 7) << "all policies but measured";
  // Tiles that lie in registers have no room for a source.
  const strings gpu = {"2d5pt", "--size", "90x150", "--device-facts", "h200"};
  auto sourced = gpu;
  sourced.insert(sourced.end(), {"--source", f});
  EXPECT_NE(explain_stencil(gpu).at("plans").at(0).at("reason"),
            explain_stencil(sourced).at("plans").at(0).at("reason"));
  const auto text = dwell_cli({"explain", "stencil", "2d5pt", "--size", "90x150", "--source", f});
  EXPECT_TRUE(holds(text.out, "and a source"));
  expect_refused({"explain", "stencil", "2d5pt", "--size", "90x151", "--source", f},
                 "expected 90x151 cells as the field has, found 90x150");
  expect_refused(
      {"explain", "stencil", "2d5pt", "--size", "90x150", "--source", f, "--precision", "f32"},
      "expected f32 values, found f64; add --precision f64 to compute with these");
  expect_refused({"explain", "stencil", "2d5pt", "--size", "90x150", "--source", in("g.npy")},
                 "expected a readable .npy file, found: No such file or directory");
  expect_refused({"explain", "stencil", "2d5pt", "--size", "90x150", "--source", f, "--json", f},
                 "f.npy");
}

}  // namespace
}  // namespace dwell::test
