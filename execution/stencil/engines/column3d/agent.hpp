// SPDX-License-Identifier: MIT
// A pass of several steps over a field in three dimensions (temporal blocking: EBISU, Zhang et al.
// 2023). A team has a tile of planes and goes along z with it: a plane comes in, every step takes a
// plane that the step before it has completed, and a plane that has made all steps leaves. The sums
// that are begun stay in registers, 2R of each cell and step. A tile is wider and higher than the
// cells that it owns, by those whose values are lost in the steps, and a run of planes goes on
// beyond both of its ends: teams compute these twice and exchange nothing.
//
// A tick, in which a plane comes in, has two halves with one barrier of the team between them:
//
//   before  lanes wait for their own cells of the plane, which they have fetched; steps complete
//           what needs no neighbours (a shape that ends in the cell itself: all steps of a cell,
//           one after the other); the first and last rows of every warp go to the edges
//   after   lanes read edges and, of the plane, rows of the warps beside theirs, and add
//
// There are two sets of edges: one is written again two ticks later, after the barrier of the tick
// between, before which all have read it. The slot of a plane
// is fetched into after the barrier of the next tick, before which all have read it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>

#include "dwell/base/cell_piece.hpp"
#include "dwell/base/ranges.hpp"
#include "dwell/execution/stencil/args.hpp"
#include "dwell/execution/stencil/engines/column3d/sizes.hpp"
#include "dwell/execution/stencil/engines/column3d/tiles.hpp"

namespace dwell {

/// Rare: there is a source, or the pass has fewer steps than C. A kernel of its own, since the code
/// for it takes registers from all others.
template <class S, class T, class Team, column_config C, bool Rare>
class column_pass {
  using sizes = column_sizes<S, T, C>;
  static constexpr int R = sizes::radius, RX = sizes::across, H = sizes::down, N = sizes::cells;
  static constexpr int steps = C.steps, width = sizes::width, slots = sizes::slots;
  static constexpr bool chained = ends_in_cell<S>;
  static constexpr unsigned all_of_row = (1u << RX) - 1;

 public:
  DWELL_FN column_pass(Team& team, const stencil_call<S, T>& a, const pass_runs& pass)
      : team_(team),
        a_(a),
        from_(a.field[pass.from]),
        to_(a.field[pass.from ^ 1]),
        steps_(pass.steps),
        aligned_(a.pitch % RX == 0 && is_aligned(from_) && is_aligned(to_)),
        at_(pass.cut[team.worker()]),
        stop_(pass.cut[team.worker() + 1]),
        tiles_(tiles_of(C, R, a.size, a.edge, a.pitch)),
        planes_(team.template scratch<T>(slots * sizes::plane_values)),
        edges_(team.template scratch<T>(sizes::edge_values)),
        lines_(team.template scratch<int>(sizes::height)),
        columns_(team.template scratch<int>(width)) {}

  DWELL_FN void run() {
    while (at_ < stop_) {
      open();
      for (; tick_ < ticks_; ++tick_) {
        if (has_sides_ || at_border_planes())
          tick<true>();
        else
          tick<false>();
      }
      at_ = part_.tile * a_.size.z + part_.end;
    }
  }

 private:
  /// A lane's cells of a row, in one piece.
  struct alignas(RX * sizeof(T)) chunk {
    T v[RX];
  };
  struct step_sums {
    T v[steps][2 * R][N];
  };
  /// What steps leave: of step s, or the plane that comes in, at s = 0.
  struct step_values {
    T v[steps][N];
  };
  struct lane_facts {
    int cell;        ///< first cell of the lane in a plane of the field; it may lie beyond that
    unsigned owned;  ///< a bit for each cell that leaves the pass
    unsigned fixed;  ///< and for each that keeps its value
  };

