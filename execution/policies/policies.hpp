// SPDX-License-Identifier: MIT
// The policies of this build, one file each. Names as in Zhang's dissertation (2023), figure 4.10.
#pragma once
#include "dwell/execution/core/policy.hpp"

namespace dwell::policies {

plan none(const program_facts&, std::span<const rung_facts>, const device_facts&);
plan vectors(const program_facts&, std::span<const rung_facts>, const device_facts&);
plan matrix(const program_facts&, std::span<const rung_facts>, const device_facts&);
plan mixed(const program_facts&, std::span<const rung_facts>, const device_facts&);
plan greedy(const program_facts&, std::span<const rung_facts>, const device_facts&);
plan model(const program_facts&, std::span<const rung_facts>, const device_facts&);
plan measured(const program_facts&, std::span<const rung_facts>, const device_facts&,
              const plan_trial&);

}  // namespace dwell::policies
