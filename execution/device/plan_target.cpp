// SPDX-License-Identifier: MIT
// Compares the facts with those of the device that is here.
#include "dwell/execution/device/plan_target.hpp"

namespace dwell {

plan_target target_of(const device& where) { return {where.facts(), where}; }

plan_target target_of(const device_facts& facts) {
  if (facts.on == backend::cpu) return {facts, device::cpu(facts.units)};
  if (facts.ordinal >= find_cuda().devices) return {facts, {}};
  const device here = device::cuda(facts.ordinal);
  const device_facts found = here.facts();
  if (found.name != facts.name || found.units != facts.units) return {facts, {}};
  return {facts, here};
}

}  // namespace dwell
