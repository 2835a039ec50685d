// SPDX-License-Identifier: MIT
// The rows that one warp takes through a wave (perks_wave.hpp): its own, of which the first stay in
// scratch and the others pass through memory that this team alone touches, and `rim` rows above and
// below, and columns at the sides, which their owners have published in a copy of the field. Every
// lane fetches what is not in scratch into a ring, some rows before it is due.
#pragma once
#include "dwell/execution/perks/kept_layers.hpp"
#include "dwell/execution/perks/perks_rungs.hpp"

namespace dwell {

/// What one warp owns: [x0, x1) x [y0, y1), at most `strip` rows, perhaps none. Shares begin at
/// multiples of a lane's cells, so that lanes own all or none of theirs, except one at the right
/// end of the grid.
template <class S, class T>
struct wave_share {
  static constexpr int RX = perks_across<S>;
  int rim, x0, x1, y0, y1;

  DWELL_FN wave_share(const sweep_args<T>& a, int worker, int warp)
      : rim(a.plan.depth * radius_of<S>) {
    const sweep_plan& p = a.plan;
    const int bx = worker % p.teams_x, by = worker / p.teams_x;
    x0 = column(a, bx * p.warps_x + warp % p.warps_x);
    x1 = column(a, bx * p.warps_x + warp % p.warps_x + 1);
    const int strip = p.scratch_rows + p.streamed_rows, end = row(a, by + 1);
    const int first = row(a, by) + warp / p.warps_x * strip;
    y0 = first < end ? first : end;
    y1 = first + strip < end ? first + strip : end;
  }
  DWELL_FN int rows() const { return y1 - y0; }
  /// The first column of a lane; it may lie beyond the grid.
  DWELL_FN int left(int lane) const { return x0 + (lane % 32 - (rim + RX - 1) / RX) * RX; }
  /// The lane owns all of its columns.
  DWELL_FN bool owns(int lane) const { return left(lane) >= x0 && left(lane) + RX <= x1; }
  /// It owns some.
  DWELL_FN bool shares(int lane) const { return left(lane) + RX > x0 && left(lane) < x1; }
  /// It owns or needs some.
  DWELL_FN bool used(int lane) const { return left(lane) + RX > x0 - rim && left(lane) < x1 + rim; }

 private:
  DWELL_FN static int column(const sweep_args<T>& a, int part) {
    const int parts = a.plan.teams_x * a.plan.warps_x;
    if (part == parts) return a.size.x;
    return static_cast<int>(static_cast<std::int64_t>(a.size.x) * part / parts) / RX * RX;
  }
  DWELL_FN static int row(const sweep_args<T>& a, int part) {
    return static_cast<int>(static_cast<std::int64_t>(a.size.y) * part / a.plan.teams_y);
  }
};

template <class S, class T, class Team>
class wave_rows {
 public:
  static constexpr int RX = perks_across<S>, Ahead = fetch_ahead<2>;
  using row = lane_layer<T, RX>;
  using share = wave_share<S, T>;

  DWELL_FN wave_rows(Team& team, const sweep_call<S, T>& a)
      : a_(a),
        rim_(a.plan.depth * radius_of<S>),
        kept_(team.template scratch<T>(a.plan.scratch_rows * layer)),
        ring_(team.template scratch<T>(Ahead * layer)),
        columns_(team.template scratch<int>(perks_warps * 32 * RX)),
        rims_(team.template scratch<int>(perks_warps * 2 * rim_)),
        streamed_(a.streamed +
                  static_cast<std::size_t>(team.worker()) * a.plan.streamed_rows * layer),
        pieces_(a.size.x % wide == 0) {
    team.section([&](int l) {
      for (int i = l; i < perks_warps * 32 * RX; i += perks_lanes)
        columns_[i] = column_for(share(a, team.worker(), i / (32 * RX)), i % (32 * RX));
      for (int i = l; i < perks_warps * 2 * rim_; i += perks_lanes)
        rims_[i] = rim_row(share(a, team.worker(), i / (2 * rim_)), i % (2 * rim_));
    });
    team.each([&](int l) {
      const share own(a, team.worker(), l / 32);
      const int n = own.rows(), mine = own.owns(l) ? n : 0;
      lane_[l] = {own.left(l),
                  own.y0,
                  n,
                  mine,
                  mine < a.plan.scratch_rows ? mine : a.plan.scratch_rows,
                  own.used(l) ? n + 2 * rim_ : 0,
                  column(l, 0),
                  column(l, RX - wide)};
    });
  }
  /// The warp's own rows, and the lane's, which has none unless it owns all of its columns.
  DWELL_FN int rows(int l) { return lane_[l].rows; }
  DWELL_FN int mine(int l) { return lane_[l].mine; }
  /// Rows of the field consist of whole pieces, and so do all lanes' shares of them; and no rim
  /// goes around the grid more than once, or backwards as in a mirror.
  DWELL_FN bool neat(const share& own) const {
    return a_.size.x % RX == 0 && (own.x1 - own.x0) % RX == 0 && a_.size.y >= rim_ &&
           a_.edge != boundary::reflect;
  }

