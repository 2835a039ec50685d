// SPDX-License-Identifier: MIT
// Sums, extremes, norms and inner products of whole arrays.
//
// They are put together in f64 whatever the elements are, in an order that depends on the number of
// elements alone, the one in which solvers add up norms of right-hand sides and residuals: results
// have the same bits on every device, with any number of threads, in every run. A NaN among the
// elements gives a NaN, always that of std::numeric_limits; a zero has no sign.
#pragma once
#include <memory>
#include <span>
#include <string>

#include "dwell/base/api.hpp"
#include "dwell/device/device.hpp"
#include "dwell/device/device_views.hpp"

namespace dwell {

/// What becomes of the elements of an array.
enum class reduction {
  sum,      ///< sum of the elements; 0 where there are none
  min,      ///< the least element
  max,      ///< the greatest element
  norm1,    ///< sum of magnitudes; 0 where there are none
  norm2,    ///< square root of the sum of squares, scaled where these would overflow or vanish
  norm_max  ///< largest magnitude; 0 where there are none
};
/// "sum", "min", "max", "norm1", "norm2" or "norm-max".
DWELL_API std::string to_string(reduction r);
/// The one of that name. Throws input_error for other names.
DWELL_API reduction parse_reduction(const std::string& name);

/// Reduces arrays on a device, one after the other, with threads, a stream and memory that it keeps
/// from call to call. Not for several threads of the caller at once.
class DWELL_API reducer {
 public:
  /// A CPU's threads are started by the first array that is worth them. On a GPU the work is put in
  /// order by the device's stream, if it has one (device::on_stream()). Throws device_error.
  explicit reducer(const device& where);
  /// Waits for what was queued, and frees everything.
  ~reducer();
  /// What was moved from can only be destroyed or assigned to.
  reducer(reducer&& other) noexcept;
  /// Moves; first waits for and frees what this reducer had.
  reducer& operator=(reducer&& other) noexcept;

  /// Reduces elements in the host's memory, of which a GPU gets a copy. T is double or float.
  /// Throws input_error for min and max of nothing and for memory of a GPU; device_error.
  template <class T>
  double reduce(std::span<const T> v, reduction op = reduction::sum);
  /// Reduces elements in the memory of the reducer's CUDA device.
  template <class T>
  double reduce(device_span<const T> v, reduction op = reduction::sum);

  /// The sum of x[i] y[i]; products are rounded to f64. Throws input_error for other sizes.
  template <class T>
  double dot(std::span<const T> x, std::span<const T> y);
  /// Takes elements in the memory of the reducer's CUDA device.
  template <class T>
  double dot(device_span<const T> x, device_span<const T> y);

  /// Puts the reduction into the device's stream and returns: what comes after in the stream finds
  /// the result in result[0]. norm2 is not scaled here: squares beyond f64 make it infinite or 0.
  template <class T>
  void queue(device_span<const T> v, reduction op, device_span<double> result);
  /// Puts the sum of x[i] y[i] into the stream, as queue() does.
  template <class T>
  void queue_dot(device_span<const T> x, device_span<const T> y, device_span<double> result);
  /// Returns when all that was queued is done: for a device without a stream of the caller's.
  void wait() const;

 private:
  struct state;
  std::unique_ptr<state> s_;
};

/// What reducer::reduce() returns, of one array by itself.
template <class T>
DWELL_API double reduce(const device& where, std::span<const T> v, reduction op = reduction::sum);
/// Reduces elements in the memory of the CUDA device `where`.
template <class T>
DWELL_API double reduce(const device& where, device_span<const T> v, reduction op = reduction::sum);

/// What reducer::dot() returns, of two arrays by themselves.
template <class T>
DWELL_API double dot(const device& where, std::span<const T> x, std::span<const T> y);
/// Takes elements in the memory of the CUDA device `where`.
template <class T>
DWELL_API double dot(const device& where, device_span<const T> x, device_span<const T> y);

}  // namespace dwell
