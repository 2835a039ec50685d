// SPDX-License-Identifier: MIT
// Weights as whole numbers times one power of two, of which ranks and divisors are exact.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

#include "dwell/arrays/filter.hpp"

namespace dwell {
namespace {

using whole = std::int64_t;

/// Whole numbers and the exponent of the power of two that they are to be multiplied by.
struct scaled_numbers {
  std::vector<whole> v;
  int exponent = 0;
};

/// None if the numbers span more than 62 bits.
std::optional<scaled_numbers> scaled(std::span<const double> numbers) {
  constexpr int most_bits = 62;
  int low = std::numeric_limits<int>::max(), high = std::numeric_limits<int>::min();
  for (const double v : numbers) {
    if (v == 0) continue;
    int exponent = 0;  // |v| < 2^exponent
    const double half = std::frexp(std::fabs(v), &exponent);
    const auto bits = static_cast<std::uint64_t>(std::ldexp(half, 53));
    high = std::max(high, exponent);
    low = std::min(low, exponent - 53 + std::countr_zero(bits));
  }
  if (low > high || high - low > most_bits) return std::nullopt;
  scaled_numbers out;
  out.exponent = low;
  for (const double v : numbers) out.v.push_back(static_cast<whole>(std::ldexp(v, -low)));
  return out;
}

/// u and v of a matrix of `rows` rows that is u times v; v has no common divisor.
struct outer_product {
  std::vector<whole> u, v;
};
std::optional<outer_product> factor(const std::vector<whole>& matrix, std::size_t rows) {
  const std::size_t columns = matrix.size() / rows;
  std::size_t pivot = 0;  // an element that is not zero
  while (matrix[pivot] == 0) ++pivot;
  const std::size_t row = pivot / columns, column = pivot % columns;
  outer_product out;
  out.v.assign(matrix.begin() + static_cast<std::ptrdiff_t>(row * columns),
               matrix.begin() + static_cast<std::ptrdiff_t>((row + 1) * columns));
  whole divisor = 0;
  for (const whole v : out.v) divisor = std::gcd(divisor, v);
  for (whole& v : out.v) v /= divisor;
  for (std::size_t r = 0; r < rows; ++r) {
    const whole u = matrix[r * columns + column] / out.v[column];
    for (std::size_t c = 0; c < columns; ++c)
      if (static_cast<__int128>(u) * out.v[c] != matrix[r * columns + c]) return std::nullopt;
    out.u.push_back(u);
  }
  return out;
}

/// Converts to floating-point numbers of so many bits. None if they have more.
std::optional<std::vector<double>> numbers_of(const std::vector<whole>& v, int exponent, int bits) {
  std::vector<double> out;
  for (const whole n : v) {
    const auto size = static_cast<std::uint64_t>(n < 0 ? -n : n);
    if (size != 0 && static_cast<int>(std::bit_width(size)) - std::countr_zero(size) > bits)
      return std::nullopt;
    out.push_back(std::ldexp(static_cast<double>(n), exponent));
  }
  return out;
}

}  // namespace

std::optional<filter_factors> exact_factors(const extents& size, std::span<const double> weights,
                                            int significand_bits) {
  if ((size.z > 1) + (size.y > 1) + (size.x > 1) < 2) return std::nullopt;
  const auto whole_weights = scaled(weights);
  if (!whole_weights) return std::nullopt;  // also where all are zero
  filter_factors out = {std::vector<double>{1}, {1}, {1}};
  const int taps[] = {size.z, size.y, size.x};
  std::vector<whole> left = whole_weights->v;  // weights of the axes from here on
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (taps[axis] == 1) continue;
    std::vector<whole> along = left;
    int exponent = whole_weights->exponent;  // in the last one
    if (left.size() > static_cast<std::size_t>(taps[axis])) {
      auto product = factor(left, static_cast<std::size_t>(taps[axis]));
      if (!product) return std::nullopt;
      along = std::move(product->u);
      left = std::move(product->v);
      exponent = 0;
    } else {
      left = {1};
    }
    const auto numbers = numbers_of(along, exponent, significand_bits);
    if (!numbers) return std::nullopt;
    out[axis] = *numbers;
    if (left.size() == 1) break;
  }
  return out;
}

}  // namespace dwell
