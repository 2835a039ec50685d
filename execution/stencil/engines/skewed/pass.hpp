// SPDX-License-Identifier: MIT
// A team's part of a pass of engine skewed. The slowest axis of the field (rows in two dimensions,
// planes in three) is cut into a slab for every team, the next axis into tiles, which a team takes
// one after the other. Down a tile, step s of a layer follows step s - 1 of the layer that is
// `radius` further on: the layers in between are all that a tile needs at a time, and stay in the
// cache of a core. Step s goes from one copy of the field to the other, as single steps do: a cell
// is overwritten when all cells that read it have been computed.
//
// Phases: in the first one slabs get smaller with every step, in the second teams compute the cells
// that are left between them. A slab reads `radius` layers of those beside it as they were before
// the pass, and these do not write them in that phase.
#pragma once
#include <algorithm>

#include "dwell/execution/stencil/args.hpp"
#include "dwell/execution/stencil/engines/skewed/engine.hpp"
#include "dwell/execution/stencil/step/row.hpp"

namespace dwell {

template <class S, class T, class Team>
class skewed_pass {
 public:
  static constexpr int phases = 2;

  /// A pass of `steps` steps, from field[from] on.
  skewed_pass(Team& team, const stencil_call<S, T>& a, const skewed_division& by, int from,
              int steps)
      : team_(team), a_(a), by_(by), from_(from), steps_(steps) {}

  void run(int phase) {
    const int slab = team_.worker();
    if (slab >= by_.layers.parts) return;
    if (phase == 0)
      region([&](int s) { return by_.layers.at_once(slab, s); });
    else
      region([&](int s) { return by_.layers.between(slab, s); });
  }

 private:
  static constexpr int R = radius_of<S>;

  /// layers(s): which ones step s computes.
  template <class Layers>
  void region(const Layers& layers) {
    int first = by_.layers.end + by_.layers.end, last = -first;
    for (int s = 0; s < steps_; ++s) {
      const cell_range r = layers(s);
      if (r.first >= r.last) continue;
      first = std::min(first, r.first + s * R);
      last = std::max(last, r.last + s * R);
    }
    for (int tile = 0; tile < by_.across.parts; ++tile)
      for (int front = first; front < last; ++front)
        for (int s = 0; s < steps_; ++s) {
          const cell_range r = layers(s);
          const int layer = front - s * R;
          if (layer >= r.first && layer < r.last) step(s, layer, by_.across.in_turn(tile, s));
        }
  }
  /// Step s of some cells of a layer.
  void step(int s, int layer, const cell_range& across) {
    const skewed_axis& axis = by_.across;
    layer = wrapped(layer, by_.layers);
    piece(s, layer, across.first, std::min(across.last, axis.end));
    if (across.last > axis.end) piece(s, layer, axis.begin, across.last - (axis.end - axis.begin));
  }
  void piece(int s, int layer, int first, int last) {
    const T* in = a_.field[(from_ + s) % 2];
    T* out = a_.field[(from_ + s + 1) % 2];
    if constexpr (S::dims == 2) {
      step_row<S, T>(team_, a_, in, out, 0, layer, {first, last});
    } else {
      const int x0 = a_.edge == boundary::fixed ? a_.inner.x0 : 0;
      const int x1 = a_.edge == boundary::fixed ? a_.inner.x1 : a_.size.x;
      for (int y = first; y < last; ++y) step_row<S, T>(team_, a_, in, out, layer, y, {x0, x1});
    }
  }
  static int wrapped(int i, const skewed_axis& axis) {
    const int n = axis.end - axis.begin;
    return i < axis.begin ? i + n : i >= axis.end ? i - n : i;
  }

  Team& team_;
  const stencil_call<S, T>& a_;
  const skewed_division& by_;
  const int from_, steps_;
};

}  // namespace dwell
