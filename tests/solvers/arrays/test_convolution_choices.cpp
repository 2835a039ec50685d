// SPDX-License-Identifier: MIT
// What a convolution refuses, with its message; named filters; products that are found; the choice
// of passes and algorithms.
#include <gtest/gtest.h>

#include <limits>

#include "plain_convolution.hpp"
#include "refusal.hpp"

#include "dwell/device/limits.hpp"
#include "dwell/solvers/arrays/convolution/convolution_time.hpp"
#include "dwell/solvers/arrays/convolution/decide.hpp"

namespace dwell {
namespace {

using test::refusal;

constexpr cell_bytes f32_cells = {4, 4, 4};
const convolution_filter blur = convolution_filter::named("box:3");

std::string refusal_of(const extents& size, std::size_t in, std::size_t out,
                       const convolution_filter& f = blur, const convolution_options& o = {}) {
  const std::vector<double> images(in);
  std::vector<double> to(out);
  return refusal([&] { convolve<double>(device::cpu(1), size, images, to, f, o); });
}

TEST(convolution_choices, sizes_that_do_not_agree_are_refused) {
  EXPECT_EQ(refusal_of(extents(3, 4), 13, 13),
            "images: expected a multiple of 12 cells (3x4), found 13");
  EXPECT_EQ(refusal_of(extents(3, 4), 24, 12), "out: expected 24 cells, found 12");
  EXPECT_EQ(refusal_of(extents(2, 3, 4), 24, 24),
            "filter: expected 3 dimensions as the image has, found 2");
  EXPECT_EQ(refusal_of(extents(0, 4), 0, 0),
            "size: expected at least one cell along each axis, found 0x4");
  EXPECT_EQ(refusal([] {
              convolution_filter(extents(2, 2), {1, 2, 3});
            }),
            "filter: expected 4 weights for 2x2 taps, found 3");
  EXPECT_EQ(refusal([] { convolution_filter(extents(1, 32), std::vector<double>(32)); }),
            "filter: expected 1 to 31 taps along each axis, found 1x32");
  EXPECT_EQ(refusal([] { convolution_filter(extents(1, 1), {std::nan("")}); }),
            "filter: expected finite weights, found nan as number 1 (counted from 1)");
}

TEST(convolution_choices, words_that_are_not_known_are_refused) {
  convolution_options o;
  o.algorithm = "sistolic";
  EXPECT_EQ(
      refusal_of(extents(3, 4), 12, 12, blur, o),
      "algorithm: expected auto, systolic, window, shared, direct, found 'sistolic'; did you mean "
      "'systolic'?");
  EXPECT_EQ(refusal([] { parse_border("mirror"); }),
            "border: expected zero, replicate, reflect or periodic, found 'mirror'");
  EXPECT_EQ(refusal([] { convolution_filter::named("gaussian"); }),
            "filter: expected gaussian:N or gaussian:N:SIGMA, N from 1 to 31, SIGMA above 0, found "
            "'gaussian'");
  EXPECT_EQ(refusal([] { convolution_filter::named("box:32"); }),
            "filter: expected box:N, N from 1 to 31, found 'box:32'");
  EXPECT_EQ(refusal([] { convolution_filter::named("sobel-x", 3); }),
            "filter: sobel-x has 2 dimensions, the image 3");
  EXPECT_EQ(refusal([] { convolution_filter::named("sobelx"); }),
            "filter: expected gaussian:N[:SIGMA], box:N, sobel-x, sobel-y, laplacian or sharpen, "
            "found 'sobelx'; did you mean 'sobel-x'?");
}

TEST(convolution_choices, memory_that_overlaps_is_refused) {
  std::vector<float> v(24);
  const std::span<float> all(v);
  EXPECT_EQ(refusal([&] {
              convolve<float>(device::cpu(1), extents(3, 4), all.subspan(0, 12),
                              all.subspan(11, 12), blur);
            }),
            "out: expected memory of its own, found that it overlaps images");
}

TEST(convolution_choices, weights_beyond_f32_are_refused) {
  const std::vector<float> in(4);
  std::vector<float> out(4);
  EXPECT_EQ(refusal([&] {
              convolve<float>(device::cpu(1), extents(2, 2), in, out,
                              convolution_filter(extents(1, 1), {1e300}));
            }),
            "filter: expected weights that are finite in f32, found 1e+300");
}

TEST(convolution_choices, a_filter_that_is_no_product_is_not_taken_apart) {
  convolution_options o;
  o.passes = filter_passes::each_axis;
  EXPECT_EQ(refusal_of(extents(3, 4), 12, 12, convolution_filter::named("laplacian"), o),
            "filter: expected a product of filters along the axes, found one whose weights are no "
            "products without rounding");
}

TEST(convolution_choices, no_images_are_nothing_to_do) {
  EXPECT_EQ(refusal_of(extents(3, 4), 0, 0), "accepted");
}

TEST(convolution_choices, named_filters_do_as_they_say) {
  const auto gaussian = convolution_filter::named("gaussian:9");
  EXPECT_EQ(gaussian.size(), extents(9, 9));
  double sum = 0;
  for (const double w : gaussian.weights()) sum += w;
  EXPECT_NEAR(sum, 1, 1e-14);
  const auto narrow = convolution_filter::named("gaussian:5:0.5");
  EXPECT_NEAR(narrow.weights()[12] / narrow.weights()[13], std::exp(2.0), 1e-12);
  EXPECT_EQ(convolution_filter::named("box:4", 3).size(), extents(4, 4, 4));
  grid<double> ramp(extents(5, 6)), out(extents(5, 6));
  for (int y = 0; y < 5; ++y)
    for (int x = 0; x < 6; ++x) ramp(y, x) = 2 * x + 10 * y;
  convolve<double>(device::cpu(1), ramp.view(), out.view(), convolution_filter::named("sobel-x"));
  EXPECT_EQ(out(2, 2), 16);  // 8 times the central difference, 2
  convolve<double>(device::cpu(1), ramp.view(), out.view(), convolution_filter::named("sobel-y"));
  EXPECT_EQ(out(2, 2), 80);
}

std::optional<filter_factors> factors_of(const extents& n, std::vector<double> w, int bits = 53) {
  return exact_factors(n, w, bits);
}

TEST(convolution_choices, products_are_found_where_they_are_exact) {
  const auto binomial = factors_of(extents(3, 3), {1, 2, 1, 2, 4, 2, 1, 2, 1});
  ASSERT_TRUE(binomial);
  EXPECT_EQ((*binomial)[1], (std::vector<double>{1, 2, 1}));
  EXPECT_EQ((*binomial)[2], (std::vector<double>{1, 2, 1}));
  // 6 x 6 times 1/4: a divisor and a power of two.
  const auto scaled = factors_of(extents(2, 2), {36 * 0.25, 24 * 0.25, 54 * 0.25, 36 * 0.25});
  ASSERT_TRUE(scaled);
  for (int n = 0; n < 2; ++n)
    for (int m = 0; m < 2; ++m)
      EXPECT_EQ((*scaled)[1][n] * (*scaled)[2][m], (std::vector<double>{9, 6, 13.5, 9})[2 * n + m]);
  EXPECT_TRUE(factors_of(extents(3, 3), {0, 0, 0, 1, 0, -1, 0, 0, 0}));
  EXPECT_FALSE(factors_of(extents(3, 3), {0, 1, 0, 1, -4, 1, 0, 1, 0}));
  EXPECT_FALSE(factors_of(extents(2, 2), {1, 2, 2, 4.0000000000000009}));
  EXPECT_FALSE(factors_of(extents(2, 2), {0, 0, 0, 0}));
  EXPECT_FALSE(factors_of(extents(1, 3), {1, 2, 1}));             // one axis
  EXPECT_FALSE(factors_of(extents(2, 2), {1, 1e-30, 1, 1e-30}));  // 62 bits do not hold them
  const double wide = 16777217;                                   // 25 bits
  EXPECT_TRUE(factors_of(extents(2, 2), {wide, wide + 2, wide, wide + 2}, 53));
  EXPECT_FALSE(factors_of(extents(2, 2), {wide, wide + 2, wide, wide + 2}, 24));
}

TEST(convolution_choices, products_are_found_in_three_dimensions) {
  const std::vector<double> z = {1, 3}, y = {2, 0, 5}, x = {1, -4};
  std::vector<double> w;
  for (const double a : z)
    for (const double b : y)
      for (const double c : x) w.push_back(a * b * c);
  const auto found = factors_of(extents(2, 3, 2), w);
  ASSERT_TRUE(found);
  std::size_t i = 0;
  for (const double a : (*found)[0])
    for (const double b : (*found)[1])
      for (const double c : (*found)[2]) EXPECT_EQ(a * b * c, w[i++]);
  w[5] += 1;
  EXPECT_FALSE(factors_of(extents(2, 3, 2), w));
}

TEST(convolution_choices, large_products_are_taken_apart_and_small_ones_are_not) {
  const device_facts cpu = device::cpu(1).facts();
  const auto passes = [&](const char* name) {
    return decide(convolution_kernels(), cpu, extents(100, 100), 1, convolution_filter::named(name),
                  {}, f32_cells)
        .passes.size();
  };
  EXPECT_EQ(passes("gaussian:3"), 1u);
  EXPECT_EQ(passes("gaussian:15"), 2u);
}

TEST(convolution_choices, tiles_are_copied_where_rows_share_sets_of_the_cache) {
  const cpu_cache twelve = {48 << 10, 12, 64}, eight = {32 << 10, 8, 64};
  const extents large(31, 31), medium(10, 10), high(31, 1);
  EXPECT_TRUE(copies_pay(large, 8192, twelve));
  EXPECT_TRUE(copies_pay(large, 4096, twelve));
  EXPECT_FALSE(copies_pay(large, 8192 + 64, twelve));
  EXPECT_FALSE(copies_pay(large, 1024, twelve));  // 34 rows at four places
  EXPECT_FALSE(copies_pay(medium, 8192, twelve));
  EXPECT_TRUE(copies_pay(medium, 8192, eight));
  EXPECT_FALSE(copies_pay(high, 8192, eight));  // each line is read once
  // A choice goes by the bytes of a row of the images, and by this machine's cache.
  convolution_options o;
  o.passes = filter_passes::one;
  for (const int width : {4096, 4096 + 16})
    for (const cell_bytes& bytes : {f32_cells, cell_bytes{1, 4, 1}}) {
      const auto plan = plan_convolution(device::cpu(1).facts(), extents(40, width), 1,
                                         convolution_filter::named("box:31"), o, bytes);
      EXPECT_EQ(plan.algorithm == std::string("shared"),
                copies_pay(large, std::int64_t{width} * bytes.in, first_level_cache()))
          << plan.reason;
    }
}

TEST(convolution_choices, the_latencies_of_the_document) {
  // Chen et al. 2019, table 2 and equation 5, of a V100 and a P100.
  const operation_latencies v100 = {4, 27, 22}, p100 = {6, 33, 33};
  EXPECT_EQ(model::latency_of_shared(3, 3, v100), 9 * (4 + 2 * 27));
  EXPECT_EQ(model::latency_of_systolic(3, 3, v100), 9 * (4 + 27) + 2 * 22);
  EXPECT_EQ(model::latency_of_shared(5, 4, p100) - model::latency_of_systolic(5, 4, p100),
            20 * 33 - 4 * 33);
  EXPECT_DOUBLE_EQ(model::halo_ratio(5, 5, 32, 8), 1 - 28.0 * 4 / 256);
}

TEST(convolution_choices, large_filters_are_systolic_on_a_gpu) {
  const device_facts h200 = facts_of("h200");
  const auto time = [&](const char* algorithm, int taps) {
    return projected_time(algorithm, extents(taps, taps), 8192.0 * 8192, h200, f32_cells);
  };
  EXPECT_LT(time("systolic", 15), time("window", 15));
  EXPECT_LT(time("systolic", 15), time("shared", 15));
  EXPECT_LT(time("window", 15), time("direct", 15));
  // No faster than a copy.
  EXPECT_GT(time("systolic", 2), 8192.0 * 8192 * 8 / limits_of(h200).memory);
}

}  // namespace
}  // namespace dwell
