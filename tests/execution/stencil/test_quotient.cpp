// SPDX-License-Identifier: MIT
// reciprocal() and quotient(), which shapes divide by: the bits of a division where that is said,
// and no number elsewhere. The GPU's: gpu/test_quotient_gpu.cu.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "dwell/stencil/stencil.hpp"

namespace dwell::test {
namespace {

template <class T>
void divides(int exponents) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<T> part(1, 2);
  std::uniform_int_distribution<int> power(-exponents, exponents - 1);
  for (int k = 0; k < 100000; ++k) {
    const T sign = k % 2 == 0 ? T(1) : T(-1);
    const T n = std::ldexp(part(random), power(random) / 4);
    const T d = sign * std::ldexp(part(random), power(random) / 4);
    ASSERT_EQ(reciprocal(d), 1 / d) << d;
    ASSERT_EQ(quotient(n, d), n / d) << n << " over " << d;
  }
  const T least = std::ldexp(T(1), -exponents), most = std::ldexp(T(1), exponents);
  EXPECT_EQ(reciprocal(least), most);
  // The last number before a power of two: the exact reciprocal is hardly above the middle.
  const T last = std::nextafter(most, T(0));
  EXPECT_EQ(reciprocal(last), sizeof(T) == 8 ? least : 1 / last);
  EXPECT_EQ(reciprocal(-last), -reciprocal(last));
  EXPECT_EQ(quotient(T(3), last), 3 / last);
  EXPECT_EQ(quotient(T(0), T(3)), 0);
  for (const T d :
       {T(0), -T(0), std::nextafter(least, T(0)), most, -most, std::numeric_limits<T>::infinity(),
        std::numeric_limits<T>::denorm_min(), std::numeric_limits<T>::quiet_NaN()}) {
    EXPECT_TRUE(std::isnan(reciprocal(d))) << d;
    EXPECT_TRUE(std::isnan(quotient(T(1), d))) << d;
  }
}

TEST(quotient, of_doubles) { divides<double>(1000); }
TEST(quotient, of_floats) { divides<float>(120); }

}  // namespace
}  // namespace dwell::test
