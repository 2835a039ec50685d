// SPDX-License-Identifier: MIT
// What a device can do at best, as far as projections need it. The H200's limits are measured;
// those of other devices are datasheet figures scaled by what the H200 reaches of its own.
#pragma once
#include <span>
#include <string_view>

#include "dwell/execution/device/device.hpp"

namespace dwell {

/// What an iteration costs besides barriers and bytes, in seconds: each phase (a round trip to L2
/// and a sum), and each vector that the matrix multiplies (gathers that wait).
struct device_waits {
  double phase = 0;
  double product = 0;
};

/// Rates in bytes per second over the whole device, times in seconds.
struct device_limits {
  double memory = 0;         ///< device memory
  double l2 = 0;             ///< last-level cache
  double shared = 0;         ///< all shared memories together
  double l2_cached = 0;      ///< bytes of a repeated pass that the cache holds
  double barrier = 0;        ///< grid barrier
  double launch = 0;         ///< from a kernel to the next one in a CUDA graph
  device_waits waits;        ///< of configs that take any plan
  device_waits whole_waits;  ///< of configs that cover all (caching::all)
  bool measured = false;

  int units = 1;               ///< multiprocessors that these rates are of
  double fma_f64 = 64;         ///< fused multiply-adds of one of them per cycle, in f64
  double fma_f32 = 128;        ///< and in f32
  double unit_through = 0;     ///< most that one multiprocessor can draw through L2
  double cluster_barrier = 0;  ///< of all blocks of one thread block cluster
  device_waits cluster_waits;  ///< of a system that runs in a cluster
  device_waits ghost_waits;    ///< and by a config with ghosts (caching::ghosts)
};

/// The limits of a plan whose teams are one cluster of so many multiprocessors: its part of the
/// shared memories, the bytes that it can draw through L2, its own barrier and phase.
device_limits of_cluster(const device_limits& all, int teams);

/// Of executors whose phases are launches: these stand where grid barriers would.
device_limits with_launches(const device_limits& all);

device_limits limits_of(const device_facts& d);

/// Facts of devices that are not here, for projections: "v100", "a100", "h100", "h200".
/// Throws input_error with the list.
device_facts facts_of(std::string_view name);
std::span<const char* const> known_devices();

}  // namespace dwell
