// SPDX-License-Identifier: MIT
// Barriers of GPUs whose threads are not together: does a barrier hold threads that come to it by
// branches of their own, and what happens where only some of those meet that it is for (Zhang 2023,
// sections 3.5.1 and 3.5.2)? A case that never ends cannot be called back, so each runs in a
// process of its own, this program again, which ends without waiting for it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "dwell/device/device.hpp"

namespace dwell::app {

class measuring;

/// What one barrier does with one group of threads.
struct barrier_behaviour {
  std::string barrier;  ///< and of what
  std::string meeting;  ///< who meets there
  std::string outcome;  ///< "holds", "does not hold", "passes", "waits for the end of the others",
                        ///< "hangs", or "failed: " and why
  /// Cycles from the first arrival to the last one, and from that to the first departure, which is
  /// before it where this is negative. 0, 0: not asked.
  double arrivals = 0, departure = 0;
};

/// One case, by the name that --barrier-case takes.
struct barrier_case {
  std::string name, barrier, meeting;
  bool divergent = false;    ///< all meet, each lane by a branch of its own; else only some meet
  int least_capability = 0;  ///< compute capability
};

/// All of this build, empty without CUDA.
std::vector<barrier_case> barrier_cases();
/// Runs a case on this device and writes what it found to standard output, for the process that
/// started this one. Does not return, and does not wait for a kernel that hangs. Throws
/// input_error if there is no such case.
[[noreturn]] void answer_barrier_case(std::string_view name, const device_facts& here);

/// The words of a child: "outcome;arrivals;departure". Throws input_error if they are not that.
barrier_behaviour behaviour_of(const barrier_case& which, const std::string& answer);
std::string answer_of(const barrier_behaviour& found);

/// The probes of group divergence (probes_cuda.cpp): all cases that are divergent, all others.
void measure_divergent_barriers(measuring& m);
void measure_partial_barriers(measuring& m);

}  // namespace dwell::app
