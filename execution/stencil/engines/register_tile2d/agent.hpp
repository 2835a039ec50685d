// SPDX-License-Identifier: MIT
// The tile of one team in two dimensions, which stays with it for the whole run. Lanes are 32
// across x; each warp has a strip of rows, of which the first stay in registers, and the others in
// scratch or, in a block of their own, pass through from memory that the team alone touches. In a
// step a warp goes down its strip with a window of 2R + 1 rows and writes each row back where it
// was; the rows of other warps that it needs were published in scratch before the step.
//
// The tile is wider than what the team owns by a halo of depth * R cells. In a step the outermost R
// cells that were right become wrong; after `depth` steps the halo is taken anew from the field,
// where its owners have published it.
#pragma once
#include "dwell/base/ranges.hpp"
#include "dwell/execution/stencil/cell/cached_layers.hpp"
#include "dwell/execution/stencil/cell/row_window.hpp"
#include "dwell/execution/stencil/engines/layers.hpp"
#include "dwell/execution/stencil/engines/register_tile2d/halo.hpp"
#include "dwell/execution/stencil/engines/register_tile2d/sizes.hpp"
#include "dwell/execution/stencil/engines/register_tile2d/subdomain.hpp"
#include "dwell/execution/stencil/engines/register_tile2d/warp_edges.hpp"

namespace dwell {

/// What a step does beside the stencil. plain: nothing; flush: the first or the last cells of a
/// tile that lies flush with the border keep their values; fixed: other cells do; any: some may,
/// and a source may be added.
enum class tile_path { plain, flush, fixed, any };

/// RY rows of a warp are in registers. Rest: there may be others. Only where no rows are in
/// registers may there be a source.
template <class S, class T, class Team, int RY, bool Rest>
class register_tile2d_agent {
 public:
  DWELL_FN register_tile2d_agent(Team& team, const stencil_call<S, T>& a)
      : team_(team),
        a_(a),
        edges_(team.template scratch<T>(perks_edge_values<S> * sets)),
        fixed_rows_(RY == 0 ? nullptr : team.template scratch<T>(2 * R * width)),
        fixed_columns_(RY == 0 ? nullptr : team.template scratch<T>(W * RY * 2 * R)),
        fixed_cached_(team.template scratch<T>(W * 2 * R * a.plan.scratch_rows)),
        copy_(Rest ? nullptr : team.template scratch<T>(W * RY * width)),
        framed_(Rest ? nullptr : team.template scratch<framed_rows>(perks_lanes)),
        rows_(team.template scratch<std::ptrdiff_t>(W * RY)),
        columns_(team.template scratch<int>(width)),
        own_(team.template scratch<subdomain>(1)),
        rest_(layers_of<rest>(team, a, subdomain(a, team.worker()).lanes())),
        stash_(team.template scratch<T>(perks_stash_layers<S>(a.plan) * perks_layer_values<S>),
               perks_stash_layers<S>(a.plan), nullptr, 0, nullptr, false),
        start_(a.plan.streamed_rows + a.plan.scratch_rows) {
    const subdomain own(a, team.worker(), Rest ? 0 : W * RY);
    fixed_ = own.fixed_sides(a);
    flush_ = !Rest && own.flush(a, fixed_, W * RY);
    team.section([&](int l) {
      if (l == 0) *own_ = own;
      if (!Rest) framed_[l] = framed_of(own, l);
      for (int i = l; i < width; i += perks_lanes) columns_[i] = own.column(a, i);
      for (int j = l; j < W * RY; j += perks_lanes)
        rows_[j] =
            row_in_field(own.row(a, j / (RY > 0 ? RY : 1) * strip() + j % (RY > 0 ? RY : 1)));
    });
  }

  /// The whole tile from a copy of the field.
  DWELL_FN void load(const T* field) {
    take_if(field, true);
    team_.each([&](int l) {
      const auto save = [](T& v, T& saved) { saved = v; };
      if constexpr (!Rest)
        if (flush_) return each_flush_cell(l, flush_lane(l), save);
      if (fixed_ != 0) each_fixed_cell(l, save);
    });
  }

  /// Makes steps of the whole tile, then publishes the cells that others need, or all. Tiles that
  /// lie in registers and have no fixed cells have a code path to themselves.
  DWELL_FN void advance(int steps, const T*, T* to, bool whole) {
    if constexpr (RY == 0)
      steps_as<tile_path::any>(steps);
    else if constexpr (Rest)
      steps_as<tile_path::fixed>(steps);
    else if (fixed_ == 0)
      steps_as<tile_path::plain>(steps);
    else if (flush_)
      steps_as<tile_path::flush>(steps);
    else
      steps_as<tile_path::fixed>(steps);
    if constexpr (!Rest) put_frames();
    if (Rest || whole)
      publish(to, whole);
    else
      publish_frame(to);
  }

