// SPDX-License-Identifier: MIT
// The tile of one team, which stays with it for the whole run. Lanes are 32 across x; each warp has
// a strip of rows, of which the first stay in registers, the next in scratch, and the rest pass
// through from memory that the team alone touches. In a step a warp goes down its strip with a
// window of 2R + 1 rows and writes each row back where it was; neighbours in x come from the next
// lane, the rows of other warps through scratch.
//
// The tile is wider than what the team owns by a rim of depth * R cells. In a step the outermost R
// cells that were right become wrong; after `depth` steps the rim is taken anew from the field,
// where its owners have published it.
#pragma once
#include "dwell/execution/core/sweep_step.hpp"
#include "dwell/execution/perks/perks_rungs.hpp"

namespace dwell {

template <class S, class T, class Team, int RY>
class perks_tile {
 public:
  DWELL_FN perks_tile(Team& team, const sweep_call<S, T>& a)
      : team_(team), a_(a), rest_(a.plan.scratch_rows + a.plan.streamed_rows) {
    edges_ = team.template scratch<T>(perks_edge_values<S, T> * sets);
    kept_ = team.template scratch<T>(a.plan.scratch_rows * W * across);
    streamed_ =
        a.streamed + static_cast<std::size_t>(team.worker()) * a.plan.streamed_rows * W * across;
    columns_ = team.template scratch<int>(across);
    rows_ = team.template scratch<int>(W * RY);
    own_ = team.template scratch<ownership>(1);
    const ownership own(a, team.worker());
    at_border_ = a.source != nullptr || own.freezes(a, W * strip());
    team.section([&](int l) {
      if (l == 0) *own_ = own;
      for (int i = l; i < across; i += perks_lanes) columns_[i] = own.column(a, i);
      if constexpr (RY > 0)
        for (int j = l; j < W * RY; j += perks_lanes)
          rows_[j] = own.row(a, j / RY * strip() + j % RY);
    });
  }

  /// The whole tile from a copy of the field.
  DWELL_FN void load(const T* field) { take_if(field, true); }

  /// Steps of the whole tile, then shows the others what they need of it, or all of it. Tiles
  /// inside the grid have a text to themselves: a branch per row for the others' sake would cost
  /// them registers.
  DWELL_FN void advance(int steps, const T*, T* to, bool whole) {
#pragma unroll 1
    for (int k = 0; k < steps; ++k) {
      if (at_border_)
        step_as<false>(turn_);
      else
        step_as<true>(turn_);
      turn_ ^= 1;
    }
    show(to, whole);
  }

  /// All that the team owns into a copy of the field.
  DWELL_FN void publish(T* field) { show(field, true); }

  /// Takes the rim from what the neighbours have published: whole lanes, and whole rows.
  DWELL_FN void take(const T* field) { take_if(field, false); }

 private:
  /// Shows the others what they need of the cells that this team owns, or all of them.
  DWELL_FN void show(T* field, bool all) {
    team_.each([&](int l) {
      const ownership o = *own_;
      const int x = o.left() + l % 32 * RX, y = o.top() + warp(l) * strip();
      // Lanes that are partly owned are taken whole, so that their own cells are shown too.
      const bool rim = all || x < o.x0 + o.rim + RX - 1 || x + RX > o.x1 - o.rim - (RX - 1);
      const int until = rim || o.y0 + o.rim > o.y1 ? o.y1 : o.y0 + o.rim;
      const int from = o.y1 - o.rim > o.y0 ? o.y1 - o.rim : o.y0;
      bool mine[RX];
      DWELL_UNROLL
      for (int i = 0; i < RX; ++i) mine[i] = x + i >= o.x0 && x + i < o.x1;
      T* p = field + static_cast<std::ptrdiff_t>(y) * a_.size.x + x;
      const std::uint32_t shown = bits(o.y0 - y, until - y) | bits(from - y, o.y1 - y);
      DWELL_UNROLL
      for (int j = 0; j < RY; ++j, p += a_.size.x)
        if (shown >> j & 1) {
          DWELL_UNROLL
          for (int i = 0; i < RX; ++i)
            if (mine[i]) team_.hand_over(p + i, r_[l].v[j][i]);
        }
      for (int q = 0; q < rest_; ++q, p += a_.size.x) {
        const int at = y + RY + q;
        if (at < o.y0 || at >= o.y1 || (at >= until && at < from)) continue;
        const row v = get_rest(l, q);
        DWELL_UNROLL
        for (int i = 0; i < RX; ++i)
          if (mine[i]) team_.hand_over(p + i, v.v[i]);
      }
    });
  }

