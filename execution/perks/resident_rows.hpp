// SPDX-License-Identifier: MIT
// The share of every warp of a team in two dimensions, all of it on the chip: the first RZ rows in
// registers, the others in scratch, but for the last few, which others need anyway and which live
// in the field. Four columns a lane; lanes own all cells of theirs or none. Only cells R from an
// edge of the share pass through the field, where other warps read them; a step computes no rim.
//
// A step goes down the rows, from R above the share to R below it, and every row that comes in
// gives what its taps reach to the sums of 2R + 1 rows (wave_sums): it completes the one R above
// it, which goes back to where it was. A lane reads and writes its own cells only, and sees those
// beside them by shuffle. What lies beyond the ends of a row all lanes of the warp fetch from the
// field, for some rows together, while those before them are computed. So no warp waits for another
// one of its team, but between two steps for those around its share, of whatever team. Whom it
// reads has then published what it reads, and who reads what it is about to write has read it: a
// row of a copy is written two steps after it was written last, behind the same waits. (Flags that
// went up half way too, so that nobody waited for what had only just been done, took more time for
// their fences than such waits do.)
//
// Rows and columns of a fixed border are in no share: they come in as any others', from either copy
// of the field.
#pragma once
#include "dwell/execution/perks/perks_rungs.hpp"
#include "dwell/execution/perks/resident_share.hpp"
#include "dwell/execution/perks/wave_level.hpp"

namespace dwell {

template <class S, class T, class Team, int RZ>
class resident_rows {
 public:
  DWELL_FN resident_rows(Team& team, const sweep_call<S, T>& a)
      : team_(team),
        a_(a),
        sides_(team.template scratch<T>(perks_warps * resident_side_values<S, T>)),
        kept_(team.template scratch<T>(a.plan.scratch_rows * layer)),
        most_(team.warp_most([&](int l) { return share_of(l).ny; })),
        around_(a.edge == boundary::periodic ? a.size.y : 0) {
    team.each([&](int l) { lane_[l] = lane(a, share_of(l), l); });
  }

  /// All of the share from a copy of the field.
  DWELL_FN void load(const T* field) {
    shown_ = field;
    team_.each([&](int l) {
      DWELL_UNROLL
      for (int r = 0; r < RZ; ++r) r_[l].v[r] = from_field(l, field, r);
      for (int r = RZ; r < kept(l); ++r) write(kept_at(l, r), from_field(l, field, r));
    });
  }

  /// `steps` is 1. Reads what is beyond the share from one copy of the field and leaves the share's
  /// edges, or all of it, in the other.
  DWELL_FN void advance(int steps, const T* from, T* to, bool whole);

  /// All of the share into a copy of the field.
  DWELL_FN void publish(T* field) {
    team_.each([&](int l) {
      DWELL_UNROLL
      for (int r = 0; r < RZ; ++r) show(l, field, r, r_[l].v[r], lane_[l].all);
      for (int r = RZ; r < kept(l); ++r) show(l, field, r, read(kept_at(l, r)), lane_[l].all);
      for (int r = kept(l); r < rows(l); ++r)
        show(l, field, r, from_field(l, shown_, r), lane_[l].all);
    });
  }
  /// What is beyond the share is read where it is.
  DWELL_FN void take(const T*) {}
  /// Scratch for a double a lane, in which there is nothing between steps.
  DWELL_FN double* idle() { return reinterpret_cast<double*>(sides_); }
  static_assert(resident_side_values<S, T> * sizeof(T) >= 32 * sizeof(double));

 private:
  using share = resident_share<S, T>;
  static constexpr int R = radius_of<S>, RX = share::RX;
  static constexpr bool star = is_star<S>;
  static constexpr int Q = resident_rows_shown<S>;  ///< rows, the last ones, live in the field only
  static constexpr int layer = perks_layer_values<S>;
  using lane = resident_lane<S, T>;
  static constexpr int beside = lane::beside, together = lane::together, ring = lane::ring;
  static constexpr int first_side = star ? 0 : -R;  ///< row whose columns beside the share count
  static constexpr int loop = RZ + R;               ///< row that the loop over rows begins with
  static constexpr int below_ahead =
      R == 2 || R == 5 ? 1 : 2;  ///< rows below that are on their way
  /// Turns of the loop without a branch between them: as many as make it faster. Turns of a large
  /// box are long, and a whole step no more than the caches for instructions hold.
  static constexpr int straight = !star && R > 1 ? 2 : together;
  static_assert(Team::lanes() == perks_lanes && RZ >= R && Q <= R);

