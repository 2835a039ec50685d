// SPDX-License-Identifier: MIT
// The CUDA backend of a build without CUDA: says so.
#include "dwell/execution/core/device_backends.hpp"
#include "dwell/formats/error.hpp"

namespace dwell {

cuda_presence find_cuda() { return {false, 0, "this build of Dwell has no CUDA backend"}; }

device_facts cuda_facts(int) { throw device_error(find_cuda().reason); }

bool is_device_memory(const void*) { return false; }

const memory_space& cuda_memory() { throw device_error(find_cuda().reason); }

}  // namespace dwell
