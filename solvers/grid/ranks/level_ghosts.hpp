// SPDX-License-Identifier: MIT
// What ranks exchange of the levels that they share: u of the planes next to their own, a colour at
// a time; residuals that are gathered on one rank and count on another; and the last level, which
// one rank has whole, with all levels below it. Called by one team of each rank while the others
// wait.
#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "dwell/solvers/grid/hierarchy.hpp"
#include "dwell/solvers/grid/ranks/neighbour_messages.hpp"

namespace dwell::grids {

inline constexpr int every_colour = -1;

template <class V>
class level_ghosts {
 public:
  /// own: this rank's levels, of which the last one is gathered on rank 0, where it is the first
  /// one of `whole`, which is null elsewhere. All ranks make it together.
  level_ghosts(communicator& comm, const slab_division& division, hierarchy<V>& own,
               hierarchy<V>* whole, exchange_cost& cost)
      : h_(own), whole_(whole), cost_(cost) {
    const slab here = slab_of(division, comm.rank());
    for (std::size_t n = 0; n + 1 < own.levels.size(); ++n) {
      const level<V>& l = own.levels[n];
      of_level& made = levels_.emplace_back();
      for (int colour = every_colour; colour < l.colours; ++colour) {
        const auto cells = [&](int k) { return cells_of(l, k, colour); };
        made.colours.push_back(std::make_unique<neighbour_messages<V>>(
            comm, here, cells(l.own.begin), cells(l.own.end - 1), cells(l.own.begin - 1),
            cells(l.own.end)));
      }
      const std::size_t plane = own.levels[n + 1].a.shape.plane();
      made.gathered = std::make_unique<neighbour_messages<V>>(comm, here, plane, 0, 0, plane);
      made.last = std::make_unique<neighbour_messages<V>>(comm, here, 0, l.a.shape.plane(),
                                                          l.a.shape.plane(), 0);
    }
    connect_last(comm, division, here);
  }
  level_ghosts(const level_ghosts&) = delete;

  /// The levels from the last one on, if this rank has them for all; else null.
  hierarchy<V>* gathered() const { return whole_; }

  /// u of a colour, or of all, in the planes before and after this rank's own.
  void colour(std::size_t n, int which) {
    level<V>& l = h_.levels[n];
    neighbour_messages<V>& m = *levels_[n].colours[static_cast<std::size_t>(which + 1)];
    pack(l, l.own.begin, which, m.to_lower), pack(l, l.own.end - 1, which, m.to_upper);
    m.run(cost_);
    unpack(l, l.own.begin - 1, which, m.from_lower), unpack(l, l.own.end, which, m.from_upper);
  }
  /// u is 0 in these planes.
  void clear(std::size_t n) {
    level<V>& l = h_.levels[n];
    for (const int k : {l.own.begin - 1, l.own.end})
      if (k >= 0 && k < l.a.shape.n[0])
        std::fill_n(l.u.begin() + place(l, k), l.a.shape.plane(), V(0));
  }
  /// u of the plane before this rank's own, all of it.
  void last_plane(std::size_t n) {
    level<V>& l = h_.levels[n];
    neighbour_messages<V>& m = *levels_[n].last;
    std::copy_n(l.u.begin() + place(l, l.own.end - 1), m.to_upper.size(), m.to_upper.begin());
    m.run(cost_);
    if (!m.from_lower.empty())
      std::copy(m.from_lower.begin(), m.from_lower.end(), l.u.begin() + place(l, l.own.begin - 1));
  }
  /// Where residuals of the first own plane, gathered along the other axes, go to for the rank
  /// before; null if there is none.
  V* gathered_plane(std::size_t n) {
    std::vector<V>& to = levels_[n].gathered->to_lower;
    return to.empty() ? nullptr : to.data();
  }
  void exchange_gathered(std::size_t n) { levels_[n].gathered->run(cost_); }
  /// Those of the plane after this rank's own, or null.
  const V* plane_beyond(std::size_t n) const {
    const std::vector<V>& from = levels_[n].gathered->from_upper;
    return from.empty() ? nullptr : from.data();
  }

  /// f of the last level to rank 0, and u from there, with the plane before a rank's own.
  void gather() { run(*gather_, gather_bytes_); }
  void scatter() { run(*scatter_, scatter_bytes_); }

