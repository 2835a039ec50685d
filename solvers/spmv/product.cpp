// SPDX-License-Identifier: MIT
// What is the same on both backends: checks of the caller's arrays, and copies of vectors.
#include "dwell/linear/product.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/lap_timer.hpp"
#include "dwell/execution/device/array_place.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/device/work_queue.hpp"
#include "dwell/solvers/spmv/product_steps.hpp"

namespace dwell {
namespace {

template <class T>
void check_on_host(const csr_view<T>& a) {
  if (a.rows < 0 || a.cols < 0)
    throw input_error(
        fmt::format("matrix: expected rows and columns, found {} x {}", a.rows, a.cols));
  if (a.rows > 0)
    require_on_host({"row_ptr of the matrix", a.row_ptr,
                     (static_cast<std::size_t>(a.rows) + 1) * sizeof(index)});
  const auto nonzeros = static_cast<std::size_t>(std::max<index>(a.nonzeros(), 0));
  require_on_host({"columns of the matrix", a.col, nonzeros * sizeof(index)});
  require_on_host({"values of the matrix", a.val, nonzeros * sizeof(T)});
  check(a);
}

/// From the memory of a GPU, which has been looked at.
template <class V>
std::vector<V> downloaded(const device& where, const V* from, std::size_t n) {
  std::vector<V> to(n);
  if (n > 0) memory_of(where.on()).download(where, to.data(), from, n * sizeof(V));
  return to;
}

}  // namespace

template <class T>
struct product<T>::state {
  work_queue queue;
  product_report report;
  std::unique_ptr<product_steps<T>> steps;
  buffer<T> x, y;  ///< copies for products with vectors of the host, on a GPU

  explicit state(const device& where) : queue(where) {}

  void take(const csr_view<T>& a, const csr_arrays<T>& placed) {
    const device& where = queue.where();
    steps = where.on() == backend::cpu
                ? product_on_cpu(where, a)
                : cuda_backend<product_functions<T>>().make(where, a, placed);
    report.rows = a.rows;
    report.cols = a.cols;
    report.nonzeros = a.nonzeros();
    report.teams = steps->teams();
    report.reason = steps->reason();
    report.bytes = steps->matrix_bytes() + sizeof(T) * (static_cast<std::size_t>(a.rows) +
                                                        static_cast<std::size_t>(a.cols));
    queue.finish();
  }
  void check_sizes(std::size_t given_x, std::size_t given_y) const {
    const auto rows = static_cast<std::size_t>(report.rows);
    const auto cols = static_cast<std::size_t>(report.cols);
    if (given_x != cols || given_y != rows)
      throw input_error(
          fmt::format("product with a matrix of {} x {}: expected x of {} elements and y of {}, "
                      "found {} and {}",
                      rows, cols, cols, rows, given_x, given_y));
  }
  void check_on_device(device_span<const T> given_x, device_span<T> given_y) const {
    check_sizes(given_x.size, given_y.size);
    require_on_device(queue.where(), "x", given_x);
    require_on_device(queue.where(), "y", given_y);
    require_apart({"y", given_y.data, given_y.size * sizeof(T)},
                  {"x", given_x.data, given_x.size * sizeof(T)});
  }
};

template <class T>
product<T>::product(const device& where, const csr_view<T>& a) {
  double seconds = 0;
  {
    const lap_timer time(seconds);
    s_ = std::make_unique<state>(where);
    check_on_host(a);
    s_->take(a, {});
  }
  s_->report.setup_s = seconds;
}

template <class T>
product<T>::product(const device& where, const device_csr_view<T>& a) {
  double seconds = 0;
  {
    const lap_timer time(seconds);
    s_ = std::make_unique<state>(where);
    if (a.rows < 0 || a.cols < 0 || a.nonzeros < 0)
      throw input_error(
          fmt::format("matrix: expected rows, columns and nonzeros, found {} x {}, {}", a.rows,
                      a.cols, a.nonzeros));
    const auto ends = a.rows > 0 ? static_cast<std::size_t>(a.rows) + 1 : 0;
    const auto nonzeros = static_cast<std::size_t>(a.nonzeros);
    require_on_device(where, {"row_ptr of the matrix", a.row_ptr, ends * sizeof(index)}, a.device);
    require_on_device(where, {"columns of the matrix", a.col, nonzeros * sizeof(index)}, a.device);
    require_on_device(where, {"values of the matrix", a.val, nonzeros * sizeof(T)}, a.device);
    const device& there = s_->queue.where();
    const auto row_ptr = downloaded(there, a.row_ptr, ends);
    if (ends > 0 && row_ptr.back() != a.nonzeros)
      throw input_error(fmt::format("matrix: expected row_ptr to end with {} nonzeros, found {}",
                                    a.nonzeros, row_ptr.back()));
    const auto col = downloaded(there, a.col, nonzeros);
    const auto val = downloaded(there, a.val, nonzeros);
    const csr_view<T> host{a.rows, a.cols, row_ptr.data(), col.data(), val.data()};
    check(host);
    s_->take(host, {a.rows, a.cols, a.nonzeros, a.row_ptr, a.col, a.val});
  }
  s_->report.setup_s = seconds;
}

template <class T>
product<T>::product(product&&) noexcept = default;
template <class T>
product<T>& product<T>::operator=(product&&) noexcept = default;
template <class T>
product<T>::~product() {
  if (!s_) return;
  try {
    s_->queue.finish();
  } catch (const error&) {  // a product that apply_async() began; who waits sees it
  }
}

template <class T>
const product_report& product<T>::report() const {
  return s_->report;
}

template <class T>
void product<T>::apply(std::span<const T> x, std::span<T> y, T alpha, T beta) {
  s_->check_sizes(x.size(), y.size());
  const named_memory from{"x", x.data(), x.size_bytes()}, to{"y", y.data(), y.size_bytes()};
  require_on_host(from);
  require_on_host(to);
  require_apart(to, from);
  const device& where = s_->queue.where();
  if (where.on() == backend::cpu) return s_->steps->apply(x.data(), y.data(), alpha, beta);
  if (s_->x.size() == 0) s_->x = buffer<T>(where, x.size(), fresh::unset);
  if (s_->y.size() == 0) s_->y = buffer<T>(where, y.size(), fresh::unset);
  s_->x.upload(x);
  if (beta != T(0)) s_->y.upload(y);
  s_->steps->apply(s_->x.data(), s_->y.data(), alpha, beta);
  s_->y.download(y);
}

template <class T>
void product<T>::apply(device_span<const T> x, device_span<T> y, T alpha, T beta) {
  apply_async(x, y, alpha, beta);
  s_->queue.finish();
}

template <class T>
void product<T>::apply_async(device_span<const T> x, device_span<T> y, T alpha, T beta) {
  s_->check_on_device(x, y);
  s_->steps->apply(x.data, y.data, alpha, beta);
}

template class product<double>;
template class product<float>;

}  // namespace dwell
