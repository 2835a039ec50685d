// SPDX-License-Identifier: MIT
// The first and the last of the chain: one brings the rows of a run in from one copy of the field,
// the other puts the rows that a team owns out to the other copy. Neither changes a value.
#pragma once
#include <cstddef>
#include <cstdint>

#include "dwell/base/ranges.hpp"
#include "dwell/execution/stencil/args.hpp"
#include "dwell/execution/stencil/engines/ring2d/sizes.hpp"
#include "dwell/execution/stencil/engines/ring2d/strips.hpp"

namespace dwell {

/// The segments of a run, one after the other, and the ticks that are left of this one.
template <class S, class T, class Team, ring_config C>
class ring_transfer {
 protected:
  using sizes = ring_sizes<S, T, C>;
  static constexpr int N = C.rows;

  DWELL_FN ring_transfer(const Team& team, const stencil_call<S, T>& a, const pass_runs& pass,
                         int levels)
      : a_(a),
        strips_{sizes::width, sizes::halo, a.size.x, a.edge != boundary::fixed},
        lag_(levels * C.steps * sizes::radius),
        at_(pass.cut[team.worker()]),
        stop_(pass.cut[team.worker() + 1]) {
    open();
  }
  /// The segment at the next row of the run, if there is one.
  DWELL_FN bool open() {
    left_ = 0;
    if (at_ >= stop_) return false;
    segment_ = ring_segment::at(at_, stop_, a_.size.y, lag_, N, strips_.beyond);
    left_ = segment_.ticks;
    return true;
  }
  DWELL_FN bool next() {
    at_ = segment_.next(a_.size.y);
    return open();
  }
  /// Rows of the field begin at whole units of copies.
  DWELL_FN bool aligned() const { return a_.pitch % sizes::unit == 0; }

 public:
  DWELL_FN bool more() const { return left_ > 0; }

 protected:
  const stencil_call<S, T>& a_;
  const overlapping_strips strips_;
  const int lag_;
  int at_, stop_;
  ring_segment segment_{};
  int left_ = 0;
};

template <class S, class T, class Team, ring_config C>
class ring_intake : ring_transfer<S, T, Team, C> {
  using base = ring_transfer<S, T, Team, C>;
  using typename base::sizes;
  static constexpr int N = C.rows;