  struct patch_of_lane {
    static constexpr int across = RX, down = 1, cells = RX;
  };
  using piece = cell_piece<T>;
  static constexpr int wide = piece::size;
  using view = wave_view<S, T, patch_of_lane>;
  using level = wave_sums<S, T, patch_of_lane>;
  using row = lane_layer<T, RX>;
  template <int Rows>
  struct column {
    row v[Rows];
  };
  struct journey {
    const T* from;
    T* to;
  };
  using registers = decltype(std::declval<Team&>().template per_lane<column<RZ>>());

  // Where a row that is complete goes.
  struct nowhere {
    static constexpr bool exists = false;
  };
  struct in_registers {
    static constexpr bool exists = true;
    registers& r;
    DWELL_FN void put(int l, int y, const row& v) const { r[l].v[y] = v; }
  };
  struct in_scratch {
    static constexpr bool exists = true;
    const resident_rows& share;
    DWELL_FN void put(int l, int y, const row& v) const { write(share.kept_at(l, y), v); }
  };
  /// The columns beside the share do not count; they do; they are there, since the row's group has
  /// begun.
  enum class columns { none, asked_for, there };
  /// Of a row that is in registers: in a star the columns beside those above it do not count.
  template <int Row>
  static constexpr columns beside_rows = Row < first_side ? columns::none : columns::asked_for;
  struct in_field {
    static constexpr bool exists = true;
    DWELL_FN void put(int, int, const row&) const {}
  };
  /// Rows that are near the upper or the lower edge, which others need whole; or between, whose
  /// ends they need: at once, or later, some rows' together.
  enum class show_rows { whole, ends, ends_later };

  DWELL_FN share share_of(int l) const { return share(a_, team_.worker(), l / 32); }
  /// On a CPU a team goes through as many turns as the longest of its warps' shares has, and lanes
  /// of shorter ones, or of none, sit some out.
  DWELL_FN int rows(int l) { return Team::vectors ? lane_[l].rows : most_; }
  DWELL_FN int kept(int l) { return rows(l) - Q; }
  DWELL_FN bool absent(int l) { return Team::vectors && lane_[l].rows == 0; }
  struct this_row {
    int r;
    DWELL_FN int operator()(resident_rows&, int) const { return r; }
    DWELL_FN static bool sits_out(resident_rows& s, int l) { return s.absent(l); }
  };
  struct this_row_of_all : this_row {  ///< in the loop, which ends before the last row
    DWELL_FN bool sits_out(resident_rows& s, int l) const {
      return Team::vectors && this->r >= s.kept(l) - 1;
    }
  };
  struct row_after_kept : this_row {
    DWELL_FN int operator()(resident_rows& s, int l) const { return s.kept(l) + this->r; }
  };
  // Fields that are on the chip whole have few cells: their numbers are of 32 bits.
  /// Where a row of the share begins in the field, and any row that the share needs.
  DWELL_FN unsigned own_row_in_field(int l, int r) {
    return static_cast<unsigned>(lane_[l].top + r) * static_cast<unsigned>(a_.size.x);
  }
  DWELL_FN unsigned row_in_field(int l, int r) {
    const int y = lane_[l].top + r;
    return own_row_in_field(l, r + (y < 0 ? around_ : y < a_.size.y ? 0 : -around_));
  }
  DWELL_FN row from_field(int l, const T* field, int r) {
    row v{};
    if (absent(l)) return v;
    const T* p = field + (row_in_field(l, r) + lane_[l].first);
    DWELL_UNROLL
    for (int k = 0; k < RX; k += wide) get_piece(v, k, p + k);
    return v;
  }
  /// Into a copy of the field what a step has not shown of the share.
  DWELL_FN void show_inside(T* field) {
    team_.each([&](int l) {
      lane_[l].top = Team::opaque(lane_[l].top);
      const unsigned pieces = lane_[l].all & ~lane_[l].some;
      DWELL_UNROLL
      for (int r = R; r < RZ; ++r) show(l, field, r, r_[l].v[r], pieces);
      for (int r = RZ; r < kept(l) && r < rows(l) - R; ++r)
        show(l, field, r, read(kept_at(l, r)), pieces);
    });
  }
  /// Pieces of the lane's own row r into a copy of the field.
  DWELL_FN void show(int l, T* field, int r, const row& v, unsigned pieces) {
    T* p = field + (own_row_in_field(l, r) + lane_[l].first);
    DWELL_UNROLL
    for (int k = 0; k < RX; k += wide)
      if (pieces >> (k / wide) & 1u) put_piece(p + k, v, k);
  }

