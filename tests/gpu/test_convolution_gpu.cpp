// SPDX-License-Identifier: MIT
// Convolutions, scans, tables and means on a GPU: the bits of a CPU, for filters of every height
// that kernels are compiled for, every algorithm, border and alignment of rows; prepared filters,
// whose runs take their turns in a stream.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "all_convolutions.hpp"
#include "cells_of_images.hpp"
#include "plain_convolution.hpp"

#include "dwell/arrays/convolution_runner.hpp"
#include "dwell/arrays/scan.hpp"
#include "dwell/base/error.hpp"
#include "dwell/device/device.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/device/work_queue.hpp"

namespace dwell {
namespace {

/// Kernels that tests need, where there is a GPU. Without a compiler tests that need them say so.
class all_kernels : public testing::Environment {
 public:
  void SetUp() override {
    if (find_cuda().devices == 0) return;
    try {
      test::compile_convolutions(convolution_kernels());
    } catch (const unsupported_error&) {
    }
  }
};
const auto* const kernels [[maybe_unused]] = testing::AddGlobalTestEnvironment(new all_kernels);

template <class T>
class on_gpu : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto found = find_cuda(); found.devices == 0) GTEST_SKIP() << found.reason;
  }
};
using cells = testing::Types<double, float>;
TYPED_TEST_SUITE(on_gpu, cells);

template <class T>
void expect_bits(std::span<const T> a, std::span<const T> b, const std::string& what) {
  EXPECT_EQ(0, std::memcmp(a.data(), b.data(), a.size_bytes())) << what;
}

template <class T>
void compare_algorithms(const extents& size, const extents& taps, border edge) {
  const auto image = noise<T>(size, 1);
  const auto f = noise_filter(taps, 2);
  convolution_options o;
  o.edge = edge;
  o.passes = filter_passes::one;
  grid<T> expected(size), found(size);
  convolve<T>(device::cpu(1), image.view(), expected.view(), f, o);
  for (const char* algorithm : convolution_algorithms()) {
    o.algorithm = algorithm;
    convolve<T>(device::cuda(), image.view(), found.view(), f, o);
    expect_bits<T>(expected.cells(), found.cells(),
                   std::string(algorithm) + ", image " + to_string(size) + ", filter " +
                       to_string(taps) + ", " + to_string(edge));
  }
}

TYPED_TEST(on_gpu, filters_of_every_height) {
  for (int n = 1; n <= 31; ++n)
    for (const int m : {1, 2, 7, 31})
      compare_algorithms<TypeParam>(extents(67, 256 + n % 5), extents(n, m), border::reflect);
}

TYPED_TEST(on_gpu, filters_of_every_width_at_every_border) {
  for (int m = 1; m <= 31; ++m)
    compare_algorithms<TypeParam>(extents(40, 300), extents(m % 6 + 1, m),
                                  static_cast<border>(m % 4));
}

TYPED_TEST(on_gpu, images_of_any_size) {
  for (const extents& size : {extents(1, 1), extents(1, 1000), extents(1000, 1), extents(3, 5),
                              extents(33, 129), extents(4, 9, 21)})
    compare_algorithms<TypeParam>(size, size.dims == 3 ? extents(3, 4, 5) : extents(9, 6),
                                  border::periodic);
}

/// How many passes a filter takes is chosen by the device, and sums have other bits by it.
const convolution_options in_one_pass{.passes = filter_passes::one};

/// Blurred `times` times, one call after the other.
template <class T>
grid<T> blurred(const grid<T>& image, const convolution_filter& f, int times) {
  grid<T> out = image;
  for (int k = 0; k < times; ++k) {
    const grid<T> in = out;
    convolve<T>(device::cpu(1), in.view(), out.view(), f, in_one_pass);
  }
  return out;
}

