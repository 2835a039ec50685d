// SPDX-License-Identifier: MIT
// The tile of one team in two dimensions, which stays with it for the whole run. Lanes are 32
// across x; each warp has a strip of rows, of which the first stay in registers, the next in
// scratch, and the rest pass through from memory that the team alone touches. In a step a warp goes
// down its strip with a window of 2R + 1 rows and writes each row back where it was; the rows of
// other warps that it needs were shown in scratch before the step.
//
// The tile is wider than what the team owns by a rim of depth * R cells. In a step the outermost R
// cells that were right become wrong; after `depth` steps the rim is taken anew from the field,
// where its owners have published it.
#pragma once
#include "dwell/execution/perks/kept_layers.hpp"
#include "dwell/execution/perks/perks_rungs.hpp"
#include "dwell/execution/perks/row_window.hpp"
#include "dwell/execution/perks/tile_share.hpp"
#include "dwell/execution/perks/warp_edges.hpp"

namespace dwell {

/// RY rows of a warp are in registers. Rest: there may be others. Where none are in registers there
/// may be a source, too.
template <class S, class T, class Team, int RY, bool Rest>
class perks_tile {
 public:
  DWELL_FN perks_tile(Team& team, const sweep_call<S, T>& a)
      : team_(team),
        a_(a),
        edges_(team.template scratch<T>(perks_edge_values<S, T> * sets)),
        still_rows_(RY == 0 ? nullptr : team.template scratch<T>(2 * R * width)),
        rows_(team.template scratch<std::ptrdiff_t>(W * RY)),
        columns_(team.template scratch<int>(width)),
        own_(team.template scratch<share>(1)),
        rest_(team.template scratch<T>(a.plan.scratch_rows * perks_layer_values<S>),
              a.plan.scratch_rows,
              a.streamed + static_cast<std::size_t>(team.worker()) * a.plan.streamed_rows *
                               perks_layer_values<S>) {
    const share own(a, team.worker());
    freezes_ = own.freezes(a, W * strip());
    team.section([&](int l) {
      if (l == 0) *own_ = own;
      for (int i = l; i < width; i += perks_lanes) columns_[i] = own.column(a, i);
      for (int j = l; j < W * RY; j += perks_lanes)
        rows_[j] =
            row_in_field(own.row(a, j / (RY > 0 ? RY : 1) * strip() + j % (RY > 0 ? RY : 1)));
    });
  }

  /// The whole tile from a copy of the field.
  DWELL_FN void load(const T* field) {
    take_if(field, true);
    if (freezes_) team_.each([&](int l) { each_still_row(l, [](T& v, T& kept) { kept = v; }); });
  }

  /// Steps of the whole tile, then shows the others what they need of it, or all of it. Tiles with
  /// nothing to hold have a text to themselves.
  DWELL_FN void advance(int steps, const T*, T* to, bool whole) {
    if constexpr (RY == 0)
      steps_as<text::any>(steps);
    else if (freezes_)
      steps_as<text::fixed>(steps);
    else
      steps_as<text::plain>(steps);
    show(to, whole);
  }

  /// All that the team owns into a copy of the field.
  DWELL_FN void publish(T* field) { show(field, true); }

  /// Takes the rim from what the neighbours have published: whole lanes, and whole rows.
  DWELL_FN void take(const T* field) { take_if(field, false); }

 private:
  static constexpr int R = radius_of<S>, RX = perks_across<S>, W = perks_warps;
  static constexpr int width = 32 * RX, sets = perks_edge_sets<S, T>;
  static_assert(Team::lanes() == perks_lanes && (RY == 0 ? Rest : RY >= R));

  using share = tile_share<S, T, RX>;
  using border = frozen_cells<T, RX>;
  using columns = lane_columns<RX>;
  using window = row_window<S, T, RX>;
  using row = typename window::row;
  using edges = warp_edges<S, T>;
  using rest = kept_layers<T, RX, perks_lanes>;
  struct tile {
    row v[RY > 0 ? RY : 1];
  };
  /// What a step does beside the stencil: nothing; some cells keep their values; some may, and a
  /// source may be added.
  enum class text { plain, fixed, any };
  /// Bits first to last - 1 of 32.
  DWELL_FN static std::uint32_t bits(int first, int last) {
    const int a = first < 0 ? 0 : first > 32 ? 32 : first, b = last < a ? a : last > 32 ? 32 : last;
    return static_cast<std::uint32_t>((std::uint64_t(1) << b) - (std::uint64_t(1) << a));
  }
  DWELL_FN static int warp(int l) { return l / 32; }
  /// Rows of a warp that are not in registers.
  DWELL_FN int rest_count() const {
    return Rest ? a_.plan.scratch_rows + a_.plan.streamed_rows : 0;
  }
  /// Rows of a warp.
  DWELL_FN int strip() const { return RY + rest_count(); }
  DWELL_FN int left(const share& o, int l) const { return o.left() + l % 32 * RX; }
  DWELL_FN int top(const share& o, int l) const { return o.top() + warp(l) * strip(); }
  DWELL_FN std::ptrdiff_t row_in_field(int y) const {
    return static_cast<std::ptrdiff_t>(y) * a_.size.x;
  }
  DWELL_FN columns columns_of(int l) const {
    columns c;
    DWELL_UNROLL
    for (int i = 0; i < RX; ++i) c.at[i] = columns_[l % 32 * RX + i];
    return c;
  }
  DWELL_FN row row_at(const T* p, const columns& c) {
    row v;
    DWELL_UNROLL
    for (int i = 0; i < RX; ++i) v.v[i] = team_.taken(p + c.at[i]);
    return v;
  }
  DWELL_FN row row_in_line(const T* p) {
    row v;
    DWELL_UNROLL
    for (int i = 0; i < RX; ++i) v.v[i] = team_.taken(p + i);
    return v;
  }

