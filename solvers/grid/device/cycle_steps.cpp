// SPDX-License-Identifier: MIT
// Steps in the order of the cycles of CPUs.
#include "dwell/solvers/grid/device/cycle_steps.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "dwell/solvers/grid/cycle_rows.hpp"
#include "dwell/solvers/grid/half_rows.hpp"

namespace dwell::grids {
namespace {

/// Steps in the order of cycle.hpp.
class step_list {
 public:
  step_list(const hierarchy<level_value>& h, bool twice, const deal_limits& limits)
      : h_(h), twice_(twice), limits_(limits) {}

  std::vector<cycle_step> of_cycle() {
    if (h_.levels.size() == 1 && h_.galerkin.levels.empty()) {
      bottom();
    } else {
      const bool three = h_.levels[0].colours == 3;
      relax_down(0, three ? 0 : 1);
      if (h_.galerkin.levels.empty()) {
        below(0, true);
        up(0);
      } else {
        below_box(0, true);
        relax_back(0);
      }
    }
    return std::move(list_);
  }
  /// The order is that of cycle::full and galerkin_cycle::full.
  full_steps of_full() {
    const bool boxes = !h_.galerkin.levels.empty();
    const std::size_t points = boxes ? 1 : h_.levels.size() - 1;  // levels of them above the last
    const cycle_op gathers = boxes ? cycle_op::box_gather : cycle_op::gather;
    for (std::size_t n = 0; n < points; ++n) {
      add_residual(n, false);
      add(gathers, n, is_alone(n));
    }
    for (std::size_t n = 1; n < h_.galerkin.levels.size(); ++n)  // f is their residual
      add(gathers, n, is_box_alone(n));
    const std::size_t down = list_.size();
    if (boxes)
      box_bottom();
    else
      bottom();
    for (std::size_t n = h_.galerkin.levels.size(); n-- > 1;) {
      add(cycle_op::box_prolong, n, is_box_alone(n));
      add(cycle_op::box_relax, n, is_box_alone(n), kinds_of(box_shape(n))[0]);
      box_cycle(n);
    }
    for (std::size_t n = points; n-- > 0;) {
      if (boxes)
        add(cycle_op::box_prolong, n, is_alone(n));
      else
        add(cycle_op::prolong, n, is_alone(n));
      relax_back(n);
      relax_down(n, 1);
      if (boxes) {
        below_box(n, false);
        relax_back(n);
      } else {
        below(n, false);
        up(n);
      }
    }
    return {std::move(list_), down};
  }

 private:
  const grid_shape& shape(std::size_t n) const { return h_.levels[n].a.shape; }
  bool is_alone(std::size_t n) const { return shape(n).cells() <= limits_.alone_cells; }
  void add(cycle_op op, std::size_t n, bool alone, int colour = 0) {
    list_.push_back({op, static_cast<int>(n), colour, alone});
  }
  /// A sweep over all lines: of each axis even ones, then odd ones; back in reverse.
  void sweep(std::size_t n, bool back) {
    for (int one = 0; one < 6; ++one) {
      const int at = back ? 5 - one : one, axis = 2 - at / 2, kind = 2 * axis + at % 2;
      if (shape(n).n[static_cast<std::size_t>(axis)] == 1) continue;
      add(cycle_op::line_residual, n, is_alone(n), kind);
      add(cycle_op::line_correct, n, is_alone(n), kind);
    }
  }
  /// Colours from `from` on, or lines.
  void relax_down(std::size_t n, int from) {
    if (h_.lines) return sweep(n, false);
    for (int c = from; c < h_.levels[n].colours; ++c) add(cycle_op::relax, n, is_alone(n), c);
  }
  void bottom() {
    const std::size_t n = h_.levels.size() - 1;
    const bool alone = n > 0 && is_alone(n - 1) &&
                       shape(n).cells() <= static_cast<std::size_t>(limits_.alone_bottom);
    add(cycle_op::bottom, n, alone);
  }
  /// first: residuals of the first colour were 0, and the second one's u.
  void below(std::size_t n, bool first) {
    add_residual(n, first);
    add(cycle_op::gather, n, is_alone(n));
    if (n + 2 == h_.levels.size()) return bottom();
    const bool three = h_.levels[n + 1].colours == 3;
    relax_down(n + 1, three ? 0 : 1);
    below(n + 1, true);
    up(n + 1);
    if (!twice_ || !visited_again(shape(n + 1), shape(0))) return;
    relax_down(n + 1, 1);
    below(n + 1, false);
    up(n + 1);
  }
  void add_residual(std::size_t n, bool first) {
    add(cycle_op::residual, n, is_alone(n),
        first && h_.levels[n].colours == 2 && !h_.lines ? 1 : 0);
  }
  void up(std::size_t n) {
    add(cycle_op::prolong, n, is_alone(n));
    relax_back(n);
  }
  void relax_back(std::size_t n) {
    if (h_.lines) return sweep(n, true);
    for (int c = h_.levels[n].colours; c-- > 0;) add(cycle_op::relax, n, is_alone(n), c);
  }

