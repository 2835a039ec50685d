// SPDX-License-Identifier: MIT
// The executor of a run, and why: of the definition, the size and the device, without a run.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "dwell/device/device.hpp"
#include "dwell/execution/stencil/engines/column_fields3d/columns_shape.hpp"
#include "dwell/execution/stencil/engines/ring_fields2d/chain_shape.hpp"
#include "dwell/execution/stencil/fields/field_pass.hpp"
#include "dwell/execution/stencil/fields/resident_plan.hpp"
#include "dwell/stencil/field_runner.hpp"

namespace dwell {

/// Bytes of arrays.
struct field_bytes {
  std::size_t step = 0;    ///< what a step must move if nothing stays in a cache
  std::size_t memory = 0;  ///< all arrays
  std::size_t cell = 0;    ///< bytes of a cell in all arrays together
  int value = 8;           ///< bytes of one value
};
/// value: bytes of one.
field_bytes bytes_of(const field_domain& domain, std::size_t value);
/// Bytes of a cell that a stage reads and writes, each array once.
std::size_t cell_bytes_of(const field_stage& stage, std::size_t value);

struct field_schedule {
  std::string executor, reason;
  int threads = 1;          ///< or a GPU's multiprocessors
  int depth = 0;            ///< steps of a pass, or between exchanges of tiles; 0: there are none
  double step_seconds = 0;  ///< projected; 0: by no model
};

/// Throws input_error unless the executor is one of those, and options that have a range are in it.
void check_field_options(const field_options& options, std::span<const std::string_view> executors);

/// A CPU's, with the division of its passes.
struct cpu_schedule {
  field_schedule how;
  field_pass pass;
};
/// refusal: why there can be no passes of several steps, or nothing. Throws input_error for options
/// that cannot be.
cpu_schedule cpu_schedule_of(const field_domain& domain, const field_bytes& bytes,
                             const field_options& options, const device_facts& device,
                             const std::optional<std::string>& refusal);
/// Seconds of a step of a thread on a CPU, as far as they say whether values of coefficients are
/// to be computed once: divisions, other operations or bytes, whichever take longest; nothing where
/// cpu_schedule_of() throws, of a field that is too small for the passes asked for. division:
/// seconds of one (division_cpu.hpp).
std::optional<double> cpu_step_seconds(const field_domain& domain, std::size_t value,
                                       const field_options& options, const device_facts& device,
                                       double division);

/// The pass of a definition on a GPU, or why there is none.
struct gpu_chain {
  std::optional<chain_config> config;
  std::optional<columns_config> columns;  ///< in three dimensions
  std::optional<resident_plan> tiles;     ///< in one
  std::string why_not;
  double step_seconds = 0;  ///< projected, of one of its steps

  bool there() const { return config || columns || tiles; }
};
/// value: bytes of one. Throws input_error for options that cannot be.
gpu_chain gpu_chain_of(const field_domain& domain, std::size_t value, const field_options& options,
                       const device_facts& device);

/// The tiles of a definition whose fields stay on a GPU's chip, or why there are none.
struct gpu_resident {
  std::optional<resident_plan> plan;
  std::string why_not;
};
/// Likewise.
gpu_resident gpu_resident_of(const field_domain& domain, std::size_t value,
                             const field_options& options, const device_facts& device);

/// What a run asks of its steps on a GPU.
struct gpu_steps {
  std::optional<std::string> refusal;       ///< why they are not taken in passes
  std::optional<std::string> chip_refusal;  ///< why fields do not stay on the chip
  std::optional<std::string> auto_refusal;  ///< why passes are taken when they are asked for alone
  bool alike = true;                        ///< no step differs from another, but by the arrays
};
/// Throws input_error for an executor that cannot be.
field_schedule gpu_schedule_of(const field_domain& domain, const field_bytes& bytes,
                               const gpu_chain& chain, const gpu_resident& resident,
                               const field_options& options, const device_facts& device,
                               const gpu_steps& steps = {});

/// Projected seconds of a step by the executor that is asked for, or by the best one; nothing where
/// that is not possible.
std::optional<double> gpu_step_seconds(const field_domain& domain, std::size_t value,
                                       const field_options& options, const device_facts& device);

}  // namespace dwell
