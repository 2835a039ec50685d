// SPDX-License-Identifier: MIT
// Products under every order against three plain loops, bit for bit.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "dwell/solvers/product/ordered_product.hpp"
#include "stencil_oracle.hpp"

namespace dwell::test {
namespace {

template <class T>
grid<T> by_loops(const grid<T>& a, const grid<T>& b) {
  grid<T> c({a.size().y, b.size().x});
  for (int y = 0; y < a.size().y; ++y)
    for (int x = 0; x < b.size().x; ++x) {
      T sum = 0;
      for (int k = 0; k < b.size().y; ++k) sum = std::fma(a(y, k), b(k, x), sum);
      c(y, x) = sum;
    }
  return c;
}

template <class T>
void compare() {
  for (const auto& [m, n, k] :
       {std::array{1, 1, 1}, {7, 33, 5}, {40, 100, 64}, {3, 250, 31}, {65, 1, 17}, {64, 64, 64}}) {
    const auto a = random_field<T>({m, k}, 1), b = random_field<T>({k, n}, 2);
    const auto expected = by_loops(a, b);
    for (const char* order : {"rows", "columns:1", "columns:32", "columns:48", "zigzag:40",
                              "tiles:33x4", "hilbert", "hilbert:5x3"})
      for (const int threads : {1, 2, 5}) {
        grid<T> c({m, n}, T(-1));
        ordered_product<T>(a.view(), b.view(), c.view(), *parse_cell_order(order, 2), threads);
        EXPECT_TRUE(c == expected) << order << ", " << m << 'x' << n << 'x' << k << ", " << threads;
      }
  }
}

TEST(ordered_product, has_the_bits_of_plain_loops_in_any_order) {
  compare<double>();
  compare<float>();
}

TEST(ordered_product, of_matrices_that_do_not_fit_is_refused) {
  const grid<double> a({3, 4}), b({5, 6});
  grid<double> c({3, 6});
  try {
    ordered_product<double>(a.view(), b.view(), c.view(), {}, 1);
    FAIL() << "accepted";
  } catch (const input_error& e) {
    EXPECT_STREQ(e.what(),
                 "product: expected A of m x k, B of k x n and C of m x n, found 3x4, 5x6 and 3x6");
  }
}

}  // namespace
}  // namespace dwell::test
