// SPDX-License-Identifier: MIT
// All orders in which the cells of a grid may be taken: a file for each, and its name in the list.
// The words of options, help texts, errors, maps and tests follow from it.
//
// An order has: `name`; `numbers`, how those are written that follow the name; `about`, a line of
// help; takes(count, dims), whether it can be given so many of them; block(numbers, grid, dims),
// the size of its blocks; block_at(grid, i) and block_of(grid, cell), the block that holds cell
// number i of the order, or a cell; and `mirrors`: every second row of a block goes backwards.
#pragma once
#include "dwell/execution/stencil/order/columns.hpp"
#include "dwell/execution/stencil/order/hilbert.hpp"
#include "dwell/execution/stencil/order/rows.hpp"
#include "dwell/execution/stencil/order/tiles.hpp"
#include "dwell/execution/stencil/order/zigzag.hpp"

namespace dwell {

template <class... Orders>
struct order_list {
  static constexpr int count = sizeof...(Orders);

  /// f.template operator()<Order>() of the order with this number, a value of type R.
  template <class R, class F>
  DWELL_HD static R with(int number, const F& f) {
    R result{};
    int at = 0;
    ((at++ == number ? static_cast<void>(result = f.template operator()<Orders>()) : void()), ...);
    return result;
  }
};

/// The first one is the default.
using cell_orders = order_list<rows_order, tiles_order, columns_order, zigzag_order, hilbert_order>;

}  // namespace dwell
