// SPDX-License-Identifier: MIT
// Filters of convolutions: weights in two or three dimensions, or the product of filters of one
// dimension each, which a convolution may take one after the other.
#pragma once
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dwell/base/api.hpp"
#include "dwell/formats/grid.hpp"

namespace dwell {

/// Filters of one dimension along z, y and x; one of a single 1 where there is nothing to do. The
/// filter is their product.
using filter_factors = std::array<std::vector<double>, 3>;

/// A filter of 1 to 31 taps along each axis.
class DWELL_API convolution_filter {
 public:
  /// Filter of these weights in C order. Throws input_error if there are too many or too few, or if
  /// one of them is not finite.
  convolution_filter(const extents& size, std::vector<double> weights);
  /// The products of `down` (an element a row) and `across` (an element a column). Throws
  /// input_error as above.
  static convolution_filter product(std::vector<double> down, std::vector<double> across);
  /// In three dimensions: an element of `deep` a plane.
  static convolution_filter product(std::vector<double> deep, std::vector<double> down,
                                    std::vector<double> across);
  /// One of filter_kinds(), such as "gaussian:9", in 2 or 3 dimensions. Throws input_error.
  static convolution_filter named(std::string_view text, int dims = 2);

  const extents& size() const { return size_; }                 ///< taps along each axis
  std::span<const double> weights() const { return weights_; }  ///< in C order
  const std::optional<filter_factors>& factors() const { return factors_; }  ///< a product's

 private:
  convolution_filter(const extents& size, filter_factors factors);
  extents size_;
  std::vector<double> weights_;
  std::optional<filter_factors> factors_;
};

/// A kind of filters that have a name, and what it does.
struct filter_kind {
  std::string kind;  ///< "gaussian:N[:SIGMA]"
  std::string what;  ///< one line
};
/// All kinds of convolution_filter::named().
DWELL_API std::vector<filter_kind> filter_kinds();

/// The factors of a filter whose weights are products of numbers without rounding: there are u and
/// v, of whole numbers times a power of two, that are numbers of `significand_bits` bits, with
/// weight(n, m) = u(n) v(m) exactly; in three dimensions likewise u, v and w. (Of a matrix of whole
/// numbers of rank 1 v is a row divided by its greatest common divisor.) None if there are no such
/// factors, or if only one axis has several taps.
std::optional<filter_factors> exact_factors(const extents& size, std::span<const double> weights,
                                            int significand_bits);

}  // namespace dwell
