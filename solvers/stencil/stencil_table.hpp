// SPDX-License-Identifier: MIT
// solve() with kernels that the caller has compiled: what dwell/custom_stencil.hpp is built on.
#pragma once
#include <span>
#include <string_view>

#include "dwell/execution/core/sweep_variant.hpp"
#include "dwell/solvers/stencil/stencil.hpp"

namespace dwell {

/// The shape of this name in `table`; throws unsupported_error with the list if there is none.
stencil_shape find_stencil_shape(std::span<const sweep_variant> table, std::string_view name);

/// As solve(), but options.shape and the executors are those of `table`, which must outlive the
/// call.
stencil_report solve_from(std::span<const sweep_variant> table, const device& where,
                          grid<double>& u, const stencil_options& options,
                          const grid<double>* source = nullptr);
stencil_report solve_from(std::span<const sweep_variant> table, const device& where, grid<float>& u,
                          const stencil_options& options, const grid<float>* source = nullptr);

}  // namespace dwell
