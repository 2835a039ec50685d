// SPDX-License-Identifier: MIT
// Kernels that are compiled when they are needed, in a build without CUDA: it runs none of them.
#include "dwell/base/error.hpp"
#include "dwell/execution/krylov/launch/kernel_table.hpp"

namespace dwell {

kernel_making make_needed(const program_kernel&, int, const device&) {
  throw unsupported_error("kernels for a GPU: expected a build with CUDA, this one is without");
}
std::unique_ptr<program_launch> prepare_needed(const program_kernel& v, const void*,
                                               const device& where, const plan& how) {
  (void)make_needed(v, how.config, where);
  return {};
}

}  // namespace dwell