  static constexpr int R = radius_of<S>, RX = perks_across<S>, W = perks_warps;
  static constexpr int across = 32 * RX, sets = perks_edge_sets<S, T>;
  static constexpr int sides = is_star<S> ? 1 : 2 * R + 1;  // rows whose neighbours in x count
  static_assert(Team::lanes() == perks_lanes && (RY == 0 || RY >= R) && RX >= R);

  struct row {
    T v[RX];
  };
  struct tile {
    T v[RY > 0 ? RY : 1][RX];
  };
  /// Rows j - R to j + R of one lane, and R columns to either side.
  struct window {
    T here[2 * R + 1][RX], left[sides][R], right[sides][R];
  };
  struct near_window {
    const window& w;
    int i;
    DWELL_FN T operator()(int dy, int dx) const {
      const int side = sides == 1 ? 0 : dy + R;
      if (i + dx < 0) return w.left[side][i + dx < 0 ? i + dx + R : 0];
      if (i + dx >= RX) return w.right[side][i + dx >= RX ? i + dx - RX : 0];
      return w.here[dy + R][i + dx];
    }
    DWELL_FN T operator()(int, int dy, int dx) const { return (*this)(dy, dx); }
  };
  /// The tile of a team in the grid: the cells [x0, x1) x [y0, y1) that it owns, and a rim.
  struct ownership {
    int rim, x0, x1, y0, y1;

    DWELL_FN ownership(const sweep_args<T>& a, int worker) : rim(a.plan.depth * R) {
      const int bx = worker % a.plan.teams_x, by = worker / a.plan.teams_x;
      x0 = share(a.size.x, bx, a.plan.teams_x);
      x1 = share(a.size.x, bx + 1, a.plan.teams_x);
      y0 = share(a.size.y, by, a.plan.teams_y);
      y1 = share(a.size.y, by + 1, a.plan.teams_y);
    }
    DWELL_FN int left() const { return x0 - rim; }
    DWELL_FN int top() const { return y0 - rim; }
    /// The column (row) of the grid that one of the tile stands for.
    DWELL_FN int column(const sweep_args<T>& a, int i) const {
      return place(a.edge, left() + i, x0, x1, a.size.x);
    }
    DWELL_FN int row(const sweep_args<T>& a, int j) const {
      return place(a.edge, top() + j, y0, y1, a.size.y);
    }
    /// Some cells of the tile, which has so many rows, keep their values.
    DWELL_FN bool freezes(const sweep_args<T>& a, int rows) const {
      return a.edge == boundary::fixed && (left() < a.inner.x0 || left() + across > a.inner.x1 ||
                                           top() < a.inner.y0 || top() + rows > a.inner.y1);
    }

   private:
    DWELL_FN static int share(int n, int part, int parts) {
      return static_cast<int>(static_cast<std::int64_t>(n) * part / parts);
    }
    /// Beyond the rim nothing is ever used.
    DWELL_FN int place(boundary edge, int i, int first, int last, int n) const {
      const int k = i < first - rim ? first - rim : i >= last + rim ? last + rim - 1 : i;
      if (edge == boundary::fixed) return k < 0 ? 0 : k >= n ? n - 1 : k;
      return cell_for(edge, k, n);
    }
  };
  /// What a lane at the border must know: the rows before `first` and from `last` on keep their
  /// values, and some of its columns.
  struct border {
    int first, last;
    bool column[RX];
  };

