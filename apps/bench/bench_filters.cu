// SPDX-License-Identifier: MIT
// bench-filters: where the weights of a filter lie while a convolution runs on a GPU (Chen et al.
// 2019, section 4). The library's systolic kernels have them in shared memory, to which each block
// copies them; the same tiles are computed here with weights in constant memory and in the
// arguments of the kernel. All of them must have the same bits.
#include <cuda_runtime.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/device/device.hpp"
#include "dwell/execution/device/cuda_check.hpp"
#include "dwell/solvers/arrays/convolution/algorithms/systolic.hpp"
#include "dwell/solvers/arrays/convolution/launch_cuda.cuh"

namespace dwell {
namespace {

using kernels = systolic_convolution::on_cuda;
/// Room for filters of up to 16 taps along each axis; above 25 rows kernels need shared memory
/// for cells, too.
constexpr int most_weights = 16 * 16;

template <class T>
struct weights_argument {
  T values[most_weights];
};
template <class T>
__constant__ T constant_weights[most_weights];

/// Tap rows of the kernels that this program has: of filters of 3, 5, 9 and 15 taps.
constexpr bool is_compiled(int rows) { return rows == 3 || rows == 5 || rows == 9 || rows == 16; }

enum class weights_in { shared, constant, arguments };

template <weights_in Where, int Instance, class Pass>
__global__ void __launch_bounds__(32 * warps_of_block, kernels::warps_of(Instance) / warps_of_block)
    placed_kernel(Pass a, const tile_grid tiles,
                  const __grid_constant__ weights_argument<typename Pass::sum> given) {
  using T = typename Pass::sum;
  a.weights = Where == weights_in::constant ? constant_weights<T> : given.values;
  const int number = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / 32, 0);
  const convolution_tile at = cuda::tile_of_warp(tiles, a.size, number);
  cuda::convolution_warp<kernels, T> warp;
  kernels::template compute<Instance>(warp, a, at, static_cast<typename Pass::cell*>(nullptr),
                                      [] {});
}

template <class T>
class measurement {
 public:
  using pass = convolution_pass<T>;

  measurement(int rows, int columns)
      : size_(rows, columns), cells_(static_cast<std::size_t>(rows) * columns) {
    DWELL_CUDA(cudaMalloc(&in_, bytes()));
    DWELL_CUDA(cudaMalloc(&out_, bytes()));
    DWELL_CUDA(cudaMalloc(&weights_, sizeof(given_)));
    std::vector<T> image(cells_);
    unsigned state = 1;
    for (T& v : image)
      v = static_cast<T>((state = state * 1664525u + 1013904223u) * 0x1p-32) - T(0.5);
    DWELL_CUDA(cudaMemcpy(in_, image.data(), bytes(), cudaMemcpyHostToDevice));
    DWELL_CUDA(cudaEventCreate(&begin_));
    DWELL_CUDA(cudaEventCreate(&end_));
  }
  ~measurement() {
    cudaFree(in_), cudaFree(out_), cudaFree(weights_);
    cudaEventDestroy(begin_), cudaEventDestroy(end_);
  }
  measurement(const measurement&) = delete;
  measurement& operator=(const measurement&) = delete;

  /// A line of the table: a filter of so many taps along each axis.
  void run(int taps, int runs) {
    for (int k = 0; k < most_weights; ++k)
      given_.values[k] = static_cast<T>(1 + (k * 37) % 101) / static_cast<T>(64 * taps * taps);
    DWELL_CUDA(cudaMemcpy(weights_, given_.values, sizeof(given_), cudaMemcpyHostToDevice));
    DWELL_CUDA(cudaMemcpyToSymbol(constant_weights<T>, given_.values, sizeof(given_)));
    pass a;
    a.in = in_;
    a.out = out_;
    a.size = size_;
    a.filter = extents(taps, taps);
    a.before_y = a.before_x = taps / 2;
    a.weights = weights_;
    with_instance<kernels>(taps, [&](auto instance) { run_instance<instance>(a, taps, runs); });
  }

