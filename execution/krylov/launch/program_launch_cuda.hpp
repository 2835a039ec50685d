// SPDX-License-Identifier: MIT
// How a GPU runs the kernels of any Program, wherever they were compiled.
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "dwell/base/api.hpp"
#include "dwell/device/device.hpp"
#include "dwell/execution/krylov/launch/kernel_table.hpp"
#include "dwell/execution/krylov/launch/launched_program.hpp"

namespace dwell::cuda {

/// The kernels of a config: of a whole run one, else one for each phase. Handles that the CUDA
/// runtime takes for kernels.
struct program_handles {
  std::vector<const void*> kernels;
  int lanes = 0;            ///< threads of a block
  std::size_t scratch = 0;  ///< bytes of a block, without what a plan caches
};

/// What a row's executor launches.
enum class launch_kind {
  phases,    ///< one by one
  recorded,  ///< phases, in a graph that repeats itself
  together,  ///< a run, whose teams meet
  apart      ///< a run, whose teams do not
};
constexpr launch_kind kind_of_launch(bool phases, bool records, bool alone) {
  if (phases) return records ? launch_kind::recorded : launch_kind::phases;
  return alone ? launch_kind::apart : launch_kind::together;
}

/// Runs in the device's stream. args: what `launched` takes; it stays as long as the launch.
DWELL_API std::unique_ptr<program_launch> make_launch(const device& where, int teams,
                                                      launch_kind kind,
                                                      const program_handles& handles,
                                                      launched_program (*launched)(const void*),
                                                      const void* args);

/// Asks kernels and driver. assumed: what their source promises.
DWELL_API config_facts facts_of_kernels(const program_handles& handles, const config_facts& assumed,
                                        const device& where);

}  // namespace dwell::cuda
