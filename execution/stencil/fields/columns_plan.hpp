// SPDX-License-Identifier: MIT
// The plan of a pass in three dimensions, which is made before its kernel is there: by a model of
// what a multiprocessor issues and what it moves.
#pragma once
#include <cstddef>
#include <optional>

#include "dwell/device/device.hpp"
#include "dwell/execution/stencil/engines/column_fields3d/sizes.hpp"
#include "dwell/execution/stencil/fields/device_kernels.hpp"
#include "dwell/execution/stencil/fields/field_domain.hpp"

namespace dwell {

/// What a multiprocessor has for a pass. Registers: compute capability 9.0, CUDA programming guide,
/// technical specifications.
struct columns_room {
  /// Bytes: what is left of 256 KiB is the first-level cache, which loads on their way need. With
  /// 222 KiB passes were a third slower.
  std::size_t scratch = 200 << 10;
  int registers = 65536;
  double bytes = 23;  ///< to and from memory in a cycle: an H200's, if all rows were long
};

/// Registers of a lane that hold cells or wait for them, without those of its code.
int columns_registers(const columns_numbers& numbers);

/// Projected cycles of a tick, in which a team takes a plane of its tile through all steps: by
/// measurements on an H200 (docs/results/fields.md).
double columns_cycles(const columns_numbers& numbers, const field_work& work,
                      const columns_room& room);

/// The config of a pass for values of so many bytes, whatever the size of the fields; nothing where
/// none fits. depth: steps of the pass; 0: any.
std::optional<columns_config> plan_columns(const columns_shape& shape, const field_work& work,
                                           int value_bytes, const columns_room& room,
                                           int depth = 0);

columns_tiles tiles_of(const field_domain& domain, const columns_numbers& numbers);

/// Tiles of a plane, and the teams that share the planes of all tiles.
struct columns_division {
  int tiles = 0, teams = 0;
};
columns_division divide_columns(const field_domain& domain, const columns_numbers& numbers,
                                int units);

/// Projected seconds of a step of a pass over all cells.
double columns_seconds(const field_domain& domain, const columns_numbers& numbers,
                       const device_facts& device);

}  // namespace dwell
