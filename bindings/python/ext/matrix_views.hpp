// SPDX-License-Identifier: MIT
// Three arrays of the caller as a matrix, and arrays that are kept alive.
#pragma once
#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <type_traits>

#include "arrays.hpp"

#include "dwell/base/error.hpp"
#include "dwell/formats/csr.hpp"

namespace dwell::python {

inline void require_equal(std::size_t found, std::size_t expected, const char* what) {
  if (found != expected)
    throw input_error(fmt::format("{}: expected {} elements, found {}", what, expected, found));
}

/// row_ptr's last entry is what the library takes for the length of the other arrays.
template <class T, class Offset>
csr_view<T, Offset> view_of(const host_vector<const Offset>& row_ptr,
                            const host_vector<const index>& col, const host_vector<const T>& val,
                            index cols) {
  if (row_ptr.size() == 0)
    throw input_error("indptr: expected at least one element, found an empty array");
  const Offset nonzeros = row_ptr.data()[row_ptr.size() - 1];
  if (nonzeros < 0)
    throw input_error(
        fmt::format("indptr: expected a last element of at least 0, found {}", nonzeros));
  require_equal(col.size(), static_cast<std::size_t>(nonzeros), "indices");
  require_equal(val.size(), static_cast<std::size_t>(nonzeros), "data");
  return {static_cast<index>(row_ptr.size()) - 1, cols, row_ptr.data(), col.data(), val.data()};
}

template <class T>
device_csr_view<T> view_of(const cuda_vector<const index>& row_ptr,
                           const cuda_vector<const index>& col, const cuda_vector<const T>& val,
                           index cols) {
  if (row_ptr.size() == 0)
    throw input_error("indptr: expected at least one element, found an empty array");
  require_equal(val.size(), col.size(), "data");
  return {static_cast<index>(row_ptr.size()) - 1,
          cols,
          static_cast<index>(col.size()),
          row_ptr.data(),
          col.data(),
          val.data(),
          row_ptr.device_id()};
}

/// An array of any type, held.
using kept_array = std::shared_ptr<const void>;
template <class Array>
kept_array keep(const Array& a) {
  return std::make_shared<const Array>(a);
}

/// View of an array of the host or of a GPU.
template <class E, class... Config>
auto view(const nb::ndarray<E, Config...>& a) {
  if constexpr ((std::is_same_v<Config, nb::device::cuda> || ...))
    return cuda_span(a);
  else
    return host_span(a);
}

}  // namespace dwell::python