TYPED_TEST(on_gpu, prepared_filters_take_turns_in_a_stream) {
  using T = TypeParam;
  const extents size(61, 190);
  const work_queue own(device::cuda());
  for (const char* name : {"laplacian", "gaussian:15"}) {
    const auto filter = convolution_filter::named(name);
    const auto image = noise<T>(size, 5);
    convolution_runner<T> runner(own.where(), size, filter, in_one_pass);
    for (int again = 0; again < 5; ++again) {
      const buffer<T> source = buffer<T>::copy_of(own.where(), image.cells());
      const buffer<T> a(own.where(), size.cells()), b(own.where(), size.cells()),
          copy(own.where(), size.cells());
      const auto span_of = [](const buffer<T>& v) { return device_span<T>{v.data(), v.size(), 0}; };
      const memory_space& memory = memory_of(backend::cuda);
      // Nobody waits between the copy that makes the image, seven runs, and the copy of the last.
      memory.copy(own.where(), a.data(), source.data(), size.cells() * sizeof(T));
      for (int k = 0; k < 7; ++k)
        k % 2 == 0 ? runner.run_async(span_of(a), span_of(b))
                   : runner.run_async(span_of(b), span_of(a));
      memory.copy(own.where(), copy.data(), b.data(), size.cells() * sizeof(T));
      runner.wait();
      grid<T> found(size);
      copy.download(found.cells());
      expect_bits<T>(blurred(image, filter, 7).cells(), found.cells(), name);
    }
  }
}

TYPED_TEST(on_gpu, prepared_filters_of_images_here_and_there) {
  using T = TypeParam;
  const extents size(33, 65);
  const auto filter = convolution_filter::named("gaussian:9");
  const auto image = noise<T>(size, 6);
  const grid<T> expected = blurred(image, filter, 1);
  grid<T> found(size);
  convolution_runner<T> runner(device::cuda(), size, filter, in_one_pass);
  for (int again = 0; again < 3; ++again) {
    std::fill(found.cells().begin(), found.cells().end(), T(0));
    runner.run(image.cells(), found.cells());
    expect_bits<T>(expected.cells(), found.cells(), "of the host");
  }
  const buffer<T> in = buffer<T>::copy_of(device::cuda(), image.cells());
  const buffer<T> out(device::cuda(), size.cells());
  memory_of(backend::cuda).finish(device::cuda());
  const device_span<T> from{in.data(), in.size(), 0}, to{out.data(), out.size(), 0};
  runner.run(from, to);
  out.download(found.cells());
  expect_bits<T>(expected.cells(), found.cells(), "of the device");
  EXPECT_THROW(runner.run(from, from), input_error);
  EXPECT_THROW(runner.run_async(from, device_span<T>{to.data, to.size - 1, 0}), input_error);
  EXPECT_THROW(runner.run_async(from, device_span<T>{found.cells().data(), to.size, 0}),
               input_error);
}

/// Images of 8 and of 16 bits, on a GPU as on a CPU; outcomes in f32 and rounded.
template <class Cell>
class narrow_on_gpu : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto found = find_cuda(); found.devices == 0) GTEST_SKIP() << found.reason;
  }
};
using narrow_cells = testing::Types<std::uint8_t, half>;
TYPED_TEST_SUITE(narrow_on_gpu, narrow_cells);

template <class Cell, class Out>
void compare_narrow(const extents& size, const convolution_filter& f, convolution_options o) {
  const auto image = cells_of<Cell>(size, 7);
  grid<Out> expected(size), found(size);
  convolve<Cell, Out>(device::cpu(1), image.view(), expected.view(), f, o);
  for (const char* algorithm : convolution_algorithms()) {
    o.algorithm = algorithm;
    convolve<Cell, Out>(device::cuda(), image.view(), found.view(), f, o);
    expect_bits<Out>(expected.cells(), found.cells(),
                     std::string(algorithm) + ", image " + to_string(size) + ", filter " +
                         to_string(f.size()) + ", " + to_string(o.edge));
  }
}
template <class Cell>
void compare_narrow_algorithms(const extents& size, const convolution_filter& f,
                               const convolution_options& o) {
  compare_narrow<Cell, Cell>(size, f, o);
  compare_narrow<Cell, float>(size, f, o);
}

