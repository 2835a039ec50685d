// SPDX-License-Identifier: MIT
// Convolutions, scans, tables and means on a GPU: the bits of a CPU, for filters of every height
// that kernels are compiled for, every way, border and alignment of rows.
#include <gtest/gtest.h>

#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "plain_convolution.hpp"

#include "dwell/execution/device/device.hpp"
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
