// SPDX-License-Identifier: MIT
// Copies of rows into the scratch of a team, some of them under way (see bulk_copies_cuda.cuh): on
// a CPU each is made where it starts.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace dwell {

/// Copies of which at most N are under way.
template <int N>
class cpu_bulk_copies {
 public:
  explicit cpu_bulk_copies(std::uint64_t*) {}
  /// So many rows of n values each, from addresses that are multiples of 16 bytes, as everything
  /// else here is in bytes.
  template <class T>
  void start(T* to, int to_pitch, const T* from, int from_pitch, int rows, int n) {
    for (int r = 0; r < rows; ++r)
      std::memcpy(to + std::ptrdiff_t{r} * to_pitch, from + std::ptrdiff_t{r} * from_pitch,
                  static_cast<std::size_t>(n) * sizeof(T));
  }
  /// The first of those that have not been awaited is there, for all lanes.
  void await() {}
};

}  // namespace dwell
