// SPDX-License-Identifier: MIT
// The table of compiled Sweeps: one row per (shape, scalar, executor, backend). Below it everything
// is a template, above it everything is a value; one call through it per run.
#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "dwell/execution/core/device.hpp"
#include "dwell/execution/core/sweep.hpp"
#include "dwell/execution/core/sweep_args.hpp"
#include "dwell/execution/core/sweep_plan.hpp"
#include "dwell/execution/core/variant.hpp"

namespace dwell {

/// A shape as a value.
struct sweep_shape {
  const char* name;
  int dims, radius, flops;  ///< flops per cell and step
  bool linear;
  std::span<const tap> taps;
  std::vector<double> weights;  ///< defaults; of a linear shape one for each tap
  const char* about = "";       ///< what it computes, in lines; "" if it does not say
};

template <Sweep S>
sweep_shape shape_facts() {
  return {S::name,      S::dims, radius_of<S>,         flops_of<S>,
          is_linear<S>, S::taps, default_weights<S>(), about_of<S>()};
}

struct sweep_variant {
  sweep_shape shape;
  const char* executor;
  precision type;
  backend on;
  bool resident;  ///< all teams must be on the device together: they meet while they run
  std::span<const sweep_rung> rungs;
  /// Asks the compiled kernel and the driver. `where` must be of this variant's backend.
  sweep_rung_facts (*probe)(const device& where, int rung);
  /// Runs to the end. `args` is a sweep_args<T> whose pointers the device can follow. Returns
  /// seconds on the device's clock.
  double (*run)(const void* args, std::span<const double> weights, const device& where,
                const run_control& control);
};

/// All rows of this build's table.
std::span<const sweep_variant> sweep_variants();

/// The row asked for. Throws unsupported_error with the list of what exists.
const sweep_variant& find_variant(std::span<const sweep_variant> table, std::string_view shape,
                                  std::string_view executor, precision type, backend on);

/// One entry per shape of the table, by name.
std::vector<sweep_shape> shapes_of(std::span<const sweep_variant> table);

}  // namespace dwell
