// SPDX-License-Identifier: MIT
// The practical attainable performance of temporal blocking (Zhang 2023, section 5.6; EBISU 2023):
// PP = P V, the attainable performance P of a roofline with three roofs, and the valid part V of
// what is computed or of the time. Pure functions; lengths in cells, times in seconds.
#pragma once
#include <algorithm>

namespace dwell::model {

/// What may be the bottleneck (equation 5.6).
enum class bottleneck { memory, shared, arithmetic };

/// Rates of a device; bytes per second over all of it, and flop per second.
struct ebisu_rates {
  double memory = 0, shared = 0, flops = 0;
};

/// Work of a cell and step: accesses of device memory (in a pass, not in each of its steps) and of
/// shared memory, in cells; flop; bytes of a cell.
struct ebisu_cell {
  double memory = 2, shared = 0, flops = 0;
  double bytes = 8;
};

/// Cells of a tile, or a domain: those that each resource works for. With device tiles those of
/// device memory include halos; else all three are the same.
struct ebisu_cells {
  double memory = 0, shared = 0, arithmetic = 0;
};

/// T_gm, T_sm and T_cmp of a pass of `steps` steps (equations 5.2 to 5.4).
struct ebisu_times {
  double memory = 0, shared = 0, arithmetic = 0;
  /// T_stencil (equation 5.5).
  constexpr double seconds() const { return std::max({memory, shared, arithmetic}); }
  /// The first of them that takes all of the time (equation 5.6).
  constexpr bottleneck binds() const {
    return memory == seconds()   ? bottleneck::memory
           : shared == seconds() ? bottleneck::shared
                                 : bottleneck::arithmetic;
  }
};

constexpr ebisu_times project_ebisu(const ebisu_cell& a, const ebisu_cells& of, double steps,
                                    const ebisu_rates& rates) {
  return {a.memory * of.memory * a.bytes / rates.memory,
          a.shared * of.shared * steps * a.bytes / rates.shared,
          a.flops * of.arithmetic * steps / rates.flops};
}

/// P in cells (times steps) per second, for a pass over `cells` (equation 5.7).
constexpr double attainable(double cells, double steps, const ebisu_times& t) {
  return cells * steps / t.seconds();
}

/// V of overlapped tiles in two dimensions, which halos shorten along one axis (equation 5.8); 0 if
/// nothing is left.
constexpr double valid_part(double tile_x, double steps, double radius) {
  return std::max(0.0, tile_x - 2 * steps * radius) / tile_x;
}

/// V of overlapped tiles in three dimensions (equation 5.9). The factor 2 is right: EBISU 2023,
/// equations 8 and 9, lacks it.
constexpr double valid_part(double tile_x, double tile_y, double steps, double radius) {
  return valid_part(tile_x, steps, radius) * valid_part(tile_y, steps, radius);
}

/// V of device tiles: the part of the time that is not barriers of the device (equation 5.11).
constexpr double valid_part_of_time(double seconds, double barrier_seconds, double barriers) {
  return seconds / (seconds + barrier_seconds * barriers);
}

/// PP (equations 5.1, 5.10 and 5.12).
constexpr double practical(double attainable, double valid_part) { return attainable * valid_part; }

}  // namespace dwell::model
