// SPDX-License-Identifier: MIT
// What one lane of a pass in three dimensions does. Planes of a tile come in along z; every stage
// of every step is behind the one before it by as many planes as it reads ahead. When a plane
// arrives at a stage, the stage makes the plane `lag` before it, and the new values arrive at the
// next stage at once: of the plane that arrives a lane reads its own column only, which it holds.
// Of older planes it holds its own column, too, as far as stages read that; what they read beside
// it lies in rings of planes in scratch, which all lanes of the team fill. Planes of coefficients
// lie there once, for all stages.
//
// All lanes go through a tick, then they meet. A lane reads no plane of a ring that is filled in
// the same tick, but its own cells; and a place is filled again only in the tick behind the last
// one in which it is read.
#pragma once
#include <cstddef>
#include <cstdint>

#include "dwell/base/cell_piece.hpp"
#include "dwell/base/ranges.hpp"
#include "dwell/execution/stencil/engines/column_fields3d/args.hpp"
#include "dwell/execution/stencil/engines/column_fields3d/sizes.hpp"
#include "dwell/execution/stencil/engines/ring_fields2d/points.hpp"
#include "dwell/execution/stencil/fields/plain_step.hpp"

namespace dwell {

/// D: what steps have besides the stencil.
template <class S, class T, columns_config C, pass_demands D = pass_demands{}>
class columns_lane {
 public:
  static constexpr columns_numbers numbers{columns_shape_of<S>, C, sizeof(T)};
  static constexpr int turn = numbers.turn();  ///< ticks that are taken together

 private:
  static_assert(numbers.valid() && S::stages <= columns_shape::most_stages);
  static_assert(C.rows <= 32, "point_row has a bit for each row of a lane");
  static constexpr int fields = S::fields, arrays = array_count<S>, rows = C.rows;
  static constexpr int width = numbers.width(), substages = numbers.substages();
  static constexpr unsigned all_rows = (1U << rows) - 1;
  static constexpr int at_least_one(int n) { return n > 0 ? n : 1; }
  /// A lane's cells of a plane of each field.
  struct cells {
    T v[fields][rows];
  };

 public:
  /// scratch: numbers.scratch_bytes(), of the team.
  DWELL_FN columns_lane(const fields_columns<T>& a, T* scratch, int team, int lane)
      : a_(a),
        team_(team),
        lane_(lane),
        at_(a.runs.cut[team]),
        scratch_(scratch + numbers.guard() + lane / width * rows * width + lane % width) {}

  /// Begins with the next part of the team's run; false: there is none.
  DWELL_FN bool open() {
    const int nz = a_.n[2];
    int tile = 0;
    if (whole_ < a_.whole) {
      tile = whole_ * a_.teams + team_;
      first_ = 0;
      end_ = nz;
      ++whole_;
    } else {
      const int stop = a_.runs.cut[team_ + 1];
      if (at_ >= stop) return false;
      tile = at_ / nz;
      first_ = at_ - tile * nz;
      end_ = stop - tile * nz < nz ? stop - tile * nz : nz;
      at_ = tile * nz + end_;
      tile += a_.whole * a_.teams;
    }
    const int begin = first_ - numbers.halo_z();
    z_ = goes_around<S, 2> || begin > 0 ? begin : 0;
    const columns_tiles tiles =
        columns_tiles::of(numbers, a_.n[1], a_.n[0], goes_around<S, 1>, goes_around<S, 0>);
    place(tiles, tile % tiles.x.count(), tile / tiles.x.count());
    if constexpr (D.points) {
      points_ = {&a_.points, a_.points.rows + std::int64_t{tile} * (nz + 1), nz};
      next_points_ = z_ - numbers.all_behind() - 1;
    }
    unrolled<0, at_least_one(numbers.all_kept())>([&]<int k>(constant<k>) {
      unrolled<0, rows>([&]<int r>(constant<r>) { kept_[k][r] = T{}; });
    });
    unrolled<0, arrays>([&]<int k>(constant<k>) {
      unrolled<0, rows>([&]<int r>(constant<r>) { next_[k][r] = T{}; });
    });
    fetch();
    return true;
  }
  /// Are ticks of the part left? They are taken in whole turns.
  DWELL_FN bool more() const { return z_ < end_ + numbers.all_behind(); }
  /// No cell that is computed in the next turn is fixed or reads beyond a border.
  DWELL_FN bool is_plain() const {
    if (at_border_) return false;
    if (goes_around<S, 2>) return true;
    return z_ - numbers.all_behind() >= margin(2, 0) && z_ + turn <= a_.n[2] - margin(2, 1);
  }
  /// Plain: is_plain() at the turn's begin.
  template <bool Plain>
  DWELL_FN void tick() {
    cells now;
    unrolled<0, fields>([&]<int f>(constant<f>) {
      unrolled<0, rows>([&]<int r>(constant<r>) { now.v[f][r] = next_[f][r]; });
    });
    unrolled<fields, arrays>([&]<int k>(constant<k>) {
      if constexpr (numbers.ring(0, k) > 0) put<0, k>(next_[k]);
    });
    ++z_;
    fetch();
    if constexpr (D.points) {
      const int oldest = z_ - 1 - numbers.all_behind();
      if (next_points_ < oldest) next_points_ = points_.next_row(oldest);
    }
    stages<Plain, 0>(now);
    ++ticks_;
  }

