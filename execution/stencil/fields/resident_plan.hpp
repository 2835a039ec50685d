// SPDX-License-Identifier: MIT
// The plan of steps by tiles that stay on a GPU's chip (engine resident_fields), which is made
// before its kernel is there.
#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "dwell/device/device.hpp"
#include "dwell/execution/stencil/engines/resident_fields/shape.hpp"
#include "dwell/execution/stencil/fields/field_domain.hpp"

namespace dwell {

struct resident_plan {
  resident_config config;
  std::array<int, 3> tiles{1, 1, 1};  ///< along y, x and z
  int depth = 1;                      ///< steps between two exchanges of halos, or of a pass
  std::size_t scratch = 0;            ///< bytes of shared memory, of a multiprocessor
  double step_seconds = 0;            ///< projected
  bool apart = false;  ///< a launch is one pass, whose tiles may be more than multiprocessors; else
                       ///< every tile stays on a multiprocessor of its own
  friend bool operator==(const resident_plan&, const resident_plan&) = default;

  int count() const { return tiles[0] * tiles[1] * tiles[2]; }
};

/// What engine resident_fields has to know of a definition.
resident_shape resident_shape_of_domain(const field_domain& domain);
/// Cells along y, x and z.
std::array<int, 3> resident_size_of(const field_domain& domain);

/// Why no fields stay on this GPU's chip, whatever their size, or nothing.
std::optional<std::string> refuses_resident(const device_facts& device);

/// The plan with the least projected time of a step; nothing where registers and scratch of all
/// multiprocessors are too few. value_bytes: of a value. depth: steps between exchanges; 0: any.
std::optional<resident_plan> plan_resident(const field_domain& domain, int value_bytes,
                                           const device_facts& device, int depth = 0);

/// Likewise of passes of several steps in one dimension, by tiles that overlap.
std::optional<resident_plan> plan_resident_passes(const field_domain& domain, int value_bytes,
                                                  const device_facts& device, int depth = 0);

}  // namespace dwell
