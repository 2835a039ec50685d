// SPDX-License-Identifier: MIT
// Arrays on a device that are made once, and live as long as what they are part of.
#pragma once
#include <fmt/format.h>

#include <cstddef>
#include <limits>
#include <tuple>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/device/device.hpp"
#include "dwell/execution/device/buffer.hpp"

namespace dwell::grids {

class device_memory {
 public:
  /// guarded: arrays begin as NaN, and so do some elements behind each: tests find what is read and
  /// ought not to be.
  device_memory(const device& where, bool guarded) : where_(where), guarded_(guarded) {}

  template <class V>
  const V* copy(const std::vector<V>& of) {
    if (guarded_) return with_guard(of);
    return of_type<V>().emplace_back(buffer<V>::copy_of(where_, of)).data();
  }
  /// Places of rows in a pool, narrower.
  const unsigned* places(const std::vector<std::size_t>& of) {
    std::vector<unsigned> narrow(of.size());
    for (std::size_t i = 0; i < of.size(); ++i) {
      if (of[i] > 0xffffffffu)
        throw unsupported_error("grid: the coefficients have more than 2^32 elements");
      narrow[i] = static_cast<unsigned>(of[i]);
    }
    return copy(narrow);
  }
  /// n elements of any value.
  template <class V>
  V* room(std::size_t n) {
    if (guarded_) return with_guard(std::vector<V>(n, std::numeric_limits<V>::quiet_NaN()));
    return of_type<V>().emplace_back(where_, n).data();
  }

 private:
  template <class V>
  std::vector<buffer<V>>& of_type() {
    return std::get<std::vector<buffer<V>>>(arrays_);
  }

  template <class V>
  V* with_guard(std::vector<V> of) {
    constexpr std::size_t guard = 64;
    of.insert(of.end(), guard, std::numeric_limits<V>::quiet_NaN());
    return of_type<V>().emplace_back(buffer<V>::copy_of(where_, of)).data();
  }

  device where_;
  bool guarded_;
  std::tuple<std::vector<buffer<float>>, std::vector<buffer<double>>, std::vector<buffer<unsigned>>>
      arrays_;
};

}  // namespace dwell::grids
