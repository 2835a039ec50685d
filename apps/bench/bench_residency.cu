// SPDX-License-Identifier: MIT
// bench-residency: what stays on the chip from one step to the next, by what keeps it there.
//
// fields   A 3-D field of 7 points under one persistent kernel. A block has a tile of a plane and
//          goes through all planes in every step. Some planes stay in shared memory: the same ones
//          in all steps, or those that the step computed last (the moving region of figure 4.5,
//          Zhang 2023), with the orders of that figure. And where the same planes stay, windows of
//          L2 whose lines persist (cudaAccessPolicyWindow): over the field, over the planes of
//          which only the rims of tiles are in memory, over a part of the planes that stream.
// systems  q = A p, p = p / 2 + c q by plain kernels, with and without such a window over p, the
//          vector that is gathered.
// Fields are compared with a plain loop on the CPU, vectors with those without a window, bit for
// bit.
#include <cuda_runtime.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "kept_planes.cuh"

#include "dwell/base/error.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/device/device.hpp"
#include "dwell/execution/device/cuda_check.hpp"
#include "dwell/formats/matrix_file.hpp"

namespace dwell {
namespace {

enum class window { none, field, rims, part };

std::vector<double> random_values(std::size_t n) {
  std::vector<double> v(n);
  std::uint64_t state = 42;
  for (double& e : v) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    e = double(state >> 40) / (1 << 24);
  }
  return v;
}

std::vector<double> plain_field(std::vector<double> u, int nx, int ny, int n, int steps) {
  std::vector<double> v = u;
  const std::size_t plane = std::size_t(nx) * ny;
  for (int s = 0; s < steps; ++s) {
    for (int z = 1; z + 1 < n; ++z) {
      for (int y = 1; y + 1 < ny; ++y) {
        for (int x = 1; x + 1 < nx; ++x) {
          const double* c = &u[z * plane + std::size_t(y) * nx + x];
          double e = beside * c[-std::ptrdiff_t(plane)];
          e = std::fma(beside, c[-nx], e);
          e = std::fma(beside, c[-1], e);
          e = std::fma(centre, c[0], e);
          e = std::fma(beside, c[1], e);
          e = std::fma(beside, c[nx], e);
          v[z * plane + std::size_t(y) * nx + x] = std::fma(beside, c[plane], e);
        }
      }
    }
    std::swap(u, v);
  }
  return u;
}

/// The stream, its window over some memory, and times by events.
class timed_stream {
 public:
  timed_stream() {
    DWELL_CUDA(cudaStreamCreateWithFlags(stream_.out(), cudaStreamNonBlocking));
    DWELL_CUDA(cudaEventCreate(begin_.out()));
    DWELL_CUDA(cudaEventCreate(end_.out()));
  }

  operator cudaStream_t() const { return stream_; }

  /// Lines of `bytes` from `at` on persist, as many as `room` bytes of L2 hold. 0 bytes: none do.
  void persist(void* at, std::size_t bytes, std::size_t room) {
    DWELL_CUDA(cudaStreamSynchronize(stream_));
    cudaStreamAttrValue v{};
    v.accessPolicyWindow.base_ptr = at;
    v.accessPolicyWindow.num_bytes = bytes;
    v.accessPolicyWindow.hitRatio =
        bytes > 0 ? float(std::min(1.0, double(room) / double(bytes))) : 0.0f;
    v.accessPolicyWindow.hitProp =
        bytes > 0 ? cudaAccessPropertyPersisting : cudaAccessPropertyNormal;
    v.accessPolicyWindow.missProp =
        bytes > 0 ? cudaAccessPropertyStreaming : cudaAccessPropertyNormal;
    DWELL_CUDA(cudaStreamSetAttribute(stream_, cudaStreamAttributeAccessPolicyWindow, &v));
    DWELL_CUDA(cudaCtxResetPersistingL2Cache());
  }

