// SPDX-License-Identifier: MIT
// Which cells of a divided field a rank has, which are its ghosts, and what it exchanges with whom.
// Values and pure functions; private to distributed_stencil. Axes are 0 (z), 1 (y) and 2 (x).
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "dwell/formats/grid.hpp"
#include "dwell/stencil/stencil.hpp"

namespace dwell {

/// A field and the ranks along each of its axes, which are numbered in C order.
struct divided_field {
  extents all;
  extents ranks;
  boundary edge = boundary::fixed;

  int size() const { return static_cast<int>(ranks.cells()); }
  /// Place of a rank: how many are before it along each axis.
  grid_offset place_of(int rank) const {
    return {rank / ranks.x / ranks.y, rank / ranks.x % ranks.y, rank % ranks.x};
  }
  /// Own cells of a rank: layers are dealt out as evenly as they go.
  grid_box own(int rank) const {
    const grid_offset at = place_of(rank);
    grid_box box{{}, all};
    for (int axis = 0; axis < 3; ++axis) {
      box.first[axis] = first_layer(axis, at[axis]);
      box.size[axis] = first_layer(axis, at[axis] + 1) - box.first[axis];
    }
    return box;
  }
  /// The next rank along an axis, behind this one (step 1) or before it (-1); none: the field ends.
  std::optional<int> neighbour(int rank, int axis, int step) const {
    grid_offset at = place_of(rank);
    at[axis] += step;
    if (edge == boundary::periodic)
      at[axis] = (at[axis] + ranks[axis]) % ranks[axis];
    else if (at[axis] < 0 || at[axis] >= ranks[axis])
      return std::nullopt;
    return (at.z * ranks.y + at.y) * ranks.x + at.x;
  }

 private:
  int first_layer(int axis, int place) const {
    return static_cast<int>(static_cast<std::int64_t>(all[axis]) * place / ranks[axis]);
  }
};

/// Own cells of a rank, and around them ghosts, copies of its neighbours' cells: together its
/// *part*, a field of its own.
struct field_part {
  grid_box own;               ///< in the whole field
  grid_offset before, after;  ///< layers of ghosts along each axis

  extents size() const {
    extents n = own.size;
    for (int axis = 0; axis < 3; ++axis) n[axis] += before[axis] + after[axis];
    return n;
  }
};

/// With so many layers of ghosts where the field is cut.
inline field_part part_of(const divided_field& field, int rank, int layers) {
  field_part part{field.own(rank), {}, {}};
  for (int axis = 0; axis < 3; ++axis) {
    if (field.ranks[axis] == 1) continue;
    if (field.neighbour(rank, axis, -1)) part.before[axis] = layers;
    if (field.neighbour(rank, axis, 1)) part.after[axis] = layers;
  }
  return part;
}

/// A box of a part that is sent to a rank or comes from it.
struct ghost_message {
  int peer = 0;
  grid_box cells;
};

/// Messages that are under way at the same time.
struct ghost_round {
  std::vector<ghost_message> out, in;
};

/// All ghosts, in a round for each axis that is cut: with the ghosts of the rounds before, so that
/// corners come from diagonal neighbours by way of those between. Two ranks that are each other's
/// neighbours on both sides tell their messages apart by their order.
inline std::vector<ghost_round> ghost_rounds(const divided_field& field, int rank,
                                             const field_part& part) {
  std::vector<ghost_round> rounds;
  grid_box face{part.before, part.own.size};  // grows by the ghosts that are there
  for (int axis = 0; axis < 3; ++axis) {
    const int before = part.before[axis], after = part.after[axis], own = part.own.size[axis];
    if (field.ranks[axis] == 1) continue;
    ghost_round round;
    const auto add = [&](std::vector<ghost_message>& to, int step, int first, int layers) {
      if (layers == 0) return;
      grid_box box = face;
      box.first[axis] = first;
      box.size[axis] = layers;
      to.push_back({*field.neighbour(rank, axis, step), box});
    };
    add(round.out, -1, before, before);
    add(round.out, 1, before + own - after, after);
    add(round.in, 1, before + own, after);
    add(round.in, -1, 0, before);
    rounds.push_back(round);
    face.first[axis] = 0;
    face.size[axis] = before + own + after;
  }
  return rounds;
}

}  // namespace dwell
