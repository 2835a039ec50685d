// SPDX-License-Identifier: MIT
// What lies beyond the border of fields: of each field, each axis and each of its two sides.
#pragma once
#include <array>
#include <string>
#include <string_view>

#include "dwell/base/api.hpp"
#include "dwell/stencil/side_kind.hpp"

namespace dwell {

/// One side of an axis.
struct field_side {
  side_kind kind = side_kind::fixed;  ///< what it is
  double value = 0;                   ///< what stands beyond a `constant` side
  /// Equal in both.
  friend bool operator==(const field_side&, const field_side&) = default;
};

/// "fixed", "constant:1.5", "reflect", "mirror", "antisymmetric", "nearest" or "periodic".
DWELL_API std::string to_string(const field_side& side);
/// Throws input_error unless it is one of these.
DWELL_API field_side parse_field_side(std::string_view text);

/// A field's sides: of each axis, the slowest first, the low one and the high one. In one and two
/// dimensions the first one or two axes count. Beyond a corner axes apply one after the other, the
/// slowest first, as numpy.pad does.
struct field_boundary {
  std::array<std::array<field_side, 2>, 3> sides{};  ///< [axis][0: low, 1: high]

  /// All sides alike.
  static field_boundary all(const field_side& side) {
    field_boundary b;
    for (auto& axis : b.sides) axis = {side, side};
    return b;
  }
};

}  // namespace dwell
