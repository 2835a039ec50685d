// SPDX-License-Identifier: MIT
// Kernels compiled at run time, on a GPU: what their compiler must not do, and what is not loaded.
// Runs by them: test_needed_kernels_gpu.cpp. Skipped, visibly, without NVRTC.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "scratch.hpp"
#include "stencil_place.hpp"

#include "dwell/base/error.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/device/cuda_check.hpp"
#include "dwell/execution/device/kernel_cuda.cuh"
#include "dwell/execution/device/loaded_kernel_cuda.hpp"
#include "dwell/execution/device/nvrtc.hpp"

namespace dwell::test {
namespace {

class compiled_kernel_gpu : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = stencil_place::absent(); !why.empty()) GTEST_SKIP() << why;
    setenv("DWELL_CACHE_DIR", (folder_ / "cache").c_str(), 1);
    try {
      nvrtc::library(cuda::target_of(stencil_place::where()).driver_major);
    } catch (const unsupported_error& e) {
      GTEST_SKIP() << e.what();
    }
  }
  ~compiled_kernel_gpu() override { unsetenv("DWELL_CACHE_DIR"); }

  scratch_folder folder_;
};

/// What the compiler must never do: a product and a sum in one rounding.
TEST_F(compiled_kernel_gpu, nothing_is_contracted) {
  const kernel_source source = {
      "template <class T> __global__ void f(T* v) { v[3] = v[0] * v[1] + v[2]; }\n", "f<double>"};
  const device where = stencil_place::where();
  const cuda::loaded_kernel kernel(compile_kernel(source, cuda::target_of(where)));
  const double a = 1 + 0x1p-30, b = 1 - 0x1p-30;
  buffer<double> v(where, 4);
  const double start[4] = {a, b, -1.0, 5.0};
  v.upload({start, 4});
  double* data = v.data();
  cuda::launch_apart(kernel.handle(), 1, 1, 0, static_cast<cudaStream_t>(where.stream()), data);
  DWELL_CUDA(cudaDeviceSynchronize());
  double end[4];
  v.download({end, 4});
  EXPECT_EQ(end[3], 0.0);  // a fused one: -2^-60
}

TEST_F(compiled_kernel_gpu, code_for_another_device_is_refused) {
  const device where = stencil_place::where();
  const int other = where.facts().compute_capability == 80 ? 90 : 80;
  kernel_target target = cuda::target_of(where);
  target.compute_capability = other;
  const auto code = compile_kernel(
      {"template <class T> __global__ void f(T* v) { *v = 1; }\n", "f<double>"}, target);
  try {
    const cuda::loaded_kernel kernel(code);
    cuda::loaded(kernel.handle());
    FAIL() << "loaded";
  } catch (const device_error& e) {
    EXPECT_NE(std::string(e.what()).find("CUDA: "), std::string::npos) << e.what();
    cudaGetLastError();
  }
}

}  // namespace
}  // namespace dwell::test
