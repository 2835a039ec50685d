// SPDX-License-Identifier: MIT
// Images of 8 and of 16 bits: the bits of their values as f32, rounded once at the end, for every
// algorithm, border, direction of lanes and number of passes. And numbers of 16 bits themselves.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "cells_of_images.hpp"
#include "plain_convolution.hpp"

#include "dwell/arrays/convolution_runner.hpp"

namespace dwell {
namespace {

template <class Cell>
class convolution_cells : public testing::Test {};
using narrow = testing::Types<std::uint8_t, half>;
TYPED_TEST_SUITE(convolution_cells, narrow);

/// Sums of f32 images in plain loops, where a filter is taken in one pass.
template <class Cell>
grid<float> expected_sums(const grid<Cell>& image, const convolution_filter& f,
                          const convolution_options& o) {
  if (o.passes == filter_passes::one)
    return plain_convolution<float>(as_floats(image), f, o.edge, o.correlate);
  grid<float> out(image.size());
  const grid<float> in = as_floats(image);
  convolve<float>(device::cpu(1), in.view(), out.view(), f, o);
  return out;
}

template <class Cell>
void expect_bits_of_floats(const grid<Cell>& image, const convolution_filter& f,
                           convolution_options o) {
  const grid<float> sums = expected_sums(image, f, o);
  const grid<Cell> rounded = plain_rounded<Cell>(sums);
  for (const char* algorithm : convolution_algorithms())
    for (const bool reversed : {false, true}) {
      o.algorithm = algorithm;
      o.reverse_lanes = reversed;
      grid<float> wide(image.size(), std::numeric_limits<float>::quiet_NaN());
      grid<Cell> narrow(image.size(), Cell(77));
      const auto report = convolve<Cell, float>(device::cpu(2), image.view(), wide.view(), f, o);
      convolve<Cell>(device::cpu(2), image.view(), narrow.view(), f, o);
      const std::string what = std::string(algorithm) + ", filter " + to_string(f.size()) +
                               ", image " + to_string(image.size()) + ", " + to_string(o.edge) +
                               (reversed ? ", reversed, " : ", ") + std::to_string(report.passes);
      EXPECT_EQ(0, std::memcmp(wide.cells().data(), sums.cells().data(), sums.cells().size_bytes()))
          << what;
      EXPECT_TRUE(narrow == rounded) << what;
    }
}

convolution_options in_one_pass(border edge, bool correlate = false) {
  convolution_options o;
  o.edge = edge;
  o.correlate = correlate;
  o.passes = filter_passes::one;
  return o;
}

TYPED_TEST(convolution_cells, of_filters_of_many_sizes) {
  for (const int n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 14, 19, 23, 30, 31})
    for (const int m : {1, 2, 3, 4, 7, 16, 31}) {
      const auto seed = static_cast<unsigned>(31 * n + m);
      const auto image = cells_of<TypeParam>(extents(6 + n % 5, 37 + m % 7), seed);
      expect_bits_of_floats(image, noise_filter(extents(n, m), seed),
                            in_one_pass(all_borders[(n + m) % 4], m % 2 == 0));
    }
}

TYPED_TEST(convolution_cells, of_every_border_and_width) {
  for (const int width : {1, 2, 5, 15, 16, 17, 33, 64, 97, 127, 128, 129, 131, 301})
    for (const border edge : all_borders)
      expect_bits_of_floats(cells_of<TypeParam>(extents(11, width), 5), noise_filter({3, 6}, 6),
                            in_one_pass(edge, width % 2 == 0));
}

TYPED_TEST(convolution_cells, in_three_dimensions) {
  for (const border edge : all_borders)
    for (const extents& taps : {extents(3, 3, 3), extents(2, 5, 4), extents(5, 1, 1)})
      expect_bits_of_floats(cells_of<TypeParam>(extents(4, 9, 21), 7), noise_filter(taps, 8),
                            in_one_pass(edge));
}

/// Between passes lie f32; the last one rounds, along z too, whose planes are summed in memory.
TYPED_TEST(convolution_cells, along_each_axis) {
  convolution_options o;
  o.passes = filter_passes::each_axis;
  for (const border edge : all_borders) {
    o.edge = edge;
    const auto image = cells_of<TypeParam>(extents(7, 12, 41), 9);
    const auto plane = cells_of<TypeParam>(extents(23, 85), 10);
    const std::vector<double> a = {0.25, -1, 3, 0.1}, b = {0.5, 0.4, 0.2}, c = {0.3, 2, 0.7, 1, -2},
                              one = {1};
    for (const auto& f :
         {convolution_filter::product(a, b, c), convolution_filter::product(a, b, one),
          convolution_filter::product(a, one, c), convolution_filter::product(one, b, c),
          convolution_filter::product(a, one, one)})
      expect_bits_of_floats(image, f, o);
    for (const auto& f : {convolution_filter::product(a, c), convolution_filter::product(one, c),
                          convolution_filter::product(b, one)})
      expect_bits_of_floats(plane, f, o);
  }
}

TYPED_TEST(convolution_cells, passes_are_chosen_as_for_f32) {
  for (const char* name : {"box:3", "gaussian:5", "gaussian:9", "gaussian:15"})
    expect_bits_of_floats(cells_of<TypeParam>(extents(40, 90), 11), convolution_filter::named(name),
                          {});
}

TYPED_TEST(convolution_cells, of_a_prepared_filter) {
  const extents size(9, 33);
  const auto images = cells_of<TypeParam>(extents(4, 9, 33), 12);
  const auto filter = convolution_filter::named("gaussian:11");
  convolution_runner<TypeParam> narrow(device::cpu(2), size, filter, {}, 4);
  convolution_runner<TypeParam, float> wide(device::cpu(2), size, filter, {}, 4);
  std::vector<float> sums(images.cells().size());
  std::vector<TypeParam> rounded(sums.size());
  wide.run(images.cells(), sums);
  narrow.run(images.cells(), rounded);
  std::vector<float> expected(sums.size());
  const auto floats = as_floats(images);
  convolve<float>(device::cpu(1), size, floats.cells(), expected, filter);
  EXPECT_EQ(sums, expected);
  for (std::size_t i = 0; i < sums.size(); ++i)
    ASSERT_EQ(rounded[i], plain_rounded<TypeParam>(sums[i]));
  EXPECT_EQ(wide.report().precision, "f32");
  EXPECT_EQ(wide.report().cells, sizeof(TypeParam) == 1 ? "u8" : "f16");
  EXPECT_EQ(wide.report().result, "f32");
  EXPECT_EQ(narrow.report().result, narrow.report().cells);
  EXPECT_EQ(wide.report().bytes, images.cells().size() * (sizeof(TypeParam) + 4));
}

/// Sums of 0.5 to even, beyond the ends cut off, none a number: 0.
TEST(convolution_of_u8, rounds_to_even_and_saturates) {
  const grid<std::uint8_t> image = [] {
    grid<std::uint8_t> g(extents(1, 256));
    for (int i = 0; i < 256; ++i) g(0, i) = static_cast<std::uint8_t>(i);
    return g;
  }();
  grid<std::uint8_t> out(image.size());
  const auto times = [&](double w) {
    convolve<std::uint8_t>(device::cpu(1), image.view(), out.view(),
                           convolution_filter(extents(1, 1), {w}));
  };
  times(0.5);
  EXPECT_EQ(out(0, 1), 0);
  EXPECT_EQ(out(0, 3), 2);
  EXPECT_EQ(out(0, 5), 2);
  EXPECT_EQ(out(0, 255), 128);
  times(2);
  EXPECT_EQ(out(0, 127), 254);
  EXPECT_EQ(out(0, 128), 255);
  times(-1);
  EXPECT_EQ(out(0, 0), 0);
  EXPECT_EQ(out(0, 9), 0);
  times(1e30);
  EXPECT_EQ(out(0, 9), 255);
  const grid<std::uint8_t> white(extents(1, 1, 9), 255);
  grid<std::uint8_t> none(white.size(), 7);
  convolve<std::uint8_t>(device::cpu(1), white.view(), none.view(),
                         convolution_filter(extents(2, 1, 1), {3e38, -3e38}));
  EXPECT_EQ(none(0, 4), 0);  // infinity less infinity, which are the sums of the planes
}

TEST(halves, are_those_of_ieee_754) {
  EXPECT_EQ(static_cast<float>(half(1.0f)), 1.0f);
  EXPECT_EQ(half(1.0f).bits, 0x3c00);
  EXPECT_EQ(half(-2.0f).bits, 0xc000);
  EXPECT_EQ(half(-0.0f).bits, 0x8000);
  EXPECT_EQ(half(65504.0f).bits, 0x7bff);
  EXPECT_EQ(half(65519.996f).bits, 0x7bff);
  EXPECT_EQ(half(65520.0f).bits, 0x7c00);
  EXPECT_EQ(half(-std::numeric_limits<float>::infinity()).bits, 0xfc00);
  EXPECT_EQ(half(0x1p-24f).bits, 1);
  EXPECT_EQ(half(0x1p-25f).bits, 0);
  EXPECT_EQ(half(0x1.000002p-25f).bits, 1);
  EXPECT_EQ(half(0x1p-14f).bits, 0x0400);
  EXPECT_EQ(half(2049.0f).bits, half(2048.0f).bits);  // to even
  EXPECT_EQ(half(2051.0f).bits, half(2052.0f).bits);
  EXPECT_TRUE(std::isnan(static_cast<float>(half(std::nanf("")))));
  EXPECT_TRUE(std::isnan(static_cast<float>(half(-std::nanf("")))));
}

/// Each of them there and back; between neighbours the middle goes to the even one, and what is
/// next to it to the nearer one.
TEST(halves, are_all_exact_and_rounded_to) {
  for (unsigned b = 0; b < 0x7c00; ++b) {
    half h;
    h.bits = static_cast<std::uint16_t>(b);
    const auto v = static_cast<float>(h);
    const int exponent = static_cast<int>(b >> 10), fraction = static_cast<int>(b & 0x3ff);
    ASSERT_EQ(v, exponent ? std::ldexp(1024.0f + static_cast<float>(fraction), exponent - 25)
                          : std::ldexp(static_cast<float>(fraction), -24));
    ASSERT_EQ(half(v).bits, b);
    ASSERT_EQ(half(-v).bits, b | 0x8000);
    if (b == 0x7bff) break;
    h.bits = static_cast<std::uint16_t>(b + 1);
    const auto next = static_cast<float>(h), middle = (v + next) / 2;
    ASSERT_EQ(half(middle).bits, b % 2 ? b + 1 : b);
    ASSERT_EQ(half(std::nextafter(middle, v)).bits, b);
    ASSERT_EQ(half(std::nextafter(middle, next)).bits, b + 1);
  }
}

}  // namespace
}  // namespace dwell
