// SPDX-License-Identifier: MIT
// What `dwell measure` makes of its rows: values in their units, the parallelism that memory needs,
// device facts of a GPU, tables. Rows of a GPU are made up.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cli_runner.hpp"
#include "measured_gpu.hpp"
#include "studies/measure/facts.hpp"
#include "studies/measure/parallelism.hpp"
#include "studies/measure/reductions.hpp"

#include "dwell/base/error.hpp"
#include "dwell/device/limits.hpp"

namespace dwell::test {
namespace {

using app::measured_row;
using app::measured_unit;

TEST(measure_rows, times_are_of_one_operation) {
  measured_row row;
  row.amount = 64;
  row.time = {6.4e-6, 5.76e-6, 7.04e-6, 0.64e-6, 6.72e-6, 12800};
  EXPECT_DOUBLE_EQ(row.value(), 100e-9);
  EXPECT_DOUBLE_EQ(row.least(), 90e-9);
  EXPECT_DOUBLE_EQ(row.most(), 110e-9);
  EXPECT_DOUBLE_EQ(row.sigma(), 10e-9);
  EXPECT_DOUBLE_EQ(row.by_clock(), 105e-9);
  EXPECT_DOUBLE_EQ(row.cycles(), 200);
}

TEST(measure_rows, rates_are_of_a_repetition) {
  measured_row row;
  row.unit = measured_unit::bytes_per_s;
  row.amount = 1e6;
  row.time = {1e-6, 0.8e-6, 1.25e-6, 0.1e-6, 1e-6, 2000};
  EXPECT_DOUBLE_EQ(row.value(), 1e12);
  EXPECT_DOUBLE_EQ(row.least(), 0.8e12);
  EXPECT_DOUBLE_EQ(row.most(), 1.25e12);
  EXPECT_DOUBLE_EQ(row.sigma(), 0.1e12);
  EXPECT_DOUBLE_EQ(row.cycles(), 2000);
}

TEST(measure_rows, the_clock_inside_is_taken_where_there_is_one) {
  app::repeated_runs runs;
  runs.many = 100, runs.few = 10;
  runs.many_s = {210e-6, 210e-6}, runs.few_s = {30e-6, 30e-6};
  EXPECT_NEAR(app::by_difference(runs).clock, 2.1e-6, 1e-15);
  EXPECT_EQ(app::by_difference(runs).cycles, 0);
  runs.inside_s = {200e-6, 202e-6}, runs.cycles = {400e3, 404e3};
  EXPECT_NEAR(app::by_difference(runs).clock, 2.01e-6, 1e-15);
  EXPECT_NEAR(app::by_difference(runs).cycles, 4020, 1e-9);
  EXPECT_NEAR(app::by_difference(runs).median, 2e-6, 1e-15);
}

TEST(measure_rows, what_a_process_says_of_a_barrier) {
  const app::barrier_case which{"warp", "warp", "32 lanes"};
  const app::barrier_behaviour found{"warp", "32 lanes", "holds", 16000, 12};
  const auto read = app::behaviour_of(which, app::answer_of(found));
  EXPECT_EQ(read.barrier, "warp");
  EXPECT_EQ(read.meeting, "32 lanes");
  EXPECT_EQ(read.outcome, "holds");
  EXPECT_EQ(read.arrivals, 16000);
  EXPECT_EQ(read.departure, 12);
  for (const char* wrong : {"", "holds", "holds;1;2", "holds;1\n", "holds;x;2\n", "holds;1;2 \n",
                            ";1;2\n", "holds;1;2\nmore"})
    EXPECT_THROW(app::behaviour_of(which, wrong), input_error) << wrong;
}

TEST(measure_rows, barriers_have_a_table_of_their_own) {
  auto r = measured_on_small_gpu();
  r.rows.clear();
  const auto text = app::to_text(r);
  EXPECT_NE(text.find("not together at a barrier"), std::string::npos) << text;
  EXPECT_NE(text.find("hangs"), std::string::npos) << text;
  EXPECT_EQ(text.find("median"), std::string::npos) << text;
  const auto all = app::to_json(r).at("barriers");
  EXPECT_EQ(all.at(0).at("departure_cycles"), 12);
  EXPECT_TRUE(all.at(1).at("arrival_cycles").is_null());
}

TEST(measure_rows, parallelism_that_reaches_a_part_of_the_peak) {
  const auto r = measured_on_small_gpu();
  const auto all = app::needed_parallelism_of(r.rows, r.device.units);
  ASSERT_EQ(all.size(), 6u);
  EXPECT_EQ(all[0].probe, "plain read");
  EXPECT_EQ(all[0].access, 8);
  EXPECT_EQ(all[0].best, 0.97e11);
  EXPECT_EQ(all[0].peak, 1e11);  // peak of all reads
  EXPECT_EQ(all[0].at_80, 256 * 4 * 8);
  EXPECT_EQ(all[0].at_90, 2048 * 8);  // two blocks of a multiprocessor
  EXPECT_EQ(all[0].at_95, 2048 * 8);
  EXPECT_EQ(all[1].at_95, 256 * 4 * 16);
  // 400 ns, the latency of the largest footprint, times 50 GB/s of a multiprocessor; of a copy half
  // of the bytes are loaded.
  EXPECT_DOUBLE_EQ(all[0].concurrency, 400e-9 * 0.5e11);
  EXPECT_DOUBLE_EQ(all[4].concurrency, 400e-9 * 0.5 * 0.35e11);
  EXPECT_EQ(all[4].peak, 0.7e11);
  EXPECT_EQ(all[4].at_80, 256 * 4 * 8);
  EXPECT_EQ(all[4].at_90, 0);
  EXPECT_EQ(all[5].at_95, 4 * 4096);
  // L2 is apart, with the latency of the footprint that is nearest.
  EXPECT_EQ(all[2].peak, 3e11);
  EXPECT_EQ(all[2].at_95, 512 * 4 * 8);
  EXPECT_DOUBLE_EQ(all[2].concurrency, 250e-9 * 1.5e11);
  // So is shared memory, 12 ns away.
  EXPECT_EQ(all[3].peak, 5e11);
  EXPECT_EQ(all[3].at_80, 256 * 4 * 8);
  EXPECT_DOUBLE_EQ(all[3].concurrency, 12e-9 * 2.5e11);
}

TEST(measure_rows, without_latency_littles_law_says_nothing) {
  auto r = measured_on_small_gpu();
  std::erase_if(r.rows, [](const measured_row& row) { return row.group == "latency"; });
  for (const auto& n : app::needed_parallelism_of(r.rows, r.device.units))
    EXPECT_EQ(n.concurrency, 0);
}

TEST(measure_rows, sizes_of_sums_double) {
  using sizes = std::vector<std::int64_t>;
  EXPECT_EQ(app::reduced_sizes(1024, 8, 1 << 30), (sizes{1, 32, 64, 128}));
  EXPECT_EQ(app::reduced_sizes(1024, 4, 1 << 30), (sizes{1, 32, 64, 128, 256}));
  EXPECT_EQ(app::reduced_sizes(1e9, 8, 64), (sizes{1, 32, 64}));
  EXPECT_EQ(app::reduced_sizes(8, 8, 1 << 30), sizes{1});
}

/// Adds rows of a block that takes max(L + sync, N / THR + sync) for N bytes.
void add_block_sums(std::vector<measured_row>& rows, int threads, double latency,
                    double synchronization, double throughput) {
  for (double bytes = 8; bytes <= 32768; bytes *= 2)
    rows.push_back(gpu_row("reductions", app::block_sums, 1, threads, measured_unit::seconds,
                           synchronization + std::max(latency, bytes / throughput), bytes));
}

TEST(measure_rows, more_threads_take_over_where_littles_law_says) {
  std::vector<measured_row> rows;
  add_block_sums(rows, 1, 10e-9, 0, 1e9);        // 10 bytes under way
  add_block_sums(rows, 32, 10e-9, 90e-9, 32e9);  // 320
  add_block_sums(rows, 1024, 10e-9, 400e-9, 256e9);
  const auto all = app::switching_points_of(rows);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].few, 1);
  EXPECT_EQ(all[0].many, 32);
  EXPECT_NEAR(all[0].synchronization, 90e-9, 1e-15);
  EXPECT_NEAR(all[0].few_throughput, 1e9, 1);
  EXPECT_NEAR(all[0].many_throughput, 32e9, 100);
  EXPECT_NEAR(all[0].predicted, 100, 1e-6);  // (L + sync) THR, equation 3.9
  EXPECT_EQ(all[0].measured, 128);
  EXPECT_EQ(all[1].few, 32);
  EXPECT_EQ(all[1].many, 1024);
  // Equation 3.10: sync THR' THR / (THR' - THR), with the 310 ns that 1024 threads take longer.
  EXPECT_NEAR(all[1].predicted, 310e-9 * 256e9 * 32e9 / (256e9 - 32e9), 1e-3);
  EXPECT_EQ(all[1].measured, 16384);
}

