// SPDX-License-Identifier: MIT
// A build without CUDA has no devices to reduce on: device::cuda() has said so before.
#include "dwell/base/error.hpp"
#include "dwell/solvers/arrays/reduce/reduce_backends.hpp"
#include "dwell/solvers/arrays/reduce/reduce_steps.hpp"

namespace dwell::cuda {
namespace {

[[noreturn]] void refuse_reduction() { throw device_error("this build has no CUDA backend"); }

}  // namespace

std::size_t reduce_partial_size(std::int64_t) { refuse_reduction(); }
host_result::host_result(const device&) { refuse_reduction(); }
host_result::~host_result() = default;

template <class Op, class T>
void run_reduce(const device&, int, const Op&, const reduce_arrays<T>&, const reduce_scratch&,
                double*) {
  refuse_reduction();
}

#define DWELL_COMPILE(op, T)                                                                    \
  template void run_reduce(const device&, int, const reduce_step::op&, const reduce_arrays<T>&, \
                           const reduce_scratch&, double*);
DWELL_EACH_REDUCTION(DWELL_COMPILE)
#undef DWELL_COMPILE

}  // namespace dwell::cuda
