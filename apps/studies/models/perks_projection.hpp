// SPDX-License-Identifier: MIT
// The projected peak performance of PERKS (Zhang 2023, section 4.4.2; PERKS 2023): a stencil or a
// solver whose cached part stays on the chip from step to step is as fast as the slower of device
// memory and shared memory. A pure function; sizes in cells, times in seconds.
#pragma once
#include <algorithm>

namespace dwell::model {

struct perks_case {
  double cells = 0;             ///< cells of the domain
  double cached_cells = 0;      ///< that stay on the chip, in registers and shared memory
  double cached_in_shared = 0;  ///< those of them in shared memory
  double steps = 1;             ///< time steps in one kernel
  double cell_bytes = 8;        ///< bytes of a cell
  double kernel_shared = 0;  ///< accesses of shared memory, in cells, that the kernel itself makes
  double halo = 0;           ///< accesses of device memory, in cells, for halos of cached parts
};

struct perks_projection {
  double memory_seconds = 0;  ///< T_gm, halos included
  double shared_seconds = 0;  ///< T_sm
  /// The slower of them (equation 4.6).
  double seconds() const { return std::max(memory_seconds, shared_seconds); }
  bool bound_by_shared() const { return shared_seconds > memory_seconds; }
};

/// Accesses of device memory in cells: what is not cached is loaded and stored in every step, what
/// is cached once (equation 4.2), and the halos.
constexpr double perks_memory_accesses(const perks_case& c) {
  return 2 * c.steps * (c.cells - c.cached_cells) + 2 * c.cached_cells + c.halo;
}

/// Accesses of shared memory in cells: the cached part is loaded and stored between two steps
/// (equation 4.4), and those of the kernel.
constexpr double perks_shared_accesses(const perks_case& c) {
  return 2 * (c.steps - 1) * c.cached_in_shared + c.kernel_shared;
}

/// Times for all steps (equations 4.3 and 4.5); bandwidths in bytes per second over the whole
/// device.
constexpr perks_projection project_perks(const perks_case& c, double memory_bytes_per_s,
                                         double shared_bytes_per_s) {
  return {perks_memory_accesses(c) * c.cell_bytes / memory_bytes_per_s,
          perks_shared_accesses(c) * c.cell_bytes / shared_bytes_per_s};
}

/// Projected peak, in cells (times steps) per second (equation 4.7).
constexpr double perks_peak(const perks_case& c, const perks_projection& t) {
  return c.cells * c.steps / std::max(t.memory_seconds, t.shared_seconds);
}

}  // namespace dwell::model
