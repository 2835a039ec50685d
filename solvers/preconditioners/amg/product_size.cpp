// SPDX-License-Identifier: MIT
// The limit, and what is said beyond it.
#include "dwell/solvers/preconditioners/amg/product_size.hpp"

#include <fmt/format.h>

#include "dwell/base/error.hpp"
#include "dwell/execution/krylov/spmv/csr_arrays.hpp"

namespace dwell::amg {

std::atomic<std::int64_t>& most_in_product() {
  static std::atomic<std::int64_t> most{most_in_32_bits};
  return most;
}

void check_product_size(const char* preconditioner, index rows, std::int64_t nonzeros) {
  if (nonzeros <= most_in_product()) return;
  throw unsupported_error(fmt::format(
      "{}: expected matrices of its set-up with at most {} nonzeros, found a product of {} rows "
      "with {}",
      preconditioner, most_in_product().load(), rows, nonzeros));
}

}  // namespace dwell::amg
