// SPDX-License-Identifier: MIT
// Engine resident_fields: fields that stay on the chip for all steps of a run, in one to three
// dimensions.
// A team owns a tile of the grid and has, in its lanes' registers, the fields of these cells and of
// a halo around them; what cells read of cells beside them is in scratch, too. It does `depth`
// steps, in each of which all lanes compute all their cells, whatever becomes of them: the outer
// ones lose their neighbours, so cells that are right shrink by a step's reach with each, down to
// the team's own. Then teams exchange halos through memory.
//
// Who waits for whom. In a stage all lanes compute their cells' new values in registers, meet,
// write into scratch what others read, and meet again: nobody reads what is being written. Between
// passes a team writes its cells that others need to memory, raises its flag to the number of the
// exchange, waits for the flags of the teams around it, and reads its halo. Exchanges take
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

#include "dwell/execution/stencil/engines/resident_fields/cells.hpp"
#include "dwell/execution/stencil/engines/resident_fields/ghosts.hpp"
#include "dwell/execution/stencil/engines/resident_fields/points.hpp"
#include "dwell/execution/stencil/engines/resident_fields/region.hpp"

namespace dwell {

/// D: what steps have besides the stencil.
template <class S, class T, resident_config C, pass_demands D, class Team>
class resident_agent {
  using sizes = resident_sizes<S, T, C>;
  using region_type = resident_region<S, T, C>;
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
    points_ = team.template per_lane<lane_points>();
    touches_ = region_.near_border({region_.z.begin(), region_.y.begin(), region_.x.begin()},
                                   sizes::planes, sizes::height, sizes::width);
    team.each([&](int l) {
      using span = resident_span;
      const resident_place at = place_of(l);
      resident_lane& lane = lane_[l];
      // One without cells reads those of the first lane.
      const int reads = l < numbers.used_lanes() ? l : 0;
      lane.at = sizes::first + reads / (C.lanes_x * C.lanes_y) * sizes::stack +
                reads / C.lanes_x % C.lanes_y * sizes::group + reads % C.lanes_x;
      lane.used = l < numbers.used_lanes() &&
                  region_.all(at, [](const span& s, int i, int n) { return s.any_needed(i, n); });
      lane.inside = region_.all(at, [](const span& s, int i, int n) { return s.all_inside(i, n); });
      lane.edge = region_.near_border(at, C.deep, C.rows, C.across);
      lane.halo = !region_.all(at, [](const span& s, int i, int n) { return s.all_own(i, n); });
      lane.shown = region_.all(at, [](const span& s, int i, int n) { return s.any_own(i, n); }) &&
                   (lane.halo ||
                    region_.any(at, [](const span& s, int i, int n) { return s.any_shown(i, n); }));
      lane.fixed = 0;
      if constexpr (sizes::any_fixed) {
        for (int k = 0; k < cells; ++k)
          if (region_.is_fixed(a_, {at.z + sizes::plane_of(k), at.y + sizes::row_of(k),
                                    at.x + sizes::column_of(k)}))
            lane.fixed |= std::uint64_t{1} << k;
      }
      if constexpr (D.points)
        points_[l] = lane_points::of(a_.points, team.worker(), l * cells, (l + 1) * cells);
    });
  }