  template <class F>
  double seconds(F&& f) {
    DWELL_CUDA(cudaEventRecord(begin_, stream_));
    f();
    DWELL_CUDA(cudaEventRecord(end_, stream_));
    DWELL_CUDA(cudaEventSynchronize(end_));
    float ms = 0;
    DWELL_CUDA(cudaEventElapsedTime(&ms, begin_, end_));
    return 1e-3 * ms;
  }

 private:
  cuda::stream stream_;
  cuda::event begin_, end_;
};

struct limits {
  std::size_t l2 = 0, room = 0, most_window = 0;  // bytes; room: of L2 for lines that persist
  int units = 0, most_kept = 0;
};

limits limits_of_device(bool set_aside) {
  cudaDeviceProp p{};
  DWELL_CUDA(cudaGetDeviceProperties(&p, 0));
  limits l;
  l.l2 = std::size_t(p.l2CacheSize);
  l.room = std::size_t(p.persistingL2CacheMaxSize);
  l.most_window = std::size_t(p.accessPolicyMaxWindowSize);
  l.units = p.multiProcessorCount;
  while (shared_bytes(l.most_kept + 1) <= p.sharedMemPerBlockOptin) ++l.most_kept;
  DWELL_CUDA(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, set_aside ? l.room : 0));
  return l;
}

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

struct field_case {
  order o;
  bool moving;
  bool keeps;
  window over;
  const char* name;
};

constexpr field_case field_cases[] = {
    {order::up, false, false, window::none, "nothing kept, up"},
    {order::zigzag, false, false, window::none, "nothing kept, zig-zag"},
    {order::up, false, true, window::none, "same planes, up"},
    {order::zigzag, false, true, window::none, "same planes, zig-zag"},
    {order::ring, false, true, window::none, "same planes, ring"},
    {order::zigzag, true, true, window::none, "moving, zig-zag"},
    {order::ring, true, true, window::none, "moving, ring"},
    {order::up, false, true, window::field, "same, up, window: field"},
    {order::up, false, true, window::rims, "same, up, window: rims"},
    {order::up, false, true, window::part, "same, up, window: part of what streams"},
    {order::zigzag, false, true, window::part, "same, zig-zag, window: part of what streams"},
};

