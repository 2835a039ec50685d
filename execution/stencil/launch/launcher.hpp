// SPDX-License-Identifier: MIT
// Runs of one compiled kernel on one device, prepared: what the runs have in common (threads and
// their scratch; streams, events, recorded launches) is made once and lives as long as the
// launcher. A run makes nothing but launches. For one thread at a time.
#pragma once
#include <cstddef>
#include <optional>
#include <span>

#include "dwell/execution/device/run_control.hpp"
#include "dwell/execution/stencil/args.hpp"

namespace dwell {

/// What one run is started with.
struct stencil_start {
  /// A stencil_args<T>, whose pointers the device can follow, and whose plan is the one that the
  /// launcher was made for; steps are at least 1. Read before start() returns.
  const void* args;
  std::span<const double> weights;  ///< weights of all taps of the shape
  /// In the device's memory: the state, the monitor and all flags that teams meet by. Zeroed by
  /// start(), after the runs before.
  std::span<std::byte> flags;
};

/// How the last of some runs ended, and how long all of them took on the device's clock.
struct stencil_end {
  stencil_state state;
  double seconds = 0;
};

class stencil_launcher {
 public:
  virtual ~stencil_launcher() = default;
  /// Starts a run of args.steps steps from args.field[0]. How it ends, if that is known already:
  /// another run may then be started at once. Else wait() comes first. `control` must stay until
  /// then.
  virtual std::optional<stencil_state> start(const stencil_start& run,
                                             const run_control& control) = 0;
  /// Waits for all that was started since the last wait(); there was something.
  virtual stencil_end wait(const run_control& control) = 0;
};

}  // namespace dwell
