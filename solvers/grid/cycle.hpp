// SPDX-License-Identifier: MIT
// A cycle of multigrid, as phases that teams take together: red-black Gauss-Seidel before and after
// (in the reverse order of colours, so that the cycle is symmetric), residuals of the first colour
// alone, since those of the last one are 0, and corrections of that colour alone, since the last
// one is relaxed next whatever it was. Of levels that are divided among ranks each has planes of
// its own; ghosts are exchanged where teams meet, and the last level is one rank's, with all below
// it.
#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "dwell/solvers/grid/cycle_rows.hpp"
#include "dwell/solvers/grid/galerkin_cycle.hpp"
#include "dwell/solvers/grid/half_rows.hpp"
#include "dwell/solvers/grid/hierarchy.hpp"
#include "dwell/solvers/grid/line_smoother.hpp"
#include "dwell/solvers/grid/plane_team.hpp"
#include "dwell/solvers/grid/ranks/level_ghosts.hpp"

namespace dwell::grids {

template <class V>
class cycle {
 public:
  /// ghosts: of levels that are divided among ranks, or null.
  cycle(hierarchy<V>& h, cycle_rows<V>& rows, level_ghosts<V>* ghosts = nullptr)
      : h_(h), rows_(rows), ghosts_(ghosts), lines_(h), twice_(h.twice) {
    if (!h.galerkin.levels.empty())
      galerkin_.emplace(h.galerkin, h.levels[0].a.shape.cells(), for_one_team);
    if (ghosts && ghosts->gathered()) {
      top_rows_.emplace(*ghosts->gathered());
      top_ = std::make_unique<cycle>(*ghosts->gathered(), *top_rows_);
      twice_ = top_->twice_;
    }
  }

  /// Are small levels visited twice? All teams must say alike that they are no longer.
  bool visits_twice() const { return twice_; }
  void visit_once() {
    twice_ = false;
    if (top_) top_->twice_ = false;
  }

  /// Stage s of the relaxation from u = 0 of a plane; stages 0 to down_stages() - 1.
  int down_stages(const level<V>& l) const { return h_.lines ? 1 : l.colours == 2 ? 2 : 4; }
  void down(level<V>& l, int s, int k) {
    V* const u = l.u.data();
    if (l.colours == 2 && !h_.lines) {
      if (s == 0)
        l.each_half(k, 0, [&](int j, bool odd, int first, int last) {
          first_colour(l, k, j, odd, first, last);
        });
      else
        relax(l, k, 1);
    } else if (s == 0) {
      std::fill_n(u + std::size_t(k) * l.a.shape.plane(), l.a.shape.plane(), V(0));
    } else {
      relax(l, k, s - 1);
    }
  }
  /// Teams have met after stage s of level n: ghosts of what it has made.
  void met_down(plane_team& team, std::size_t n, int s) {
    if (ghosts_)
      team.alone([&] {
        if (h_.levels[n].colours == 2)
          ghosts_->colour(n, s);
        else if (s == 0)
          ghosts_->clear(n);
        else
          ghosts_->colour(n, s - 1);
      });
  }
  /// The rest of a cycle whose level 0 has been relaxed by down() in all planes, and teams have
  /// met. after(plane): what is done with the answer in a plane of level 0 once it is there.
  template <class After>
  void finish(plane_team& team, After&& after) {
    if (only_bottom()) {
      bottom(team, false);
      const auto [begin, end] = team.share(h_.levels[0].own);
      for (int k = begin; k < end; ++k) after(k);
      return;
    }
    if (h_.lines) lines_.sweep(team, h_.levels[0], false);
    below(team, 0);
    up(team, 0, after);
  }
  bool only_bottom() const { return h_.levels.size() == 1 && !galerkin_; }

  /// Full multigrid: u of level 0 for its f. On each level, the coarsest first, the answer of the
  /// next one is interpolated and improved by a cycle. Teams have met, and meet.
  void full(plane_team& team) {
    if (only_bottom()) {
      bottom(team, true);
      return;
    }
    const std::size_t last = galerkin_ ? 0 : h_.levels.size() - 2;  // above the bottom
    of_f_ = true;
    for (std::size_t n = 0; n <= last; ++n) gather(team, n);
    if (galerkin_) galerkin_->full(team, twice_);
    of_f_ = false;
    if (!galerkin_) bottom(team, true);
    for (std::size_t n = last + 1; n-- > 0;) {
      level<V>& l = h_.levels[n];
      const auto [begin, end] = team.share(l.own);
      const std::size_t plane = l.a.shape.plane();
      std::fill(l.u.begin() + std::ptrdiff_t(std::size_t(begin) * plane),
                l.u.begin() + std::ptrdiff_t(std::size_t(end) * plane), V(0));
      team.sync();
      up(team, n, [](int) {});
      team.sync();
      again(team, n);
    }
  }