void fields(const std::vector<double>& sizes, int steps, int runs) {
  const limits chip = limits_of_device(false);
  const int tiles_x = int(std::sqrt(double(chip.units))), tiles_y = chip.units / tiles_x;
  const int nx = tiles_x * width, ny = tiles_y * height;
  const std::size_t plane = std::size_t(nx) * ny, plane_bytes = plane * sizeof(double);
  std::printf("3d7pt f64, %d x %d x planes, %d planes in shared memory; us per step\n", nx, ny,
              chip.most_kept);
  std::printf("L2 %zu MiB, of which %zu MiB may persist\n", chip.l2 >> 20, chip.room >> 20);
  timed_stream stream;
  for (const double size : sizes) {
    const int n = int(std::lround(size * double(chip.l2) / double(plane_bytes)));
    if (n < 2) throw input_error("a field of " + std::to_string(size) + " of L2 has no two planes");
    const std::size_t values = plane * std::size_t(n);
    const std::vector<double> begin = random_values(values);
    constexpr int checked = 3;
    const std::vector<double> expected = plain_field(begin, nx, ny, n, checked);
    double* cells = nullptr;
    DWELL_CUDA(cudaMalloc(&cells, 2 * values * sizeof(double)));
    const auto upload = [&] {
      for (int b = 0; b < 2; ++b)
        DWELL_CUDA(cudaMemcpy2D(cells + b * plane, 2 * plane_bytes, begin.data(), plane_bytes,
                                plane_bytes, std::size_t(n), cudaMemcpyHostToDevice));
    };
    for (const field_case& c : field_cases) {
      int kept = c.keeps ? std::min(chip.most_kept, n) : 0;
      if (c.moving) kept = std::min(chip.most_kept, (n - 2) / 2);
      if (c.keeps && kept < 1) continue;
      (void)limits_of_device(c.over != window::none);
      const std::size_t streamed = 2 * plane_bytes * std::size_t(n - kept);
      switch (c.over) {
        case window::none:
          stream.persist(nullptr, 0, 0);
          break;
        case window::field:
          stream.persist(cells, std::min(2 * values * sizeof(double), chip.most_window), chip.room);
          break;
        case window::rims:
          stream.persist(cells, 2 * plane_bytes * std::size_t(kept), chip.room);
          break;
        case window::part:
          if (streamed == 0) continue;
          stream.persist(cells + 2 * plane * std::size_t(kept),
                         std::min({streamed, chip.room, chip.most_window}), chip.room);
          break;
      }
      const kernel k = kernel_of(c.o, c.moving);
      DWELL_CUDA(cudaFuncSetAttribute(reinterpret_cast<const void*>(k),
                                      cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      int(shared_bytes(kept))));
      const auto go = [&](int so_many) {
        field_run r{cells, tiles_x, tiles_y, n, kept, so_many};
        void* args[] = {&r};
        DWELL_CUDA(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(k),
                                               dim3(unsigned(tiles_x * tiles_y)), dim3(threads),
                                               args, shared_bytes(kept), stream));
      };
      upload();
      go(checked);
      DWELL_CUDA(cudaStreamSynchronize(stream));
      std::vector<double> got(values);
      DWELL_CUDA(cudaMemcpy2D(got.data(), plane_bytes, cells + (checked % 2) * plane,
                              2 * plane_bytes, plane_bytes, std::size_t(n),
                              cudaMemcpyDeviceToHost));
      if (got != expected) throw error(std::string(c.name) + ": wrong result");
      std::vector<double> all;
      go(steps);
      for (int run = 0; run < runs; ++run) {
        const double few = stream.seconds([&] { go(steps / 4); });
        const double many = stream.seconds([&] { go(steps); });
        all.push_back((many - few) / (steps - steps / 4));
      }
      const double us = 1e6 * median(all);
      std::printf("  %5.2f of L2 (%4d planes)  %-44s %9.2f us  %5.0f GB/s through memory\n", size,
                  n, c.name, us, 1e-3 * double(streamed) / us);
      std::fflush(stdout);
    }
    DWELL_CUDA(cudaFree(cells));
  }
  (void)limits_of_device(false);
}

template <int Lanes>
__global__ void product(int rows, const int* row_ptr, const int* col, const double* val,
                        const double* p, double* q) {
  const int row = int((blockIdx.x * blockDim.x + threadIdx.x) / Lanes);
  const int lane = int(threadIdx.x) % Lanes;
  if (row >= rows) return;
  double sum = 0;
  for (int k = row_ptr[row] + lane; k < row_ptr[row + 1]; k += Lanes)
    sum = fma(val[k], __ldg(p + col[k]), sum);
  for (int d = Lanes / 2; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, unsigned(d), Lanes);
  if (lane == 0) q[row] = sum;
}

__global__ void update(int rows, double* p, const double* q) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < rows) p[i] = fma(1e-3, q[i], 0.5 * p[i]);
}

template <class T>
T* uploaded(const T* host, std::size_t n) {
  T* at = nullptr;
  DWELL_CUDA(cudaMalloc(&at, n * sizeof(T)));
  DWELL_CUDA(cudaMemcpy(at, host, n * sizeof(T), cudaMemcpyHostToDevice));
  return at;
}

