// SPDX-License-Identifier: MIT
// solve() with kernels that the caller has compiled: what dwell/custom_stencil.hpp is built on.
#pragma once
#include <span>

#include "dwell/execution/core/sweep_variant.hpp"
#include "dwell/solvers/stencil/stencil.hpp"

namespace dwell {

/// As solve(), but options.shape and the executors are those of `table`, which must outlive the
/// call.
stencil_report solve_from(std::span<const sweep_variant> table, const device& where,
                          grid<double>& u, const stencil_options& options,
                          const grid<double>* source = nullptr);
stencil_report solve_from(std::span<const sweep_variant> table, const device& where, grid<float>& u,
                          const stencil_options& options, const grid<float>* source = nullptr);

}  // namespace dwell