  /// The part of a tile that comes next in the team's run.
  DWELL_FN void open() {
    // Others may still be at the last plane of the part before, for which they read the tables.
    team_.section([](int) {});
    part_ = column_part::at(at_, stop_, a_.size.z, steps_ * R, a_.edge == boundary::fixed);
    first_plane_ = part_.begin;
    ticks_ = part_.end - part_.begin + sizes::behind(steps_);
    tick_ = 0;
    slot_ = 0;
    const tile_place where = tiles_.place(part_.tile);
    straight_ = aligned_ && where.inside && where.y >= 0 && where.y + sizes::height <= a_.size.y;
    team_.section([&](int l) {
      for (int r = l; r < sizes::height; r += Team::lanes())
        lines_[r] = place_of(where.y + r, a_.size.y) * a_.pitch;
      for (int i = l; i < width; i += Team::lanes()) columns_[i] = place_of(where.x + i, a_.size.x);
    });
    team_.each([&](int l) {
      lane_facts& me = lane_[l];
      const int first_x = where.x + l % 32 * RX, first_y = where.y + l / 32 * H;
      me.cell = first_y * a_.pitch + first_x;
      me.owned = me.fixed = 0;
      unrolled<0, N>([&]<int c>(constant<c>) {
        const int x = first_x + c % RX, y = first_y + c / RX;
        const bool own = within(x - where.own_x0, where.own_x1 - where.own_x0) &&
                         within(y - where.own_y0, where.own_y1 - where.own_y0);
        const bool keeps =
            a_.edge == boundary::fixed && !(within(x - a_.inner.x0, a_.inner.x1 - a_.inner.x0) &&
                                            within(y - a_.inner.y0, a_.inner.y1 - a_.inner.y0));
        me.owned |= static_cast<unsigned>(own) << c;
        me.fixed |= static_cast<unsigned>(keeps) << c;
      });
      unrolled<0, steps>([&]<int s>(constant<s>) {
        unrolled<0, 2 * R>([&]<int k>(constant<k>) {
          unrolled<0, N>([&]<int c>(constant<c>) { sums_[l].v[s][k][c] = T{}; });
        });
        unrolled<0, N>([&]<int c>(constant<c>) { values_[l].v[s][c] = T{}; });
      });
    });
    has_sides_ = where.at_border;
    for (int p = 0; p < C.ahead; ++p) fetch(p, p);
  }
  /// The cell of an axis for place i of a tile; those beyond a fixed border are never used.
  DWELL_FN int place_of(int i, int n) const {
    if (within(i, n)) return i;
    return a_.edge == boundary::fixed ? (i < 0 ? 0 : n - 1) : cell_beyond(a_.edge, i, n);
  }
  /// Plane `tick` of the part goes into a slot. None that the part does not need: it could arrive
  /// after the first planes of the next part, which begins with slot 0 again.
  DWELL_FN void fetch(int tick, int slot) {
    const int nz = a_.size.z;
    int z = first_plane_ + tick;
    const bool wanted = tick < ticks_ && (a_.edge != boundary::fixed || z < nz);
    if (wanted) {
      if (!within(z, nz)) z = cell_beyond(a_.edge, z, nz);
      const T* plane = from_ + static_cast<std::ptrdiff_t>(z) * a_.size.y * a_.pitch;
      team_.each([&](int l) {
        T* to = planes_ + slot * sizes::plane_values + own_offset(l);
        if (straight_) {
          const T* from = plane + lane_[l].cell;
          unrolled<0, H>([&]<int r>(constant<r>) {
            Team::fetch(reinterpret_cast<chunk*>(to + r * width),
                        reinterpret_cast<const chunk*>(from + r * a_.pitch));
          });
        } else {
          unrolled<0, H>([&]<int r>(constant<r>) {
            const T* from = plane + line(l, r);
            unrolled<0, RX>(
                [&]<int i>(constant<i>) { Team::fetch(to + r * width + i, from + column(l, i)); });
          });
        }
      });
    }
    Team::close_fetches();
  }
  DWELL_FN int column(int l, int i) const { return columns_[l % 32 * RX + i]; }
  DWELL_FN static bool is_aligned(const T* p) {
    return reinterpret_cast<std::uintptr_t>(p) % sizeof(chunk) == 0;
  }
  DWELL_FN static int own_offset(int l) { return l / 32 * H * width + l % 32 * RX; }

