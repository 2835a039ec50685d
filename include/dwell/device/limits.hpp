// SPDX-License-Identifier: MIT
// What a device can do at best, as far as projections need it. The numbers are data, a JSON file
// for each device that Dwell knows (facts/), which say where each comes from, and those that a user
// reads from a file of his own (facts_fields.hpp).
#pragma once
#include <span>
#include <string_view>

#include "dwell/device/device.hpp"

namespace dwell {

/// What an iteration costs besides barriers and bytes, in seconds: each phase (a round trip to L2
/// and a sum), and each vector that the matrix multiplies (gathers that wait).
struct device_waits {
  double phase = 0;    ///< time of a phase
  double product = 0;  ///< time of a product, beside its phase
};

/// Cycles from an operation of a warp on a GPU to the next one that needs its result; 0: not known.
struct operation_latencies {
  double multiply_add = 0;  ///< fused, in f32, registers read and written
  double shared_read = 0;   ///< load from shared memory
  double shuffle = 0;       ///< shuffle of 32 bits
};

/// Rates in bytes per second over the whole device, times in seconds.
struct device_limits {
  double memory = 0;         ///< device memory
  double l2 = 0;             ///< last-level cache
  double shared = 0;         ///< all shared memories together
  double l2_cached = 0;      ///< bytes of a repeated pass that the cache holds
  double barrier = 0;        ///< grid barrier
  double launch = 0;         ///< from a kernel to the next one in a CUDA graph
  device_waits waits;        ///< times of configs that take any plan
  device_waits whole_waits;  ///< times of configs that cover all (caching::all)
  bool measured = false;     ///< whether the numbers are of this device, or data-sheet values

  int units = 1;                  ///< multiprocessors that these rates are of
  double clock = 0;               ///< cycles of one of them per second
  double fma_f64 = 64;            ///< fused multiply-adds of one of them per cycle, in f64
  double fma_f32 = 128;           ///< and in f32
  double unit_through = 0;        ///< most that one multiprocessor can draw through L2
  double cluster_barrier = 0;     ///< time for all blocks of one thread block cluster
  device_waits cluster_waits;     ///< times of a system that runs in a cluster
  device_waits ghost_waits;       ///< and by a config with ghosts (caching::ghosts)
  operation_latencies latencies;  ///< latencies of operations of a warp
};

/// The limits of a plan whose teams are one cluster of so many multiprocessors: its part of the
/// shared memories, the bytes that it can draw through L2, its own barrier and phase.
device_limits of_cluster(const device_limits& all, int teams);

/// Limits for executors whose phases are launches: these stand where grid barriers would.
device_limits with_launches(const device_limits& all);

/// Those that the facts have, or those of the shipped device of this name. Of an unknown device: of
/// the shipped one with the next higher compute capability, else of the newest, by the numbers of
/// multiprocessors and the sizes of the caches.
device_limits limits_of(const device_facts& d);

/// Facts of devices that are not here, for projections: one of known_devices(). Throws input_error
/// with the list.
device_facts facts_of(std::string_view name);
/// Names of the shipped facts: "v100", "a100", "h100", "h200", "b200".
std::span<const char* const> known_devices();

/// Returns a device whose plans are made with the rates of `facts`, by the number of its
/// multiprocessors or threads. Throws input_error, beginning with `source`, where the facts are
/// those of another device: what another one can do says nothing of this one.
device planned_with(const device& where, const device_facts& facts, std::string_view source);

}  // namespace dwell
