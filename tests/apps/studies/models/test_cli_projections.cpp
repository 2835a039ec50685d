// SPDX-License-Identifier: MIT
// dwell model perks, ebisu and roofline against the numbers that stand in the documents: Zhang
// 2023, tables 1.1, 4.1, 5.2 and 5.3, figures 3.6 and 4.1, sections 4.4.2, 5.7.2 and 5.7.3; and bad
// input.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cli_runner.hpp"
#include "dwell/stencil/solve.hpp"

namespace dwell::test {
namespace {

using strings = std::vector<std::string>;
using nlohmann::json;

/// The first row of `dwell model NAME` with the rates of table 5.2, an A100.
json on_a100(const std::string& name, strings more) {
  strings args = {"model", name, "--memory-rate", "1555", "--shared-rate", "19490"};
  if (name != "perks") args.insert(args.end(), {"--flop-rate", "9700"});
  args.insert(args.end(), more.begin(), more.end());
  args.insert(args.end(), {"--json", "-"});
  const auto r = dwell_cli(args);
  EXPECT_EQ(r.code, 0) << r.err;
  return r.json().at("rows").at(0);
}
double of(const json& row, const char* key) { return row.at(key).get<double>(); }

/// Section 4.4.2: 187.62 GCells/s. T_gm is printed as 45.36 ms: its equation gives 49.36.
TEST(cli_projections, perks_on_an_a100) {
  const auto plain = on_a100("perks", {"--size", "3072x3072", "--cached", "3072x1512"});
  EXPECT_NEAR(of(plain, "memory_s"), 49.36e-3, 0.005e-3);
  const auto row = on_a100("perks", {"--size", "3072x3072", "--cached", "3072x1512", "--halo",
                                     "1000x2x108x848", "--steps", "1000"});
  EXPECT_NEAR(of(row, "memory_s") - of(plain, "memory_s"), 0.94e-3, 0.005e-3) << "of the halos";
  EXPECT_NEAR(of(row, "peak_cells_per_s"), 187.62e9, 0.1e9);
  EXPECT_EQ(row.at("binds"), "memory");
  EXPECT_NEAR(of(row, "uncached_cells_per_s"), 1.555e12 / 16, 1e-3 * 1.555e12 / 16);
  EXPECT_EQ(row.at("efficiency"), 1.0);
}

/// 4.4 and 4.5: a part in shared memory that is loaded and stored between two steps may bind.
TEST(cli_projections, perks_bound_by_shared_memory) {
  const auto row = on_a100("perks", {"--size", "1000000", "--cached", "1000000", "--cached-shared",
                                     "1000000", "--steps", "101", "--kernel-shared", "300000000"});
  EXPECT_EQ(row.at("binds"), "shared memory");
  EXPECT_NEAR(of(row, "shared_s"), (2e8 + 3e8) * 8 / 19.49e12, 1e-12);
  EXPECT_NEAR(of(row, "peak_cells_per_s"), 1.01e8 / of(row, "shared_s"), 1e3);
}

/// Table 4.1: a block has 2580 loads under way, and 4.8 says what that reaches.
TEST(cli_projections, perks_by_what_is_under_way) {
  const strings asked = {"--size", "3072x3072", "--cached", "0", "--concurrency", "5160"};
  const auto with = [&](const char* parallelism) {
    auto args = asked;
    args.insert(args.end(), {"--parallelism", parallelism});
    return on_a100("perks", args);
  };
  EXPECT_EQ(of(with("2580"), "efficiency"), 0.5);
  EXPECT_EQ(of(with("5160"), "efficiency"), 1.0);
  EXPECT_EQ(of(with("20640"), "efficiency"), 1.0);
  EXPECT_DOUBLE_EQ(of(with("2580"), "projected_cells_per_s"),
                   0.5 * of(with("5160"), "projected_cells_per_s"));
}

/// Section 5.7.3: 3d7pt in three steps has 292 GCells/s; its V is printed as 77 %, and is 68.
TEST(cli_projections, ebisu_3d7pt) {
  const auto row = on_a100("ebisu", {"3d7pt", "--depth", "3", "--tile", "34x34"});
  EXPECT_NEAR(of(row, "attainable_cells_per_s"), 292e9, 0.5e9);
  EXPECT_NEAR(of(row, "valid"), 0.678, 0.0005);
  EXPECT_NEAR(of(row, "practical_cells_per_s"), 198e9, 0.5e9);
  EXPECT_EQ(row.at("binds"), "memory");
}

/// Section 5.7.3: 95 % of overlapped tiles count, 73 % of the time of device tiles: 3.40 us of
/// 108 tiles of 256x5 in 15 steps, and a barrier of 1.2 us.
TEST(cli_projections, ebisu_2d5pt_overlapped_or_device_tiles) {
  const auto overlapped = on_a100("ebisu", {"2d5pt", "--depth", "7"});
  EXPECT_NEAR(of(overlapped, "valid"), 0.95, 0.005);
  EXPECT_EQ(overlapped.at("binds"), "shared memory");
  const auto device = on_a100("ebisu", {"2d5pt", "--depth", "15", "--tiling", "device", "--tile",
                                        "256x5", "--tiles", "108"});
  EXPECT_NEAR(of(device, "shared_s"), 3.40e-6, 0.01e-6);
  EXPECT_NEAR(of(device, "valid"), 0.74, 0.005);
  EXPECT_GT(of(overlapped, "practical_cells_per_s"), of(device, "practical_cells_per_s"));
}

/// Section 5.7.3 decides for overlapped tiles in two dimensions, and for those of the device in
/// three, on an A100 at depths whose queues fit in its shared memory.
TEST(cli_projections, ebisu_decides_between_tilings) {
  const auto best_of = [](const char* stencil, const char* depths) {
    const auto all = report_of({"model", "ebisu", stencil, "--tiling", "both", "--depth", depths,
                                "--on", "a100", "--json", "-"})
                         .at("rows");
    json best;
    double most = 0;
    for (const auto& row : all) {
      most = std::max(most, of(row, "practical_cells_per_s"));
      EXPECT_EQ(row.at("tiles"), row.at("tiling") == "device" ? 108 : 1) << "one a multiprocessor";
      if (row.at("best") != true) continue;
      EXPECT_TRUE(best.is_null()) << "one row is best";
      best = row;
    }
    EXPECT_EQ(of(best, "practical_cells_per_s"), most);
    return best;
  };
  EXPECT_EQ(best_of("2d5pt", "1,2,4,6,7,8,12").at("tiling"), "overlapped");
  EXPECT_EQ(best_of("2d9pt", "1,2,4,6,7,8,12").at("tiling"), "overlapped");
  EXPECT_EQ(best_of("3d7pt", "1,2,3,4,6,8").at("tiling"), "device");
  EXPECT_EQ(best_of("3d7pt", "1,2,3,4,6,8").at("depth"), 8);
  EXPECT_EQ(best_of("3d7pt", "1,2,3").at("tiling"), "overlapped") << "shallow ones do not pay";
  const auto two =
      report_of({"model", "ebisu", "2d5pt", "--on", "a100,h200", "--json", "-"}).at("rows");
  EXPECT_EQ(std::ranges::count(two, json(true), [](const json& row) { return row.at("best"); }), 2);
}

/// Section 5.7.2: 6.3 steps of 2d5pt, 18.34 of 3d7pt with device tiles of 32x32.
TEST(cli_projections, ebisu_desired_depth) {
  EXPECT_NEAR(of(on_a100("ebisu", {"2d5pt"}), "desired_depth"), 6.3, 0.05);
  const auto deep = on_a100("ebisu", {"3d7pt", "--tiling", "device", "--tiles", "108"});
  EXPECT_NEAR(of(deep, "desired_depth"), 18.34, 0.005);
  EXPECT_TRUE(on_a100("ebisu", {"3d7pt", "--tiling", "device", "--tiles", "108", "--tile", "22x22"})
                  .at("desired_depth")
                  .is_null())
      << "22.3 is the width from which on halos alone do not keep memory busy";
}

/// Table 5.3: accesses of shared memory with and without redundant register streaming.
TEST(cli_projections, ebisu_accesses_of_table_5_3) {
  struct line {
    const char* stencil;
    double plain, streamed, flops;
  };
  const auto built = stencil_shapes();
  strings not_built;
  for (const auto& l :
       {line{"2d5pt", 6, 4, 10}, line{"2ds9pt", 10, 6, 18}, line{"2d9pt", 10, 4, 18},
        line{"2d25pt", 26, 6, 25}, line{"3d7pt", 8, 4.5, 14}, line{"3d13pt", 14, 7, 26},
        line{"3d17pt", 18, 5.5, 34}, line{"3d27pt", 28, 5.5, 54}, line{"poisson", 20, 5.5, 38}}) {
    SCOPED_TRACE(l.stencil);
    if (std::ranges::find(built, l.stencil, &stencil_shape::name) == built.end()) {
      not_built.push_back(l.stencil);
      continue;
    }
    const auto with = report_of({"model", "ebisu", l.stencil, "--json", "-"});
    const auto without = report_of({"model", "ebisu", l.stencil, "--plain", "--json", "-"});
    EXPECT_EQ(with.at("accesses").at("shared"), l.streamed);
    EXPECT_EQ(without.at("accesses").at("shared"), l.plain);
    EXPECT_EQ(with.at("accesses").at("flops"), l.flops);
  }
  if (!not_built.empty())
    GTEST_SKIP() << fmt::format("the other rows: not in this build: {}",
                                fmt::join(not_built, ", "));
}

/// Table 1.1, and figure 4.1: 20 steps of 2d5pt with 0, 50, 75 and 100 % of the traffic removed.
TEST(cli_projections, roofline) {
  EXPECT_NEAR(of(on_a100("roofline", {"2d5pt"}), "balance_flops_per_byte"), 6.24, 0.005);
  const auto h100 = report_of({"model", "roofline", "2d5pt", "--memory-rate", "3000",
                               "--shared-rate", "1", "--flop-rate", "30000", "--json", "-"});
  EXPECT_NEAR(of(h100.at("rows").at(0), "balance_flops_per_byte"), 10, 0.005);
  const double one = 10.0 / 16;
  const auto intensity = [&](const char* steps, const char* removed) {
    return of(on_a100("roofline", {"2d5pt", "--steps", steps, "--removed", removed}),
              "intensity_flops_per_byte");
  };
  EXPECT_DOUBLE_EQ(intensity("1", "50"), one);
  EXPECT_DOUBLE_EQ(intensity("20", "0"), one);
  EXPECT_DOUBLE_EQ(intensity("20", "100"), 20 * one);
  EXPECT_DOUBLE_EQ(intensity("20", "50"), 20 * one / 10.5);
  EXPECT_DOUBLE_EQ(intensity("20", "75"), 20 * one / 5.75);
  const auto deep = on_a100("roofline", {"2d5pt", "--steps", "20"});
  EXPECT_EQ(deep.at("binds"), "arithmetic");
  EXPECT_NEAR(of(deep, "cells_per_s"), 970e9, 1e3);
  const auto flat = on_a100("roofline", {"2d5pt", "--steps", "1"});
  EXPECT_EQ(flat.at("binds"), "memory");
  EXPECT_NEAR(of(flat, "cells_per_s"), 1.555e12 / 16, 1e3);
}

TEST(cli_projections, devices_that_dwell_knows_and_tables) {
  const auto all = report_of({"model", "roofline", "3d7pt", "--steps", "1,2", "--json", "-"});
  EXPECT_EQ(all.at("rows").size(), 10u) << "five devices, two depths";
  const auto& chips = all.at("devices");
  ASSERT_EQ(chips.size(), 5u);
  EXPECT_EQ(chips.at(0).at("device"), "Tesla V100-SXM2-32GB");
  EXPECT_EQ(chips.at(0).at("measured"), false);
  EXPECT_EQ(chips.at(3).at("measured"), true);
  // An A100 has 65,536 registers and 164 KiB of shared memory in each of 108, and 40 MiB of L2.
  EXPECT_EQ(of(chips.at(1), "register_bytes"), 108 * 65536 * 4.0);
  EXPECT_EQ(of(chips.at(1), "shared_bytes"), 108 * 164 * 1024.0);
  EXPECT_EQ(of(chips.at(1), "l2_bytes"), 40 * 1024.0 * 1024);
  EXPECT_EQ(chips.at(1).at("balance_flops_per_byte"),
            all.at("rows").at(2).at("balance_flops_per_byte"));
  const auto given = report_of({"model", "roofline", "3d7pt", "--memory-rate", "1555",
                                "--shared-rate", "19490", "--flop-rate", "9700", "--json", "-"})
                         .at("devices");
  ASSERT_EQ(given.size(), 1u);
  EXPECT_TRUE(given.at(0).at("measured").is_null());
  EXPECT_TRUE(given.at(0).at("l2_bytes").is_null());
  const auto one =
      report_of({"model", "ebisu", "3d7pt", "--on", "h100", "--depth", "2,5", "--json", "-"});
  ASSERT_EQ(one.at("rows").size(), 2u);
  EXPECT_EQ(one.at("rows").at(0).at("device"), "NVIDIA H100 80GB HBM3");
  const auto text = dwell_cli({"model", "perks", "--size", "100x100", "--cached", "5000"});
  EXPECT_EQ(text.code, 0);
  EXPECT_TRUE(holds(text.out, "5,000 of 10,000 cells of f64 stay on the chip"));
  const auto csv = lines_of(
      dwell_cli({"model", "perks", "--size", "100x100", "--cached", "5000", "--csv", "-"}).out);
  ASSERT_EQ(csv.size(), 6u);
  EXPECT_TRUE(starts(csv[0], "device,memory_bytes_per_s,shared_bytes_per_s,memory_s"));
}

/// Taps of fused steps, counted by hand: 5 x 5, 9 x 9 of boxes; diamonds of 13 and 41 of the star.
TEST(cli_projections, tensor_cores) {
  const auto rows = [](strings more) {
    strings args = {"model", "tensor"};
    args.insert(args.end(), more.begin(), more.end());
    args.insert(args.end(), {"--json", "-"});
    const auto r = dwell_cli(args);
    EXPECT_EQ(r.code, 0) << r.err;
    return r.json().at("rows");
  };
  const auto box = rows({"2d9pt", "--steps", "1,2,4", "--on", "h200"});
  ASSERT_EQ(box.size(), 3u);
  EXPECT_EQ(box.at(1).at("fused_taps"), 25);
  EXPECT_EQ(box.at(2).at("fused_taps"), 81);
  EXPECT_DOUBLE_EQ(of(box.at(2), "redundancy"), 81.0 / 36);
  EXPECT_DOUBLE_EQ(of(box.at(1), "useful_part"), 5.0 / 12);
  EXPECT_DOUBLE_EQ(of(box.at(1), "needed_ratio"), 25.0 / 18 * 12 / 5);
  EXPECT_EQ(box.at(0).at("binds"), "memory");
  EXPECT_EQ(box.at(0).at("pays"), false);
  const auto star = rows({"2d5pt", "--steps", "2,4", "--on", "a100"});
  EXPECT_EQ(star.at(0).at("fused_taps"), 13);
  EXPECT_EQ(star.at(1).at("fused_taps"), 41);
  EXPECT_EQ(rows({"3d7pt", "--steps", "2", "--on", "b200"}).at(0).at("fused_taps"), 25);
  // Sixteen times as fast they pay for the box in eight steps, where arithmetic binds; a V100 has
  // none.
  EXPECT_EQ(rows({"2d9pt", "--steps", "8", "--on", "h200", "--ratio", "16"}).at(0).at("pays"),
            true);
  EXPECT_TRUE(rows({"2d9pt", "--steps", "8", "--on", "v100"})
                  .at(0)
                  .at("tensor_core_cells_per_s")
                  .is_null());
  EXPECT_EQ(rows({"2d9pt", "--steps", "8"}).size(), 5u);
  expect_refused({"model", "tensor", "gradient2d"}, "expected one that is linear");
  expect_refused({"model", "tensor", "2d5pt", "--steps", "33"}, "at most 32 fused steps, found 33");
  expect_refused({"model", "tensor", "2d5pt", "--on", "h300"}, "h300");
  EXPECT_TRUE(holds(dwell_cli({"model", "tensor", "2d9pt"}).out, "9 taps; products of 8 outputs"));
}

TEST(cli_projections, bad_input) {
  expect_refused({"model", "perks", "--size", "10x", "--cached", "1"}, "--size: expected cells");
  expect_refused({"model", "perks", "--size", "0", "--cached", "0"},
                 "--size: expected a cell at least");
  expect_refused({"model", "perks", "--size", "10", "--cached", "11"},
                 "--cached: expected at most the 10 cells of --size, found 11");
  expect_refused({"model", "perks", "--size", "10", "--cached", "5", "--cached-shared", "6"},
                 "--cached-shared: expected at most the 5 cells");
  expect_refused({"model", "perks", "--size", "10", "--cached", "5", "--parallelism", "6"},
                 "--parallelism: expected it and --concurrency");
  expect_refused({"model", "perks", "--size", "10", "--cached", "5", "--memory-rate", "6"},
                 "--memory-rate: expected --memory-rate and --shared-rate");
  expect_refused({"model", "ebisu", "2d5pt", "--memory-rate", "6", "--on", "h100"},
                 "--on: expected it or rates");
  expect_refused({"model", "ebisu", "gradient2d"},
                 "--shared-accesses: expected a number, for gradient2d is not in table 5.3");
  expect_refused({"model", "ebisu", "2d5pt", "--tile", "4x5x6"}, "--tile: expected WIDTHxHEIGHT");
  expect_refused({"model", "ebisu", "2d5pt", "--tile", "4"}, "--tile: expected WIDTHxHEIGHT");
  expect_refused({"model", "ebisu", "2d5pt", "--tiles", "0"}, "--tiles: expected a tile at least");
  expect_refused({"model", "ebisu", "2d5pt", "--tiling", "both", "--memory-rate", "1",
                  "--shared-rate", "1", "--flop-rate", "1"},
                 "--tiles: expected how many device tiles");
  expect_refused({"model", "ebisu", "2d5pt", "--shared-accesses", "0"},
                 "--shared-accesses: expected a number above 0");
  expect_refused({"model", "roofline", "2d5pt", "--removed", "101"}, "--removed: expected percent");
  expect_refused({"model", "roofline", "2d6pt"}, "2d6pt");
}

}  // namespace
}  // namespace dwell::test
