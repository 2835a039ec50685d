// SPDX-License-Identifier: MIT
// The policies of this build, one file each. Those of Zhang's dissertation (2023, figure 4.10) are
// among them: IMP is `none`, MAT is `matrix`, MIX is `mixed` (the residual r whole, the rest of the
// scratch for A). VEC caches r alone, and has no policy of its own: `vectors` caches every vector
// of the iteration that fits, those used most first, so r before all others.
#pragma once
#include "dwell/execution/krylov/plan/policy.hpp"

namespace dwell::policies {

plan none(const program_facts&, std::span<const config_facts>, const device_facts&);
plan vectors(const program_facts&, std::span<const config_facts>, const device_facts&);
plan matrix(const program_facts&, std::span<const config_facts>, const device_facts&);
plan mixed(const program_facts&, std::span<const config_facts>, const device_facts&);
plan greedy(const program_facts&, std::span<const config_facts>, const device_facts&);
plan model(const program_facts&, std::span<const config_facts>, const device_facts&);
plan measured(const program_facts&, std::span<const config_facts>, const device_facts&,
              const plan_trial&);

}  // namespace dwell::policies