  /// A step whose planes at the borders of z keep their values is under way.
  DWELL_FN bool at_border_planes() const {
    if (a_.edge != boundary::fixed) return false;
    const int z = first_plane_ + tick_;
    return z - sizes::behind(steps) < R || z >= a_.size.z - R;
  }

  template <bool Kept>
  DWELL_FN void tick() {
    Team::template await_fetches<C.ahead - 1>();
    T* const plane = planes_ + slot_ * sizes::plane_values;
    team_.each([&](int l) {
      if constexpr (Kept) find_kept_cells(l);
      unrolled<0, H>([&]<int r>(constant<r>) {
        get(plane + own_offset(l) + r * width, values_[l].v[0] + r * RX);
        if constexpr (chained) complete_chain<Kept, r>(l);
      });
    });
    T* const edges = edges_ + tick_ % 2 * (steps - 1) * sizes::edge_rows * width;
    team_.section([&](int l) {
      unrolled<1, steps>([&]<int s>(constant<s>) {
        unrolled<0, R>([&]<int d>(constant<d>) {
          put(edge(edges, s, l / 32, 0, d) + l % 32 * RX, values_[l].v[s] + d * RX);
          put(edge(edges, s, l / 32, 1, d) + l % 32 * RX, values_[l].v[s] + (H - R + d) * RX);
        });
      });
    });
    const int next = slot_ + C.ahead;
    fetch(tick_ + C.ahead, next < slots ? next : next - slots);
    if constexpr (chained)
      unrolled<0, steps>([&]<int s>(constant<s>) { add<Kept, s>(plane, edges); });
    else
      unrolled<0, steps>([&]<int k>(constant<k>) { add<Kept, steps - 1 - k>(plane, edges); });
    slot_ = slot_ + 1 == slots ? 0 : slot_ + 1;
  }

  /// Row d of the R first (side 0) or last rows of a warp, after step s.
  DWELL_FN static T* edge(T* set, int s, int warp, int side, int d) {
    return set + (((s - 1) * perks_warps + warp) * 2 + side) * R * width + d * width;
  }

  /// All steps of a row of the lane's cells, one after the other: each ends the sum of the plane R
  /// before the one that it takes. Row by row, since sums that are ended free registers.
  template <bool Kept, int Row>
  DWELL_FN void complete_chain(int l) {
    unrolled<0, steps>([&]<int s>(constant<s>) {
      chunk done;
      unrolled<0, RX>([&]<int i>(constant<i>) {
        constexpr int c = Row * RX + i;
        done.v[i] =
            S::template add_layer<R>(sums_[l].v[s][0][c], own_cell{values_[l].v[s] + c}, a_.w);
      });
      leave<Kept, s, Row>(l, done);
    });
  }
  struct own_cell {
    const T* cell;
    DWELL_FN T operator()(int, int, int) const { return *cell; }
  };

