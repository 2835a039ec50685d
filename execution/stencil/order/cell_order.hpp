// SPDX-License-Identifier: MIT
// In which order the cells of a grid are taken, as a value: an order of the list and its numbers.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dwell/base/api.hpp"
#include "dwell/execution/stencil/order/cell_order_value.hpp"

namespace dwell {

/// The words of an option: "rows", "tiles:32x8", "columns:64".
DWELL_API std::string to_string(const cell_order& order);

/// Nothing for "auto". Throws input_error unless it is that, or an order with its numbers: "rows",
/// "tiles:WxH[xD]", "columns:W[xH]", "zigzag:W", "hilbert[:WxH[xD]]". What has as many numbers as
/// three dimensions need is refused where `dims` is 2.
DWELL_API std::optional<cell_order> parse_cell_order(std::string_view text, int dims);

/// How orders are written, with their lines of help.
struct cell_order_help {
  std::string form;   ///< "columns:W[xH]"
  std::string about;  ///< one line
};
/// Help for all of them, in the order of the list.
DWELL_API std::vector<cell_order_help> cell_order_helps();

}  // namespace dwell
