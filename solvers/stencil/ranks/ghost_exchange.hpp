// SPDX-License-Identifier: MIT
// The exchange of the ghosts of a rank's part of a field, round by round: in the memory of the
// hosts, and from GPU to GPU. Private to distributed_stencil.
#pragma once
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "dwell/comm/agreement.hpp"
#include "dwell/execution/comm/device_transport.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/solvers/stencil/ranks/field_part.hpp"
#include "dwell/stencil/stencil_runner.hpp"

namespace dwell {

/// Exchange of cells that are copied to messages and from them.
template <class T>
class ghost_exchange {
 public:
  /// Made by all ranks together.
  ghost_exchange(communicator& comm, const std::vector<ghost_round>& rounds) {
    for (const ghost_round& r : rounds) {
      round& made = rounds_.emplace_back(cells_of(r.out), cells_of(r.in), nullptr);
      made.messages = comm.messages(messages_of(r.out, made.out), messages_of(r.in, made.in));
    }
  }

  /// take(first, some): cells of the part, from that one on, to `some`; put(first, some): back.
  template <class Take, class Put>
  void run(Take&& take, Put&& put) {
    for (round& r : rounds_) {
      for (message& m : r.out) take(m.first, m.cells.view());
      r.messages->start();
      r.messages->finish();
      for (message& m : r.in) put(m.first, std::as_const(m.cells).view());
    }
  }

 private:
  struct message {
    grid_offset first;
    grid<T> cells;
  };
  struct round {
    round(std::vector<message> o, std::vector<message> i, std::unique_ptr<message_set> m)
        : out(std::move(o)), in(std::move(i)), messages(std::move(m)) {}
    std::vector<message> out, in;
    std::unique_ptr<message_set> messages;
  };
  static std::vector<message> cells_of(const std::vector<ghost_message>& all) {
    std::vector<message> made;
    for (const ghost_message& m : all) made.push_back({m.cells.first, grid<T>(m.cells.size)});
    return made;
  }
  static std::vector<rank_message> messages_of(const std::vector<ghost_message>& peers,
                                               std::vector<message>& all) {
    std::vector<rank_message> made;
    for (std::size_t k = 0; k < all.size(); ++k)
      made.push_back(
          {peers[k].peer, all[k].cells.cells().data(), all[k].cells.cells().size_bytes()});
    return made;
  }
  std::vector<round> rounds_;
};

/// Exchange of cells in the memory of GPUs, put into the stream of the runner that has them. Layers
/// of the slowest axis travel as they lie, if the rows of all ranks have the same pitch; else, and
/// along other axes, they are packed.
template <class T>
class ghost_exchange_on_gpus {
 public:
  /// `where` has the runner's stream.
  ghost_exchange_on_gpus(communicator& comm, device_transport& by, const device& where,
                         const std::vector<ghost_round>& rounds)
      : comm_(comm), by_(by), where_(where) {
    for (const ghost_round& r : rounds) {
      round& made = rounds_.emplace_back();
      for (const ghost_message& m : r.out) made.out.push_back({m, {}});
      for (const ghost_message& m : r.in) made.in.push_back({m, {}});
    }
  }

  void run(stencil_runner<T>& field) {
    if (!prepared_) prepare(field);
    const auto cells = field.field_in_place();
    for (round& r : rounds_) {
      std::vector<const void*> from;
      std::vector<void*> to;
      for (message& m : r.out) {
        if (m.packed.size() > 0) pack(m, cells);
        from.push_back(place_of(m, cells));
      }
      for (message& m : r.in) to.push_back(place_of(m, cells));
      r.messages->run(from, to, where_.stream());
      for (message& m : r.in)
        if (m.packed.size() > 0) unpack(m, cells);
    }
  }

 private:
  using cells_in_place = typename stencil_runner<T>::cells_in_place;
  struct message {
    ghost_message what;
    buffer<T> packed;  ///< empty: it travels as it lies
  };
  struct round {
    std::vector<message> out, in;
    std::unique_ptr<device_messages> messages;
  };

  /// By all ranks together.
  void prepare(stencil_runner<T>& field) {
    const extents n = field.size();
    const std::size_t pitch = field.field_in_place().row_pitch;
    bool same_pitch = true;
    for (const std::size_t other : values_of_ranks(comm_, pitch)) same_pitch &= other == pitch;
    const auto lengths = [&](std::vector<message>& some) {
      std::vector<rank_message> all;
      for (message& m : some) {
        const extents& box = m.what.cells.size;
        const bool whole_layers = box.x == n.x && (n.dims == 2 || box.y == n.y);
        const std::size_t cells = whole_layers && same_pitch
                                      ? box.cells() / static_cast<std::size_t>(box.x) * pitch
                                      : box.cells();
        if (!whole_layers || !same_pitch) m.packed = buffer<T>(where_, cells);
        all.push_back({m.what.peer, nullptr, cells * sizeof(T)});
      }
      return all;
    };
    for (round& r : rounds_) r.messages = by_.messages(lengths(r.out), lengths(r.in));
    prepared_ = true;
  }

  static T* first_of(const message& m, const cells_in_place& field) {
    const grid_offset& first = m.what.cells.first;
    const std::size_t rows =
        static_cast<std::size_t>(first.z) * field.plane_rows + static_cast<std::size_t>(first.y);
    return field.first + rows * field.row_pitch + first.x;
  }
  static T* place_of(const message& m, const cells_in_place& field) {
    return m.packed.size() > 0 ? m.packed.data() : first_of(m, field);
  }
  void pack(const message& m, const cells_in_place& field) const {
    const auto [row, rows, planes] = bytes_of(m);
    memory_of(where_.on())
        .copy_box(where_, {m.packed.data(), row, first_of(m, field), field.row_pitch * sizeof(T),
                           row, rows, planes, rows, field.plane_rows});
  }
  void unpack(const message& m, const cells_in_place& field) const {
    const auto [row, rows, planes] = bytes_of(m);
    memory_of(where_.on())
        .copy_box(where_, {first_of(m, field), field.row_pitch * sizeof(T), m.packed.data(), row,
                           row, rows, planes, field.plane_rows, rows});
  }
  struct packed_rows {
    std::size_t bytes, rows, planes;
  };
  static packed_rows bytes_of(const message& m) {
    const extents& n = m.what.cells.size;
    return {static_cast<std::size_t>(n.x) * sizeof(T), static_cast<std::size_t>(n.y),
            static_cast<std::size_t>(n.z)};
  }

  communicator& comm_;
  device_transport& by_;
  device where_;
  std::vector<round> rounds_;
  bool prepared_ = false;
};

}  // namespace dwell
