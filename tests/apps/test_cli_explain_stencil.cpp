// SPDX-License-Identifier: MIT
// `dwell explain stencil`: plans that add up, for the CPU and for GPUs that are not here.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <tuple>

#include "cli_runner.hpp"

namespace dwell::test {
namespace {

using strings = std::vector<std::string>;

/// "9x14" and "3x4x5", with 1 for the z that is not there.
std::array<int, 3> numbers(const std::string& text) {
  std::array<int, 3> n{1, 1, 1};
  const int found = std::sscanf(text.c_str(), "%dx%dx%d", &n[0], &n[1], &n[2]);
  if (found == 2) n = {1, n[0], n[1]};
  EXPECT_GE(found, 2) << text;
  return n;
}

TEST(cli_explain_stencil, rows_that_stream_go_in_the_order_asked_for) {
  for (const std::string order : {"static", "zig-zag", "ring"})
    for (const auto& [shape, size, depth] :
         {std::tuple{"2d5pt", "8192x8192", 4}, {"3d7pt", "500x500x500", 1}}) {
      if (shape == std::string("3d7pt") && order != "static") continue;
      const auto j = explain_stencil({shape, "--size", size, "--device-facts", "h200",
                                      "--traversal", order, "--depth", std::to_string(depth)});
      for (const auto& p : j.at("plans")) {
        if (p.at("executor") != "perks" || p.at("policy") == "measured") continue;
        EXPECT_EQ(p.at("traversal"), order) << p;
        EXPECT_EQ(p.at("steps_per_exchange"), depth) << p;
      }
    }
  EXPECT_TRUE(explain_stencil({"2d5pt", "--size", "1320x1200", "--device-facts", "h200"})
                  .at("plans")
                  .at(0)
                  .at("traversal")
                  .is_null());
  for (const std::string order : {"zig-zag", "ring"})
    expect_refused({"explain", "stencil", "3d7pt", "--size", "500x500x500", "--device-facts",
                    "h200", "--traversal", order},
                   "traversal '" + order + "': this stencil has kernels for static only");
}

/// The rates of a projection are those of the device that it is for.
TEST(cli_explain_stencil, no_plan_streams_faster_than_the_device_can) {
  for (const auto& [device, memory, l2] : {std::tuple{"v100", 0.900e12, 2.5e12},
                                           {"a100", 2.039e12, 5.0e12},
                                           {"h100", 3.35e12, 7.27e12},
                                           {"h200", 4.8e12, 7.7e12}})
    for (const auto& [shape, size] :
         {std::pair{"2d5pt", "8192x8192"}, {"2d9pt", "8192x8192"}, {"3d7pt", "500x500x500"}}) {
      const auto j = explain_stencil({shape, "--size", size, "--device-facts", device});
      int streaming = 0;
      for (const auto& p : j.at("plans")) {
        if (!p.at("refusal").is_null() || p.at("projected_us").is_null()) continue;
        const double bytes = p.at("bytes").at("streamed"),
                     seconds = p.at("projected_us").at("device_memory").get<double>() * 1e-6,
                     through = p.at("projected_us").at("l2").get<double>() * 1e-6;
        if (seconds > 0) {
          ++streaming;
          EXPECT_LE(bytes / seconds, memory) << device << p;
        }
        if (through > 0) {
          EXPECT_LE(bytes / through, 1.4 * l2) << device << p;
        }
      }
      EXPECT_GT(streaming, 0) << device << ' ' << shape;
    }
}

TEST(cli_explain_stencil, plans_cover_the_field_and_account_for_every_row) {
  for (const auto* device : {"v100", "a100", "h100", "h200", "b200"})
    for (const auto* precision : {"f64", "f32"}) {
      const auto j = explain_stencil(
          {"2d5pt", "--size", "1320x1200", "--device-facts", device, "--precision", precision});
      EXPECT_EQ(j.at("chosen"), "auto");
      const double bytes = j.at("precision") == "f64" ? 8 : 4;
      EXPECT_EQ(j.at("stencil").at("changing_cells"), 1318 * 1198);
      EXPECT_EQ(j.at("bytes_per_step"), 2 * bytes * 1318 * 1198);
      int planned = 0;
      for (const auto& p : j.at("plans")) {
        if (!p.at("refusal").is_null() || p.at("executor") != "perks") continue;
        ++planned;
        const auto tiles = numbers(p.at("tiles_along")), tile = numbers(p.at("tile"));
        int all = tiles[0] * tiles[1] * tiles[2];
        const int teams = p.at("teams");
        const int units = j.at("device").at("units"), warps = p.at("lanes").get<int>() / 32;
        if (p.at("tile_of") == "team") {
          EXPECT_EQ(all, teams);
        } else {
          EXPECT_GE(p.at("side_tiles"), tiles[1]) << p;
          if (tiles[2] > 1) all += 2 * (p.at("side_tiles").get<int>() - tiles[1]);
          EXPECT_LE(all, teams * warps) << p;
          EXPECT_GE(all, teams) << p;
        }
        EXPECT_LE(teams, units);
        EXPECT_GE(tiles[1] * tile[1], 1320) << p;
        EXPECT_GE(tiles[2] * tile[2], 1200) << p;
        EXPECT_EQ(p.at("halo"), p.at("steps_per_exchange").get<int>()) << "radius 1";
        const auto& rows = p.at("rows_per_warp");
        const double cached = rows.at("registers").get<double>() + rows.at("scratch").get<double>();
        const double streamed = rows.at("streamed");
        EXPECT_NEAR(p.at("cached").get<double>(), cached / (cached + streamed), 1e-12);
        EXPECT_EQ(p.at("bytes").at("streamed") == 0.0, streamed == 0) << p;
        if (p.at("policy") == "none") {
          EXPECT_EQ(cached, 0);
        }
        if (p.at("policy") == "registers") {
          EXPECT_EQ(rows.at("scratch"), 0);
        }
        if (p.at("policy") == "shared") {
          EXPECT_EQ(rows.at("registers"), 0);
        }
      }
      EXPECT_EQ(planned, 7) << device << ": all policies but measured";
    }
}

TEST(cli_explain_stencil, passes_do_one_step_or_several_as_asked) {
  const auto plan = [](const char* blocking) {
    return explain_stencil(
               {"2d5pt", "--size", "4096x4096", "--device-facts", "h200", "--blocking", blocking})
        .at("plans")
        .at(0);
  };
  const auto spatial = plan("spatial"), temporal = plan("temporal");
  EXPECT_EQ(spatial.at("steps_per_pass"), 1);
  EXPECT_EQ(spatial.at("tile_of"), "team");
  EXPECT_EQ(temporal.at("tile_of"), "warp");
  EXPECT_GT(temporal.at("steps_per_pass"), 1);
  EXPECT_TRUE(temporal.at("traversal").is_null());
  EXPECT_LT(temporal.at("projected_us").at("total"), spatial.at("projected_us").at("total"));
  const auto r = dwell_cli({"explain", "stencil", "gradient2d", "--size", "64x64", "--device-facts",
                            "h200", "--blocking", "temporal"});
  EXPECT_EQ(r.code, 1);
  EXPECT_NE(r.err.find("blocking 'temporal'"), std::string::npos) << r.err;
}

TEST(cli_explain_stencil, a_halo_is_computed_or_read) {
  const auto text = [](const char* stencil, const char* size) {
    return dwell_cli({"explain", "stencil", stencil, "--size", size, "--device-facts", "h200"}).out;
  };
  EXPECT_NE(text("3d7pt", "48x352x256").find("a halo of 1 cell, read of neighbours"),
            std::string::npos);
  EXPECT_NE(text("2d5pt", "4096x4096").find("times the cells computed"), std::string::npos);
  const auto rows = dwell_cli({"explain", "stencil", "2d5pt", "--size", "2816x2400",
                               "--device-facts", "h200", "--blocking", "spatial"});
  EXPECT_EQ(rows.code, 0) << rows.err;
  EXPECT_NE(rows.out.find("tiles of a warp each"), std::string::npos) << rows.out;
  EXPECT_NE(rows.out.find("a halo of 1 cell, read of neighbours"), std::string::npos) << rows.out;
  EXPECT_EQ(rows.out.find("in the first and in the last column"), std::string::npos) << rows.out;
}

/// 45 planes, 352 rows and 256 columns: the border's planes and columns are in no block.
TEST(cli_explain_stencil, cached_blocks_have_no_cells_of_a_fixed_border) {
  const auto text = [](const char* boundary) {
    const auto r = dwell_cli({"explain", "stencil", "3d7pt", "--size", "47x352x258",
                              "--device-facts", "h200", "--boundary", boundary});
    EXPECT_EQ(r.code, 0) << r.err;
    return r.out;
  };
  EXPECT_NE(text("fixed").find("3 x 11 x 4 of 15 x 32 x 64 cells"), std::string::npos);
  EXPECT_EQ(text("periodic").find("of 15 x 32 x 64 cells"), std::string::npos);
}

TEST(cli_explain_stencil, blocks_cover_a_field_of_three_dimensions) {
  const auto j = explain_stencil({"3d7pt", "--size", "48x352x256", "--device-facts", "h200"});
  int planned = 0;
  for (const auto& p : j.at("plans")) {
    if (!p.at("refusal").is_null() || p.at("executor") != "perks") continue;
    ++planned;
    const auto blocks = numbers(p.at("tiles_along")), block = numbers(p.at("tile"));
    EXPECT_EQ(p.at("teams"), blocks[0] * blocks[1] * blocks[2]);
    EXPECT_EQ(p.at("tile_of"), "team") << p;
    EXPECT_EQ(p.at("lanes"), 256);
    EXPECT_GE(blocks[0] * block[0], 48) << p;
    EXPECT_GE(blocks[1] * block[1], 352) << p;
    EXPECT_GE(blocks[2] * block[2], 256) << p;
    EXPECT_GT(p.at("projected_us").at("total").get<double>(), 0) << p;
  }
  EXPECT_EQ(planned, 7) << "all policies but measured";
}

TEST(cli_explain_stencil, projected_time_is_at_least_its_largest_part_and_auto_has_the_least) {
  const auto j = explain_stencil({"2d9pt", "--size", "2000x2000", "--device-facts", "h200"});
  double least = 1e300, chosen = 0;
  for (const auto& p : j.at("plans")) {
    if (!p.at("refusal").is_null()) continue;
    const auto& us = p.at("projected_us");
    const double step = us.at("total");
    double largest = 0;
    std::string name;
    for (const auto& [key, part] : us.items())
      if (key != "total" && part.get<double>() > largest) largest = part, name = key;
    EXPECT_GT(largest, 0) << p;
    EXPECT_GE(step, largest * (1 - 1e-12)) << p;
    std::string binds = p.at("binds");
    std::replace(binds.begin(), binds.end(), ' ', '_');
    EXPECT_EQ(binds == "L2" ? "l2" : binds, name);
    if (p.at("executor") != "perks") continue;
    least = std::min(least, step);
    if (p.at("policy") == "auto") chosen = step;
  }
  EXPECT_EQ(chosen, least);
}

TEST(cli_explain_stencil, text_shows_one_plan_in_full_and_all_side_by_side) {
  const auto r = dwell_cli({"explain", "stencil", "2d5pt", "--size", "1320x1200", "--device-facts",
                            "h200", "--policy", "registers", "--boundary", "periodic"});
  EXPECT_EQ(r.code, 0) << r.err;
  for (const auto* part :
       {"boundary periodic", "NVIDIA H200 (132 multiprocessors), not here", "registers *", "engine",
        "register_tile2d", "between exchanges", "GCells/s", "binds", "streamed"})
    EXPECT_TRUE(holds(r.out, part));
  for (const auto& line : lines_of(r.out)) {
    EXPECT_FALSE(line.size() && line.back() == ' ') << line;
    EXPECT_LE(line.size(), 130u) << line;
  }
}

TEST(cli_explain_stencil, on_a_cpu_nothing_is_projected) {
  const auto j =
      explain_stencil({"2d5pt", "--size", "64x200", "--device", "cpu", "--threads", "2"});
  EXPECT_EQ(j.at("device").at("probed"), true);
  std::string executors;
  for (const auto& p : j.at("plans")) {
    if (p.at("policy") == "measured") continue;
    ASSERT_TRUE(p.at("refusal").is_null()) << p;
    if (p.at("executor") != "perks") executors += p.at("executor").get<std::string>() + " ";
    EXPECT_TRUE(p.at("projection").is_null());
    EXPECT_TRUE(p.at("projected_us").at("total").is_null());
    EXPECT_TRUE(p.at("binds").is_null());
  }
  EXPECT_EQ(executors, "host-loop persistent temporal ");
  const auto text =
      dwell_cli({"explain", "stencil", "2d5pt", "--size", "64x200", "--device", "cpu"});
  EXPECT_TRUE(holds(text.out, "rows reg/private/streamed"));
  EXPECT_FALSE(holds(text.out, "shared memory") || holds(text.out, "scratch")) << text.out;
  EXPECT_TRUE(holds(text.out, "no model of CPUs"));
}

TEST(cli_explain_stencil, wrong_command_lines) {
  const auto refused = [](strings args, const std::string& part) {
    args.insert(args.begin(), {"explain", "stencil"});
    expect_refused(args, part);
  };
  refused({"2d5pt"}, "--size: expected cells such as 4096x4096, found none");
  refused({"2d6pt", "--size", "8x8"}, "found '2d6pt'");
  refused({"2d5pt", "--size", "8x8x8"}, "2d5pt works on 2 dimensions");
  refused({"2d5pt", "--size", "8x8", "--device-facts", "k80"}, "v100, a100, h100, h200 or b200");
  refused({"2d5pt", "--size", "8x8", "--policy", "hoard"}, "found 'hoard'");
  refused({"2d5pt", "--size", "900000x900000", "--device-facts", "h200", "--policy", "registers"},
          "cannot be tiled over 132 teams: one takes at most 126 of a row's 900000 cells");
  refused({"2d5pt", "--size", "8x8", "--device-facts", "h200", "--threads", "3"}, "--threads");
  const auto help = dwell_cli({"explain", "stencil", "--help"});
  EXPECT_EQ(help.code, 0);
  for (const auto& line : lines_of(help.out)) EXPECT_LE(line.size(), 80u) << line;
}

}  // namespace
}  // namespace dwell::test