TYPED_TEST(narrow_on_gpu, filters_of_every_height) {
  for (int n = 1; n <= 31; ++n)
    for (const int m : {1, 2, 7, 31})
      compare_narrow_algorithms<TypeParam>(extents(67, 256 + n % 5), noise_filter(extents(n, m), 2),
                                           {.passes = filter_passes::one});
}

TYPED_TEST(narrow_on_gpu, images_of_any_size_at_every_border) {
  for (const extents& size : {extents(1, 1), extents(1, 1000), extents(1000, 1), extents(3, 5),
                              extents(33, 129), extents(64, 512), extents(4, 9, 21)})
    for (const border edge : {border::zero, border::replicate, border::reflect, border::periodic})
      compare_narrow_algorithms<TypeParam>(
          size, noise_filter(size.dims == 3 ? extents(3, 4, 5) : extents(9, 6), 3),
          {.edge = edge, .passes = filter_passes::one});
}

/// The last of several passes rounds, along z in memory too.
TYPED_TEST(narrow_on_gpu, along_each_axis) {
  const std::vector<double> a = {0.25, -1, 3, 0.1}, b = {0.5, 0.4, 0.2}, c = {0.3, 2, 0.7, 1, -2},
                            one = {1};
  const convolution_options o{.passes = filter_passes::each_axis};
  for (const auto& f :
       {convolution_filter::product(a, b, c), convolution_filter::product(a, one, c),
        convolution_filter::product(one, b, c), convolution_filter::product(a, one, one)})
    compare_narrow_algorithms<TypeParam>(extents(7, 12, 141), f, o);
  for (int n = 1; n <= 31; n += 3)
    compare_narrow_algorithms<TypeParam>(
        extents(70, 260 + n % 4), convolution_filter::named("gaussian:" + std::to_string(n)), o);
}

/// Images that begin anywhere: pieces are loaded and stored where they may be.
TYPED_TEST(narrow_on_gpu, images_at_any_address) {
  using Cell = TypeParam;
  const extents size(37, 256);
  const auto image = cells_of<Cell>(size, 8);
  const auto f = noise_filter(extents(5, 4), 9);
  convolution_options o = {.passes = filter_passes::one};
  grid<Cell> expected(size);
  convolve<Cell>(device::cpu(1), image.view(), expected.view(), f, o);
  for (const char* algorithm : convolution_algorithms())
    for (std::size_t from = 0; from < 9; ++from)
      for (const std::size_t to : {from, std::size_t(3), std::size_t(0)}) {
        o.algorithm = algorithm;
        buffer<Cell> in(device::cuda(), size.cells() + from);
        const buffer<Cell> out(device::cuda(), size.cells() + to);
        in.upload(image.cells(), from);
        memory_of(backend::cuda).finish(device::cuda());
        convolve<Cell>(device::cuda(), size,
                       device_span<const Cell>{in.data() + from, size.cells(), 0},
                       device_span<Cell>{out.data() + to, size.cells(), 0}, f, o);
        grid<Cell> found(size);
        out.download(found.cells(), to);
        expect_bits<Cell>(
            expected.cells(), found.cells(),
            std::string(algorithm) + " at " + std::to_string(from) + ", " + std::to_string(to));
      }
}

TYPED_TEST(narrow_on_gpu, prepared_filters) {
  using Cell = TypeParam;
  const extents size(33, 65);
  const auto filter = convolution_filter::named("gaussian:9");
  const auto image = cells_of<Cell>(size, 6);
  grid<Cell> expected(size), found(size);
  convolve<Cell>(device::cpu(1), image.view(), expected.view(), filter, in_one_pass);
  convolution_runner<Cell> runner(device::cuda(), size, filter, in_one_pass);
  runner.run(image.cells(), found.cells());
  expect_bits<Cell>(expected.cells(), found.cells(), "of the host");
  const buffer<Cell> in = buffer<Cell>::copy_of(device::cuda(), image.cells());
  const buffer<Cell> out(device::cuda(), size.cells());
  memory_of(backend::cuda).finish(device::cuda());
  runner.run_async({in.data(), in.size(), 0}, {out.data(), out.size(), 0});
  runner.wait();
  out.download(found.cells());
  expect_bits<Cell>(expected.cells(), found.cells(), "of the device");
}

