// SPDX-License-Identifier: MIT
// From dwell_device to device.
#pragma once
#include <string>

#include "dwell/base/error.hpp"
#include "dwell/bindings/c/status.hpp"
#include "dwell/device/device.hpp"
#include "dwell/dwell.h"

namespace dwell::c_api {

inline device device_of(const dwell_device* given) {
  if (!given) return device::best();
  const device where =
      on_host(given->kind) ? device::cpu(given->number) : device::cuda(given->number);
  return given->stream ? where.on_stream(given->stream) : where;
}

}  // namespace dwell::c_api
