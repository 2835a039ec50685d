// SPDX-License-Identifier: MIT
// Kernels that are compiled when they are needed, in a build without CUDA: it runs none of them.
#include "dwell/base/error.hpp"
#include "dwell/execution/stencil/launch/kernel_table.hpp"

namespace dwell {
namespace {

[[noreturn]] void refuse() {
  throw unsupported_error("kernels for a GPU: expected a build with CUDA, this one is without");
}

}  // namespace

kernel_making make_needed(const stencil_kernel&, const stencil_plan&, bool, const device&) {
  refuse();
}
engine_facts probe_needed(const stencil_kernel&, const stencil_plan&, bool, const device&) {
  refuse();
}
std::unique_ptr<stencil_launcher> prepare_needed(const stencil_kernel&, const void*,
                                                 const device&) {
  refuse();
}

}  // namespace dwell
