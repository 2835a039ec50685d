// SPDX-License-Identifier: MIT
// The CUDA backend of a build without CUDA: says so.
#include "dwell/base/error.hpp"
#include "dwell/execution/device/device_backends.hpp"

namespace dwell {

cuda_presence find_cuda() { return {false, 0, "this build of Dwell has no CUDA backend"}; }

device_facts cuda_facts(int) { throw device_error(find_cuda().reason); }

bool is_device_memory(const void*) { return false; }

std::optional<int> device_of_memory(const void*) { return {}; }

void* make_cuda_stream(int) { throw device_error(find_cuda().reason); }

void release_cuda_stream(void*) noexcept {}

double start_cuda(int) { throw device_error(find_cuda().reason); }

const memory_space& cuda_memory() { throw device_error(find_cuda().reason); }

}  // namespace dwell
