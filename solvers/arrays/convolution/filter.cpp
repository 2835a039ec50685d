// SPDX-License-Identifier: MIT
// Checks weights, and parses filters that have a name.
#include "dwell/arrays/filter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"
#include "dwell/solvers/arrays/convolution/pass.hpp"

namespace dwell {
namespace {

void check_taps(const extents& n) {
  for (const int taps : {n.z, n.y, n.x})
    if (taps < 1 || taps > most_taps)
      throw input_error(fmt::format("filter: expected 1 to {} taps along each axis, found {}",
                                    most_taps, to_string(n)));
}

void check_weights(std::span<const double> weights) {
  for (std::size_t k = 0; k < weights.size(); ++k)
    if (!std::isfinite(weights[k]))
      throw input_error(
          fmt::format("filter: expected finite weights, found {} as number {} (counted from 1)",
                      weights[k], k + 1));
}

int taps_of(const std::vector<double>& factor) {
  return static_cast<int>(std::min<std::size_t>(factor.size(), most_taps + 1));
}

[[noreturn]] void fail(std::string_view text, std::string_view expected) {
  throw input_error(fmt::format("filter: expected {}, found '{}'", expected, text));
}

/// A number of taps, all of the text.
int parse_taps(std::string_view text, std::string_view all, std::string_view expected) {
  int n = 0;
  const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (bad != std::errc() || end != text.data() + text.size() || n < 1 || n > most_taps)
    fail(all, expected);
  return n;
}

/// Normal distribution, the sum of whose weights is 1.
std::vector<double> gaussian(int taps, double sigma) {
  std::vector<double> w;
  double sum = 0;
  for (int i = 0; i < taps; ++i) {
    const double x = i - (taps - 1) / 2.0;
    w.push_back(std::exp(-x * x / (2 * sigma * sigma)));
    sum += w.back();
  }
  for (double& v : w) v /= sum;
  return w;
}

convolution_filter same_along_axes(const std::vector<double>& w, int dims) {
  return dims == 3 ? convolution_filter::product(w, w, w) : convolution_filter::product(w, w);
}

convolution_filter parse_gaussian(std::string_view value, std::string_view all, int dims) {
  constexpr const char* expected = "gaussian:N or gaussian:N:SIGMA, N from 1 to 31, SIGMA above 0";
  const auto colon = value.find(':');
  const int taps = parse_taps(value.substr(0, colon), all, expected);
  double sigma = 0.3 * ((taps - 1) * 0.5 - 1) + 0.8;
  if (colon != std::string_view::npos) {
    const auto text = value.substr(colon + 1);
    const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), sigma);
    if (bad != std::errc() || end != text.data() + text.size() || !std::isfinite(sigma) ||
        sigma <= 0)
      fail(all, expected);
  }
  return same_along_axes(gaussian(taps, sigma), dims);
}

convolution_filter parse_box(std::string_view value, std::string_view all, int dims) {
  constexpr const char* expected = "box:N, N from 1 to 31";
  const int taps = parse_taps(value, all, expected);
  return same_along_axes(std::vector<double>(static_cast<std::size_t>(taps), 1.0 / taps), dims);
}

/// Weights of the kinds without a value.
std::vector<double> weights_named(std::string_view name) {
  if (name == "sobel-x") return {1, 0, -1, 2, 0, -2, 1, 0, -1};
  if (name == "sobel-y") return {1, 2, 1, 0, 0, 0, -1, -2, -1};
  if (name == "laplacian") return {0, 1, 0, 1, -4, 1, 0, 1, 0};
  if (name == "sharpen") return {0, -1, 0, -1, 5, -1, 0, -1, 0};
  return {};
}

}  // namespace

convolution_filter::convolution_filter(const extents& size, std::vector<double> weights)
    : size_(size), weights_(std::move(weights)) {
  check_taps(size);
  if (weights_.size() != size.cells())
    throw input_error(fmt::format("filter: expected {} weights for {} taps, found {}", size.cells(),
                                  to_string(size), weights_.size()));
  check_weights(weights_);
}

convolution_filter::convolution_filter(const extents& size, filter_factors factors) : size_(size) {
  check_taps(size);
  for (const auto& factor : factors) check_weights(factor);
  for (const double z : factors[0])
    for (const double y : factors[1])
      for (const double x : factors[2]) weights_.push_back(z * y * x);
  check_weights(weights_);
  factors_ = std::move(factors);
}

convolution_filter convolution_filter::product(std::vector<double> down,
                                               std::vector<double> across) {
  const extents size(taps_of(down), taps_of(across));
  return {size, filter_factors{std::vector<double>{1}, std::move(down), std::move(across)}};
}

convolution_filter convolution_filter::product(std::vector<double> deep, std::vector<double> down,
                                               std::vector<double> across) {
  const extents size(taps_of(deep), taps_of(down), taps_of(across));
  return {size, filter_factors{std::move(deep), std::move(down), std::move(across)}};
}

std::vector<filter_kind> filter_kinds() {
  return {
      {"gaussian:N[:SIGMA]", "N taps along each axis, of sum 1 (SIGMA: 0.3 ((N - 1)/2 - 1) + 0.8)"},
      {"box:N", "the mean of N cells along each axis"},
      {"sobel-x", "the slope along a row, 3 x 3: positive where values grow to the right"},
      {"sobel-y", "the slope down a column, 3 x 3: positive where values grow downwards"},
      {"laplacian", "the four neighbours less four times the cell, 3 x 3"},
      {"sharpen", "the cell less the laplacian, 3 x 3"}};
}

convolution_filter convolution_filter::named(std::string_view text, int dims) {
  const auto colon = text.find(':');
  const auto kind = text.substr(0, colon);
  const auto value = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  if (kind == "gaussian") return parse_gaussian(value, text, dims);
  if (kind == "box") return parse_box(value, text, dims);
  const auto weights =
      colon == std::string_view::npos ? weights_named(kind) : std::vector<double>();
  if (weights.empty()) {
    std::vector<std::string> known;
    for (const auto& k : filter_kinds())
      known.push_back(k.kind.substr(0, k.kind.find_first_of(":[")));
    throw input_error(
        fmt::format("filter: expected gaussian:N[:SIGMA], box:N, sobel-x, sobel-y, laplacian or "
                    "sharpen, found {}",
                    found_word(text, known)));
  }
  if (dims == 3) throw input_error(fmt::format("filter: {} has 2 dimensions, the image 3", kind));
  return {extents(3, 3), weights};
}

}  // namespace dwell
