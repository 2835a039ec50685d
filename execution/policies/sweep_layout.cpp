// SPDX-License-Identifier: MIT
// See sweep_layout.hpp.
#include "dwell/execution/policies/sweep_layout.hpp"

#include <algorithm>
#include <limits>

namespace dwell::policies {
namespace {

/// Rows that a pass which does not go straight down puts aside. A brick goes up through all of its
/// planes, and puts none aside.
int stash_rows(traversal order, const sweep_problem_facts& problem) {
  const int turning = problem.size.dims == 3 ? 0 : 2 * problem.radius;
  return order == traversal::fixed ? 0 : order == traversal::ring ? problem.radius : turning;
}

/// Nothing is kept yet but what the rung keeps by itself.
sweep_candidate begin(const sweep_tiling& asked) {
  sweep_candidate c;
  c.plan.rung = asked.rung;
  c.plan.teams = asked.shares_x * asked.shares_y * asked.shares_z;
  c.plan.shares_x = asked.shares_x;
  c.plan.shares_y = asked.shares_y;
  c.plan.shares_z = asked.shares_z;
  c.plan.depth = asked.depth;
  return c;
}

/// What a team takes of others must come from those next to it.
bool too_thin(int cells, int teams, int taken) { return teams > 1 && cells / teams < taken; }

}  // namespace

sweep_laid sweep_layout::of(const sweep_tiling& asked) const {
  if (rung(asked.rung).shape.levels > 0) return of_waves(asked);
  if (rung(asked.rung).shape.warp_shares) return of_resident_rows(asked);
  return problem_.size.dims == 3 ? of_bricks(asked) : of_tiles(asked);
}

/// Scratch that each of so many teams may use. A CPU has plenty; as much as an H200 makes tests
/// meet all cases. Teams that share a multiprocessor share what it has, of which CUDA takes 1 KiB
/// each.
std::size_t sweep_layout::scratch_limit(int teams) const {
  if (device_.on == backend::cpu) return std::size_t(227) * 1024;
  const auto beside = static_cast<std::size_t>(pieces(teams, std::max(device_.units, 1)));
  if (beside <= 1) return device_.shared_per_team;
  const std::size_t part = device_.shared_per_unit / beside;
  return std::min(device_.shared_per_team, part - std::min<std::size_t>(part, 1024));
}

std::size_t sweep_layout::layer_bytes(const sweep_rung& r) const {
  return static_cast<std::size_t>(r.lanes * r.across * r.down) * problem_.scalar_bytes;
}

/// What is not in registers: in scratch as far as it may and fits, the rest streams. False if there
/// is too little scratch even for what streams.
bool sweep_layout::lay_rest(sweep_plan& p, int rest, const sweep_tiling& asked) const {
  const sweep_rung_facts& f = rung(p.rung);
  // In two dimensions a row also puts aside what stands on a border, if it is there at every step.
  const std::size_t aside =
      problem_.size.dims == 2 && f.shape.levels == 0 && !f.shape.warp_shares
          ? static_cast<std::size_t>(f.shape.lanes / 32 * 2 * problem_.radius) *
                problem_.scalar_bytes
          : 0;
  const std::size_t layer = layer_bytes(f.shape) + aside;
  const std::size_t limit = scratch_limit(asked.teams);
  const int fit = limit > f.scratch_bytes
                      ? static_cast<int>(std::min<std::size_t>((limit - f.scratch_bytes) / layer,
                                                               std::numeric_limits<int>::max()))
                      : 0;
  if (asked.may.scratch && rest <= fit) {
    p.scratch_rows = rest;
    p.streamed_rows = 0;
    return true;
  }
  // Rows that stream arrive in scratch; in what order they go matters only then.
  const int beside = rest > 0 ? f.shape.fetched + stash_rows(p.order, problem_) : 0;
  if (beside > fit) return false;
  p.scratch_rows = asked.may.scratch ? fit - beside : 0;
  p.streamed_rows = rest - p.scratch_rows;
  return true;
}

/// The same with an order for the rows that stream. A ring begins so many rows before the end of
/// the last pass as half of L2 holds. Bricks have kernels of their own for other orders than the
/// first to the last, which are taken only if asked for.
bool sweep_layout::lay_rest_in_order(sweep_plan& p, int rest, const sweep_tiling& asked) const {
  if (!lay_rest(p, rest, asked)) return false;
  if (p.streamed_rows == 0) return true;
  const double all = static_cast<double>(layer_bytes(rung(p.rung).shape)) * p.teams;
  const bool beyond_l2 = all * p.streamed_rows > l2_holds * static_cast<double>(device_.l2);
  const bool turns = beyond_l2 && problem_.size.dims == 2;
  p.order = asked.order.value_or(turns ? traversal::zig_zag : traversal::fixed);
  if (p.order == traversal::fixed) return true;
  if (!lay_rest(p, rest, asked)) {
    p.order = traversal::fixed;  // which takes less scratch
    return !asked.order;
  }
  const double streamed = 0.5 * static_cast<double>(device_.l2) / all;
  const int rows = static_cast<int>(streamed * rest / p.streamed_rows);
  p.ring_rows = std::clamp(rows, 1, std::max(1, rest / 2));
  return true;
}

/// Three dimensions: every team has a brick that is on the chip whole, and of which lanes have
/// whole patches. Rims come in pieces, which a mirror would turn around. Planes and columns of a
/// fixed border are in no brick.
sweep_laid sweep_layout::of_resident_bricks(const sweep_tiling& asked) const {
  const sweep_rung& r = rung(asked.rung).shape;
  const extents& n = problem_.size;
  if (n.cells() > most_numbered_cells) return sweep_obstacle::numbers;
  if (!asked.may.scratch || n.x % r.across != 0 || n.y % r.down != 0 ||
      problem_.edge == boundary::reflect)
    return sweep_obstacle::shares;
  const cell_box all = cells_of_bricks(n, problem_.inner, problem_.edge);
  const int columns = (all.x1 - all.x0) / r.across, rows = n.y / r.down;  // of patches
  const int deep = all.z1 - all.z0;
  if (columns / asked.shares_x < 1 || rows / asked.shares_y < 1) return sweep_obstacle::shares;
  const int width = pieces(columns, asked.shares_x), height = pieces(rows, asked.shares_y);
  if (width > 32 || height > r.lanes / 32) return sweep_obstacle::shares;
  // The loop over planes in scratch begins R planes after those in registers, and has a turn before
  // the last plane's.
  if (deep / asked.shares_z < r.register_rows + problem_.radius + 2) return sweep_obstacle::shares;
  sweep_candidate c = begin(asked);
  const int planes = pieces(deep, asked.shares_z);
  if (!lay_rest(c.plan, planes - r.register_rows, asked) || c.plan.streamed_rows > 0)
    return sweep_obstacle::shares;
  c.time = clock_.step_of_resident_brick(c.plan, r, width * r.across, height * r.down);
  return c;
}

/// Three dimensions: every team has a brick.
sweep_laid sweep_layout::of_bricks(const sweep_tiling& asked) const {
  const sweep_rung& r = rung(asked.rung).shape;
  if (!r.rest) return of_resident_bricks(asked);
  const extents& n = problem_.size;
  const int radius = problem_.radius;
  if (too_thin(n.z, asked.shares_z, radius) || too_thin(n.y, asked.shares_y, radius) ||
      too_thin(n.x, asked.shares_x, radius))
    return sweep_obstacle::shares;
  const int width = pieces(n.x, asked.shares_x), height = pieces(n.y, asked.shares_y);
  const int planes = pieces(n.z, asked.shares_z);
  if (width > 32 * r.across || height > r.lanes / 32 * r.down) return sweep_obstacle::shares;
  // The planes below those in registers enter the window without a question.
  if (r.register_rows > 0 && n.z / asked.shares_z < r.register_rows + radius)
    return sweep_obstacle::shares;
  sweep_candidate c = begin(asked);
  if (!lay_rest_in_order(c.plan, planes - r.register_rows, asked)) return sweep_obstacle::scratch;
  const double faces = 2.0 * radius *
                       (static_cast<double>(width) * height + static_cast<double>(width) * planes +
                        static_cast<double>(height) * planes);
  c.time = clock_.step_of_brick(c.plan, r, faces);
  return c;
}

/// Of the cells that a warp (a team in three dimensions) computes in one layer, the part that is
/// its own; 0: shares of this tiling do not fit, or are so thin that one needs cells of others than
/// those next to it.
double sweep_layout::part_of_layer(const sweep_tiling& asked) const {
  const sweep_rung& r = rung(asked.rung).shape;
  const int rim = asked.depth * problem_.radius, nx = problem_.size.x, ny = problem_.size.y;
  // Shares begin where a lane's cells do, and lanes take theirs in whole pieces: along x, shares
  // have so many pieces at least and at most, and only the last one may end within one.
  const int all = nx / r.across, parts = asked.shares_x;
  const int least = all / parts, most = pieces(all, parts), beside = pieces(rim, r.across);
  const int widest = most + (nx % r.across != 0 ? 1 : 0);
  if (widest + 2 * beside > 32) return 0;
  // Beyond the end of a periodic row lanes read on in the pieces that they are in, and no farther
  // than the next share: what another one shows is not waited for.
  const int over = problem_.edge == boundary::periodic && nx % r.across != 0 ? 1 : 0;
  if (parts > 1 && least < std::max(beside + over, 2)) return 0;
  const double across = static_cast<double>(nx) / parts / (32 * r.across);
  if (problem_.size.dims == 2) return across;
  const int height = pieces(ny, asked.shares_y), down = r.lanes / 32 * r.down;
  if (height + 2 * rim > down || too_thin(ny, asked.shares_y, rim)) return 0;
  return across * height / down;
}

extents sweep_layout::most_of_layer(int number, int depth) const {
  const sweep_rung& r = rung(number).shape;
  const int rim = depth * problem_.radius, width = 32 * r.across, height = r.lanes / 32 * r.down;
  const bool solid = problem_.size.dims == 3;
  if (r.warp_shares) return extents(1, 0);  // rows are what limits those
  // Bricks compute no rim.
  if (r.levels == 0) return solid ? extents(1, height, width) : extents(1, width - 2 * rim);
  // As part_of_layer() has it; the warps of a team may lie side by side.
  const int own = (32 - 2 * pieces(rim, r.across)) * r.across;
  return solid ? extents(1, height - 2 * rim, own) : extents(1, own * (r.lanes / 32));
}

/// How many shares the first and the last column of warps' shares are cut into: more than others,
/// since turns beside a fixed border take longer, while there are warps left.
int sweep_layout::side_shares(const sweep_tiling& asked) const {
  const int ny = problem_.size.y, rim = asked.depth * problem_.radius, inner = asked.shares_y;
  if (problem_.edge != boundary::fixed || asked.shares_x < 2 || inner < 2) return inner;
  const int warps = rung(asked.rung).shape.lanes / 32;
  const int left = asked.teams * warps - (asked.shares_x - 2) * inner;
  const auto turns = [&](int shares) { return static_cast<double>(ny) / shares + 2 * rim; };
  int n = inner;
  // A warp reads shares of at most four of a column.
  const auto possible = [&](int sides) {
    return 2 * sides <= left && ny / sides >= rim &&
           pieces(ny, inner) + 2 * rim - 2 < 3 * (ny / sides);
  };
  while (most_beside_border * turns(n + 1) > turns(inner) && possible(n + 1)) ++n;
  return n;
}

/// Passes of waves. Layers are the warps' own, in three dimensions the team's; a pass also goes
/// through those of the rim, which nobody keeps.
sweep_laid sweep_layout::of_waves(const sweep_tiling& asked) const {
  const sweep_rung& r = rung(asked.rung).shape;
  const bool solid = problem_.size.dims == 3;
  const int layers = solid ? problem_.size.z : problem_.size.y;
  const int parts = solid ? asked.shares_z : asked.shares_y;
  if (too_thin(layers, parts, asked.depth * problem_.radius)) return sweep_obstacle::shares;
  const double used = part_of_layer(asked);
  if (used == 0) return sweep_obstacle::shares;
  sweep_candidate c = begin(asked);
  const int own = pieces(layers, parts);
  if (!lay_rest(c.plan, own, asked)) return sweep_obstacle::scratch;
  if (problem_.size.cells() > most_numbered_cells) return sweep_obstacle::numbers;
  if (!solid) {
    // Rows that others need live in the field.
    c.plan.scratch_rows =
        std::clamp(own - 2 * asked.depth * problem_.radius, 0, c.plan.scratch_rows);
    c.plan.streamed_rows = own - c.plan.scratch_rows;
    // So have the values of the rows of a team that stream.
    const auto layer = static_cast<std::size_t>(r.lanes * r.across * r.down);
    if (static_cast<std::size_t>(c.plan.streamed_rows) * layer > most_numbered_cells)
      return sweep_obstacle::numbers;
    c.plan.side_shares_y = side_shares(asked);
    const int shares = (asked.shares_x - 2) * asked.shares_y + 2 * c.plan.side_shares_y;
    c.plan.teams = std::min(shares, asked.teams);
  }
  c.time = solid ? clock_.step_of_planes(c.plan, r, problem_, used)
                 : clock_.step_of_wave(c.plan, r, problem_, used);
  return c;
}

/// Two dimensions: every warp has a share that is on the chip whole, but for the last rows, which
/// others need. Lanes own all cells of theirs or none, so the last two shares of a row may have a
/// piece of cells in common.
sweep_laid sweep_layout::of_resident_rows(const sweep_tiling& asked) const {
  const sweep_rung& r = rung(asked.rung).shape;
  const int radius = problem_.radius, piece = static_cast<int>(16 / problem_.scalar_bytes);
  const cell_box all = cells_of_rows(problem_.size, problem_.inner, problem_.edge);
  const int width = all.x1 - all.x0, height = all.y1 - all.y0;
  if (!asked.may.scratch || width < 1 || problem_.size.x % piece != 0 || width % piece != 0 ||
      problem_.edge == boundary::reflect)
    return sweep_obstacle::shares;
  const int lanes = pieces(width, r.across), twice = lanes * r.across - width;
  if (pieces(lanes, asked.shares_x) > 32 || (twice > 0 && asked.shares_x == 1))
    return sweep_obstacle::shares;
  // What lies beyond either end of a row is the next share's own, and another lane's.
  if (lanes / asked.shares_x < 2 ||
      lanes / asked.shares_x * r.across < pieces(radius, piece) * piece + 2 * twice)
    return sweep_obstacle::shares;
  // The loop over rows in scratch begins R rows after those in registers, and ends R rows and one
  // before those that live in the field.
  const int least = height / asked.shares_y;
  if (least < r.register_rows + 2 * radius + r.shown_rows + 1) return sweep_obstacle::shares;
  sweep_candidate c = begin(asked);
  if (problem_.size.cells() > most_numbered_cells) return sweep_obstacle::numbers;
  const int most = pieces(height, asked.shares_y);
  if (!lay_rest(c.plan, most - r.shown_rows - r.register_rows, asked) || c.plan.streamed_rows > 0)
    return sweep_obstacle::shares;
  c.plan.streamed_rows = r.shown_rows;
  c.plan.teams = std::min(asked.shares_x * asked.shares_y, asked.teams);
  c.time = clock_.step_of_resident_rows(c.plan, r);
  return c;
}

/// Two dimensions, passes of one step; between exchanges a team also computes what it took of its
/// eight neighbours.
sweep_laid sweep_layout::of_tiles(const sweep_tiling& asked) const {
  const sweep_rung& r = rung(asked.rung).shape;
  const int warps = r.lanes / 32, radius = problem_.radius, rim = asked.depth * radius;
  const int nx = problem_.size.x, ny = problem_.size.y;
  if (too_thin(nx, asked.shares_x, rim) || too_thin(ny, asked.shares_y, rim))
    return sweep_obstacle::shares;
  const int width = pieces(nx, asked.shares_x) + 2 * rim;
  const int height = pieces(ny, asked.shares_y) + 2 * rim;
  if (width > 32 * r.across) return sweep_obstacle::shares;
  int rest = std::max(0, pieces(height, warps) - r.register_rows);
  if (!r.rest && rest > 0) return sweep_obstacle::shares;
  // The window needs that many.
  if (rest > 0 || r.register_rows == 0) rest = std::max(rest, radius);
  sweep_candidate c = begin(asked);
  if (!lay_rest_in_order(c.plan, rest, asked)) return sweep_obstacle::scratch;
  const double rim_cells = 2.0 * rim * (width + height);
  c.time = clock_.step(c.plan, r, rim_cells, static_cast<double>(width) / (32 * r.across));
  return c;
}

}  // namespace dwell::policies