TEST(measure_rows, more_threads_that_are_never_faster_never_take_over) {
  std::vector<measured_row> rows;
  add_block_sums(rows, 1, 10e-9, 0, 1e9);
  add_block_sums(rows, 32, 10e-9, 90e-9, 1e9);
  const auto all = app::switching_points_of(rows);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].measured, 0);
  EXPECT_TRUE(app::switching_points_of({}).empty());
}

TEST(measure_rows, sums_are_shown_beside_cub) {
  app::measure_result r;
  r.device = small_gpu();
  for (const auto& [probe, us] : {std::pair("sum, dwell", 4.0), {"sum, CUB", 6.0}}) {
    r.rows.push_back(
        gpu_row("reductions", probe, 0, 1, measured_unit::seconds, us * 1e-6, 8.0 * 1024));
    r.rows.back().access = 8;
  }
  const std::string text = app::to_text(r);
  EXPECT_TRUE(holds(text, "Sums of f64, one after the other in a stream")) << text;
  EXPECT_TRUE(holds(text, "CUB / dwell")) << text;
  EXPECT_TRUE(holds(text, "1.50")) << text;
}

TEST(measure_rows, facts_of_a_gpu) {
  const auto r = measured_on_small_gpu();
  const auto [facts, sources] = app::facts_from_rows(r.device, r.rows);
  const device_limits& l = *facts.limits;
  EXPECT_TRUE(l.measured);
  EXPECT_EQ(l.units, 2);
  EXPECT_DOUBLE_EQ(l.memory, 2.9e12);
  EXPECT_DOUBLE_EQ(l.l2, 6.5e12);
  EXPECT_DOUBLE_EQ(l.shared, 5e11);
  EXPECT_DOUBLE_EQ(l.unit_through, 2.5e11);
  EXPECT_NEAR(l.l2_cached, 0.6 * static_cast<double>(r.device.l2), 1);
  EXPECT_DOUBLE_EQ(l.clock, 2e9);
  EXPECT_DOUBLE_EQ(l.fma_f64, 60);
  EXPECT_DOUBLE_EQ(l.fma_f32, 125);
  EXPECT_DOUBLE_EQ(l.barrier, 2.512e-6);
  EXPECT_EQ(l.launch, limits_of(facts_of("h100")).launch);
  EXPECT_DOUBLE_EQ(l.cluster_barrier, 512e-9);
  EXPECT_EQ(l.waits.phase, limits_of(facts_of("h100")).waits.phase);
  EXPECT_DOUBLE_EQ(l.latencies.multiply_add, 4);
  EXPECT_DOUBLE_EQ(l.latencies.shared_read, 24);
  EXPECT_DOUBLE_EQ(l.latencies.shuffle, 22);
  for (const char* source :
       {"barrier_s: measured, dwell grid barrier, 2 blocks of 512 threads",
        "shuffle_latency_cycles: measured, shuffle 32 bits, 1 block of 32 threads"})
    EXPECT_NE(std::find(sources.begin(), sources.end(), source), sources.end()) << source;
}

