// SPDX-License-Identifier: MIT
// dwell model scaling: rows against each other and against the model worked by hand, what the text
// says, and bad command lines. The model itself: test_scaling_model.cpp.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli_runner.hpp"

namespace dwell::test {
namespace {

using strings = std::vector<std::string>;
using nlohmann::json;

strings scaling(strings more) {
  strings args = {"model", "scaling"};
  args.insert(args.end(), more.begin(), more.end());
  return args;
}
json scaled(strings more) {
  more.insert(more.end(), {"--json", "-"});
  const auto r = dwell_cli(scaling(more));
  EXPECT_EQ(r.code, 0) << r.err;
  return r.json();
}

TEST(cli_model_scaling, one_gpu_is_what_was_measured) {
  const auto j = scaled({"cg", "--size", "256x256x256", "--variant", "single-reduction",
                         "--one-gpu", "1256.4", "--gpus", "1,4"});
  const auto &one = j.at("rows").at(0), &four = j.at("rows").at(1);
  EXPECT_NEAR(one.at("total_us").get<double>(), 1256.4, 1e-6);
  EXPECT_EQ(one.at("efficiency"), 1);
  EXPECT_EQ(one.at("messages"), 0);
  EXPECT_EQ(four.at("parts"), "4x1x1");
  EXPECT_EQ(four.at("own"), "64x256x256");
  EXPECT_EQ(four.at("messages"), 2);
  EXPECT_EQ(four.at("halo_bytes"), 2 * 256 * 256 * 8);
  EXPECT_EQ(four.at("sum_bytes"), 3 * 112);
  double sum = 0;
  for (const char* part : {"compute_us", "exchange_us", "reduction_us", "latency_us"})
    sum += four.at(part).get<double>();
  EXPECT_NEAR(four.at("total_us").get<double>(), sum, 1e-9);
  EXPECT_NEAR(four.at("efficiency").get<double>(), 1256.4 / 4 / sum, 1e-9);
}

TEST(cli_model_scaling, a_measurement_with_other_cells_is_carried_over) {
  const auto at = [](const char* size) {
    return scaled({"cg", "--size", size, "--one-gpu", "5145", "--one-gpu-size", "400x400x400",
                   "--gpus", "1"})
        .at("rows")
        .at(0)
        .at("compute_us")
        .get<double>();
  };
  EXPECT_NEAR(at("800x800x400"), 4 * at("400x400x400"), 1e-6);
}

TEST(cli_model_scaling, weak_rows_keep_their_cells_and_strong_rows_divide_them) {
  const auto weak =
      scaled({"3d7pt", "--size", "64x64x64", "--weak", "--gpus", "1,8,64", "--division", "blocks"});
  for (const auto& row : weak.at("rows")) EXPECT_EQ(row.at("own"), "64x64x64");
  EXPECT_EQ(weak.at("rows").at(2).at("parts"), "4x4x4");
  const auto strong = scaled(
      {"3d7pt", "--size", "64x64x64", "--strong", "--gpus", "1,8,64", "--division", "blocks"});
  EXPECT_EQ(strong.at("rows").at(2).at("own"), "16x16x16");
}

TEST(cli_model_scaling, steps_are_planned_as_slabs_are) {
  const auto steps = [](strings more) {
    more.insert(more.end(), {"--weak", "--gpus", "1,4"});
    return scaled(more).at("rows").at(1).at("steps_per_exchange").get<int>();
  };
  EXPECT_EQ(steps({"2d5pt", "--size", "8192x8192"}), 48);
  EXPECT_EQ(steps({"3d7pt", "--size", "384x384x384"}), 19);
  EXPECT_EQ(steps({"3d7pt", "--size", "384x384x384", "--pass", "4", "--one-gpu", "145.6"}), 16);
  EXPECT_EQ(steps({"2d5pt", "--size", "8192x8192", "--steps-per-exchange", "7"}), 7);
}

TEST(cli_model_scaling, too_few_layers_and_too_little_memory_are_said) {
  const auto j = scaled({"cg", "--size", "100x2000x2000", "--gpus", "1,128"});
  EXPECT_EQ(j.at("rows").at(0).at("fits"), true);
  EXPECT_EQ(j.at("rows").at(1).at("total_us"), nullptr);
  EXPECT_EQ(j.at("rows").at(1).at("efficiency"), nullptr);
  const auto r = dwell_cli(scaling({"cg", "--size", "1000x2000x2000", "--gpus", "1,16,1024"}));
  EXPECT_EQ(r.code, 0);
  EXPECT_TRUE(holds(r.out, "compute (memory is too small)"));
  EXPECT_TRUE(holds(r.out, "too few layers"));
}

TEST(cli_model_scaling, links_as_told) {
  const auto j = scaled({"cg", "--size", "512x512x512", "--gpus", "1,4", "--per-host", "2",
                         "--call", "2", "--network-latency", "1", "--network-bandwidth", "25",
                         "--host-latency", "0.5", "--host-bandwidth", "200", "--sums", "groups"});
  EXPECT_EQ(j.at("links").at("gpus_of_host"), 2);
  EXPECT_NEAR(j.at("links").at("network").at("latency_us").get<double>(), 1, 1e-9);
  const auto& four = j.at("rows").at(1);
  EXPECT_EQ(four.at("hosts"), 2);
  EXPECT_EQ(four.at("messages_off_host"), 1);
  // A plane of 2 MiB off the host beside one on it; two sums, each a round in a host and one
  // of what hosts have.
  const double plane = 512 * 512 * 8;
  EXPECT_NEAR(four.at("exchange_us").get<double>(), 2 + 1 + plane / 25e3, 1e-6);
  EXPECT_NEAR(four.at("reduction_us").get<double>(),
              2 * (2 + 0.5 + 112 / 200e3 + 2 + 1 + 2 * 112 / 25e3), 1e-6);
}

TEST(cli_model_scaling, csv_has_a_line_for_each_number_of_gpus) {
  const auto r = dwell_cli(scaling({"cg", "--size", "64x64x64", "--gpus", "1,2,3", "--csv", "-"}));
  EXPECT_EQ(r.code, 0) << r.err;
  const auto lines = lines_of(r.out);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_TRUE(lines[0].starts_with("gpus,hosts,parts,own,memory_bytes,fits,")) << lines[0];
  EXPECT_TRUE(lines[3].starts_with("3,1,3x1x1,22x64x64,")) << lines[3];
}

TEST(cli_model_scaling, facts_must_be_those_of_a_gpu) {
  std::string facts = read_text(DWELL_DEVICE_FACTS "/h100.json");
  const scratch_folder in;
  const auto args = [&](const std::string& file) {
    return scaling({"cg", "--size", "9x9x9", "--gpus", "1", "--device-facts", file});
  };
  EXPECT_EQ(dwell_cli(args(in.write("gpu.json", facts))).code, 0);
  const std::string cuda = "\"backend\": \"cuda\"";
  ASSERT_NE(facts.find(cuda), std::string::npos);
  facts.replace(facts.find(cuda), cuda.size(), "\"backend\": \"cpu\"");
  expect_refused(args(in.write("cpu.json", facts)), "--device-facts: expected those of a GPU");
}

TEST(cli_model_scaling, bad_command_lines) {
  for (const char* gpus : {"", "0", "1,", "a", "1.5", "-1"})
    expect_refused(scaling({"cg", "--size", "9x9", "--gpus", gpus}), "--gpus: expected");
  for (const char* gpus : {"2,1", "1,4,3", "1048577"})
    expect_refused(scaling({"cg", "--size", "9x9", "--gpus", gpus}),
                   std::string("each larger than the one before, found ") + gpus);
  expect_refused(scaling({"cg", "--size", "9x9", "--gpus", "1,1"}), "each number once");
  for (const char* number : {"0", "-1", "inf", "nan", "x", ""})
    expect_refused(scaling({"cg", "--size", "9x9", "--host-bandwidth", number}),
                   std::string("--host-bandwidth: expected a number from 1e-9 to 1e12, found '") +
                       number + "'");
  expect_refused(scaling({"cg"}), "--size is required");
  expect_refused(scaling({"--size", "9x9"}), "PROBLEM is required");
  expect_refused(scaling({"2d5p", "--size", "9x9"}), "did you mean '2d5pt'?");
  expect_refused(scaling({"2d5pt", "--size", "9x9x9"}), "--size: 2d5pt works on 2 dimensions");
  expect_refused(scaling({"2d5pt", "--size", "9x9", "--variant", "pipelined"}),
                 "--variant: expected cg, found 2d5pt");
  expect_refused(scaling({"2d5pt", "--size", "9x9", "--sums", "groups"}), "--sums: expected cg");
  expect_refused(scaling({"2d5pt", "--size", "9x9", "--nonzeros", "9"}), "--nonzeros: expected cg");
  expect_refused(scaling({"2d5pt", "--size", "9x9", "--overlap", "all"}),
                 "--overlap: expected none or exchange of a stencil");
  expect_refused(scaling({"cg", "--size", "9x9", "--overlap", "all"}),
                 "--overlap: expected none or exchange of the variant textbook");
  expect_refused(scaling({"cg", "--size", "9x9", "--pass", "4"}), "--pass: expected a stencil");
  expect_refused(scaling({"cg", "--size", "9x9", "--steps-per-exchange", "4"}),
                 "--steps-per-exchange: expected a stencil, found cg");
  expect_refused(scaling({"2d5pt", "--size", "9x9", "--pass", "4"}), "expected --one-gpu with it");
  expect_refused(scaling({"cg", "--size", "9x9", "--one-gpu", "1", "--one-gpu-size", "9x9x9"}),
                 "--one-gpu-size: expected 2 dimensions");
  expect_refused(scaling({"cg", "--size", "9x9", "--one-gpu-size", "9x9"}),
                 "--one-gpu-size: expected --one-gpu with it");
  expect_refused(scaling({"cg", "--size", "9x9", "--weak", "--strong"}), "--weak");
}

}  // namespace
}  // namespace dwell::test
