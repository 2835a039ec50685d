// SPDX-License-Identifier: MIT
#include "dwell/execution/device/loaded_kernel_cuda.hpp"

#include <cuda.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/execution/device/cuda_check.hpp"
#include "dwell/execution/device/kernel_cuda.cuh"
#include "dwell/execution/device/kernel_facts.hpp"

namespace dwell::cuda {
namespace {

/// Functions of libcuda, which the runtime has loaded by the time that there is a device.
struct driver_functions {
  decltype(&cuLibraryLoadData) load = nullptr;
  decltype(&cuLibraryGetKernel) kernel = nullptr;
  decltype(&cuLibraryUnload) unload = nullptr;
  decltype(&cuGetErrorString) error_string = nullptr;

  driver_functions() {
    void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!driver) throw device_error(fmt::format("CUDA: {}", dlerror()));
    find(driver, "cuLibraryLoadData", load);
    find(driver, "cuLibraryGetKernel", kernel);
    find(driver, "cuLibraryUnload", unload);
    find(driver, "cuGetErrorString", error_string);
  }
  void check(CUresult status, const std::string& what) const {
    if (status == CUDA_SUCCESS) return;
    const char* text = nullptr;
    error_string(status, &text);
    throw device_error(fmt::format("CUDA: {}: {}", what, text ? text : "unknown error"));
  }

 private:
  template <class F>
  static void find(void* driver, const char* name, F& function) {
    function = reinterpret_cast<F>(dlsym(driver, name));
    if (!function)
      throw device_error(fmt::format("CUDA: the driver has no {}: it is older than 12.0", name));
  }
};

const driver_functions& driver() {
  static const auto& all = *new const driver_functions;  // never unloaded
  return all;
}

}  // namespace

loaded_kernel::loaded_kernel(std::shared_ptr<const compiled_kernel> code) : code_(std::move(code)) {
  DWELL_CUDA(cudaFree(nullptr));  // the runtime's context, in which kernels are launched
  const std::string what = "loading " + code_->symbol;
  CUlibrary library = nullptr;
  driver().check(
      driver().load(&library, code_->cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0), what);
  CUkernel kernel = nullptr;
  const CUresult status = driver().kernel(&kernel, library, code_->symbol.c_str());
  if (status != CUDA_SUCCESS) driver().unload(library);
  driver().check(status, what);
  library_ = library;
  kernel_ = kernel;
}

const void* loaded_kernel::handle_of(const std::string& symbol) const {
  CUkernel kernel = nullptr;
  driver().check(driver().kernel(&kernel, static_cast<CUlibrary>(library_), symbol.c_str()),
                 "loading " + symbol);
  return kernel;
}

loaded_kernel::~loaded_kernel() { driver().unload(static_cast<CUlibrary>(library_)); }

const loaded_kernel& lasting(const std::shared_ptr<const compiled_kernel>& code) {
  static auto& guard = *new std::mutex;
  static auto& all = *new std::map<std::string, std::unique_ptr<const loaded_kernel>>;
  const std::lock_guard lock(guard);
  auto& one = all[code->key];
  if (!one) one = std::make_unique<const loaded_kernel>(code);
  return *one;
}

void note_facts(const compiled_kernel& code, const void* handle, int lanes, std::size_t scratch,
                const device& where) {
  const current_device here(where.ordinal());
  allow_scratch(handle, scratch);
  const cudaFuncAttributes f = loaded(handle);
  kernel_facts facts{f.numRegs, static_cast<int>(f.localSizeBytes), f.sharedSizeBytes, 0};
  DWELL_CUDA(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&facts.teams_per_unit, handle, lanes, scratch));
  keep_facts(code, {where.facts().name, lanes, scratch}, facts);
}

kernel_target target_of(const device& where) { return target_of(where.ordinal()); }

kernel_target target_of(int ordinal) {
  int major = 0, minor = 0;
  DWELL_CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, ordinal));
  DWELL_CUDA(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, ordinal));
  return {10 * major + minor, cuda_driver_major()};
}

}  // namespace dwell::cuda

namespace dwell {

int cuda_driver_major() {
  int version = 0;
  return cudaDriverGetVersion(&version) == cudaSuccess ? version / 1000 : 0;
}

}  // namespace dwell
