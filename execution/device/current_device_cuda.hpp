// SPDX-License-Identifier: MIT
// The current device of a thread belongs to the caller: it is another one only for a while.
#pragma once
#include <new>

namespace dwell::cuda {

/// Makes a device the current one of this thread, and at its end the caller's context current
/// again; of a thread that had none the first device's, if that has one. The contexts themselves
/// are asked for, by the driver: to name a device to the runtime makes a context on it.
class [[nodiscard]] current_device {
 public:
  /// Throws device_error.
  explicit current_device(int ordinal);
  /// For destructors: a device that cannot be made current, after a failure or when the runtime is
  /// gone, is left alone.
  current_device(int ordinal, std::nothrow_t) noexcept;
  ~current_device();
  current_device(const current_device&) = delete;
  current_device& operator=(const current_device&) = delete;

 private:
  void* before_ = nullptr;
  bool changed_ = false;
};

}  // namespace dwell::cuda
