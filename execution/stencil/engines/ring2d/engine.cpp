// SPDX-License-Identifier: MIT
// The plans of engine ring2d.
#include "dwell/execution/stencil/engines/ring2d/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "dwell/base/error.hpp"
#include "dwell/execution/stencil/plan/layers.hpp"
#include "dwell/execution/stencil/plan/stencil_rates.hpp"

namespace dwell {
namespace {

// Measured, in rows of a strip within the field: a row of a strip at a fixed border takes longer,
// and so do rows in which whole rows keep their values; a row that warps pass on costs little.
constexpr double beside_border = 1.05, of_border_rows = 1.7, passed_on = 0.1;
/// A team does not begin a strip for fewer rows.
constexpr int least_rows = 16;

/// Divides rows greedily into runs of at most a given cost.
class run_divider {
 public:
  run_divider(const ring_config& c, const overlapping_strips& strips, const ring_field& field,
              int teams)
      : strips_(strips),
        count_(strips.count()),
        ny_(field.ny),
        by_(c.steps * field.radius),
        levels_(pieces(field.depth, c.steps)),
        border_rows_(by_ + field.radius + c.rows),
        teams_(teams) {}

  /// False: these are too many runs, or a run of this cost holds no row.
  bool divide(double most, ring_runs& out) const {
    const std::int64_t end = std::int64_t{count_} * ny_;
    out = {};
    for (std::int64_t at = 0; at < end;) {
      if (static_cast<int>(out.cut.size()) == teams_) return false;
      out.cut.push_back(static_cast<int>(at));
      const std::int64_t begin = at;
      double left = most;
      while (at < end) {
        const int taken = take(at, left, at > begin);
        if (taken == 0) break;
        at += taken;
        if (at % ny_ != 0) break;
      }
      if (at == begin) return false;
      out.most = std::max(out.most, most - left);
    }
    out.cut.push_back(static_cast<int>(end));
    return true;
  }

 private:
  /// Rows of a strip from `first` to before `end`: what the warps of the chain compute, on average.
  double cost(int first, int end, double unit) const {
    const bool fixed = !strips_.beyond;
    const int lag = levels_ * by_, begin = fixed && first <= lag ? 0 : first - lag;
    const ring_segment s{0, first, end, begin, end + lag - begin};
    double computed = 0;
    for (int w = 0; w < levels_; ++w) {
      const ring_rows rows = s.rows_of(w, by_, ny_, strips_.beyond);
      computed += std::max(0, std::min(rows.until, end + lag - w * by_) - rows.from);
    }
    computed /= levels_;
    double more = passed_on * (s.ticks - computed);
    if (fixed) more += of_border_rows * border_rows_ * ((begin == 0) + (end + by_ >= ny_));
    return (computed + more) * unit;
  }
  /// Rows of the strip at `at` for a run that may cost `left` more, which they are taken from.
  int take(std::int64_t at, double& left, bool another) const {
    const int strip = static_cast<int>(at / ny_), first = static_cast<int>(at % ny_);
    const bool side = !strips_.beyond && (strip == 0 || strip == count_ - 1);
    const double unit = side ? beside_border : 1.0;
    const int rest = ny_ - first;
    int taken = rest;
    if (cost(first, ny_, unit) > left) {
      const double over = cost(first, first + 1, unit) - unit;
      taken = std::min(rest - 1, static_cast<int>((left - over) / unit));
      while (taken > 0 && cost(first, first + taken, unit) > left) --taken;
    }
    if (taken < (another ? std::min(least_rows, rest) : 1)) return 0;
    left -= cost(first, first + taken, unit);
    return taken;
  }

