// SPDX-License-Identifier: MIT
// The range of a field's finite values, for one thread and for several, and the place of the first
// value that is not finite.
#include "dwell/formats/field_values.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "scratch.hpp"

namespace dwell::test {
namespace {

TEST(field_values, the_range_is_that_of_the_finite_values) {
  for (const std::size_t n : {std::size_t(3), std::size_t(1) << 17}) {
    std::vector<double> v(n, 1.0);
    v.front() = -2, v.back() = 7;
    auto r = range_of<double>(v);
    EXPECT_TRUE(r.least == -2 && r.greatest == 7 && r.nonfinite == 0);
    v.front() = std::nan(""), v.back() = INFINITY;
    r = range_of<double>(v);
    EXPECT_TRUE(r.least == 1 && r.greatest == 1 && r.nonfinite == 2);
    v.assign(n, -INFINITY);
    r = range_of<double>(v);
    EXPECT_TRUE(std::isnan(r.least) && std::isnan(r.greatest) && r.nonfinite == n);
  }
}

TEST(field_values, the_first_that_is_not_finite_is_named) {
  grid<float> u(extents(400, 300));
  EXPECT_NO_THROW(require_finite<float>("u", std::as_const(u).view()));
  u(399, 299) = INFINITY, u(251, 7) = -std::nanf("");
  EXPECT_EQ(message_of([&] { require_finite<float>("u", std::as_const(u).view()); }),
            "u: expected finite values, found nan at [251, 7] (counted from 0)");
  grid<double> v(extents(2, 3, 4));
  v(1, 0, 2) = -INFINITY;
  EXPECT_EQ(message_of([&] { require_finite<double>("v", std::as_const(v).view()); }),
            "v: expected finite values, found -inf at [1, 0, 2] (counted from 0)");
}

TEST(field_values, of_one_dimension_have_one_index) {
  grid<double> u{extents(5)};
  u.cells()[3] = -INFINITY;
  EXPECT_EQ(message_of([&] { require_finite<double>("u", std::as_const(u).view()); }),
            "u: expected finite values, found -inf at [3] (counted from 0)");
}

}  // namespace
}  // namespace dwell::test
