// SPDX-License-Identifier: MIT
// Sizes and borders as callers give them, and where a cell beyond a border is found.
#include "dwell/execution/stencil/fields/field_domain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"

namespace dwell {
namespace {

constexpr std::string_view kinds[] = {"fixed",         "constant", "reflect", "mirror",
                                      "antisymmetric", "nearest",  "periodic"};
constexpr const char* axis_names[] = {"z", "y", "x"};

}  // namespace

std::string_view side_kind_name(side_kind kind) { return kinds[static_cast<std::size_t>(kind)]; }

std::string to_string(const field_side& side) {
  const std::string kind(side_kind_name(side.kind));
  return side.kind == side_kind::constant ? fmt::format("{}:{}", kind, side.value) : kind;
}

field_side parse_field_side(std::string_view text) {
  constexpr std::string_view constant = "constant:";
  if (text.starts_with(constant)) {
    const auto digits = text.substr(constant.size());
    field_side side{side_kind::constant, 0};
    const auto [end, failed] =
        std::from_chars(digits.data(), digits.data() + digits.size(), side.value);
    if (failed == std::errc() && end == digits.data() + digits.size()) return side;
    throw input_error(
        fmt::format("boundary: expected a number after 'constant:', found '{}'", digits));
  }
  for (std::size_t k = 0; k < std::size(kinds); ++k)
    if (text == kinds[k] && static_cast<side_kind>(k) != side_kind::constant)
      return {static_cast<side_kind>(k), 0};
  const bool no_value = text == side_kind_name(side_kind::constant);
  throw input_error(
      "boundary: expected fixed, constant:VALUE, reflect, mirror, antisymmetric, nearest or "
      "periodic, found " +
      (no_value ? fmt::format("'{}' without its value", text) : found_word(text, kinds)));
}

field_size checked_field_size(int dims, std::span<const std::int64_t> axes) {
  if (axes.size() != static_cast<std::size_t>(dims))
    throw input_error(fmt::format("size: expected {} ax{}, found {}", dims, dims == 1 ? "is" : "es",
                                  axes.size()));
  constexpr std::int64_t most = std::int64_t{1} << 40, longest = std::numeric_limits<int>::max();
  field_size size;
  size.dims = dims;
  std::int64_t cells = 1;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    if (axes[a] < 1 || axes[a] > std::min(longest, most / cells))
      throw input_error(fmt::format(
          "size: expected 1 to {} cells along each axis and at most 2^40 in all, found {} "
          "along axis {}",
          longest, axes[a], a));
    cells *= axes[a];
    size.n[a + 3 - axes.size()] = axes[a];
  }
  return size;
}

field_domain::field_domain(const stencil_definition& definition, const field_size& size,
                           std::vector<field_boundary> boundaries)
    : definition_(definition), size_(size), boundaries_(std::move(boundaries)) {
  const auto fields = static_cast<std::size_t>(definition.fields());
  if (boundaries_.size() == 1) boundaries_.resize(fields, boundaries_[0]);
  if (boundaries_.size() != fields)
    throw input_error(
        fmt::format("boundary: expected one for each of {} fields, or one for all, found {}",
                    fields, boundaries_.size()));
  // The caller's axes begin with the slowest that there is.
  for (field_boundary& b : boundaries_) {
    const auto given = b.sides;
    b = field_boundary::all({side_kind::nearest});
    for (std::size_t a = 0; a < static_cast<std::size_t>(size.dims); ++a)
      b.sides[a + 3 - static_cast<std::size_t>(size.dims)] = given[a];
  }
  check();
  field_boundary of_coefficients;
  for (int axis = 0; axis < 3; ++axis) {
    const field_side kind{is_periodic(axis) ? side_kind::periodic : side_kind::nearest};
    of_coefficients.sides[std::size_t(axis)] = {kind, kind};
    const std::int64_t n = size_.n[std::size_t(axis)];
    const auto fixed = [&](int high) {
      return side(0, axis, high).kind == side_kind::fixed
                 ? std::min<std::int64_t>(definition.radius(), n)
                 : 0;
    };
    const std::int64_t first = fixed(0);
    changing_[std::size_t(axis)] = {first, std::max(first, n - fixed(1))};
  }
  boundaries_.resize(fields + static_cast<std::size_t>(definition.coefficients()), of_coefficients);
}

void field_domain::check() const {
  const auto& names = definition_.tape().fields;
  for (int f = 0; f < definition_.fields(); ++f)
    for (int axis = size_.slowest(); axis < 3; ++axis) {
      const auto fail = [&](const std::string& what) {
        throw input_error(fmt::format("boundary of field '{}' along {}: {}",
                                      names[static_cast<std::size_t>(f)], axis_names[axis], what));
      };
      for (int high = 0; high < 2; ++high) {
        const side_kind kind = side(f, axis, high).kind;
        for (const side_kind shared : {side_kind::fixed, side_kind::periodic})
          if ((kind == shared) != (side(0, axis, high).kind == shared))
            fail(fmt::format("{} is a side of all fields or of none", side_kind_name(shared)));
        if (!std::isfinite(side(f, axis, high).value))
          fail(fmt::format("expected a finite number after 'constant:', found {}",
                           side(f, axis, high).value));
        const std::int64_t r = definition_.radius(), n = size_.n[std::size_t(axis)];
        const std::int64_t least = kind == side_kind::mirror ? r + 1
                                   : kind == side_kind::reflect || kind == side_kind::periodic ||
                                           kind == side_kind::antisymmetric
                                       ? r
                                       : 1;
        if (n < least)
          fail(fmt::format("{} needs at least {} cells, found {}", side_kind_name(kind), least, n));
      }
      if ((side(f, axis, 0).kind == side_kind::periodic) !=
          (side(f, axis, 1).kind == side_kind::periodic))
        fail("expected periodic of both sides, found it of one");
    }
}

bool field_domain::has_fixed_cells() const { return changing_cells() < size_.cells(); }

std::int64_t field_domain::changing_cells() const {
  std::int64_t cells = 1;
  for (const auto& [first, last] : changing_) cells *= last - first;
  return cells;
}

bool field_domain::is_fixed(std::int64_t z, std::int64_t y, std::int64_t x) const {
  const std::array at{z, y, x};
  for (int axis = 0; axis < 3; ++axis)
    if (at[std::size_t(axis)] < changing(axis).first ||
        at[std::size_t(axis)] >= changing(axis).second)
      return true;
  return false;
}

border_value field_domain::beyond(int array, int axis, std::int64_t i) const {
  const std::int64_t n = size_.n[std::size_t(axis)];
  const bool low = i < 0;
  const std::int64_t far = low ? -1 - i : i - n;  // 0: next to the border
  const auto inwards = [&](std::int64_t k) { return low ? k : n - 1 - k; };
  switch (side(array, axis, low ? 0 : 1).kind) {
    case side_kind::fixed:
      break;  // never read beyond
    case side_kind::constant:
      return {0, false, true};
    case side_kind::reflect:
      return {inwards(far)};
    case side_kind::mirror:
      return {inwards(far + 1)};
    case side_kind::antisymmetric:
      return {inwards(far), true};
    case side_kind::nearest:
      return {inwards(0)};
    case side_kind::periodic:
      return {low ? i + n : i - n};
  }
  return {inwards(0)};
}

}  // namespace dwell