  /// Bits first to last - 1 of 32.
  DWELL_FN static std::uint32_t bits(int first, int last) {
    const int a = first < 0 ? 0 : first > 32 ? 32 : first, b = last < a ? a : last > 32 ? 32 : last;
    return static_cast<std::uint32_t>((std::uint64_t(1) << b) - (std::uint64_t(1) << a));
  }
  DWELL_FN static int warp(int l) { return l / 32; }
  /// Rows of a warp.
  DWELL_FN int strip() const { return RY + rest_; }
  struct columns {
    int at[RX];
  };
  DWELL_FN columns columns_of(int l) const {
    columns c;
    DWELL_UNROLL
    for (int i = 0; i < RX; ++i) c.at[i] = columns_[l % 32 * RX + i];
    return c;
  }
  DWELL_FN void take_row(T (&to)[RX], const T* field, const columns& c, int y) {
    const T* p = field + static_cast<std::ptrdiff_t>(y) * a_.size.x;
    DWELL_UNROLL
    for (int i = 0; i < RX; ++i) to[i] = team_.taken(p + c.at[i]);
  }
  /// All rows, or those that are not owned; of a lane with a column that is not, all. The loads of
  /// lanes and those of rows stand apart, so that the compiler needs no second copy of the
  /// registers.
  DWELL_FN void take_if(const T* field, bool whole) {
    team_.each([&](int l) {
      const ownership o = *own_;
      const columns c = columns_of(l);
      const int x = o.left() + l % 32 * RX, y = o.top() + warp(l) * strip();
      const bool all = whole || x < o.x0 || x + RX > o.x1;
      const int* rows = rows_ + warp(l) * RY;
      if (all) {
        DWELL_UNROLL
        for (int j = 0; j < RY; ++j) take_row(r_[l].v[j], field, c, rows[j]);
      } else if (const std::uint32_t wanted = ~bits(o.y0 - y, o.y1 - y) & bits(0, RY)) {
        DWELL_UNROLL
        for (int j = 0; j < RY; ++j)
          if (wanted >> j & 1) take_row(r_[l].v[j], field, c, rows[j]);
      }
      for (int q = 0; q < rest_; ++q) {
        const int at = y + RY + q;
        if (!all && at >= o.y0 && at < o.y1) continue;
        row v;
        take_row(v.v, field, c, o.row(a_, at - o.top()));
        put_rest(l, q, v);
      }
    });
  }
  DWELL_FN border border_of(int l) const {
    const ownership o = *own_;
    const int x = o.left() + l % 32 * RX, y = o.top() + warp(l) * strip();
    border b{-(1 << 30), 1 << 30, {}};
    if (a_.edge == boundary::fixed) {
      b.first = a_.inner.y0 - y;
      b.last = a_.inner.y1 - y;
    }
    DWELL_UNROLL
    for (int i = 0; i < RX; ++i)
      b.column[i] = a_.edge == boundary::fixed && (x + i < a_.inner.x0 || x + i >= a_.inner.x1);
    return b;
  }

  /// Row q after those in registers. A column of 32 lanes lies together.
  DWELL_FN std::ptrdiff_t offset(int l, int q) const {
    return (static_cast<std::ptrdiff_t>(q) * W + warp(l)) * across + l % 32;
  }
  DWELL_FN static row strided(const T* p) {
    row v;
    DWELL_UNROLL
    for (int i = 0; i < RX; ++i) v.v[i] = p[i * 32];
    return v;
  }
  DWELL_FN row get_rest(int l, int q) const {
    const int kept = a_.plan.scratch_rows;
    if (q < kept) return strided(kept_ + offset(l, q));
    return strided(streamed_ + offset(l, q - kept));
  }
  DWELL_FN void put_rest(int l, int q, const row& v) {
    const int kept = a_.plan.scratch_rows;
    T* p = q < kept ? nullptr : streamed_ + offset(l, q - kept);
    if (q < kept) {
      T* k = kept_ + offset(l, q);
      DWELL_UNROLL
      for (int i = 0; i < RX; ++i) k[i * 32] = v.v[i];
    } else {
      DWELL_UNROLL
      for (int i = 0; i < RX; ++i) p[i * 32] = v.v[i];
    }
  }

  /// Row d of the first (side 0) or last (side 1) R rows of a warp's strip, before this step.
  DWELL_FN static T* edge_place(T* e, int l, int w, int side, int d) {
    return e + ((w * 2 + side) * R + d) * across + l % 32;
  }
  DWELL_FN static row edge_row(T* e, int l, int w, int side, int d) {
    return strided(edge_place(e, l, w, side, d));
  }
  DWELL_FN void show_edges(T* e, int l) {
    DWELL_UNROLL
    for (int d = 0; d < R; ++d) {
      const row first = RY > 0 ? register_row(l, d) : get_rest(l, d);
      const row last = rest_ == 0 ? register_row(l, RY - R + d) : get_rest(l, rest_ - R + d);
      DWELL_UNROLL
      for (int i = 0; i < RX; ++i) {
        edge_place(e, l, warp(l), 0, d)[i * 32] = first.v[i];
        edge_place(e, l, warp(l), 1, d)[i * 32] = last.v[i];
      }
    }
  }
  DWELL_FN row register_row(int l, int j) {
    row v;
    DWELL_UNROLL
    for (int i = 0; i < RX; ++i) v.v[i] = r_[l].v[j > 0 ? j : 0][i];
    return v;
  }
  /// Row j of the strip, or the next warp's; j is known to the compiler.
  DWELL_FN row own_row(T* e, int l, int j) {
    return j < RY ? register_row(l, j < RY ? j : 0) : rest_row(e, l, j - RY);
  }
  DWELL_FN row rest_row(T* e, int l, int q) {
    if (q < rest_) return get_rest(l, q);
    return edge_row(e, l, warp(l) < W - 1 ? warp(l) + 1 : W - 1, 0, q - rest_);
  }