  /// The plane whose sums a step ends, as it takes the one R later: so far behind the plane that
  /// comes in.
  static constexpr int ended(int step) { return step * sizes::lag + R; }
  /// The lane's cells that keep their values, in the planes that steps add to or end. The compiler
  /// must not know how they come about, or it makes branches of what are selects.
  struct kept_cells {
    unsigned of[sizes::behind(steps) + 1];
  };
  DWELL_FN void find_kept_cells(int l) {
    unrolled<0, sizes::behind(steps) + 1>([&]<int behind>(constant<behind>) {
      const int z = first_plane_ + tick_ - behind;
      const bool whole = a_.edge == boundary::fixed && (z < R || z >= a_.size.z - R);
      kept_[l].of[behind] =
          static_cast<unsigned>(Team::opaque(whole ? -1 : static_cast<int>(lane_[l].fixed)));
    });
  }
  /// The result of a step in a row: the next step's, or the pass's. A cell that keeps its value
  /// has it in place of the sum that ends here: see add().
  template <bool Kept, int Step, int Row>
  DWELL_FN void leave(int l, chunk& done) {
    const int z = first_plane_ + tick_ - ended(Step);
    if constexpr (Rare)
      if (a_.source) add_source(l, Row, done, z);
    if constexpr (Kept) {
      const unsigned kept = kept_[l].of[ended(Step)];
      unrolled<0, RX>([&]<int i>(constant<i>) {
        constexpr int c = Row * RX + i;
        done.v[i] = kept >> c & 1u ? sums_[l].v[Step][0][c] : done.v[i];
      });
    }
    if (Rare ? Step + 1 == steps_ : Step + 1 == steps) store<Row>(l, done, z);
    if constexpr (Step + 1 < steps)
      unrolled<0, RX>(
          [&]<int i>(constant<i>) { values_[l].v[Step + 1][Row * RX + i] = done.v[i]; });
  }
  DWELL_FN int line(int l, int row) const { return lines_[l / 32 * H + row]; }
  DWELL_FN void add_source(int l, int row, chunk& done, int z) {
    if (!within(z, a_.size.z)) {
      if (a_.edge == boundary::fixed) return;
      z = cell_beyond(a_.edge, z, a_.size.z);
    }
    const T* from =
        a_.source + (static_cast<std::ptrdiff_t>(z) * a_.size.y * a_.pitch + line(l, row));
    unrolled<0, RX>([&]<int i>(constant<i>) { done.v[i] += from[column(l, i)]; });
  }
  template <int Row>
  DWELL_FN void store(int l, const chunk& done, int z) {
    const unsigned owned = lane_[l].owned >> (Row * RX) & all_of_row;
    if (owned == 0 || z < part_.first) return;
    T* to = to_ + (static_cast<std::ptrdiff_t>(z) * a_.size.y * a_.pitch + lane_[l].cell +
                   Row * a_.pitch);
    if (aligned_ && owned == all_of_row)
      *reinterpret_cast<chunk*>(to) = done;
    else
      unrolled<0, RX>([&]<int i>(constant<i>) {
        if (owned >> i & 1u) to[i] = done.v[i];
      });
  }

