// SPDX-License-Identifier: MIT
// Engine resident_fields2d: fields that stay on the chip for all steps of a run, in two dimensions.
// A team owns a tile of the grid and has, in its lanes' registers, the fields of these cells and of
// a halo around them; what cells read of cells beside them is in scratch, too. It does `depth`
// steps, in each of which all lanes compute all their cells, whatever becomes of them: the outer
// ones lose their neighbours, so cells that are right shrink by a step's reach with each, down to
// the team's own. Then teams exchange halos through memory.
//
// Who waits for whom. In a stage all lanes compute their cells' new values in registers, meet,
// write into scratch what others read, and meet again: nobody reads what is being written. Between
// passes a team writes its cells that others need to memory, raises its flag to the number of the
// exchange, waits for the flags of the eight teams around it, and reads its halo. Exchanges take
// two copies of the fields in turn: who writes to a copy again has seen its neighbours' flags of
// the exchange in between, which they raised after they had read it. Halos are read by plain loads:
// who waits for a flag acquires what was written before it for its whole team. All teams run
// together and do the same number of passes, so each flag that is waited for is raised.
//
// Borders. Cells beyond a border that are read have their values in scratch, found anew after each
// stage among those within; lanes that have such cells read all of theirs from scratch again. Cells
// that keep their values are a bit each, which teams at a border look at. So no cell asks for
// borders while it is computed, and none for fixed ones in a team that has none.
#pragma once
#include <cstdint>

#include "dwell/execution/stencil/engines/resident_fields2d/region.hpp"
#include "dwell/execution/stencil/fields/border_place.hpp"

namespace dwell {

template <class S, class T, resident_config C>
struct resident_cells {
  T v[S::fields][C.across * C.rows];
};
/// Coefficients that lanes hold.
template <class T, resident_config C>
struct resident_held {
  T v[C.held > 0 ? C.held : 1][C.across * C.rows];
};

/// One cell of a lane, as a stencil sees it.
template <class S, class T, resident_config C>
struct resident_view {
  using value = T;
  using sizes = resident_sizes<S, T, C>;
  const resident_cells<S, T, C>& own;
  const resident_held<T, C>& held;
  const T* at;  ///< in scratch, the lane's first cell
  const T* p;
  T (&made)[S::fields];
  int row, column;  ///< in the lane

  template <int P>
  DWELL_FN T parameter() const {
    return p[P];
  }
  template <int F>
  DWELL_FN void put(T v) const {
    made[F] = v;
  }
  template <int A, int Dz, int Dy, int Dx>
  DWELL_FN T tap() const {
    const int r = row + Dy, c = column + Dx;
    if constexpr (A < S::fields) {
      if (r >= 0 && r < C.rows && c >= 0 && c < C.across) return own.v[A][r * C.across + c];
    }
    if constexpr (sizes::template held_place<A> >= 0)
      return held.v[sizes::template held_place<A>][r * C.across + c];
    else
      return at[sizes::template scratch_place<A> + sizes::offset(r, c)];
  }
};

template <class S, class T, resident_config C, class Team>
class resident_agent {
  using sizes = resident_sizes<S, T, C>;
  using cells_type = resident_cells<S, T, C>;
  static constexpr resident_numbers numbers = sizes::numbers;
  static constexpr int cells = sizes::cells;

 public:
  DWELL_FN resident_agent(Team& team, const resident_run<T>& a)
      : team_(team),
        a_(a),
        region_(a, team.worker()),
        scratch_(team.template scratch<T>(numbers.array_values() * numbers.scratch_arrays())) {
    own_ = team.template per_lane<cells_type>();
    held_ = team.template per_lane<resident_held<T, C>>();
    lane_ = team.template per_lane<resident_lane>();
    constexpr int margin = S::radius + 1;
    touches_ = region_.x.any_near_end(region_.x.begin(), sizes::width, margin) ||
               region_.y.any_near_end(region_.y.begin(), sizes::height, margin);
    team.each([&](int l) {
      const int row = row_of(l), column = column_of(l);
      resident_lane& lane = lane_[l];
      // One without cells reads those of the first lane.
      const int reads = l < numbers.used_lanes() ? l : 0;
      lane.at = sizes::first + reads / C.lanes_x * sizes::group + reads % C.lanes_x;
      lane.used = l < numbers.used_lanes() && region_.y.any_needed(row, C.rows) &&
                  region_.x.any_needed(column, C.across);
      lane.inside = region_.y.all_inside(row, C.rows) && region_.x.all_inside(column, C.across);
      lane.edge = region_.y.any_near_end(row, C.rows, margin) ||
                  region_.x.any_near_end(column, C.across, margin);
      lane.halo = !region_.y.all_own(row, C.rows) || !region_.x.all_own(column, C.across);
      lane.shown =
          region_.y.any_own(row, C.rows) && region_.x.any_own(column, C.across) &&
          (lane.halo || region_.y.any_shown(row, C.rows) || region_.x.any_shown(column, C.across));
      lane.fixed = 0;
      if constexpr (sizes::any_fixed) {
        for (int k = 0; k < cells; ++k)
          if (region_.is_fixed(a_, row + k / C.across, column + k % C.across))
            lane.fixed |= std::uint64_t{1} << k;
      }
    });
  }