  /// All that the team owns into a copy of the field.
  DWELL_FN void publish(T* field) { publish(field, true); }

  /// Takes the halo from the cells that the neighbours have published.
  DWELL_FN void take(const T* field) {
    if constexpr (Rest)
      take_if(field, false);
    else
      take_frame(field);
  }

 private:
  static constexpr int R = radius_of<S>, RX = perks_across<S>, W = perks_warps;
  static constexpr int width = 32 * RX, sets = perks_edge_sets<S, T>;
  static constexpr int at_once = 2;  // rows loaded together when tiles are exchanged
  /// Iterations of a loop after which the window's rows are in the same registers again.
  static constexpr int unrolled = R <= (is_star<S> ? 3 : 1) ? 2 * R + 1 : 1;
  static_assert(Team::lanes() == perks_lanes && (RY == 0 ? Rest : RY >= R));

  using subdomain = tile_subdomain<S, T, RX>;
  using frame = tile_frame<S, T>;
  using border = fixed_cells<T, RX>;
  using columns = lane_columns<RX>;
  using window = row_window<S, T, RX>;
  using row = typename window::row;
  using edges = warp_edges<S, T>;
  using rest = perks_layers<S, T>;
  struct tile {
    row v[RY > 0 ? RY : 1];
  };
  DWELL_FN static int warp(int l) { return l / 32; }
  /// Rows of a warp that are not in registers.
  DWELL_FN int rest_count() const {
    return Rest ? a_.plan.scratch_rows + a_.plan.streamed_rows : 0;
  }
  /// Rows of a warp.
  DWELL_FN int strip() const { return RY + rest_count(); }
  DWELL_FN int left(const subdomain& o, int l) const { return o.left + l % 32 * RX; }
  DWELL_FN int top(const subdomain& o, int l) const { return o.top + warp(l) * strip(); }
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
    for (int i = 0; i < RX; ++i) v.v[i] = team_.received(p + c.at[i]);
    return v;
  }
  DWELL_FN row row_in_line(const T* p) {
    row v;
    DWELL_UNROLL
    for (int i = 0; i < RX; ++i) v.v[i] = team_.received(p + i);
    return v;
  }

  /// All rows, or the rows that are not owned; of a lane with a column that is not owned, all. The
  /// loads of lanes and the loads of rows stand apart, so that the compiler needs no second copy of
  /// the registers.
  DWELL_FN void take_if(const T* field, bool whole);
  /// The rows of the halo from row y on: above, below.
  DWELL_FN static std::uint32_t in_halo(const subdomain& o, int y) {
    return bits_between(o.top - y, o.y0 - y) | bits_between(o.y1 - y, o.y1 + o.halo - y);
  }

  // Exchange of a tile that lies in registers, by way of a copy in scratch. Put there before a
  // barrier: the inner frame, and the rows of lanes that have some of the columns of the outer one.
  struct framed_rows {
    std::uint32_t put, got;  ///< a bit for each of a lane's rows
  };
  DWELL_FN static framed_rows framed_of(const subdomain& o, int l);
  DWELL_FN void put_frames();
  DWELL_FN void publish_frame(T* field);
  DWELL_FN void take_frame(const T* field);

  /// The columns of the halo (Take), or the columns that others take, of all owned rows that are
  /// not in registers. They are few: so lanes go side by side through columns and rows, not each
  /// through its own, and are many loads ahead of the stores.
  template <bool Take, class Field>
  DWELL_FN void exchange_columns(int l, const subdomain& o, Field field);
  /// Publishes the cells that others take, or all that the team owns.
  DWELL_FN void publish(T* field, bool all);

  DWELL_FN void publish_edges(edges e, int l) {
    DWELL_UNROLL
    for (int d = 0; d < R; ++d) {
      e.publish(l, 0, d, RY > 0 ? register_row(l, d) : rest_.get(l, d));
      e.publish(
          l, 1, d,
          rest_count() == 0 ? register_row(l, RY - R + d) : rest_.get(l, rest_count() - R + d));
    }
  }
  DWELL_FN row register_row(int l, int j) { return r_[l].v[j > 0 ? j : 0]; }
  /// Row j of the strip, or the next warp's; j is known to the compiler. See rest_row.
  DWELL_FN row own_row(edges e, int l, int j, int last) {
    return j < RY ? register_row(l, j < RY ? j : 0) : rest_row(e, l, j - RY, last);
  }
  /// Row q of the rows not in registers, in a pass which takes the rows before `last`. Rows from
  /// `last` on have been computed by then: the first of them, as they were, are in the stash.
  DWELL_FN row rest_row(edges e, int l, int q, int last) {
    if (q < last) return rest_.take(team_, l, q);
    return last == rest_count() ? e.below(l, q - last) : stash_.get(l, q - last);
  }
  /// Which rows that are not in registers go before the rows that are: `first` and the ones after
  /// it.
  struct rest_order {
    int first;
    bool up;
  };
  DWELL_FN rest_order next_order();

