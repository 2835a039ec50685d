// SPDX-License-Identifier: MIT
// See sweep_keep.hpp.
#include "dwell/execution/policies/sweep_keep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "dwell/execution/policies/sweep_clock.hpp"
#include "dwell/formats/error.hpp"

namespace dwell::policies {
namespace {

int pieces(int cells, int of) { return (cells + of - 1) / of; }

struct permission {
  bool registers, scratch;
};

struct candidate {
  sweep_plan plan;
  sweep_projection time{INFINITY};
};

constexpr int depths[] = {1, 2, 3, 4, 6, 8, 12, 16};

/// Scratch that a team may use. A CPU has plenty; as much as an H200 makes tests meet all cases.
std::size_t scratch_limit(const device_facts& device) {
  return device.on == backend::cpu ? std::size_t(227) * 1024 : device.shared_per_team;
}

/// Rows that a pass which does not go straight down puts aside.
int stash_rows(traversal order, int radius) {
  return order == traversal::fixed ? 0 : order == traversal::ring ? radius : 2 * radius;
}

std::size_t layer_bytes(const sweep_rung& r, const sweep_problem_facts& problem) {
  return static_cast<std::size_t>(r.lanes * r.across * r.down) * problem.scalar_bytes;
}

/// What is not in registers: in scratch as far as it may and fits, the rest streams. False if there
/// is too little scratch even for what streams.
bool lay_rest(sweep_plan& p, int rest, const sweep_problem_facts& problem,
              const sweep_rung_facts& rung, permission may, const device_facts& device) {
  // In two dimensions a row also puts aside what stands on a border, if it is there at every step.
  const std::size_t aside =
      problem.size.dims == 2 && rung.shape.levels == 0
          ? static_cast<std::size_t>(rung.shape.lanes / 32 * 2 * problem.radius) *
                problem.scalar_bytes
          : 0;
  const std::size_t layer = layer_bytes(rung.shape, problem) + aside;
  const std::size_t limit = scratch_limit(device);
  const int fit = limit > rung.scratch_bytes
                      ? static_cast<int>(std::min<std::size_t>((limit - rung.scratch_bytes) / layer,
                                                               std::numeric_limits<int>::max()))
                      : 0;
  if (may.scratch && rest <= fit) {
    p.scratch_rows = rest;
    p.streamed_rows = 0;
    return true;
  }
  // Rows that stream arrive in scratch; in what order they go matters only then.
  const int beside = rest > 0 ? rung.shape.fetched + stash_rows(p.order, problem.radius) : 0;
  if (beside > fit) return false;
  p.scratch_rows = may.scratch ? fit - beside : 0;
  p.streamed_rows = rest - p.scratch_rows;
  return true;
}

/// The same with an order for the rows that stream. A ring begins so many rows before the end of
/// the last pass as half of L2 holds.
bool lay_rest_in_order(sweep_plan& p, int rest, const sweep_problem_facts& problem,
                       const sweep_rung_facts& rung, permission may, std::optional<traversal> order,
                       const device_facts& device) {
  if (!lay_rest(p, rest, problem, rung, may, device)) return false;
  if (p.streamed_rows == 0) return true;
  const double all = static_cast<double>(layer_bytes(rung.shape, problem)) * p.teams;
  const bool beyond_l2 = all * p.streamed_rows > 0.8 * static_cast<double>(device.l2);
  p.order = order.value_or(beyond_l2 ? traversal::zig_zag : traversal::fixed);
  if (p.order == traversal::fixed) return true;
  if (!lay_rest(p, rest, problem, rung, may, device)) {
    p.order = traversal::fixed;  // which takes less scratch
    return !order;
  }
  const double streamed = 0.5 * static_cast<double>(device.l2) / all;
  const int rows = static_cast<int>(streamed * rest / p.streamed_rows);
  p.ring_rows = std::clamp(rows, 1, std::max(1, rest / 2));
  return true;
}

/// The plan for one tiling in three dimensions, if it is possible.
std::optional<candidate> lay_bricks(const sweep_problem_facts& problem, const sweep_clock& time,
                                    std::span<const sweep_rung_facts> rungs, int rung, int teams_z,
                                    int teams_y, int teams_x, permission may,
                                    const device_facts& device) {
  const sweep_rung_facts& f = rungs[static_cast<std::size_t>(rung)];
  const sweep_rung& r = f.shape;
  const extents& n = problem.size;
  // What a team reads of others belongs to those next to it.
  const auto thin = [&](int cells, int teams) {
    return teams > 1 && cells / teams < problem.radius;
  };
  if (thin(n.z, teams_z) || thin(n.y, teams_y) || thin(n.x, teams_x)) return {};
  const int width = pieces(n.x, teams_x), height = pieces(n.y, teams_y);
  const int planes = pieces(n.z, teams_z);
  if (width > 32 * r.across || height > r.lanes / 32 * r.down) return {};
  // The planes below those in registers enter the window without a question.
  if (r.register_rows > 0 && n.z / teams_z < r.register_rows + problem.radius) return {};
  candidate c;
  sweep_plan& p = c.plan;
  p.rung = rung;
  p.teams = teams_x * teams_y * teams_z;
  p.teams_x = teams_x;
  p.teams_y = teams_y;
  p.teams_z = teams_z;
  if (!lay_rest(p, planes - r.register_rows, problem, f, may, device)) return {};
  const double faces = 2.0 * problem.radius *
                       (static_cast<double>(width) * height + static_cast<double>(width) * planes +
                        static_cast<double>(height) * planes);
  c.time = time.step_of_brick(p, r, faces);
  return c;
}

/// The plan for one tiling in two dimensions, if it is possible.
std::optional<candidate> lay_out(const sweep_problem_facts& problem, const sweep_clock& time,
                                 std::span<const sweep_rung_facts> rungs, int rung, int teams_x,
                                 int teams_y, int depth, permission may,
                                 std::optional<traversal> order, const device_facts& device) {
  const sweep_rung& r = rungs[static_cast<std::size_t>(rung)].shape;
  const int warps = r.lanes / 32, radius = problem.radius, rim = depth * radius;
  const int nx = problem.size.x, ny = problem.size.y;
  // What a team takes must come from its eight neighbours.
  if ((teams_x > 1 && nx / teams_x < rim) || (teams_y > 1 && ny / teams_y < rim)) return {};
  const int width = pieces(nx, teams_x) + 2 * rim, height = pieces(ny, teams_y) + 2 * rim;
  if (width > 32 * r.across) return {};
  candidate c;
  sweep_plan& p = c.plan;
  p.rung = rung;
  p.teams = teams_x * teams_y;
  p.teams_x = teams_x;
  p.teams_y = teams_y;
  p.depth = depth;
  int rest = std::max(0, pieces(height, warps) - r.register_rows);
  if (!r.rest && rest > 0) return {};
  if (rest > 0) rest = std::max(rest, radius);  // the window needs that many
  if (r.register_rows == 0) rest = std::max(rest, radius);
  if (!lay_rest_in_order(p, rest, problem, rungs[static_cast<std::size_t>(rung)], may, order,
                         device))
    return {};
  const double rim_cells = 2.0 * rim * (width + height);
  c.time = time.step(p, r, rim_cells, static_cast<double>(width) / (32 * r.across));
  return c;
}

/// The same for one tiling in two dimensions whose passes do several steps. Rows are the warps'
/// own; a pass also goes through those of the rim, which nobody keeps.
std::optional<candidate> lay_waves(const sweep_problem_facts& problem, const sweep_clock& time,
                                   std::span<const sweep_rung_facts> rungs, int rung, int teams_x,
                                   int teams_y, int warps_x, int depth, permission may,
                                   const device_facts& device) {
  const sweep_rung& r = rungs[static_cast<std::size_t>(rung)].shape;
  const int warps_y = r.lanes / 32 / warps_x, rim = depth * problem.radius;
  const int nx = problem.size.x, ny = problem.size.y, parts = teams_x * warps_x;
  if (problem.size.cells() > std::numeric_limits<int>::max()) return {};  // numbers of cells
  // Shares begin where a lane's cells do, and lanes take theirs in whole pieces.
  const int uneven = parts > 1 ? r.across - 1 : 0;
  const int width = pieces(nx, parts) + uneven;
  if (pieces(rim, r.across) + pieces(width + rim, r.across) > 32) return {};
  // What a team takes must come from its eight neighbours.
  if ((teams_x > 1 && (nx / parts - 2 * uneven) * warps_x < rim) ||
      (teams_y > 1 && ny / teams_y < rim) || (parts > 1 && nx / parts < 2 * r.across))
    return {};
  candidate c;
  sweep_plan& p = c.plan;
  p.rung = rung;
  p.teams = teams_x * teams_y;
  p.teams_x = teams_x;
  p.teams_y = teams_y;
  p.warps_x = warps_x;
  p.depth = depth;
  const int strip = pieces(pieces(ny, teams_y), warps_y);
  if (!lay_rest(p, strip, problem, rungs[static_cast<std::size_t>(rung)], may, device)) return {};
  c.time = time.step_of_wave(p, r, problem, static_cast<double>(width) / (32 * r.across));
  return c;
}

std::vector<permission> permissions(const std::string& policy) {
  if (policy == "none") return {{false, false}};
  if (policy == "shared") return {{false, true}};
  if (policy == "registers") return {{true, false}};
  if (policy == "both" || policy == "greedy") return {{true, true}};
  if (policy == "model" || policy == "auto" || policy == "measured")
    return {{true, true}, {true, false}, {false, true}, {false, false}};
  throw input_error(fmt::format(
      "policy: expected auto, none, shared, registers, both, greedy, model or measured, found '{}'",
      policy));
}

/// Of plans that differ in their rung or depth the best one each.
class shortlist {
 public:
  explicit shortlist(bool most_teams) : most_teams_(most_teams) {}