  /// All rows, or those that are not owned; of a lane with a column that is not, all. The loads of
  /// lanes and those of rows stand apart, so that the compiler needs no second copy of the
  /// registers.
  DWELL_FN void take_if(const T* field, bool whole) {
    team_.each([&](int l) {
      const share o = *own_;
      const columns c = columns_of(l);
      const int x = left(o, l), y = top(o, l);
      const bool all = whole || x < o.x0 || x + RX > o.x1;
      const std::ptrdiff_t* rows = rows_ + warp(l) * RY;
      if (all && c.in_line()) {
        const T* p = field + c.at[0];
        DWELL_UNROLL
        for (int j = 0; j < RY; ++j) r_[l].v[j] = row_in_line(p + rows[j]);
      } else if (all) {
        DWELL_UNROLL
        for (int j = 0; j < RY; ++j) r_[l].v[j] = row_at(field + rows[j], c);
      } else if (const std::uint32_t wanted = ~bits(o.y0 - y, o.y1 - y) & bits(0, RY)) {
        // These lanes own all of their columns, which therefore lie in line.
        const T* p = field + c.at[0];
        DWELL_UNROLL
        for (int j = 0; j < RY; ++j)
          if (wanted >> j & 1) r_[l].v[j] = row_in_line(p + rows[j]);
      }
      for (int q = 0; q < rest_count(); ++q) {
        const int at = y + RY + q;
        if (!all && at >= o.y0 && at < o.y1) continue;
        rest_.put(l, q, row_at(field + row_in_field(o.row(a_, at - o.top())), c));
      }
    });
  }

  DWELL_FN void show(T* field, bool all) {
    team_.each([&](int l) {
      const share o = *own_;
      const int x = left(o, l), y = top(o, l);
      // Lanes that are partly owned are taken whole, so that their own cells are shown too.
      const bool rim = all || x < o.x0 + o.rim + RX - 1 || x + RX > o.x1 - o.rim - (RX - 1);
      const int until = rim || o.y0 + o.rim > o.y1 ? o.y1 : o.y0 + o.rim;
      const int from = o.y1 - o.rim > o.y0 ? o.y1 - o.rim : o.y0;
      bool mine[RX];
      DWELL_UNROLL
      for (int i = 0; i < RX; ++i) mine[i] = x + i >= o.x0 && x + i < o.x1;
      T* p = field + row_in_field(y) + x;
      const std::uint32_t shown = bits(o.y0 - y, until - y) | bits(from - y, o.y1 - y);
      DWELL_UNROLL
      for (int j = 0; j < RY; ++j, p += a_.size.x)
        if (shown >> j & 1) {
          DWELL_UNROLL
          for (int i = 0; i < RX; ++i)
            if (mine[i]) team_.hand_over(p + i, r_[l].v[j].v[i]);
        }
      for (int q = 0; q < rest_count(); ++q, p += a_.size.x) {
        const int at = y + RY + q;
        if (at < o.y0 || at >= o.y1 || (at >= until && at < from)) continue;
        const row v = rest_.get(l, q);
        DWELL_UNROLL
        for (int i = 0; i < RX; ++i)
          if (mine[i]) team_.hand_over(p + i, v.v[i]);
      }
    });
  }

