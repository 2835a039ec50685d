// SPDX-License-Identifier: MIT
// Whether an array of the caller lies where a call expects it, and apart from another one.
#pragma once
#include <cstddef>

#include "dwell/device/device.hpp"
#include "dwell/device/device_views.hpp"

namespace dwell {

/// An array and its name in messages.
struct named_memory {
  const char* name;
  const void* begin;
  std::size_t bytes;
};

/// Throws input_error if it is null or in a GPU's memory, unless it is empty.
void require_on_host(const named_memory& a);
/// Throws input_error unless it is in the memory of the CUDA device `where`, as the view says.
/// device: of the view.
void require_on_device(const device& where, const named_memory& a, int device);
/// Throws input_error if they overlap.
void require_apart(const named_memory& a, const named_memory& other);

/// Requires it of a view.
template <class T>
void require_on_device(const device& where, const char* name, device_span<T> v) {
  require_on_device(where, {name, v.data, v.size * sizeof(T)}, v.device);
}

}  // namespace dwell
