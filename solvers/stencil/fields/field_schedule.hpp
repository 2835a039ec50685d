// SPDX-License-Identifier: MIT
// The executor of a run on a CPU, and why.
#pragma once
#include <cstddef>
#include <optional>
#include <string>

#include "dwell/device/device.hpp"
#include "dwell/execution/stencil/fields/field_pass.hpp"
#include "dwell/stencil/field_runner.hpp"

namespace dwell {

/// Bytes of arrays.
struct field_bytes {
  std::size_t step = 0;    ///< what a step must move if nothing stays in a cache
  std::size_t memory = 0;  ///< all arrays
  std::size_t cell = 0;    ///< of a cell in all arrays together
};
/// value: bytes of one.
field_bytes bytes_of(const field_domain& domain, std::size_t value);
/// Bytes of a cell that a stage reads and writes, each array once.
std::size_t cell_bytes_of(const field_stage& stage, std::size_t value);

struct field_schedule {
  std::string executor, reason;
  int threads = 1;
  field_pass pass;
};

/// refusal: why there can be no passes of several steps, or nothing. Throws input_error for options
/// that cannot be.
field_schedule schedule_of(const field_domain& domain, const field_bytes& bytes,
                           const field_options& options, const device_facts& device,
                           const std::optional<std::string>& refusal);

}  // namespace dwell