TEST(measure_rows, latencies_that_were_not_measured_are_not_known) {
  auto r = measured_on_small_gpu();
  std::erase_if(r.rows, [](const measured_row& row) { return row.probe == "shared load"; });
  const auto [facts, sources] = app::facts_from_rows(r.device, r.rows);
  EXPECT_EQ(facts.limits->latencies.shared_read, 0);
  EXPECT_DOUBLE_EQ(facts.limits->latencies.shuffle, 22);
}

TEST(measure_rows, facts_are_whole_or_refused) {
  auto r = measured_on_small_gpu();
  std::erase_if(r.rows,
                [](const measured_row& row) { return row.probe == "dwell cluster barrier"; });
  try {
    (void)app::facts_from_rows(r.device, r.rows);
    FAIL() << "no facts without cluster barriers";
  } catch (const input_error& e) {
    EXPECT_TRUE(
        holds(e.what(), "expected a measured value of dwell cluster barrier with 512 threads"));
  }
}

TEST(measure_rows, text_of_a_gpu) {
  const auto text = app::to_text(measured_on_small_gpu());
  EXPECT_TRUE(holds(text, "2 multiprocessors\n"));
  EXPECT_TRUE(
      holds(text,
            "\ndwell grid barrier, us, by blocks of a multiprocessor and threads of a block\n\n"
            "blocks   256   512\n------  ----  ----\n     1  2.26  2.51\n     2  4.26  4.51\n"));
  // 2 and 32 warps meet 64 times each in 512 and 4,096 cycles.
  EXPECT_TRUE(
      holds(text,
            "\nblock barrier, throughput, warps a cycle, by blocks of a multiprocessor and "
            "threads of a block\n\nblocks     64   1024\n------  -----  -----\n     1  0.250  "
            "0.500\n"))
      << text;
  EXPECT_TRUE(
      holds(text, "\nplain read           8 bytes  97.0 GB/s     97 %  19.5 KiB  8.00 KiB"));
}

}  // namespace
}  // namespace dwell::test
