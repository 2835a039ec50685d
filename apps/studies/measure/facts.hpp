// SPDX-License-Identifier: MIT
// Device facts from what was measured, for --save.
#pragma once
#include <string>
#include <vector>

#include "studies/measure/probe.hpp"

#include "dwell/device/device.hpp"

namespace dwell::app {

/// Groups of probes without which facts are not whole.
std::vector<std::string> groups_for_facts();

/// Facts with their limits, and where each number comes from.
struct measured_facts {
  device_facts facts;
  std::vector<std::string> sources;
};
/// `rows` hold all of those groups, of as many threads or multiprocessors as `here` has. Rates of
/// GPUs that no probe measures, what launches and phases of solves take besides barriers and bytes,
/// are those that Dwell has of the device. Throws input_error where a row that is needed is missing
/// or not positive.
measured_facts facts_from_rows(const device_facts& here, const std::vector<measured_row>& rows);

}  // namespace dwell::app
