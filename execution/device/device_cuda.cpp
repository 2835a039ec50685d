// SPDX-License-Identifier: MIT
// CUDA devices: which there are, their limits, their streams. The runtime is linked statically, so
// that one binary also starts where there is no driver.
#include <cuda.h>
#include <dlfcn.h>

#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "dwell/execution/device/cluster.hpp"
#include "dwell/execution/device/cuda_backend.hpp"
#include "dwell/execution/device/cuda_check.hpp"
#include "dwell/execution/device/current_device_cuda.hpp"
#include "dwell/execution/device/nvrtc.hpp"

namespace dwell {
namespace {

device_facts lasting_facts(int ordinal) {
  cudaDeviceProp prop;
  DWELL_CUDA(cudaGetDeviceProperties(&prop, ordinal));
  device_facts f;
  f.name = prop.name;
  f.on = backend::cuda;
  f.ordinal = ordinal;
  f.units = prop.multiProcessorCount;
  f.compute_capability = prop.major * 10 + prop.minor;
  f.l2 = static_cast<std::size_t>(prop.l2CacheSize);
  f.shared_per_team = prop.sharedMemPerBlockOptin;
  f.shared_per_unit = prop.sharedMemPerMultiprocessor;
  f.registers_per_unit = static_cast<std::size_t>(prop.regsPerMultiprocessor);
  f.cluster_teams = compiled_capability(f.compute_capability) >= 90 ? most_cluster_teams : 0;
  f.cooperative_launch = prop.cooperativeLaunch != 0;
  return f;
}

/// Why kernels cannot be compiled for the driver that is here; or empty.
std::string why_no_nvrtc() {
  int version = 0;
  DWELL_CUDA(cudaDriverGetVersion(&version));
  try {
    (void)nvrtc::library(version / 1000);
    return {};
  } catch (const unsupported_error& e) {
    return e.what();
  }
}

}  // namespace

cuda_presence find_cuda() {
  cuda_presence p;
  p.built_in = true;
  const cudaError_t status = cudaGetDeviceCount(&p.devices);
  if (status != cudaSuccess) {
    cudaGetLastError();
    p.devices = 0;
    p.reason = status == cudaErrorInsufficientDriver
                   ? "no NVIDIA driver, or one too old for this build"
                   : cudaGetErrorString(status);
  } else if (p.devices == 0) {
    p.reason = "no CUDA-capable device is present";
  } else if (needs_nvrtc()) {
    static const auto& missing =
        *new const std::string(why_no_nvrtc());  // once: it is looked for on disk
    if (!missing.empty()) p = {true, 0, missing};
  }
  return p;
}

double start_cuda(int ordinal) {
  static auto& guard = *new std::mutex;  // never destroyed: statics may solve at their end
  static auto& started = *new std::vector<bool>;
  const std::lock_guard lock(guard);
  const auto at = static_cast<std::size_t>(ordinal);
  if (started.size() <= at) started.resize(at + 1, false);
  if (started[at]) return 0.0;
  const auto begin = std::chrono::steady_clock::now();
  const cuda::current_device here(ordinal);
  DWELL_CUDA(cudaFree(nullptr));
  started[at] = true;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void* make_cuda_stream(int ordinal) {
  const cuda::current_device here(ordinal);
  cudaStream_t made = nullptr;
  DWELL_CUDA(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking));
  return made;
}

void release_cuda_stream(void* stream) noexcept {
  cudaStreamDestroy(static_cast<cudaStream_t>(stream));
}

device_facts cuda_facts(int ordinal) {
  static auto& guard = *new std::mutex;                   // never destroyed, as above
  static auto& known = *new std::map<int, device_facts>;  // all but the free memory stays as it is
  const std::lock_guard lock(guard);
  const cuda::current_device here(ordinal);
  if (!known.contains(ordinal)) known[ordinal] = lasting_facts(ordinal);
  device_facts f = known[ordinal];
  DWELL_CUDA(cudaMemGetInfo(&f.memory_free, &f.memory));
  return f;
}

namespace {

struct memory_place {
  bool on_device = false, managed = false;
  int ordinal = 0;
};

/// Asks the driver if somebody has loaded it already: without it nobody has memory of a GPU. The
/// runtime's own question would make a context where there is none yet; and this one, of several
/// attributes, calls it no error that it does not know a pointer.
memory_place place_of(const void* p) {
  void* const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (!driver) return {};
  using question = CUresult (*)(unsigned, CUpointer_attribute*, void**, CUdeviceptr);
  const auto ask = reinterpret_cast<question>(dlsym(driver, "cuPointerGetAttributes"));
  CUpointer_attribute asked[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                 CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  CUmemorytype type = CU_MEMORYTYPE_HOST;
  unsigned managed = 0;
  int ordinal = 0;
  void* answers[] = {&type, &managed, &ordinal};
  memory_place place;
  if (ask && ask(3, asked, answers, reinterpret_cast<CUdeviceptr>(p)) == CUDA_SUCCESS)
    place = {type == CU_MEMORYTYPE_DEVICE, managed != 0, ordinal};
  dlclose(driver);
  return place;
}

}  // namespace

bool is_device_memory(const void* p) {
  const memory_place place = place_of(p);
  return place.on_device && !place.managed;
}

std::optional<int> device_of_memory(const void* p) {
  const memory_place place = place_of(p);
  if (!place.on_device && !place.managed) return {};
  return place.ordinal;
}

}  // namespace dwell