 private:
  static std::size_t row_at(const level<V>& l, int k, int j) {
    return l.a.row(k, j) * std::size_t(l.a.shape.n[2]);
  }

  void first_colour(level<V>& l, int k, int j, bool odd, int first, int last) {
    const std::size_t at = row_at(l, k, j);
    const int half = odd ? evens_of(l.a.shape.n[2]) : 0;
    V* const u = l.u.data() + at + half;
    const V *const f = l.f.data() + at + half, *const by = l.inverse_of(k, j) + half;
    for (int i = first; i < last; ++i) u[i] = f[i] * by[i];
  }
  void relax(level<V>& l, int k, int colour) {
    l.each_half(k, colour, [&](int j, bool odd, int first, int last) {
      const std::size_t at = row_at(l, k, j);
      V* const u = l.u.data() + at;
      const V *const f = l.f.data() + at, *const by = l.inverse_of(k, j);
      half_row(
          l.a, l.u.data(), h_.zeros.data(), k, j, odd, first, last,
          [](V w, V other, int) { return w * other; },
          [=](int c, V sum) { u[c] = (f[c] + sum) * by[c]; });
    });
  }
  /// Residuals of a row to `to`, in halves; of two colours those of the first only, the others
  /// being 0.
  void residual(const level<V>& l, int k, int j, V* to) {
    const std::size_t at = row_at(l, k, j);
    if (of_f_) {  // u is 0
      std::copy_n(l.f.data() + at, l.a.shape.n[2], to);
      return;
    }
    const int nx = l.a.shape.n[2], evens = evens_of(nx);
    const V *const u = l.u.data() + at, *const f = l.f.data() + at, *const by = l.inverse_of(k, j);
    const auto half = [&](bool odd) {
      half_row(
          l.a, l.u.data(), h_.zeros.data(), k, j, odd, 0, odd ? nx / 2 : evens,
          [](V w, V other, int) { return w * other; },
          [=](int c, V sum) { to[c] = (f[c] + sum) - u[c] / by[c]; });
    };
    if (l.colours == 3 || h_.lines) {
      half(false), half(true);
    } else {
      const bool odd = l.colour_of(k, j) == 1;
      half(odd);
      std::fill_n(to + (odd ? 0 : evens), odd ? evens : nx / 2, V(0));
    }
  }

  /// Cells of a row in halves, gathered to the coarse cells of the next level, in halves.
  void restrict_x(const level<V>& l, int k, int j, const V* from, V* to) {
    const halved_axis& ax = l.step.axes[2];
    if (!ax.halved) {
      std::copy_n(from, ax.n, to);
      return;
    }
    const int n = ax.n, evens = evens_of(n), odds = n / 2, m = ax.coarse();
    const V *const e = from, *const o = from + evens;
    const V* const before = &l.step.x.pool[l.step.x.before[l.a.row(k, j)]];
    const V* const after = &l.step.x.pool[l.step.x.after[l.a.row(k, j)]];
    V* const wide = rows_.wide.data();
    const int inner = n % 2 ? odds : odds - 1;
    for (int i = 0; i < inner; ++i) wide[i] = o[i] + (before[i] * e[i] + after[i] * e[i + 1]);
    if (n % 2 == 0)
      wide[odds - 1] = o[odds - 1] + (before[odds - 1] * e[odds - 1] + after[odds - 1] * e[0]);
    if (ax.odd_ring()) wide[m - 1] = e[evens - 1] + after[m - 1] * e[0];
    split_row(wide, to, m);
  }
  /// to += the correction `from` of the coarse cells of a row, both in halves, where `odd` and
  /// `even` halves want it.
  void prolong_x(const level<V>& l, int k, int j, const V* from, V* to, bool even, bool odd) {
    const halved_axis& ax = l.step.axes[2];
    const int n = ax.n, evens = evens_of(n), odds = n / 2;
    if (!ax.halved) {
      if (even)
        for (int i = 0; i < evens; ++i) to[i] += from[i];
      if (odd)
        for (int i = evens; i < n; ++i) to[i] += from[i];
      return;
    }
    const int m = ax.coarse();
    V* const wide = rows_.wide.data();
    join_row(from, wide, m);
    if (odd)
      for (int i = 0; i < odds; ++i) to[evens + i] += wide[i];
    if (!even) return;
    const V* const before = &l.step.x.pool[l.step.x.before[l.a.row(k, j)]];
    const V* const after = &l.step.x.pool[l.step.x.after[l.a.row(k, j)]];
    const int inner = std::min(ax.between(), m);
    to[0] += before[0] * wide[0] + (ax.wraps ? after[m - 1] * wide[m - 1] : V(0));
    for (int i = 1; i < inner; ++i) to[i] += after[i - 1] * wide[i - 1] + before[i] * wide[i];
    if (ax.between() > m) to[m] += after[m - 1] * wide[m - 1];
    if (ax.odd_ring()) to[evens - 1] += wide[m - 1];
  }

