// SPDX-License-Identifier: MIT
// The list of probes of CPUs, in the order of the table, and what all lists have together.
#include <algorithm>
#include <vector>

#include "studies/measure/probe.hpp"

namespace dwell::app {

// A line for each probe.
#define DWELL_EACH_PROBE(DO) \
  DO(launch)                 \
  DO(dwell_barrier)          \
  DO(std_barrier)            \
  DO(openmp_barrier)         \
  DO(neighbour_flags)        \
  DO(read_memory)            \
  DO(copy_memory)            \
  DO(load_latency)           \
  DO(clock)                  \
  DO(fma_f64_latency)        \
  DO(fma_f32_latency)        \
  DO(fma_f64)                \
  DO(fma_f32)                \
  DO(reduce_dwell)           \
  DO(reduce_std)

#define DWELL_DECLARE_PROBE(name) probe name##_probe();
#define DWELL_CALL_PROBE(name) name##_probe(),
DWELL_EACH_PROBE(DWELL_DECLARE_PROBE)

std::span<const probe> all_probes() {
  static const auto all = [] {
    std::vector<probe> both = {DWELL_EACH_PROBE(DWELL_CALL_PROBE)};
    both.insert(both.end(), cuda_probes().begin(), cuda_probes().end());
    return both;
  }();
  return all;
}

std::vector<probe> probes() {
  std::vector<probe> built(all_probes().begin(), all_probes().end());
  std::erase_if(built, [](const probe& p) { return p.run == nullptr; });
  return built;
}

std::vector<std::string> probe_groups() {
  std::vector<std::string> groups;
  for (const probe& p : all_probes())
    if (std::find(groups.begin(), groups.end(), p.group) == groups.end()) groups.push_back(p.group);
  return groups;
}

}  // namespace dwell::app