  DWELL_FN T* kept_at(int l, int r) const { return kept_ + ((r - RZ) * layer + l * wide); }
  DWELL_FN static row read(const T* p) {
    row v;
    DWELL_UNROLL
    for (int k = 0; k < RX; k += wide) get_piece(v, k, p + lane::kept_place(k));
    return v;
  }
  DWELL_FN static void write(T* p, const row& v) {
    DWELL_UNROLL
    for (int k = 0; k < RX; k += wide) put_piece(p + lane::kept_place(k), v, k);
  }

  /// Of each warp and end of rows a ring of what lies beyond them.
  DWELL_FN const T* side_at(int l, int r) {
    return sides_ + (lane_[l].ends + ((r - loop) & (ring - 1)) * beside * wide);
  }
  /// What lies beyond the ends of rows is fetched for some rows together; those with row r, with
  /// which the loop begins, are one such group.
  DWELL_FN static constexpr int group_of(int r) { return r - ((r - loop) & (together - 1)); }
  /// The group that begins with row `first`: it has arrived, and the next one is under way after
  /// it. put(get()) the lane does as well, the one before that and the other one after.
  template <class Get, class Put>
  DWELL_FN void begin_group(int l, const T* from, int first, const Get& get, const Put& put) {
    Team::template await_fetches<0>();
    Team::warp_meets();
    const auto v = get();
    fetch_sides(l, from, first + together);
    put(v);
  }
  DWELL_FN void fetch_sides(int l, const T* from, int first) {
    const int r = first + lane_[l].side_row, last = rows(l) + (star ? 0 : R);
    const unsigned line = star ? own_row_in_field(l, r) : row_in_field(l, r);
    const int half = (first - loop) & together;
    fetch_as<piece, Team>(lane_[l].side_row < together && r >= first_side && r < last,
                          sides_ + (lane_[l].side_slot + half * beside * wide),
                          from + (line + lane_[l].side) - wide);
    Team::close_fetches();
  }

  /// Of rows in scratch, from `first` on as many as travel together, the lane's piece of their
  /// ends, and into the field with it: of rows that are complete when the loop ends.
  DWELL_FN bool has_end(int l, int first) {
    const int r = first + lane_[l].side_row;
    return lane_[l].side_row < together && r >= RZ && r < kept(l) - 1 - R;
  }
  DWELL_FN piece end_of(int l, int first) {
    const int r = first + lane_[l].side_row;
    if (!has_end(l, first)) return {};
    return *reinterpret_cast<const piece*>(kept_ + ((r - RZ) * layer + lane_[l].edge_slot));
  }
  DWELL_FN void show_end(int l, T* field, int first, const piece& v) {
    const int r = first + lane_[l].side_row;
    if (has_end(l, first))
      *reinterpret_cast<piece*>(field + (own_row_in_field(l, r) + lane_[l].edge)) = v;
  }

  /// Row r(lane) comes in, `next`, which then is then(lane); the one R above it is complete.
  template <columns Columns, show_rows Shown, class Row, class Sums, class Rows, class Place,
            class Then>
  DWELL_FN void turn(const Row& r, const journey& way, Sums& sums, Rows& next, const Place& place,
                     const Then& then);

  Team& team_;
  const sweep_call<S, T>& a_;
  const T* shown_ = nullptr;  ///< the copy of the field that has what the last step left
  T* sides_;
  T* kept_;     ///< last, so that the compiler knows where all others lie
  int most_;    ///< rows of the warp's share; of the longest one, if a team plays all lanes
  int around_;  ///< rows from one end of the grid to the other, if they are neighbours
  decltype(std::declval<Team&>().template per_lane<lane>()) lane_;
  registers r_;
};

}  // namespace dwell

#include "dwell/execution/perks/resident_rows_pass.hpp"
