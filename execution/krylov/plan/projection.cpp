// SPDX-License-Identifier: MIT
// Bytes per level of memory, then time: of a pass over more bytes than L2 holds, the part that L2
// can protect is found there, and the rest comes from device memory. A cluster has the rates of its
// multiprocessors.
#include "dwell/execution/krylov/plan/projection.hpp"

#include <algorithm>

namespace dwell {

projection project(const program_facts& p, const plan& how, std::span<const config_facts> configs,
                   const device_limits& device) {
  const device_limits l = how.in_cluster ? of_cluster(device, how.teams) : device;
  projection out;
  const program_config& shape = configs[static_cast<std::size_t>(how.config)].shape;
  const double rows = p.rows, scalar = static_cast<double>(p.scalar_bytes);
  double footprint = 0;  // distinct bytes that are streamed
  for (std::size_t f = 0; f < p.vectors.size(); ++f) {
    const vector_facts& v = p.vectors[f];
    if (v.loads + v.stores == 0) continue;
    double cached = p.rows_per_team
                        ? std::min(1.0, how.cache.vector[f] / static_cast<double>(p.rows_per_team))
                        : 0.0;
    if (v.in_registers && shape.slots > 0)
      cached = std::max(cached, std::min(1.0, static_cast<double>(shape.slots) * shape.lanes /
                                                  std::max<double>(1, p.rows_per_team)));
    const double size = rows * scalar * v.values;
    const double touched = (v.loads + v.stores) * size;
    const bool with_ghosts = how.cache.halo > 0;
    const bool passed_on = v.gathered && !with_ghosts;  // others read it in memory
    const double through = passed_on ? v.stores * size : 0.0;
    out.cached_bytes_moved += cached * touched;
    out.streamed_bytes += (1.0 - cached) * touched + cached * through;
    if (cached < 1.0 || passed_on) footprint += size * (passed_on ? 1.0 : 1.0 - cached);
  }
  const double tiles =
      static_cast<double>(p.teams) * p.tiles_per_team * static_cast<double>(p.tile_bytes);
  const double cached =
      p.tiles_per_team
          ? static_cast<double>(how.cache.tiles_in_registers + how.cache.tiles) / p.tiles_per_team
          : 0.0;
  out.cached_bytes_moved += cached * tiles;
  const double gathered = rows * scalar * p.columns;  // at best every element comes once
  (how.cache.halo > 0 ? out.cached_bytes_moved : out.streamed_bytes) += gathered;
  out.streamed_bytes += (1.0 - cached) * tiles;
  footprint += (1.0 - cached) * tiles;
  const double sequence = static_cast<double>(p.sequences) * static_cast<double>(p.sequence.bytes);
  out.without_sequence = {out.cached_bytes_moved, out.streamed_bytes,
                          p.barriers - p.sequences * p.sequence.phases, p.products};
  out.streamed_bytes += sequence;
  footprint += static_cast<double>(p.sequence.in_memory);

  const double hit =
      footprint <= l.l2_cached ? 1.0 : std::max(0.0, 2.0 * l.l2_cached / footprint - 1.0);
  out.from_memory = 1.0 - hit;
  out.memory_bytes = out.from_memory * out.streamed_bytes;
  const double bytes = out.cached_bytes_moved / l.shared +
                       (out.streamed_bytes - out.memory_bytes) / l.l2 + out.memory_bytes / l.memory;
  out.floor = bytes + p.barriers * l.barrier;
  const device_waits each = shape.assumes == caching::ghosts ? l.ghost_waits
                            : shape.assumes == caching::all  ? l.whole_waits
                                                             : l.waits;
  // A phase of a sequence waits for three dependent loads, as a product with the matrix does.
  const int products = p.products + p.sequences * p.sequence.phases;
  const double waits = p.barriers * each.phase + products * each.product;
  out.seconds = out.floor + waits;
  out.waiting = p.barriers * l.barrier + waits;
  out.each_cached = 1.0 / l.shared;
  out.each_streamed = hit / l.l2 + out.from_memory / l.memory;
  out.each_barrier = l.barrier + each.phase;
  out.each_product = each.product;
  return out;
}

double projection::seconds_of(const part& of) const {
  return of.cached_bytes * each_cached + of.streamed_bytes * each_streamed +
         of.barriers * each_barrier + of.products * each_product;
}

}  // namespace dwell
