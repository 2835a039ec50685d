// SPDX-License-Identifier: MIT
// Engine ring_fields2d on a GPU against plain loops on the CPU, to the bit: sizes around the width
// of a strip and others, all kinds of borders, whole chains and shorter ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "dwell/execution/device/cuda_check.hpp"
#include "dwell/execution/stencil/fields/kernels_cuda.cuh"
#include "fields_case.hpp"
#include "stencil_place.hpp"

namespace dwell::test {
namespace {

using namespace shapes_of_fields;

template <int... Values>
using config = cuda::chain<Values...>;

/// Arrays of a case on the GPU.
template <class T>
class device_arrays {
 public:
  explicit device_arrays(const arrays<T>& from) {
    for (const auto& a : from) {
      T* p = nullptr;
      DWELL_CUDA(cudaMalloc(&p, a.size() * sizeof(T)));
      all_.push_back(p);
      DWELL_CUDA(cudaMemcpy(p, a.data(), a.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
  }
  ~device_arrays() {
    for (T* p : all_) cudaFree(p);
  }
  device_arrays(const device_arrays&) = delete;
  T* operator[](int i) const { return all_[static_cast<std::size_t>(i)]; }
  arrays<T> host(std::size_t cells) const {
    arrays<T> out;
    for (const T* p : all_) {
      out.emplace_back(cells);
      DWELL_CUDA(cudaMemcpy(out.back().data(), p, cells * sizeof(T), cudaMemcpyDeviceToHost));
    }
    return out;
  }

 private:
  std::vector<T*> all_;
};

template <class S, class T, class C>
void check(std::uint64_t seed) {
  using sizes = chain_sizes<S, T, C::value>;
  int capability = 0, units = 0;
  DWELL_CUDA(cudaDeviceGetAttribute(&capability, cudaDevAttrComputeCapabilityMajor, 0));
  DWELL_CUDA(cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, 0));
  if (capability != 9) GTEST_SKIP() << "the configs are those of compute capability 9.0";
  const auto kernel = cuda::fields_pass_kernel<S, T, C>;
  DWELL_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(sizes::scratch_bytes)));
  std::mt19937_64 draw(seed);
  const auto below = [&](int n) { return static_cast<int>(draw() % static_cast<unsigned>(n)); };
  std::size_t cells = 0, finite = 0;
  for (int round = 0; round < 8; ++round) {
    int nx = round < 3 ? sizes::width - 1 + round : 1 + below(round < 5 ? 40 : 3 * sizes::width);
    int ny = 1 + below(round % 2 ? 30 : 500);
    if (is_mirrored<S, 0>) ny = std::max(ny, S::radius + 1);
    if (is_mirrored<S, 1>) nx = std::max(nx, S::radius + 1);
    const int warps = round % 3 ? C::value.warps : 1 + below(C::value.warps), passes = 1 + below(2);
    fields_case<S, T> c(nx, ny, draw);
    const overlapping_strips strips{sizes::width, sizes::halo, nx, goes_around<S, 1>};
    const int rows = strips.count() * ny, teams = std::min(rows, 1 + below(units));
    SCOPED_TRACE(::testing::Message() << nx << "x" << ny << " cells, " << teams << " teams of "
                                      << warps << " warps, " << passes << " passes");
    auto& a = c.args;
    a.warps = warps;
    for (int t = 0; t <= teams; ++t)
      a.runs.cut[t] = static_cast<int>(std::int64_t{rows} * t / teams);
    const device_arrays<T> copies[2] = {device_arrays<T>(c.fields), device_arrays<T>(c.fields)};
    const device_arrays<T> coefficients(c.coefficients);
    for (int k = 0; k < S::coefficients; ++k) a.from[S::fields + k] = coefficients[k];
    for (int p = 0; p < passes; ++p) {
      for (int f = 0; f < S::fields; ++f) {
        a.from[f] = copies[p % 2][f];
        a.to[f] = copies[1 - p % 2][f];
      }
      kernel<<<teams, sizes::lanes, sizes::scratch_bytes>>>(a);
      DWELL_CUDA(cudaGetLastError());
    }
    DWELL_CUDA(cudaDeviceSynchronize());
    for (int s = 0; s < passes * warps * C::value.steps; ++s) plain_step(c);
    cells += static_cast<std::size_t>(S::fields) * nx * ny;
    ASSERT_NO_FATAL_FAILURE(expect_fields(c, copies[passes % 2].host(c.fields[0].size()), finite));
  }
  EXPECT_GT(finite, cells / 2);
}

class ring_fields2d : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = stencil_place::absent(); !why.empty()) GTEST_SKIP() << why;
  }
};

TEST_F(ring_fields2d, heat) { check<heat, double, config<8, 3, 9, 4, 1, 2, 46>>(1); }
TEST_F(ring_fields2d, wave_f32) { check<wave, float, config<8, 3, 17, 3, 1, 2, 46>>(2); }
TEST_F(ring_fields2d, wave_of_order_4) { check<wave4, double, config<8, 2, 7, 2, 1, 2, 50>>(3); }
TEST_F(ring_fields2d, gray_scott) { check<gray_scott, double, config<8, 2, 9, 4, 1, 2>>(4); }
TEST_F(ring_fields2d, two_stages) { check<fdtd, double, config<8, 1, 9, 2, 1, 1>>(5); }
TEST_F(ring_fields2d, one_sided) { check<upwind, double, config<8, 3, 9, 4, 1, 2, 25>>(6); }
TEST_F(ring_fields2d, goes_around) {
  check<with_border<heat, periodic, periodic, periodic, periodic>, double,
        config<8, 3, 9, 4, 1, 2, 46>>(7);
}
TEST_F(ring_fields2d, mixed_borders) {
  check<with_border<box, mirror, reflect, side_kind::constant, nearest, true>, double,
        config<8, 1, 7, 4, 1, 2>>(8);
}
TEST_F(ring_fields2d, rows_go_around_columns_do_not) {
  check<with_border<wave, periodic, periodic, antisymmetric, reflect>, float,
        config<8, 3, 17, 3, 1, 2, 46>>(9);
}

}  // namespace
}  // namespace dwell::test
