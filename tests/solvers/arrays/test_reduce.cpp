// SPDX-License-Identifier: MIT
// Reductions against the passes of solvers: the same bits, of every size, precision and operation,
// with any number of threads; NaN, infinities and zeros; norms beyond the range of squares.
#include "dwell/arrays/reduce.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "reduce_cases.hpp"
#include "refusal.hpp"

namespace dwell {
namespace {

using namespace test;

template <class T>
class reductions : public testing::Test {
 protected:
  using span = std::span<const T>;
  static constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  static constexpr T infinity = std::numeric_limits<T>::infinity();
  static constexpr double nan_f64 = std::numeric_limits<double>::quiet_NaN();
  static double reduced(const std::vector<T>& v, reduction r, int threads = 1) {
    return reduce<T>(device::cpu(threads), span(v), r);
  }
};
using real_types = testing::Types<double, float>;
TYPED_TEST_SUITE(reductions, real_types);

TYPED_TEST(reductions, have_the_bits_of_passes_of_solvers) {
  using span = std::span<const TypeParam>;
  reducer one(device::cpu(1)), two(device::cpu(2)), five(device::cpu(5));
  for (const std::size_t n : reduced_sizes()) {
    const auto x = uneven_numbers<TypeParam>(n, n + 1), y = uneven_numbers<TypeParam>(n, n + 2);
    for (const reduction r : all_reductions) {
      if (n == 0 && needs_elements(r)) continue;
      const double expected = plain_reduction(span(x), r);
      for (reducer* by : {&one, &two, &five})
        ASSERT_EQ(bits_of(expected), bits_of(by->template reduce<TypeParam>(span(x), r)))
            << to_string(r) << " of " << n;
    }
    const double expected = plain_dot(span(x), span(y));
    for (reducer* by : {&one, &two, &five})
      ASSERT_EQ(bits_of(expected), bits_of(by->template dot<TypeParam>(span(x), span(y))))
          << "dot of " << n;
  }
}

TYPED_TEST(reductions, are_the_same_from_any_address) {
  using span = std::span<const TypeParam>;
  const std::size_t n = 70'001;
  const auto x = uneven_numbers<TypeParam>(n, 5);
  for (const reduction r : all_reductions)
    for (std::size_t shift = 0; shift < 5; ++shift) {
      std::vector<TypeParam> moved(n + shift);
      std::copy(x.begin(), x.end(), moved.begin() + static_cast<std::ptrdiff_t>(shift));
      EXPECT_EQ(bits_of(plain_reduction(span(x), r)),
                bits_of(reduce<TypeParam>(device::cpu(2), span(moved).subspan(shift), r)))
          << to_string(r) << ", " << shift;
    }
}

TYPED_TEST(reductions, are_near_the_exact_ones) {
  std::vector<TypeParam> v(3'000'000);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<TypeParam>(i % 8192) - 4096;
  double sum = 0, magnitudes = 0, squares = 0;  // whole numbers below 2^53
  for (const TypeParam x : v) {
    sum += x;
    magnitudes += std::fabs(x);
    squares += static_cast<double>(x) * x;
  }
  EXPECT_EQ(this->reduced(v, reduction::sum, 2), sum);
  EXPECT_EQ(this->reduced(v, reduction::norm1, 2), magnitudes);
  EXPECT_EQ(this->reduced(v, reduction::norm2, 2), std::sqrt(squares));
  EXPECT_EQ(this->reduced(v, reduction::min, 2), -4096);
  EXPECT_EQ(this->reduced(v, reduction::max, 2), 4095);
  EXPECT_EQ(this->reduced(v, reduction::norm_max, 2), 4096);
}

TYPED_TEST(reductions, of_nothing) {
  const std::vector<TypeParam> none;
  for (const reduction r :
       {reduction::sum, reduction::norm1, reduction::norm2, reduction::norm_max})
    EXPECT_EQ(bits_of(0.0), bits_of(this->reduced(none, r))) << to_string(r);
  EXPECT_EQ(bits_of(0.0), bits_of(dot<TypeParam>(device::cpu(1), std::span<const TypeParam>(),
                                                 std::span<const TypeParam>())));
  EXPECT_EQ(refusal([&] { this->reduced(none, reduction::min); }),
            "min: expected at least one element, found none");
  EXPECT_EQ(refusal([&] { this->reduced(none, reduction::max); }),
            "max: expected at least one element, found none");
}

TYPED_TEST(reductions, keep_a_nan_wherever_it_is) {
  for (const std::size_t n : {1u, 3u, 40u, 1024u, 1500u, 300'000u})
    for (const std::size_t at : {std::size_t(0), n / 3, n / 2, n - 1})
      for (const TypeParam which : {this->nan, -this->nan}) {
        auto v = uneven_numbers<TypeParam>(n, 3);
        v[at] = which;
        for (const reduction r : all_reductions)
          EXPECT_EQ(bits_of(this->nan_f64), bits_of(this->reduced(v, r)))
              << to_string(r) << " of " << n << ", NaN at " << at;
        v[n - 1 - at] = this->infinity;  // beside an infinity, or instead of the NaN
        if (n - 1 - at == at) continue;
        EXPECT_EQ(bits_of(this->nan_f64), bits_of(this->reduced(v, reduction::norm2)));
        EXPECT_EQ(bits_of(this->nan_f64), bits_of(this->reduced(v, reduction::max)));
      }
}

TYPED_TEST(reductions, of_infinities) {
  auto v = uneven_numbers<TypeParam>(5000, 9);
  v[4321] = -this->infinity;
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(this->reduced(v, reduction::sum), -inf);
  EXPECT_EQ(this->reduced(v, reduction::min), -inf);
  EXPECT_TRUE(std::isfinite(this->reduced(v, reduction::max)));
  EXPECT_EQ(this->reduced(v, reduction::norm1), inf);
  EXPECT_EQ(this->reduced(v, reduction::norm2), inf);
  EXPECT_EQ(this->reduced(v, reduction::norm_max), inf);
  v[7] = this->infinity;
  EXPECT_EQ(bits_of(this->nan_f64), bits_of(this->reduced(v, reduction::sum)));
  const std::vector<TypeParam> all(2000, -this->infinity);
  EXPECT_EQ(this->reduced(all, reduction::max), -inf);
}

TYPED_TEST(reductions, give_zeros_without_a_sign) {
  for (const std::size_t n : {1u, 2u, 2000u}) {
    const std::vector<TypeParam> v(n, TypeParam(-0.0));
    for (const reduction r : all_reductions)
      EXPECT_EQ(bits_of(0.0), bits_of(this->reduced(v, r))) << to_string(r) << " of " << n;
  }
}

TYPED_TEST(reductions, of_all_negative_and_all_positive_elements) {
  const std::vector<TypeParam> below(1500, TypeParam(-3)), above(1500, TypeParam(3));
  EXPECT_EQ(this->reduced(below, reduction::max), -3);
  EXPECT_EQ(this->reduced(below, reduction::norm_max), 3);
  EXPECT_EQ(this->reduced(above, reduction::min), 3);
}

TYPED_TEST(reductions, are_refused_for_arrays_that_do_not_fit) {
  using span = std::span<const TypeParam>;
  const std::vector<TypeParam> x(3), y(4);
  EXPECT_EQ(refusal([&] { dot<TypeParam>(device::cpu(1), span(x), span(y)); }),
            "y: expected 3 elements as x has, found 4");
  EXPECT_EQ(refusal([&] {
              reduce<TypeParam>(device::cpu(1), span(static_cast<TypeParam*>(nullptr), 3));
            }),
            "v: expected an array, found a null pointer");
  const device_span<const TypeParam> there{x.data(), x.size(), 0};
  EXPECT_EQ(refusal([&] { reduce<TypeParam>(device::cpu(1), there); }),
            "v: expected memory of the host for a CPU, found a view of a GPU's");
  reducer by(device::cpu(1));
  double result = 0;
  EXPECT_EQ(refusal([&] {
              by.queue<TypeParam>(there, reduction::sum, {&result, 1, 0});
            }),
            "v: expected memory of the host for a CPU, found a view of a GPU's");
}

TYPED_TEST(reductions, of_a_reducer_that_has_moved) {
  using span = std::span<const TypeParam>;
  const auto x = uneven_numbers<TypeParam>(1 << 20, 8);
  reducer first(device::cpu(3));
  const double expected = first.template reduce<TypeParam>(span(x));
  reducer second(std::move(first));
  for (int again = 0; again < 50; ++again)
    ASSERT_EQ(bits_of(expected), bits_of(second.template reduce<TypeParam>(span(x))));
}

TEST(norm2, is_scaled_where_squares_leave_the_range) {
  for (const int exponent : {-1073, -1060, -1000, -600, -520, 0, 500, 520, 1000, 1020})
    for (const std::size_t n : {1u, 2u, 16u, 4096u}) {
      // The norm of n equal numbers, n a power of 4 or 2, is v sqrt(n).
      const double v = std::ldexp(1.0, exponent);
      const std::vector<double> all(n, v);
      const double found = reduce<double>(device::cpu(1), all, reduction::norm2);
      const double expected = std::ldexp(std::sqrt(static_cast<double>(n)), exponent);
      EXPECT_EQ(found, expected) << n << " of 2^" << exponent;
    }
  // Three and four: five, at either end.
  for (const double by : {1e-300, 1e300}) {
    const std::vector<double> v = {3 * by, 0, 4 * by};
    EXPECT_NEAR(reduce<double>(device::cpu(1), v, reduction::norm2) / by, 5, 1e-14);
  }
  const std::vector<double> most(5, std::numeric_limits<double>::max());
  EXPECT_EQ(reduce<double>(device::cpu(1), most, reduction::norm2),
            std::numeric_limits<double>::infinity());
}

TEST(norm2, of_floats_needs_no_scale) {
  const float most = std::numeric_limits<float>::max(),
              least = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(reduce<float>(device::cpu(1), std::vector<float>(4, most), reduction::norm2),
            2.0 * most);
  EXPECT_EQ(reduce<float>(device::cpu(1), std::vector<float>(4, least), reduction::norm2),
            2.0 * least);
}

TEST(reduction_names, lead_there_and_back) {
  for (const reduction r : all_reductions) EXPECT_EQ(parse_reduction(to_string(r)), r);
  EXPECT_EQ(refusal([] { parse_reduction("mean"); }),
            "reduction: expected one of sum, min, max, norm1, norm2, norm-max, found 'mean'");
}

}  // namespace
}  // namespace dwell