  void consider(const std::optional<candidate>& c) {
    if (!c) return;
    const auto [at, added] = best_.try_emplace({c->plan.rung, c->plan.depth}, *c);
    if (!added && before(*c, at->second)) at->second = *c;
  }
  std::vector<candidate> ranked() const {
    std::vector<candidate> all;
    for (const auto& [key, c] : best_) all.push_back(c);
    std::stable_sort(all.begin(), all.end(),
                     [&](const auto& a, const auto& b) { return before(a, b); });
    return all;
  }

 private:
  /// A wish for so many teams comes before speed.
  bool before(const candidate& a, const candidate& b) const {
    if (most_teams_ && a.plan.teams != b.plan.teams) return a.plan.teams > b.plan.teams;
    return a.time.seconds < b.time.seconds;
  }
  bool most_teams_;
  std::map<std::pair<int, int>, candidate> best_;
};

/// The most teams that a plan may have.
int team_limit(const sweep_problem_facts& problem, const sweep_wish& wish, const sweep_rung& r,
               const device_facts& device) {
  if (wish.teams > 0) return wish.teams;
  if (device.on != backend::cpu) return device.units;
  // Threads may share a core: enough of them for the whole field.
  const bool solid = problem.size.dims == 3;
  const int across = pieces(problem.size.x, 32 * r.across - (solid ? 0 : 2 * problem.radius));
  return std::max(device.units,
                  solid ? across * pieces(problem.size.y, r.lanes / 32 * r.down) : across);
}

std::string reason_of(const sweep_plan& p, const sweep_rung& r, bool solid) {
  const auto kept = fmt::format("{} in registers, {} in scratch, {} streamed", r.register_rows,
                                p.scratch_rows, p.streamed_rows);
  if (solid)
    return fmt::format("{} x {} x {} bricks, planes: {}", p.teams_z, p.teams_y, p.teams_x, kept);
  if (r.levels > 0)
    return fmt::format("{} x {} tiles, rows per warp: {}; {} steps in one pass", p.teams_y,
                       p.teams_x, kept, p.depth);
  const auto order = p.streamed_rows > 0 ? ", " + to_string(p.order) : "";
  return fmt::format("{} x {} tiles, rows per warp: {}{}; {} steps between exchanges", p.teams_y,
                     p.teams_x, kept, order, p.depth);
}

}  // namespace
std::vector<sweep_choice> sweep_candidates(const sweep_problem_facts& problem,
                                           const sweep_wish& wish,
                                           std::span<const sweep_rung_facts> rungs,
                                           const device_facts& device) {
  const auto may = permissions(wish.policy);
  const sweep_clock time(problem, device);
  const bool solid = problem.size.dims == 3;
  if (solid && wish.order.value_or(traversal::fixed) != traversal::fixed)
    throw unsupported_error(fmt::format("traversal '{}': in three dimensions there is static only",
                                        to_string(*wish.order)));
  if (wish.passes == passing::temporal &&
      std::none_of(rungs.begin(), rungs.end(), [](const auto& f) { return f.shape.levels > 0; }))
    throw unsupported_error(
        "blocking 'temporal': there is spatial only, except for linear stencils in two dimensions");
  const int most = team_limit(problem, wish, rungs[0].shape, device);
  // In two dimensions most shapes have a rung with rows in registers and others.
  const bool mixed = !solid && std::any_of(rungs.begin(), rungs.end(), [](const auto& f) {
    return f.shape.register_rows > 0 && f.shape.rest;
  });
  shortlist best(wish.teams > 0);
  for (const permission& m : may)
    for (int rung = 0; rung < static_cast<int>(rungs.size()); ++rung) {
      const sweep_rung& r = rungs[static_cast<std::size_t>(rung)].shape;
      const bool keeps = r.register_rows > 0;
      if (keeps && !m.registers) continue;
      // A brick may be too thin for the planes in registers, and not every rung takes a source.
      if (!keeps && r.levels == 0 && m.registers && mixed && !problem.source) continue;
      // An order is asked for of rows that stream once per step, and waves leave no registers for
      // rows.
      if (r.levels > 0 ? wish.passes == passing::spatial || wish.order ||
                             (m.registers && wish.passes != passing::temporal)
                       : wish.passes == passing::temporal)
        continue;
      if (problem.source && !r.source) continue;
      for (int tx = 1; tx <= most; ++tx)
        for (int ty = 1; ty <= most / tx; ++ty) {
          if (solid) {
            if (wish.depth <= 1)
              for (int tz = 1; tz <= most / tx / ty; ++tz)
                best.consider(lay_bricks(problem, time, rungs, rung, tz, ty, tx, m, device));
            continue;
          }
          if (r.levels > 0) {
            // A mirror is looked into at every step.
            const int depth = wish.depth > 0                      ? wish.depth
                              : problem.edge == boundary::reflect ? 1
                                                                  : r.levels;
            const bool possible =
                problem.edge == boundary::reflect ? depth == 1 : depth <= r.levels;
            for (int wx = 1; possible && wx <= r.lanes / 32; wx *= 2)
              best.consider(lay_waves(problem, time, rungs, rung, tx, ty, wx, depth, m, device));
            continue;
          }
          for (const int planned : depths) {
            const int depth = wish.depth > 0 ? wish.depth : planned;
            // A mirror is looked into at every step.
            if (problem.edge == boundary::reflect && depth > 1) continue;
            best.consider(
                lay_out(problem, time, rungs, rung, tx, ty, depth, m, wish.order, device));
          }
        }
    }
  std::vector<sweep_choice> all;
  for (const candidate& c : best.ranked())
    all.push_back({c.plan, device.on == backend::cpu ? sweep_projection{} : c.time, wish.policy,
                   reason_of(c.plan, rungs[static_cast<std::size_t>(c.plan.rung)].shape, solid)});
  if (all.empty())
    throw unsupported_error(fmt::format(
        "perks: {} cells cannot be tiled over {} teams of {} cells across{}{}",
        to_string(problem.size), most, 32 * rungs[0].shape.across,
        wish.depth > 0 ? fmt::format(" with {} steps between exchanges", wish.depth) : "",
        wish.order ? ", " + to_string(*wish.order) : ""));
  return all;
}

}  // namespace dwell::policies
