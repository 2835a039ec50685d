// SPDX-License-Identifier: MIT
// The device that a plan is for: its facts and, if it is here, the device itself, of which compiled
// kernels can be asked how they fit.
#pragma once
#include <optional>

#include "dwell/base/api.hpp"
#include "dwell/device/device.hpp"

namespace dwell {

struct plan_target {
  device_facts facts;
  std::optional<device> here;

  backend on() const { return facts.on; }
};

DWELL_API plan_target target_of(const device& where);
/// Looks whether a device of this name and size is here, at the place that the facts name.
plan_target target_of(const device_facts& facts);

}  // namespace dwell
