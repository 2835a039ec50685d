// SPDX-License-Identifier: MIT
// Kernels of convolutions that are compiled when a run needs them, on a GPU: the bits of a CPU, for
// random sizes, filters, borders, types of cells and algorithms, and the bits of kernels that nvcc
// has compiled. What the library has compiled ahead is compiled here all the same. Skipped,
// visibly, without NVRTC.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "ahead_convolutions.hpp"
#include "all_convolutions.hpp"
#include "cells_of_images.hpp"
#include "plain_convolution.hpp"
#include "scratch.hpp"

#include "dwell/base/error.hpp"
#include "dwell/execution/device/loaded_kernel_cuda.hpp"
#include "dwell/execution/device/nvrtc.hpp"
#include "dwell/solvers/arrays/convolution/prepared.hpp"

namespace dwell::test {
namespace {

class needed_convolutions_gpu : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto found = find_cuda(); found.devices == 0) GTEST_SKIP() << found.reason;
    try {
      nvrtc::library(cuda::target_of(device::cuda()).driver_major);
    } catch (const unsupported_error& e) {
      GTEST_SKIP() << e.what();
    }
    setenv("DWELL_CACHE_DIR", (folder_ / "cache").c_str(), 1);
  }
  ~needed_convolutions_gpu() override {
    for (const char* name : {"DWELL_CACHE_DIR", "DWELL_NVRTC"}) unsetenv(name);
  }

  scratch_folder folder_;
};

template <class T>
grid<T> image_of(const extents& size, unsigned seed) {
  if constexpr (sizeof(T) >= 4)
    return noise<T>(size, seed);
  else
    return cells_of<T>(size, seed);
}

/// The outcome by kernels of a table, and the report.
template <class In, class Out>
convolution_report run_on_gpu(std::span<const convolution_kernel> table, const extents& size,
                              std::int64_t images, const grid<In>& in, grid<Out>& out,
                              const convolution_filter& f, const convolution_options& o) {
  const prepared_convolution<In, Out> prepared(device::cuda(), size, images, f, o, table);
  const device& where = prepared.queue().where();
  const auto from = buffer<In>::copy_of(where, in.cells());
  const buffer<Out> to(where, out.cells().size(), fresh::unset);
  prepared.queue().finish();
  prepared.start(from.data(), to.data());
  prepared.queue().finish();
  to.download(out.cells());
  return prepared.report();
}

template <class In, class Out>
void expect_bits_of_a_cpu(unsigned seed, int rounds) {
  std::mt19937 draw(seed);
  const auto up_to = [&](int n) { return std::uniform_int_distribution(1, n)(draw); };
  for (int round = 0; round < rounds; ++round) {
    const bool deep = up_to(3) == 1;
    // Rows of which some begin at multiples of 16 bytes.
    const int across = up_to(2) == 1 ? 16 * up_to(20) : up_to(330);
    const extents size = deep ? extents(up_to(6), up_to(40), across) : extents(up_to(140), across);
    const std::int64_t images = deep ? 1 : up_to(3);
    convolution_options o;
    o.edge = all_borders[up_to(4) - 1];
    o.correlate = up_to(2) == 1;
    const bool product = up_to(3) == 1;
    o.passes = product ? filter_passes::each_axis : filter_passes::one;
    const auto factor = [&] {
      const grid<double> w = noise<double>(extents(1, up_to(31)), static_cast<unsigned>(draw()));
      return std::vector<double>(w.cells().begin(), w.cells().end());
    };
    const auto by_axis = [&] {
      return deep ? convolution_filter::product(factor(), factor(), factor())
                  : convolution_filter::product(factor(), factor());
    };
    const convolution_filter f = product
                                     ? by_axis()
                                     : noise_filter(deep ? extents(up_to(4), up_to(31), up_to(9))
                                                         : extents(up_to(31), up_to(31)),
                                                    static_cast<unsigned>(draw()));
    const extents all = deep ? size : extents(static_cast<int>(images) * size.y, size.x);
    const auto in = image_of<In>(all, static_cast<unsigned>(draw()));
    grid<Out> expected(all), found(all);
    convolve<In, Out>(device::cpu(4), size, in.cells(), expected.cells(), f, o);
    for (const char* algorithm : convolution_algorithms()) {
      if (algorithm == std::string("direct") && round % 4 != 0) continue;
      o.algorithm = algorithm;
      std::fill(found.cells().begin(), found.cells().end(), Out{});
      const auto report = run_on_gpu(planned_convolution_kernels(), size, images, in, found, f, o);
      EXPECT_EQ(report.compiler.substr(0, 6), "NVRTC ") << report.reason;
      EXPECT_EQ(report.algorithm, algorithm);
      ASSERT_EQ(0, std::memcmp(expected.cells().data(), found.cells().data(),
                               expected.cells().size_bytes()))
          << "seed " << seed << ", round " << round << ": " << algorithm << ", " << to_string(size)
          << " of " << report.cells << " to " << report.result << ", filter " << to_string(f.size())
          << (product ? " by axis" : "") << ", " << to_string(o.edge);
    }
  }
}

