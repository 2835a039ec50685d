// SPDX-License-Identifier: MIT
// The shipped devices, and what their limits say of others.
#include "dwell/device/limits.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"
#include "dwell/execution/device/facts_fields.hpp"

namespace dwell {
namespace {

struct known_device {
  const char* key;
  device_facts facts;
  const device_limits& limits() const { return *facts.limits; }
};

/// Never destroyed: what runs while the program ends may still plan.
const std::vector<known_device>& table() {
  static const auto& all = *new const std::vector<known_device>([] {
    std::vector<known_device> out;
    for (const shipped_facts& s : shipped_device_facts())
      out.push_back({s.key, facts_from(s.values, s.key)});
    return out;
  }());
  return all;
}

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

/// The limits for another number of multiprocessors, or threads.
device_limits with_units(device_limits l, int units) {
  const double scale = static_cast<double>(units) / l.units;
  l.memory *= scale;
  l.l2 *= scale;
  l.shared *= scale;
  l.units = units;
  return l;
}

device_limits limits_of_unknown(const device_facts& d) {
  // The newest device that was measured; below, the oldest one that is not older than `d`.
  const auto measured = std::find_if(table().rbegin(), table().rend(),
                                     [](const known_device& k) { return k.limits().measured; });
  const known_device* like = &*measured;
  const known_device* older = nullptr;
  for (const known_device& k : table()) {
    const int capability = k.facts.compute_capability;
    if (d.compute_capability > 0 && d.compute_capability <= capability &&
        capability < like->facts.compute_capability)
      like = &k;
    if (capability <= d.compute_capability) older = &k;
  }
  device_limits l = with_units(like->limits(), d.units);
  l.l2_cached *= static_cast<double>(d.l2) / static_cast<double>(like->facts.l2);
  l.measured = false;
  if (d.compute_capability > 0) {
    l.fma_f64 = fma_of(d.compute_capability).f64;
    l.fma_f32 = fma_of(d.compute_capability).f32;
    // Barriers became faster with the generations: the last one that is not newer.
    l.barrier = (older ? *older : table().front()).limits().barrier;
  }
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

std::span<const char* const> known_devices() {
  static const auto& keys = *new const std::vector<const char*>([] {
    std::vector<const char*> out;
    for (const shipped_facts& s : shipped_device_facts()) out.push_back(s.key);
    return out;
  }());
  return keys;
}

device_facts facts_of(std::string_view name) {
  for (const known_device& k : table()) {
    if (name != k.key) continue;
    device_facts facts = k.facts;
    facts.limits = nullptr;  // found by its name, so that facts that are changed get others
    return facts;
  }
  throw input_error(fmt::format("expected a device ({}), found {}",
                                fmt::join(known_devices(), ", "),
                                found_word(name, known_devices())));
}

device_limits limits_of(const device_facts& d) {
  if (d.limits) return *d.limits;
  for (const known_device& k : table())
    if (d.name == k.facts.name) return k.limits();
  return limits_of_unknown(d);
}

device planned_with(const device& where, const device_facts& facts, std::string_view source) {
  const device_facts here = where.facts();
  if (here.name != facts.name || here.on != facts.on)
    throw input_error(
        fmt::format("{}: expected facts of the device that runs, '{}', found those of '{}'", source,
                    here.name, facts.name));
  device planned = where;
  planned.limits_ = std::make_shared<const device_limits>(with_units(limits_of(facts), here.units));
  return planned;
}

}  // namespace dwell