  /// Residuals of a plane, gathered along x and y.
  void restrict_plane(const level<V>& l, int k, V* to) {
    const halved_axis& ay = l.step.axes[1];
    const std::size_t mx = std::size_t(l.step.axes[2].coarse()), my = std::size_t(ay.coarse());
    V* const row = rows_.row.data();
    if (!ay.halved) {
      for (int j = 0; j < ay.n; ++j) {
        residual(l, k, j, row);
        restrict_x(l, k, j, row, to + std::size_t(j) * mx);
      }
      return;
    }
    std::fill_n(to, my * mx, V(0));
    std::vector<V>& part = part_;
    part.resize(mx);
    const auto add = [&](int c, const std::vector<std::size_t>& weights) {
      const V* const w = &l.step.y.pool[weights[std::size_t(k) * my + std::size_t(c)]];
      V* const sum = to + std::size_t(c) * mx;
      for (std::size_t i = 0; i < mx; ++i) sum[i] += w[i] * part[i];
    };
    for (int j = 0; j < ay.n; ++j) {
      residual(l, k, j, row);
      restrict_x(l, k, j, row, part.data());
      if (ay.is_coarse(j)) {
        V* const sum = to + std::size_t(ay.coarse_at(j)) * mx;
        for (std::size_t i = 0; i < mx; ++i) sum[i] += part[i];
      } else {
        if (ay.coarse_before(j) >= 0) add(ay.coarse_before(j), l.step.y.after);
        if (ay.coarse_after(j) >= 0) add(ay.coarse_after(j), l.step.y.before);
      }
    }
  }
  /// The right-hand side of planes [begin, end) of the next level. beyond: what another rank has
  /// gathered from the plane after this one's own, or null.
  void restrict_planes(const level<V>& l, level<V>& next, int begin, int end,
                       const V* beyond = nullptr) {
    const halved_axis& az = l.step.axes[0];
    const std::size_t plane = next.a.shape.plane(), mx = std::size_t(next.a.shape.n[2]);
    int kept = -1;  // the plane that plane[0] has
    const auto add = [&](int c, const std::vector<std::size_t>& weights, const V* from) {
      V* const sum = next.f.data() + std::size_t(c) * plane;
      for (int j = 0; j < next.a.shape.n[1]; ++j) {
        const V* const w = &l.step.z.pool[weights[next.a.row(c, j)]];
        for (std::size_t i = std::size_t(j) * mx, x = 0; x < mx; ++i, ++x) sum[i] += w[x] * from[i];
      }
    };
    for (int c = begin; c < end; ++c) {
      restrict_plane(l, az.centre(c), next.f.data() + std::size_t(c) * plane);
      V* const between = rows_.plane[0].data();
      if (const int b = az.before(c); b >= 0) {
        if (b != kept) restrict_plane(l, b, between);
        add(c, l.step.z.before, between);
      }
      if (const int a = az.after(c); a >= 0 && a == l.own.end && beyond) {
        add(c, l.step.z.after, beyond);
      } else if (a >= 0) {
        restrict_plane(l, a, between);
        kept = a;
        add(c, l.step.z.after, between);
      }
    }
  }
  /// Adds the correction to a plane; of two colours to the first only.
  void prolong(level<V>& l, const level<V>& next, int k) {
    const auto& [az, ay, ax] = l.step.axes;
    const std::size_t plane = next.a.shape.plane(), mx = std::size_t(next.a.shape.n[2]);
    const std::size_t my = std::size_t(ay.coarse());
    const V* from = next.u.data();
    if (az.is_coarse(k)) {
      from += std::size_t(az.coarse_at(k)) * plane;
    } else {
      V* const sum = rows_.plane[0].data();
      const int b = az.coarse_before(k), a = az.coarse_after(k);
      for (int j = 0; j < next.a.shape.n[1]; ++j) {
        V* const to = sum + std::size_t(j) * mx;
        mean(l.step.z.pool, b < 0 ? nullptr : &l.step.z.after[next.a.row(b, j)],
             b < 0 ? nullptr : from + std::size_t(b) * plane + std::size_t(j) * mx,
             a < 0 ? nullptr : &l.step.z.before[next.a.row(a, j)],
             a < 0 ? nullptr : from + std::size_t(a) * plane + std::size_t(j) * mx, to, mx);
      }
      from = sum;
    }
    for (int j = 0; j < ay.n; ++j) {
      const V* row = nullptr;
      if (ay.is_coarse(j)) {
        row = from + std::size_t(ay.coarse_at(j)) * mx;
      } else {
        const int b = ay.coarse_before(j), a = ay.coarse_after(j);
        const std::size_t first = std::size_t(k) * my;
        mean(l.step.y.pool, b < 0 ? nullptr : &l.step.y.after[first + std::size_t(b)],
             b < 0 ? nullptr : from + std::size_t(b) * mx,
             a < 0 ? nullptr : &l.step.y.before[first + std::size_t(a)],
             a < 0 ? nullptr : from + std::size_t(a) * mx, rows_.row.data(), mx);
        row = rows_.row.data();
      }
      const int c = l.colour_of(k, j);
      const bool all = l.colours == 3 || h_.lines;
      prolong_x(l, k, j, row, l.u.data() + row_at(l, k, j), all || c == 0, all || c == 1);
    }
  }
  static void mean(const std::vector<V>& pool, const std::size_t* wb, const V* b,
                   const std::size_t* wa, const V* a, V* to, std::size_t n) {
    const V* const p = pool.data();
    if (b && a)
      for (std::size_t i = 0; i < n; ++i) to[i] = p[*wb + i] * b[i] + p[*wa + i] * a[i];
    else if (b)
      for (std::size_t i = 0; i < n; ++i) to[i] = p[*wb + i] * b[i];
    else if (a)
      for (std::size_t i = 0; i < n; ++i) to[i] = p[*wa + i] * a[i];
    else
      std::fill_n(to, n, V(0));
  }