 private:
  struct of_level {
    std::vector<std::unique_ptr<neighbour_messages<V>>> colours;  ///< all, 0, 1, ...
    std::unique_ptr<neighbour_messages<V>> gathered, last;
  };
  static std::ptrdiff_t place(const level<V>& l, int k) {
    return static_cast<std::ptrdiff_t>(k) * static_cast<std::ptrdiff_t>(l.a.shape.plane());
  }
  /// f(first element, elements) for the pieces of a plane that have a colour.
  template <class F>
  static void pieces(const level<V>& l, int k, int which, F&& f) {
    const auto nx = static_cast<std::size_t>(l.a.shape.n[2]), evens = (nx + 1) / 2;
    if (which == every_colour) return f(place(l, k), l.a.shape.plane());
    l.each_half(k, which, [&](int j, bool odd, int first, int last) {
      if (first < last)
        f(static_cast<std::ptrdiff_t>(l.a.row(k, j) * nx + (odd ? evens : 0)) + first,
          static_cast<std::size_t>(last - first));
    });
  }
  static std::size_t cells_of(const level<V>& l, int k, int which) {
    std::size_t all = 0;
    pieces(l, k, which, [&](std::ptrdiff_t, std::size_t n) { all += n; });
    return all;
  }
  static void pack(const level<V>& l, int k, int which, std::vector<V>& to) {
    if (to.empty()) return;
    auto at = to.begin();
    pieces(l, k, which, [&](std::ptrdiff_t first, std::size_t n) {
      at = std::copy_n(l.u.begin() + first, n, at);
    });
  }
  static void unpack(level<V>& l, int k, int which, const std::vector<V>& from) {
    if (from.empty()) return;
    auto at = from.begin();
    pieces(l, k, which, [&](std::ptrdiff_t first, std::size_t n) {
      std::copy_n(at, n, l.u.begin() + first);
      at += static_cast<std::ptrdiff_t>(n);
    });
  }

  void connect_last(communicator& comm, const slab_division& division, const slab& here) {
    level<V>& l = h_.levels.back();
    const std::size_t plane = l.a.shape.plane();
    int halved = 0;  // times that planes have been, with those of the whole grid
    for (std::size_t n = 0; n + 1 < h_.levels.size(); ++n)
      halved += h_.levels[n].step.axes[0].halved;
    const auto own = [&](int rank) {
      const plane_range all = division.own(rank);
      return plane_range{all.begin >> halved, all.end >> halved};
    };
    const auto message = [&](int peer, std::vector<V>& v, int first, int planes) {
      return rank_message{peer, v.data() + static_cast<std::size_t>(first) * plane,
                          static_cast<std::size_t>(planes) * plane * sizeof(V)};
    };
    const int planes_of_level = whole_ ? whole_->levels[0].a.shape.n[0] : 0;
    std::vector<rank_message> out, in;
    out.push_back(message(0, l.f, l.own.begin, l.own.size()));
    if (whole_)
      for (int r = 0; r < comm.size(); ++r)
        in.push_back(message(r, whole_->levels[0].f, own(r).begin, own(r).size()));
    gather_bytes_ = {out.size(), out[0].bytes};
    gather_ = comm.messages(std::move(out), std::move(in));
    out.clear(), in.clear();
    const bool before = h_.levels.size() > 1;  // interpolation reads the plane before its own
    if (whole_)
      for (int r = 0; r < comm.size(); ++r) {
        out.push_back(message(r, whole_->levels[0].u, own(r).begin, own(r).size()));
        if (before && division.neighbour(r, -1) >= 0)
          out.push_back(message(r, whole_->levels[0].u,
                                (own(r).begin > 0 ? own(r).begin : planes_of_level) - 1, 1));
      }
    in.push_back(message(0, l.u, l.own.begin, l.own.size()));
    if (before && here.lower >= 0) in.push_back(message(0, l.u, l.own.begin - 1, 1));
    scatter_bytes_ = {out.size(), 0};
    for (const rank_message& m : out) scatter_bytes_.second += m.bytes;
    scatter_ = comm.messages(std::move(out), std::move(in));
  }
  void run(message_set& m, std::pair<std::size_t, std::size_t> sent) {
    cost_.of(sent.first, sent.second, [&] {
      m.start();
      m.finish();
    });
  }

  hierarchy<V>& h_;
  hierarchy<V>* whole_;
  exchange_cost& cost_;
  std::vector<of_level> levels_;
  std::unique_ptr<message_set> gather_, scatter_;
  std::pair<std::size_t, std::size_t> gather_bytes_, scatter_bytes_;
};

}  // namespace dwell::grids