void systems(const std::vector<std::string>& names, int iterations, int runs) {
  const limits chip = limits_of_device(false);
  timed_stream stream;
  std::printf("q = A p, p = p / 2 + c q; us per iteration\n");
  for (const std::string& name : names) {
    const csr<double> a = is_generated(name) ? generate(name) : read_matrix(name).content.matrix;
    const auto rows = int(a.rows);
    const std::size_t nonzeros = std::size_t(a.nonzeros());
    const std::vector<int> col(a.col.begin(), a.col.end());
    const std::vector<int> row_ptr(a.row_ptr.begin(), a.row_ptr.end());
    int* d_row = uploaded(row_ptr.data(), row_ptr.size());
    int* d_col = uploaded(col.data(), nonzeros);
    double* d_val = uploaded(a.val.data(), nonzeros);
    const std::vector<double> begin = random_values(std::size_t(rows));
    double* p = uploaded(begin.data(), begin.size());
    double* q = uploaded(begin.data(), begin.size());
    const double mean = double(nonzeros) / rows;
    const std::size_t p_bytes = std::size_t(rows) * sizeof(double);
    std::vector<double> expected;
    for (const bool persists : {false, true}) {
      (void)limits_of_device(persists);
      stream.persist(persists ? p : nullptr, persists ? std::min(p_bytes, chip.most_window) : 0,
                     chip.room);
      const auto go = [&](int so_many) {
        const auto launch = [&]<int Lanes>() {
          product<Lanes><<<unsigned((std::size_t(rows) * Lanes + 255) / 256), 256, 0, stream>>>(
              rows, d_row, d_col, d_val, p, q);
        };
        for (int k = 0; k < so_many; ++k) {
          if (mean < 6) {
            launch.template operator()<2>();
          } else if (mean < 12) {
            launch.template operator()<4>();
          } else if (mean < 24) {
            launch.template operator()<8>();
          } else {
            launch.template operator()<16>();
          }
          update<<<unsigned((rows + 255) / 256), 256, 0, stream>>>(rows, p, q);
        }
        DWELL_CUDA(cudaGetLastError());
      };
      DWELL_CUDA(cudaMemcpy(p, begin.data(), p_bytes, cudaMemcpyHostToDevice));
      go(3);
      DWELL_CUDA(cudaStreamSynchronize(stream));
      std::vector<double> got(begin.size());
      DWELL_CUDA(cudaMemcpy(got.data(), p, p_bytes, cudaMemcpyDeviceToHost));
      if (persists && got != expected) throw error(name + ": wrong result");
      expected = got;
      std::vector<double> all;
      for (int run = 0; run < runs; ++run) {
        const double few = stream.seconds([&] { go(iterations / 4); });
        const double many = stream.seconds([&] { go(iterations); });
        all.push_back((many - few) / (iterations - iterations / 4));
      }
      std::printf("  %-26s %9d rows, p %6.1f MiB, A %7.1f MiB  %-12s %9.2f us\n", name.c_str(),
                  rows, double(p_bytes) / (1 << 20), double(12 * nonzeros) / (1 << 20),
                  persists ? "window: p" : "no window", 1e6 * median(all));
      std::fflush(stdout);
    }
    for (void* at : std::initializer_list<void*>{d_row, d_col, d_val, p, q})
      DWELL_CUDA(cudaFree(at));
  }
  (void)limits_of_device(false);
}

int run(int argc, char** argv) {
  CLI::App app{"What stays on the chip from step to step, on the first CUDA device"};
  app.name("bench-residency");
  std::vector<double> sizes = {0.5, 1, 2, 4, 8};
  std::vector<std::string> matrices = {"like:ecology2", "like:af_1_k101", "poisson3d:160x160x160",
                                       "like:crankseg_2"};
  int steps = 64, runs = 5;
  app.add_option("--sizes", sizes, "Fields, in sizes of L2 (one copy)")->delimiter(',');
  app.add_option("--matrices", matrices, "Files, or kinds of 'dwell generate'")->delimiter(',');
  app.add_option("--steps", steps, "Steps of a run")->check(CLI::Range(8, 100000));
  app.add_option("--runs", runs, "Runs whose median counts")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  if (find_cuda().devices == 0) {
    std::fprintf(stderr, "bench-residency: no CUDA device: %s\n", find_cuda().reason.c_str());
    return 77;
  }
  fields(sizes, steps, runs);
  systems(matrices, steps, runs);
  return 0;
}

}  // namespace
}  // namespace dwell

int main(int argc, char** argv) {
  try {
    return dwell::run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench-residency: %s\n", e.what());
    return 1;
  }
}
