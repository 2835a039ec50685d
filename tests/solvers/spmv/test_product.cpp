// SPDX-License-Identifier: MIT
// dwell::product on matrices of every form: sizes, empty and dense rows, alpha and beta, against
// plain loops; at the place of place.hpp, so on a GPU, too.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "battery.hpp"
#include "place.hpp"
#include "refusal.hpp"

#include "dwell/base/error.hpp"
#include "dwell/linear/product.hpp"

namespace dwell::test {
namespace {

/// How many entries the rows of a random matrix have.
enum class rows_of { one_kind, none_now_and_then, one_dense, none_at_the_ends };

csr<double> random_rows(index rows, index cols, index most, rows_of kind, splitmix64& random) {
  csr<double> a;
  a.rows = rows;
  a.cols = cols;
  const index dense_row = rows > 0 ? random.below(rows) : 0;
  for (index i = 0; i < rows; ++i) {
    index count = cols > 0 ? 1 + random.below(std::min(most, cols)) : 0;
    if (kind == rows_of::none_now_and_then && random.below(3) == 0) count = 0;
    if (kind == rows_of::none_at_the_ends && (i < rows / 4 || i >= rows - rows / 4)) count = 0;
    if (kind == rows_of::one_dense && i == dense_row) count = cols;
    // `count` columns that ascend: a random one of each of as many equal pieces.
    for (index k = 0; k < count; ++k) {
      const auto begin = static_cast<index>(std::int64_t(cols) * k / count);
      const auto end = static_cast<index>(std::int64_t(cols) * (k + 1) / count);
      a.col.push_back(begin + random.below(end - begin));
      a.val.push_back(random.uniform());
    }
    a.row_ptr.push_back(static_cast<index>(a.col.size()));
  }
  return a;
}

/// |y - (alpha A x + beta y0)| of each row is at most so many roundings of its terms.
template <class T>
void expect_product(const csr<T>& a, const std::vector<T>& x, const std::vector<T>& y0, T alpha,
                    T beta, const std::vector<T>& y, const std::string& what) {
  for (index i = 0; i < a.rows; ++i) {
    const auto row = static_cast<std::size_t>(i);
    double sum = 0, size = 0;
    for (index k = a.row_ptr[row]; k < a.row_ptr[row + 1]; ++k) {
      const auto at = static_cast<std::size_t>(k);
      const double term = static_cast<double>(a.val[at]) *
                          static_cast<double>(x[static_cast<std::size_t>(a.col[at])]);
      sum += term;
      size += std::abs(term);
    }
    const double before =
        beta == T(0) ? 0.0 : static_cast<double>(beta) * static_cast<double>(y0[row]);
    const double expected = static_cast<double>(alpha) * sum + before;
    const double bound =
        std::numeric_limits<T>::epsilon() *
        (8 + 2 * std::sqrt(static_cast<double>(a.row_ptr[row + 1] - a.row_ptr[row]))) *
        (std::abs(static_cast<double>(alpha)) * size + std::abs(before));
    ASSERT_NEAR(static_cast<double>(y[row]), expected, bound) << what << ", row " << i;
  }
}

device with_threads(int threads) {
  return place::on() == backend::cpu ? device::cpu(threads) : place::where();
}

template <class T>
void check_products(const csr<double>& wide, const std::string& name, splitmix64& random) {
  const csr<T> a = convert<T>(wide.view());
  const device where = with_threads(1 + random.below(6));
  product<T> p(where, a.view());
  EXPECT_EQ(p.report().rows, a.rows);
  EXPECT_EQ(p.report().cols, a.cols);
  EXPECT_EQ(p.report().nonzeros, a.nonzeros());
  EXPECT_FALSE(p.report().reason.empty());
  product<T> another(where, a.view());
  constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  const std::pair<T, T> factors[] = {{1, 0}, {T(-2.5), 0}, {1, 1}, {0, T(0.5)}, {T(0.75), T(-3)}};
  for (const auto& [alpha, beta] : factors) {
    std::vector<T> x(static_cast<std::size_t>(a.cols)), y0(static_cast<std::size_t>(a.rows));
    for (T& v : x) v = static_cast<T>(random.uniform());
    for (T& v : y0) v = beta == T(0) ? nan : static_cast<T>(random.uniform());
    std::vector<T> y = y0, again = y0, others = y0;
    const std::string what = name + ", alpha " + std::to_string(alpha) + ", beta " +
                             std::to_string(beta) + ", " + p.report().reason;
    p.apply(x, y, alpha, beta);
    expect_product(a, x, y0, alpha, beta, y, what);
    p.apply(x, again, alpha, beta);
    another.apply(x, others, alpha, beta);
    EXPECT_EQ(again, y) << what;
    EXPECT_EQ(others, y) << what;
  }
}

template <class T>
class products : public testing::Test {};
using both = testing::Types<double, float>;
TYPED_TEST_SUITE(products, both);

TYPED_TEST(products, of_random_sizes_and_rows) {
  if (const auto why = place::absent(); !why.empty()) GTEST_SKIP() << why;
  splitmix64 random(sizeof(TypeParam));
  for (int k = 0; k < 24; ++k)
    for (const rows_of kind : {rows_of::one_kind, rows_of::none_now_and_then, rows_of::one_dense,
                               rows_of::none_at_the_ends}) {
      const index rows = 1 + random.below(k % 3 ? 70 : 3000),
                  cols = 1 + random.below(k % 2 ? 90 : 2000);
      check_products<TypeParam>(random_rows(rows, cols, 1 + random.below(12), kind, random),
                                std::to_string(rows) + " x " + std::to_string(cols), random);
    }
}
TYPED_TEST(products, of_the_battery) {
  if (const auto why = place::absent(); !why.empty()) GTEST_SKIP() << why;
  splitmix64 random(11);
  for (const battery_case& one : battery()) {
    const csr<double> a = one.build();
    const double most = a.val.empty() ? 0 : *std::max_element(a.val.begin(), a.val.end());
    const double least = a.val.empty() ? 0 : *std::min_element(a.val.begin(), a.val.end());
    if (sizeof(TypeParam) == 4 && (most > 1e30 || least < -1e30)) continue;
    check_products<TypeParam>(a, one.name, random);
  }
}
TYPED_TEST(products, of_a_matrix_without_entries_rows_or_columns) {
  if (const auto why = place::absent(); !why.empty()) GTEST_SKIP() << why;
  splitmix64 random(3);
  for (const auto& [rows, cols] : {std::pair<index, index>{5, 7}, {5, 0}, {0, 7}, {0, 0}}) {
    csr<double> a;
    a.rows = rows;
    a.cols = cols;
    a.row_ptr.assign(static_cast<std::size_t>(rows) + 1, 0);
    check_products<TypeParam>(a, "no entries", random);
  }
}
/// One row over all threads and blocks: every one of them but the last leaves a part.
TYPED_TEST(products, of_one_row) {
  if (const auto why = place::absent(); !why.empty()) GTEST_SKIP() << why;
  splitmix64 random(4);
  for (const index cols : {1, 2, 33, 1000, 200000})
    check_products<TypeParam>(random_rows(1, cols, 1, rows_of::one_dense, random), "one row",
                              random);
}

TEST(product, passes_on_what_is_not_finite) {
  if (const auto why = place::absent(); !why.empty()) GTEST_SKIP() << why;
  const auto a = tridiagonal(40, 2, -1);
  product<double> p(place::where(), a.view());
  std::vector<double> x(40, 1.0), y(40);
  x[10] = std::numeric_limits<double>::quiet_NaN();
  p.apply(x, y);
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(std::isnan(y[i]), i >= 9 && i <= 11) << i;
}

TEST(product, moves) {
  if (const auto why = place::absent(); !why.empty()) GTEST_SKIP() << why;
  const auto a = tridiagonal(10, 2, -1), b = tridiagonal(12, 3, 0);
  product<double> p(place::where(), a.view()), q(place::where(), b.view());
  q = std::move(p);
  std::vector<double> x(10, 1.0), y(10);
  q.apply(x, y);
  EXPECT_EQ(y[0], 1.0);
  EXPECT_EQ(y[5], 0.0);
}

TEST(product, refuses_what_it_cannot_multiply) {
  if (const auto why = place::absent(); !why.empty()) GTEST_SKIP() << why;
  csr<double> a = tridiagonal(4, 2, -1);
  a.cols = 5;
  product<double> p(place::where(), a.view());
  std::vector<double> x(5), y(4);
  EXPECT_EQ(refusal([&] { p.apply(y, y); }),
            "product with a matrix of 4 x 5: expected x of 5 elements and y of 4, found 4 and 4");
  EXPECT_EQ(refusal([&] { p.apply(x, std::span<double>(x).first(4)); }),
            "y: expected memory of its own, found that it overlaps x");
  a.cols = 3;
  EXPECT_NE(refusal([&] { product<double> q(place::where(), a.view()); }).find("column"),
            std::string::npos);
  a.cols = 4;
  a.val[2] = std::numeric_limits<double>::infinity();
  EXPECT_NE(refusal([&] { product<double> q(place::where(), a.view()); }).find("row 2"),
            std::string::npos);
  EXPECT_EQ(refusal([&] {
              product<double> q(place::where(), csr_view<double>{2, 2, nullptr, nullptr, nullptr});
            }),
            "row_ptr of the matrix: expected an array, found a null pointer");
  EXPECT_NE(refusal([&] {
              product<double> q(place::where(), csr_view<double>{-1, 2, nullptr, nullptr, nullptr});
            }).find("found -1 x 2"),
            std::string::npos);
  if (place::on() != backend::cpu) return;
  EXPECT_EQ(refusal([&] {
              p.apply(device_span<const double>{x.data(), 5}, device_span<double>{y.data(), 4});
            }),
            "x: expected memory of the host for a CPU, found a view of a GPU's");
}

}  // namespace
}  // namespace dwell::test
