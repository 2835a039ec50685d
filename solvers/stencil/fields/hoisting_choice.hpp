// SPDX-License-Identifier: MIT
// Whether values of coefficients alone are computed once (execution/stencil/fields/hoisting.hpp):
// operations against the bytes of their arrays, by the projected times of steps.
#pragma once
#include <cstddef>
#include <optional>

#include "dwell/device/device.hpp"
#include "dwell/execution/stencil/fields/field_domain.hpp"
#include "dwell/execution/stencil/fields/hoisting.hpp"
#include "dwell/stencil/field_runner.hpp"

namespace dwell {

struct hoisting_choice {
  std::optional<hoisting> made;
  double given_seconds = 0;  ///< projected for a step as given, and as made; 0: by no model
  double made_seconds = 0;

  const stencil_definition& steps(const stencil_definition& given) const {
    return made ? made->steps : given;
  }
};

/// value: bytes of one. is_built: kernels are compiled with the program. division: seconds of one
/// on a CPU; 0: as measured here. Throws input_error for options that cannot be.
hoisting_choice choose_hoisting(const stencil_definition& definition, const field_size& size,
                                std::size_t value, const field_options& options,
                                const device_facts& device, bool is_built, double division = 0);

}  // namespace dwell
