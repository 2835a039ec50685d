// SPDX-License-Identifier: MIT
// Arrays on a device that are made once, and live as long as what they are part of.
#pragma once
#include <cstddef>
#include <cstring>
#include <limits>
#include <span>
#include <utility>
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

  /// There from the next flush() on: small arrays travel together.
  template <class V>
  const V* copy(const std::vector<V>& of) {
    return copy(std::span(of));
  }
  template <class V>
  const V* copy(std::span<const V> of) {
    const auto bytes = std::as_bytes(of);
    const piece to = reserve(of.size() * sizeof(V) + guard_bytes());
    std::span<std::byte> staged = std::span(staged_).subspan(to.at, to.bytes);
    if (!to.is_small) {
      if (!guarded_) {
        buffers_.back().upload(bytes);
        return reinterpret_cast<const V*>(to.data);
      }
      alone_.resize(to.bytes);
      staged = alone_;
    }
    if (!bytes.empty()) std::memcpy(staged.data(), bytes.data(), bytes.size());
    fill_with_nan<V>(staged.subspan(bytes.size()));
    if (!to.is_small) buffers_.back().upload(alone_);
    return reinterpret_cast<const V*>(to.data);
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
  /// n elements of any value, for kernels to write: no flush() touches them, and small ones have
  /// memory of their own kind for that.
  template <class V>
  V* room(std::size_t n) {
    const std::size_t bytes = n * sizeof(V) + guard_bytes();
    if (bytes > small_bytes) {
      buffers_.emplace_back(where_, bytes, fresh::unset);
      return begun<V>(buffers_.back(), 0, bytes);
    }
    if (rooms_used_ + bytes > rooms_.size()) {
      if (rooms_.size() > 0) buffers_.push_back(std::move(rooms_));
      rooms_ = buffer<std::byte>(where_, together, fresh::unset);
      rooms_used_ = 0;
    }
    const std::size_t at = std::exchange(rooms_used_, rooms_used_ + aligned(bytes));
    return begun<V>(rooms_, at, bytes);
  }
  /// Copies what is not there yet.
  void flush() {
    if (used_ > flushed_)
      small_.upload(std::span(staged_).subspan(flushed_, used_ - flushed_), flushed_);
    flushed_ = used_;
  }

 private:
  struct piece {
    std::byte* data;
    std::size_t at, bytes;  ///< place in what is staged, if it is small
    bool is_small;
  };
  static constexpr std::size_t alignment = 256, small_bytes = std::size_t{1} << 16,
                               together = std::size_t{1} << 20;

  std::size_t guard_bytes() const { return guarded_ ? 64 * sizeof(double) : 0; }
  static std::size_t aligned(std::size_t bytes) {
    return (bytes + alignment - 1) / alignment * alignment;
  }
  /// What room() gives: elements and guards NaN, if there are guards.
  template <class V>
  V* begun(buffer<std::byte>& of, std::size_t at, std::size_t bytes) {
    if (guarded_) {
      alone_.resize(bytes);
      fill_with_nan<V>(alone_);
      of.upload(alone_, at);
    }
    return reinterpret_cast<V*>(of.data() + at);
  }
  template <class V>
  static void fill_with_nan(std::span<std::byte> of) {
    const V bad = std::numeric_limits<V>::quiet_NaN();
    for (std::size_t at = 0; at + sizeof(V) <= of.size(); at += sizeof(V))
      std::memcpy(of.data() + at, &bad, sizeof(V));
  }
  /// Memory for so many bytes: of its own, or a piece of what small arrays share.
  piece reserve(std::size_t bytes) {
    if (bytes > small_bytes) {
      buffers_.emplace_back(where_, bytes, fresh::unset);
      return {buffers_.back().data(), 0, bytes, false};
    }
    if (used_ + bytes > staged_.size()) {
      flush();
      if (small_.size() > 0) buffers_.push_back(std::move(small_));
      small_ = buffer<std::byte>(where_, together, fresh::unset);
      staged_.resize(together);
      used_ = flushed_ = 0;
    }
    const std::size_t at = used_;
    used_ += aligned(bytes);
    return {small_.data() + at, at, bytes, true};
  }

  device where_;
  bool guarded_;
  std::vector<buffer<std::byte>> buffers_;
  buffer<std::byte> small_;  ///< the last one that small copies share
  buffer<std::byte> rooms_;  ///< the last one that small rooms share
  std::vector<std::byte> staged_, alone_;
  std::size_t used_ = 0, flushed_ = 0, rooms_used_ = 0;
};

}  // namespace dwell::grids
