// SPDX-License-Identifier: MIT
// Threads for work of the host beside the runs on a device, such as set-ups.
#pragma once
#include "dwell/base/parallel.hpp"
#include "dwell/base/threads_at_most.hpp"
#include "dwell/device/device.hpp"

namespace dwell {

/// Those of a CPU, which may have been asked for; beside a GPU as many as there may be.
inline int host_threads_beside(const device& where) {
  return where.on() == backend::cpu ? where.threads() : default_threads();
}
/// No more than these, while what it returns lives.
inline threads_at_most host_threads_of(const device& where) {
  return threads_at_most(host_threads_beside(where));
}

}  // namespace dwell
