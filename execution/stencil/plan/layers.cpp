// SPDX-License-Identifier: MIT
// Places layers in scratch, and says in words what it did.
#include "dwell/execution/stencil/plan/layers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace dwell {
namespace {

/// Rows that a pass which does not go straight down puts aside. A block goes up through all of its
/// planes, and puts none aside.
int stash_rows(traversal order, const stencil_problem& problem) {
  const int turning = problem.size.dims == 3 ? 0 : 2 * problem.radius;
  return order == traversal::fixed ? 0 : order == traversal::ring ? problem.radius : turning;
}

}  // namespace

stencil_candidate begin_layout(const tiling_request& asked) {
  stencil_candidate c;
  c.plan.teams = asked.subdomains_x * asked.subdomains_y * asked.subdomains_z;
  c.plan.subdomains_x = asked.subdomains_x;
  c.plan.subdomains_y = asked.subdomains_y;
  c.plan.subdomains_z = asked.subdomains_z;
  c.plan.depth = asked.depth;
  return c;
}

/// Scratch that each of so many teams may use. A CPU has plenty; as much as an H200 makes tests
/// meet all cases. Teams on one multiprocessor share its shared memory, of which CUDA takes 1 KiB
/// each.
std::size_t layer_layout::scratch_limit(int teams) const {
  const device_facts& device = on_.device;
  if (device.on == backend::cpu) return std::size_t(227) * 1024;
  const auto beside = static_cast<std::size_t>(pieces(teams, std::max(device.units, 1)));
  if (beside <= 1) return device.shared_per_team;
  const std::size_t part = device.shared_per_unit / beside;
  return std::min(device.shared_per_team, part - std::min<std::size_t>(part, 1024));
}

std::size_t layer_layout::layer_bytes() const {
  return static_cast<std::size_t>(shape_.lanes * shape_.across * shape_.down) *
         on_.stencil.scalar_bytes;
}

bool layer_layout::place(stencil_plan& p, int rest, const tiling_request& asked) const {
  const std::size_t layer = layer_bytes() + aside_;
  const std::size_t limit = scratch_limit(asked.teams);
  const int fit = limit > on_.scratch_bytes
                      ? static_cast<int>(std::min<std::size_t>((limit - on_.scratch_bytes) / layer,
                                                               std::numeric_limits<int>::max()))
                      : 0;
  if (asked.may.scratch && rest <= fit) {
    p.scratch_rows = rest;
    p.streamed_rows = 0;
    return true;
  }
  // Layers that stream arrive in scratch; in what order they go matters only then.
  const int beside = rest > 0 ? fetched_ + stash_rows(p.order, on_.stencil) : 0;
  if (beside > fit) return false;
  p.scratch_rows = asked.may.scratch ? fit - beside : 0;
  p.streamed_rows = rest - p.scratch_rows;
  return true;
}

/// A ring begins so many rows before the end of the last pass as half of L2 holds.
bool layer_layout::place_in_order(stencil_plan& p, int rest, const tiling_request& asked) const {
  if (!place(p, rest, asked)) return false;
  if (p.streamed_rows == 0) return true;
  const double all = static_cast<double>(layer_bytes()) * p.teams;
  const auto l2 = static_cast<double>(on_.device.l2);
  const bool alternate = all * p.streamed_rows > l2_holds * l2 && on_.stencil.size.dims == 2;
  p.order = asked.order.value_or(alternate ? traversal::zig_zag : traversal::fixed);
  if (p.order == traversal::fixed) return true;
  if (!place(p, rest, asked)) {
    p.order = traversal::fixed;  // which takes less scratch
    return !asked.order;
  }
  const double streamed = 0.5 * l2 / all;
  const int rows = static_cast<int>(streamed * rest / p.streamed_rows);
  p.ring_rows = std::clamp(rows, 1, std::max(1, rest / 2));
  return true;
}

subdomain_facts subdomains_along(const stencil_plan& p, const stencil_problem& problem) {
  subdomain_facts s;
  const extents& n = problem.size;
  s.along = s.tile = n;
  s.along.z = p.subdomains_z;
  s.along.y = p.subdomains_y;
  s.along.x = p.subdomains_x;
  s.tile.z = pieces(n.z, p.subdomains_z);
  s.tile.y = pieces(n.y, p.subdomains_y);
  s.tile.x = pieces(n.x, p.subdomains_x);
  s.side = p.side_subdomains_y;
  s.halo = p.depth * problem.radius;
  return s;
}

std::string steps_text(int n) { return n == 1 ? "1 step" : fmt::format("{} steps", n); }

std::string cached_text(const stencil_plan& p, int register_rows, const std::string& scratch) {
  return fmt::format("{} in registers, {} in {}, {} streamed", register_rows, p.scratch_rows,
                     scratch, p.streamed_rows);
}

}  // namespace dwell