  DWELL_FN void show_edges(edges e, int l) {
    DWELL_UNROLL
    for (int d = 0; d < R; ++d) {
      e.show(l, 0, d, RY > 0 ? register_row(l, d) : rest_.get(l, d));
      e.show(l, 1, d,
             rest_count() == 0 ? register_row(l, RY - R + d) : rest_.get(l, rest_count() - R + d));
    }
  }
  DWELL_FN row register_row(int l, int j) { return r_[l].v[j > 0 ? j : 0]; }
  /// Row j of the strip, or the next warp's; j is known to the compiler.
  DWELL_FN row own_row(edges e, int l, int j) {
    return j < RY ? register_row(l, j < RY ? j : 0) : rest_row(e, l, j - RY);
  }
  DWELL_FN row rest_row(edges e, int l, int q) {
    if (q < rest_count()) return rest_.get(l, q);
    return e.below(l, q - rest_count());
  }

  template <text Text>
  DWELL_FN void steps_as(int steps) {
#pragma unroll 1
    for (int k = 0; k < steps; ++k) step_as<Text>();
  }

  template <text Text>
  DWELL_FN void step_as() {
    const edges e(edges_ + (sets == 2 ? turn_ * perks_edge_values<S, T> : 0));
    turn_ ^= 1;
    if constexpr (sets == 1) team_.section([](int) {});  // all have read the last step's rows
    team_.section([&](int l) { show_edges(e, l); });
    auto edge = team_.template per_lane<border>();
    if constexpr (Text != text::plain)
      team_.each([&](int l) { edge[l] = border(a_, left(*own_, l), top(*own_, l)); });
    auto win = team_.template per_lane<window>();
    const auto push = [&](auto&& get) { window::push(team_, win, get); };
    DWELL_UNROLL
    for (int d = 0; d < R; ++d) push([&](int l) { return e.above(l, d); });
    DWELL_UNROLL
    for (int d = 0; d < R; ++d) push([&](int l) { return own_row(e, l, d); });
    DWELL_UNROLL
    for (int j = 0; j < RY; ++j) {
      push([&](int l) { return own_row(e, l, j + R); });
      team_.each([&](int l) { r_[l].v[j] = next<Text, true>(win[l], edge[l], l, j); });
    }
    for (int q = 0; q < rest_count(); ++q) {
      push([&](int l) { return rest_row(e, l, q + R); });
      team_.each([&](int l) { rest_.put(l, q, next<Text, false>(win[l], edge[l], l, RY + q)); });
    }
    if constexpr (Text == text::fixed)
      team_.each([&](int l) { each_still_row(l, [](T& v, T& kept) { v = kept; }); });
  }

  /// What the row in the middle of the window, row j of the strip, becomes. Rows in registers get
  /// their values back after the step, if they keep them: a test per row costs more.
  template <text Text, bool InRegisters>
  DWELL_FN row next(const window& w, const border& edge, int l, int j) {
    row v;
    DWELL_UNROLL
    for (int i = 0; i < RX; ++i) v.v[i] = S::template apply<T>(typename window::near{w, i}, a_.w);
    if constexpr (Text == text::plain) return v;
    if (Text == text::any && a_.source) {
      const T* p = a_.source + row_in_field(own_->row(a_, warp(l) * strip() + j));
      const row f = row_at(p, columns_of(l));
      DWELL_UNROLL
      for (int i = 0; i < RX; ++i) v.v[i] += f.v[i];
    }
    const bool out = !InRegisters && (j < edge.first || j >= edge.last);
    DWELL_UNROLL
    for (int i = 0; i < RX; ++i) v.v[i] = out || edge.column[i] ? w.here[R][i] : v.v[i];
    return v;
  }

  /// f(cell, place in still_rows_) for the lane's cells in registers, in rows of the grid that keep
  /// their values; a warp has some or none. Rows beyond the grid need not be right.
  template <class F>
  DWELL_FN void each_still_row(int l, F&& f) {
    if constexpr (RY == 0) return;
    const int y = team_.opaque(top(*own_, l)), y0 = a_.inner.y0, y1 = a_.inner.y1;
    const std::uint32_t still = (bits(-y, y0 - y) | bits(y1 - y, a_.size.y - y)) & bits(0, RY);
    if (still == 0) return;
    DWELL_UNROLL
    for (int j = 0; j < RY; ++j)
      if (still >> j & 1) {
        T* kept = still_rows_ + (y + j < y0 ? y + j : y0 + y + j - y1) * width + l % 32;
        DWELL_UNROLL
        for (int i = 0; i < RX; ++i) f(r_[l].v[j].v[i], kept[i * 32]);
      }
  }

  using registers = decltype(std::declval<Team&>().template per_lane<tile>());
  Team& team_;
  const sweep_call<S, T>& a_;
  int turn_ = 0;          ///< which set of edges the next step uses
  bool freezes_ = false;  ///< some cells keep their values
  // In scratch, since registers are dear:
  T *edges_, *still_rows_;  ///< rows that warps show each other; those that keep their values
  std::ptrdiff_t* rows_;    ///< of the field, for those of the tile that are in registers
  int* columns_;
  share* own_;
  rest rest_;
  registers r_;
};

}  // namespace dwell
