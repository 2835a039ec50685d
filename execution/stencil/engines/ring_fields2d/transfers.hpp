// SPDX-License-Identifier: MIT
// The first and the last of the chain: one brings the rows of all arrays in, the other puts the
// rows of the fields that a team owns out. Neither changes a value.
#pragma once
#include <cstddef>

#include "dwell/execution/stencil/engines/ring2d/strips.hpp"
#include "dwell/execution/stencil/engines/ring_fields2d/args.hpp"
#include "dwell/execution/stencil/engines/ring_fields2d/sizes.hpp"

namespace dwell {

/// A team's part of a strip, in turns of the loop; rows that come late are waited for.
template <class S>
DWELL_FN ring_segment segment_at(int at, int stop, int ny, int lag, int turn) {
  ring_segment s = ring_segment::at(at, stop, ny, lag, turn, goes_around<S, 0>);
  s.ticks = (s.end + lag + late_rows<S> - s.begin + turn - 1) / turn;
  return s;
}

/// The segments of a run, one after the other, and the ticks that are left of this one.
template <class S, class T, class Team, chain_config C>
class chain_transfer {
 protected:
  using sizes = chain_sizes<S, T, C>;
  static constexpr int N = C.rows, per_turn = sizes::turn / N;

  DWELL_FN chain_transfer(const Team& team, const fields_pass<T>& a)
      : a_(a),
        strips_{sizes::width, sizes::halo, a.nx, goes_around<S, 1>},
        lag_(a.warps * C.steps * step_rows<S>()),
        at_(a.runs.cut[team.worker()]),
        stop_(a.runs.cut[team.worker() + 1]) {
    open();
  }
  DWELL_FN bool open() {
    left_ = 0;
    if (at_ >= stop_) return false;
    segment_ = segment_at<S>(at_, stop_, a_.ny, lag_, sizes::turn);
    left_ = segment_.ticks * per_turn;
    return true;
  }
  DWELL_FN bool next() {
    at_ = segment_.next(a_.ny);
    return open();
  }

 public:
  DWELL_FN bool more() const { return left_ > 0; }

 protected:
  const fields_pass<T>& a_;
  const overlapping_strips strips_;
  const int lag_;
  int at_, stop_;
  ring_segment segment_{};
  int left_ = 0;
};

template <class S, class T, class Team, chain_config C>
class chain_intake : chain_transfer<S, T, Team, C> {
  using base = chain_transfer<S, T, Team, C>;
  using typename base::sizes;
  static constexpr int N = C.rows, carried = sizes::carried, shared = sizes::arrays - carried;

 public:
  DWELL_FN chain_intake(Team& team, const fields_pass<T>& a) : base(team, a), port_(team) {
    begin();
  }
  using base::more;
  DWELL_FN void run(int ticks) {
    while (ticks > 0 && more()) {
      int n = this->left_ < ticks ? this->left_ : ticks;
      ticks -= n;
      this->left_ -= n;
      for (; n > 0; --n) {
        port_.enter();
        tick();
        y_ += N;
      }
      if (this->left_ == 0) {
        if (by_cells_ || !Team::intake::rows_arrive) port_.finish_cells();
        if (this->next()) begin();
      }
    }
  }

