// SPDX-License-Identifier: MIT
// What a product does on each backend. Private to the library.
#pragma once
#include <cstddef>
#include <memory>
#include <string>

#include "dwell/device/device.hpp"
#include "dwell/execution/device/cuda_backend.hpp"
#include "dwell/execution/krylov/spmv/csr_arrays.hpp"
#include "dwell/formats/csr.hpp"

namespace dwell {

/// One matrix, ready to be multiplied.
template <class T>
class product_steps {
 public:
  product_steps() = default;
  product_steps(const product_steps&) = delete;
  product_steps& operator=(const product_steps&) = delete;
  virtual ~product_steps() = default;
  /// y = alpha A x + beta y. Pointers that the teams can follow; on a GPU put into the stream.
  virtual void apply(const T* x, T* y, T alpha, T beta) = 0;
  virtual int teams() const = 0;
  virtual std::string reason() const = 0;
  virtual std::size_t matrix_bytes() const = 0;  ///< size of the matrix in memory
};

/// The arrays stay. a: checked.
template <class T>
std::unique_ptr<product_steps<T>> product_on_cpu(const device& where, const csr_view<T>& a);
/// Functions of GPUs (cuda_backend.hpp).
template <class T>
struct product_functions {
  /// `where` with its stream. a: checked; need not stay. placed: the same in memory of the device,
  /// or null arrays: then it is copied there.
  std::unique_ptr<product_steps<T>> (*make)(const device& where, const csr_view<T>& a,
                                            const csr_arrays<T>& placed);
};

}  // namespace dwell
