// SPDX-License-Identifier: MIT
// A CSR matrix of the host where the teams of a device read it: the caller's arrays themselves on a
// CPU, a copy on a GPU.
#pragma once
#include <cstddef>
#include <span>

#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/krylov/spmv/csr_arrays.hpp"
#include "dwell/formats/csr.hpp"

namespace dwell {

/// For teams of a CPU.
template <class T>
csr_arrays<T> arrays_of(const csr_view<T>& a) {
  return {a.rows, a.cols, a.nonzeros(), a.row_ptr, a.col, a.val};
}

template <class T, class Offset>
large_csr_arrays<T> large_arrays_of(const csr_view<T, Offset>& a) {
  return {a.rows, a.cols, a.nonzeros(), a.row_ptr, a.col, a.val};
}

/// The matrix must have been checked, and stay valid where it is not copied. Throws device_error.
template <class T>
class placed_csr {
 public:
  placed_csr(const device& where, const csr_view<T>& a) {
    const auto nonzeros = static_cast<std::size_t>(a.nonzeros());
    const std::size_t ends = a.rows > 0 ? static_cast<std::size_t>(a.rows) + 1 : 0;
    row_ptr_ = buffer<index>::borrow(where, std::span<const index>(a.row_ptr, ends));
    col_ = buffer<index>::borrow(where, std::span<const index>(a.col, nonzeros));
    val_ = buffer<T>::borrow(where, std::span<const T>(a.val, nonzeros));
    arrays_ = {a.rows, a.cols, a.nonzeros(), row_ptr_.data(), col_.data(), val_.data()};
  }
  const csr_arrays<T>& arrays() const { return arrays_; }

 private:
  buffer<index> row_ptr_, col_;
  buffer<T> val_;
  csr_arrays<T> arrays_;
};

}  // namespace dwell
