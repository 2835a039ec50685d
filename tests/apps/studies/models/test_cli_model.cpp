// SPDX-License-Identifier: MIT
// dwell model sweep: the worked examples of section 5.9 of Zhang 2023, what must hold between rows
// by logic, and bad ranges.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "cli_runner.hpp"

namespace dwell::test {
namespace {

using strings = std::vector<std::string>;
using nlohmann::json;

json swept(strings more) {
  strings args = {"model", "sweep"};
  args.insert(args.end(), more.begin(), more.end());
  args.insert(args.end(), {"--json", "-"});
  const auto r = dwell_cli(args);
  EXPECT_EQ(r.code, 0) << r.err;
  return r.json();
}

/// An A100 has 49.9 flop for each double that memory moves.
constexpr const char* a100 = "6.2375:100:2";

TEST(cli_model, depth_and_capacity_of_2d5pt) {
  const auto j = swept({"2d5pt", "--balance", a100});
  const auto& row = j.at("rows").at(0);
  EXPECT_EQ(j.at("stencil").at("flops"), 10);
  EXPECT_NEAR(row.at("depth").get<double>(), 9.98, 1e-9);
  EXPECT_EQ(row.at("tile_x"), 256);
  EXPECT_NEAR(row.at("capacity_bytes").get<double>(), 2048 * (10 + 9.98), 1e-6);
  EXPECT_NEAR(row.at("capacity_lazy_bytes").get<double>(), 2048 * (4 + 5 * 9.98), 1e-6);
}

TEST(cli_model, device_tiles_of_3d7pt_are_wider_than_halos_allow) {
  const auto j = swept({"3d7pt", "--balance", a100});
  const auto& row = j.at("rows").at(0);
  EXPECT_EQ(j.at("stencil").at("flops"), 14);
  EXPECT_GT(row.at("tile_x").get<double>(), 28.51);
  EXPECT_EQ(row.at("tile_x"), row.at("tile_y"));
}

TEST(cli_model, f32_wants_half_the_depth) {
  const auto two = swept({"2d5pt", "--balance", "10:20:2"}),
             one = swept({"2d5pt", "--balance", "10:20:2", "--precision", "f32"});
  EXPECT_DOUBLE_EQ(two.at("rows").at(0).at("depth").get<double>(),
                   2 * one.at("rows").at(0).at("depth").get<double>());
}

TEST(cli_model, more_balance_wants_more_and_more_scratch_reaches_more) {
  for (const char* stencil : {"2d5pt", "3d7pt", "2d9pt", "gradient2d"}) {
    const auto j = swept({stencil, "--balance", "1:60:7", "--shared", "32:2048:7"});
    ASSERT_EQ(j.at("rows").size(), 7u);
    ASSERT_EQ(j.at("shared_bytes").size(), 7u);
    EXPECT_NEAR(j.at("shared_bytes").back().get<double>(), 2048 * 1024, 1e-6);
    double depth = 0, capacity = 0;
    std::vector<double> above(7, 1.0);
    for (const auto& row : j.at("rows")) {
      EXPECT_GT(row.at("depth").get<double>(), depth) << stencil;
      EXPECT_GT(row.at("capacity_bytes").get<double>(), capacity) << stencil;
      depth = row.at("depth");
      capacity = row.at("capacity_bytes");
      double before = 0;
      for (std::size_t k = 0; k < 7; ++k) {
        const double reached = row.at("reached").at(k);
        EXPECT_GE(reached, before - 1e-9) << stencil;
        EXPECT_LE(reached, above[k] + 1e-9)
            << stencil << ": a larger balance reaches less of the peak";
        before = above[k] = reached;
      }
    }
  }
}

TEST(cli_model, the_best_scratch_is_worth_most_of_all_that_are_swept) {
  for (const char* stencil : {"2d5pt", "3d7pt", "2d9pt"}) {
    double before = std::numeric_limits<double>::infinity();
    for (const char* cost : {"0", "0.05", "0.5", "5", "1000"}) {
      const auto j =
          swept({stencil, "--balance", "2:40:4", "--shared", "1:4096:150", "--cost", cost});
      EXPECT_EQ(j.at("cost_per_mib").get<double>(), std::stod(cost));
      const auto worth = [&](double reached, double bytes) {
        return reached / (1 + std::stod(cost) * bytes / (1 << 20));
      };
      double bytes = 0;
      for (const auto& row : j.at("rows")) {
        const double best = row.at("best_bytes");
        bytes += best;
        for (std::size_t k = 0; k < 150; ++k)
          EXPECT_LE(worth(row.at("reached").at(k), j.at("shared_bytes").at(k)),
                    worth(row.at("best_reached"), best) * (1 + 1e-12))
              << stencil << " " << cost << " " << j.at("shared_bytes").at(k);
      }
      EXPECT_LE(bytes, before) << stencil << ": dearer scratch, and more of it";
      before = bytes;
    }
    EXPECT_EQ(before, 0) << stencil << ": scratch that nobody can pay";
  }
}

TEST(cli_model, the_best_scratch_is_the_least_that_reaches_as_much) {
  for (const char* stencil : {"2d5pt", "3d7pt"}) {
    const auto j = swept({stencil, "--balance", "1:10:20", "--shared", "1:4096:300"});
    for (const auto& row : j.at("rows")) {
      const double best = row.at("best_reached"), bytes = row.at("best_bytes");
      for (std::size_t k = 0; k < 300; ++k) {
        const double reached = row.at("reached").at(k), with = j.at("shared_bytes").at(k);
        if (reached >= best * (1 - 1e-14)) {
          EXPECT_GE(with, bytes) << stencil << " " << row.at("balance_flops_per_byte");
        }
      }
    }
  }
}

TEST(cli_model, devices_have_their_own_scratch) {
  const auto j = swept({"2d5pt"});
  ASSERT_EQ(j.at("devices").size(), 5u);
  const auto& h200 = j.at("devices").at(3);
  EXPECT_EQ(h200.at("device"), "NVIDIA H200");
  EXPECT_EQ(h200.at("shared_bytes"), 232448.0);
  EXPECT_NEAR(h200.at("balance_flops_per_byte").get<double>(), 2 * 64 * 132 * 1.98e9 / 4.32e12,
              1e-9);
}

TEST(cli_model, csv_has_a_line_for_each_balance) {
  const auto r = dwell_cli({"model", "sweep", "2d5pt", "--balance", "1:4:3", "--csv", "-"});
  EXPECT_EQ(r.code, 0) << r.err;
  const auto lines = lines_of(r.out);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0],
            "device,balance_flops_per_byte,depth,tile_x,tile_y,capacity_bytes,capacity_lazy_bytes,"
            "best_bytes,best_reached,reached");
  EXPECT_TRUE(lines[1].starts_with(",1,1.6,256,4,")) << lines[1];
}

TEST(cli_model, bad_command_lines) {
  const auto refused = [](const std::string& option, const std::string& range) {
    expect_refused({"model", "sweep", "2d5pt", option, range},
                   option +
                       ": expected A:B or A:B:N, two numbers 0 < A < B <= 1e9 and how many "
                       "values, 2 to 1000, found '" +
                       range + "'");
  };
  for (const char* option : {"--balance", "--shared"})
    for (const char* range : {"", "1", "1:", ":2", "2:1", "1:1", "0:1", "-1:1", "1:2:1", "1:2:1001",
                              "1:2:3:4", "1:2:2.5", "a:b", "1:inf", "nan:2", "1:2e9"})
      refused(option, range);
  expect_refused(
      {"model"},
      "expected a command (sweep, scaling, perks, ebisu, roofline or tensor), found nothing");
  expect_refused({"model", "sweep"}, "STENCIL is required");
  for (const char* cost : {"-1", "nan", "inf"})
    expect_refused({"model", "sweep", "2d5pt", "--cost", cost},
                   "--cost: expected a finite number >= 0, found '" + std::string(cost) + "'");
  expect_refused({"model", "sweep", "2d5p"}, "did you mean '2d5pt'?");
}

}  // namespace
}  // namespace dwell::test