 private:
  /// Cells from a plane to the next.
  DWELL_FN std::ptrdiff_t plane_cells() const { return a_.n[0] * a_.pitch; }
  /// The cells of a tile.
  DWELL_FN void place(const columns_tiles& tiles, int tile_x, int tile_y) {
    x_ = tiles.x.origin(tile_x) + lane_ % width;
    y_ = tiles.y.origin(tile_y) + lane_ / width * rows;
    const int nx = a_.n[1], ny = a_.n[0];
    const bool own_x = x_ >= tiles.x.first(tile_x) && x_ < tiles.x.end(tile_x);
    const int column = placed<1>(x_, nx);
    own_ = fixed_ = inside_ = 0;
    unrolled<0, rows>([&]<int r>(constant<r>) {
      const int y = y_ + r;
      const bool own = own_x && y >= tiles.y.first(tile_y) && y < tiles.y.end(tile_y);
      const bool inside =
          (goes_around<S, 1> || within(x_, nx)) && (goes_around<S, 0> || within(y, ny));
      own_ |= static_cast<unsigned>(own) << r;
      inside_ |= static_cast<unsigned>(inside) << r;
      fixed_ |= static_cast<unsigned>(is_fixed<1>(x_) || is_fixed<0>(y)) << r;
      offset_[r] = static_cast<int>(placed<0>(y, ny) * a_.pitch) + column;
    });
    at_border_ = !is_inner<1>(tiles.x.origin(tile_x), numbers.width()) ||
                 !is_inner<0>(tiles.y.origin(tile_y), numbers.height());
  }
  /// The cell that stands for index i of an axis; those beyond a border that is no ring are never
  /// used.
  template <int Axis>
  DWELL_FN static int placed(int i, int n) {
    if (within(i, n)) return i;
    if constexpr (goes_around<S, Axis>) {
      const int rest = i % n;
      return rest < 0 ? rest + n : rest;
    }
    return i < 0 ? 0 : n - 1;
  }
  /// Cells next to a side that are fixed or read beyond it.
  static constexpr int margin(int axis, int side) {
    if (S::beyond(0, axis, side) == side_kind::fixed) return S::radius;
    return reads_beyond<S>(axis, side) ? S::reach[axis] : 0;
  }
  template <int Axis>
  DWELL_FN bool is_inner(int origin, int size) const {
    if constexpr (goes_around<S, Axis>) return true;
    return origin >= margin(Axis, 0) && origin + size <= a_.n[Axis] - margin(Axis, 1);
  }
  template <int Axis>
  DWELL_FN bool is_fixed(int i) const {
    return (S::beyond(0, Axis, 0) == side_kind::fixed && i < S::radius) ||
           (S::beyond(0, Axis, 1) == side_kind::fixed && i >= a_.n[Axis] - S::radius);
  }

