// SPDX-License-Identifier: MIT
// The blocks of rows of a pass, and in which order they take its steps.
#include "dwell/execution/stencil/fields/field_pass.hpp"

#include <fmt/format.h>

namespace dwell {
namespace {

/// What any stage reads along the slowest axis and along the next.
struct reach {
  int layers = 0, across = 0;
};
reach reach_of(const field_domain& d) {
  reach r;
  for (const field_stage& stage : d.definition().stages()) {
    r.layers = std::max(r.layers, stage.layers);
    r.across = std::max(r.across, stage.across);
  }
  return r;
}

/// Cells of a line that a stage takes at a time: fewer cost more calls, more leave the first-level
/// cache (docs/results/fields.md).
constexpr int least_front = 256, most_front = 4096;

/// Passes along one axis, whose layers are cells: blocks of them stay in a core's cache while they
/// take all steps.
void divide_line(field_pass& p, const reach& r, int stages, std::int64_t cell_bytes,
                 std::int64_t cache) {
  p.across = {0, 1, 1, 0, false};
  const std::int64_t behind = (std::int64_t{stages} + 1) * r.layers;  // what later stages read
  const std::int64_t fitting = cache / cell_bytes - behind;
  p.front = static_cast<int>(std::clamp<std::int64_t>(fitting, least_front, most_front));
  p.front = std::min(p.front, p.layers.end);
  p.working_set = cell_bytes * (p.front + behind);
}

/// Passes of so many steps, of depth 0 if the field is too small.
field_pass divided(const field_domain& d, int threads, int depth, std::int64_t cell_bytes,
                   std::int64_t cache) {
  const reach r = reach_of(d);
  const int stages = depth * static_cast<int>(d.definition().stages().size());
  const int slow = d.size().slowest();
  const auto cells = [&](int axis) { return static_cast<int>(d.size().n[std::size_t(axis)]); };
  field_pass p;
  p.depth = depth;
  p.layers = {0, cells(slow), 1, r.layers, d.is_periodic(slow)};
  const int least = skewed_axis::least(r.layers, stages);
  p.layers.parts = std::clamp(cells(slow) / std::max(least, 1), 1, threads);
  if ((p.layers.parts > 1 || p.layers.ring) && cells(slow) / p.layers.parts < least) return {};
  if (d.size().dims == 1) {
    divide_line(p, r, stages, cell_bytes, cache);
    return p;
  }
  p.across = {0, cells(slow + 1), 1, r.across, d.is_periodic(slow + 1)};
  // A tile's layers in flight are to stay in a core's cache.
  const std::int64_t layers = std::int64_t{stages} * r.layers + r.layers + 1;
  const std::int64_t each = cell_bytes * (d.size().dims == 3 ? cells(2) : 1) * layers;
  const int narrow = skewed_axis::least(r.across, stages);
  const auto fitting =
      std::clamp<std::int64_t>(cache / std::max<std::int64_t>(each, 1), 1, cells(slow + 1));
  p.across.parts = static_cast<int>((cells(slow + 1) + fitting - 1) / fitting);
  p.across.parts = std::clamp(p.across.parts, 1, std::max(1, cells(slow + 1) / narrow));
  p.working_set = each * ((cells(slow + 1) + p.across.parts - 1) / p.across.parts);
  return p;
}

}  // namespace

std::optional<std::string> refuses_passes(const field_domain& domain) {
  constexpr std::int64_t most = std::int64_t{1} << 30;
  const auto& size = domain.size();
  for (int axis = size.slowest(); axis < std::min(size.slowest() + 2, 3); ++axis)
    if (size.n[static_cast<std::size_t>(axis)] > most)
      return fmt::format("passes of several steps take at most 2^30 cells along an axis, found {}",
                         size.n[static_cast<std::size_t>(axis)]);
  return std::nullopt;
}

field_pass plan_pass(const field_domain& domain, int threads, int depth, std::int64_t cell_bytes,
                     std::int64_t cache) {
  if (depth > 0) return divided(domain, threads, depth, cell_bytes, cache);
  // What is in flight of a line is little, whatever the steps.
  int steps = domain.size().dims == 1 ? 32 : 8;
  for (; steps > 1; steps /= 2) {
    const field_pass p = divided(domain, threads, steps, cell_bytes, cache);
    if (p.depth > 0 && p.layers.parts == threads) return p;
  }
  return {};
}

}  // namespace dwell