  template <tile_path Path>
  DWELL_FN void steps_as(int steps) {
    auto fixed = team_.template per_lane<flush_columns>();
    if constexpr (Path == tile_path::flush) team_.each([&](int l) { fixed[l] = flush_lane(l); });
#pragma unroll 1
    for (int k = 0; k < steps; ++k) step_as<Path>(fixed);
  }

  template <tile_path Path, class FixedCells>
  DWELL_FN void step_as(FixedCells& fixed);
  DWELL_FN void begin_pass(int first, int last, bool up = false) {
    rest_.begin(first, last, up);
    team_.each([&](int l) { rest_.start(team_, l); });
  }

  /// Rows [first, last) that are not in registers. Before: they go before the others, so the window
  /// has to be filled, and the rows that others need as they were are put aside.
  template <tile_path Path, bool Before, class Windows, class Borders>
  DWELL_FN void rest_downward(edges e, Windows& win, Borders& edge, int first, int last);
  /// All rows that are not in registers, from the last to the first.
  template <tile_path Path, class Windows, class Borders>
  DWELL_FN void rest_upward(edges e, Windows& win, Borders& edge);
  /// Rows from, from + 1 ... to - 1 of those that are not in registers (up: from, from - 1 ... to +
  /// 1), in a pass that takes rows as rest_row says. Long stretches of rows that come from one
  /// block of memory and go there have loops of their own, without tests.
  template <tile_path Path, bool Up, class Windows, class Borders>
  DWELL_FN void rest_rows(edges e, Windows& win, Borders& edge, int from, int to, int last);
  /// The new row for the one in the middle of the window, row j of the strip. Fixed cells of rows
  /// that are Cached get their values back after the step: a test per row costs more.
  template <tile_path Path, bool Cached, bool Up>
  DWELL_FN row next(const window& w, const border& edge, int l, int j);

  /// Columns that keep their values, of a lane at the side of a tile that lies flush with the
  /// border: a bit for each, and where the value in column 0 of the warp's first row would be
  /// saved.
  struct flush_columns {
    unsigned which;
    int at;
  };
  DWELL_FN flush_columns flush_lane(int l) const;
  /// f(cell, place where its value is saved) for the lane's cells that keep theirs, in such a tile.
  template <class F>
  DWELL_FN void each_flush_cell(int l, const flush_columns& fixed, F&& f);

  /// f(cell, place where its value is saved) for the lane's cached cells that keep theirs. Cells
  /// beyond the grid need not be right.
  template <class F>
  DWELL_FN void each_fixed_cell(int l, F&& f) {
    if constexpr (RY > 0) {
      each_fixed_row(l, f);
      each_fixed_column(l, f);
      if constexpr (Rest) each_fixed_in_scratch(l, f);
    }
  }
  template <class F>
  DWELL_FN void each_fixed_in_scratch(int l, F&& f);
  /// A warp has such rows or none.
  template <class F>
  DWELL_FN void each_fixed_row(int l, F&& f);
  /// A lane or two of a warp have such columns: they go one after the other, the others by.
  template <class F>
  DWELL_FN void each_fixed_column(int l, F&& f);
  /// Cells 0 ... R - 1 and x1 ... x1 + R - 1 of a row, of 2R; negative: none of them.
  DWELL_FN int fixed_column(int x) const {
    const int x1 = a_.inner.x1, k = x < R ? x : x < x1 ? -1 : R + x - x1;
    return k < 2 * R ? k : -1;
  }
  using registers = decltype(std::declval<Team&>().template per_lane<tile>());
  Team& team_;
  const stencil_call<S, T>& a_;
  int edge_set_ = 0;    ///< which set of edges the next step uses
  int fixed_ = 0;       ///< sides at which cells keep their values,
  bool flush_ = false;  ///< with which the tile lies flush
  // In scratch, since registers are dear:
  T* edges_;  ///< rows that warps publish to each other
  /// Cells that keep their values: rows, and columns of rows in registers and in scratch.
  T *fixed_rows_, *fixed_columns_, *fixed_cached_;
  T* copy_;               ///< copy of the tile, for exchanges,
  framed_rows* framed_;   ///< and what lanes put there and get
  std::ptrdiff_t* rows_;  ///< offsets in the field, for the rows in registers
  int* columns_;
  subdomain* own_;
  rest rest_, stash_;
  int start_, ups_ = 0;  ///< place where the next pass begins, if they are not always the same
  registers r_;
};

}  // namespace dwell

#include "dwell/execution/stencil/engines/register_tile2d/exchange.hpp"
#include "dwell/execution/stencil/engines/register_tile2d/fixed_cells.hpp"
#include "dwell/execution/stencil/engines/register_tile2d/step.hpp"
