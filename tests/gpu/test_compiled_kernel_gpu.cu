// SPDX-License-Identifier: MIT
// Kernels compiled at run time, on a GPU: whole runs of host-loop, graph and naive by them have the
// bits of the kernels that nvcc has compiled, and of plain loops. Skipped, visibly, without NVRTC.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "scratch.hpp"
#include "stencil_oracle.hpp"
#include "stencil_place.hpp"

#include "dwell/base/error.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/device/cuda_check.hpp"
#include "dwell/execution/device/nvrtc.hpp"
#include "dwell/execution/stencil/launch/compiled_steps_cuda.cuh"
#include "dwell/execution/stencil/loops/graph.hpp"
#include "dwell/execution/stencil/loops/host_loop.hpp"
#include "dwell/execution/stencil/loops/naive.hpp"
#include "dwell/solvers/stencil/api/stencil_table.hpp"
#include "dwell/solvers/stencil/shapes/box2d25.hpp"
#include "dwell/solvers/stencil/shapes/box3d27.hpp"
#include "dwell/solvers/stencil/shapes/gradient2d.hpp"
#include "dwell/solvers/stencil/shapes/star2d5.hpp"
#include "dwell/solvers/stencil/shapes/star3d7.hpp"

// A struct and its text.
#define DWELL_WITH_TEXT(...)                                                       \
  __VA_ARGS__                                                                      \
  struct askew_text {                                                              \
    static shape_text text() {                                                     \
      return {"namespace dwell::test { " #__VA_ARGS__ " }", "dwell::test::askew"}; \
    }                                                                              \
  };

namespace dwell::test {

DWELL_WITH_TEXT(struct askew
                : linear_stencil<askew> {
                  static constexpr const char* name = "askew";
                  static constexpr int dims = 2;
                  static constexpr tap taps[] = {{0, 0}, {1, 0}, {-1, 1}, {0, -1}, {-2, 3}};
                };)

namespace {

#define DWELL_BUILT_IN(SHAPE)                                                                \
  struct SHAPE##_text {                                                                      \
    static shape_text text() {                                                               \
      return {"#include \"dwell/solvers/stencil/shapes/" #SHAPE ".hpp\"", "dwell::" #SHAPE}; \
    }                                                                                        \
  };
DWELL_BUILT_IN(star2d5)
DWELL_BUILT_IN(box2d25)
DWELL_BUILT_IN(gradient2d)
DWELL_BUILT_IN(star3d7)
DWELL_BUILT_IN(box3d27)

template <class S, class T>
std::vector<stencil_kernel> compiled_ahead() {
  return {cuda::driven_kernel<S, T, naive_stencil>(),
          cuda::driven_kernel<S, T, host_loop_stencil>(),
          cuda::driven_kernel<S, T, graph_stencil>()};
}
template <class S, class T, class Text>
std::vector<stencil_kernel> compiled_at_run_time() {
  return {cuda::compiled_steps_kernel<S, T, naive_stencil, Text>(),
          cuda::compiled_steps_kernel<S, T, host_loop_stencil, Text>(),
          cuda::compiled_steps_kernel<S, T, graph_stencil, Text>()};
}

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

template <class S, class T, class Text>
void expect_bits(const std::vector<extents>& sizes) {
  const device where = stencil_place::where();
  const auto ahead = compiled_ahead<S, T>(), late = compiled_at_run_time<S, T, Text>();
  for (const extents& n : sizes) {
    const auto start = random_field<T>(n, 1), source = random_field<T>(n, 2);
    for (const grid<T>* f : {static_cast<const grid<T>*>(nullptr), &source})
      for (const boundary edge : {boundary::fixed, boundary::periodic, boundary::reflect})
        for (const auto& row : ahead) {
          stencil_options o;
          o.shape = S::name;
          o.steps = 17;
          o.edge = edge;
          o.executor = row.executor;
          if (is_linear<S>) o.weights = uneven_weights(shape_of<S>());
          const auto expected = stencil_by_loops(shape_of<S>(), start, o.steps, edge, o.weights, f);
          auto first = start, second = start;
          solve_from(ahead, where, first, o, f);
          const auto report = solve_from(late, where, second, o, f);
          const std::string what = std::string(S::name) + ", " + to_string(n) + ", " +
                                   to_string(edge) + ", " + row.executor +
                                   (f ? ", with a source" : "");
          EXPECT_EQ(report.executor, row.executor);
          EXPECT_EQ(difference(second, first), "") << what;
          EXPECT_EQ(difference(second, expected), "") << what;
        }
  }
}

TEST_F(compiled_kernel_gpu, steps_in_two_dimensions_have_the_bits_of_nvcc_and_of_loops) {
  const std::vector<extents> sizes = {extents(45, 136), extents(31, 67), extents(260, 1030)};
  expect_bits<star2d5, double, star2d5_text>(sizes);
  expect_bits<star2d5, float, star2d5_text>(sizes);
  expect_bits<box2d25, double, box2d25_text>(sizes);
  expect_bits<gradient2d, double, gradient2d_text>(sizes);
  expect_bits<gradient2d, float, gradient2d_text>(sizes);
}
TEST_F(compiled_kernel_gpu, steps_in_three_dimensions_have_the_bits_of_nvcc_and_of_loops) {
  const std::vector<extents> sizes = {extents(9, 14, 31), extents(20, 33, 128)};
  expect_bits<star3d7, double, star3d7_text>(sizes);
  expect_bits<box3d27, float, box3d27_text>(sizes);
}
TEST_F(compiled_kernel_gpu, a_shape_of_ones_own_likewise) {
  expect_bits<askew, double, askew_text>({extents(45, 136), extents(31, 67)});
  expect_bits<askew, float, askew_text>({extents(45, 136)});
}

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