  DWELL_FN void run() {
    take_coefficients();
    for (int pass = 0;; ++pass) {
      receive(pass % 2, pass == 0);
      const bool last = pass + 1 == a_.passes;
      const int steps = last ? a_.last : a_.depth;
      for (int s = 0; s < steps; ++s) stages<0>();
      send((pass + 1) % 2, last);
      if (last) return;
      const auto epoch = static_cast<unsigned>(pass + 1);
      team_.signal(flag(team_.worker()), epoch);
      team_.wait(
          8,
          [&](int k) {
            const int team = region_.neighbour(a_, k);
            return team < 0 ? nullptr : flag(team);
          },
          epoch);
    }
  }

 private:
  DWELL_FN unsigned* flag(int team) const {
    return a_.flags + std::int64_t{team} * resident_flag_distance;
  }
  /// A lane's first cell in the grid. Computed anew where it is needed: places in memory that are
  /// kept through a pass take the registers of cells.
  DWELL_FN int row_of(int l) const {
    return region_.y.begin() + Team::opaque(l) / C.lanes_x * C.rows;
  }
  DWELL_FN int column_of(int l) const {
    return region_.x.begin() + Team::opaque(l) % C.lanes_x * C.across;
  }

  /// Values that move at once.
  struct alignas(sizeof(T) * sizes::unit) piece {
    T v[sizes::unit];
  };
  /// put(k, value of cell k) for all cells of a lane, with values of an array in memory: of others'
  /// cells those that they stand for. No cell that the team does not need is read.
  template <class Put>
  DWELL_FN void take(int l, const T* from, const Put& put) const {
    constexpr int unit = sizes::unit;
    const int row = row_of(l), column = column_of(l);
    const int last_row = region_.y.last + region_.y.halo - 1;
    const int last = (region_.x.last + unit - 1) / unit * unit + region_.x.halo - unit;
    const auto row_at = [&](int r) { return row + r < last_row ? row + r : last_row; };
    const auto column_at = [&](int c) { return column + c < last ? column + c : last; };
    if (lane_[l].inside) {
      DWELL_UNROLL
      for (int r = 0; r < C.rows; ++r) {
        const T* const line = from + std::int64_t{row_at(r)} * a_.pitch;
        DWELL_UNROLL
        for (int c = 0; c < C.across; c += unit) {
          const piece some = *reinterpret_cast<const piece*>(line + column_at(c));
          DWELL_UNROLL
          for (int i = 0; i < unit; ++i) put(r * C.across + c + i, some.v[i]);
        }
      }
      return;
    }
    DWELL_UNROLL
    for (int r = 0; r < C.rows; ++r) {
      const T* const line = from + std::int64_t{region_.y.in_memory(row_at(r))} * a_.pitch;
      DWELL_UNROLL
      for (int c = 0; c < C.across; ++c) {
        const int unit_first = c / unit * unit;
        put(r * C.across + c, line[region_.x.in_memory(column_at(unit_first) + c - unit_first)]);
      }
    }
  }

  template <int F>
  struct field_number {};
  /// f(field) for all fields.
  template <int F = 0, class Do>
  DWELL_FN static void each_field(const Do& f) {
    if constexpr (F < S::fields) {
      f(field_number<F>{});
      each_field<F + 1>(f);
    }
  }
  /// For those that a stage writes, which are all for stage -1.
  template <int Stage, class Do>
  DWELL_FN static void each_written(const Do& f) {
    each_field([&]<int F>(field_number<F> field) {
      if constexpr (Stage < 0)
        f(field);
      else if constexpr (S::template writes<(Stage < 0 ? 0 : Stage)>(F))
        f(field);
    });
  }
  /// For those of them that are in scratch.
  template <int Stage, class Do>
  DWELL_FN static void each_spread(const Do& f) {
    each_written<Stage>([&]<int F>(field_number<F> field) {
      if constexpr (sizes::template is_spread<F>) f(field);
    });
  }

