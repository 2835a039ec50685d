// SPDX-License-Identifier: MIT
// Set-up work that threads share. Each element is computed by one thread, in an order of operations
// that does not depend on how many there are.
#pragma once
#include <algorithm>
#include <cstddef>

#include "dwell/base/parallel.hpp"

namespace dwell::grids {

/// Threads for `count` pieces of work on so many elements together: none for what is done sooner
/// than a thread is started.
inline int setup_threads(std::size_t count, std::size_t elements) {
  constexpr std::size_t for_a_thread = std::size_t{1} << 15;
  const std::size_t most = std::min(count, elements / for_a_thread);
  return most < 2 ? 1 : static_cast<int>(std::min(most, std::size_t(default_threads())));
}

/// f(begin, end) for pieces of [0, count), which work on so many elements together.
template <class F>
void for_pieces(std::size_t count, std::size_t elements, F&& f) {
  const int parts = setup_threads(count, elements);
  if (parts == 1) return f(std::size_t(0), count);
  for_parts(parts, [&](int part) {
    const auto [begin, end] = piece(count, part, parts);
    f(begin, end);
  });
}

}  // namespace dwell::grids
