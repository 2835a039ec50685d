// SPDX-License-Identifier: MIT
// A step of a tile in two dimensions, as members of register_tile2d_agent: down its rows with a
// window, and for rows that stream in the order of the plan.
#pragma once
#include "dwell/execution/stencil/engines/register_tile2d/agent.hpp"

namespace dwell {

template <class S, class T, class Team, int RY, bool Rest>
DWELL_FN typename register_tile2d_agent<S, T, Team, RY, Rest>::rest_order
register_tile2d_agent<S, T, Team, RY, Rest>::next_order() {
  const int n = rest_count();
  if (a_.plan.order == traversal::zig_zag) {
    ups_ ^= 1;
    return {ups_ ? n : 0, ups_ == 0};
  }
  if (a_.plan.order == traversal::fixed) return {n, false};
  const int first = start_;
  start_ -= a_.plan.ring_rows;
  if (start_ <= 0) start_ += n;
  return {first < R || n - first < R ? n : first, false};
}

template <class S, class T, class Team, int RY, bool Rest>
template <tile_path Path, class FixedCells>
DWELL_FN void register_tile2d_agent<S, T, Team, RY, Rest>::step_as(
    [[maybe_unused]] FixedCells& fixed) {
  const edges e(edges_ + (sets == 2 ? edge_set_ * perks_edge_values<S> : 0));
  edge_set_ ^= 1;
  if constexpr (sets == 1) team_.section([](int) {});  // all have read the last step's rows
  team_.section([&](int l) { publish_edges(e, l); });
  auto edge = team_.template per_lane<border>();
  if constexpr (Path != tile_path::plain && Path != tile_path::flush)
    team_.each([&](int l) { edge[l] = border(a_, left(*own_, l), top(*own_, l)); });
  auto win = team_.template per_lane<window>();
  const auto push = [&](auto&& get) { window::push(team_, win, get); };
  rest_order order{0, false};
  if constexpr (Rest) {
    order = next_order();
    if (order.up)
      rest_upward<Path>(e, win, edge);
    else if (order.first < rest_count())
      rest_downward<Path, true>(e, win, edge, order.first, rest_count());
    begin_pass(0, order.first);
  }
  DWELL_UNROLL
  for (int d = 0; d < R; ++d) push([&](int l) { return e.above(l, d); });
  DWELL_UNROLL
  for (int d = 0; d < R; ++d) push([&](int l) { return own_row(e, l, d, order.first); });
  DWELL_UNROLL
  for (int j = 0; j < RY; ++j) {
    push([&](int l) { return own_row(e, l, j + R, order.first); });
    team_.each([&](int l) { r_[l].v[j] = next<Path, true, false>(win[l], edge[l], l, j); });
  }
  if constexpr (Rest) rest_downward<Path, false>(e, win, edge, 0, order.first);
  const auto restore = [](T& v, T& saved) { v = saved; };
  if constexpr (Path == tile_path::flush)
    team_.each([&](int l) { each_flush_cell(l, fixed[l], restore); });
  if constexpr (Path == tile_path::fixed)
    if (fixed_ != 0) team_.each([&](int l) { each_fixed_cell(l, restore); });
}

template <class S, class T, class Team, int RY, bool Rest>
template <tile_path Path, bool Before, class Windows, class Borders>
DWELL_FN void register_tile2d_agent<S, T, Team, RY, Rest>::rest_downward(edges e, Windows& win,
                                                                         Borders& edge, int first,
                                                                         int last) {
  if constexpr (Before) {
    team_.each([&](int l) {
      for (int d = 0; d < R; ++d) stash_.put(l, d, rest_.get(l, first + d));
    });
    DWELL_UNROLL
    for (int d = -R; d < R; ++d)
      window::push(team_, win, [&](int l) { return rest_.get(l, first + d); });
    begin_pass(first + R, last);
  }
  rest_rows<Path, false>(e, win, edge, first, last, last);
}

template <class S, class T, class Team, int RY, bool Rest>
template <tile_path Path, class Windows, class Borders>
DWELL_FN void register_tile2d_agent<S, T, Team, RY, Rest>::rest_upward(edges e, Windows& win,
                                                                       Borders& edge) {
  const int n = rest_count();
  team_.each([&](int l) {
    DWELL_UNROLL
    for (int d = 0; d < R; ++d) {
      stash_.put(l, d, rest_.get(l, d));
      stash_.put(l, R + d, RY > 0 ? register_row(l, RY - R + d) : e.above(l, d));
    }
  });
  DWELL_UNROLL
  for (int d = R - 1; d >= 0; --d) window::push(team_, win, [&](int l) { return e.below(l, d); });
  DWELL_UNROLL
  for (int d = 1; d <= R; ++d) window::push(team_, win, [&](int l) { return rest_.get(l, n - d); });
  begin_pass(n - R, 0, true);
  rest_rows<Path, true>(e, win, edge, n - 1, -1, 0);
}

template <class S, class T, class Team, int RY, bool Rest>
template <tile_path Path, bool Up, class Windows, class Borders>
DWELL_FN void register_tile2d_agent<S, T, Team, RY, Rest>::rest_rows(edges e, Windows& win,
                                                                     Borders& edge, int from,
                                                                     int to, int last) {
  constexpr int step = Up ? -1 : 1;
  for (int q = from; q != to;) {
    const int in = q + step * R;
    const bool inside = Up ? in >= 0 : in < last;
    const int rows =
        inside && rest_.caches(q) == rest_.caches(in) ? rest_.stretch(in, last, Up) : 0;
    if (rows > 0 && rest_.caches(q)) {
#pragma unroll unrolled
      for (int k = 0; k < rows; ++k, q += step) {
        window::push(team_, win, [&](int l) { return rest_.get_cached(l, q + step * R); });
        team_.each([&](int l) {
          rest_.put_cached(l, q, next<Path, true, Up>(win[l], edge[l], l, RY + q));
        });
      }
    } else if (rows > 0) {
#pragma unroll unrolled
      for (int k = 0; k < rows; ++k, q += step) {
        window::push(team_, win,
                     [&](int l) { return rest_.take_streamed(team_, l, q + step * R); });
        team_.each([&](int l) {
          rest_.put_streamed(l, q, next<Path, false, Up>(win[l], edge[l], l, RY + q));
        });
      }
    } else {
      window::push(team_, win, [&](int l) {
        if constexpr (Up) return q >= R ? rest_.take(team_, l, q - R) : stash_.get(l, R + q);
        return rest_row(e, l, in, last);
      });
      team_.each(
          [&](int l) { rest_.put(l, q, next<Path, false, Up>(win[l], edge[l], l, RY + q)); });
      q += step;
    }
  }
}

template <class S, class T, class Team, int RY, bool Rest>
template <tile_path Path, bool Cached, bool Up>
DWELL_FN typename register_tile2d_agent<S, T, Team, RY, Rest>::row
register_tile2d_agent<S, T, Team, RY, Rest>::next(const window& w, const border& edge, int l,
                                                  int j) {
  row v;
  DWELL_UNROLL
  for (int i = 0; i < RX; ++i)
    v.v[i] = S::template apply<T>(typename window::template near<Up>{w, i}, a_.w);
  if constexpr (Path == tile_path::plain || Path == tile_path::flush ||
                (Path == tile_path::fixed && Cached))
    return v;
  if (Path == tile_path::any && a_.source) {
    const T* p = a_.source + row_in_field(own_->row(a_, warp(l) * strip() + j));
    const row f = row_at(p, columns_of(l));
    DWELL_UNROLL
    for (int i = 0; i < RX; ++i) v.v[i] += f.v[i];
  }
  const bool out = j < edge.first || j >= edge.last;
  DWELL_UNROLL
  for (int i = 0; i < RX; ++i) v.v[i] = out || edge.column[i] ? w.here[R][i] : v.v[i];
  return v;
}

}  // namespace dwell
