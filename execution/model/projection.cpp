// SPDX-License-Identifier: MIT
// Bytes per level, then time: a sweep over more than the cache keeps finds of it what the cache can
// protect, and the rest comes from device memory. A cluster has the rates of its multiprocessors.
#include "dwell/execution/model/projection.hpp"

#include <algorithm>

namespace dwell {

projection project(const program_facts& p, const plan& how, std::span<const rung_facts> rungs,
                   const device_limits& device) {
  const device_limits l = how.in_cluster ? of_cluster(device, how.teams) : device;
  projection out;
  const rung& shape = rungs[static_cast<std::size_t>(how.rung)].shape;
  const double rows = p.rows, scalar = static_cast<double>(p.scalar_bytes);
  double footprint = 0;  // distinct bytes that are streamed
  for (std::size_t f = 0; f < p.vectors.size(); ++f) {
    const vector_facts& v = p.vectors[f];
    if (v.loads + v.stores == 0) continue;
    double kept = p.rows_per_team
                      ? std::min(1.0, how.keep.vector[f] / static_cast<double>(p.rows_per_team))
                      : 0.0;
    if (v.in_registers && shape.slots > 0)
      kept = std::max(kept, std::min(1.0, static_cast<double>(shape.slots) * shape.lanes /
                                              std::max<double>(1, p.rows_per_team)));
    const double touched = (v.loads + v.stores) * rows * scalar;
    const bool windowed = how.keep.halo > 0;
    const bool passed_on = v.gathered && !windowed;  // others read it in memory
    const double through = passed_on ? v.stores * rows * scalar : 0.0;
    out.resident_bytes += kept * touched;
    out.streamed_bytes += (1.0 - kept) * touched + kept * through;
    if (kept < 1.0 || passed_on) footprint += rows * scalar * (passed_on ? 1.0 : 1.0 - kept);
  }
  const double tiles =
      static_cast<double>(p.teams) * p.tiles_per_team * static_cast<double>(p.tile_bytes);
  const double kept = p.tiles_per_team
                          ? static_cast<double>(how.keep.held + how.keep.tiles) / p.tiles_per_team
                          : 0.0;
  out.resident_bytes += kept * tiles;
  const double gathered = rows * scalar;  // at best every element comes once
  (how.keep.halo > 0 ? out.resident_bytes : out.streamed_bytes) += gathered;
  out.streamed_bytes += (1.0 - kept) * tiles;
  footprint += (1.0 - kept) * tiles;

  const double hit =
      footprint <= l.l2_keeps ? 1.0 : std::max(0.0, 2.0 * l.l2_keeps / footprint - 1.0);
  out.memory_bytes = (1.0 - hit) * out.streamed_bytes;
  const double bytes = out.resident_bytes / l.shared +
                       (out.streamed_bytes - out.memory_bytes) / l.l2 + out.memory_bytes / l.memory;
  out.floor = bytes + p.barriers * l.barrier;
  const device_waits each = shape.covers == keeping::windows ? l.window_waits
                            : shape.covers == keeping::all   ? l.whole_waits
                                                             : l.waits;
  const double waits = p.barriers * each.phase + p.products * each.product;
  out.seconds = out.floor + waits;
  out.waiting = p.barriers * l.barrier + waits;
  return out;
}

}  // namespace dwell
