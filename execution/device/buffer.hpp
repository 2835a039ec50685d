// SPDX-License-Identifier: MIT
// Memory that a device's teams can use, owned by the host: on a CPU plain memory, on CUDA the
// device's. A buffer may also stand for arrays that are somebody else's, where no copy is needed.
#pragma once
#include <cstddef>
#include <span>
#include <utility>

#include "dwell/base/api.hpp"
#include "dwell/device/device.hpp"

namespace dwell {

/// What fresh memory holds. `unset` on a CPU takes pages only as they are written.
enum class fresh { zeroed, unset };

/// Rows of so many bytes each, `rows` of them in each of `planes` planes. Pitches: bytes from a row
/// to the next; planes begin where that many further rows would.
struct box_copy {
  void* to;
  std::size_t to_pitch;
  const void* from;
  std::size_t from_pitch, bytes, rows;
  std::size_t planes = 1, to_plane_rows = 0, from_plane_rows = 0;
};

/// One per backend; functions throw device_error (too little memory: with the numbers). Where the
/// device has a stream, all of them take their turn in it, and only download, download_box and
/// finish wait for it: an upload returns when `from` may be changed, unless that memory is pinned.
struct memory_space {
  void* (*allocate)(const device&, std::size_t bytes,
                    fresh);  ///< at least 256-byte aligned on CUDA
  /// That other processes of the host may open (CUDA's interprocess handles: not of a pool).
  void* (*allocate_for_processes)(const device&, std::size_t bytes);
  void (*release)(const device&, void*);  ///< frees memory of both
  void (*upload)(const device&, void* to, const void* from, std::size_t bytes);
  void (*download)(const device&, void* to, const void* from, std::size_t bytes);
  void (*upload_box)(const device&, const box_copy&);
  void (*download_box)(const device&, const box_copy&);
  void (*copy)(const device&, void* to, const void* from, std::size_t bytes);  ///< device to device
  void (*copy_box)(const device&, const box_copy&);                            ///< device to device
  void (*finish)(const device&);  ///< waits until all that was put into the stream is done
  bool host_visible;              ///< teams can read the caller's own arrays
};
DWELL_API const memory_space& memory_of(backend on);

template <class T>
class buffer {
 public:
  buffer() = default;
  /// n elements, zeroed unless what they hold is not going to be read before it is written.
  buffer(const device& where, std::size_t n, fresh content = fresh::zeroed)
      : where_(where), size_(n) {
    owned_ = memory_of(where.on()).allocate(where, n * sizeof(T), content);
    data_ = static_cast<T*>(owned_);
  }
  /// n elements, unset, that other processes of the host may open.
  static buffer for_processes(const device& where, std::size_t n) {
    buffer b;
    b.where_ = where;
    b.size_ = n;
    b.owned_ = memory_of(where.on()).allocate_for_processes(where, n * sizeof(T));
    b.data_ = static_cast<T*>(b.owned_);
    return b;
  }
  /// A copy of `from`.
  static buffer copy_of(const device& where, std::span<const T> from) {
    buffer b(where, from.size());
    b.upload(from);
    return b;
  }
  /// `from` itself where the teams can read it, else a copy. Not to be written through.
  static buffer borrow(const device& where, std::span<const T> from) {
    if (!memory_of(where.on()).host_visible) return copy_of(where, from);
    buffer b;
    b.data_ = const_cast<T*>(from.data());
    b.size_ = from.size();
    return b;
  }
  buffer(buffer&& other) noexcept { *this = std::move(other); }
  buffer& operator=(buffer&& other) noexcept {
    std::swap(where_, other.where_);
    std::swap(owned_, other.owned_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~buffer() {
    if (owned_) memory_of(where_.on()).release(where_, owned_);
  }

  /// To and from elements `at` and on.
  void upload(std::span<const T> from, std::size_t at = 0) {
    memory_of(where_.on()).upload(where_, data_ + at, from.data(), from.size_bytes());
  }
  void download(std::span<T> to, std::size_t at = 0) const {
    memory_of(where_.on()).download(where_, to.data(), data_ + at, to.size_bytes());
  }
  /// Uploads rows that are packed in `packed`, and here begin `pitch` elements after each other.
  void upload_rows(std::span<const T> packed, std::size_t row, std::size_t pitch, std::size_t at) {
    if (row == pitch) return upload(packed, at);
    memory_of(where_.on())
        .upload_box(where_, {data_ + at, pitch * sizeof(T), packed.data(), row * sizeof(T),
                             row * sizeof(T), packed.size() / row});
  }
  void download_rows(std::span<T> packed, std::size_t row, std::size_t pitch,
                     std::size_t at) const {
    if (row == pitch) return download(packed, at);
    memory_of(where_.on())
        .download_box(where_, {packed.data(), row * sizeof(T), data_ + at, pitch * sizeof(T),
                               row * sizeof(T), packed.size() / row});
  }
  T* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  device where_ = device::cpu(1);
  void* owned_ = nullptr;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace dwell
