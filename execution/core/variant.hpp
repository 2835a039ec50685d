// SPDX-License-Identifier: MIT
// The narrow waist: below a variant everything is a template, above it everything is a value. The
// table has one row per compiled (problem, scalar, executor, backend); one call through it per
// solve.
#pragma once
#include <atomic>
#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "dwell/execution/core/device.hpp"
#include "dwell/execution/core/plan.hpp"
#include "dwell/execution/core/program.hpp"

namespace dwell {

enum class precision { f64, f32 };
template <class T>
inline constexpr precision precision_of = sizeof(T) == 8 ? precision::f64 : precision::f32;

/// The host's hand on a run in progress.
struct run_control {
  const std::atomic<bool>* interrupt = nullptr;
  /// Called now and then from the calling thread; false ends the run as an interrupt does. An
  /// exception ends it too, and is rethrown.
  std::function<bool(int step, double residual)> progress;
  double progress_interval = 0.1;  ///< seconds
  /// Or null: the run's history, in the device's memory. Every entry is then told, in order, soon
  /// after the run has passed it.
  double* every = nullptr;
};

struct program_variant {
  const char* problem;
  const char* executor;
  precision type;
  backend on;
  bool resident;  ///< all teams must be on the device together: they meet while they run
  std::span<const rung> rungs;
  /// Asks the compiled kernel and the driver. `where` must be of this variant's backend.
  rung_facts (*probe)(const device& where, int rung);
  /// What is known of a rung without its device: as many teams as its launch bounds promise on
  /// facts.units multiprocessors; registers and spills are 0.
  rung_facts (*assume)(const device_facts& facts, int rung);
  /// Runs to the end. `args` is a program_args<P, T> whose pointers the device can follow; its
  /// state holds the final scalars afterwards. Returns seconds on the device's clock.
  double (*run)(const void* args, const device& where, const plan& how, const run_control& control);
};

/// f<R>() for the run-time value `rung` of R < Count.
template <std::size_t Count, int R = 0, class F>
auto with_rung(int rung, F&& f) {
  if constexpr (R + 1 < static_cast<int>(Count))
    return rung == R ? f.template operator()<R>() : with_rung<Count, R + 1>(rung, f);
  else
    return f.template operator()<R>();
}

/// All rows of the table.
std::span<const program_variant> program_variants();

/// The row asked for. Throws unsupported_error with the list of what exists.
const program_variant& find_variant(std::string_view problem, std::string_view executor,
                                    precision type, backend on);

}  // namespace dwell
