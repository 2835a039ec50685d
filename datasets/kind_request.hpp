// SPDX-License-Identifier: MIT
// Private to datasets: a kind as the user wrote it, and how its sizes are read and refused.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dwell/base/index.hpp"

namespace dwell::detail {

/// The kind as the user wrote it and the part after the colon.
struct kind_request {
  std::string kind;
  std::string_view size;
};

/// Throws input_error "expected ..., found 'KIND'..."; `meant` is a suggestion.
[[noreturn]] void refuse(const kind_request& r, const std::string& expected,
                         const std::string& meant = {});

/// Exactly `count` numbers separated by 'x', each of digits alone and from 1 to 2^31 - 1.
std::optional<std::vector<index>> parse_sizes(std::string_view text, std::size_t count);

/// Points of a grid along each axis (1 along those that it does not have), and a number.
struct grid_request {
  std::array<index, 3> points = {1, 1, 1};
  double number = 0;
};
/// Reads "WxH" or "WxHxD", as `form` says it.
grid_request parse_grid(const kind_request& r, const std::string& form, std::size_t dims);
/// Reads "WxH:NUMBER": a flat grid and a number from 0 on.
grid_request parse_grid_and_number(const kind_request& r, const std::string& form);

}  // namespace dwell::detail
