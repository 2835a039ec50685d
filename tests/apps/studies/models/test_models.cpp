// SPDX-License-Identifier: MIT
// The models against the worked examples of the dissertation that they are from (Zhang 2023), all
// on an A100, and where an example there has a slip, against what its equations give.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "studies/models/desired_blocking.hpp"
#include "studies/models/ebisu_projection.hpp"
#include "studies/models/littles_law.hpp"
#include "studies/models/perks_projection.hpp"
#include "studies/models/roofline.hpp"
#include "studies/models/tensor_criterion.hpp"

namespace dwell::model {
namespace {

/// Table 5.2.
constexpr ebisu_rates a100 = {1.555e12, 19.49e12, 9.7e12};
constexpr double shared_over_memory = 19.49 / 1.555;
/// 2d5pt and 3d7pt with redundant register streaming, table 5.3.
constexpr ebisu_cell cell_2d5pt = {2, 4, 10, 8}, cell_3d7pt = {2, 4.5, 14, 8};

TEST(models, machine_balance_of_table_1_1) {
  EXPECT_NEAR(machine_balance(3.4e12, 1024e9), 3.32, 0.005);    // A64FX
  EXPECT_NEAR(machine_balance(9.7e12, 1555e9), 6.24, 0.005);    // A100
  EXPECT_NEAR(machine_balance(30e12, 3000e9), 10, 0.005);       // H100
  EXPECT_NEAR(machine_balance(47.9e12, 3200e9), 14.97, 0.005);  // MI250X
}

TEST(models, the_roof_bends_at_the_machine_balance) {
  const double balance = machine_balance(9.7e12, 1.555e12);
  EXPECT_DOUBLE_EQ(roofline(9.7e12, 1.555e12, balance), 9.7e12);
  EXPECT_DOUBLE_EQ(roofline(9.7e12, 1.555e12, 0.5 * balance), 4.85e12);
  EXPECT_DOUBLE_EQ(roofline(9.7e12, 1.555e12, 2 * balance), 9.7e12);
  EXPECT_FALSE(is_compute_bound(0.99 * balance, balance));
  EXPECT_TRUE(is_compute_bound(balance, balance));
}

/// Figure 4.1: 2d5pt, 20 time steps, of whose traffic in between 100, 50, 25 and 0 % are left.
TEST(models, combined_steps_raise_the_intensity) {
  const double one = operational_intensity(10, 16);
  EXPECT_DOUBLE_EQ(combined_intensity(10, 16, 1, 0.5), one);
  EXPECT_DOUBLE_EQ(combined_intensity(10, 16, 20, 0), one);
  EXPECT_DOUBLE_EQ(combined_intensity(10, 16, 20, 1), 20 * one);
  EXPECT_DOUBLE_EQ(combined_intensity(10, 16, 20, 0.5), 20 * one / 10.5);
  EXPECT_DOUBLE_EQ(combined_intensity(10, 16, 20, 0.75), 20 * one / 5.75);
}

TEST(models, littles_law) {
  EXPECT_DOUBLE_EQ(concurrency(13, 19.6), 254.8);  // table 3.3, one warp: 256 B
  EXPECT_DOUBLE_EQ(parallelism(256, 4, 8), 8192);  // section 5.7.1
  EXPECT_DOUBLE_EQ(efficiency(8192, 8192), 1);
  EXPECT_DOUBLE_EQ(efficiency(3 * 8192, 8192), 1);
  EXPECT_DOUBLE_EQ(efficiency(2048, 8192), 0.25);
}

TEST(models, a_task_takes_its_latency_until_the_device_is_busy) {
  const rate_of_task warp = {13, 19.6};
  EXPECT_DOUBLE_EQ(task_time(warp, 1), 13);
  EXPECT_DOUBLE_EQ(task_time(warp, 13 * 19.6), 13);
  EXPECT_DOUBLE_EQ(task_time(warp, 2 * 13 * 19.6), 26);
}

/// Table 3.4, V100: 70 and 76 B from one thread to a warp, 9,076 and 8,501 B from a warp to 1024
/// threads (from throughputs with more digits than table 3.3 prints).
TEST(models, switching_points_of_a_reduction) {
  const thread_choice_of_task warp = {{13, 0.62}, 19.6, 110}, block = {{13, 19.6}, 215, 420};
  EXPECT_NEAR(switching_size(warp), 70, 0.5);
  EXPECT_NEAR(switching_size_within_concurrency(warp), 76, 0.5);
  EXPECT_NEAR(switching_size(block), 9076, 0.003 * 9076);
  EXPECT_NEAR(switching_size_within_concurrency(block), 8501, 0.003 * 8501);
  // There both take the same time: the second case is one beyond the concurrency of both.
  const double size = switching_size(block);
  const double many = block.few.latency + block.synchronization +
                      (size - block.few.latency * block.many_throughput) / block.many_throughput;
  EXPECT_NEAR(task_time(block.few, size), many, 1e-9 * many);
}

/// Section 4.4.2. The text has T_gm = 45.36 ms: its equation gives 49.36, with which P is 187.62.
TEST(models, projected_peak_of_perks) {
  perks_case c;
  c.cells = 3072.0 * 3072;
  c.cached_cells = 3072.0 * 1512;
  c.steps = 1000;
  EXPECT_NEAR(project_perks(c, a100.memory, a100.shared).memory_seconds, 49.36e-3, 0.005e-3);
  c.halo = 1000.0 * 2 * 108 * (168 * 2 + 256 * 2);
  const perks_projection t = project_perks(c, a100.memory, a100.shared);
  EXPECT_NEAR(perks_peak(c, t), 187.62e9, 0.1e9);
  EXPECT_FALSE(t.bound_by_shared());
}

TEST(models, perks_may_be_bound_by_shared_memory) {
  perks_case c;
  c.cells = c.cached_cells = c.cached_in_shared = 1e6;
  c.steps = 101;
  c.kernel_shared = 3e8;
  const perks_projection t = project_perks(c, 1e12, 1e13);
  EXPECT_DOUBLE_EQ(t.memory_seconds, 2e6 * 8 / 1e12);
  EXPECT_DOUBLE_EQ(t.shared_seconds, (2e8 + 3e8) * 8 / 1e13);
  EXPECT_TRUE(t.bound_by_shared());
  EXPECT_DOUBLE_EQ(t.seconds(), t.shared_seconds);
  EXPECT_DOUBLE_EQ(perks_peak(c, t), 1.01e8 / t.shared_seconds);
}

TEST(models, desired_depth_of_2d5pt_and_3d7pt) {
  EXPECT_NEAR(desired_depth({2, 4, shared_over_memory, 1}), 6.3, 0.05);
  EXPECT_NEAR(desired_depth({2, 4.5, shared_over_memory, 1}, 32, 32), 18.34, 0.005);
  // By the machine balance, section 5.9: 49.9 flop per cell.
  const double balance = 8 * machine_balance(9.7e12, 1.555e12);
  EXPECT_NEAR(balance, 49.9, 0.05);
  EXPECT_NEAR(desired_depth({2, 10, balance, 1}), 9.98, 0.005);
}

TEST(models, at_the_desired_depth_memory_takes_as_long_as_shared_memory) {
  const double depth = desired_depth({2, 4.5, shared_over_memory, 1}, 32, 32);
  const double halo = 2 * (32 + 32) * depth;
  const ebisu_times t = project_ebisu(cell_3d7pt, {1024 + halo, 1024, 1024}, depth, a100);
  EXPECT_NEAR(t.memory, t.shared, 1e-9 * t.shared);
}

TEST(models, desired_tile_of_3d7pt) {
  EXPECT_NEAR(desired_tile({2, 4.5, shared_over_memory, 1}), 22.3, 0.05);
  EXPECT_NEAR(desired_tile({2, 14, 49.9, 1}), 28.51, 0.01);
  // A narrower one is never deep enough.
  const double width = desired_tile({2, 4.5, shared_over_memory, 1});
  EXPECT_EQ(desired_depth({2, 4.5, shared_over_memory, 1}, 0.99 * width, 0.99 * width),
            std::numeric_limits<double>::infinity());
  EXPECT_TRUE(
      std::isfinite(desired_depth({2, 4.5, shared_over_memory, 1}, 1.01 * width, 1.01 * width)));
}

/// Section 5.7.3.
TEST(models, overlapped_tiles_or_device_tiles) {
  EXPECT_NEAR(valid_part(256, 7, 1), 0.95, 0.005);
  EXPECT_NEAR(valid_part_of_time(3.40e-6, 1.2e-6, 1), 0.74, 0.005);
  EXPECT_NEAR(valid_part_of_time(2.05e-6, 1.2e-6, 1), 0.63, 0.005);  // EBISU 2023
  // 3d7pt in three steps: 292 GCells/s. The text has V = 77 % and PP = 225: equation 5.9 gives 68
  // %.
  const ebisu_times t = project_ebisu(cell_3d7pt, {1, 1, 1}, 3, a100);
  const double p = attainable(1, 3, t), v = valid_part(34, 34, 3, 1);
  EXPECT_EQ(t.binds(), bottleneck::memory);
  EXPECT_NEAR(p, 292e9, 0.5e9);
  EXPECT_NEAR(v, 0.678, 0.0005);
  EXPECT_NEAR(practical(p, v), 198e9, 0.5e9);
  EXPECT_EQ(valid_part(8, 5, 1), 0);
}

TEST(models, depth_moves_the_bottleneck) {
  const auto binds = [](double depth, double flops_per_s) {
    return project_ebisu(cell_2d5pt, {1, 1, 1}, depth, {1.555e12, 19.49e12, flops_per_s}).binds();
  };
  EXPECT_EQ(binds(6, 9.7e12), bottleneck::memory);
  EXPECT_EQ(binds(7, 9.7e12), bottleneck::shared);
  EXPECT_EQ(binds(7, 1e12), bottleneck::arithmetic);
}

/// Boxes of 3 x 3: two of them at once are 5 x 5 taps, 25 in place of 18.
TEST(models, tensor_cores_pay_where_they_are_faster_than_what_they_waste) {
  const fused_taps one{9, 9, 1}, two{9, 25, 2};
  EXPECT_DOUBLE_EQ(redundancy(one), 1);
  EXPECT_DOUBLE_EQ(redundancy(two), 25.0 / 18);
  EXPECT_DOUBLE_EQ(useful_part(5, 8), 5.0 / 12);
  EXPECT_DOUBLE_EQ(useful_part(3, 1), 1);
  EXPECT_DOUBLE_EQ(ratio_that_pays(two, 5.0 / 12), 25.0 / 18 / (5.0 / 12));
  // At that ratio both take the same time, where memory takes none.
  const double needed = ratio_that_pays(two, 5.0 / 12), free = 1e300;
  EXPECT_NEAR(rate_of_tensor_cores(two, 5.0 / 12, needed * 1e12, free),
              rate_of_cores(two, 1e12, free), 1);
  // Where memory binds both, neither wins.
  const double memory = rate_of_memory(1e12, 8, 1);
  EXPECT_DOUBLE_EQ(memory, 1e12 / 16);
  EXPECT_EQ(rate_of_cores(one, 1e14, memory), memory);
  EXPECT_EQ(rate_of_tensor_cores(one, 0.3, 1e14, memory), memory);
}

/// Section 5.7.2: 352 KB for 3d7pt, 19 steps of tiles of 32 x 32. Equations 5.28 and 5.29 for cells
/// of 4 bytes; for f64, of which the section speaks, they are half of what 5.26 and 5.27 give.
TEST(models, desired_capacity) {
  EXPECT_NEAR(desired_capacity_3d({32, 32, 1, 19, 8}) / 1024, 352, 0.5);
  for (const double t : {1.0, 7.0, 12.0}) {
    EXPECT_DOUBLE_EQ(desired_capacity_2d({256, 4, 1, t, 4}), (10 + t) * 1024);
    EXPECT_DOUBLE_EQ(desired_capacity_2d_lazy({256, 4, 1, t, 4}), (4 + 5 * t) * 1024);
    EXPECT_DOUBLE_EQ(desired_capacity_2d({256, 4, 1, t, 8}), 2 * (10 + t) * 1024);
    EXPECT_DOUBLE_EQ(desired_capacity_3d_lazy({32, 32, 1, t, 8}), 34 * 34 * 3 * t * 8);
  }
}

}  // namespace
}  // namespace dwell::model
