// SPDX-License-Identifier: MIT
// Functions of cells against those of long double: errors of arguments by chance, over all
// magnitudes, and special values.
#include "dwell/stencil/cell_math.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace dwell::test {
namespace {

namespace m = cell_math;

/// In units in the last place of T at the true value.
template <class T>
double error_of(T found, long double truth) {
  if (std::isnan(truth)) return std::isnan(found) ? 0 : HUGE_VAL;
  const T nearest = static_cast<T>(truth);
  if (std::isinf(nearest) || std::isinf(found) || std::isnan(found))
    return nearest == found ? 0 : HUGE_VAL;
  int exponent = 0;
  std::frexp(nearest, &exponent);
  if (nearest == 0) exponent = std::numeric_limits<T>::min_exponent;
  exponent = std::max(exponent, std::numeric_limits<T>::min_exponent);
  const long double unit = std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits);
  return static_cast<double>(std::fabs(static_cast<long double>(found) - truth) / unit);
}

template <class T>
struct function {
  const char* name;
  T (*f)(T);
  long double (*truth)(long double);
  double most;  ///< arguments, in magnitude
};

template <class T>
std::vector<function<T>> functions() {
  const double circle = sizeof(T) == 8 ? 0x1p45 : 0x1p22;
  return {{"exp", [](T x) { return m::exp(x); }, [](long double x) { return std::exp(x); }, 800},
          {"log", [](T x) { return m::log(x); }, [](long double x) { return std::log(x); },
           std::numeric_limits<T>::max()},
          {"sin", [](T x) { return m::sin(x); }, [](long double x) { return std::sin(x); }, circle},
          {"cos", [](T x) { return m::cos(x); }, [](long double x) { return std::cos(x); }, circle},
          {"tanh", [](T x) { return m::tanh(x); }, [](long double x) { return std::tanh(x); },
           std::numeric_limits<T>::max()}};
}

template <class T>
class CellMath : public testing::Test {};
using precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(CellMath, precisions);

TYPED_TEST(CellMath, ErrorsAreAtMostOneAndAHalfUnits) {
  using T = TypeParam;
  constexpr double allowed = 1.5;
  std::mt19937_64 chance(7);
  const auto check = [&](const function<T>& f, T x) {
    if (!(std::fabs(x) <= f.most)) return;
    EXPECT_LE(error_of(f.f(x), f.truth(static_cast<long double>(x))), allowed)
        << f.name << " of " << x;
  };
  for (const auto& f : functions<T>()) {
    // Numbers of every magnitude there is, more of the usual ones.
    std::uniform_real_distribution<double> exponent(sizeof(T) == 8 ? -1074 : -149,
                                                    sizeof(T) == 8 ? 1023.9 : 127.9),
        usual(-4, 4), wide(-120, 120);
    for (int k = 0; k < 100000; ++k) {
      const T magnitude = static_cast<T>(std::exp2(exponent(chance)));
      check(f, chance() % 2 ? magnitude : -magnitude);
      check(f, static_cast<T>(std::ldexp(1 + 1e-19 * static_cast<double>(chance() >> 1),
                                         static_cast<int>(chance() % 46))));
      check(f, static_cast<T>(usual(chance)));
      check(f, static_cast<T>(wide(chance)));
    }
    // Next to multiples of pi/2, where digits cancel.
    for (int k = 1; k < 20000; ++k) check(f, static_cast<T>(k * 1.57079632679489661923L));
    // Where results begin to be denormal or infinite.
    for (const double edge :
         {709.782712893384, -708.396418532264, -745.1332191019412, 88.72283935546875,
          -87.33654475212097, -103.97208, 1.0, 0.5, 2.0, 19.0615, 9.01})
      for (T x = static_cast<T>(edge), k = -20; k <= 20; ++k)
        check(f, x + k * std::numeric_limits<T>::epsilon() * std::fabs(x));
  }
}

TYPED_TEST(CellMath, SpecialValues) {
  using T = TypeParam;
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const T least = std::numeric_limits<T>::denorm_min();
  EXPECT_EQ(m::infinity<T>(), inf);
  EXPECT_TRUE(std::isnan(m::not_a_number<T>()));
  for (const auto& f : functions<T>()) EXPECT_TRUE(std::isnan(f.f(nan))) << f.name;
  EXPECT_EQ(m::exp(inf), inf);
  EXPECT_EQ(m::exp(-inf), 0);
  EXPECT_EQ(m::exp(T(0)), 1);
  EXPECT_EQ(m::exp(least), 1);
  EXPECT_EQ(m::log(T(1)), 0);
  EXPECT_EQ(m::log(inf), inf);
  for (const T zero : {T(0), -T(0)}) {
    EXPECT_EQ(m::log(zero), -inf);
    EXPECT_EQ(m::cos(zero), 1);
    EXPECT_EQ(std::signbit(m::sin(zero)), std::signbit(zero));
    EXPECT_EQ(std::signbit(m::tanh(zero)), std::signbit(zero));
  }
  EXPECT_TRUE(std::isnan(m::log(-least)));
  EXPECT_TRUE(std::isnan(m::log(-inf)));
  EXPECT_EQ(m::sin(least), least);
  EXPECT_EQ(m::tanh(-least), -least);
  EXPECT_EQ(m::tanh(inf), 1);
  EXPECT_EQ(m::tanh(-inf), -1);
  // Beyond what is documented.
  const T beyond = sizeof(T) == 8 ? T(0x1.0000001p45) : T(0x1.0002p22);
  for (const T x : {beyond, -beyond, inf, -inf}) {
    EXPECT_TRUE(std::isnan(m::sin(x)));
    EXPECT_TRUE(std::isnan(m::cos(x)));
  }
}

TYPED_TEST(CellMath, MinAndMaxAreNanIfEitherOperandIs) {
  using T = TypeParam;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  EXPECT_EQ(m::min(T(1), T(2)), 1);
  EXPECT_EQ(m::max(T(1), T(2)), 2);
  for (const T x : {T(1), -std::numeric_limits<T>::infinity(), nan}) {
    EXPECT_TRUE(std::isnan(m::min(x, nan)));
    EXPECT_TRUE(std::isnan(m::min(nan, x)));
    EXPECT_TRUE(std::isnan(m::max(x, nan)));
    EXPECT_TRUE(std::isnan(m::max(nan, x)));
  }
  EXPECT_FALSE(std::signbit(m::min(-T(0), T(0))));
  EXPECT_TRUE(std::signbit(m::max(T(0), -T(0))));
}

}  // namespace
}  // namespace dwell::test