  /// The values of array A from a lane's first cell on.
  template <int A>
  DWELL_FN T* scratch(int l) {
    return scratch_ + sizes::template scratch_place<A> + lane_[l].at;
  }
  /// Whether cells of other lanes read cell k of a lane.
  template <int F>
  DWELL_FN static constexpr bool is_read_by_others(int k) {
    constexpr resident_reach r = sizes::template reach<F>;
    const int row = k / C.across, column = k % C.across;
    return row < r.down || row >= C.rows - r.up || column < r.right || column >= C.across - r.left;
  }
  template <int A = S::fields>
  DWELL_FN void take_coefficients() {
    if constexpr (A < array_count<S>) {
      const T* const from = a_.coefficients[A - S::fields];
      team_.section([&](int l) {
        if (!lane_[l].used) return;
        take(l, from, [&](int k, T v) {
          if constexpr (sizes::template held_place<A> >= 0)
            held_[l].v[sizes::template held_place<A>][k] = v;
          else
            scratch<A>(l)[sizes::offset(k)] = v;
        });
      });
      if constexpr (sizes::template is_spread<A> && sizes::any_ghosts) {
        if (touches_) {
          find_ghosts<A>();
          team_.section([](int) {});
        }
      }
      take_coefficients<A + 1>();
    }
  }

  /// Whether a field comes with the halo: not where the next step needs none of it.
  template <int F>
  DWELL_FN bool exchanges() const {
    return sizes::template is_spread<F> || a_.depth > 1 || S::stages > 1;
  }

  /// Takes halos from memory; whole: all cells.
  DWELL_FN void receive(int copy, bool whole) {
    team_.section([&](int l) {
      if (!lane_[l].used || !(whole || lane_[l].halo)) return;
      each_field([&]<int F>(field_number<F>) {
        if (!whole && !exchanges<F>()) return;
        take(l, a_.fields[copy][F], [&](int k, T v) { own_[l].v[F][k] = v; });
      });
      put_all<-1>(l);
    });
    if constexpr (sizes::any_ghosts) {
      if (touches_) settle_borders<-1>();
    }
  }
  /// Gives memory the cells that others need; whole: all.
  DWELL_FN void send(int copy, bool whole) {
    team_.each([&](int l) {
      if (!lane_[l].used || !(whole || lane_[l].shown)) return;
      const int row = row_of(l), column = column_of(l);
      each_field([&]<int F>(field_number<F>) {
        if (!whole && !exchanges<F>()) return;
        T* const to = a_.fields[copy][F];
        DWELL_UNROLL
        for (int k = 0; k < cells; k += sizes::unit) {
          const int y = row + k / C.across, x = column + k % C.across;
          if (!region_.y.is_own(y) || !region_.x.is_own(x)) continue;
          piece some;  // at the end of a row with values that go between rows
          DWELL_UNROLL
          for (int i = 0; i < sizes::unit; ++i) some.v[i] = own_[l].v[F][k + i];
          *reinterpret_cast<piece*>(to + std::int64_t{y} * a_.pitch + x) = some;
        }
      });
    });
  }

  template <int Stage>
  DWELL_FN void stages() {
    if constexpr (Stage < S::stages) {
      stage<Stage>();
      stages<Stage + 1>();
    }
  }
  template <int Stage>
  DWELL_FN void stage() {
    auto fresh = team_.template per_lane<cells_type>();
    if (sizes::any_fixed && touches_)
      compute<Stage, true>(fresh);
    else
      compute<Stage, false>(fresh);
    team_.section([&](int l) {
      each_written<Stage>([&]<int F>(field_number<F>) {
        DWELL_UNROLL
        for (int k = 0; k < cells; ++k) own_[l].v[F][k] = fresh[l].v[F][k];
      });
      if (!lane_[l].used) return;
      if (sizes::any_ghosts && lane_[l].edge)
        put_all<Stage>(l);
      else
        each_spread<Stage>([&]<int F>(field_number<F>) {
          DWELL_UNROLL
          for (int k = 0; k < cells; ++k)
            if (is_read_by_others<F>(k)) scratch<F>(l)[sizes::offset(k)] = own_[l].v[F][k];
        });
    });
    if constexpr (sizes::any_ghosts) {
      if (touches_) settle_borders<Stage>();
    }
  }
  /// New values of all cells. By all lanes, whether they have cells or not: of two branches on it
  /// the compiler would keep old values beside the new ones. Fixed: some keep theirs.
  template <int Stage, bool Fixed, class Fresh>
  DWELL_FN void compute(Fresh& fresh) {
    team_.section([&](int l) {
      DWELL_UNROLL
      for (int k = 0; k < cells; ++k) {
        T made[S::fields];
        S::template step<Stage>(resident_view<S, T, C>{own_[l], held_[l], scratch_ + lane_[l].at,
                                                       a_.p, made, k / C.across, k % C.across});
        const bool keeps = Fixed && (lane_[l].fixed >> k & 1) != 0;
        each_written<Stage>([&]<int F>(field_number<F>) {
          constexpr int from = S::template copy_of<Stage>(F);
          if constexpr (from >= 0)
            fresh[l].v[F][k] = own_[l].v[from][k];
          else
            fresh[l].v[F][k] = keeps ? own_[l].v[F][k] : made[F];
        });
      }
    });
  }
  template <int Stage>
  DWELL_FN void put_all(int l) {
    each_spread<Stage>([&]<int F>(field_number<F>) {
      DWELL_UNROLL
      for (int k = 0; k < cells; ++k) scratch<F>(l)[sizes::offset(k)] = own_[l].v[F][k];
    });
  }

