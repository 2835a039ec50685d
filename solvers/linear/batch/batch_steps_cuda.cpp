// SPDX-License-Identifier: MIT
// The steps of a batch on a GPU: one block per system, one launch before the run and one after it,
// and no wait.
#include <string>

#include "dwell/execution/device/cuda_backend.hpp"
#include "dwell/execution/device/kernel_unit_cuda.hpp"
#include "dwell/execution/device/loops/pass_chunks.hpp"
#include "dwell/execution/team/setup_loops_cuda.hpp"
#include "dwell/solvers/linear/batch/batch_diagonals.hpp"
#include "dwell/solvers/linear/batch/batch_steps.hpp"
#if defined(__CUDACC__)
#include "dwell/solvers/linear/batch/batch_kernels.cuh"
#endif

namespace dwell {
namespace batch_pass {

/// The kernels of batches.
template <class T>
struct batch_kernels {
  static std::string about() { return cuda::in_precision<T>("steps of batches"); }
  static std::string group() { return about(); }
  static constexpr const char* headers[] = {"dwell/execution/team/setup_kernels_cuda.cuh",
                                            "dwell/solvers/linear/batch/batch_kernels.cuh",
                                            "dwell/solvers/linear/batch/diagonal_steps.hpp"};
};
DWELL_KERNEL(begin_kernel_of, dwell::batch_pass::begin_kernel)
DWELL_KERNEL(end_kernel_of, dwell::batch_pass::end_kernel)
DWELL_KERNEL(weigh_kernel_of, dwell::batch_pass::weigh_kernel)
DWELL_KERNEL(restore_kernel_of, dwell::batch_pass::restore_kernel)

}  // namespace batch_pass

namespace {

template <class Kernel, class T, class... More>
void launch(const device& where, const batch_places<T>& at, const More&... more) {
  const cuda::current_device here(where.ordinal());
  cuda::launch_kernel<batch_pass::batch_kernels<T>, Kernel>(where, static_cast<unsigned>(at.count),
                                                            pass_lanes, at, more...);
}

template <class T>
void begin(const device& where, const batch_places<T>& at) {
  launch<batch_pass::begin_kernel_of<T>>(where, at);
}
template <class T>
void end(const device& where, const batch_places<T>& at) {
  launch<batch_pass::end_kernel_of<T>>(where, at);
}
template <class T>
void weigh(const device& where, const batch_places<T>& at) {
  launch<batch_pass::weigh_kernel_of<T>>(where, at);
}
template <class T>
void restore(const device& where, const batch_places<T>& at, const int* which) {
  launch<batch_pass::restore_kernel_of<T>>(where, at, which);
}

template <class T>
constexpr batch_steps<T> on_cuda = {
    &begin<T>, &end<T>, &weigh<T>, &restore<T>,
    &validating::find_diagonals_with<cuda::setup_loops<batch_pass::batch_kernels<T>>, T>};

}  // namespace

template <>
const batch_steps<double>& cuda_backend() {
  return on_cuda<double>;
}
template <>
const batch_steps<float>& cuda_backend() {
  return on_cuda<float>;
}

}  // namespace dwell
