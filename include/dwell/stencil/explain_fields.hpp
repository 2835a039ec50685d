// SPDX-License-Identifier: MIT
// What steps of a stencil with several fields need, and how they would be done: what each stage
// reads and writes, bytes and operations of a cell, the executor, its passes and tiles, and how
// fast a device could be. Runs and compiles nothing, takes no memory for fields; the device need
// not be there.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dwell/base/api.hpp"
#include "dwell/device/device.hpp"
#include "dwell/stencil/definition.hpp"
#include "dwell/stencil/field_runner.hpp"

namespace dwell {

/// What a stage does with arrays: fields by their numbers, coefficients after them.
struct field_stage_use {
  /// Cells of an array that a cell reads.
  struct reading {
    int array = 0;  ///< its number
    int cells = 0;  ///< how many, each once
  };
  /// A field that takes the memory of another one, which moves nothing.
  struct renaming {
    int field = 0;  ///< that takes
    int from = 0;   ///< whose memory it was
  };
  std::vector<reading> read;      ///< arrays that are read
  std::vector<int> computed;      ///< fields
  std::vector<renaming> renamed;  ///< fields
  std::size_t cell_bytes = 0;     ///< each array that is read or written once
};

/// How steps go.
struct fields_plan {
  std::string executor;  ///< never "auto"
  std::string reason;    ///< one line
  int threads = 0;       ///< that share the rows, or a GPU's multiprocessors
  int depth = 1;         ///< steps of a pass, or between exchanges of tiles
  int slabs = 1;         ///< parts of the slowest axis, one for a thread or multiprocessor
  int tiles = 1;  ///< parts of a slab, along the other axes; in passes on a GPU strips of the
                  ///< field, or tiles of a plane
  std::int64_t slab_cells = 0;  ///< along the slowest axis, at most, of tiles on a chip; or 0
  /// That such a part has of a plane or row, at most; in passes of one dimension on a CPU, those
  /// that a stage takes at a time.
  std::int64_t tile_cells = 0;
  std::size_t working_set = 0;  ///< bytes that a thread works on at once; 0: not of a pass
  int registers = 0;            ///< 32-bit ones that a GPU's lane has for cells in passes or tiles
  double step_seconds = 0;      ///< projected time of a step; 0: there is no model of the device
};

/// Times of a step, at best; all 0 where there is no model of the device, such as CPUs.
struct fields_roof {
  double memory = 0;      ///< seconds that bytes_per_step take the device's memory
  double arithmetic = 0;  ///< seconds that operations take, each by its cost
};

/// Values of coefficients alone that are computed once (field_options::hoist).
struct hoisted_use {
  int values = 0;              ///< how many; 0: none
  int operations = 0;          ///< operations of a cell and step, if none were
  std::size_t cell_bytes = 0;  ///< bytes of a cell and step, if none were
  double step_seconds = 0;     ///< projected, if none were; 0: by no model
};

/// What a run needs and how it goes, without the run.
struct fields_explanation {
  stencil_definition definition;          ///< the one that was given
  stencil_definition steps;               ///< what steps compute, which `stages` are of
  device_facts device;                    ///< the device that it is explained for
  std::string precision;                  ///< "f64" or "f32"
  std::vector<std::int64_t> size;         ///< cells along each axis, slowest first
  std::int64_t cells = 0;                 ///< all
  std::int64_t changing_cells = 0;        ///< but the fixed ones
  hoisted_use hoisted{};                  ///< by which `steps` differs
  std::vector<field_stage_use> stages{};  ///< all stages, in their order
  std::size_t cell_bytes = 0;             ///< bytes of a cell and step, if nothing stays in a cache
  std::size_t bytes_per_step = 0;         ///< those of all cells
  int arrays = 0;                         ///< in memory: fields, free ones, coefficients, values
  std::size_t memory = 0;                 ///< bytes of them
  fields_plan plan{};                     ///< how steps go
  fields_roof roof{};                     ///< times of plain steps

  /// Operations for each byte of a plain step.
  double intensity() const {
    return cell_bytes > 0 ? steps.flops() / static_cast<double>(cell_bytes) : 0;
  }
};

/// Explains a field_runner of `size`, slowest axis first, in `precision` ("f64" or "f32"), on a
/// device of these facts. Throws as field_runner does.
DWELL_API fields_explanation explain(const stencil_definition& definition,
                                     const std::vector<std::int64_t>& size,
                                     std::string_view precision, const device_facts& device,
                                     const field_options& options = {});

}  // namespace dwell
