// SPDX-License-Identifier: MIT
// Sizes that are products of what a user says: refused where they are beyond std::size_t, in which
// a product would wrap round to a small one.
#pragma once
#include <cstddef>
#include <string>

#include "dwell/base/error.hpp"

namespace dwell {

/// count * each + more. Throws input_error, which begins with `what`, where that is 2^64 or above.
inline std::size_t checked_size(const std::string& what, std::size_t count, std::size_t each,
                                std::size_t more = 0) {
  std::size_t product = 0, sum = 0;
  if (__builtin_mul_overflow(count, each, &product) || __builtin_add_overflow(product, more, &sum))
    throw input_error(what + ": expected fewer than 2^64 elements, found " + std::to_string(count) +
                      " times " + std::to_string(each) +
                      (more > 0 ? " and " + std::to_string(more) : std::string()));
  return sum;
}

}  // namespace dwell
