// SPDX-License-Identifier: MIT
// A child that fork() made has a copy of the memory, but none of the threads. Who keeps threads
// looks here whether they are still there.
#pragma once
#include "dwell/base/api.hpp"

namespace dwell {

/// So many forks lie between the process in which it was first called and this one.
DWELL_API unsigned fork_count();

}  // namespace dwell
