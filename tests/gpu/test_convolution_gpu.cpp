// SPDX-License-Identifier: MIT
// Convolutions, scans, tables and means on a GPU: the bits of a CPU, for filters of every height
// that kernels are compiled for, every way, border and alignment of rows; prepared filters, whose
// runs take their turns in a stream.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "plain_convolution.hpp"

#include "dwell/base/error.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/device/device.hpp"
#include "dwell/execution/device/work_queue.hpp"
#include "dwell/solvers/convolution/convolution_runner.hpp"
#include "dwell/solvers/scan/scan.hpp"

namespace dwell {
namespace {

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
void compare_ways(const extents& size, const extents& taps, border edge) {
  const auto image = noise<T>(size, 1);
  const auto f = noise_filter(taps, 2);
  convolution_options o;
  o.edge = edge;
  o.passes = filter_passes::one;
  grid<T> expected(size), found(size);
  convolve<T>(device::cpu(1), image.view(), expected.view(), f, o);
  for (const char* way : convolution_ways()) {
    o.way = way;
    convolve<T>(device::cuda(), image.view(), found.view(), f, o);
    expect_bits<T>(expected.cells(), found.cells(),
                   std::string(way) + ", image " + to_string(size) + ", filter " + to_string(taps) +
                       ", " + to_string(edge));
  }
}

TYPED_TEST(on_gpu, filters_of_every_height) {
  for (int n = 1; n <= 31; ++n)
    for (const int m : {1, 2, 7, 31})
      compare_ways<TypeParam>(extents(67, 256 + n % 5), extents(n, m), border::reflect);
}

TYPED_TEST(on_gpu, filters_of_every_width_at_every_border) {
  for (int m = 1; m <= 31; ++m)
    compare_ways<TypeParam>(extents(40, 300), extents(m % 6 + 1, m), static_cast<border>(m % 4));
}

TYPED_TEST(on_gpu, images_of_any_size) {
  for (const extents& size : {extents(1, 1), extents(1, 1000), extents(1000, 1), extents(3, 5),
                              extents(33, 129), extents(4, 9, 21)})
    compare_ways<TypeParam>(size, size.dims == 3 ? extents(3, 4, 5) : extents(9, 6),
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

TYPED_TEST(on_gpu, scans_and_tables) {
  for (const int n : {1, 127, 128, 4096, 8192, 8193, 3000000}) {
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
  box_mean<TypeParam>(device::cpu(1), image.view(), expected.view(), 9, 20);
  box_mean<TypeParam>(device::cuda(), image.view(), found.view(), 9, 20);
  expect_bits<TypeParam>(expected.cells(), found.cells(), "means");
}

}  // namespace
}  // namespace dwell
