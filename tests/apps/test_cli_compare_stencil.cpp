// SPDX-License-Identifier: MIT
// `dwell compare stencil` from outside, on the CPU: rows, figures that agree with each other,
// formats, Ctrl-C; and that a field of other bits is told from one of the same.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <cmath>

#include "cli_runner.hpp"
#include "report/units.hpp"
#include "stencil/field_difference.hpp"

namespace dwell::test {
namespace {

using strings = std::vector<std::string>;

/// Two threads and short runs, and what else is asked for.
strings compare(const strings& more) {
  strings args = {"compare", "stencil", "--device", "cpu",           "--threads",
                  "2",       "--steps", "5",        "--repetitions", "3"};
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

const nlohmann::json& run_of(const nlohmann::json& stencil, const std::string& executor,
                             const nlohmann::json& policy = nullptr) {
  for (const auto& r : stencil.at("runs"))
    if (r.at("executor") == executor && r.at("requested").at("policy") == policy) return r;
  throw std::runtime_error("no row for " + executor);
}

TEST(cli_compare_stencil, every_combination_has_a_row_and_the_same_bits) {
  const auto r = dwell_cli(compare({"2d5pt", "2d9pt", "--size", "20x30,33x17", "--policies",
                                    "none,registers,auto", "--format", "json"}));
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.err, "");
  const auto j = r.json();
  EXPECT_EQ(j.at("max_steps"), 5);
  EXPECT_EQ(j.at("boundary"), "fixed");
  EXPECT_TRUE(j.at("device").at("limits").is_null()) << "there is no model of CPUs";
  ASSERT_EQ(j.at("stencils").size(), 4u) << "each stencil on each size";
  EXPECT_EQ(j.at("stencils").at(3).at("name"), "2d9pt");
  EXPECT_EQ(j.at("stencils").at(3).at("size"), "33x17");
  EXPECT_EQ(j.at("stencils").at(0).at("changing_cells"), 18 * 28);
  EXPECT_EQ(j.at("stencils").at(0).at("bytes_per_step"), 18 * 28 * 16);
  for (const auto& s : j.at("stencils")) {
    ASSERT_EQ(s.at("runs").size(), 7u);
    EXPECT_EQ(s.at("runs").at(0).at("executor"), "host-loop") << "the baseline comes first";
    const double base = run_of(s, "host-loop").at("time").at("per_step_us").at("median");
    EXPECT_EQ(run_of(s, "host-loop").at("speed_up"), 1.0);
    for (const auto& run : s.at("runs")) {
      if (run.at("executor") == "graph") continue;
      EXPECT_EQ(run.at("outcome"), "measured") << run;
      EXPECT_EQ(run.at("same_bits"), true) << run;
      EXPECT_EQ(run.at("steps"), 5);
      const auto& us = run.at("time").at("per_step_us");
      ASSERT_EQ(us.at("all").size(), 3u);
      EXPECT_GT(us.at("min"), 0.0);
      EXPECT_EQ(us.at("median"), us.at("all").at(1));
      const double median = us.at("median");
      EXPECT_NEAR(run.at("speed_up").get<double>(), base / median, 1e-9);
      EXPECT_NEAR(run.at("cells_per_s").get<double>() * median * 1e-6,
                  s.at("changing_cells").get<double>(), 1e-3);
      EXPECT_NEAR(run.at("bandwidth_bytes_per_s").get<double>() * median * 1e-6,
                  s.at("bytes_per_step").get<double>(), 1e-2);
      EXPECT_TRUE(run.at("fraction_of_roof").is_null());
    }
    EXPECT_EQ(run_of(s, "graph").at("outcome"), "unsupported");
    EXPECT_TRUE(holds(run_of(s, "graph").at("why"), "on cpu"));
    EXPECT_TRUE(run_of(s, "graph").at("same_bits").is_null());
  }
}

TEST(cli_compare_stencil, three_dimensions_single_precision_and_every_boundary) {
  for (const auto* boundary : {"fixed", "periodic", "reflect"}) {
    const auto r = dwell_cli(
        compare({"3d7pt", "2d5pt", "--size", "5x6x7,8x9", "--precision", "f32", "--boundary",
                 boundary, "--format", "json", "--executors", "persistent,naive"}));
    EXPECT_EQ(r.code, 0) << r.err;
    const auto j = r.json();
    EXPECT_EQ(j.at("precision"), "f32");
    ASSERT_EQ(j.at("stencils").size(), 2u) << "each on the size of its dimensions";
    for (const auto& s : j.at("stencils"))
      for (const auto* executor : {"persistent", "naive"})
        EXPECT_EQ(run_of(s, executor).at("same_bits"), true) << executor << ' ' << boundary;
    EXPECT_EQ(j.at("stencils").at(0).at("bytes_per_step"),
              8 * (boundary == std::string("fixed") ? 3 * 4 * 5 : 5 * 6 * 7));
  }
}

TEST(cli_compare_stencil, an_engine_and_a_depth_are_those_of_the_executors_that_have_them) {
  for (const char* engine : {"skewed", "ring2d"}) {
    const auto r =
        dwell_cli(compare({"2d5pt", "--size", "40x50", "--executors", "persistent,temporal",
                           "--engine", engine, "--depth", "2", "--format", "json"}));
    EXPECT_EQ(r.code, 0) << r.err;
    const auto j = r.json();
    const auto& s = j.at("stencils").at(0);
    EXPECT_EQ(run_of(s, "temporal").at("plan").at("engine"), engine);
    EXPECT_EQ(run_of(s, "temporal").at("same_bits"), true);
    EXPECT_EQ(run_of(s, "persistent").at("plan").at("engine"), "step");
  }
}

TEST(cli_compare_stencil, formats) {
  const auto as = [&](const char* format) {
    const auto r = dwell_cli(compare({"2d5pt", "--size", "8x8", "--format", format}));
    EXPECT_EQ(r.code, 0) << r.err;
    return lines_of(r.out);
  };
  const auto csv = as("csv");
  ASSERT_EQ(csv.size(), 6u);
  EXPECT_TRUE(starts(csv[0], "stencil.name,stencil.size,stencil.refusal,"));
  const auto expected = std::count(csv[0].begin(), csv[0].end(), ',');
  for (const auto& line : csv) {
    bool quoted = false;
    int commas = 0;
    for (const char c : line) commas += !quoted && c == ',', quoted ^= c == '"';
    EXPECT_EQ(commas, expected) << line;
  }
  EXPECT_TRUE(holds(csv[1], ",host-loop,host-loop,,none,"));
  EXPECT_TRUE(holds(csv[2], ",graph,graph,,,,,,false,unsupported,"));
  EXPECT_TRUE(ends(csv[4], ",true,5"));
  int bars = 0;
  for (const auto& line : as("markdown"))
    if (starts(line, "|")) {
      EXPECT_EQ(std::count(line.begin(), line.end(), '|'), 10) << line;
      ++bars;
    }
  EXPECT_EQ(bars, 7);
  const auto table = as("table");
  EXPECT_TRUE(starts(table.at(0), "Iterative stencils on "));
  for (const auto& line : table) EXPECT_FALSE(line.size() && line.back() == ' ') << line;
}

TEST(cli_compare_stencil, a_bit_that_differs_is_seen) {
  grid<double> a(extents(3, 4)), b(extents(3, 4));
  EXPECT_EQ(app::field_difference(a, b), "");
  b(1, 2) = -0.0;
  b(2, 3) = 1;
  EXPECT_EQ(app::field_difference(a, b), "cell (1, 2): expected 0, found -0; 2 of 12 cells differ");
  grid<float> c(extents(2, 3, 4)), d(extents(2, 3, 4));
  c(1, 0, 3) = d(1, 0, 3) = NAN;
  EXPECT_EQ(app::field_difference(c, d), "");
  d(1, 2, 0) = 2;
  EXPECT_EQ(app::field_difference(c, d),
            "cell (1, 2, 0): expected 0, found 2; 1 of 24 cells differ");
}

TEST(cli_compare_stencil, every_policy_that_is_listed_runs) {
  const auto policies = dwell_cli({"info", "--json", "-"}).json().at("stencil_policies");
  ASSERT_GE(policies.size(), 6u);
  std::string list = "auto";
  for (const auto& p : policies) list.append(",").append(p.get<std::string>());
  const auto r = dwell_cli(compare({"2d5pt", "--size", "40x50", "--executors", "perks",
                                    "--policies", list, "--format", "json"}));
  EXPECT_EQ(r.code, 0) << r.err;
  const auto runs = r.json().at("stencils").at(0).at("runs");
  EXPECT_EQ(runs.size(), policies.size() + 2);
  for (const auto& run : runs) EXPECT_EQ(run.at("outcome"), "measured") << run;
}

TEST(cli_compare_stencil, interrupt_hands_over_what_there_is) {
  const auto interrupted = [](const char* format) {
    const auto r = dwell_cli(
        {"compare", "stencil", "2d5pt", "--size", "50x50", "--device", "cpu", "--threads", "1",
         "--steps", "2147483647", "--format", format},
        {.terminal = true,
         .signal_when = [](const std::string& err) { return holds(err, "host-loop, run 1"); },
         .signal = SIGINT});
    EXPECT_EQ(r.code, 130);
    EXPECT_TRUE(holds(r.err, "dwell: interrupted before the first row was measured"));
    return r;
  };
  const auto j = interrupted("json").json();
  EXPECT_EQ(j.at("interrupted"), true);
  const auto& s = j.at("stencils").at(0);
  EXPECT_EQ(s.at("runs").size(), 0u);
  EXPECT_EQ(s.at("changing_cells"), 48 * 48);
  EXPECT_EQ(s.at("bytes_per_step"), 48 * 48 * 16);
  for (const auto* format : {"table", "markdown"}) {
    const auto text = interrupted(format).out;
    EXPECT_TRUE(
        holds(text, "\nThe comparison was interrupted before the first row was measured.\n"));
    EXPECT_TRUE(holds(text, ": no row was measured\n"));
    EXPECT_FALSE(holds(text, "speed-up  ")) << "a table of nothing";
  }
}

TEST(cli_compare_stencil, output_goes_to_a_file) {
  const scratch_folder in;
  const auto r = dwell_cli(compare({"2d5pt", "--size", "8x8", "--format", "json", "-o", in("c")}));
  EXPECT_EQ(r.code, 0);
  EXPECT_EQ(r.out, "");
  EXPECT_EQ(nlohmann::json::parse(read_text(in("c"))).at("repetitions"), 3);
}

TEST(cli_compare_stencil, a_source_is_added_in_every_run) {
  const scratch_folder in;
  const auto f = in("f.npy");
  ASSERT_EQ(dwell_cli({"stencil", "2d5pt", "--size", "20x30", "--steps", "1", "-o", f}).code, 0);
  const auto args = [&](const char* format) {
    return compare({"2d5pt", "--size", "20x30", "--source", f, "--policies", "none,registers,both",
                    "--format", format});
  };
  const auto r = dwell_cli(args("json"));
  EXPECT_EQ(r.code, 0) << r.err;
  const auto j = r.json();
  EXPECT_EQ(j.at("source"), f);
  const auto stencil = j.at("stencils").at(0);
  EXPECT_EQ(stencil.at("bytes_per_step"), 18 * 28 * 24);
  for (const auto& run : stencil.at("runs"))
    if (run.at("executor") != "graph") {
      EXPECT_EQ(run.at("same_bits"), true) << run;
    }
  EXPECT_TRUE(holds(dwell_cli(args("table")).out, ", source " + f));
  expect_refused(compare({"2d5pt", "--size", "20x30,8x8", "--source", f}),
                 "expected 8x8 cells as the field has, found 20x30");
  expect_refused(
      compare({"2d5pt", "2d9pt", "--size", "20x30", "--source", f, "--precision", "f32"}),
      "f.npy: expected f32 values, found f64; add --precision f64 to compute with these");
  expect_refused(compare({"2d5pt", "--size", "20x30", "--source", f, "-o", f}), "f.npy");
}

/// Before any of it is taken; what fits is measured.
TEST(cli_compare_stencil, a_field_beyond_memory_is_refused_with_the_numbers) {
  const auto r = dwell_cli(compare(
      {"2d5pt", "--size", "1000000x1000000,8x8", "--executors", "host-loop", "--format", "json"}));
  EXPECT_EQ(r.code, 4) << r.err;
  EXPECT_TRUE(holds(r.err,
                    "2d5pt 1000000x1000000: too little memory: 5 copies of 1000000x1000000 "
                    "cells need 36.4 TiB, "));
  EXPECT_TRUE(holds(r.err, " are free"));
  const auto stencils = r.json().at("stencils");
  EXPECT_TRUE(starts(stencils.at(0).at("refusal"), "too little memory: "));
  EXPECT_TRUE(stencils.at(1).at("refusal").is_null());
}

/// An address space of 1 GiB is less than what is free: found out when it is taken.
TEST(cli_compare_stencil, memory_that_cannot_be_taken_is_refused) {
#if defined(DWELL_SANITIZED)
  GTEST_SKIP() << "a sanitizer needs more address space than that";
#endif
  const auto r = dwell_cli(compare({"2d5pt", "--size", "9000x9000"}), {.memory = rlim_t(1) << 30});
  EXPECT_EQ(r.code, 4) << r.err;
  EXPECT_TRUE(holds(r.err, "too little memory"));
}

TEST(cli_compare_stencil, small_numbers_have_three_digits_too) {
  EXPECT_EQ(app::number_cell(0.00123456), "0.00123");
  EXPECT_EQ(app::number_cell(0.5), "0.500");
  EXPECT_EQ(app::number_cell(0.99949), "0.999");
  EXPECT_EQ(app::number_cell(0.9996), "1.00");
  EXPECT_EQ(app::number_cell(0.0099999), "0.0100");
  EXPECT_EQ(app::number_cell(12.345), "12.3");
  EXPECT_EQ(app::number_cell(1234.5), "1234");
  EXPECT_EQ(app::number_cell(1.5e-7), "1.50e-07");
  EXPECT_EQ(app::number_cell(0), "0.00");
}

/// It would change nothing there: the row says so, and the others are measured.
TEST(cli_compare_stencil, an_order_of_rows_is_refused_where_none_stream) {
  const auto r = dwell_cli(compare({"3d7pt", "--size", "12x20x20", "--policies", "none,both",
                                    "--traversal", "static", "--format", "json"}));
  EXPECT_EQ(r.code, 0) << r.err;
  const auto s = r.json().at("stencils").at(0);
  EXPECT_EQ(run_of(s, "perks", "none").at("same_bits"), true);
  const auto both = run_of(s, "perks", "both");
  EXPECT_EQ(both.at("outcome"), "unsupported");
  EXPECT_EQ(both.at("why"),
            "traversal 'static': nothing streams, all planes of a block fit in registers and "
            "private memory");
}

TEST(cli_compare_stencil, wrong_command_lines) {
  expect_refused({"compare", "stencil", "2d5pt"}, "--size is required");
  expect_refused(compare({"2d6pt", "--size", "8x8"}), "found '2d6pt'");
  expect_refused(compare({"2d5pt", "--size", "8x8x8"}), "--size: 2d5pt works on 2 dimensions");
  expect_refused(compare({"2d5pt", "--size", "8x8,8x8x8"}),
                 "none of the stencils works on 3 dimensions");
  expect_refused(compare({"2d5pt", "--size", "8x8,8x8"}), "each size once");
  expect_refused(compare({"2d5pt", "2d9pt", "2d5pt", "--size", "8x8"}),
                 "expected each stencil once, found '2d5pt 2d9pt 2d5pt'");
  for (const auto& [option, value] :
       {std::pair{"--policies", "both"}, {"--blocking", "temporal"}, {"--traversal", "ring"}})
    expect_refused(
        compare({"2d5pt", "--size", "8x8", "--executors", "host-loop,persistent", option, value}),
        option + std::string(": is for executor perks"));
  expect_refused(
      compare({"2d5pt", "--size", "8x8", "--executors", "host-loop,persistent", "--depth", "2"}),
      "--depth: is for executors perks and temporal");
  expect_refused(compare({"2d5pt", "--size", "8x0"}), "found '8x0'");
  expect_refused(compare({"2d5pt", "--size", "8x8", "--policies", "hoard"}), "found 'hoard'");
  expect_refused(compare({"2d5pt", "--size", "8x8", "--initial", "cold"}), "found 'cold'");
  expect_refused(compare({"2d5pt", "--size", "8x8", "--boundary", "open"}), "found 'open'");
  const auto help = dwell_cli({"compare", "stencil", "--help"});
  EXPECT_EQ(help.code, 0);
  for (const auto& line : lines_of(help.out)) EXPECT_LE(line.size(), 80u) << line;
}

}  // namespace
}  // namespace dwell::test