  overlapping_strips strips_;
  int count_, ny_;
  int by_, levels_;  ///< rows by which a warp of the chain is behind the one before it; warps
  int border_rows_;  ///< that a warp tests at a border
  int teams_;
};

/// A row takes a multiprocessor the cycles of its multiply-adds, and more for each warp: it waits
/// for the row and for room, and exchanges the ends of lanes (fitted to runs of nine shapes).
stencil_projection time(const ring_config& c, const stencil_plan& p, const layout_problem& of,
                        double rows) {
  const stencil_rates& on = of.rates;
  // Teams of a multiprocessor share its rates.
  rows *= c.teams;
  const double width = 32.0 * c.across, cells = width * c.warps * c.steps;
  const double out = std::min<double>(p.tile_x, of.stencil.size.x);
  const double start = 30000;  // a launch, and the chain fills
  stencil_projection t;
  t.arithmetic = rows * cells * on.per_cell / p.depth;
  t.shared = rows * (c.warps + 1) * 2 * width * on.bytes / on.shared / p.depth;
  t.memory = rows * (width + out) * on.bytes / on.memory / p.depth;
  const double waits = 200 + 0.02 * width * c.warps * of.stencil.radius;
  // In single precision long stars do better than in double, and wide boxes worse.
  const double single = on.bytes == 8 || of.stencil.radius < 3 ? 1 : on.star ? 0.86 : 1.5;
  double seconds = single * (t.arithmetic + rows / c.teams * waits / p.depth);
  // Every lane loads the source of its own cells from L2, a sector for each.
  if (of.stencil.source) seconds += rows * cells * 2.6 / p.depth;
  // Rows that come cell by cell wait for memory one after the other; and where a strip is wider
  // than the field every cell of the border is tested.
  const extents& n = of.stencil.size;
  const bool around = of.stencil.edge == boundary::periodic && n.x >= width;
  if (of.stencil.edge != boundary::fixed && !around)
    seconds = std::max(seconds, rows * 5000 / p.depth);
  else if (n.x < width)
    seconds *= 3;
  t.exchange = start / p.depth;
  t.seconds = std::max(seconds, t.memory) + t.exchange;
  return on.in_seconds(t);
}

int steps_of(const ring_config& c) { return c.warps * c.steps; }

}  // namespace

overlapping_strips strips_of(const ring_config& c, int radius, const extents& size, boundary edge) {
  return {32 * c.across, steps_of(c) * radius, size.x, edge != boundary::fixed};
}

std::optional<ring_runs> runs_of(const ring_config& c, const overlapping_strips& strips,
                                 const ring_field& field, int teams) {
  if (std::int64_t{strips.count()} * field.ny > INT32_MAX) return std::nullopt;
  const run_divider divider(c, strips, field, std::min(teams, pass_runs::most_teams));
  double low = 1, high = (2.0 * field.ny + 16 * strips.halo + 256) * (strips.count() / teams + 2.0);
  ring_runs best;
  if (!divider.divide(high, best)) return std::nullopt;
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    ring_runs tried;
    if (divider.divide(middle, tried)) {
      high = middle;
      best = tried;
    } else {
      low = middle;
    }
  }
  return best;
}

pass_runs divided_pass(const ring_config& c, int radius, const extents& size, boundary edge,
                       const stencil_plan& p) {
  const auto runs =
      runs_of(c, strips_of(c, radius, size, edge), {size.y, radius, p.depth}, p.teams);
  if (!runs) throw unsupported_error(fmt::format("{} teams are too few for a pass", p.teams));
  pass_runs pass;
  std::copy(runs->cut.begin(), runs->cut.end(), pass.cut);
  return pass;
}

engine_shape ring2d::shape(const config& c) {
  engine_shape s{ring_lanes(c), c.teams, c.across, c.rows};
  s.temporal = true;
  return s;
}

bool ring2d::serves(const config&, const stencil_problem&, const engine_request&) { return true; }

/// Cells beyond a mirror change with every step.
int ring2d::most_depth(const config& c, const stencil_problem& problem) {
  return problem.edge == boundary::reflect ? 1 : steps_of(c);
}

extents ring2d::most_of_layer(const config&, const stencil_problem& problem, int) {
  return extents(1, problem.size.x);
}

layout_result ring2d::lay_out(const config& c, const tiling_request& asked,
                              const layout_problem& on) {
  const stencil_problem& problem = on.stencil;
  const overlapping_strips strips = strips_of(c, problem.radius, problem.size, problem.edge);
  const int depth = asked.depth > 0 ? asked.depth : most_depth(c, problem);
  const auto runs = runs_of(c, strips, {problem.size.y, problem.radius, depth}, asked.teams);
  if (!runs) return layout_obstacle::numbers;
  stencil_candidate out;
  stencil_plan& p = out.plan;
  p.depth = depth;
  p.teams = static_cast<int>(runs->cut.size()) - 1;
  p.tile_x = std::min(strips.own(), problem.size.x);
  p.tile_y = problem.size.y;
  p.tiles_x = strips.count();
  p.tiles_y = p.tiles_z = 1;
  out.time = time(c, p, on, runs->most);
  return out;
}

subdomain_facts ring2d::subdomains(const config& c, const stencil_plan& p,
                                   const stencil_problem& problem) {
  subdomain_facts s = no_subdomains(problem);
  s.halo = steps_of(c) * problem.radius;
  s.halo_computed = true;
  s.pass_steps = p.depth;
  return s;
}

std::string ring2d::describe(const config& c, const stencil_plan& p, const stencil_problem& problem,
                             const std::string&) {
  const overlapping_strips strips = strips_of(c, problem.radius, problem.size, problem.edge);
  const std::int64_t rows = std::int64_t{p.tiles_x} * problem.size.y;
  return fmt::format(
      "{} in one pass; {} of {} columns, {} of them a strip's own; {} teams of {} warps, {} rows "
      "each",
      steps_text(p.depth), p.tiles_x == 1 ? "a strip" : fmt::format("{} strips", p.tiles_x),
      strips.width, strips.own(), p.teams, c.warps, (rows + p.teams - 1) / p.teams);
}

/// Rows come in whole, and the last one may end beyond the field.
std::size_t ring2d::margin(const config& c, const stencil_plan&, const stencil_problem&) {
  return 32 * static_cast<std::size_t>(c.across + 1);
}

}  // namespace dwell
