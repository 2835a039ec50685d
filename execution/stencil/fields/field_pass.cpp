// SPDX-License-Identifier: MIT
// The blocks of rows of a pass, and in which order they take its steps.
#include "dwell/execution/stencil/fields/field_pass.hpp"

#include <initializer_list>

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

/// Passes of so many steps, of depth 0 if the field is too small.
field_pass divided(const field_domain& d, int threads, int depth, std::int64_t cell_bytes,
                   std::int64_t cache) {
  const reach r = reach_of(d);
  const int stages = depth * static_cast<int>(d.definition().stages().size());
  const int slow = d.size().slowest();
  const auto cells = [&](int axis) { return static_cast<int>(d.size().n[std::size_t(axis)]); };
  field_pass p;
  p.layers = {0, cells(slow), 1, r.layers, d.is_periodic(slow)};
  p.across = {0, cells(slow + 1), 1, r.across, d.is_periodic(slow + 1)};
  const int least = skewed_axis::least(r.layers, stages);
  p.layers.parts = std::clamp(cells(slow) / std::max(least, 1), 1, threads);
  if ((p.layers.parts > 1 || p.layers.ring) && cells(slow) / p.layers.parts < least) return {};
  // A tile's layers in flight are to stay in a core's cache.
  const std::int64_t layers = std::int64_t{stages} * r.layers + r.layers + 1;
  const std::int64_t each = cell_bytes * (d.size().dims == 3 ? cells(2) : 1) * layers;
  const int narrow = skewed_axis::least(r.across, stages);
  const auto fitting =
      std::clamp<std::int64_t>(cache / std::max<std::int64_t>(each, 1), 1, cells(slow + 1));
  p.across.parts = static_cast<int>((cells(slow + 1) + fitting - 1) / fitting);
  p.across.parts = std::clamp(p.across.parts, 1, std::max(1, cells(slow + 1) / narrow));
  p.working_set = each * ((cells(slow + 1) + p.across.parts - 1) / p.across.parts);
  p.depth = depth;
  return p;
}

}  // namespace

std::optional<std::string> refuses_passes(const field_domain& domain) {
  if (domain.size().dims == 1) return "passes of several steps need two or three dimensions";
  return std::nullopt;
}

field_pass plan_pass(const field_domain& domain, int threads, int depth, std::int64_t cell_bytes,
                     std::int64_t cache) {
  if (depth > 0) return divided(domain, threads, depth, cell_bytes, cache);
  for (const int steps : {8, 4, 2}) {
    const field_pass p = divided(domain, threads, steps, cell_bytes, cache);
    if (p.depth > 0 && p.layers.parts == threads) return p;
  }
  return {};
}

}  // namespace dwell
