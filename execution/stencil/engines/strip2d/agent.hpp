// SPDX-License-Identifier: MIT
// The subdomain of every warp of a team in two dimensions, fully cached: the first RZ rows in
// registers, the others in scratch, but for the last few, which others need anyway and which live
// in the field. Four columns a lane; lanes own all cells of theirs or none. Only cells R from an
// edge of the subdomain pass through the field, where other warps read them; a step computes no
// halo.
//
// A step goes down the rows, from R above the subdomain to R below it. Every row that comes in is
// added to the sums of the 2R + 1 rows that its taps reach (partial_sums), and completes the one R
// above it, which goes back to where it was. A lane reads and writes its own cells only, and gets
// the cells beside them by shuffle. The cells beyond the ends of a row are fetched from the field
// by all lanes of the warp, for some rows together, while the rows before are computed. So no warp
// waits for the others of its team, but between two steps for the owners of the subdomains around
// its own, of whatever team. The warps that it reads from have then published their cells, and the
// warps that read the cells which it is about to write have read them: a row of a copy is written
// two steps after it was written last, behind the same waits. (Flags that went up half fields too,
// so that no warp waited for work only just done, took more time for their fences than such waits
// do.)
//
// Rows and columns of a fixed border are in no subdomain: they come in like any others, from
// either copy of the field.
#pragma once
#include "dwell/execution/stencil/cell/partial_sums.hpp"
#include "dwell/execution/stencil/engines/layers.hpp"
#include "dwell/execution/stencil/engines/strip2d/sizes.hpp"
#include "dwell/execution/stencil/engines/strip2d/subdomain.hpp"

namespace dwell {

template <class S, class T, class Team, int RZ>
class strip2d_agent {
 public:
  DWELL_FN strip2d_agent(Team& team, const stencil_call<S, T>& a)
      : team_(team),
        a_(a),
        sides_(team.template scratch<T>(perks_warps * strip_halo_values<S, T>)),
        cached_(team.template scratch<T>(a.plan.scratch_rows * layer)),
        most_(team.warp_most([&](int l) { return subdomain_of(l).ny; })),
        around_(a.edge == boundary::periodic ? a.size.y : 0) {
    team.each([&](int l) { lane_[l] = lane(a, subdomain_of(l), l); });
  }

  /// All of the subdomain from a copy of the field.
  DWELL_FN void load(const T* field) {
    published_ = field;
    team_.each([&](int l) {
      DWELL_UNROLL
      for (int r = 0; r < RZ; ++r) r_[l].v[r] = from_field(l, field, r);
      for (int r = RZ; r < cached(l); ++r) write(cached_at(l, r), from_field(l, field, r));
    });
  }

  /// `steps` is 1. Reads cells beyond the subdomain from one copy of the field and leaves the
  /// subdomain's edges, or all of it, in the other.
  DWELL_FN void advance(int steps, const T* from, T* to, bool whole);

  /// All of the subdomain into a copy of the field.
  DWELL_FN void publish(T* field) {
    team_.each([&](int l) {
      DWELL_UNROLL
      for (int r = 0; r < RZ; ++r) publish(l, field, r, r_[l].v[r], lane_[l].all);
      for (int r = RZ; r < cached(l); ++r)
        publish(l, field, r, read(cached_at(l, r)), lane_[l].all);
      for (int r = cached(l); r < rows(l); ++r)
        publish(l, field, r, from_field(l, published_, r), lane_[l].all);
    });
  }
  /// Nothing: cells beyond the subdomain are read from the field during a step.
  DWELL_FN void take(const T*) {}
  /// Scratch for a double a lane, in which there is nothing between steps.
  DWELL_FN double* idle() { return reinterpret_cast<double*>(sides_); }
  static_assert(strip_halo_values<S, T> * sizeof(T) >= 32 * sizeof(double));

