// SPDX-License-Identifier: MIT
#include "dwell/execution/device/current_device_cuda.hpp"

#include <cuda.h>
#include <dlfcn.h>

#include "dwell/execution/device/cuda_check.hpp"

namespace dwell::cuda {
namespace {

/// Functions of libcuda; null where there is none, and then there is no device either.
struct context_functions {
  decltype(&cuCtxGetCurrent) get = nullptr;
  decltype(&cuCtxSetCurrent) set = nullptr;
  decltype(&cuDevicePrimaryCtxGetState) state = nullptr;

  context_functions() {
    void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!driver) return;
    get = reinterpret_cast<decltype(get)>(dlsym(driver, "cuCtxGetCurrent"));
    set = reinterpret_cast<decltype(set)>(dlsym(driver, "cuCtxSetCurrent"));
    state = reinterpret_cast<decltype(state)>(dlsym(driver, "cuDevicePrimaryCtxGetState"));
  }
};

const context_functions& contexts() {
  static const auto& all = *new const context_functions;  // never unloaded
  return all;
}

/// None, too, before the driver has begun.
CUcontext current() {
  CUcontext context = nullptr;
  if (!contexts().get || contexts().get(&context) != CUDA_SUCCESS) return nullptr;
  return context;
}

/// A thread without a context works on the first device. Where that has a context it becomes
/// current: else the next call of the runtime would take the device of the last one.
void leave_default() {
  unsigned flags = 0;
  int active = 0;
  if (contexts().state && contexts().state(0, &flags, &active) == CUDA_SUCCESS && active)
    cudaSetDevice(0);
  else if (contexts().set)
    contexts().set(nullptr);
}

}  // namespace

current_device::current_device(int ordinal) : before_(current()) {
  DWELL_CUDA(cudaSetDevice(ordinal));
  changed_ = current() != before_;
}

current_device::current_device(int ordinal, std::nothrow_t) noexcept : before_(current()) {
  changed_ = cudaSetDevice(ordinal) == cudaSuccess && current() != before_;
}

current_device::~current_device() {
  if (!changed_) return;
  if (!before_)
    leave_default();
  else if (contexts().set)
    contexts().set(static_cast<CUcontext>(before_));
}

}  // namespace dwell::cuda