  /// The window goes down by one row; get(lane) is the row that comes in.
  template <class Windows, class Get>
  DWELL_FN void push(Windows& win, Get&& get) {
    team_.each([&](int l) {
      window& w = win[l];
      DWELL_UNROLL
      for (int k = 0; k < 2 * R; ++k) {
        DWELL_UNROLL
        for (int i = 0; i < RX; ++i) w.here[k][i] = w.here[k + 1][i];
      }
      const row v = get(l);
      DWELL_UNROLL
      for (int i = 0; i < RX; ++i) w.here[2 * R][i] = v.v[i];
      if constexpr (sides > 1) {
        DWELL_UNROLL
        for (int k = 0; k + 1 < sides; ++k) {
          DWELL_UNROLL
          for (int d = 0; d < R; ++d) {
            w.left[k][d] = w.left[k + 1][d];
            w.right[k][d] = w.right[k + 1][d];
          }
        }
      }
    });
    constexpr int at = sides == 1 ? R : 2 * R;
    DWELL_UNROLL
    for (int d = 0; d < R; ++d) {
      auto left = team_.template from_left<T>([&](int l) { return win[l].here[at][RX - R + d]; });
      auto right = team_.template from_right<T>([&](int l) { return win[l].here[at][d]; });
      team_.each([&](int l) {
        win[l].left[sides - 1][d] = left[l];
        win[l].right[sides - 1][d] = right[l];
      });
    }
  }

  template <bool Inside>
  DWELL_FN void step_as(int turn) {
    T* e = edges_ + (sets == 2 ? turn * perks_edge_values<S, T> : 0);
    if constexpr (sets == 1) team_.section([](int) {});  // all have read the last step's rows
    team_.section([&](int l) { show_edges(e, l); });
    auto edge = team_.template per_lane<border>();
    if constexpr (!Inside) team_.each([&](int l) { edge[l] = border_of(l); });
    auto win = team_.template per_lane<window>();
    DWELL_UNROLL
    for (int d = 0; d < R; ++d)
      push(win, [&](int l) { return edge_row(e, l, warp(l) > 0 ? warp(l) - 1 : 0, 1, d); });
    DWELL_UNROLL
    for (int d = 0; d < R; ++d) push(win, [&](int l) { return own_row(e, l, d); });
    DWELL_UNROLL
    for (int j = 0; j < RY; ++j) {
      push(win, [&](int l) { return own_row(e, l, j + R); });
      team_.each([&](int l) {
        const row v = next<Inside>(win[l], edge[l], l, j);
        DWELL_UNROLL
        for (int i = 0; i < RX; ++i) r_[l].v[j][i] = v.v[i];
      });
    }
    for (int q = 0; q < rest_; ++q) {
      push(win, [&](int l) { return rest_row(e, l, q + R); });
      team_.each([&](int l) { put_rest(l, q, next<Inside>(win[l], edge[l], l, RY + q)); });
    }
  }

  /// What the row in the middle of the window, row j of the strip, becomes.
  template <bool Inside>
  DWELL_FN row next(const window& w, const border& edge, int l, int j) {
    row v;
    DWELL_UNROLL
    for (int i = 0; i < RX; ++i) v.v[i] = S::template apply<T>(near_window{w, i}, a_.w);
    if constexpr (!Inside) {
      if (a_.source) {
        const columns c = columns_of(l);
        const T* p = a_.source +
                     static_cast<std::ptrdiff_t>(own_->row(a_, warp(l) * strip() + j)) * a_.size.x;
        DWELL_UNROLL
        for (int i = 0; i < RX; ++i) v.v[i] += p[c.at[i]];
      }
      const bool out = j < edge.first || j >= edge.last;
      DWELL_UNROLL
      for (int i = 0; i < RX; ++i) v.v[i] = out || edge.column[i] ? w.here[R][i] : v.v[i];
    }
    return v;
  }

  using registers = decltype(std::declval<Team&>().template per_lane<tile>());
  Team& team_;
  const sweep_call<S, T>& a_;
  int turn_ = 0;    ///< which set of edges the next step uses
  int rest_;        ///< rows of a warp that are not in registers
  bool at_border_;  ///< some cells keep their values, or there is a source
  T *edges_, *kept_, *streamed_;
  ownership* own_;        ///< in scratch, as what follows: registers are dear
  int *columns_, *rows_;  ///< of the grid, for those of the tile; rows in registers only
  registers r_;
};

}  // namespace dwell