  /// Cells of the plane that comes in next are on their way.
  DWELL_FN void fetch() {
    unrolled<0, arrays>([&]<int k>(constant<k>) {
      if constexpr (numbers.arrives(k)) fetch_of<k>(z_ - numbers.late(k));
    });
  }
  template <int A>
  DWELL_FN void fetch_of(int z) {
    if (!goes_around<S, 2> && !within(z, a_.n[2])) return;
    const T* plane = a_.from[A] + placed<2>(z, a_.n[2]) * plane_cells();
    unrolled<0, rows>([&]<int r>(constant<r>) { next_[A][r] = plane[offset_[r]]; });
  }

  /// The lane's first cell in a plane of a ring: the one that is filled in this tick, or so many
  /// before it.
  template <int Q, int A>
  DWELL_FN T* plane_of(int age) const {
    constexpr int n = numbers.ring(Q, A), first = numbers.ring_first(Q, A);
    const unsigned place = (ticks_ + static_cast<unsigned>(n - age)) % static_cast<unsigned>(n);
    return scratch_ + (first + static_cast<int>(place)) * numbers.plane_values();
  }
  template <int Q, int A>
  DWELL_FN void put(const T (&v)[rows]) {
    T* to = plane_of<Q, A>(0);
    unrolled<0, rows>([&]<int r>(constant<r>) { to[r * width] = v[r]; });
  }

  /// The lane's cell in a row of a plane of field A, so many before the one that arrives, `now`.
  template <int Q, int A, int Age>
  DWELL_FN T held(const T (&now)[rows], int row) const {
    constexpr int first = numbers.kept_age(Q, A);
    if constexpr (Age == 0)
      return now[row];
    else if constexpr (Age < first)
      return plane_of<Q, A>(Age)[row * width];
    else
      return kept_[numbers.kept_first(Q, A) + Age - first][row];
  }

  /// What a cell of row Row of the lane's reads in stage Q.
  template <bool Plain, int Q, int Row>
  struct near {
    const columns_lane& lane;
    const cells& now;
    int z;    ///< the cell's plane
    T* made;  ///< new values
    using value = T;

    template <int P>
    DWELL_FN T parameter() const {
      if constexpr (D.parameters_change)
        return lane.a_.table[Q / S::stages * S::parameters + P];
      else
        return lane.a_.p[P];
    }
    template <int F>
    DWELL_FN void put(T v) const {
      made[F] = v;
    }
    template <int A, int Dz, int Dy, int Dx>
    DWELL_FN T tap() const {
      if constexpr (Dy == 0 && Dx == 0)
        return column<A, Dz>();
      else if constexpr (!Plain && (leaves<A, 0>(Dy) || leaves<A, 1>(Dx) || leaves<A, 2>(Dz)))
        return beyond<A, Dz, Dy, Dx>();
      else
        return beside<A, Dz, Dy, Dx>();
    }

   private:
    static constexpr int lag = numbers.lag(Q);

