// SPDX-License-Identifier: MIT
// Times of what is traced: a step of the stencil, or the product, on one thread of this CPU.
#pragma once
#include <string>
#include <vector>

#include "dwell/execution/stencil/order/cell_order.hpp"
#include "dwell/formats/grid.hpp"

namespace dwell::trace {

/// A step of executor persistent, or, where `inner` is not 0, C = A B with so many columns of A.
struct timed_subject {
  std::string shape;  ///< name of the stencil
  extents size;       ///< size of the field, or of C
  int inner = 0;
  std::string precision = "f64";
};

/// Seconds under each order: the least of so many runs, in which orders take turns, after one that
/// does not count.
std::vector<double> seconds_by_order(const timed_subject& subject,
                                     const std::vector<cell_order>& orders, int runs);

}  // namespace dwell::trace
