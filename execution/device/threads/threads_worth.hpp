// SPDX-License-Identifier: MIT
// How many threads of a CPU a run takes where nobody has said it: a thread more must have enough to
// do between two barriers to be worth them.
#pragma once
#include <cstdint>
#include <string>

#include "dwell/device/device.hpp"

namespace dwell {

struct thread_choice {
  int threads = 1;
  std::string why;  ///< "2 threads", or half a line more
};

/// bytes: what `period` ("iteration", "step") moves, or what takes as long. parts: it has no more
/// rows for threads to share.
thread_choice threads_worth(double bytes, std::int64_t parts, const char* period,
                            const device_facts& device);

}  // namespace dwell
