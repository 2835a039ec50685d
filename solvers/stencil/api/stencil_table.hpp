// SPDX-License-Identifier: MIT
// solve() with kernels that the caller has compiled: what dwell/custom_stencil.hpp is built on.
#pragma once
#include <span>
#include <string_view>

#include "dwell/base/api.hpp"
#include "dwell/execution/stencil/launch/kernel_table.hpp"
#include "dwell/stencil/solve.hpp"

namespace dwell {

/// The shape of this name in `table`; throws unsupported_error with the list if there is none.
DWELL_API stencil_shape find_stencil_shape(std::span<const stencil_kernel> table,
                                           std::string_view name);

/// Solves as solve() does, but options.shape and the executors are those of `table`, which must
/// outlive the call.
DWELL_API stencil_report solve_from(std::span<const stencil_kernel> table, const device& where,
                                    grid<double>& u, const stencil_options& options,
                                    const grid<double>* source = nullptr);
DWELL_API stencil_report solve_from(std::span<const stencil_kernel> table, const device& where,
                                    grid<float>& u, const stencil_options& options,
                                    const grid<float>* source = nullptr);

}  // namespace dwell