 public:
  DWELL_FN ring_intake(Team& team, const stencil_call<S, T>& a, const pass_runs& pass, int levels)
      : base(team, a, pass, levels), port_(team), field_(a.field[pass.from]) {
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
        if (by_cells() || !port::rows_arrive) port_.finish_cells();
        if (this->next()) begin();
      }
    }
  }

 private:
  using port = typename Team::intake;
  /// How the rows of a segment are copied: one after the other, in a piece; each from where it
  /// lies, in two parts where a periodic field goes around; likewise, but the cells next to the end
  /// of the row one by one, where that is within a unit of copies; or all cells one by one.
  enum class transfer_kind { whole_rows, parts_of_rows, parts_and_cells, cells };
  DWELL_FN bool by_cells() const {
    return kind_ == transfer_kind::parts_and_cells || kind_ == transfer_kind::cells;
  }

  DWELL_FN void tick() {
    if (kind_ == transfer_kind::whole_rows) {
      port_.take_rows(from_, this->a_.pitch, this->a_.size.y - y_);
      from_ += std::ptrdiff_t{N} * this->a_.pitch;
      port_.leave_rows();
    } else if (kind_ == transfer_kind::parts_of_rows) {
      port_.expect_rows(N * sizes::width);
      for (int r = 0; r < N; ++r) {
        const T* const row = row_at(y_ + r);
        port_.take_part(r, 0, row + x_, first_part_);
        if (first_part_ < sizes::width)
          port_.take_part(r, first_part_, row, sizes::width - first_part_);
      }
      port_.leave_rows();
    } else {
      if (kind_ == transfer_kind::parts_and_cells) port_.expect_parts(N * seam_.cells);
#pragma unroll 1
      for (int r = 0; r < N; ++r) take_cells(r, y_ + r);
      port_.leave_cells();
    }
  }
  DWELL_FN void begin() {
    if (!more()) return;
    const int nx = this->a_.size.x, origin = this->strips_.origin(this->segment_.strip);
    y_ = this->segment_.begin;
    late_ = origin & (sizes::unit - 1);
    from_ = field_ + std::ptrdiff_t{y_} * this->a_.pitch + (origin - late_);
    x_ = origin < 0 ? origin + nx : origin;
    first_part_ = nx - x_ < sizes::width ? nx - x_ : sizes::width;
    seam_ = {};
    seam_.end = sizes::row_values;
    if (!this->strips_.beyond) {
      kind_ = this->aligned() ? transfer_kind::whole_rows : transfer_kind::cells;
      return;
    }
    const bool inside = within(origin, nx) && first_part_ == sizes::width;
    const bool around = this->a_.edge == boundary::periodic && nx >= sizes::width;
    kind_ = transfer_kind::cells;
    if (!this->aligned() || late_ != 0) return;
    if (inside || (around && nx % sizes::unit == 0))
      kind_ = transfer_kind::parts_of_rows;
    else if (around)
      begin_seam(origin);
  }
  /// Behind the end of the row no more cells are needed than the halo's.
  DWELL_FN void begin_seam(int origin) {
    constexpr int width = sizes::width, halo = sizes::halo;
    kind_ = transfer_kind::parts_and_cells;
    if (origin < 0) {
      seam_ = {-origin, 0, width + origin, 0, -origin};
    } else {
      const int whole = first_part_ / sizes::unit * sizes::unit, end = first_part_ + halo;
      seam_ = {0, x_, whole, whole, end < width ? end : width};
    }
  }
  DWELL_FN const T* row_at(int y) const {
    const int ny = this->a_.size.y;
    if (!within(y, ny)) y = cell_beyond(this->a_.edge, y, ny);
    return field_ + std::ptrdiff_t{y} * this->a_.pitch;
  }
  DWELL_FN void take_cells(int r, int y) const {
    const int nx = this->a_.size.x, ny = this->a_.size.y;
    const int origin = this->strips_.origin(this->segment_.strip) - late_;
    if (!this->strips_.beyond && y >= ny) return;
    const T* row = row_at(y);
    if (seam_.cells > 0) port_.take_part(r, seam_.to, row + seam_.from, seam_.cells);
    port_.take_cells(r, seam_.first, seam_.end, [&](int c) -> const T* {
      int x = origin + c;
      if (this->strips_.beyond) x = cell_beyond(this->a_.edge, x, nx);
      return x < nx ? row + x : nullptr;
    });
  }

  port port_;
  const T* field_;
  const T* from_ = nullptr;  ///< where the next row begins
  int y_ = 0, late_ = 0;
  int x_ = 0, first_part_ = 0;  ///< begin of a row that goes around; cells up to the end
  /// Parts of a row of a slot: the one that is copied cell by cell, and the rest.
  struct seam {
    int to = 0, from = 0, cells = 0;  ///< from this column of the field to this cell, so many
    int first = 0, end = 0;           ///< cells first to end - 1
  } seam_;
  transfer_kind kind_ = transfer_kind::cells;
};

template <class S, class T, class Team, ring_config C>
class ring_outlet : ring_transfer<S, T, Team, C> {
  using base = ring_transfer<S, T, Team, C>;
  using typename base::sizes;
  static constexpr int N = C.rows;

 public:
  DWELL_FN ring_outlet(Team& team, const stencil_call<S, T>& a, const pass_runs& pass, int levels)
      : base(team, a, pass, levels), port_(team, levels), field_(a.field[pass.from ^ 1]) {
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
        for (int r = 0; r < N; ++r) {
          if (within(row_ + r, rows_)) {
            T* const to = to_ + std::ptrdiff_t{r} * this->a_.pitch;
            if (this->aligned())
              port_.put_row(r, cell_, to, cells_);
            else
              port_.put_cells(r, cell_, to, cells_);
          }
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
    cells_ = this->strips_.end(s.strip) - first;
    cell_ = first - origin + (origin & (sizes::unit - 1));
    row_ = s.begin - this->lag_ - s.first;
    rows_ = s.end - s.first;
    to_ = field_ + (std::ptrdiff_t{s.begin} - this->lag_) * this->a_.pitch + first;
  }

  typename Team::outlet port_;
  T* field_;
  T* to_ = nullptr;           ///< the first cell that goes out of the next row
  int row_ = 0, rows_ = 0;    ///< that row, counted from the segment's first; rows of the segment
  int cell_ = 0, cells_ = 0;  ///< cells of a row in a slot: the first that goes out, how many
};

}  // namespace dwell
