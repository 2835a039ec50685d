// SPDX-License-Identifier: MIT
// Which stencils have the kernels of CPUs that cache as GPUs do: executor perks, and of temporal
// the engines of GPUs. They are there to test the protocols where there is no GPU, and slower than
// plain steps; a shape's file of kernels, or a test, asks for them.
#pragma once

namespace dwell {

template <class S>
inline constexpr bool caches_on_cpu = false;

}  // namespace dwell
