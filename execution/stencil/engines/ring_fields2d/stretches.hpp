// SPDX-License-Identifier: MIT
// What rows that come to a warp of the chain need: the path by which the next turns of its loop
// take them (ring2d/strips.hpp), and for how many turns.
#pragma once
#include "dwell/execution/stencil/engines/ring2d/strips.hpp"
#include "dwell/execution/stencil/engines/ring_fields2d/args.hpp"
#include "dwell/execution/stencil/engines/ring_fields2d/points.hpp"
#include "dwell/execution/stencil/engines/ring_fields2d/sizes.hpp"

namespace dwell {

struct chain_stretch {
  ring_path path;
  int turns;
};

/// For warp `number` in a segment.
template <class S, class T, chain_config C, pass_demands D>
struct chain_stretches {
  static constexpr int turn = chain_sizes<S, T, C>::turn;
  const fields_pass<T>& a;
  const overlapping_strips& strips;
  const ring_segment& segment;
  const int number;

  /// From row y on, which comes in, at most `turns`.
  DWELL_FN chain_stretch at(int y, int turns) const {
    const auto at_most = [&](int n) { return n < turns ? n : turns; };
    ring_rows right = segment.rows_of(number, C.steps * step_rows<S>(), a.ny, goes_around<S, 0>);
    right.until += late_rows<S>;
    if (y + turn <= right.from) return {ring_path::none, at_most((right.from - y) / turn)};
    if (y >= right.until) return {ring_path::none, turns};
    chain_stretch s = of_computed(y, turns);
    if constexpr (D.points) {
      // Rows that the steps make in a turn lie before the ones that arrive.
      constexpr int late = step_delay<S>();
      const strip_points<S, T> points = points_of_strip<S, T>(a, segment.strip);
      const int next = points.next_row(y - C.steps * late) + late - y;
      if (next < turn) return {ring_path::any, 1};
      if (next / turn < s.turns) s.turns = next / turn;
    }
    const int rest = (right.until - y + turn - 1) / turn;
    return {s.path, s.turns < rest ? s.turns : rest};
  }

 private:
  DWELL_FN chain_stretch of_computed(int y, int turns) const {
    if (!goes_around<S, 1> && a.nx < chain_sizes<S, T, C>::width) return {ring_path::any, turns};
    const bool beside =
        !goes_around<S, 1> && (segment.strip == 0 || segment.strip == strips.count() - 1);
    const ring_path between = beside ? ring_path::sides : ring_path::plain;
    if (goes_around<S, 0>) return {between, turns};
    const auto at_most = [&](int n) { return n < turns ? n : turns; };
    // Rows that the steps make of a row that arrives lie up to that many rows before it.
    const int low = C.steps * step_delay<S>() + S::radius, high = a.ny - S::radius;
    if (y < low) return {ring_path::rows, at_most((low - y + turn - 1) / turn)};
    if (y + turn > high) return {ring_path::rows, turns};
    return {between, at_most((high - y) / turn)};
  }
};

}  // namespace dwell