  DWELL_FN void run() {
    take_coefficients();
    for (int pass = 0;; ++pass) {
      receive(pass % 2, pass == 0);
      const bool last = pass + 1 == a_.passes;
      const int steps = last ? a_.last : a_.depth;
      for (int s = 0; s < steps; ++s) stages<0>(pass * a_.depth + s);
      send((pass + 1) % 2, last);
      if (last) return;
      const auto epoch = static_cast<unsigned>(pass + 1);
      team_.signal(flag(team_.worker()), epoch);
      team_.wait(
          region_type::neighbours,
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
  DWELL_FN resident_place place_of(int l) const {
    const int row = Team::opaque(l) / C.lanes_x;
    return {sizes::flat ? region_.z.begin() : region_.z.begin() + row / C.lanes_y * C.deep,
            region_.y.begin() + (sizes::flat ? row : row % C.lanes_y) * C.rows,
            region_.x.begin() + Team::opaque(l) % C.lanes_x * C.across};
  }
  /// The place of a row in memory.
  DWELL_FN std::int64_t line(int z, int y) const {
    if constexpr (sizes::flat) return std::int64_t{y} * a_.pitch;
    return (std::int64_t{z} * a_.n[0] + y) * a_.pitch;
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
    const resident_place first = place_of(l);
    const int last_plane = region_.z.last + region_.z.halo - 1;
    const int last_row = region_.y.last + region_.y.halo - 1;
    const int last = (region_.x.last + unit - 1) / unit * unit + region_.x.halo - unit;
    const auto plane_at = [&](int p) {
      return sizes::flat || first.z + p < last_plane ? first.z + p : last_plane;
    };
    const auto row_at = [&](int r) { return first.y + r < last_row ? first.y + r : last_row; };
    const auto column_at = [&](int c) { return first.x + c < last ? first.x + c : last; };
    if (lane_[l].inside) {
      DWELL_UNROLL
      for (int r = 0; r < C.rows * C.deep; ++r) {
        const T* const row = from + line(plane_at(r / C.rows), row_at(r % C.rows));
        DWELL_UNROLL
        for (int c = 0; c < C.across; c += unit) {
          const piece some = *reinterpret_cast<const piece*>(row + column_at(c));
          DWELL_UNROLL
          for (int i = 0; i < unit; ++i) put(r * C.across + c + i, some.v[i]);
        }
      }
      return;
    }
    DWELL_UNROLL
    for (int r = 0; r < C.rows * C.deep; ++r) {
      const int z = sizes::flat ? 0 : region_.z.in_memory(plane_at(r / C.rows));
      const T* const row = from + line(z, region_.y.in_memory(row_at(r % C.rows)));
      DWELL_UNROLL
      for (int c = 0; c < C.across; ++c) {
        const int unit_first = c / unit * unit;
        put(r * C.across + c, row[region_.x.in_memory(column_at(unit_first) + c - unit_first)]);
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
    const int at[3] = {sizes::row_of(k), sizes::column_of(k), sizes::plane_of(k)};
    const int n[3] = {C.rows, C.across, C.deep};
    for (int axis = 0; axis < 3; ++axis)
      if (at[axis] < r.high[axis] || at[axis] >= n[axis] - r.low[axis]) return true;
    return false;
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
      const resident_place at = place_of(l);
      each_field([&]<int F>(field_number<F>) {
        if (!whole && !exchanges<F>()) return;
        T* const to = a_.fields[copy][F];
        DWELL_UNROLL
        for (int k = 0; k < cells; k += sizes::unit) {
          const int z = at.z + sizes::plane_of(k), y = at.y + sizes::row_of(k);
          const int x = at.x + sizes::column_of(k);
          if (!region_.y.is_own(y) || !region_.x.is_own(x)) continue;
          if (!sizes::flat && !region_.z.is_own(z)) continue;
          piece some;  // at the end of a row with values that go between rows
          DWELL_UNROLL
          for (int i = 0; i < sizes::unit; ++i) some.v[i] = own_[l].v[F][k + i];
          *reinterpret_cast<piece*>(to + line(z, y) + x) = some;
        }
      });
    });
  }

  template <int Stage>
  DWELL_FN void stages(int step) {
    if constexpr (Stage < S::stages) {
      stage<Stage>(step);
      stages<Stage + 1>(step);
    }
  }
  template <int Stage>
  DWELL_FN void stage(int step) {
    const T* const p = D.parameters_change ? a_.table + std::int64_t{step} * S::parameters : a_.p;
    auto fresh = team_.template per_lane<cells_type>();
    if (sizes::any_fixed && touches_)
      compute<Stage, true>(fresh, p);
    else
      compute<Stage, false>(fresh, p);
    // Points may change fields that the stage does not.
    constexpr bool points = D.points && Stage + 1 == S::stages;
    constexpr int changed = points ? -1 : Stage;
    team_.section([&](int l) {
      each_written<Stage>([&]<int F>(field_number<F>) {
        DWELL_UNROLL
        for (int k = 0; k < cells; ++k) own_[l].v[F][k] = fresh[l].v[F][k];
      });
      if (!lane_[l].used) return;
      if constexpr (points) {
        if (points_[l].any()) {
          visit_points<S, T, C>(a_.points, points_[l], Team::opaque(l) * cells, step, own_[l]);
          put_all<-1>(l);
          return;
        }
      }
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
      if (touches_) settle_borders<changed>();
    }
  }
  /// New values of all cells. By all lanes, whether they have cells or not: of two branches on it
  /// the compiler would keep old values beside the new ones. Fixed: some keep theirs.
  template <int Stage, bool Fixed, class Fresh>
  DWELL_FN void compute(Fresh& fresh, const T* p) {
    team_.section([&](int l) {
      DWELL_UNROLL
      for (int k = 0; k < cells; ++k) {
        T made[S::fields];
        S::template step<Stage>(resident_view<S, T, C>{own_[l], held_[l], scratch_ + lane_[l].at, p,
                                                       made, sizes::plane_of(k), sizes::row_of(k),
                                                       sizes::column_of(k)});
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
  template <int A>
  DWELL_FN void find_ghosts() {
    T* const array = scratch_ + sizes::template scratch_place<A> + sizes::first;
    resident_ghosts<S, T, C, A>{a_, region_, array}.find(team_);
  }

  Team& team_;
  const resident_run<T>& a_;
  region_type region_;
  T* scratch_;
  bool touches_;
  decltype(std::declval<Team&>().template per_lane<cells_type>()) own_;
  decltype(std::declval<Team&>().template per_lane<resident_held<T, C>>()) held_;
  mutable decltype(std::declval<Team&>().template per_lane<resident_lane>()) lane_;
  decltype(std::declval<Team&>().template per_lane<lane_points>()) points_;
};

/// One team's part of a run.
template <class S, class T, resident_config C, pass_demands D, class Team>
DWELL_FN void resident_fields_of_team(Team& team, const resident_run<T>& a) {
  resident_agent<S, T, C, D, Team>(team, a).run();
}

}  // namespace dwell
