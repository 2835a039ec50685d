// SPDX-License-Identifier: MIT
// The arrays that cross the border: views of what the caller owns, never a copy. A dtype, an order
// or a memory that differs is no match; dwell/_arrays.py has made sure of them and says what is
// wrong in the user's words.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <span>

#include "dwell/base/half.hpp"
#include "dwell/device/device_views.hpp"

/// NumPy's float16.
template <>
struct nanobind::detail::dtype_traits<dwell::half> {
  static constexpr dlpack::dtype value{static_cast<std::uint8_t>(dlpack::dtype_code::Float), 16, 1};
  static constexpr auto name = const_name("float16");
};

namespace dwell::python {

namespace nb = nanobind;

template <class T>
using host_vector = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
/// Columns one behind the other: right-hand sides, answers.
template <class T>
using host_columns = nb::ndarray<T, nb::ndim<2>, nb::f_contig, nb::device::cpu>;
/// A field of a stencil; two or three axes, which the reader checks.
template <class T>
using host_field = nb::ndarray<T, nb::c_contig, nb::device::cpu>;

template <class T>
using cuda_vector = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cuda>;
template <class T>
using cuda_columns = nb::ndarray<T, nb::ndim<2>, nb::f_contig, nb::device::cuda>;
template <class T>
using cuda_field = nb::ndarray<T, nb::c_contig, nb::device::cuda>;

template <class T, class... Config>
std::span<T> host_span(const nb::ndarray<T, Config...>& a) {
  return {a.data(), a.size()};
}
template <class T, class... Config>
device_span<T> cuda_span(const nb::ndarray<T, Config...>& a) {
  return {a.data(), a.size(), a.device_id()};
}

}  // namespace dwell::python