TYPED_TEST(on_gpu, scans_and_tables) {
  // The last one has more groups of tiles than a look takes in.
  for (const int n : {1, 127, 128, 4096, 8192, 8193, 262144, 262145, 3000000, 10000001}) {
    const auto in = noise<TypeParam>(extents(1, n), 3);
    std::vector<TypeParam> expected(in.cells().size()), found(expected.size());
    for (const auto op : {scan_operation::sum, scan_operation::max})
      for (const bool exclusive : {false, true})
        for (int again = 0; again < 3; ++again) {
          scan<TypeParam>(device::cpu(2), in.cells(), expected, {op, exclusive, false});
          scan<TypeParam>(device::cuda(), in.cells(), found, {op, exclusive, false});
          expect_bits<TypeParam>(expected, found, "scan of " + std::to_string(n));
        }
  }
  const auto image = noise<TypeParam>(extents(203, 517), 4);
  grid<TypeParam> expected(image.size()), found(image.size());
  summed_area_table<TypeParam>(device::cpu(1), image.view(), expected.view());
  summed_area_table<TypeParam>(device::cuda(), image.view(), found.view());
  expect_bits<TypeParam>(expected.cells(), found.cells(), "table");
}

/// Tables of images that are there, also in place, and means.
TYPED_TEST(on_gpu, tables_and_means_where_images_are) {
  using view = device_span<const TypeParam>;
  for (const extents& n : {extents(203, 517), extents(1, 3000), extents(70, 1)}) {
    const auto image = noise<TypeParam>(n, 6);
    grid<TypeParam> expected(n), found(n);
    const device where = device::cuda();
    const std::size_t cells = n.cells();
    buffer<TypeParam> in = buffer<TypeParam>::copy_of(where, image.cells()), out(where, cells);
    summed_area_table<TypeParam>(device::cpu(1), image.view(), expected.view());
    for (buffer<TypeParam>* to : {&out, &in}) {
      summed_area_table<TypeParam>(where, n, view{in.data(), cells, 0}, {to->data(), cells, 0});
      to->download(found.cells());
      expect_bits<TypeParam>(expected.cells(), found.cells(), "table of " + to_string(n));
    }
    in.upload(image.cells());
    box_mean<TypeParam>(device::cpu(1), image.view(), expected.view(), 8, 11);
    box_mean<TypeParam>(where, n, view{in.data(), cells, 0}, {out.data(), cells, 0}, 8, 11);
    out.download(found.cells());
    expect_bits<TypeParam>(expected.cells(), found.cells(), "means of " + to_string(n));
    EXPECT_THROW(
        box_mean<TypeParam>(where, n, view{in.data(), cells + 1, 0}, {out.data(), cells, 0}, 3, 3),
        input_error);
  }
}

/// Windows of one cell, of one band and of several, and larger than the image.
TYPED_TEST(on_gpu, means_over_windows) {
  for (const extents& n : {extents(203, 517), extents(1, 3000), extents(3000, 1), extents(33, 31)})
    for (const auto& [rows, columns] : std::vector<std::pair<int, int>>{
             {1, 1}, {9, 20}, {64, 65}, {129, 1}, {1, 700}, {1 << 30, 1 << 30}}) {
      const auto image = noise<TypeParam>(n, 4);
      grid<TypeParam> expected(n), found(n);
      box_mean<TypeParam>(device::cpu(1), image.view(), expected.view(), rows, columns);
      box_mean<TypeParam>(device::cuda(), image.view(), found.view(), rows, columns);
      expect_bits<TypeParam>(
          expected.cells(), found.cells(),
          to_string(n) + ", " + std::to_string(rows) + "x" + std::to_string(columns));
    }
}

}  // namespace
}  // namespace dwell
