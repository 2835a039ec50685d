// SPDX-License-Identifier: MIT
// Coefficients as they were given, and the values of them that steps read in their place.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "dwell/device/device.hpp"
#include "dwell/device/device_views.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/stencil/fields/field_memory.hpp"
#include "dwell/execution/stencil/fields/hoisting.hpp"
#include "dwell/stencil/field_runner.hpp"

namespace dwell {

template <class T>
class hoisted_values {
 public:
  /// For runs of the steps of `made` in `domain`, which outlive it. The device has a stream.
  hoisted_values(const hoisting& made, const device& where, const field_domain& domain);

  /// Keeps a coefficient, by its place among those that were given, if values are made of it.
  void set(int coefficient, std::span<const T> cells);
  void set(int coefficient, device_span<const T> cells);
  /// Where steps read a coefficient that was given, by its place among theirs; -1: nowhere.
  int place_of(int coefficient) const;
  /// Computes the values again if coefficients were set since.
  void settle(field_memory<T>& memory);
  /// Bytes of the coefficients that are kept.
  std::size_t bytes() const;

 private:
  buffer<T>* kept(int coefficient);

  const hoisting& made_;
  device where_;
  const field_domain& domain_;
  field_options options_;  ///< those of the runs that compute values
  std::vector<buffer<T>> kept_;
  bool settled_ = false;
};

}  // namespace dwell
