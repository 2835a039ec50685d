// SPDX-License-Identifier: MIT
// Arrays on a device that are made once, and live as long as what they are part of.
#pragma once
#include <fmt/format.h>

#include <cstddef>
#include <tuple>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/device/device.hpp"
#include "dwell/execution/device/buffer.hpp"

namespace dwell::grids {

class device_memory {
 public:
  explicit device_memory(const device& where) : where_(where) {}

  template <class V>
  const V* copy(const std::vector<V>& of) {
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
    return of_type<V>().emplace_back(where_, n).data();
  }

 private:
  template <class V>
  std::vector<buffer<V>>& of_type() {
    return std::get<std::vector<buffer<V>>>(arrays_);
  }

  device where_;
  std::tuple<std::vector<buffer<float>>, std::vector<buffer<double>>, std::vector<buffer<unsigned>>>
      arrays_;
};

}  // namespace dwell::grids