  /// A plane of step s, row by row: to the sums that are begun; and, where the sum that it ends
  /// needs neighbours, the result of that.
  template <bool Kept, int Step>
  DWELL_FN void add(T* plane, T* edges) {
    auto rows = team_.template per_lane<row_window>();
    team_.each([&](int l) {
      unrolled<0, 2 * R>(
          [&]<int d>(constant<d>) { load_row<Step, d - R>(l, rows[l], plane, edges); });
    });
    unrolled<0, 2 * R>([&]<int d>(constant<d>) { spread<d - R>(rows); });
    unrolled<0, H>([&]<int r>(constant<r>) {
      team_.each([&](int l) { load_row<Step, r + R>(l, rows[l], plane, edges); });
      spread<r + R>(rows);
      team_.each([&](int l) {
        const window_near near{rows[l].v, r, 0};
        auto& sums = sums_[l].v[Step];
        if constexpr (!chained) {
          chunk done;
          unrolled<0, RX>([&]<int i>(constant<i>) {
            done.v[i] = S::template add_layer<R>(sums[0][r * RX + i], near.beside(i), a_.w);
          });
          leave<Kept, Step, r>(l, done);
        }
        unrolled<0, RX>([&]<int i>(constant<i>) {
          constexpr int c = r * RX + i;
          unrolled<1, 2 * R + 1>([&]<int k>(constant<k>) {
            T before = T{};
            if constexpr (k < 2 * R) before = sums[k][c];
            T sum = S::template add_layer<R - k>(before, near.beside(i), a_.w);
            // A cell that keeps its value: the sum of its plane is that, and nothing is added.
            if constexpr (Kept && k <= R) {
              const T kept = k == R ? near.beside(i)(0, 0, 0) : before;
              sum = kept_[l].of[ended(Step) - k] >> c & 1u ? kept : sum;
            }
            sums[k - 1][c] = sum;
          });
        });
      });
    });
  }
  /// Rows around a row of the lane's cells, each with R cells more to either side. Row y lies at
  /// y mod (2R + 1).
  static constexpr int window = 2 * R + 1;
  struct row_window {
    T v[window][RX + 2 * R];
  };
  static constexpr int place(int row) { return (row + window) % window; }
  struct window_near {
    const T (*rows)[RX + 2 * R];
    int r, i;
    DWELL_FN window_near beside(int column) const { return {rows, r, column}; }
    DWELL_FN T operator()(int, int dy, int dx) const { return rows[place(r + dy)][R + i + dx]; }
  };
  template <int Step, int Row>
  DWELL_FN void load_row(int l, row_window& rows, T* plane, T* edges) {
    T* to = rows.v[place(Row)] + R;
    const int warp = l / 32, column = l % 32 * RX;
    if constexpr (within_tile(Row)) {
      unrolled<0, RX>([&]<int i>(constant<i>) { to[i] = values_[l].v[Step][Row * RX + i]; });
    } else {
      // Takes rows of the warps above and below; rows beyond the tile are never used.
      const int other =
          Row < 0 ? (warp == 0 ? 0 : warp - 1) : (warp == perks_warps - 1 ? warp : warp + 1);
      constexpr int d = Row < 0 ? Row + R : Row - H;
      if constexpr (Step == 0)
        get(plane + (other * H + (Row < 0 ? H + Row : d)) * width + column, to);
      else
        get(edge(edges, Step, other, Row < 0 ? 1 : 0, d) + column, to);
    }
  }
  static constexpr bool within_tile(int row) { return row >= 0 && row < H; }
  /// The ends of the rows of lanes beside each other; stars need them in the lane's own rows only.
  template <int Row, class Windows>
  DWELL_FN void spread(Windows& rows) {
    if constexpr (!is_star<S> || within_tile(Row)) {
      constexpr int at = place(Row);
      unrolled<1, R + 1>([&]<int d>(constant<d>) {
        auto left = team_.template from_left<T>([&](int l) { return rows[l].v[at][R + RX - d]; });
        auto right = team_.template from_right<T>([&](int l) { return rows[l].v[at][R + d - 1]; });
        team_.each([&](int l) {
          rows[l].v[at][R - d] = left[l];
          rows[l].v[at][R + RX - 1 + d] = right[l];
        });
      });
    }
  }
  DWELL_FN static void get(const T* from, T* to) {
    const chunk v = *reinterpret_cast<const chunk*>(from);
    unrolled<0, RX>([&]<int i>(constant<i>) { to[i] = v.v[i]; });
  }
  DWELL_FN static void put(T* to, const T* from) {
    chunk v;
    unrolled<0, RX>([&]<int i>(constant<i>) { v.v[i] = from[i]; });
    *reinterpret_cast<chunk*>(to) = v;
  }

  Team& team_;
  const stencil_call<S, T>& a_;
  const T* const from_;
  T* const to_;
  const int steps_;
  const bool aligned_;  ///< pieces of rows can be moved whole
  int at_, stop_;       ///< planes of the team's run
  const overlapping_tiles tiles_;
  T *planes_, *edges_;
  int *lines_,
      *columns_;  ///< where rows of the tile begin in a plane of the field, and its columns
  column_part part_{};
  int first_plane_ = 0, tick_ = 0, ticks_ = 0, slot_ = 0;
  bool straight_ = false;   ///< all cells of the tile lie in the field, and in whole pieces
  bool has_sides_ = false;  ///< the tile has cells of columns or rows of a fixed border
  decltype(std::declval<Team&>().template per_lane<lane_facts>()) lane_;
  decltype(std::declval<Team&>().template per_lane<kept_cells>()) kept_;
  decltype(std::declval<Team&>().template per_lane<step_sums>()) sums_;
  decltype(std::declval<Team&>().template per_lane<step_values>()) values_;
};

}  // namespace dwell