  /// Residuals of level n, gathered to f of the next one. Teams meet at the end.
  void gather(plane_team& team, std::size_t n) {
    level<V>& l = h_.levels[n];
    if (galerkin_) {
      galerkin_level& next = h_.galerkin.levels[0];
      const auto [begin, end] = team.share(next.shape.n[0]);
      V *const halves = rows_.row.data(), *const natural = rows_.wide.data();
      for (int c = begin; c < end; ++c)
        gather_plane(h_.galerkin.step, galerkin_->top(), l.a.shape, next.shape, c, next.f.data(),
                     [&](int k, int j) {
                       residual(l, k, j, halves);
                       join_row(halves, natural, l.a.shape.n[2]);
                       return natural;
                     });
    } else {
      const auto [begin, end] = team.share(h_.levels[n + 1].own);
      restrict_planes(l, h_.levels[n + 1], begin, end, ghosts_ ? exchange_down(team, n) : nullptr);
    }
    team.sync();
  }
  /// The ghosts that residuals of level n read, and what the next rank has gathered from its first
  /// plane, which is between two coarse ones: the first of them is this rank's.
  const V* exchange_down(plane_team& team, std::size_t n) {
    const level<V>& l = h_.levels[n];
    if (!of_f_) team.alone([&] { ghosts_->colour(n, l.colours - 1); });
    if (!l.step.axes[0].halved) return nullptr;
    team.alone([&] {
      if (V* const to = ghosts_->gathered_plane(n)) restrict_plane(l, l.own.begin, to);
      ghosts_->exchange_gathered(n);
    });
    return ghosts_->plane_beyond(n);
  }
  /// Level n + 1, whose right-hand side comes from level n: teams meet at the end.
  void below(plane_team& team, std::size_t n) {
    gather(team, n);
    if (galerkin_) {
      galerkin_->solve(team, 0, twice_);
      return;
    }
    if (n + 2 == h_.levels.size()) {
      bottom(team, false);
      return;
    }
    whole_by_few(team, n + 1);
  }
  void whole_by_few(plane_team& team, std::size_t n) {
    if (team.workers > 1 && for_one_team(h_.levels[n].a.shape)) {
      plane_team alone;
      team.alone([&] { whole(alone, n); });
      return;
    }
    whole(team, n);
  }
  void whole(plane_team& team, std::size_t n) {
    level<V>& l = h_.levels[n];
    wavefront(
        team, l.own, down_stages(l), [&](int s, int k) { down(l, s, k); },
        [&](int s) { met_down(team, n, s); });
    team.sync();
    if (h_.lines) lines_.sweep(team, l, false);
    below(team, n);
    up(team, n, [](int) {});
    team.sync();
    if (twice_ && visited_again(l.all, h_.finest)) again(team, n);
  }
  /// A cycle from the answer so far, whose first colour has been relaxed last.
  void again(plane_team& team, std::size_t n) {
    level<V>& l = h_.levels[n];
    if (h_.lines) {
      lines_.sweep(team, l, false);
    } else {
      if (ghosts_) team.alone([&] { ghosts_->colour(n, 0); });
      wavefront(
          team, l.own, l.colours - 1, [&](int s, int k) { relax(l, k, s + 1); },
          [&](int s) {
            if (ghosts_) team.alone([&] { ghosts_->colour(n, s + 1); });
          });
      team.sync();
    }
    below(team, n);
    up(team, n, [](int) {});
    team.sync();
  }
  /// The correction of Galerkin's first level, to a plane.
  void prolong_galerkin(level<V>& l, int k) {
    const int nx = l.a.shape.n[2], evens = evens_of(nx), odds = nx / 2;
    const galerkin_level& next = h_.galerkin.levels[0];
    V* const wide = rows_.wide.data();
    for (int j = 0; j < l.a.shape.n[1]; ++j) {
      std::fill_n(wide, nx, V(0));
      add_interpolated(h_.galerkin.step, galerkin_->top(), l.a.shape, next.shape, next.u.data(), k,
                       j, wide);
      V* const u = l.u.data() + row_at(l, k, j);
      for (int i = 0; i < evens; ++i) u[i] += wide[2 * i];
      for (int i = 0; i < odds; ++i) u[evens + i] += wide[2 * i + 1];
    }
  }
  /// The correction of level n + 1, and relaxation. after(plane) once a plane is done.
  template <class After>
  void up(plane_team& team, std::size_t n, After&& after) {
    level<V>& l = h_.levels[n];
    if (h_.lines) {
      const auto [begin, end] = team.share(l.own);
      for (int k = begin; k < end; ++k) prolong(l, h_.levels[n + 1], k);
      team.sync();
      lines_.sweep(team, l, true);
      for (int k = begin; k < end; ++k) after(k);
      return;
    }
    const int colours = l.colours;
    if (ghosts_ && l.step.axes[0].halved && n + 2 < h_.levels.size())
      team.alone([&] { ghosts_->last_plane(n + 1); });
    wavefront(
        team, l.own, 1 + colours,
        [&](int s, int k) {
          if (s == 0 && galerkin_)
            prolong_galerkin(l, k);
          else if (s == 0)
            prolong(l, h_.levels[n + 1], k);
          else
            relax(l, k, colours - s);
          if (s == colours) after(k);
        },
        [&](int s) {
          if (!ghosts_) return;
          const bool all = s == 0 && colours == 3;
          team.alone([&] { ghosts_->colour(n, all ? every_colour : s == 0 ? 0 : colours - s); });
        });
  }
  /// u of the last level for its f; of ranks the levels below it are those of one, which has them
  /// whole. full: begins by full multigrid. Teams have met, and meet.
  void bottom(plane_team& team, bool full) {
    if (!ghosts_) {
      team.alone([&] { h_.bottom.solve(h_.levels.back().f.data(), h_.levels.back().u.data()); });
      return;
    }
    team.alone([&] { ghosts_->gather(); });
    if (top_ && full)
      top_->full(team);
    else if (top_ && top_->only_bottom())
      top_->bottom(team, false);
    else if (top_)
      top_->whole_by_few(team, 0);
    team.alone([&] { ghosts_->scatter(); });
  }

  hierarchy<V>& h_;
  cycle_rows<V>& rows_;
  level_ghosts<V>* ghosts_;
  std::optional<cycle_rows<V>> top_rows_;  ///< rows of the levels that this rank has for all
  std::unique_ptr<cycle> top_;
  line_smoother<V> lines_;
  std::optional<galerkin_cycle> galerkin_;
  std::vector<V> part_;
  bool twice_;
  bool of_f_ = false;  ///< residuals are those of u = 0
};

}  // namespace dwell::grids
