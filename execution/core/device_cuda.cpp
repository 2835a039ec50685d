// SPDX-License-Identifier: MIT
// CUDA devices: which there are, their limits, their memory. The runtime is linked statically, so
// that one binary also starts where there is no driver.
#include <cuda.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>

#include "dwell/execution/core/cuda_check.hpp"
#include "dwell/execution/core/device_backends.hpp"
#include "dwell/execution/core/plan.hpp"

namespace dwell {
namespace {

using cuda::check;

/// A copy from pageable memory may be under way when the call returns, and a memset is; streams
/// that do not wait for the default one, such as a run's, must find them done.
void finish_default_stream() { DWELL_CUDA(cudaStreamSynchronize(cudaStreamLegacy)); }

/// A single copy takes pitches of less than 2 GiB.
void copy_rows(const device& where, const row_copy& c, cudaMemcpyKind kind) {
  DWELL_CUDA(cudaSetDevice(where.ordinal()));
  if (std::max(c.to_pitch, c.from_pitch) <= std::size_t{1} << 30) {
    DWELL_CUDA(cudaMemcpy2D(c.to, c.to_pitch, c.from, c.from_pitch, c.bytes, c.rows, kind));
    return;
  }
  for (std::size_t r = 0; r < c.rows; ++r)
    DWELL_CUDA(cudaMemcpy(static_cast<char*>(c.to) + r * c.to_pitch,
                          static_cast<const char*>(c.from) + r * c.from_pitch, c.bytes, kind));
}

const memory_space space = {
    [](const device& where, std::size_t bytes, fresh content) {
      DWELL_CUDA(cudaSetDevice(where.ordinal()));
      void* p = nullptr;
      const cudaError_t status = cudaMalloc(&p, bytes ? bytes : 1);
      if (status == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        std::size_t free = 0, total = 0;
        DWELL_CUDA(cudaMemGetInfo(&free, &total));
        throw device_error(
            fmt::format("not enough memory on CUDA device {}: {:.1f} MB more are "
                        "needed, {:.1f} of {:.1f} MB are free",
                        where.ordinal(), static_cast<double>(bytes) * 1e-6,
                        static_cast<double>(free) * 1e-6, static_cast<double>(total) * 1e-6));
      }
      check(status, "cudaMalloc");
      if (content == fresh::zeroed) {
        DWELL_CUDA(cudaMemset(p, 0, bytes ? bytes : 1));
        finish_default_stream();
      }
      return p;
    },
    [](const device&, void* p) { cudaFree(p); },
    [](const device& where, void* to, const void* from, std::size_t bytes) {
      DWELL_CUDA(cudaSetDevice(where.ordinal()));
      DWELL_CUDA(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
      finish_default_stream();
    },
    [](const device& where, void* to, const void* from, std::size_t bytes) {
      DWELL_CUDA(cudaSetDevice(where.ordinal()));
      DWELL_CUDA(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost));
    },
    [](const device& where, const row_copy& c) {
      copy_rows(where, c, cudaMemcpyHostToDevice);
      finish_default_stream();
    },
    [](const device& where, const row_copy& c) { copy_rows(where, c, cudaMemcpyDeviceToHost); },
    false};

std::size_t attribute(cudaDeviceAttr which, int ordinal) {
  int v = 0;
  DWELL_CUDA(cudaDeviceGetAttribute(&v, which, ordinal));
  return static_cast<std::size_t>(v);
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
  }
  return p;
}

device_facts cuda_facts(int ordinal) {
  DWELL_CUDA(cudaSetDevice(ordinal));
  cudaDeviceProp prop;
  DWELL_CUDA(cudaGetDeviceProperties(&prop, ordinal));
  device_facts f;
  f.name = prop.name;
  f.on = backend::cuda;
  f.ordinal = ordinal;
  f.units = prop.multiProcessorCount;
  f.compute_capability = prop.major * 10 + prop.minor;
  DWELL_CUDA(cudaMemGetInfo(&f.memory_free, &f.memory));
  f.l2 = static_cast<std::size_t>(prop.l2CacheSize);
  f.shared_per_team = prop.sharedMemPerBlockOptin;
  f.shared_per_unit = prop.sharedMemPerMultiprocessor;
  f.registers_per_unit = static_cast<std::size_t>(prop.regsPerMultiprocessor);
  f.cluster_teams = prop.major >= 9 ? most_cluster_teams : 0;
  f.cooperative_launch = attribute(cudaDevAttrCooperativeLaunch, ordinal) != 0;
  return f;
}

const memory_space& cuda_memory() { return space; }

/// Asks the driver if somebody has loaded it already: without it nobody has memory of a GPU. The
/// runtime's own question would make a context where there is none yet; and this one, of several
/// attributes, calls it no error that it does not know a pointer.
bool is_device_memory(const void* p) {
  void* const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (!driver) return false;
  using question = CUresult (*)(unsigned, CUpointer_attribute*, void**, CUdeviceptr);
  const auto ask = reinterpret_cast<question>(dlsym(driver, "cuPointerGetAttributes"));
  CUpointer_attribute asked[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED};
  CUmemorytype type = CU_MEMORYTYPE_HOST;
  unsigned managed = 0;
  void* answers[] = {&type, &managed};
  const bool on_device = ask &&
                         ask(2, asked, answers, reinterpret_cast<CUdeviceptr>(p)) == CUDA_SUCCESS &&
                         type == CU_MEMORYTYPE_DEVICE && !managed;
  dlclose(driver);
  return on_device;
}

}  // namespace dwell
