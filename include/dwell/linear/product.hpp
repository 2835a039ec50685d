// SPDX-License-Identifier: MIT
// y = A x with a sparse matrix that an application holds: the matrix is checked, cut for the device
// and uploaded once, and multiplied as often as needed. Nothing here needs CUDA.
//
//   dwell::product<double> p(dwell::device::best(), a.view());
//   for (...) p.apply(x, y);           // y = A x
//   p.apply(x, y, 2.0, -1.0);          // y = 2 A x - y
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "dwell/base/api.hpp"
#include "dwell/device/device.hpp"
#include "dwell/device/device_views.hpp"
#include "dwell/formats/csr.hpp"

namespace dwell {

/// How a matrix is held.
struct product_report {
  index rows = 0;         ///< rows of the matrix
  index cols = 0;         ///< columns of the matrix
  index nonzeros = 0;     ///< stored entries of the matrix
  int teams = 0;          ///< threads, or thread blocks
  std::string reason;     ///< why so many, one line
  std::size_t bytes = 0;  ///< that a product must move: A as it is held, x and y once each
  double setup_s = 0;     ///< that the constructor took
};

/// Products with one matrix of any shape. T: double or float. Movable. One thread at a time may use
/// a product; several threads may use several at once. Sums have a fixed order, so that a product
/// repeats bit for bit with the same number of teams; on a CPU and on a GPU the orders differ.
///
/// A CPU reads the arrays of the matrix in place: they must stay valid and unchanged. A GPU has
/// copies of its own. On a GPU all work goes to the stream of `where` (device::on_stream), which
/// must outlive the product, or to a stream of the product's own.
template <class T>
class DWELL_API product {
 public:
  /// Checks the matrix: throws input_error for one that is malformed, as check() of
  /// dwell/formats/csr.hpp, or is in a GPU's memory; device_error if there is too little memory.
  product(const device& where, const csr_view<T>& a);
  /// Takes a matrix in the memory of the CUDA device `where`, which is copied to the host once, for
  /// the checks.
  product(const device& where, const device_csr_view<T>& a);
  product(product&&) noexcept;  ///< what was moved from can only be destroyed or assigned to
  /// Moves likewise; frees what this product had.
  product& operator=(product&&) noexcept;
  /// Waits for what is under way, and frees everything.
  ~product();

  const product_report& report() const;  ///< how the matrix is held

  /// y = alpha A x + beta y, for x with an element per column and y with one per row in the host's
  /// memory, which may not overlap. With beta = 0 what y held does not count, whatever it was.
  /// Elements that are not finite are multiplied as they are. Throws input_error for other numbers
  /// of elements, memory of a GPU, or overlap. A GPU's product copies x and y.
  void apply(std::span<const T> x, std::span<T> y, T alpha = 1, T beta = 0);
  /// Uses vectors in the memory of the product's CUDA device in place; waits for the end.
  void apply(device_span<const T> x, device_span<T> y, T alpha = 1, T beta = 0);
  /// Puts the product into the device's stream and returns: what comes after in the stream finds it
  /// in y. x and y must stay until then.
  void apply_async(device_span<const T> x, device_span<T> y, T alpha = 1, T beta = 0);

 private:
  struct state;
  std::unique_ptr<state> s_;
};

extern template class product<double>;
extern template class product<float>;

}  // namespace dwell