 private:
  using subdomain = strip_subdomain<S, T>;
  static constexpr int R = radius_of<S>, RX = subdomain::RX;
  static constexpr bool star = is_star<S>;
  static constexpr int Q = strip_field_rows<S>;  ///< rows, the last ones, live in the field only
  static constexpr int layer = perks_layer_values<S>;
  using lane = strip_lane<S, T>;
  static constexpr int beside = lane::beside, together = lane::together, ring = lane::ring;
  static constexpr int first_side =
      star ? 0 : -R;                   ///< row whose columns beside the subdomain count
  static constexpr int loop = RZ + R;  ///< row that the loop over rows begins with
  static constexpr int below_ahead =
      R == 2 || R == 5 ? 1 : 2;  ///< rows below that are on their fields
  /// Iterations of the loop without a branch between them: as many as make it faster. Iterations of
  /// a large box are long, and the instruction caches should hold a whole step.
  static constexpr int straight = !star && R > 1 ? 2 : together;
  static_assert(Team::lanes() == perks_lanes && RZ >= R && Q <= R);

  struct tile_of_lane {
    static constexpr int across = RX, down = 1, cells = RX;
  };
  using piece = cell_piece<T>;
  static constexpr int wide = piece::size;
  using view = neighbour_view<S, T, tile_of_lane>;
  using lane_sums = partial_sums<S, T, tile_of_lane>;
  using row = lane_layer<T, RX>;
  template <int Rows>
  struct column {
    row v[Rows];
  };
  struct step_fields {
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
    const strip2d_agent& subdomain;
    DWELL_FN void put(int l, int y, const row& v) const { write(subdomain.cached_at(l, y), v); }
  };
  /// Whether the columns beside the subdomain count: none; they do; they do and have arrived, since
  /// the row's group has begun.
  enum class columns { none, asked_for, there };
  /// Columns of a row that is in registers: in a star the columns beside those above it do not
  /// count.
  template <int Row>
  static constexpr columns beside_rows = Row < first_side ? columns::none : columns::asked_for;
  struct in_field {
    static constexpr bool exists = true;
    DWELL_FN void put(int, int, const row&) const {}
  };
  /// Rows near the upper or the lower edge, which others need whole; rows between, whose ends they
  /// need: published at once, or later, for some rows together.
  enum class published_rows { whole, ends, ends_later };

  DWELL_FN subdomain subdomain_of(int l) const { return subdomain(a_, team_.worker(), l / 32); }
  /// On a CPU a team goes through as many rows as the longest of its warps' subdomains has, and
  /// lanes of shorter ones, or of none, sit some out.
  DWELL_FN int rows(int l) { return Team::vectors ? lane_[l].rows : most_; }
  DWELL_FN int cached(int l) { return rows(l) - Q; }
  DWELL_FN bool absent(int l) { return Team::vectors && lane_[l].rows == 0; }
  struct this_row {
    int r;
    DWELL_FN int operator()(strip2d_agent&, int) const { return r; }
    DWELL_FN static bool sits_out(strip2d_agent& s, int l) { return s.absent(l); }
  };
  struct this_row_of_all : this_row {  ///< in the loop, which ends before the last row
    DWELL_FN bool sits_out(strip2d_agent& s, int l) const {
      return Team::vectors && this->r >= s.cached(l) - 1;
    }
  };
  struct row_after_cached : this_row {
    DWELL_FN int operator()(strip2d_agent& s, int l) const { return s.cached(l) + this->r; }
  };
  // Fully cached fields have few cells: their numbers are of 32 bits.
  /// Where a row of the subdomain begins in the field, and any row that the subdomain needs.
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
  /// Into a copy of the field all cells of the subdomain that a step has not published.
  DWELL_FN void publish_interior(T* field) {
    team_.each([&](int l) {
      lane_[l].top = Team::opaque(lane_[l].top);
      const unsigned pieces = lane_[l].all & ~lane_[l].some;
      DWELL_UNROLL
      for (int r = R; r < RZ; ++r) publish(l, field, r, r_[l].v[r], pieces);
      for (int r = RZ; r < cached(l) && r < rows(l) - R; ++r)
        publish(l, field, r, read(cached_at(l, r)), pieces);
    });
  }
  /// Pieces of the lane's own row r into a copy of the field.
  DWELL_FN void publish(int l, T* field, int r, const row& v, unsigned pieces) {
    T* p = field + (own_row_in_field(l, r) + lane_[l].first);
    DWELL_UNROLL
    for (int k = 0; k < RX; k += wide)
      if (pieces >> (k / wide) & 1u) put_piece(p + k, v, k);
  }

