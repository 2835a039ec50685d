// SPDX-License-Identifier: MIT
// The model of many GPUs: examples worked by hand, what must hold in the limits (one rank, no
// latency, more ranks), and what four H100 took (docs/results/multi-gpu.md), one set of constants
// for all of it.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "studies/models/message_time.hpp"
#include "studies/models/scaling.hpp"

#include "dwell/device/limits.hpp"
#include "dwell/execution/stencil/partition/grid_division.hpp"

namespace dwell::model {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

gpu_rates h100() {
  const device_limits l = limits_of(facts_of("h100"));
  return {l.memory, l.l2, l.l2_cached, l.launch, l.waits.phase, l.waits.product};
}

division_request cube(std::int64_t n, int ranks, int cut_axes = 1) {
  return {.cells = {{n, n, n}}, .ranks = ranks, .cut_axes = cut_axes};
}
division_request of_each(division_request q) {
  q.of_each_rank = true;
  return q;
}

TEST(scaling_model, slabs_pencils_and_blocks_of_a_cube) {
  const auto parts = [](int cut_axes) { return divide(cube(512, 64, cut_axes))->parts; };
  EXPECT_EQ(parts(1), (axis_counts{64, 1, 1}));
  EXPECT_EQ(parts(2), (axis_counts{8, 8, 1}));
  EXPECT_EQ(parts(3), (axis_counts{4, 4, 4}));
  // Eight ranks of a host are a block of 2 x 2 x 2, which sends the least to others.
  EXPECT_EQ(divide(cube(512, 64, 3))->on_host, (axis_counts{2, 2, 2}));
  EXPECT_EQ(divide(cube(512, 64, 1))->on_host, (axis_counts{8, 1, 1}));
}

TEST(scaling_model, in_two_dimensions_rows_are_cut_first) {
  division_request q{.cells = {{1, 4096, 4096}}, .ranks = 16};
  EXPECT_EQ(divide(q)->parts, (axis_counts{1, 16, 1}));
  q.cut_axes = 3;
  EXPECT_EQ(divide(q)->parts, (axis_counts{1, 4, 4}));
}

TEST(scaling_model, no_rank_has_fewer_layers_than_it_exchanges) {
  EXPECT_TRUE(divide(cube(64, 64)));
  EXPECT_FALSE(divide(cube(64, 65)));
  division_request q = cube(64, 16);
  q.layers = 4;
  EXPECT_TRUE(divide(q));
  q.layers = 5;
  EXPECT_FALSE(divide(q));
  q.cut_axes = 3;  // 2 x 2 x 4 ranks have 16 layers
  EXPECT_TRUE(divide(q));
}

TEST(scaling_model, hosts_whose_ranks_are_no_block_share_nothing) {
  division_request q = cube(630, 30, 1);
  q.ranks_of_host = 8;
  const auto d = divide(q);
  EXPECT_EQ(d->on_host, (axis_counts{1, 1, 1}));
  EXPECT_EQ(d->sides_off_host(0), 2);
}

/// 3 x 3 x 1 ranks of 30 x 20 x 10 cells each, two layers of ghosts.
TEST(scaling_model, halo_of_a_pencil) {
  const grid_cells own{{30, 20, 10}};
  const grid_division d{{3, 3, 1}, {3, 1, 1}};
  const halo_messages faces = halo_of(own, d, 2, false);
  EXPECT_EQ(faces.messages, 4);
  EXPECT_EQ(faces.off_host, 2);
  EXPECT_EQ(faces.rounds, 1);
  EXPECT_EQ(faces.cells, 2 * 2 * 20 * 10 + 2 * 2 * 30 * 10);
  EXPECT_EQ(faces.cells_off_host, 2 * 2 * 30 * 10);
  EXPECT_EQ(faces.largest, 2 * 30 * 10);
  // With corners the second axis has the ghosts of the first one: 30 + 2 * 2 layers.
  const halo_messages all = halo_of(own, d, 2, true);
  EXPECT_EQ(all.rounds, 2);
  EXPECT_EQ(all.cells, 2 * 2 * 20 * 10 + 2 * 2 * 34 * 10);
  EXPECT_EQ(cells_with_ghosts(own, d, 2), 34.0 * 24 * 10);
  EXPECT_DOUBLE_EQ(interior_part(own, d, 2), (26.0 / 30) * (16.0 / 20));
}

TEST(scaling_model, steps_between_exchanges) {
  const auto slabs = [](std::int64_t layers, int radius, int most) {
    return steps_that_add_a_tenth({{1, layers, 500}}, {{1, 4, 1}, {1, 4, 1}}, radius, most);
  };
  EXPECT_EQ(slabs(8192, 1, 48), 48);
  EXPECT_EQ(slabs(384, 1, 48), 19);
  EXPECT_EQ(slabs(160, 1, 48), 8);
  EXPECT_EQ(slabs(128, 1, 16), 6);
  EXPECT_EQ(slabs(10, 2, 48), 1);
  // Two axes add twice as much.
  EXPECT_EQ(steps_that_add_a_tenth({{160, 160, 7}}, {{2, 2, 1}, {2, 2, 1}}, 1, 48), 4);
  EXPECT_EQ(steps_that_add_a_tenth({{160, 160, 7}}, {}, 1, 48), 48);
  EXPECT_EQ(whole_passes(19, 4), 16);
  EXPECT_EQ(whole_passes(3, 4), 3);
}

TEST(scaling_model, divisions_of_fields_are_slabs_until_more_cuts_gain_a_tenth) {
  const auto parts = [](const axis_counts& cells, int ranks, int axes, int radius = 1) {
    const auto plan =
        plan_division({.cells = {cells}, .ranks = ranks, .cut_axes = axes}, radius, 16);
    return plan ? plan->division.parts : axis_counts{0, 0, 0};
  };
  EXPECT_EQ(parts({1, 1000, 1000}, 4, 2), (axis_counts{1, 4, 1}));
  EXPECT_EQ(parts({1, 1000, 1000}, 16, 2), (axis_counts{1, 4, 4}));
  EXPECT_EQ(parts({1, 1000, 1000}, 16, 1), (axis_counts{1, 16, 1}));
  EXPECT_EQ(parts({512, 512, 512}, 64, 2), (axis_counts{8, 8, 1}));
  EXPECT_EQ(parts({512, 512, 512}, 64, 3), (axis_counts{4, 4, 4}));
  // Slabs of 64 ranks would have no layers; of pencils the longer axis gets more parts.
  EXPECT_EQ(parts({40, 400, 40}, 64, 2), (axis_counts{2, 32, 1}));
  EXPECT_EQ(parts({3, 3, 3}, 64, 3), (axis_counts{0, 0, 0}));
  EXPECT_EQ(plan_division({.cells = {{1, 1000, 1000}}, .ranks = 16, .cut_axes = 2}, 1, 16)->steps,
            6);
}

/// Hockney: 8.4 + 3.4 us and 2 x 1 MB at 370.8 GB/s; over the network 8.4 + 14 and 1 MB at 50 GB/s.
TEST(scaling_model, exchange_by_hand) {
  const link_set l;
  halo_messages m{.messages = 2, .off_host = 0, .rounds = 1, .cells = 250000, .largest = 125000};
  EXPECT_NEAR(exchange_seconds(m, 8, l), 11.8e-6 + 2e6 / 370.8e9, 1e-12);
  m.off_host = 1, m.cells_off_host = 125000;
  EXPECT_NEAR(exchange_seconds(m, 8, l), 22.4e-6 + 1e6 / 50e9, 1e-12);
  m = {.messages = 2, .rounds = 1, .cells = 200, .largest = 100};
  EXPECT_NEAR(exchange_seconds(m, 8, l), 7.2e-6 + 1600 / 370.8e9, 1e-12);
  EXPECT_EQ(exchange_seconds({}, 8, l), 0);
}

TEST(scaling_model, a_ring_of_a_thousand_takes_a_millisecond_and_its_bytes_do_not) {
  const link_set l;
  const sum_time four = gather_by_ring(4, 112, l), many = gather_by_ring(1024, 112, l);
  EXPECT_NEAR(four.seconds, 6.6e-6 + 3 * 0.6e-6 + 336 / 370.8e9, 1e-12);
  EXPECT_EQ(many.steps, 1023);
  EXPECT_EQ(many.bytes, 1023 * 112.0);
  EXPECT_NEAR(many.seconds, 6.6e-6 + 896 * 1e-6 + 127 * 2.7e-6 + 1023 * 112 / 50e9, 1e-12);
}

/// In each of 128 hosts 6.6 + 0.6 us; between them rounds of 12 and of 11 with 8 and 96 values.
TEST(scaling_model, sums_by_groups) {
  const link_set l;
  EXPECT_EQ(gather_by_groups(8, 112, l).seconds, gather_by_ring(8, 112, l).seconds);
  const sum_time many = gather_by_groups(1024, 112, l);
  EXPECT_EQ(many.steps, 3);
  EXPECT_NEAR(
      many.seconds,
      7.2e-6 + 7 * 112 / 370.8e9 + 2 * 11.6e-6 + 10e-6 + 9e-6 + (11 * 8 + 10 * 96) * 112 / 50e9,
      1e-12);
  EXPECT_EQ(gather_by_groups(1, 112, l).steps, 0);
  link_set alone = l;
  alone.ranks_of_host = 1;
  const sum_time two = gather_by_groups(2, 112, alone);
  EXPECT_EQ(two.steps, 1);
  EXPECT_NEAR(two.seconds, 11.6e-6 + 112 / 50e9, 1e-12);
}

/// 2 (7 x 0.6 + 7 x 5.0) + 6.6 us.
TEST(scaling_model, an_all_reduce_of_the_library) {
  const link_set l;
  const sum_time many = all_reduce_by_library(1024, 112, l);
  EXPECT_EQ(many.steps, 28);
  EXPECT_NEAR(many.seconds, 6.6e-6 + 14 * 0.6e-6 + 14 * 5e-6, 0.1e-6);
  EXPECT_EQ(all_reduce_by_library(1, 112, l).seconds, 0);
}

TEST(scaling_model, one_rank_makes_no_messages) {
  const scaling_setting on{.gpu = h100()};
  const auto cg = scale(cg_scaling{}, cube(256, 1), on);
  EXPECT_EQ(cg->halo.messages, 0);
  EXPECT_EQ(cg->time.exchange + cg->time.reduction + cg->time.hidden, 0);
  EXPECT_EQ(cg->exchanges + cg->reductions + cg->sum.steps, 0);
  // (7 (8 + 4) + 8 + 11 8) bytes of each row; three launches and phases and a product.
  EXPECT_NEAR(cg->time.compute, 180.0 * 256 * 256 * 256 / 2.86e12, 0.03 * cg->time.compute);
  EXPECT_NEAR(cg->time.latency, 3 * (2.0e-6 + 0.95e-6) + 2.2e-6, 1e-12);
  const auto stencil = scale(stencil_scaling{.steps_per_exchange = 48}, cube(256, 1), on);
  EXPECT_EQ(stencil->halo.messages, 0);
  EXPECT_EQ(stencil->time.exchange, 0);
}

TEST(scaling_model, without_latency_and_with_infinite_bandwidth_scaling_is_perfect) {
  scaling_setting on{.gpu = h100()};
  on.gpu.launch = on.gpu.phase = on.gpu.product = on.gpu.l2_cached = 0;
  on.links.host = on.links.network = {0, 0, infinite, 0, 0};
  on.links.call = on.links.large_call = on.links.least_ring_step = 0;
  for (const cg_variant& variant : cg_variants) {
    const double one = scale(cg_scaling{.variant = variant}, cube(512, 1), on)->time.seconds();
    for (const int ranks : {2, 8, 64, 512})
      EXPECT_NEAR(scale(cg_scaling{.variant = variant}, cube(512, ranks), on)->time.seconds(),
                  one / ranks, 1e-9 * one);
  }
}

TEST(scaling_model, what_holds_between_runs) {
  scaling_setting on{.gpu = h100()};
  const cg_scaling pipelined{.variant = cg_variants[2]};
  double before = infinite;
  for (const int ranks : {8, 16, 64, 256, 1024}) {
    on.sums = rank_sums::ring, on.hides = overlap::none;
    const auto ring = *scale(pipelined, cube(2048, ranks, 3), on);
    on.sums = rank_sums::groups;
    const auto groups = *scale(pipelined, cube(2048, ranks, 3), on);
    on.hides = overlap::exchange;
    const auto halo_hidden = *scale(pipelined, cube(2048, ranks, 3), on);
    on.hides = overlap::all;
    const auto all_hidden = *scale(pipelined, cube(2048, ranks, 3), on);
    EXPECT_LT(ring.time.compute, before);
    before = ring.time.compute;
    if (ranks > 64) {
      EXPECT_LT(groups.time.reduction, ring.time.reduction);
    }
    EXPECT_LE(halo_hidden.time.seconds(), groups.time.seconds());
    EXPECT_LE(all_hidden.time.seconds(), halo_hidden.time.seconds());
    EXPECT_NEAR(all_hidden.time.seconds() + all_hidden.time.hidden, groups.time.seconds(), 1e-12);
    // Blocks send less than slabs.
    on.hides = overlap::none;
    const auto slabs = *scale(pipelined, cube(2048, ranks), on);
    EXPECT_LT(groups.halo_bytes, slabs.halo_bytes);
  }
  // The textbook's variant cannot hide its sums.
  on.hides = overlap::all;
  EXPECT_GT(scale(cg_scaling{}, cube(2048, 1024, 3), on)->time.reduction, 0);
  EXPECT_EQ(scale(cg_scaling{}, cube(2048, 1024), on)->time.binds(), scaling_part::exchange);
}

/// docs/results/multi-gpu.md: `graph`, microseconds. What one GPU takes is given, what several take
/// is to be found, in one host.
struct measured_cg {
  int variant;
  std::int64_t n;
  bool weak;
  double one, two, four, error;
};

TEST(scaling_model, conjugate_gradients_on_four_h100) {
  for (const measured_cg& m : {measured_cg{1, 256, false, 1256.4, 659.6, 353.4, 0.02},
                               {0, 256, false, 1271.0, 677.3, 364.6, 0.02},
                               {1, 400, false, 5145.0, 2601.5, 1320.9, 0.02},
                               {1, 256, true, 1256.4, 1286.4, 1294.9, 0.02}}) {
    const auto cells = static_cast<double>(m.n * m.n * m.n);
    const scaling_setting on{.gpu = h100(), .one_gpu = {m.one * 1e-6, cells}};
    for (const auto& [ranks, took] : {std::pair{1, m.one}, {2, m.two}, {4, m.four}}) {
      const auto q = m.weak ? of_each(cube(m.n, ranks)) : cube(m.n, ranks);
      const double us =
          1e6 *
          scale(cg_scaling{.variant = cg_variants[static_cast<std::size_t>(m.variant)]}, q, on)
              ->time.seconds();
      EXPECT_NEAR(us, took, m.error * took) << m.n << ", " << ranks << " ranks";
    }
  }
}

/// 64^3 on two GPUs, which computes hardly anything: launches and messages alone.
TEST(scaling_model, a_small_system_on_two_h100) {
  const scaling_setting on{.gpu = h100()};
  const auto us = [&](int variant) {
    const cg_scaling s{.variant = cg_variants[static_cast<std::size_t>(variant)]};
    return 1e6 * scale(s, cube(64, 2), on)->time.seconds();
  };
  EXPECT_NEAR(us(1), 32.3, 0.10 * 32.3);
  EXPECT_NEAR(us(0), 42.9, 0.10 * 42.9);
}

struct measured_stencil {
  grid_cells each;
  int steps, pass;
  double one, two, four;
};

/// Weak scaling; whole passes between two exchanges.
TEST(scaling_model, stencils_on_four_h100) {
  const grid_cells flat{{1, 8192, 8192}}, solid{{384, 384, 384}};
  for (const measured_stencil& m : {measured_stencil{flat, 1, 1, 367.2, 379.6, 380.0},
                                    {flat, 48, 24, 29.3, 30.0, 30.3},
                                    {solid, 1, 1, 317.4, 338.6, 345.7},
                                    {solid, 2, 1, 317.4, 333.2, 339.9},
                                    {solid, 4, 4, 145.6, 155.2, 161.7},
                                    {solid, 16, 4, 145.6, 155.5, 164.2},
                                    {solid, 48, 4, 145.6, 166.1, 185.8}}) {
    const scaling_setting on{.gpu = h100(),
                             .one_gpu = {m.one * 1e-6, static_cast<double>(m.each.total())}};
    for (const auto& [ranks, took] : {std::pair{1, m.one}, {2, m.two}, {4, m.four}}) {
      const division_request q{.cells = m.each, .of_each_rank = true, .ranks = ranks};
      const stencil_scaling s{.steps_per_exchange = m.steps, .pass_steps = m.pass};
      EXPECT_NEAR(1e6 * scale(s, q, on)->time.seconds(), took, 0.03 * took)
          << m.each.of[2] << ", " << m.steps << " steps, " << ranks << " ranks";
    }
  }
}

}  // namespace
}  // namespace dwell::model