  // Galerkin's levels, of which level 0 is the finest of all, as in galerkin_cycle.hpp.
  const grid_shape& box_shape(std::size_t n) const {
    return n == 0 ? shape(0) : h_.galerkin.levels[n - 1].shape;
  }
  bool is_box_alone(std::size_t n) const { return box_shape(n).cells() <= limits_.alone_cells; }
  /// first: see below(), of level 0.
  void below_box(std::size_t n, bool first = false) {
    const bool alone = is_box_alone(n);
    if (n == 0)
      add_residual(0, first);
    else
      add(cycle_op::box_residual, n, alone);
    add(cycle_op::box_gather, n, alone);
    if (n + 1 == h_.galerkin.levels.size())
      box_bottom();
    else
      box(n + 1);
    add(cycle_op::box_prolong, n, alone);
  }
  void box_bottom() {
    const std::size_t n = h_.galerkin.levels.size();
    const bool alone = is_box_alone(n - 1) &&
                       box_shape(n).cells() <= static_cast<std::size_t>(limits_.alone_bottom);
    add(cycle_op::box_bottom, n, alone);
  }
  void box(std::size_t n) {
    const int visits = twice_ && visited_again(box_shape(n), shape(0)) ? 2 : 1;
    for (int visit = 0; visit < visits; ++visit) box_cycle(n);
  }
  /// The first kind is relaxed already: when f is made, or last of a visit before.
  void box_cycle(std::size_t n) {
    const std::vector<int> kinds = kinds_of(box_shape(n));
    for (std::size_t c = 1; c < kinds.size(); ++c)
      add(cycle_op::box_relax, n, is_box_alone(n), kinds[c]);
    below_box(n);
    for (std::size_t c = kinds.size(); c-- > 0;)
      add(cycle_op::box_relax, n, is_box_alone(n), kinds[c]);
  }
  /// Kinds of cells along z, y, x that are relaxed one after the other.
  static std::vector<int> kinds_of(const grid_shape& g) {
    std::vector<int> all;
    for (int z = 0; z < kinds_along(g, 0); ++z)
      for (int y = 0; y < kinds_along(g, 1); ++y)
        for (int x = 0; x < kinds_along(g, 2); ++x) all.push_back((z * 3 + y) * 3 + x);
    return all;
  }

  const hierarchy<level_value>& h_;
  bool twice_;
  const deal_limits& limits_;
  std::vector<cycle_step> list_;
};

}  // namespace

std::vector<cycle_step> cycle_steps(const hierarchy<level_value>& h, bool twice,
                                    const deal_limits& limits) {
  return step_list(h, twice, limits).of_cycle();
}

full_steps steps_of_full(const hierarchy<level_value>& h, bool twice, const deal_limits& limits) {
  return step_list(h, twice, limits).of_full();
}

bool ends_with_sum(const hierarchy<level_value>& h) {
  const bool only_bottom = h.levels.size() == 1 && h.galerkin.levels.empty();
  return !only_bottom && h.levels[0].colours == 2 && !h.lines;
}

int barriers_of(const std::vector<cycle_step>& steps) {
  int count = 0;
  for (std::size_t s = 0; s < steps.size(); ++s)
    if (!steps[s].alone || s + 1 == steps.size() || !steps[s + 1].alone) ++count;
  return count;
}

row_deal deal_of(int rows, int n, int teams, int lanes, bool alone) {
  const auto evens = static_cast<unsigned>(evens_of(n));
  row_deal d;
  d.lane_bits = std::min(5, static_cast<int>(std::bit_width(evens - 1)));
  const unsigned along = 1u << d.lane_bits;
  const std::int64_t groups = std::int64_t{alone ? 1 : teams} * (lanes >> d.lane_bits);
  // Makes as many pieces of rows as there are groups of lanes, about, and none of fewer cells than
  // lanes.
  const auto most = static_cast<std::int64_t>((evens + along - 1) / along);
  const std::int64_t wanted = std::clamp<std::int64_t>(groups / std::max(rows, 1), 1, most);
  d.piece_bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(wanted))) - 1;
  const unsigned pieces = 1u << d.piece_bits;
  const unsigned cells = (evens + pieces - 1) / pieces;
  d.piece = static_cast<int>((cells + along - 1) / along * along);
  const int units = rows << d.piece_bits;
  d.each = units / teams;
  d.rest = units % teams;
  return d;
}

column_deal columns_of(const int (&n)[3], int teams, int lanes) {
  const auto evens = static_cast<unsigned>(evens_of(n[2]));
  column_deal d;
  d.lane_bits = std::min(5, static_cast<int>(std::bit_width(evens - 1)));
  d.strips = static_cast<int>((evens + (1u << d.lane_bits) - 1) >> d.lane_bits);
  const std::int64_t columns = std::int64_t{d.strips} * n[1],
                     groups = std::int64_t{teams} * (lanes >> d.lane_bits);
  // The rounds in which the busiest lanes go down the fewest planes; two are read ahead in each.
  std::int64_t least = -1;
  for (int rounds = 1; rounds <= 8; ++rounds) {
    const std::int64_t bands = std::clamp<std::int64_t>(rounds * groups / columns, 1, n[0]),
                       height = (n[0] + bands - 1) / bands,
                       units = (n[0] + height - 1) / height * columns,
                       planes = (units + groups - 1) / groups * (height + 2);
    if (least >= 0 && planes >= least) continue;
    least = planes;
    d.height = static_cast<int>(height);
    d.each = static_cast<int>(units / teams);
    d.rest = static_cast<int>(units % teams);
  }
  return d;
}

int kinds_along(const grid_shape& g, std::size_t axis) {
  const int n = g.n[axis];
  return n == 1 ? 1 : g.wraps[axis] && n % 2 ? 3 : 2;
}

}  // namespace dwell::grids