    /// May a cell at this distance along an axis lie beyond a border where others stand for it?
    template <int A, int Axis>
    static constexpr bool leaves(int d) {
      if (d == 0 || S::beyond(0, Axis, d > 0) == side_kind::fixed) return false;
      return S::beyond(A, Axis, d > 0) != side_kind::periodic;
    }
    /// So many planes before the newest one of array A.
    template <int A>
    static constexpr int age(int dz) {
      if (columns_shape_of<S>.is_renamed(A)) return 0;
      return A < fields ? lag - dz : numbers.behind(Q) - numbers.late(A) - dz;
    }
    static constexpr int ring_of(int array) { return array < fields ? Q : 0; }
    template <int A, int Dz, int R>
    DWELL_FN T held() const {
      return lane.template held<Q, A, age<A>(Dz)>(now.v[A], R);
    }
    template <int A, int Dz, int Dy, int Dx>
    DWELL_FN T beside() const {
      constexpr bool is_held = A < fields && Plain && Dx == 0 && Row + Dy >= 0 && Row + Dy < rows &&
                               age<A>(Dz) < numbers.kept_age(Q, A) + numbers.kept(Q, A);
      if constexpr (is_held)
        return held<A, Dz, Row + Dy>();
      else
        return lane.template plane_of<ring_of(A), A>(age<A>(Dz))[(Row + Dy) * width + Dx];
    }
    template <int A, int Dz>
    DWELL_FN T in_column() const {
      if constexpr (A < fields)
        return held<A, Dz, Row>();
      else
        return beside<A, Dz, 0, 0>();
    }
    /// The cell's own column, whose planes beyond a border along z are found among those within.
    template <int A, int Dz>
    DWELL_FN T column() const {
      T v = in_column<A, Dz>();
      if constexpr (!Plain && leaves<A, 2>(Dz)) {
        constexpr int side = Dz > 0;
        constexpr side_kind kind = S::beyond(A, 2, side);
        unrolled<1, (Dz < 0 ? -Dz : Dz) + 1>([&]<int d>(constant<d>) {
          if (z + Dz != (side ? lane.a_.n[2] - 1 + d : -d)) return;
          if constexpr (kind == side_kind::constant) {
            v = lane.a_.outside[A][2][side];
          } else {
            constexpr int back = Dz < 0 ? -1 : 1;
            constexpr int from = kind == side_kind::mirror    ? Dz - back * 2 * d
                                 : kind == side_kind::nearest ? Dz - back * d
                                                              : Dz - back * (2 * d - 1);
            v = in_column<A, from>();
            if constexpr (kind == side_kind::antisymmetric) v = -v;
          }
        });
      }
      return v;
    }
    /// Looks up as fields_cell does: axes apply one after the other, x last, so of a corner x
    /// decides first.
    template <int A, int Dz, int Dy, int Dx>
    DWELL_FN T beyond() const {
      const fields_columns<T>& a = lane.a_;
      const int row = lane.y_ + Row, column = lane.x_;
      int y = row + Dy, x = column + Dx, plane = z + Dz;
      bool minus = false;
      T v{};
      if constexpr (leaves<A, 1>(Dx))
        if (!is_within_border<S, A, 1>(a.n[1], a.outside[A][1], x, minus, v))
          return signed_by(minus, v);
      if constexpr (leaves<A, 0>(Dy))
        if (!is_within_border<S, A, 0>(a.n[0], a.outside[A][0], y, minus, v))
          return signed_by(minus, v);
      const int at = (y - lane.y_) * width + x - column;
      if constexpr (leaves<A, 2>(Dz)) {
        if (!is_within_border<S, A, 2>(a.n[2], a.outside[A][2], plane, minus, v))
          return signed_by(minus, v);
        v = lane.template plane_of<ring_of(A), A>(age<A>(0) - (plane - z))[at];
      } else {
        v = lane.template plane_of<ring_of(A), A>(age<A>(Dz))[at];
      }
      return signed_by(minus, v);
    }
    DWELL_FN static T signed_by(bool minus, T v) { return minus ? -v : v; }
  };

