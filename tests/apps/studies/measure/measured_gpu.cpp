// SPDX-License-Identifier: MIT
// Rows from a few numbers.
#include "measured_gpu.hpp"

#include <algorithm>
#include <utility>

#include "studies/measure/reductions.hpp"

#include "dwell/device/limits.hpp"

namespace dwell::test {

using app::measured_row;
using app::measured_unit;

device_facts small_gpu() {
  device_facts gpu = facts_of("h100");
  gpu.units = 2;
  gpu.cluster_teams = 4;
  return gpu;
}

measured_row gpu_row(const char* group, const char* probe, int blocks, int threads,
                     measured_unit unit, double value, double footprint) {
  measured_row row{group, probe, threads, footprint, unit};
  row.blocks = blocks;
  const double seconds = unit == measured_unit::seconds ? value : 1 / value;
  row.time = {seconds, seconds, seconds, 0.01 * seconds, seconds, 1000};
  row.samples = 9;
  return row;
}

namespace {

measured_row under_way(const char* probe, int blocks, int threads, int loads, double bytes,
                       double rate) {
  auto row = gpu_row("concurrency", probe, blocks, threads, measured_unit::bytes_per_s, rate, 1e9);
  row.operations = loads;
  row.access = bytes;
  return row;
}

}  // namespace

app::measure_result measured_on_small_gpu() {
  constexpr auto s = measured_unit::seconds;
  constexpr auto rate = measured_unit::bytes_per_s;
  constexpr auto per_s = measured_unit::operations_per_s;
  app::measure_result r;
  r.device = small_gpu();
  const double l2 = static_cast<double>(r.device.l2);
  for (const auto& [work, time] : {std::pair(0.0, 0.9e-6), {4e-6, 1.1e-6}}) {
    r.rows.push_back(gpu_row("sync", "launch, graph", 2, 256, s, time));
    r.rows.back().work = work;
    r.rows.back().time.cycles = 0;
  }
  for (const int threads : {512, 1024})
    r.rows.push_back(gpu_row("sync", "dwell cluster barrier", 4, threads, s, threads * 1e-9));
  for (const int threads : {64, 1024}) {
    r.rows.push_back(gpu_row("sync", app::block_throughput, 2, threads, per_s, 1e9));
    r.rows.back().amount = threads * 64 / 32;
    r.rows.back().time.cycles = threads == 64 ? 512 : 4096;
  }
  for (const int blocks : {2, 4})
    for (const int threads : {256, 512})
      r.rows.push_back(gpu_row("sync", "dwell grid barrier", blocks, threads, s,
                               (blocks + 0.001 * threads) * 1e-6));
  // Copies hit L2, of 6.5 TB/s, as if it held 0.6 of its size; less where few threads have work.
  for (const double part : {0.05, 0.25, 0.5, 0.75, 0.9, 40.0}) {
    const double hit = std::clamp(2 * 0.6 / part - 1, 0.0, 1.0);
    const double copied = part < 0.1 ? 5e12 : 1 / (hit / 6.5e12 + (1 - hit) / 2.9e12);
    r.rows.push_back(gpu_row("memory", "read", 2, 1024, rate,
                             part < 1 ? 7e12 - part * 1e12 : 3.1e12, part * l2));
    r.rows.push_back(gpu_row("memory", "copy", 2, 1024, rate, copied, part * l2));
  }
  r.rows.push_back(gpu_row("memory", "read", 1, 1024, rate, 2.5e11, 0.25 * l2));
  r.rows.push_back(gpu_row("memory", "shared read", 2, 1024, rate, 5e11, 4e5));
  r.rows.push_back(gpu_row("latency", "load", 1, 1, s, 250e-9, l2));
  r.rows.push_back(gpu_row("latency", "load", 1, 1, s, 400e-9, 8 * l2));
  r.rows.push_back(gpu_row("latency", "shared load", 1, 1, s, 12e-9, 16384));
  r.rows.push_back(gpu_row("sync", "shuffle 32 bits", 1, 32, s, 11e-9));
  r.rows.push_back(gpu_row("sync", "shuffle 32 bits", 1, 1024, per_s, 1.8e9));
  r.rows.push_back(gpu_row("arithmetic", "fma f32 latency", 1, 32, s, 2e-9));
  r.rows.push_back(gpu_row("arithmetic", "cycles", 2, 32, per_s, 2e9));
  for (const int blocks : {1, 2}) {
    r.rows.push_back(gpu_row("arithmetic", "fma f64", blocks, 1024, per_s, blocks * 120e9));
    r.rows.push_back(gpu_row("arithmetic", "fma f32", blocks, 1024, per_s, blocks * 250e9));
  }
  r.rows.push_back(under_way("plain read", 2, 128, 1, 8, 0.5e11));
  r.rows.push_back(under_way("plain read", 2, 256, 4, 8, 0.8e11));
  r.rows.push_back(under_way("plain read", 4, 1024, 1, 8, 0.97e11));
  r.rows.push_back(under_way("plain read", 2, 256, 4, 16, 1e11));
  r.rows.push_back(under_way("plain read, L2", 2, 512, 4, 8, 3e11));
  r.rows.back().footprint = 0.5 * l2;
  r.rows.push_back(under_way("plain read, shared", 2, 128, 1, 8, 2e11));
  r.rows.push_back(under_way("plain read, shared", 2, 256, 4, 8, 5e11));
  r.rows.push_back(under_way("plain copy", 2, 256, 4, 8, 0.6e11));
  r.rows.push_back(under_way("bulk copy", 2, 1, 4, 4096, 0.7e11));
  r.barriers = {{"warp", "32 lanes, each by a branch of its own", "holds", 16000, 12},
                {"grid", "half of the blocks", "hangs"}};
  // A warp takes twice as much for 8 bytes, and far less for more.
  for (const auto& [threads, seconds] : {std::pair(1, 8e-9), {32, 16e-9}})
    for (const double bytes : {8.0, 1024.0, 2048.0})
      r.rows.push_back(gpu_row("reductions", app::block_sums, 1, threads, s,
                               seconds * (threads == 1 ? bytes / 8 : 1 + bytes / 1024), bytes));
  return r;
}

}  // namespace dwell::test
