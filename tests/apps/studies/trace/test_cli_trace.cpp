// SPDX-License-Identifier: MIT
// dwell trace as a user drives it, and --order and --orders of stencils.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "cli_runner.hpp"
#include "dwell/stencil/solve.hpp"

namespace dwell::test {
namespace {

using strings = std::vector<std::string>;
using nlohmann::json;

json traced(strings args) {
  args.insert(args.begin(), "trace");
  args.insert(args.end(), {"--json", "-"});
  const auto r = dwell_cli(args);
  EXPECT_EQ(r.code, 0) << r.err;
  return r.json();
}

/// 62x254 tasks, 32 lines to a row of the field: a cache of 96 lines holds three.
TEST(cli_trace, columns_fit_a_cache_that_rows_do_not_fit) {
  const auto j = traced({"2d9pt", "--size", "64x256", "--cache", "4KiB", "--line", "64", "--orders",
                         "rows,columns:32,auto"});
  const auto& rows = j.at("orders").at(0);
  EXPECT_EQ(rows.at("accesses"), 62 * 254 * 9);
  EXPECT_EQ(rows.at("fetches"), 62 * 32 * 3);
  EXPECT_EQ(rows.at("model").at("every_row"), 62 * 32 * 3);
  EXPECT_EQ(rows.at("model").at("once"), 64 * 32);
  EXPECT_EQ(rows.at("model").at("lines_needed"), 3 * 32);
  EXPECT_EQ(rows.at("document").at("equation"), "3.1");
  EXPECT_EQ(rows.at("document").at("fetches"), 33 * 62 * 3);
  const auto& columns = j.at("orders").at(1);
  EXPECT_EQ(columns.at("fetches"), columns.at("model").at("once"));
  EXPECT_EQ(columns.at("document").at("equation"), "4.8");
  // c = (4096 - 8 (9 + 1)) / 24, in whole lines.
  EXPECT_EQ(j.at("orders").at(2).at("order"), "columns:160");
  EXPECT_EQ(j.at("orders").at(2).at("requested"), "auto");
}

TEST(cli_trace, a_product_needs_a_column_of_b) {
  const auto j = traced({"product", "--size", "16x64", "--inner", "32", "--line", "64", "--cache",
                         "8KiB", "--orders", "rows,auto"});
  EXPECT_EQ(j.at("orders").at(0).at("accesses"), 2 * 16 * 64 * 32);
  const auto& columns = j.at("orders").at(1);
  EXPECT_EQ(columns.at("order"), "columns:24");  // 8192 / (8 * 32) - 2, in whole lines
  EXPECT_LE(columns.at("fetches"), columns.at("model").at("once"));
  EXPECT_LT(columns.at("fetches").get<int>(), j.at("orders").at(0).at("fetches").get<int>());
  EXPECT_TRUE(columns.at("document").at("fetches").is_null());
  EXPECT_GT(columns.at("model").at("interference").get<double>(), 0);
  EXPECT_EQ(columns.at("model").at("conflicts"), columns.at("fetches"));
}

/// The product itself, and a step, on a thread of this CPU.
TEST(cli_trace, runs_what_it_traces) {
  for (const strings& subject : {strings{"product", "--size", "40x50", "--inner", "30"},
                                 {"2d5pt", "--size", "40x50"},
                                 {"2d9pt", "--size", "40x50", "--precision", "f32"},
                                 {"3d7pt", "--size", "9x10x11"}}) {
    auto args = subject;
    args.insert(args.end(), {"--orders", "rows,columns:8"});
    const auto traced_only = traced(args);
    for (const auto& order : traced_only.at("orders"))
      EXPECT_TRUE(order.at("seconds").is_null()) << order;
    args.insert(args.end(), {"--runs", "2"});
    const auto and_run = traced(args);
    for (const auto& order : and_run.at("orders"))
      EXPECT_GT(order.at("seconds").get<double>(), 0) << order;
    args.insert(args.begin(), "trace");
    const auto text = dwell_cli(args);
    EXPECT_TRUE(holds(text.out, "ms: of a run on one thread of this CPU.")) << text.out;
  }
  expect_refused({"trace", "2d5pt", "--size", "9x9", "--runs", "0"}, "--runs");
}

/// Nine rows of 8 KiB, of a star of radius 4, in a cache of 8 ways.
TEST(cli_trace, conflicts_of_a_stencil) {
  const auto built = stencil_shapes();
  if (std::ranges::find(built, std::string_view("2d17pt"), &stencil_shape::name) == built.end())
    GTEST_SKIP() << "2d17pt: not in this build";
  const auto j = traced({"2d17pt", "--size", "24x1024", "--cache", "32KiB:8", "--line", "64",
                         "--orders", "rows,columns:64,zigzag:64"});
  const auto& rows = j.at("orders").at(0);
  EXPECT_EQ(rows.at("model").at("conflicts"), rows.at("fetches"));
  EXPECT_GT(rows.at("fetches").get<double>(), 5 * rows.at("model").at("every_row").get<double>());
  EXPECT_LE(rows.at("model").at("interference"), rows.at("model").at("every_row"));
  EXPECT_TRUE(j.at("orders").at(2).at("model").at("conflicts").is_null());
}

TEST(cli_trace, levels_replacement_threads_and_stores) {
  const strings field = {"2d5pt", "--size", "40x60", "--line", "64", "--orders", "rows"};
  const auto with = [&](strings more) {
    more.insert(more.begin(), field.begin(), field.end());
    return traced(more);
  };
  const auto two = with({"--cache", "1KiB:4", "--cache", "16KiB:8"});
  const auto& levels = two.at("orders").at(0).at("levels");
  EXPECT_EQ(levels.at(1).at("accesses"), levels.at(0).at("fetches"));
  EXPECT_EQ(levels.at(1).at("fetches"), two.at("orders").at(0).at("fetches"));
  const auto lru = with({"--cache", "1KiB:4"}),
             random = with({"--cache", "1KiB:4", "--replacement", "random4"}),
             other = with({"--cache", "1KiB:4", "--replacement", "random4", "--seed", "7"});
  EXPECT_NE(lru.at("orders"), random.at("orders"));
  EXPECT_EQ(random.at("orders"),
            with({"--cache", "1KiB:4", "--replacement", "random4"}).at("orders"));
  EXPECT_EQ(random.at("caches").at(0).at("replacement"), "random4");
  EXPECT_NE(with({"--cache", "1KiB:4", "--threads", "32"}).at("orders"), lru.at("orders"));
  EXPECT_EQ(with({"--cache", "1KiB:4", "--writes"}).at("orders").at(0).at("accesses"), 38 * 58 * 6);
}

TEST(cli_trace, draws_a_diagram) {
  const scratch_folder folder;
  const std::string file = folder("trace.svg");
  const auto j = traced({"2d9pt", "--size", "12x20", "--cache", "1KiB", "--line", "32", "--orders",
                         "rows,columns:8", "--diagram", file});
  EXPECT_EQ(j.at("files").at("diagram"), file);
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  const std::string svg = text.str();
  EXPECT_TRUE(svg.starts_with("<svg ")) << svg.substr(0, 60);
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  for (const char* part :
       {"rows: ", "columns:8: ", "class=\"fetched\"", "class=\"cached\"", "field"})
    EXPECT_NE(svg.find(part), std::string::npos) << part;
}

TEST(cli_trace, bad_command_lines) {
  expect_refused({"trace"}, "SUBJECT is required");
  expect_refused({"trace", "2d5pt"}, "--size is required");
  expect_refused({"trace", "2d5p", "--size", "9x9"}, "did you mean '2d5pt'?");
  expect_refused({"trace", "2d5pt", "--size", "9x9x9"}, "2d5pt works on 2 dimensions");
  expect_refused({"trace", "2d5pt", "--size", "2x9"}, "expected more than 2 cells along each axis");
  expect_refused({"trace", "2d5pt", "--size", "9x9", "--inner", "4"}, "--inner: is for product");
  expect_refused({"trace", "product", "--size", "4x4x4"},
                 "expected the rows and columns of a matrix");
  expect_refused({"trace", "3d7pt", "--size", "9x9x9"}, "expected orders other than auto");
  for (const char* cache : {"", "KiB", "4GB", "4KiB:", "4KiB:x", "-4", "4KiB:0", "1.5KiB"})
    expect_refused({"trace", "2d5pt", "--size", "9x9", "--cache", cache},
                   "--cache: expected SIZE[:WAYS] with SIZE in bytes, KiB or MiB, found '" +
                       std::string(cache) + "'");
  expect_refused({"trace", "2d5pt", "--size", "9x9", "--cache", "4KiB:5", "--line", "64"},
                 "--cache: expected whole sets of 5 lines, found 64 lines");
  expect_refused({"trace", "2d5pt", "--size", "9x9", "--orders", "rows,rows"},
                 "expected each order once");
  expect_refused({"trace", "2d5pt", "--size", "9x9", "--orders", "columns"},
                 "order: expected columns:W[xH]");
  expect_refused({"trace", "2d5pt", "--size", "900x900", "--diagram", "d.svg"},
                 "--diagram: expected at most 20000 groups of threads and 4000 lines");
}

TEST(cli_trace, orders_of_a_stencil_have_the_same_bits) {
  const auto r =
      dwell_cli({"compare", "stencil", "2d5pt", "--size", "30x50", "--executors",
                 "persistent,perks", "--orders", "rows,columns:16,zigzag:20", "--steps", "5",
                 "--repetitions", "1", "--device", "cpu", "--threads", "2", "--format", "json"});
  EXPECT_EQ(r.code, 0) << r.err;
  const auto document = r.json();
  const auto& runs = document.at("stencils").at(0).at("runs");
  strings orders;
  for (const auto& run : runs) {
    EXPECT_EQ(run.at("same_bits"), true) << run;
    const auto& asked = run.at("requested").at("order");
    EXPECT_EQ(asked, run.at("plan").at("order"));
    orders.push_back(asked.is_null() ? "-" : asked.get<std::string>());
  }
  EXPECT_EQ(orders,
            (strings{"rows", "columns:16", "zigzag:20", "rows", "columns:16", "zigzag:20", "-"}));
}
TEST(cli_trace, the_order_of_a_stencil_is_in_its_report) {
  const strings run = {"stencil", "2d5pt", "--size", "30x50", "--steps", "3", "--device", "cpu"};
  auto args = run;
  args.insert(args.end(), {"--order", "columns:16"});
  const auto text = dwell_cli(args);
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("cells in order columns:16"), std::string::npos) << text.out;
  args = run;
  args.insert(args.end(), {"--order", "columns"});
  expect_refused(args, "order: expected columns:W[xH] with numbers of 1 to 2^30 in 2 dimensions");
  args = run;
  args.insert(args.end(), {"--order", "columns:16", "--executor", "perks"});
  expect_refused(args, "executor 'perks' takes cells in an order of its own");
  const auto explained = dwell_cli({"explain", "stencil", "2d5pt", "--size", "30x50", "--device",
                                    "cpu", "--order", "columns:16"});
  EXPECT_EQ(explained.code, 0) << explained.err;
  EXPECT_NE(explained.out.find("columns:16"), std::string::npos) << explained.out;
}

}  // namespace
}  // namespace dwell::test
