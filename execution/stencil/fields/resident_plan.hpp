// SPDX-License-Identifier: MIT
// The plan of a run whose fields stay on a GPU's chip (engine resident_fields2d), which is made
// before its kernel is there.
#pragma once
#include <cstddef>
#include <optional>
#include <string>

#include "dwell/device/device.hpp"
#include "dwell/execution/stencil/engines/resident_fields2d/shape.hpp"
#include "dwell/execution/stencil/fields/field_domain.hpp"

namespace dwell {

struct resident_plan {
  resident_config config;
  int tiles_x = 1, tiles_y = 1;  ///< a multiprocessor each
  int depth = 1;                 ///< steps between two exchanges of halos
  std::size_t scratch = 0;       ///< bytes of shared memory, of a multiprocessor
  double step_seconds = 0;       ///< projected
  friend bool operator==(const resident_plan&, const resident_plan&) = default;

  int tiles() const { return tiles_x * tiles_y; }
};

/// What engine resident_fields2d has to know of a definition, in two dimensions.
resident_shape resident_shape_of_domain(const field_domain& domain);

/// Why no run of a definition stays on this GPU's chip, whatever its size, or nothing.
std::optional<std::string> refuses_resident(const field_domain& domain, const device_facts& device);

/// The plan with the least projected time of a step; nothing where registers and scratch of all
/// multiprocessors are too few. value_bytes: of a value. depth: steps between exchanges; 0: any.
std::optional<resident_plan> plan_resident(const field_domain& domain, int value_bytes,
                                           const device_facts& device, int depth = 0);

}  // namespace dwell
