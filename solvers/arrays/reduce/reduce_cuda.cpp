// SPDX-License-Identifier: MIT
// Reductions on a GPU: launches.
#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

#include "dwell/execution/device/cuda_check.hpp"
#include "dwell/execution/device/kernel_unit_cuda.hpp"
#include "dwell/solvers/arrays/reduce/reduce_runs.hpp"
#include "dwell/solvers/arrays/reduce/reduce_steps.hpp"
#if defined(__CUDACC__)
#include "dwell/solvers/arrays/reduce/reduce_kernel.cuh"
#endif

namespace dwell::cuda {

template <class Op, class T>
struct reduce_kernels {
  static std::string about() {
    const std::string operation = name_of(typeid(Op));
    return in_precision<T>("reductions, " + operation.substr(operation.rfind(':') + 1));
  }
  static std::string group() { return about(); }
  static constexpr const char* headers[] = {"dwell/solvers/arrays/reduce/reduce_kernel.cuh",
                                            "dwell/solvers/arrays/reduce/reduce_steps.hpp"};
};
DWELL_KERNEL(reduce_kernel_of, dwell::cuda::reduce_kernel)

namespace {

struct reduce_shape {
  unsigned blocks, threads;
};

reduce_shape shape_for(std::int64_t chunks, int units) {
  // Two blocks are on a multiprocessor at a time at least. Where every warp has many chunks, blocks
  // come up to four times as long as others leave, so that fast multiprocessors take more of them.
  constexpr std::int64_t resident = 2, most_rounds = 4, chunks_of_round = 16;
  const std::int64_t together = resident * units;
  if (chunks == 1) return {1, 32};
  if (chunks <= reduce_alone) return {1, pass_lanes};
  if (chunks <= reduce_one_group)
    return {static_cast<unsigned>(std::min(chunks, together)), pass_lanes};
  const std::int64_t rounds = std::clamp<std::int64_t>(
      chunks / (together * reduce_warps * chunks_of_round), 1, most_rounds);
  const std::int64_t blocks = std::min((chunks - 1) / reduce_warps + 1, rounds * together);
  return {static_cast<unsigned>(std::max<std::int64_t>(blocks / reduce_groups, 1) * reduce_groups),
          pass_lanes};
}

template <int V, class Op, class T>
void launch(const device& where, const reduce_shape& shape, const Op& op, const reduce_arrays<T>& a,
            const reduce_scratch& scratch, double* to) {
  launch_kernel<reduce_kernels<Op, T>, reduce_kernel_of<Op, T, std::integral_constant<int, V>>>(
      where, shape.blocks, shape.threads, op, a, scratch, to);
}

std::size_t reduce_partial_size(std::int64_t n) {
  const std::int64_t chunks = pass_chunks(n);
  return chunks <= reduce_alone ? 0 : static_cast<std::size_t>(chunks);
}

template <class Op, class T>
void run_reduce(const device& where, int units, const Op& op, const reduce_arrays<T>& a,
                const reduce_scratch& scratch, double* to) {
  constexpr int together = 16 / sizeof(T);
  const current_device here(where.ordinal());
  const reduce_shape shape = shape_for(pass_chunks(a.n), units);
  const auto whole_loads = [](const T* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; };
  if (whole_loads(a.x) && whole_loads(a.y))
    launch<together>(where, shape, op, a, scratch, to);
  else
    launch<1>(where, shape, op, a, scratch, to);
}

double* make_result(const device& where) {
  double* value = nullptr;
  const current_device here(where.ordinal());
  DWELL_CUDA(cudaHostAlloc(reinterpret_cast<void**>(&value), sizeof(double),
                           cudaHostAllocPortable | cudaHostAllocMapped));
  return value;
}
void release_result(double* value) { cudaFreeHost(value); }

constexpr reduce_results results = {&reduce_partial_size, &make_result, &release_result};
template <class T>
constexpr reduce_functions<T> functions = {
#define DWELL_ENTRY(op, U) {&run_reduce<reduce_step::op, U>},
    DWELL_EACH_REDUCTION_OF(DWELL_ENTRY, T)
#undef DWELL_ENTRY
};

}  // namespace
}  // namespace dwell::cuda

namespace dwell {

template <>
const reduce_results& cuda_backend() {
  return cuda::results;
}
template <>
const reduce_functions<double>& cuda_backend() {
  return cuda::functions<double>;
}
template <>
const reduce_functions<float>& cuda_backend() {
  return cuda::functions<float>;
}

}  // namespace dwell
