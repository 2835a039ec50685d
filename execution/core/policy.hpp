// SPDX-License-Identifier: MIT
// A caching policy is a pure host function: facts in, a plan out. It never sees a solver's text.
#pragma once
#include <cstdint>
#include <span>

#include "dwell/execution/core/device.hpp"
#include "dwell/execution/core/plan.hpp"
#include "dwell/formats/csr.hpp"

namespace dwell {

/// What a policy knows of a Program's problem.
struct program_facts {
  index rows = 0;
  index nonzeros = 0;
  std::size_t scalar_bytes = 8;
  std::size_t bytes_per_iteration = 0;  ///< nothing cached
};

/// choose() never fails: a plan that asks for too much is refused, with the numbers, by the caller.
using caching_policy = plan (*)(const program_facts&, std::span<const rung_facts>,
                                const device_facts&);

}  // namespace dwell
