// SPDX-License-Identifier: MIT
// The CUDA backend of a build without CUDA: says so.
#include "dwell/base/error.hpp"
#include "dwell/execution/device/cuda_backend.hpp"
#include "dwell/execution/device/kernel_facts.hpp"
#include "dwell/execution/device/small_kernels.hpp"

namespace dwell {
namespace {

[[noreturn]] void refuse() { throw device_error(find_cuda().reason); }

}  // namespace

cuda_presence find_cuda() { return {false, 0, "this build of Dwell has no CUDA backend"}; }

device_facts cuda_facts(int) { refuse(); }
const memory_space& cuda_memory() { refuse(); }
bool is_device_memory(const void*) { return false; }
std::optional<int> device_of_memory(const void*) { return {}; }
void* make_cuda_stream(int) { refuse(); }
void release_cuda_stream(void*) noexcept {}
double start_cuda(int) { refuse(); }

std::vector<small_kernels> all_small_kernels() { return {}; }
std::vector<kernel_source> small_kernels_of_solves(precision) { return {}; }
std::vector<kernel_source> small_kernels_of_complex_solves(precision) { return {}; }
std::vector<kernel_source> small_kernels_of_stencils(precision) { return {}; }
std::vector<kernel_source> small_kernels_of_ranks(precision) { return {}; }
std::vector<kernel_source> small_kernels_of_set_up(const std::string&) { return {}; }

template <>
const halo_functions& cuda_backend() {
  refuse();
}
template <>
const cut_functions<double>& cuda_backend() {
  refuse();
}
template <>
const cut_functions<float>& cuda_backend() {
  refuse();
}
template <>
const cut_functions<complex_value<double>>& cuda_backend() {
  refuse();
}
template <>
const cut_functions<complex_value<float>>& cuda_backend() {
  refuse();
}
template <>
const chain_functions& cuda_backend() {
  refuse();
}
template <>
const examine_functions<double>& cuda_backend() {
  refuse();
}
template <>
const examine_functions<float>& cuda_backend() {
  refuse();
}
template <>
const solve_steps<double>& cuda_backend() {
  refuse();
}
template <>
const solve_steps<float>& cuda_backend() {
  refuse();
}
template <>
const mixed_steps& cuda_backend() {
  refuse();
}
template <>
const batch_steps<double>& cuda_backend() {
  refuse();
}
template <>
const batch_steps<float>& cuda_backend() {
  refuse();
}
template <>
const chain_set_ups<double>& cuda_backend() {
  refuse();
}
template <>
const chain_set_ups<float>& cuda_backend() {
  refuse();
}
template <>
const complex_set_ups<complex_value<double>>& cuda_backend() {
  refuse();
}
template <>
const complex_set_ups<complex_value<float>>& cuda_backend() {
  refuse();
}
template <>
const amg_set_up<double>& cuda_backend() {
  refuse();
}
template <>
const amg_set_up<float>& cuda_backend() {
  refuse();
}
template <>
const product_functions<double>& cuda_backend() {
  refuse();
}
template <>
const product_functions<float>& cuda_backend() {
  refuse();
}
template <>
const convolution_functions& cuda_backend() {
  refuse();
}
template <>
const reduce_results& cuda_backend() {
  refuse();
}
template <>
const reduce_functions<double>& cuda_backend() {
  refuse();
}
template <>
const reduce_functions<float>& cuda_backend() {
  refuse();
}
template <>
const scan_functions<double>& cuda_backend() {
  refuse();
}
template <>
const scan_functions<float>& cuda_backend() {
  refuse();
}
template <>
const scan_functions<std::int32_t>& cuda_backend() {
  refuse();
}
template <>
const scan_functions<std::int64_t>& cuda_backend() {
  refuse();
}
template <>
const table_functions<double>& cuda_backend() {
  refuse();
}
template <>
const table_functions<float>& cuda_backend() {
  refuse();
}

int cuda_driver_major() { return 0; }

}  // namespace dwell
