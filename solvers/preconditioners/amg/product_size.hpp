// SPDX-License-Identifier: MIT
// Sizes of sparse products, which 32 bits must count: found in 64 before they are summed up.
// Private to the preconditioners.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dwell/base/index.hpp"

namespace dwell::amg {

/// The most nonzeros of a product: most_in_32_bits. Tests lower it.
std::atomic<std::int64_t>& most_in_product();

/// Throws unsupported_error, of the preconditioner of that name, if a product has more.
void check_product_size(const char* preconditioner, index rows, std::int64_t nonzeros);

/// Could `rows` rows of up to `longest` nonzeros have more?
inline bool may_be_too_many(index rows, index longest) {
  return static_cast<std::int64_t>(rows) * longest > most_in_product();
}

/// check_product_size() for rows of count[row] nonzeros, up to `longest`, where `loops` counted
/// them.
template <class Loops>
void check_counted_product(const char* preconditioner, const Loops& loops, index rows,
                           index longest, const index* count) {
  if (!may_be_too_many(rows, longest)) return;
  std::vector<index> here(static_cast<std::size_t>(rows));
  loops.fetch(here.data(), count, here.size() * sizeof(index));
  std::int64_t nonzeros = 0;
  for (const index n : here) nonzeros += n;
  check_product_size(preconditioner, rows, nonzeros);
}

}  // namespace dwell::amg
