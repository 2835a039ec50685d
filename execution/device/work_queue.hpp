// SPDX-License-Identifier: MIT
// The order of one owner's work on a device: the caller's stream, or a stream of its own for as
// long as the owner lives. A CPU does all work at once and has none.
#pragma once
#include <utility>

#include "dwell/base/api.hpp"
#include "dwell/device/device.hpp"

namespace dwell {

class DWELL_API work_queue {
 public:
  /// Makes a stream unless `where` has one. Throws device_error.
  explicit work_queue(const device& where);
  ~work_queue();
  work_queue(work_queue&& other) noexcept
      : where_(other.where_), own_(std::exchange(other.own_, nullptr)) {}
  work_queue& operator=(work_queue&& other) noexcept {
    std::swap(where_, other.where_);
    std::swap(own_, other.own_);
    return *this;
  }

  /// The device with its stream.
  const device& where() const { return where_; }
  /// Waits until all that was put into the stream is done.
  void finish() const;

 private:
  device where_;
  void* own_ = nullptr;
};

}  // namespace dwell
