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

  context_functions() {
    void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!driver) return;
    get = reinterpret_cast<decltype(get)>(dlsym(driver, "cuCtxGetCurrent"));
    set = reinterpret_cast<decltype(set)>(dlsym(driver, "cuCtxSetCurrent"));
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

}  // namespace

current_device::current_device(int ordinal) : before_(current()) {
  DWELL_CUDA(cudaSetDevice(ordinal));
  changed_ = current() != before_;
}

current_device::~current_device() {
  if (changed_ && contexts().set) contexts().set(static_cast<CUcontext>(before_));
}

}  // namespace dwell::cuda
