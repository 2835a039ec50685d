// SPDX-License-Identifier: MIT
// A device's facts as a dict, whose keys are the fields of dwell.DeviceInfo.
#pragma once
#include "fields.hpp"

#include "dwell/device/device.hpp"

namespace dwell::python {

fields facts_dict(const device_facts& f);

}  // namespace dwell::python