  /// Once a stage's values are in scratch: finds what is read beyond borders. Lanes with such cells
  /// take all of theirs.
  template <int Stage>
  DWELL_FN void settle_borders() {
    each_spread<Stage>([&]<int F>(field_number<F>) { find_ghosts<F>(); });
    team_.section([](int) {});
    team_.each([&](int l) {
      if (!lane_[l].used || !lane_[l].edge || lane_[l].inside) return;
      each_spread<Stage>([&]<int F>(field_number<F>) {
        DWELL_UNROLL
        for (int k = 0; k < cells; ++k) own_[l].v[F][k] = scratch<F>(l)[sizes::offset(k)];
      });
    });
  }
  /// Values beyond the sides of the grid that the region reaches.
  template <int A>
  DWELL_FN void find_ghosts() {
    constexpr int rows = sizes::reach_rows, columns = sizes::reach_columns;
    constexpr int height = sizes::height, width = sizes::width;
    const int top = region_.y.begin(), left = region_.x.begin();
    if constexpr (sizes::has_ghosts(1, 0)) {
      if (left < 0)
        team_.flat(0, columns * height,
                   [&](int, int i) { find_ghost<A>(i / columns, -left - 1 - i % columns); });
    }
    if constexpr (sizes::has_ghosts(1, 1)) {
      if (left + width > a_.nx)
        team_.flat(0, columns * height,
                   [&](int, int i) { find_ghost<A>(i / columns, a_.nx - left + i % columns); });
    }
    if constexpr (sizes::has_ghosts(0, 0)) {
      if (top < 0)
        team_.flat(0, rows * width,
                   [&](int, int i) { find_ghost<A>(-top - 1 - i / width, i % width); });
    }
    if constexpr (sizes::has_ghosts(0, 1)) {
      if (top + height > a_.ny)
        team_.flat(0, rows * width,
                   [&](int, int i) { find_ghost<A>(a_.ny - top + i / width, i % width); });
    }
  }
  /// By row and column of the region.
  template <int A>
  DWELL_FN void find_ghost(int row, int column) const {
    if (!within(row, sizes::height) || !within(column, sizes::width)) return;
    T* const array = scratch_ + sizes::template scratch_place<A> + sizes::first;
    int y = region_.y.begin() + row, x = region_.x.begin() + column;
    bool minus = false, found = true;
    T v{};
    // Cells of an axis that goes around are in the region as they are.
    if constexpr (!goes_around<S, 1>)
      found = is_within_border<S, A, 1>(a_.nx, a_.outside[A][1], x, minus, v);
    if constexpr (!goes_around<S, 0>)
      found = found && is_within_border<S, A, 0>(a_.ny, a_.outside[A][0], y, minus, v);
    if (found) {
      y -= region_.y.begin();
      x -= region_.x.begin();
      // Values that nobody needs may have no source here.
      if (!within(y, sizes::height) || !within(x, sizes::width)) return;
      v = array[sizes::offset(y, x)];
    }
    array[sizes::offset(row, column)] = minus ? -v : v;
  }

  Team& team_;
  const resident_run<T>& a_;
  resident_region<S, T, C> region_;
  T* scratch_;
  bool touches_;
  decltype(std::declval<Team&>().template per_lane<cells_type>()) own_;
  decltype(std::declval<Team&>().template per_lane<resident_held<T, C>>()) held_;
  mutable decltype(std::declval<Team&>().template per_lane<resident_lane>()) lane_;
};

/// One team's part of a run.
template <class S, class T, resident_config C, class Team>
DWELL_FN void resident_fields_of_team(Team& team, const resident_run<T>& a) {
  resident_agent<S, T, C, Team>(team, a).run();
}

}  // namespace dwell
