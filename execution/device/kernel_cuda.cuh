// SPDX-License-Identifier: MIT
// A kernel of either family from the host's side: loading, its limits on a device, a launch whose
// teams all run together, and the clock of a run.
#pragma once
#include <cstddef>
#include <map>
#include <mutex>
#include <utility>

#include "dwell/device/device.hpp"
#include "dwell/execution/device/cuda_check.hpp"
#include "dwell/execution/device/current_device_cuda.hpp"

namespace dwell::cuda {

/// The first launch of a kernel loads it; that is set-up.
template <class Kernel>
cudaFuncAttributes loaded(Kernel kernel) {
  cudaFuncAttributes f{};
  check(cudaFuncGetAttributes(&f, kernel), "loading a kernel");
  return f;
}

/// More than 48 KB of dynamic scratch must be asked for. The limit is the kernel's, not a launch's:
/// it is only raised, since others may have prepared launches of the same kernel with more scratch.
inline void allow_scratch(const void* kernel, std::size_t bytes) {
  if (bytes <= 48 * 1024) return;
  static auto& guard = *new std::mutex;  // never destroyed: statics may solve at their end
  static auto& allowed = *new std::map<std::pair<int, const void*>, std::size_t>;
  const std::lock_guard lock(guard);
  int ordinal = 0;
  DWELL_CUDA(cudaGetDevice(&ordinal));
  std::size_t& limit = allowed[{ordinal, kernel}];
  if (bytes <= limit) return;
  DWELL_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(bytes)));
  limit = bytes;
}
template <class Kernel>
void allow_scratch(Kernel* kernel, std::size_t bytes) {
  allow_scratch(reinterpret_cast<const void*>(kernel), bytes);
}

struct kernel_limits {
  int registers = 0;    ///< per lane
  int spill_bytes = 0;  ///< per lane
  int max_teams = 0;    ///< that fit on the device together, with so much scratch each
};
/// Asks the compiled kernel and the driver.
template <class Kernel>
kernel_limits limits_of_kernel(Kernel kernel, int lanes, std::size_t scratch, const device& where) {
  const current_device here(where.ordinal());
  allow_scratch(kernel, scratch);
  const cudaFuncAttributes f = loaded(kernel);
  int per_unit = 0, units = 0;
  DWELL_CUDA(cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, where.ordinal()));
  DWELL_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_unit, kernel, lanes, scratch));
  return {f.numRegs, static_cast<int>(f.localSizeBytes), per_unit * units};
}

/// A launch whose teams meet: all are on the device together; in_cluster: as one cluster.
template <class Kernel, class... Args>
void launch_together(Kernel kernel, int teams, int lanes, std::size_t scratch, cudaStream_t on,
                     bool in_cluster, const Args&... a) {
  cudaLaunchAttribute together{};
  if (in_cluster) {
    DWELL_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    together.id = cudaLaunchAttributeClusterDimension;
    together.val.clusterDim.x = static_cast<unsigned>(teams);
    together.val.clusterDim.y = together.val.clusterDim.z = 1;
  } else {
    together.id = cudaLaunchAttributeCooperative;
    together.val.cooperative = 1;
  }
  cudaLaunchConfig_t launch{};
  launch.gridDim = dim3(static_cast<unsigned>(teams));
  launch.blockDim = dim3(static_cast<unsigned>(lanes));
  launch.dynamicSmemBytes = scratch;
  launch.stream = on;
  launch.attrs = &together;
  launch.numAttrs = 1;
  void* args[] = {const_cast<Args*>(&a)...};
  DWELL_CUDA(cudaLaunchKernelExC(&launch, reinterpret_cast<const void*>(kernel), args));
}

/// A launch whose teams do not meet: any number of them, as they find room.
template <class Kernel, class... Args>
void launch_apart(Kernel kernel, dim3 teams, dim3 lanes, std::size_t scratch, cudaStream_t on,
                  const Args&... a) {
  cudaLaunchConfig_t launch{};
  launch.gridDim = teams;
  launch.blockDim = lanes;
  launch.dynamicSmemBytes = scratch;
  launch.stream = on;
  void* args[] = {const_cast<Args*>(&a)...};
  DWELL_CUDA(cudaLaunchKernelExC(&launch, reinterpret_cast<const void*>(kernel), args));
}

/// The device's stream and the two events that give the time of a run in it.
class run_clock {
 public:
  explicit run_clock(const device& where)
      : ordinal_(where.ordinal()), stream_(static_cast<cudaStream_t>(where.stream())) {
    const current_device here = use_device();
    DWELL_CUDA(cudaEventCreate(begin_.out()));
    DWELL_CUDA(cudaEventCreate(end_.out()));
  }
  /// The clock's device is the current one as long as the answer lives.
  current_device use_device() const { return current_device(ordinal_); }
  cudaStream_t stream() const { return stream_; }
  int ordinal() const { return ordinal_; }
  void begin() { DWELL_CUDA(cudaEventRecord(begin_, stream_)); }
  void end() { DWELL_CUDA(cudaEventRecord(end_, stream_)); }
  cudaEvent_t ended() const { return end_; }
  /// Once both have happened.
  double seconds() const {
    float ms = 0;
    DWELL_CUDA(cudaEventElapsedTime(&ms, begin_, end_));
    return ms * 1e-3;
  }

 private:
  int ordinal_;
  cudaStream_t stream_;
  event begin_, end_;
};

}  // namespace dwell::cuda