 private:
  template <int Instance>
  void run_instance(const pass& a, int taps, int runs) {
    if constexpr (is_compiled(kernels::heights[Instance])) {
      const double shared = microseconds<weights_in::shared, Instance>(a, runs);
      const std::vector<T> expected = computed();
      const double constant = microseconds<weights_in::constant, Instance>(a, runs);
      require_same(expected, "constant memory");
      const double arguments = microseconds<weights_in::arguments, Instance>(a, runs);
      require_same(expected, "arguments");
      std::printf("| %dx%d | %.1f | %.1f | %.1f | %.3f | %.3f |\n", taps, taps, shared, constant,
                  arguments, shared / constant, shared / arguments);
    } else {
      throw input_error("--taps: expected 3, 5, 9 or 15, found " + std::to_string(taps));
    }
  }

  std::size_t bytes() const { return cells_ * sizeof(T); }

  template <weights_in Where, int Instance>
  void launch(const pass& a) {
    if constexpr (Where == weights_in::shared) {
      cuda::launch_convolution<kernels, Instance>(device::cuda(0), a);
    } else {
      const tile_grid tiles = kernels::template tiles<cuda::convolution_warp<kernels, T>>(a);
      placed_kernel<Where, Instance>
          <<<static_cast<unsigned>(cuda::blocks_of(a, tiles)), 32 * warps_of_block>>>(a, tiles,
                                                                                      given_);
      DWELL_CUDA(cudaGetLastError());
    }
  }

  /// The least of so many runs of ten passes, after one that does not count.
  template <weights_in Where, int Instance>
  double microseconds(const pass& a, int runs) {
    constexpr int passes = 10;
    DWELL_CUDA(cudaMemset(out_, 0, bytes()));
    float best = 0;
    for (int k = 0; k <= runs; ++k) {
      DWELL_CUDA(cudaEventRecord(begin_));
      for (int p = 0; p < passes; ++p) launch<Where, Instance>(a);
      DWELL_CUDA(cudaEventRecord(end_));
      DWELL_CUDA(cudaEventSynchronize(end_));
      float ms = 0;
      DWELL_CUDA(cudaEventElapsedTime(&ms, begin_, end_));
      if (k == 1 || (k > 1 && ms < best)) best = ms;
    }
    return best * 1e3 / passes;
  }

  std::vector<T> computed() const {
    std::vector<T> all(cells_);
    DWELL_CUDA(cudaMemcpy(all.data(), out_, bytes(), cudaMemcpyDeviceToHost));
    return all;
  }
  void require_same(const std::vector<T>& expected, const char* where) const {
    if (std::memcmp(computed().data(), expected.data(), bytes()) != 0)
      throw device_error(std::string("weights in ") + where + ": other bits than in shared memory");
  }

  extents size_;
  std::size_t cells_;
  T *in_ = nullptr, *out_ = nullptr, *weights_ = nullptr;
  weights_argument<T> given_ = {};
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

int run(int argc, char** argv) {
  CLI::App app("Weights of a filter in shared memory, in constant memory and in arguments.");
  std::vector<int> size = {8192, 8192}, taps = {3, 5, 9, 15};
  int runs = 5;
  app.add_option("--size", size, "Rows x columns of the image")->delimiter('x')->expected(2);
  app.add_option("--taps", taps, "Taps along each axis: 3, 5, 9 or 15")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--runs", runs, "Of ten passes each; the least counts")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  DWELL_CUDA(cudaSetDevice(0));
  std::printf("%dx%d in f32, us a pass; ratios: shared memory over the other\n\n", size[0],
              size[1]);
  std::printf("| filter | shared | constant | arguments | over constant | over arguments |\n");
  std::printf("|---|--:|--:|--:|--:|--:|\n");
  measurement<float> all(size[0], size[1]);
  for (const int t : taps) all.run(t, runs);
  return 0;
}

}  // namespace
}  // namespace dwell

int main(int argc, char** argv) try {
  return dwell::run(argc, argv);
} catch (const std::exception& e) {
  std::fprintf(stderr, "bench-filters: %s\n", e.what());
  return 1;
}
