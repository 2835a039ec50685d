// SPDX-License-Identifier: MIT
// Passes of several steps over fields, skewed in time as in engines/skewed/pass.hpp, but with a
// stage in place of a step: stage s of a layer follows stage s - 1 of the layer that is as much
// further on as any stage reads. Whatever arrays stages read and write, they do so within that
// distance, so that no order of layers is needed but this one. In one dimension layers are cells,
// which a stage takes many at a time.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "dwell/execution/stencil/engines/skewed/axis.hpp"
#include "dwell/execution/stencil/fields/field_domain.hpp"

namespace dwell {

/// How passes are divided: layers of the slowest axis among threads, the next axis into tiles,
/// which a thread takes one after the other. In one dimension there is no next axis: it has one
/// cell.
struct field_pass {
  int depth = 0;  ///< steps; 0: there are no passes
  int front = 1;  ///< layers that a stage takes before the next stage has its turn
  skewed_axis layers, across;
  std::int64_t working_set = 0;  ///< bytes of a tile's layers in flight, in all arrays
};

/// Why a field cannot be taken in passes, or nothing.
std::optional<std::string> refuses_passes(const field_domain& domain);

/// Passes of `depth` steps (0: as many as fit the cache) by up to `threads` threads, where a cell
/// takes `cell_bytes` in all arrays together and a core's cache has `cache` bytes. Of depth 0 if
/// the field is too small for that.
field_pass plan_pass(const field_domain& domain, int threads, int depth, std::int64_t cell_bytes,
                     std::int64_t cache);

/// f(range) of the cells of an axis that a range stands for, which may go beyond either end: each
/// piece lies within the axis.
template <class F>
void for_pieces(const skewed_axis& axis, const cell_range& r, F&& f) {
  const int n = axis.end;
  const auto piece = [&](int first, int last, int by) {
    if (first < last) f(cell_range{first + by, last + by});
  };
  piece(r.first, std::min(r.last, 0), n);
  piece(std::max(r.first, 0), std::min(r.last, n), 0);
  piece(std::max(r.first, n), r.last, -n);
}

/// f(stage, layers, across) for all stages of a pass in a team's slab, in order: stage `stage` of
/// these cells across these layers. There are two phases, between which all teams meet.
template <class F>
void for_slab(const field_pass& p, int stages, int team, int phase, F&& f) {
  if (team >= p.layers.parts) return;
  const int slope = p.layers.slope;
  const auto layers = [&](int s) {
    return phase == 0 ? p.layers.at_once(team, s) : p.layers.between(team, s);
  };
  int first = std::numeric_limits<int>::max(), last = std::numeric_limits<int>::min();
  for (int s = 0; s < stages; ++s) {
    const cell_range r = layers(s);
    if (r.first >= r.last) continue;
    first = std::min(first, r.first + s * slope);
    last = std::max(last, r.last + s * slope);
  }
  for (int tile = 0; tile < p.across.parts; ++tile)
    for (int front = first; front < last; front += p.front)
      for (int s = 0; s < stages; ++s) {
        const cell_range r = layers(s);
        const cell_range now{std::max(front - s * slope, r.first),
                             std::min(front + p.front - s * slope, r.last)};
        for_pieces(p.layers, now, [&](const cell_range& some) {
          for_pieces(p.across, p.across.in_turn(tile, s),
                     [&](const cell_range& cells) { f(s, some, cells); });
        });
      }
}

}  // namespace dwell
