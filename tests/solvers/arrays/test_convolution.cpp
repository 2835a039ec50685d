// SPDX-License-Identifier: MIT
// Every algorithm of convolution against plain loops, bit for bit: all filters from 1 x 1 to 31 x
// 31, all borders, both directions of lanes, images smaller than their filters, batches, three
// dimensions.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>

#include "plain_convolution.hpp"

namespace dwell {
namespace {

template <class T>
bool same_bits(const grid<T>& a, const grid<T>& b) {
  return a.size() == b.size() &&
         std::memcmp(a.cells().data(), b.cells().data(), a.cells().size_bytes()) == 0;
}

template <class T>
grid<T> run(const grid<T>& image, const convolution_filter& f, const convolution_options& o,
            int threads = 1) {
  grid<T> out(image.size(), std::numeric_limits<T>::quiet_NaN());
  convolve<T>(device::cpu(threads), image.view(), out.view(), f, o);
  return out;
}

convolution_options in_one_pass(const char* algorithm, border edge = border::reflect,
                                bool correlate = false) {
  convolution_options o;
  o.algorithm = algorithm;
  o.edge = edge;
  o.correlate = correlate;
  o.passes = filter_passes::one;
  return o;
}

/// All algorithms, lanes forwards and backwards.
template <class T>
void expect_all_algorithms(const grid<T>& image, const convolution_filter& f, border edge,
                           bool correlate) {
  const grid<T> expected = plain_convolution<T>(image, f, edge, correlate);
  for (const char* algorithm : convolution_algorithms())
    for (const bool reversed : {false, true}) {
      auto o = in_one_pass(algorithm, edge, correlate);
      o.reverse_lanes = reversed;
      EXPECT_TRUE(same_bits(run(image, f, o), expected))
          << algorithm << ", filter " << to_string(f.size()) << ", image "
          << to_string(image.size()) << ", " << to_string(edge)
          << (correlate ? ", correlation" : "") << (reversed ? ", reversed" : "");
    }
}

template <class T>
class convolution : public testing::Test {};
using cells = testing::Types<double, float>;
TYPED_TEST_SUITE(convolution, cells);

TYPED_TEST(convolution, of_every_filter_size) {
  for (int n = 1; n <= 31; ++n)
    for (int m = 1; m <= 31; ++m) {
      const auto seed = static_cast<unsigned>(31 * n + m);
      const auto image = noise<TypeParam>(extents(6 + n % 5, 37 + m % 7), seed);
      const auto f = noise_filter(extents(n, m), seed);
      const border edge = all_borders[(n + m) % 4];
      const bool correlate = (n / 2 + m) % 2 == 0;
      const auto expected = plain_convolution<TypeParam>(image, f, edge, correlate);
      for (const char* algorithm : convolution_algorithms())
        ASSERT_TRUE(same_bits(run(image, f, in_one_pass(algorithm, edge, correlate)), expected))
            << algorithm << ", filter " << n << "x" << m << ", " << to_string(edge);
    }
}

TYPED_TEST(convolution, of_every_border_and_direction) {
  const auto image = noise<TypeParam>(extents(23, 301), 1);
  for (const border edge : all_borders)
    for (const bool correlate : {false, true})
      for (const extents& taps : {extents(3, 3), extents(4, 6), extents(1, 9), extents(12, 1)})
        expect_all_algorithms(image, noise_filter(taps, 2), edge, correlate);
}

TYPED_TEST(convolution, of_images_smaller_than_the_filter) {
  for (const extents& size :
       {extents(1, 1), extents(1, 2), extents(2, 1), extents(3, 5), extents(1, 40), extents(40, 1)})
    for (const border edge : all_borders)
      expect_all_algorithms(noise<TypeParam>(size, 3), noise_filter(extents(31, 30), 4), edge,
                            false);
}

TYPED_TEST(convolution, of_widths_around_a_warp) {
  for (const int width : {15, 16, 17, 31, 33, 63, 64, 65, 97, 98, 99, 127, 128, 129, 130})
    expect_all_algorithms(noise<TypeParam>(extents(9, width), 5), noise_filter(extents(5, 31), 6),
                          border::replicate, true);
}

TYPED_TEST(convolution, in_three_dimensions) {
  for (const border edge : all_borders)
    for (const extents& taps : {extents(3, 3, 3), extents(2, 5, 4), extents(5, 1, 1)})
      expect_all_algorithms(noise<TypeParam>(extents(4, 9, 21), 7), noise_filter(taps, 8), edge,
                            edge == border::zero);
}

TYPED_TEST(convolution, on_threads) {
  const auto image = noise<TypeParam>(extents(211, 333), 9);
  const auto f = noise_filter(extents(7, 5), 10);
  const auto expected = plain_convolution<TypeParam>(image, f, border::periodic, false);
  for (const char* algorithm : convolution_algorithms())
    for (const int threads : {1, 2, 3})
      EXPECT_TRUE(
          same_bits(run(image, f, in_one_pass(algorithm, border::periodic), threads), expected))
          << algorithm << ", " << threads;
}

TYPED_TEST(convolution, of_a_batch) {
  const extents size(13, 29);
  const auto images = noise<TypeParam>(extents(5, 13, 29), 11);
  const auto f = noise_filter(extents(3, 5), 12);
  for (const char* algorithm : convolution_algorithms()) {
    std::vector<TypeParam> out(images.cells().size());
    const auto report =
        convolve<TypeParam>(device::cpu(2), size, images.cells(), out, f, in_one_pass(algorithm));
    EXPECT_EQ(report.images, 5);
    for (int k = 0; k < 5; ++k) {
      grid<TypeParam> one(size);
      std::copy_n(&images(k, 0, 0), size.cells(), one.cells().begin());
      const auto expected = plain_convolution<TypeParam>(one, f, border::reflect, false);
      EXPECT_EQ(0, std::memcmp(out.data() + static_cast<std::size_t>(k) * size.cells(),
                               expected.cells().data(), expected.cells().size_bytes()))
          << algorithm << ", image " << k;
    }
  }
}

TYPED_TEST(convolution, is_near_another_order_of_sums) {
  const auto image = noise<TypeParam>(extents(18, 25), 13);
  const auto f = noise_filter(extents(31, 31), 14);
  const auto a = run(image, f, in_one_pass("auto"));
  const auto b = plain_convolution<long double>(image, f, border::reflect, false);
  const double bound = 961 * static_cast<double>(std::numeric_limits<TypeParam>::epsilon());
  for (std::size_t i = 0; i < a.cells().size(); ++i)
    ASSERT_NEAR(static_cast<double>(a.cells()[i]), static_cast<double>(b.cells()[i]), bound * 10);
}

TYPED_TEST(convolution, spreads_a_nan_as_far_as_the_filter_reaches) {
  auto image = noise<TypeParam>(extents(20, 150), 15);
  image(11, 70) = std::numeric_limits<TypeParam>::quiet_NaN();
  const auto f = noise_filter(extents(6, 5), 16);
  for (const char* algorithm : convolution_algorithms()) {
    const auto out = run(image, f, in_one_pass(algorithm, border::zero, true));
    for (int y = 0; y < 20; ++y)
      for (int x = 0; x < 150; ++x) {
        const bool reached = y - 3 <= 11 && 11 <= y + 2 && x - 2 <= 70 && 70 <= x + 2;
        ASSERT_EQ(out(y, x) != out(y, x), reached) << algorithm << " " << y << " " << x;
      }
  }
}

TYPED_TEST(convolution, of_a_product_is_that_of_its_factors) {
  const std::vector<double> down = {1, 2, 5, 2, 1, 0.5, 3}, across = {0.25, -1, 3, 0.1, 7, 2, 1, 4};
  const auto product = convolution_filter::product(down, across);
  for (const border edge : all_borders) {
    const auto image = noise<TypeParam>(extents(31, 45), 17);
    convolution_options o;
    o.edge = edge;
    o.passes = filter_passes::each_axis;
    const auto rows =
        plain_convolution<TypeParam>(image, convolution_filter(extents(1, 8), across), edge, false);
    const auto expected =
        plain_convolution<TypeParam>(rows, convolution_filter(extents(7, 1), down), edge, false);
    EXPECT_TRUE(same_bits(run(image, product, o), expected)) << to_string(edge);
    // And about what the whole filter gives.
    const auto whole = plain_convolution<long double>(image, product, edge, false);
    for (std::size_t i = 0; i < whole.cells().size(); ++i)
      ASSERT_NEAR(static_cast<double>(whole.cells()[i]), static_cast<double>(expected.cells()[i]),
                  1e4 * static_cast<double>(std::numeric_limits<TypeParam>::epsilon()));
  }
}

TYPED_TEST(convolution, along_three_axes) {
  const auto image = noise<TypeParam>(extents(9, 8, 21), 18);
  const auto f = convolution_filter::product({1, 2, 1, 3}, {1, 0.5, 4}, {2, 7, 1});
  convolution_options o;
  o.edge = border::replicate;
  o.passes = filter_passes::each_axis;
  grid<TypeParam> out(image.size());
  const auto report = convolve<TypeParam>(device::cpu(1), image.view(), out.view(), f, o);
  EXPECT_EQ(report.passes, 3);
  EXPECT_EQ(report.taps, 10);
  const auto expected = plain_convolution<long double>(image, f, border::replicate, false);
  for (std::size_t i = 0; i < out.cells().size(); ++i)
    ASSERT_NEAR(static_cast<double>(out.cells()[i]), static_cast<double>(expected.cells()[i]),
                1e3 * static_cast<double>(std::numeric_limits<TypeParam>::epsilon()));
}

}  // namespace
}  // namespace dwell
