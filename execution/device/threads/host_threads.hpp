// SPDX-License-Identifier: MIT
// Threads for work of the host beside the runs on a device, such as set-ups.
#pragma once
#include "dwell/base/parallel.hpp"
#include "dwell/base/threads_at_most.hpp"
#include "dwell/device/device.hpp"

namespace dwell {

/// Those of a CPU, which may have been asked for; beside a GPU as many as there may be. While what
/// it returns lives.
inline threads_at_most host_threads_of(const device& where) {
  return threads_at_most(where.on() == backend::cpu ? where.threads() : default_threads());
}

}  // namespace dwell