TEST_F(needed_convolutions_gpu, have_the_bits_of_a_cpu) {
  compile_convolutions(planned_convolution_kernels());
  expect_bits_of_a_cpu<float, float>(1, 60);
  expect_bits_of_a_cpu<double, double>(2, 60);
  expect_bits_of_a_cpu<std::uint8_t, std::uint8_t>(3, 40);
  expect_bits_of_a_cpu<std::uint8_t, float>(4, 40);
  expect_bits_of_a_cpu<half, half>(5, 40);
  expect_bits_of_a_cpu<half, float>(6, 40);
}

template <class T>
void expect_bits_of_nvcc() {
  const auto ahead = convolutions_compiled_ahead();
  const extents size(700, 1100);
  const auto image = noise<T>(size, 3);
  for (const char* algorithm : {"systolic", "window"})
    for (const auto& [rows, columns] : std::vector<std::pair<int, int>>{{1, 1},
                                                                        {2, 5},
                                                                        {3, 3},
                                                                        {5, 5},
                                                                        {8, 4},
                                                                        {9, 9},
                                                                        {13, 13},
                                                                        {20, 3},
                                                                        {25, 25},
                                                                        {31, 31}}) {
      convolution_options o;
      o.algorithm = algorithm;
      o.passes = filter_passes::one;
      const auto f = noise_filter(extents(rows, columns), 4);
      grid<T> a(size), b(size);
      const auto first = run_on_gpu(ahead, size, 1, image, a, f, o);
      const auto second = run_on_gpu(planned_convolution_kernels(), size, 1, image, b, f, o);
      EXPECT_EQ(first.compiler, "");
      EXPECT_EQ(second.compiler.substr(0, 6), "NVRTC ");
      EXPECT_EQ(0, std::memcmp(a.cells().data(), b.cells().data(), a.cells().size_bytes()))
          << algorithm << ", " << rows << "x" << columns;
    }
}

TEST_F(needed_convolutions_gpu, have_the_bits_of_kernels_compiled_ahead) {
  expect_bits_of_nvcc<float>();
  expect_bits_of_nvcc<double>();
}

TEST_F(needed_convolutions_gpu, say_what_compiled_them_and_how_long_it_took) {
  const extents size(64, 64);
  const auto image = noise<float>(size, 1);
  grid<float> out(size);
  convolution_options o;
  o.algorithm = "window";
  o.passes = filter_passes::each_axis;
  const auto f = convolution_filter::named("gaussian:7");  // 1x7 and 7x1: two kernels
  setenv("DWELL_CACHE_DIR", (folder_ / "another").c_str(), 1);
  const auto report = run_on_gpu(planned_convolution_kernels(), size, 1, image, out, f, o);
  EXPECT_NE(report.reason.find("; compiled when needed by NVRTC "), std::string::npos);
  const auto again = run_on_gpu(planned_convolution_kernels(), size, 1, image, out, f, o);
  EXPECT_EQ(again.compile_s, 0);
  EXPECT_NE(again.reason.find(", from the cache"), std::string::npos) << again.reason;
}

/// Another compiler's kernels are others; one that is not there is named in one line.
TEST_F(needed_convolutions_gpu, are_refused_without_a_compiler) {
  setenv("DWELL_NVRTC", (folder_ / "libnvrtc.so.13").c_str(), 1);
  const extents size(8, 8);
  const auto image = noise<float>(size, 1);
  grid<float> out(size);
  try {
    run_on_gpu(planned_convolution_kernels(), size, 1, image, out,
               convolution_filter::named("box:3"), {});
    FAIL() << "expected unsupported_error";
  } catch (const unsupported_error& e) {
    EXPECT_NE(std::string(e.what()).find("libnvrtc.so.13"), std::string::npos) << e.what();
    EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
  }
}

/// Shared memory that no GPU has is refused before anything is compiled.
TEST_F(needed_convolutions_gpu, that_need_more_shared_memory_than_there_is_are_refused) {
  const extents size(4, 64, 64);
  const auto image = noise<double>(size, 1);
  grid<double> out(size);
  convolution_options o;
  o.algorithm = "shared";
  o.passes = filter_passes::one;
  try {
    run_on_gpu(planned_convolution_kernels(), size, 1, image, out,
               noise_filter(extents(31, 31, 31), 1), o);
    FAIL() << "expected unsupported_error";
  } catch (const unsupported_error& e) {
    EXPECT_NE(std::string(e.what()).find("bytes of shared memory"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace dwell::test
