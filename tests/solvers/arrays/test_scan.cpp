// SPDX-License-Identifier: MIT
// Scans, tables and means against plain loops: exact where sums are whole numbers, the same bits
// with any number of threads, sizes around rows, warps and tiles.
#include "dwell/arrays/scan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

#include "place.hpp"
#include "plain_convolution.hpp"
#include "refusal.hpp"

namespace dwell {
namespace {

using test::refusal;

/// Whole numbers from -50 to 49.
template <class T>
std::vector<T> whole_numbers(std::size_t n, unsigned seed) {
  std::vector<T> v(n);
  for (T& x : v) {
    seed = seed * 1664525u + 1013904223u;
    x = static_cast<T>(static_cast<int>(seed >> 16) % 100 - 50);
  }
  return v;
}

template <class T>
std::vector<T> plain_scan(const std::vector<T>& in, scan_operation op, bool exclusive) {
  std::vector<T> out;
  T now = op == scan_operation::sum     ? T(0)
          : std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity()
                                        : std::numeric_limits<T>::lowest();
  for (const T v : in) {
    if (exclusive) out.push_back(now);
    now = op == scan_operation::sum ? static_cast<T>(now + v) : std::max(now, v);
    if (!exclusive) out.push_back(now);
  }
  return out;
}

template <class T>
std::vector<T> scanned(const std::vector<T>& in, const scan_options& o, int threads) {
  std::vector<T> out(in.size(), T(77));
  scan<T>(device::cpu(threads), in, out, o);
  return out;
}

template <class T>
class scans : public testing::Test {};
using element_types = testing::Types<double, float, std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(scans, element_types);

TYPED_TEST(scans, of_sizes_around_rows_warps_tiles_and_groups) {
  constexpr std::size_t row = 32 * (16 / sizeof(TypeParam)), warp = 8 * row, tile = 8 * warp,
                        group = 32 * tile;
  for (const std::size_t n :
       {std::size_t(0), std::size_t(1), std::size_t(2), std::size_t(31), row - 1, row, row + 1,
        warp - 1, warp, warp + 1, tile - 1, tile, tile + 1, 3 * tile + 5, group - 1, group,
        group + 1, 2 * group + tile + 77}) {
    const auto in = whole_numbers<TypeParam>(n, static_cast<unsigned>(n) + 3);
    for (const auto op : {scan_operation::sum, scan_operation::max})
      for (const bool exclusive : {false, true})
        for (const int threads : {1, 2, 3}) {
          const scan_options o{op, exclusive, threads == 2};
          EXPECT_EQ(scanned(in, o, threads), plain_scan(in, op, exclusive))
              << n << (exclusive ? " exclusive" : "") << ", " << threads << " threads";
        }
  }
}

TYPED_TEST(scans, in_place) {
  auto v = whole_numbers<TypeParam>(50000, 4);
  const auto expected = plain_scan(v, scan_operation::sum, false);
  scan<TypeParam>(device::cpu(2), v, v);
  EXPECT_EQ(v, expected);
}

template <class T>
class real_scans : public testing::Test {};
using real_types = testing::Types<double, float>;
TYPED_TEST_SUITE(real_scans, real_types);

TYPED_TEST(real_scans, have_the_same_bits_in_every_run) {
  const auto u = noise<TypeParam>(extents(300, 401), 5);
  const std::vector<TypeParam> in(u.cells().begin(), u.cells().end());
  const auto once = scanned(in, {}, 1);
  for (int k = 0; k < 10; ++k) EXPECT_EQ(scanned(in, {}, 2 + k % 3), once);
  long double sum = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    sum += in[i];
    ASSERT_NEAR(static_cast<double>(once[i]), static_cast<double>(sum),
                1e4 * static_cast<double>(std::numeric_limits<TypeParam>::epsilon()));
  }
}

TYPED_TEST(real_scans, of_maxima_keep_a_nan) {
  std::vector<TypeParam> in(10000, TypeParam(1));
  in[4000] = std::numeric_limits<TypeParam>::quiet_NaN();
  in[6000] = std::numeric_limits<TypeParam>::infinity();
  const auto out = scanned(in, {scan_operation::max, false, false}, 2);
  for (std::size_t i = 0; i < in.size(); ++i) ASSERT_EQ(std::isnan(out[i]), i >= 4000) << i;
}

TEST(scans_of_whole_numbers, go_round) {
  const std::vector<std::int32_t> in(3, std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(scanned(in, {}, 1), (std::vector<std::int32_t>{2147483647, -2, 2147483645}));
}

TEST(scan_refusals, sizes_and_memory) {
  std::vector<double> v(10), w(9);
  EXPECT_EQ(refusal([&] { scan<double>(device::cpu(1), v, w); }),
            "out: expected 10 elements, found 9");
  const std::span<double> all(v);
  EXPECT_EQ(refusal([&] { scan<double>(device::cpu(1), all.subspan(0, 5), all.subspan(1, 5)); }),
            "out: expected memory of its own, found that it overlaps in");
  grid<double> volume(extents(2, 3, 4)), image(extents(3, 4)), other(extents(4, 3));
  EXPECT_EQ(
      refusal([&] { summed_area_table<double>(device::cpu(1), volume.view(), volume.view()); }),
      "image: expected 2 dimensions, found 3");
  EXPECT_EQ(refusal([&] { summed_area_table<double>(device::cpu(1), image.view(), other.view()); }),
            "out: expected 3x4 cells as the image has, found 4x3");
  EXPECT_EQ(refusal([&] { box_mean<double>(device::cpu(1), image.view(), image.view(), 0, 3); }),
            "window: expected 1 to 2^30 cells along each axis, found 0x3");
}

TYPED_TEST(real_scans, tables_hold_the_sums_of_all_cells_up_to_theirs) {
  for (const extents& n : {extents(1, 1), extents(1, 300), extents(300, 1), extents(63, 17),
                           extents(64, 128), extents(65, 129), extents(200, 1029)}) {
    const auto values = whole_numbers<TypeParam>(n.cells(), 6);
    grid<TypeParam> image(n), table(n), expected(n);
    std::copy(values.begin(), values.end(), image.cells().begin());
    for (int y = 0; y < n.y; ++y)
      for (int x = 0; x < n.x; ++x)
        expected(y, x) = image(y, x) + (y > 0 ? expected(y - 1, x) : 0) +
                         (x > 0 ? expected(y, x - 1) : 0) -
                         (y > 0 && x > 0 ? expected(y - 1, x - 1) : 0);
    for (const int threads : {1, 2, 3}) {
      summed_area_table<TypeParam>(device::cpu(threads), image.view(), table.view());
      EXPECT_EQ(table, expected) << to_string(n);
    }
    summed_area_table<TypeParam>(device::cpu(2), image.view(), image.view(),
                                 {scan_operation::sum, false, true});
    EXPECT_EQ(image, expected) << to_string(n) << ", in place, reversed";
  }
}

/// The cells of a window around a cell that there are.
struct cells_of_window {
  int top, bottom, left, right;
  cells_of_window(const extents& n, int rows, int columns, int y, int x)
      : top(std::max(0, y - rows / 2)),
        bottom(static_cast<int>(std::min<std::int64_t>(n.y - 1, y + std::int64_t{rows - 1} / 2))),
        left(std::max(0, x - columns / 2)),
        right(
            static_cast<int>(std::min<std::int64_t>(n.x - 1, x + std::int64_t{columns - 1} / 2))) {}
  bool hold(int y, int x) const { return top <= y && y <= bottom && left <= x && x <= right; }
};

template <class T>
double plain_mean(const grid<T>& image, const cells_of_window& w) {
  long double sum = 0;
  for (int y = w.top; y <= w.bottom; ++y)
    for (int x = w.left; x <= w.right; ++x) sum += image(y, x);
  return static_cast<double>(
      sum / (static_cast<long double>(w.bottom - w.top + 1) * (w.right - w.left + 1)));
}

struct window_case {
  extents n;
  int rows, columns;
};
/// Sizes of images and windows from one cell to several bands, and windows larger than all images.
std::vector<window_case> window_cases() {
  // Under sanitizers, where plain means of large windows take most of the time, less of those.
  const int tall = test::sanitized ? 31 : 128, wide = test::sanitized ? 15 : 63,
            most = test::sanitized ? 40 : 150;
  std::vector<window_case> all = {
      {extents(1, 1), 1, 1},           {extents(37, 45), 1 << 30, 1 << 30},
      {extents(1, 3000), 1, 1001},     {extents(3000, 1), 999, 7},
      {extents(700, 3), 64, 1},        {extents(3, 700), 2, 65},
      {extents(200, 130), tall, wide}, {extents(40, 50), 99, 99}};
  std::mt19937 random(11);
  const auto up_to = [&](int most) { return static_cast<int>(random() % unsigned(most)) + 1; };
  for (int k = 0; k < 60; ++k)
    all.push_back(
        {extents(up_to(70), up_to(90)), up_to(k % 2 ? 9 : most), up_to(k % 3 ? 9 : most)});
  return all;
}

template <class T>
grid<T> means_of(const grid<T>& image, const window_case& c, int threads = 2) {
  grid<T> out(c.n);
  box_mean<T>(device::cpu(threads), image.view(), out.view(), c.rows, c.columns,
              {scan_operation::sum, false, threads == 3});
  return out;
}

/// Positive numbers, of about as many sizes as T has.
template <class T>
grid<T> positive_numbers(const extents& n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> exponent(-30, 30);
  grid<T> u(n);
  for (T& v : u.cells()) v = static_cast<T>(std::pow(10.0, exponent(random)));
  return u;
}

TYPED_TEST(real_scans, means_are_of_the_cells_of_the_window_that_there_are) {
  const double allowed =
      std::is_same_v<TypeParam, double> ? 1e-13 : std::numeric_limits<float>::epsilon();
  unsigned seed = 0;
  for (const window_case& c : window_cases()) {
    const auto image = positive_numbers<TypeParam>(c.n, ++seed);
    const auto out = means_of(image, c);
    for (int y = 0; y < c.n.y; ++y)
      for (int x = 0; x < c.n.x; ++x) {
        const double expected = plain_mean(image, {c.n, c.rows, c.columns, y, x});
        ASSERT_NEAR(static_cast<double>(out(y, x)), expected, allowed * expected)
            << to_string(c.n) << ", " << c.rows << "x" << c.columns << " at " << y << ", " << x;
      }
    EXPECT_EQ(means_of(image, c, 1), out) << to_string(c.n);
    EXPECT_EQ(means_of(image, c, 3), out) << to_string(c.n);
    auto in_place = image;
    box_mean<TypeParam>(device::cpu(2), in_place.view(), in_place.view(), c.rows, c.columns);
    EXPECT_EQ(in_place, out) << to_string(c.n) << ", in place";
  }
}

TYPED_TEST(real_scans, means_of_a_long_window_are_those_of_its_cells) {
  grid<TypeParam> tenths(extents(1, 300000));
  std::fill(tenths.cells().begin(), tenths.cells().end(), TypeParam(0.1));
  const double tenth = static_cast<double>(TypeParam(0.1));
  const auto means = means_of(tenths, {tenths.size(), 1, 250001});
  for (const auto v : means.cells())
    ASSERT_NEAR(static_cast<double>(v), tenth,
                tenth * std::max(1e-14, 1.0 * std::numeric_limits<TypeParam>::epsilon()));
}

TYPED_TEST(real_scans, a_cell_has_no_part_in_means_of_windows_that_do_not_hold_it) {
  using limits = std::numeric_limits<TypeParam>;
  unsigned seed = 100;
  for (const window_case& c : window_cases()) {
    const auto image = noise<TypeParam>(c.n, ++seed);
    const auto without = means_of(image, c);
    const int row = static_cast<int>(seed * 7919 % static_cast<unsigned>(c.n.y)),
              column = static_cast<int>(seed * 104729 % static_cast<unsigned>(c.n.x));
    for (const TypeParam value :
         {TypeParam(1e20), TypeParam(9.96921e36), TypeParam(65535), TypeParam(-9999), limits::max(),
          -limits::max(), limits::infinity(), -limits::infinity(), limits::quiet_NaN()}) {
      auto filled = image;
      filled(row, column) = value;
      const auto out = means_of(filled, c);
      for (int y = 0; y < c.n.y; ++y)
        for (int x = 0; x < c.n.x; ++x)
          if (cells_of_window(c.n, c.rows, c.columns, y, x).hold(row, column))
            ASSERT_EQ(std::isnan(out(y, x)), std::isnan(value)) << value;
          else
            ASSERT_EQ(out(y, x), without(y, x))
                << value << " at " << row << ", " << column << " in " << to_string(c.n) << ", "
                << c.rows << "x" << c.columns << " at " << y << ", " << x;
    }
  }
}

}  // namespace
}  // namespace dwell