 private:
  DWELL_FN void begin() {
    if (!more()) return;
    const int nx = this->a_.nx, origin = this->strips_.origin(this->segment_.strip);
    x_ = origin - (origin & (sizes::unit - 1));
    y_ = this->segment_.begin;
    cells_ = sizes::row_values;
    by_cells_ = false;
    inside_ = x_ >= 0 && x_ + cells_ <= nx;
    if constexpr (goes_around<S, 1>) {
      by_cells_ = !inside_ && nx % sizes::unit != 0;
    } else if (!inside_) {  // rows end with whole units
      const int rest = this->a_.pitch - x_;
      cells_ = rest < sizes::row_values ? rest : sizes::row_values;
      inside_ = true;
    }
  }
  DWELL_FN void tick() {
    constexpr int late = step_delay<S>();
    if (inside_ && y_ >= late && y_ + N <= this->a_.ny) {
      port_.expect_rows(N * (carried + shared) * cells_);
      DWELL_UNROLL
      for (int r = 0; r < N; ++r) take_row<true>(r);
      port_.leave_rows();
    } else {
      int rows = 0;
      for (int r = 0; r < N; ++r) rows += rows_of<0>(y_ + r);
      if (!by_cells_) port_.expect_rows(rows * cells_);
#pragma unroll 1
      for (int r = 0; r < N; ++r) take_row<false>(r);
      if (by_cells_)
        port_.leave_cells();
      else
        port_.leave_rows();
    }
  }
  DWELL_FN bool in_field(int y) const { return goes_around<S, 0> || (y >= 0 && y < this->a_.ny); }
  /// Rows that come with row y of the first field.
  template <int A>
  DWELL_FN int rows_of(int y) const {
    if constexpr (A == sizes::arrays)
      return 0;
    else
      return (in_field(y - late_of<A>()) ? 1 : 0) + rows_of<A + 1>(y);
  }
  template <int A>
  static constexpr int late_of() {
    return is_renamed<S, A>() || A >= carried ? step_delay<S>() : 0;
  }
  /// Row r of the tick, of all arrays. Within: all of them lie within the field.
  template <bool Within, int A = 0>
  DWELL_FN void take_row(int r) {
    if constexpr (A < sizes::arrays) {
      int y = y_ + r - late_of<A>();
      if constexpr (Within) {
        put<A>(r, 0, this->a_.from[A] + std::ptrdiff_t{y} * this->a_.pitch + x_, cells_);
      } else if (in_field(y)) {
        while (goes_around<S, 0> && y < 0) y += this->a_.ny;
        while (goes_around<S, 0> && y >= this->a_.ny) y -= this->a_.ny;
        take_parts<A>(r, this->a_.from[A] + std::ptrdiff_t{y} * this->a_.pitch);
      }
      take_row<Within, A + 1>(r);
    }
  }
  template <int A>
  DWELL_FN void take_parts(int r, const T* row) {
    if (inside_) {
      put<A>(r, 0, row + x_, cells_);
    } else if (by_cells_) {
      const auto cell = [&](int c) -> const T* { return row + around(x_ + c); };
      if constexpr (A < carried)
        port_.take_cells(r * carried + A, 0, sizes::row_values, cell);
      else
        port_.take_aux_cells(r, A - carried, sizes::row_values, cell);
    } else {
#pragma unroll 1
      for (int c = 0; c < cells_;) {
        const int x = around(x_ + c), rest = this->a_.nx - x;
        const int n = rest < cells_ - c ? rest : cells_ - c;
        put<A>(r, c, row + x, n);
        c += n;
      }
    }
  }
  DWELL_FN int around(int x) const {
    const int nx = this->a_.nx;
    while (x < 0) x += nx;
    while (x >= nx) x -= nx;
    return x;
  }
  template <int A>
  DWELL_FN void put(int r, int c, const T* from, int n) {
    if constexpr (A < carried)
      port_.take_part(r * carried + A, c, from, n);
    else
      port_.take_aux(r, A - carried, c, from, n);
  }

  typename Team::intake port_;
  int x_ = 0, y_ = 0, cells_ = 0;  ///< first column and row of the next tick, cells of a row
  bool inside_ = false;            ///< a row's cells lie side by side in memory
  bool by_cells_ = false;          ///< they go around within a unit of copies
};

template <class S, class T, class Team, chain_config C>
class chain_outlet : chain_transfer<S, T, Team, C> {
  using base = chain_transfer<S, T, Team, C>;
  using typename base::sizes;
  static constexpr int N = C.rows, carried = sizes::carried;

 public:
  DWELL_FN chain_outlet(Team& team, const fields_pass<T>& a) : base(team, a), port_(team, a.warps) {
    begin();
  }
  using base::more;
  DWELL_FN void run(int ticks) {
    while (ticks > 0 && more()) {
      int n = this->left_ < ticks ? this->left_ : ticks;
      ticks -= n;
      this->left_ -= n;
      for (; n > 0; --n) {
        port_.enter();
        if (row_ >= late_rows<S> && row_ + N <= rows_) {
          DWELL_UNROLL
          for (int r = 0; r < N; ++r) put_row<true>(r);
        } else {
          for (int r = 0; r < N; ++r) put_row<false>(r);
        }
        port_.leave();
        to_ += std::ptrdiff_t{N} * this->a_.pitch;
        row_ += N;
      }
      if (this->left_ == 0 && this->next()) begin();
    }
    if (!more()) port_.finish();
  }

 private:
  DWELL_FN void begin() {
    if (!more()) return;
    const ring_segment& s = this->segment_;
    const int origin = this->strips_.origin(s.strip), first = this->strips_.first(s.strip);
    const int behind = this->a_.warps * C.steps * step_delay<S>();
    cells_ = this->strips_.end(s.strip) - first;
    cell_ = first - origin + (origin & (sizes::unit - 1));
    row_ = s.begin - behind - s.first;
    rows_ = s.end - s.first;
    to_ = (std::ptrdiff_t{s.begin} - behind) * this->a_.pitch + first;
  }

  template <bool All, int F = 0>
  DWELL_FN void put_row(int r) {
    if constexpr (F < S::fields) {
      constexpr int late = is_renamed<S, F>() ? step_delay<S>() : 0;
      const int row = row_ + r - late;
      if (All || (row >= 0 && row < rows_))
        port_.put_row(r * carried + F, cell_,
                      this->a_.to[F] + to_ + std::ptrdiff_t{r - late} * this->a_.pitch, cells_);
      put_row<All, F + 1>(r);
    }
  }

  typename Team::outlet port_;
  std::ptrdiff_t to_ = 0;
  int row_ = 0, rows_ = 0, cell_ = 0, cells_ = 0;
};

}  // namespace dwell
