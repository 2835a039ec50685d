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
        still_columns_(RY == 0 ? nullptr : team.template scratch<T>(W * RY * 2 * R)),
        still_kept_(team.template scratch<T>(W * 2 * R * a.plan.scratch_rows)),
        rows_(team.template scratch<std::ptrdiff_t>(W * RY)),
        columns_(team.template scratch<int>(width)),
        own_(team.template scratch<share>(1)),
        rest_(layers_of<rest>(team, a, share(a, team.worker()).lanes())),
        stash_(team.template scratch<T>(perks_stash_layers<S>(a.plan) * perks_layer_values<S>),
               perks_stash_layers<S>(a.plan), nullptr, 0, nullptr, false),
        start_(a.plan.streamed_rows + a.plan.scratch_rows) {
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
    if (!freezes_) return;
    team_.each([&](int l) { each_still_cell(l, [](T& v, T& kept) { kept = v; }); });
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
  static constexpr int at_once = 2;  // rows loaded together when tiles are exchanged
  /// Turns of a loop in which the window's rows come by all their names.
  static constexpr int unrolled = R == 1 ? 3 : 1;
  static_assert(Team::lanes() == perks_lanes && (RY == 0 ? Rest : RY >= R));

  using share = tile_share<S, T, RX>;
  using border = frozen_cells<T, RX>;
  using columns = lane_columns<RX>;
  using window = row_window<S, T, RX>;
  using row = typename window::row;
  using edges = warp_edges<S, T>;
  using rest = perks_layers<S, T>;
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
      } else if (const std::uint32_t wanted = in_rim(o, y) & bits(0, RY)) {
        // These lanes own all of their columns, which therefore lie in line.
        const T* p = field + c.at[0];
        DWELL_UNROLL
        for (int j = 0; j < RY; ++j)
          if (wanted >> j & 1) r_[l].v[j] = row_in_line(p + rows[j]);
      }
      for (int q = 0; q < rest_count(); q += at_once) {
        row some[at_once] = {};
        const int first = y + RY + q;
        const std::uint32_t wanted = (whole ? ~0u : in_rim(o, first)) & bits(0, rest_count() - q);
        DWELL_UNROLL
        for (int k = 0; k < at_once; ++k)
          if (wanted >> k & 1)
            some[k] = row_at(field + row_in_field(o.row(a_, first + k - o.top())), c);
        DWELL_UNROLL
        for (int k = 0; k < at_once; ++k)
          if (wanted >> k & 1) rest_.put(l, q + k, some[k]);
      }
      if (!whole) exchange_columns<true>(l, o, field);
    });
    if constexpr (Rest) team_.section([](int) {});
  }

  /// The rows of the rim from row y on: above, below.
  DWELL_FN static std::uint32_t in_rim(const share& o, int y) {
    return bits(o.top() - y, o.y0 - y) | bits(o.y1 - y, o.y1 + o.rim - y);
  }

  /// The columns of the rim (Take), or those that others take, of all owned rows that are not in
  /// registers. They are few: so lanes go side by side through columns and rows, not each through
  /// its own, and are many loads ahead of the stores.
  template <bool Take, class Field>
  DWELL_FN void exchange_columns(int l, const share& o, Field field) {
    constexpr int half = 16, loads = 8;
    const int n = rest_count(), w = o.x1 - o.x0, y0 = top(o, l) + RY;
    for (int i = l % half; i < 2 * o.rim; i += half) {
      const int d = i < o.rim ? i : i - o.rim;
      const int column = Take ? (i < o.rim ? d : o.rim + w + d) : (i < o.rim ? o.rim + d : w + d);
      if (!Take && (d >= w || column < o.rim)) continue;  // a tile narrower than its rim
      const int lane = l / 32 * 32 + column / RX;
      const auto at = field + columns_[column];
      for (int q = l % 32 / half; q < n; q += 2 * loads) {
        T v[loads];
        DWELL_UNROLL
        for (int k = 0; k < loads; ++k) {
          const int y = y0 + q + 2 * k;
          v[k] = T(0);
          if (q + 2 * k >= n || y < o.y0 || y >= o.y1) continue;
          if constexpr (Take)
            v[k] = team_.taken(at + row_in_field(y));
          else
            v[k] = *rest_.value(lane, q + 2 * k, column % RX);
        }
        DWELL_UNROLL
        for (int k = 0; k < loads; ++k) {
          const int y = y0 + q + 2 * k;
          if (q + 2 * k >= n || y < o.y0 || y >= o.y1) continue;
          if constexpr (Take)
            *rest_.value(lane, q + 2 * k, column % RX) = v[k];
          else
            team_.hand_over(at + row_in_field(y), v[k]);
        }
      }
    }
  }

  DWELL_FN void show(T* field, bool all) {
    if constexpr (Rest) team_.section([](int) {});
    team_.each([&](int l) {
      const share o = *own_;
      const int x = left(o, l), y = top(o, l);
      // Lanes that are partly owned are taken whole, so that their own cells are shown too.
      const bool rim = all || x < o.x0 + o.rim + RX - 1 || x + RX > o.x1 - o.rim - (RX - 1);
      const int near = o.y0 + o.rim > o.y1 ? o.y1 : o.y0 + o.rim;
      const int far = o.y1 - o.rim > o.y0 ? o.y1 - o.rim : o.y0;
      bool mine[RX];
      DWELL_UNROLL
      for (int i = 0; i < RX; ++i) mine[i] = x + i >= o.x0 && x + i < o.x1;
      T* p = field + row_in_field(y) + x;
      const std::uint32_t shown = bits(o.y0 - y, (rim ? o.y1 : near) - y) | bits(far - y, o.y1 - y);
      DWELL_UNROLL
      for (int j = 0; j < RY; ++j, p += a_.size.x)
        if (shown >> j & 1) {
          DWELL_UNROLL
          for (int i = 0; i < RX; ++i)
            if (mine[i]) team_.hand_over(p + i, r_[l].v[j].v[i]);
        }
      for (int q = 0; q < rest_count(); q += at_once, p += at_once * a_.size.x) {
        row some[at_once] = {};
        const int first = y + RY + q;
        const std::uint32_t wanted =
            (bits(o.y0 - first, (all ? o.y1 : near) - first) | bits(far - first, o.y1 - first)) &
            bits(0, rest_count() - q);
        if (wanted == 0) continue;
        DWELL_UNROLL
        for (int k = 0; k < at_once; ++k)
          if (wanted >> k & 1) some[k] = rest_.get(l, q + k);
        DWELL_UNROLL
        for (int k = 0; k < at_once; ++k)
          if (wanted >> k & 1) {
            DWELL_UNROLL
            for (int i = 0; i < RX; ++i)
              if (mine[i]) team_.hand_over(p + row_in_field(k) + i, some[k].v[i]);
          }
      }
      if (!all) exchange_columns<false>(l, o, field);
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
  /// Row j of the strip, or the next warp's; j is known to the compiler. See rest_row.
  DWELL_FN row own_row(edges e, int l, int j, int last) {
    return j < RY ? register_row(l, j < RY ? j : 0) : rest_row(e, l, j - RY, last);
  }
  /// Row q of those that are not in registers, in a pass which takes those before `last`. The ones
  /// after it have been computed by then: the first of them, as they were, are in the stash.
  DWELL_FN row rest_row(edges e, int l, int q, int last) {
    if (q < last) return rest_.take(team_, l, q);
    return last == rest_count() ? e.below(l, q - last) : stash_.get(l, q - last);
  }
  /// Which rows that are not in registers go before those that are: start_ and the ones after it.
  struct journey {
    int first;
    bool up;
  };
  DWELL_FN journey next_journey() {
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
    journey way{0, false};
    if constexpr (Rest) {
      way = next_journey();
      if (way.up)
        rest_upward<Text>(e, win, edge);
      else if (way.first < rest_count())
        rest_downward<Text, true>(e, win, edge, way.first, rest_count());
      begin_pass(0, way.first);
    }
    DWELL_UNROLL
    for (int d = 0; d < R; ++d) push([&](int l) { return e.above(l, d); });
    DWELL_UNROLL
    for (int d = 0; d < R; ++d) push([&](int l) { return own_row(e, l, d, way.first); });
    DWELL_UNROLL
    for (int j = 0; j < RY; ++j) {
      push([&](int l) { return own_row(e, l, j + R, way.first); });
      team_.each([&](int l) { r_[l].v[j] = next<Text, true, false>(win[l], edge[l], l, j); });
    }
    if constexpr (Rest) rest_downward<Text, false>(e, win, edge, 0, way.first);
    if constexpr (Text == text::fixed)
      team_.each([&](int l) { each_still_cell(l, [](T& v, T& kept) { v = kept; }); });
  }

  DWELL_FN void begin_pass(int first, int last, bool up = false) {
    rest_.begin(first, last, up);
    team_.each([&](int l) { rest_.start(team_, l); });
  }

  /// Rows [first, last) that are not in registers. Before: they go before the others, so the window
  /// has to be filled, and what others need of them as they were is put aside.
  template <text Text, bool Before, class Windows, class Borders>
  DWELL_FN void rest_downward(edges e, Windows& win, Borders& edge, int first, int last) {
    if constexpr (Before) {
      team_.each([&](int l) {
        for (int d = 0; d < R; ++d) stash_.put(l, d, rest_.get(l, first + d));
      });
      DWELL_UNROLL
      for (int d = -R; d < R; ++d)
        window::push(team_, win, [&](int l) { return rest_.get(l, first + d); });
      begin_pass(first + R, last);
    }
    rest_rows<Text, false>(e, win, edge, first, last, last);
  }

  /// All rows that are not in registers, from the last to the first.
  template <text Text, class Windows, class Borders>
  DWELL_FN void rest_upward(edges e, Windows& win, Borders& edge) {
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
    for (int d = 1; d <= R; ++d)
      window::push(team_, win, [&](int l) { return rest_.get(l, n - d); });
    begin_pass(n - R, 0, true);
    rest_rows<Text, true>(e, win, edge, n - 1, -1, 0);
  }

  /// Rows from, from + 1 ... to - 1 of those that are not in registers (up: from - 1 ... to + 1),
  /// in a pass that takes rows as rest_row says. Long stretches of rows that come from one place
  /// and go there have loops of their own, without a question.
  template <text Text, bool Up, class Windows, class Borders>
  DWELL_FN void rest_rows(edges e, Windows& win, Borders& edge, int from, int to, int last) {
    constexpr int step = Up ? -1 : 1;
    for (int q = from; q != to;) {
      const int in = q + step * R;
      const bool inside = Up ? in >= 0 : in < last;
      const int rows =
          inside && rest_.keeps(q) == rest_.keeps(in) ? rest_.stretch(in, last, Up) : 0;
      if (rows > 0 && rest_.keeps(q)) {
#pragma unroll unrolled
        for (int k = 0; k < rows; ++k, q += step) {
          window::push(team_, win, [&](int l) { return rest_.get_kept(l, q + step * R); });
          team_.each([&](int l) {
            rest_.put_kept(l, q, next<Text, true, Up>(win[l], edge[l], l, RY + q));
          });
        }
      } else if (rows > 0) {
#pragma unroll unrolled
        for (int k = 0; k < rows; ++k, q += step) {
          window::push(team_, win,
                       [&](int l) { return rest_.take_streamed(team_, l, q + step * R); });
          team_.each([&](int l) {
            rest_.put_streamed(l, q, next<Text, false, Up>(win[l], edge[l], l, RY + q));
          });
        }
      } else {
        window::push(team_, win, [&](int l) {
          if constexpr (Up) return q >= R ? rest_.take(team_, l, q - R) : stash_.get(l, R + q);
          return rest_row(e, l, in, last);
        });
        team_.each(
            [&](int l) { rest_.put(l, q, next<Text, false, Up>(win[l], edge[l], l, RY + q)); });
        q += step;
      }
    }
  }

  /// What the row in the middle of the window, row j of the strip, becomes. Cells that stay on the
  /// chip get their values back after the step, if they keep them: a test per row costs more.
  template <text Text, bool Kept, bool Up>
  DWELL_FN row next(const window& w, const border& edge, int l, int j) {
    row v;
    DWELL_UNROLL
    for (int i = 0; i < RX; ++i)
      v.v[i] = S::template apply<T>(typename window::template near<Up>{w, i}, a_.w);
    if constexpr (Text == text::plain || (Text == text::fixed && Kept)) return v;
    if (Text == text::any && a_.source) {
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

  /// f(cell, place where its value is kept) for the lane's cells on the chip that keep theirs.
  /// Those beyond the grid need not be right.
  template <class F>
  DWELL_FN void each_still_cell(int l, F&& f) {
    if constexpr (RY > 0) {
      each_still_row(l, f);
      each_still_column(l, f);
      if constexpr (Rest) each_still_in_scratch(l, f);
    }
  }
  template <class F>
  DWELL_FN void each_still_in_scratch(int l, F&& f) {
    const int first = top(*own_, l) + RY, y0 = a_.inner.y0, y1 = a_.inner.y1;
    for (int k = 0; k < y0 + a_.size.y - y1; ++k) {
      const int q = (k < y0 ? k : y1 + k - y0) - first;
      if (q < 0 || q >= rest_count() || !rest_.keeps(q)) continue;
      T* kept = still_rows_ + k * width + l % 32;
      for (int i = 0; i < RX; ++i) f(*rest_.kept_value(l, q, i), kept[i * 32]);
    }
    for (int i = 0; i < RX; ++i) {
      const int k = still_column(left(*own_, l) + i);
      T* kept = still_kept_ + (warp(l) * 2 * R + k) * a_.plan.scratch_rows - rest_.kept_begin();
      if (k >= 0)
        for (int q = rest_.kept_begin(); q < rest_.kept_end(); ++q)
          f(*rest_.kept_value(l, q, i), kept[q]);
    }
  }
  /// Cells 0 ... R - 1 and x1 ... x1 + R - 1 of a row, of 2R; negative: none of them.
  DWELL_FN int still_column(int x) const {
    const int x1 = a_.inner.x1, k = x < R ? x : x < x1 ? -1 : R + x - x1;
    return k < 2 * R ? k : -1;
  }
  /// A warp has such rows or none.
  template <class F>
  DWELL_FN void each_still_row(int l, F&& f) {
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

  /// A lane or two of a warp have such columns: they go one after the other, the others by.
  template <class F>
  DWELL_FN void each_still_column(int l, F&& f) {
    const int x = team_.opaque(left(*own_, l));
    DWELL_UNROLL
    for (int i = 0; i < RX; ++i) {
      const int k = still_column(x + i);
      if (k < 0) continue;
      T* kept = still_columns_ + warp(l) * RY * 2 * R + k;
      DWELL_UNROLL
      for (int j = 0; j < RY; ++j) f(r_[l].v[j].v[i], kept[j * 2 * R]);
    }
  }

  using registers = decltype(std::declval<Team&>().template per_lane<tile>());
  Team& team_;
  const sweep_call<S, T>& a_;
  int turn_ = 0;          ///< which set of edges the next step uses
  bool freezes_ = false;  ///< some cells keep their values
  // In scratch, since registers are dear:
  T* edges_;  ///< rows that warps show each other
  /// Cells that keep their values: rows, and columns of rows in registers and in scratch.
  T *still_rows_, *still_columns_, *still_kept_;
  std::ptrdiff_t* rows_;  ///< of the field, for those of the tile that are in registers
  int* columns_;
  share* own_;
  rest rest_, stash_;
  int start_, ups_ = 0;  ///< of passes that are not always the same: where the next one begins
  registers r_;
};

}  // namespace dwell
