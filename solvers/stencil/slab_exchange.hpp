// SPDX-License-Identifier: MIT
// The exchange of a slab's ghosts from GPU to GPU, put into the stream of its runner. Private to
// distributed_stencil.
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "dwell/execution/comm/agreement.hpp"
#include "dwell/execution/comm/device_transport.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/solvers/stencil/stencil_runner.hpp"

namespace dwell {

/// Layers `low` of ghosts, `own` own ones, `high` of ghosts. Where the rows of all ranks have the
/// same pitch, layers travel as they lie; else they are packed.
template <class T>
class slab_exchange {
 public:
  /// `where` has the runner's stream.
  slab_exchange(communicator& comm, device_transport& by, const device& where, int low, int own,
                int high)
      : comm_(comm), by_(by), where_(where) {
    const int ranks = comm.size(), rank = comm.rank();
    const int before = (rank + ranks - 1) % ranks, after = (rank + 1) % ranks;
    // Two ranks may be each other's neighbours on both sides: the order tells the messages apart.
    if (low > 0) out_.push_back({low, low, before});
    if (high > 0) out_.push_back({low + own - high, high, after});
    if (high > 0) in_.push_back({low + own, high, after});
    if (low > 0) in_.push_back({0, low, before});
  }

  void run(stencil_runner<T>& field) {
    if (!messages_) prepare(field);
    std::vector<const void*> from;
    std::vector<void*> to;
    for (part& p : out_) {
      const auto rows = field.layers_in_place(p.first, p.count);
      if (packed_) copy(field.size(), p, p.packed.data(), row_, rows.first, rows.pitch);
      from.push_back(packed_ ? p.packed.data() : rows.first);
    }
    for (part& p : in_)
      to.push_back(packed_ ? p.packed.data() : field.layers_in_place(p.first, p.count).first);
    messages_->run(from, to, where_.stream());
    if (!packed_) return;
    for (part& p : in_) {
      const auto rows = field.layers_in_place(p.first, p.count);
      copy(field.size(), p, rows.first, rows.pitch, p.packed.data(), row_);
    }
  }

 private:
  struct part {
    int first, count, peer;
    buffer<T> packed{};
  };
  static std::size_t rows_of(const extents& n, const part& p) {
    return static_cast<std::size_t>(p.count) * static_cast<std::size_t>(n.dims == 3 ? n.y : 1);
  }
  /// By all ranks together.
  void prepare(stencil_runner<T>& field) {
    const extents n = field.size();
    row_ = static_cast<std::size_t>(n.x);
    const std::size_t pitch = field.layers_in_place(0, 1).pitch;
    for (const std::size_t other : values_of_ranks(comm_, pitch)) packed_ |= other != pitch;
    const auto lengths = [&](std::vector<part>& parts) {
      std::vector<rank_message> all;
      for (part& p : parts) {
        const std::size_t cells = rows_of(n, p) * (packed_ ? row_ : pitch);
        if (packed_) p.packed = buffer<T>(where_, cells);
        all.push_back({p.peer, nullptr, cells * sizeof(T)});
      }
      return all;
    };
    messages_ = by_.messages(lengths(out_), lengths(in_));
  }
  void copy(const extents& n, const part& p, T* to, std::size_t to_pitch, const T* from,
            std::size_t from_pitch) const {
    memory_of(where_.on())
        .copy_rows(where_, {to, to_pitch * sizeof(T), from, from_pitch * sizeof(T),
                            row_ * sizeof(T), rows_of(n, p)});
  }

  communicator& comm_;
  device_transport& by_;
  device where_;
  std::vector<part> out_, in_;
  bool packed_ = false;
  std::size_t row_ = 0;
  std::unique_ptr<device_messages> messages_;
};

}  // namespace dwell
