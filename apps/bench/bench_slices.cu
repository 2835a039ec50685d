// SPDX-License-Identifier: MIT
// bench-slices: a step of a 3-D stencil by systolic sums, a warp for each slice (Chen et al. 2019,
// section 4): a warp has C = N + P - 1 rows of one plane in registers, a cell of each in a lane,
// and makes from them what its plane adds to the planes around it. Sums move across its lanes; the
// sums of planes meet in shared memory. Beside it a plain kernel, a thread a cell. Both are
// compared with loops on the CPU, bit for bit: planes from the first to the last, in each the
// columns of taps from the left, in a column from above.
#include <cuda_runtime.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/execution/device/cuda_check.hpp"

namespace dwell {
namespace {

/// Taps within Radius along each axis: all of them, or those on the axes.
template <int Radius, bool Star>
struct slice_shape {
  static constexpr int radius = Radius, side = 2 * Radius + 1, taps = side * side * side;
  /// z, y, x from 0 on.
  static __host__ __device__ constexpr bool has(int z, int y, int x) {
    return !Star || (z != radius) + (y != radius) + (x != radius) <= 1;
  }
};
using star7 = slice_shape<1, true>;
using box27 = slice_shape<1, false>;
using box125 = slice_shape<2, false>;

__constant__ double taps_f64[box125::taps];
__constant__ float taps_f32[box125::taps];
template <class T>
__device__ T tap_of(int k) {
  if constexpr (sizeof(T) == 8)
    return taps_f64[k];
  else
    return taps_f32[k];
}

__host__ __device__ inline double multiply_add(double a, double b, double c) {
  return fma(a, b, c);
}
__host__ __device__ inline float multiply_add(float a, float b, float c) { return fmaf(a, b, c); }

struct field_size {
  int z, y, x;
  std::size_t cells() const { return std::size_t(z) * y * x; }
  __host__ __device__ std::size_t at(int k, int j, int i) const {
    return (std::size_t(k) * y + j) * x + i;
  }
};

/// A new cell, by loops: what both kernels must give.
template <class S, class T, class Tap>
__host__ __device__ T new_cell(const T* u, const field_size& n, int z, int y, int x, Tap&& tap) {
  T sum = 0;
#pragma unroll
  for (int k = 0; k < S::side; ++k) {
    T plane = 0;
#pragma unroll
    for (int m = 0; m < S::side; ++m)
#pragma unroll
      for (int j = 0; j < S::side; ++j)
        if (S::has(k, j, m))
          plane =
              multiply_add(tap((k * S::side + j) * S::side + m),
                           u[n.at(z + k - S::radius, y + j - S::radius, x + m - S::radius)], plane);
    sum = k == 0 ? plane : sum + plane;
  }
  return sum;
}

template <class S, class T>
__global__ void __launch_bounds__(256) plain_kernel(const T* u, T* v, field_size n) {
  const int x = int(blockIdx.x * 32 + threadIdx.x) + S::radius;
  const int y = int(blockIdx.y * 8 + threadIdx.y) + S::radius, z = int(blockIdx.z) + S::radius;
  if (x < n.x - S::radius && y < n.y - S::radius)
    v[n.at(z, y, x)] = new_cell<S>(u, n, z, y, x, [](int k) { return tap_of<T>(k); });
}

/// P rows of sums of a warp, Warps slices of a block, of which those that have all planes around
/// them are stored.
template <class S, class T, int P, int Warps>
__global__ void __launch_bounds__(32 * Warps) slice_kernel(const T* u, T* v, field_size n) {
  constexpr int R = S::radius, C = P + S::side - 1;
  extern __shared__ __align__(16) unsigned char shared[];
  // Sums of a slice for the planes around it, but its own: [slice][plane][row][lane].
  T* const handed = reinterpret_cast<T*>(shared);
  const auto place = [](int slice, int k, int p, int lane) {
    return ((slice * (S::side - 1) + (k < R ? k : k - 1)) * P + p) * 32 + lane;
  };
  const int lane = int(threadIdx.x) % 32, slice = int(threadIdx.x) / 32;
  const int x0 = int(blockIdx.x) * (32 - 2 * R), y0 = int(blockIdx.y) * P;
  const int z = int(blockIdx.z) * (Warps - 2 * R) + slice;
  T cells[C], own[P];
#pragma unroll
  for (int c = 0; c < C; ++c) {
    const int y = y0 + c, x = x0 + lane;
    cells[c] = z < n.z && y < n.y && x < n.x ? u[n.at(z, y, x)] : T(0);
  }
#pragma unroll
  for (int k = 0; k < S::side; ++k) {  // plane k of the plane that lies R - k after this one
    T sums[P];
#pragma unroll
    for (int p = 0; p < P; ++p) sums[p] = 0;
#pragma unroll
    for (int m = 0; m < S::side; ++m) {
#pragma unroll
      for (int p = 0; p < P; ++p) {
        if (m > 0) sums[p] = __shfl_up_sync(~0u, sums[p], 1);
#pragma unroll
        for (int j = 0; j < S::side; ++j)
          if (S::has(k, j, m))
            sums[p] =
                multiply_add(tap_of<T>((k * S::side + j) * S::side + m), cells[p + j], sums[p]);
      }
    }
    // The sum of the column R to the left is whole in this lane.
#pragma unroll
    for (int p = 0; p < P; ++p) {
      if (k == R)
        own[p] = sums[p];
      else
        handed[place(slice, k, p, lane)] = sums[p];
    }
  }
  __syncthreads();
  if (slice < R || slice >= Warps - R || z >= n.z - R || lane < 2 * R) return;
  const int x = x0 + lane - R;
  if (x >= n.x - R) return;
#pragma unroll
  for (int p = 0; p < P; ++p) {
    const int y = y0 + p + R;
    if (y >= n.y - R) break;
    T sum = 0;
#pragma unroll
    for (int k = 0; k < S::side; ++k) {
      const T plane = k == R ? own[p] : handed[place(slice + k - R, k, p, lane)];
      sum = k == 0 ? plane : sum + plane;
    }
    v[n.at(z, y, x)] = sum;
  }
}

template <class T>
class measurement {
 public:
  measurement(const field_size& n, int runs) : n_(n), runs_(runs), start_(n.cells()) {
    DWELL_CUDA(cudaMalloc(&u_, n.cells() * sizeof(T)));
    DWELL_CUDA(cudaMalloc(&v_, n.cells() * sizeof(T)));
    DWELL_CUDA(cudaEventCreate(&begin_));
    DWELL_CUDA(cudaEventCreate(&end_));
    unsigned state = 1;
    for (T& c : start_) c = static_cast<T>((state = state * 1664525u + 1013904223u) * 0x1p-32);
    DWELL_CUDA(cudaMemcpy(u_, start_.data(), n.cells() * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~measurement() {
    cudaFree(u_), cudaFree(v_);
    cudaEventDestroy(begin_), cudaEventDestroy(end_);
  }
  measurement(const measurement&) = delete;
  measurement& operator=(const measurement&) = delete;

  template <class S>
  void shape(const char* name) {
    std::vector<T> taps(S::taps);
    for (int k = 0; k < S::taps; ++k)
      taps[std::size_t(k)] = static_cast<T>(1 + k * 37 % 101) / static_cast<T>(64 * S::taps);
    if constexpr (sizeof(T) == 8)
      DWELL_CUDA(cudaMemcpyToSymbol(taps_f64, taps.data(), taps.size() * sizeof(T)));
    else
      DWELL_CUDA(cudaMemcpyToSymbol(taps_f32, taps.data(), taps.size() * sizeof(T)));
    const int R = S::radius;
    const dim3 grid(unsigned(n_.x - 2 * R + 31) / 32, unsigned(n_.y - 2 * R + 7) / 8,
                    unsigned(n_.z - 2 * R));
    std::printf("| %s | f%d | plain | %s |\n", name, int(8 * sizeof(T)),
                rate<S>(taps, [&] { plain_kernel<S><<<grid, dim3(32, 8)>>>(u_, v_, n_); }).c_str());
    slices<S, 4, 8>(name, taps);
    slices<S, 8, 8>(name, taps);
    slices<S, 4, 16>(name, taps);
    slices<S, 8, 16>(name, taps);
  }

 private:
  template <class S, int P, int Warps>
  void slices(const char* name, const std::vector<T>& taps) {
    const int R = S::radius;
    const auto parts = [](int cells, int each) { return unsigned((cells + each - 1) / each); };
    const dim3 grid(parts(n_.x - 2 * R, 32 - 2 * R), parts(n_.y - 2 * R, P),
                    parts(n_.z - 2 * R, Warps - 2 * R));
    const std::size_t bytes = std::size_t(Warps) * (S::side - 1) * P * 32 * sizeof(T);
    const auto kernel = slice_kernel<S, T, P, Warps>;
    std::string found = "- | more shared memory than there is";
    if (bytes <= 227 * 1024) {
      DWELL_CUDA(
          cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes)));
      found = rate<S>(taps, [&] { kernel<<<grid, 32 * Warps, bytes>>>(u_, v_, n_); });
    }
    std::printf("| %s | f%d | %d rows, %d slices | %s |\n", name, int(8 * sizeof(T)), P, Warps,
                found.c_str());
  }

  /// The least of the runs of ten steps, after one that does not count.
  template <class S, class Launch>
  std::string rate(const std::vector<T>& taps, Launch&& launch) {
    constexpr int steps = 10;
    DWELL_CUDA(cudaMemset(v_, 0, n_.cells() * sizeof(T)));
    float best = 0;
    for (int k = 0; k <= runs_; ++k) {
      DWELL_CUDA(cudaEventRecord(begin_));
      for (int s = 0; s < steps; ++s) launch();
      DWELL_CUDA(cudaGetLastError());
      DWELL_CUDA(cudaEventRecord(end_));
      DWELL_CUDA(cudaEventSynchronize(end_));
      float ms = 0;
      DWELL_CUDA(cudaEventElapsedTime(&ms, begin_, end_));
      if (k == 1 || (k > 1 && ms < best)) best = ms;
    }
    check<S>(taps);
    const int R = S::radius;
    const double cells = double(n_.z - 2 * R) * (n_.y - 2 * R) * (n_.x - 2 * R);
    char text[64];
    std::snprintf(text, sizeof text, "%.1f | %.1f", best * 1e3 / steps,
                  cells * steps / (best * 1e-3) * 1e-9);
    return text;
  }

  /// Every 13th row of the planes at both ends, and every 97th one of the others.
  template <class S>
  void check(const std::vector<T>& taps) const {
    std::vector<T> found(n_.cells());
    DWELL_CUDA(cudaMemcpy(found.data(), v_, n_.cells() * sizeof(T), cudaMemcpyDeviceToHost));
    const int R = S::radius;
    for (int z = R; z < n_.z - R; ++z)
      for (int y = R + z % 7; y < n_.y - R; y += z < 2 * R + 2 || z > n_.z - 2 * R - 2 ? 13 : 97)
        for (int x = R; x < n_.x - R; ++x) {
          const T e =
              new_cell<S>(start_.data(), n_, z, y, x, [&](int k) { return taps[std::size_t(k)]; });
          if (std::memcmp(&e, &found[n_.at(z, y, x)], sizeof e) != 0)
            throw std::runtime_error("cell " + std::to_string(z) + ", " + std::to_string(y) + ", " +
                                     std::to_string(x) + ": other bits than loops");
        }
  }

  field_size n_;
  int runs_;
  std::vector<T> start_;
  T *u_ = nullptr, *v_ = nullptr;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

template <class T>
void measure(const field_size& n, int runs) {
  measurement<T> m(n, runs);
  m.template shape<star7>("3d7pt");
  m.template shape<box27>("3d27pt");
  m.template shape<box125>("3d125pt");
}

int run(int argc, char** argv) {
  CLI::App app("A step of a 3-D stencil by sums across lanes, a warp a slice, beside plain steps.");
  std::vector<int> size = {384, 384, 384};
  int runs = 5;
  app.add_option("--size", size, "Planes x rows x columns")->delimiter('x')->expected(3);
  app.add_option("--runs", runs, "Of ten steps each; the least counts")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  const field_size n{size[0], size[1], size[2]};
  DWELL_CUDA(cudaSetDevice(0));
  std::printf(
      "%dx%dx%d, fixed border\n\n| stencil | type | kernel | us a step | GCells/s |\n"
      "|---|---|---|--:|--:|\n",
      n.z, n.y, n.x);
  measure<double>(n, runs);
  measure<float>(n, runs);
  return 0;
}

}  // namespace
}  // namespace dwell

int main(int argc, char** argv) try {
  return dwell::run(argc, argv);
} catch (const std::exception& e) {
  std::fprintf(stderr, "bench-slices: %s\n", e.what());
  return 1;
}
