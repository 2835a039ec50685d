// SPDX-License-Identifier: MIT
// Policy "none": nothing is kept on the chip but what the caches keep. It only chooses how many
// teams of which size run.
#pragma once
#include "dwell/execution/core/policy.hpp"

namespace dwell::policies {

plan none(const program_facts& problem, std::span<const rung_facts> rungs,
          const device_facts& device);

}  // namespace dwell::policies