  /// Row 0 of a pass is the one `rim` above the warp's first.
  DWELL_FN void begin(const T* field) { field_ = field; }
  /// Row j of the pass is under way from here on; one group of fetches each. The neat text has no
  /// branches, so that arithmetic hides what it takes.
  template <bool Neat>
  DWELL_FN void fetch(int l, int j) {
    const lane_facts& me = lane_[l];
    const int r = j - rim_;
    const bool wanted = j < me.end && !within(r, me.kept), mine = within(r, me.mine);
    T* to = slot(l, j);
    if constexpr (Neat) {
      const T* from = mine ? streamed_ : field_;
      const unsigned line = static_cast<unsigned>(row_of(me.top + r) * a_.size.x);
      const unsigned at = mine ? streamed_offset(l, r) : line + static_cast<unsigned>(me.first);
      const unsigned gap = mine ? last_piece : static_cast<unsigned>(me.last - me.first);
      fetch_as<piece>(wanted, to, from + at);
      if constexpr (last_piece > 0) fetch_as<piece>(wanted, to + last_piece, from + (at + gap));
    } else if (mine) {
      DWELL_UNROLL
      for (int k = 0; k < RX; k += wide)
        fetch_as<piece>(wanted, at(to, k), at(streamed_ + streamed_offset(l, r), k));
    } else {
      const T* line = field_ + row_in_field(l, j);
      DWELL_UNROLL
      for (int k = 0; k < RX; ++k) fetch_as<T>(wanted, at(to, k), line + column(l, k));
    }
    Team::close_fetches();
  }
  /// Row j, once; then the one which is to take its place in the ring is fetched.
  template <bool Neat>
  DWELL_FN row take(int l, int j) {
    Team::template await_fetches<Ahead - 1>();
    const int r = j - rim_;
    const row v = read(within(r, lane_[l].kept) ? kept_at(l, r) : slot(l, j));
    fetch<Neat>(l, j + Ahead);
    return v;
  }
  /// The warp's own row r, of a lane that owns all of its columns.
  DWELL_FN row get(int l, int r) const {
    return r < a_.plan.scratch_rows ? read(kept_at(l, r)) : read(streamed_ + streamed_offset(l, r));
  }
  DWELL_FN void put_if(bool wanted, int l, int r, const row& v) const {
    const bool kept = r < a_.plan.scratch_rows;
    write_if(wanted && kept, kept_at(l, r), v);
    write_if(wanted && !kept, streamed_ + streamed_offset(l, r), v);
  }
  /// The lane's cells that are its warp's own, columns x0 to x1 - 1, into row r of a copy of the
  /// field. Neat: all of them.
  template <bool Neat>
  DWELL_FN void show_if(bool wanted, int l, T* field, int r, const row& v, int x0, int x1) {
    const int x = lane_[l].left;
    T* p = field + (own_row_in_field(l, r) + static_cast<unsigned>(x));
    DWELL_UNROLL
    for (int k = 0; k < RX; k += Neat ? wide : 1) {
      if constexpr (Neat) {
        if (wanted) *reinterpret_cast<piece*>(p + k) = piece_of(v, k);
      } else if (wanted && x + k >= x0 && x + k < x1) {
        p[k] = v.v[k];
      }
    }
  }
  /// The lane's columns in the warp's own row r of a copy of the field.
  DWELL_FN row seen(int l, const T* field, int r) {
    row v;
    DWELL_UNROLL
    for (int k = 0; k < RX; ++k) v.v[k] = field[own_row_in_field(l, r) + column(l, k)];
    return v;
  }
  /// Where row j of the pass begins in the field.
  DWELL_FN unsigned row_in_field(int l, int j) {
    const lane_facts& me = lane_[l];
    const int r = j - rim_, beyond = r < 0 ? j : r - me.rows + rim_;
    if (within(r, me.rows)) return own_row_in_field(l, r);
    const int last = 2 * rim_ - 1;  // what lies beyond the rim is nobody's
    const int rim = rims_[l / 32 * 2 * rim_ + (beyond < last ? beyond : last)];
    return static_cast<unsigned>(rim) * static_cast<unsigned>(a_.size.x);
  }
  DWELL_FN int column(int l, int k) const { return columns_[l * RX + k]; }

