// SPDX-License-Identifier: MIT
// Views of arrays that are in a GPU's memory already: they own nothing and copy nothing. A view of
// memory of another kind, or of another device, is refused where it is used.
#pragma once
#include <cstddef>
#include <type_traits>

#include "dwell/base/index.hpp"

namespace dwell {

/// `size` elements in the memory of CUDA device `device` (of cudaMalloc or a library's allocator,
/// or managed memory).
template <class T>
struct device_span {
  T* data = nullptr;     ///< in that device's memory
  std::size_t size = 0;  ///< elements
  int device = 0;        ///< CUDA device number

  /// Converts to a span of constant elements.
  template <class Const>
  requires(std::is_same_v<Const, const T> && !std::is_const_v<T>) operator device_span<Const>()
      const {
    return {data, size, device};
  }
};

/// A CSR matrix in the memory of CUDA device `device`, laid out as csr_view
/// (include/dwell/formats/csr.hpp): row_ptr has rows + 1 entries, col and val have `nonzeros`.
template <class T, class Offset = index>
struct device_csr_view {
  index rows = 0;                   ///< rows of the matrix
  index cols = 0;                   ///< columns of the matrix
  Offset nonzeros = 0;              ///< stored entries
  const Offset* row_ptr = nullptr;  ///< where each row begins, and the end: rows + 1
  const index* col = nullptr;       ///< columns, ascending in each row
  const T* val = nullptr;           ///< values
  int device = 0;                   ///< CUDA device number
};

/// One with row pointers of 64 bits.
template <class T>
using large_device_csr_view = device_csr_view<T, std::int64_t>;

}  // namespace dwell