  DWELL_FN T* cached_at(int l, int r) const { return cached_ + ((r - RZ) * layer + l * wide); }
  DWELL_FN static row read(const T* p) {
    row v;
    DWELL_UNROLL
    for (int k = 0; k < RX; k += wide) get_piece(v, k, p + lane::cached_place(k));
    return v;
  }
  DWELL_FN static void write(T* p, const row& v) {
    DWELL_UNROLL
    for (int k = 0; k < RX; k += wide) put_piece(p + lane::cached_place(k), v, k);
  }

  /// A ring, for each warp and each end of its rows, of the cells beyond that end.
  DWELL_FN const T* side_at(int l, int r) {
    return sides_ + (lane_[l].ends + ((r - loop) & (ring - 1)) * beside * wide);
  }
  /// The first row of the group of row r: cells beyond the ends of rows are fetched for a group of
  /// rows together, and the loop begins with a group.
  DWELL_FN static constexpr int group_of(int r) { return r - ((r - loop) & (together - 1)); }
  /// The group that begins with row `first`: after this call it has arrived, and the next one is
  /// under fields. The lane also calls get() before it begins the fetch, and put() of that value
  /// after.
  template <class Get, class Put>
  DWELL_FN void begin_group(int l, const T* from, int first, const Get& get, const Put& put) {
    Team::template await_fetches<0>();
    Team::warp_barrier();
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

  /// The lane's piece of the ends of a group of rows in scratch, from `first` on; and its fields
  /// into the field: for rows that are complete when the loop ends.
  DWELL_FN bool has_end(int l, int first) {
    const int r = first + lane_[l].side_row;
    return lane_[l].side_row < together && r >= RZ && r < cached(l) - 1 - R;
  }
  DWELL_FN piece end_of(int l, int first) {
    const int r = first + lane_[l].side_row;
    if (!has_end(l, first)) return {};
    return *reinterpret_cast<const piece*>(cached_ + ((r - RZ) * layer + lane_[l].edge_slot));
  }
  DWELL_FN void publish_end(int l, T* field, int first, const piece& v) {
    const int r = first + lane_[l].side_row;
    if (has_end(l, first))
      *reinterpret_cast<piece*>(field + (own_row_in_field(l, r) + lane_[l].edge)) = v;
  }

  /// Row r(lane) comes in, `next`, which then is then(lane); the one R above it is complete.
  template <columns Columns, published_rows Published, class Row, class Sums, class Rows,
            class Place, class Then>
  DWELL_FN void add_row(const Row& r, const step_fields& fields, Sums& sums, Rows& next,
                        const Place& place, const Then& then);

  Team& team_;
  const stencil_call<S, T>& a_;
  const T* published_ = nullptr;  ///< the copy of the field that the last step has written
  T* sides_;
  T* cached_;   ///< last, so that the compiler knows where all others lie
  int most_;    ///< rows of the warp's subdomain; of the longest one, if a team plays all lanes
  int around_;  ///< rows from one end of the grid to the other, if they are neighbours
  decltype(std::declval<Team&>().template per_lane<lane>()) lane_;
  registers r_;
};

}  // namespace dwell

#include "dwell/execution/stencil/engines/strip2d/step.hpp"
