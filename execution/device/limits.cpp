// SPDX-License-Identifier: MIT
// The table of devices.
#include "dwell/execution/device/limits.hpp"
#include "dwell/execution/device/cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"

namespace dwell {
namespace {

constexpr double kb = 1024.0, mb = 1024.0 * kb;

struct known {
  const char* key;
  const char* name;
  int units, capability;
  double memory_gb, l2_mb, shared_kb;      // shared: most per block
  double memory_tb_s, l2_tb_s, clock_ghz;  // memory: datasheet
};
// Datasheets of NVIDIA V100 SXM2 32 GB, A100 SXM4 80 GB, H100 SXM5, H200 SXM.
constexpr known table[] = {
    {"v100", "Tesla V100-SXM2-32GB", 80, 70, 32, 6, 96, 0.900, 2.5, 1.53},
    {"a100", "NVIDIA A100-SXM4-80GB", 108, 80, 80, 40, 163, 2.039, 5.0, 1.41},
    {"h100", "NVIDIA H100 80GB HBM3", 132, 90, 80, 50, 227, 3.35, 7.0, 1.98},
    {"h200", "NVIDIA H200", 132, 90, 141, 60, 227, 4.8, 7.7, 1.98}};
constexpr const char* keys[] = {"v100", "a100", "h100", "h200"};

/// Fused multiply-adds of a multiprocessor per cycle, by compute capability: the table of
/// arithmetic instructions' throughput in the CUDA C++ Programming Guide.
struct fma_rates {
  double f64, f32;
};
fma_rates fma_of(int capability) {
  if (capability < 80) return {capability == 75 ? 2.0 : 32.0, 64};
  if (capability == 80) return {32, 64};
  return {capability == 90 || capability == 100 ? 64.0 : 2.0, 128};
}

device_limits limits_of(const known& k) {
  device_limits l;
  l.memory = k.memory_tb_s * 1e12 * 0.9;  // what the H200 reaches of its datasheet: 4.3 of 4.8 TB/s
  l.l2 = k.l2_tb_s * 1e12;
  l.shared = 128.0 * k.units * k.clock_ghz * 1e9;
  l.l2_cached = 0.7 * k.l2_mb * mb;
  l.barrier = k.capability >= 90 ? 0.95e-6 : 1.4e-6;
  l.launch = 1.6e-6;  // of `graph` on the H200: small systems, three phases against two
  // Fitted to the times measured on the H200 for small systems under all variants, less their bytes
  // and barriers (docs/results/cg-h200.md), on the whole grid and in a cluster.
  l.waits = {0.95e-6, 2.2e-6};
  l.whole_waits = {1.1e-6, 0.45e-6};
  l.cluster_waits = {0.65e-6, 2.8e-6};
  l.ghost_waits = {0.48e-6, 0.76e-6};
  l.measured = std::string_view(k.key) == "h200";
  l.units = k.units;
  l.fma_f64 = fma_of(k.capability).f64;
  l.fma_f32 = fma_of(k.capability).f32;
  l.unit_through = 64.0 * k.clock_ghz * 1e9;
  l.cluster_barrier = 0.3e-6;  // sixteen blocks of 512 threads
  return l;
}

}  // namespace

device_limits of_cluster(const device_limits& all, int teams) {
  device_limits l = all;
  l.units = teams;
  l.shared = all.shared * teams / all.units;
  l.l2 = std::min(all.l2, teams * all.unit_through);
  l.memory = std::min(all.memory, teams * all.unit_through);
  l.barrier = all.cluster_barrier;
  l.waits = l.whole_waits = all.cluster_waits;
  return l;
}

device_limits with_launches(const device_limits& all) {
  device_limits l = all;
  l.barrier = all.launch;
  return l;
}

std::span<const char* const> known_devices() { return keys; }

device_facts facts_of(std::string_view name) {
  for (const known& k : table) {
    if (name != k.key) continue;
    device_facts f;
    f.name = k.name;
    f.on = backend::cuda;
    f.units = k.units;
    f.compute_capability = k.capability;
    f.memory = f.memory_free = static_cast<std::size_t>(k.memory_gb * 1e9);
    f.l2 = static_cast<std::size_t>(k.l2_mb * mb);
    f.shared_per_team = static_cast<std::size_t>(k.shared_kb * kb);
    f.shared_per_unit = f.shared_per_team + 1024;
    f.registers_per_unit = 65536;
    f.cluster_teams = k.capability >= 90 ? most_cluster_teams : 0;
    f.cooperative_launch = true;
    return f;
  }
  throw input_error(fmt::format("expected a device ({}), found {}", fmt::join(keys, ", "),
                                found_word(name, keys)));
}

device_limits limits_of(const device_facts& d) {
  const known* like = std::end(table) - 1;
  for (const known& k : table)
    if (d.name == k.name || (d.compute_capability > 0 && d.compute_capability <= k.capability &&
                             k.capability < like->capability))
      like = &k;
  for (const known& k : table)
    if (d.name == k.name) like = &k;
  if (d.name == like->name) return limits_of(*like);
  // An unknown device: its relative in the table, by multiprocessors and cache.
  known k = *like;
  const double scale = static_cast<double>(d.units) / k.units;
  k.memory_tb_s *= scale;
  k.l2_tb_s *= scale;
  k.units = d.units;
  k.l2_mb = static_cast<double>(d.l2) / mb;
  if (d.compute_capability > 0) k.capability = d.compute_capability;
  k.key = "";
  return limits_of(k);
}

}  // namespace dwell