  /// Stage Q of the lane's cells, and all behind it.
  template <bool Plain, int Q>
  DWELL_FN void stages(const cells& now) {
    if constexpr (Q == substages) {
      store(now);
    } else {
      unrolled<0, fields>([&]<int f>(constant<f>) {
        if constexpr (numbers.ring(Q, f) > 0) put<Q, f>(now.v[f]);
      });
      const int z = z_ - 1 - numbers.behind(Q);
      cells made;
      unrolled<0, rows>([&]<int r>(constant<r>) { stage_of_row<Plain, Q, r>(now, made, z); });
      if constexpr (D.points && (Q + 1) % S::stages == 0)
        if (z >= next_points_) visit_points<Q>(now, made, z);
      unrolled<0, fields>([&]<int f>(constant<f>) { keep<Q, f>(now.v[f]); });
      stages<Plain, Q + 1>(made);
    }
  }
  template <bool Plain, int Q, int Row>
  DWELL_FN void stage_of_row(const cells& now, cells& made, int z) {
    constexpr int stage = Q % S::stages;
    T fresh[fields];
    const near<Plain, Q, Row> at{*this, now, z, fresh};
    if constexpr (Plain) {
      S::template step<stage>(at);
    } else {
      unrolled<0, fields>([&]<int f>(constant<f>) { fresh[f] = T{}; });
      if ((inside_ >> Row & 1U) && (goes_around<S, 2> || within(z, a_.n[2])))
        S::template step<stage>(at);
    }
    const bool keeps = !Plain && ((fixed_ >> Row & 1U) || is_fixed<2>(z));
    unrolled<0, fields>([&]<int f>(constant<f>) {
      constexpr int copied = S::template copy_of<stage>(f);
      T v = at.template tap<f, 0, 0, 0>();
      if constexpr (columns_shape_of<S>.is_renamed(f) && Q + 1 < substages)
        v = held<Q, copied, 2 * numbers.lag(Q)>(now.v[copied],
                                                Row);  // fixed cells of both are equal
      else if constexpr (copied >= 0)
        v = keeps ? v : at.template tap<copied, 0, 0, 0>();
      else if constexpr (S::template writes<stage>(f))
        v = keeps ? v : fresh[f];
      made.v[f][Row] = v;
    });
  }
  /// Sources and receivers of the lane's cells of plane z, after the last stage of a step and
  /// before any other stage has their values. Sources are added in all tiles that compute the cell,
  /// in all runs of planes; receivers are in the list of the tile that owns the cell, and are
  /// written by the run that owns the plane.
  template <int Q>
  DWELL_FN void visit_points(const cells& now, cells& made, int z) {
    point_cursor<T> cursor;
    cursor.find(points_, z, lane_ * rows);
    const bool own = z >= first_ && z < end_;
    unrolled<0, rows>([&]<int r>(constant<r>) {
      if (!cursor.has_some(r)) return;
      cell_values<S, T> v;
      unrolled<0, fields>([&]<int f>(constant<f>) {
        // What passes do not carry is the other field's value before the step.
        constexpr int copied = columns_shape_of<S>.copy_of[f];
        if constexpr (columns_shape_of<S>.is_renamed(f))
          v.of[f] = held<Q, copied, numbers.lag(Q)>(now.v[copied], r);
        else
          v.of[f] = made.v[f][r];
      });
      cursor.template visit<S>(a_.points, Q / S::stages, lane_ * rows + r, own, v);
      unrolled<0, fields>([&]<int f>(constant<f>) {
        if constexpr (!columns_shape_of<S>.is_renamed(f)) made.v[f][r] = v.of[f];
      });
    });
  }
  /// The plane that arrived is the newest of those that are kept.
  template <int Q, int F>
  DWELL_FN void keep(const T (&v)[rows]) {
    constexpr int n = numbers.kept(Q, F), first = numbers.kept_first(Q, F);
    constexpr int before = numbers.kept_age(Q, F) - 1;
    unrolled<0, rows>([&]<int r>(constant<r>) {
      unrolled<1, n>(
          [&]<int k>(constant<k>) { kept_[first + n - k][r] = kept_[first + n - k - 1][r]; });
      if constexpr (n > 0) kept_[first][r] = held<Q, F, before>(v, r);
    });
  }
  DWELL_FN void store(const cells& made) const {
    const int z = z_ - 1 - numbers.all_behind();
    if (z < first_ || z >= end_) return;
    const std::ptrdiff_t plane = z * plane_cells();
    unrolled<0, fields>([&]<int f>(constant<f>) {
      unrolled<0, rows>([&]<int r>(constant<r>) {
        if (own_ >> r & 1U) (a_.to[f] + plane)[offset_[r]] = made.v[f][r];
      });
    });
  }

  const fields_columns<T>& a_;
  const int team_, lane_;
  int whole_ = 0;            ///< whole tiles so far
  int at_;                   ///< plane of the team's run
  T* const scratch_;         ///< the lane's first cell in the first plane
  int first_ = 0, end_ = 0;  ///< planes that the part owns
  int z_ = 0;                ///< the plane that comes in next
  unsigned ticks_ = 0;       ///< ticks of the run
  int x_ = 0, y_ = 0;        ///< the lane's first cell
  bool at_border_ = false;   ///< cells of the tile are fixed or read beyond borders
  /// A bit for each row: the cell leaves the pass, keeps its value, lies in the field.
  unsigned own_ = 0, fixed_ = 0, inside_ = 0;
  int offset_[rows];              ///< places of cells in a plane of the field
  strip_points<S, T, 2> points_;  ///< the tile's, if there are any
  /// The first plane with points, from the oldest plane of the tick on.
  int next_points_ = 0;
  T next_[arrays][rows];
  T kept_[at_least_one(numbers.all_kept())][rows];
};

}  // namespace dwell
