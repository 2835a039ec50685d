// SPDX-License-Identifier: MIT
// Sums by CUB, of the elements' own type, as its users call it: memory for its work is there
// before.
#include <cub/device/device_reduce.cuh>

#include "studies/measure/cuda/reductions.cuh"

namespace dwell::app {

namespace {

using namespace gpu;

template <class T>
void queued(measuring& m) {
  kernel_timer timer(m.request().here);
  const gpu_array<T> result(1);
  const T* const none = nullptr;
  std::size_t bytes = 0;
  DWELL_CUDA(cub::DeviceReduce::Sum(nullptr, bytes, none, result.data(), std::int64_t{1} << 30,
                                    timer.stream()));
  const gpu_array<std::byte> room(std::max<std::size_t>(bytes, 1));
  add_sums<T>(m, timer, "sum, CUB", 0, [&](const T* v, std::int64_t n) {
    std::size_t size = room.size();
    DWELL_CUDA(cub::DeviceReduce::Sum(room.data(), size, v, result.data(), n, timer.stream()));
  });
}

}  // namespace

void measure_reduce_cub(measuring& m) {
  queued<double>(m);
  queued<float>(m);
}

}  // namespace dwell::app