 private:
  static constexpr int layer = perks_layer_values<S>;
  static constexpr int wide = 16 / static_cast<int>(sizeof(T));  ///< values that travel together
  static constexpr int last_piece = (RX - wide) * perks_lanes;
  static_assert(RX % wide == 0 && RX <= 2 * wide && (Ahead & (Ahead - 1)) == 0);
  struct alignas(wide * sizeof(T)) piece {
    T v[wide];
  };
  struct lane_facts {
    int left;         ///< column of the grid; the lane's first
    int top;          ///< row of the grid, the first of
    int rows;         ///< of the warp, its own,
    int mine;         ///< which the lane stores: all or none,
    int kept;         ///< and of these, in scratch
    int end;          ///< of the rows that it fetches
    int first, last;  ///< columns of the grid where the lane's first and last piece begin
  };
  DWELL_FN static bool within(int r, int n) {
    return static_cast<unsigned>(r) < static_cast<unsigned>(n);
  }

  /// The column of the grid that column i of a warp stands for. Nobody uses what lies beyond a
  /// fixed border: such pieces stand for the warp's own first ones.
  DWELL_FN int column_for(const share& own, int i) const {
    const int x = own.left(0) + i, n = a_.size.x;
    if (a_.edge != boundary::fixed) return cell_for(a_.edge, x, n);
    if (x >= 0 && x < n) return x;
    return pieces_ ? own.x0 + i % wide : own.x0;
  }
  /// The row of the grid for row i of a warp's rim: above, then below.
  DWELL_FN int rim_row(const share& own, int i) const {
    const int y = (i < rim_ ? own.y0 : own.y1) + i % rim_ - (i < rim_ ? rim_ : 0), n = a_.size.y;
    if (a_.edge != boundary::fixed) return cell_for(a_.edge, y, n);
    return y < 0 ? 0 : y >= n ? n - 1 : y;
  }
  /// The same without a table, if the rim is not more than the grid.
  DWELL_FN int row_of(int y) const {
    const int n = a_.size.y;
    if (a_.edge == boundary::fixed) return y < 0 ? 0 : y < n ? y : n - 1;
    return y < 0 ? y + n : y < n ? y : y - n;
  }
  // Numbers of cells fit into 32 bits, see the plan.
  DWELL_FN unsigned own_row_in_field(int l, int r) {
    return static_cast<unsigned>(lane_[l].top + r) * static_cast<unsigned>(a_.size.x);
  }
  DWELL_FN unsigned streamed_offset(int l, int r) const {
    return static_cast<unsigned>((r - a_.plan.scratch_rows) * layer + l * wide);
  }
  DWELL_FN T* kept_at(int l, int r) const { return kept_ + (r * layer + l * wide); }
  DWELL_FN T* slot(int l, int j) const { return ring_ + ((j & (Ahead - 1)) * layer + l * wide); }
  /// Value k of a lane's row that begins at p: as many as travel together lie side by side, the
  /// next ones after those of all lanes.
  template <class P>
  DWELL_FN static P at(P p, int k) {
    return p + k / wide * wide * perks_lanes + k % wide;
  }
  template <class V>
  DWELL_FN static void fetch_as(bool wanted, T* to, const T* from) {
    Team::fetch_if(wanted, reinterpret_cast<V*>(to), reinterpret_cast<const V*>(from));
  }
  DWELL_FN static piece piece_of(const row& v, int k) {
    piece some;
    DWELL_UNROLL
    for (int i = 0; i < wide; ++i) some.v[i] = v.v[k + i];
    return some;
  }
  DWELL_FN static row read(const T* p) {
    row v;
    DWELL_UNROLL
    for (int k = 0; k < RX; k += wide) {
      const piece some = *reinterpret_cast<const piece*>(at(p, k));
      DWELL_UNROLL
      for (int i = 0; i < wide; ++i) v.v[k + i] = some.v[i];
    }
    return v;
  }
  DWELL_FN static void write_if(bool wanted, T* p, const row& v) {
    DWELL_UNROLL
    for (int k = 0; k < RX; k += wide)
      if (wanted) *reinterpret_cast<piece*>(at(p, k)) = piece_of(v, k);
  }

  const sweep_call<S, T>& a_;
  int rim_;
  T *kept_, *ring_;
  int *columns_, *rims_;
  T* streamed_;
  bool pieces_;  ///< rows of the field consist of whole pieces
  const T* field_ = nullptr;
  decltype(std::declval<Team&>().template per_lane<lane_facts>()) lane_;
};

}  // namespace dwell
