// SPDX-License-Identifier: MIT
// The narrow waist: below the table everything is a template, above it everything is a value. The
// table has one row per (problem, scalar, executor, backend); a row makes a launch, and a launch
// runs as often as its owner wants. Kernels of rows for GPUs are compiled ahead, or when a run
// needs them. A second table has all that plans need of a GPU that is not here, in every build.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "dwell/base/api.hpp"
#include "dwell/base/precision.hpp"
#include "dwell/device/device.hpp"
#include "dwell/execution/device/kernel_making.hpp"
#include "dwell/execution/device/run_control.hpp"
#include "dwell/execution/krylov/alone_of.hpp"
#include "dwell/execution/krylov/launch/launched_program.hpp"
#include "dwell/execution/krylov/launch/needed_program.hpp"
#include "dwell/execution/krylov/plan/plan.hpp"
#include "dwell/execution/krylov/program_args.hpp"

namespace dwell {

/// A complex number has the precision of its parts.
template <class R>
inline constexpr precision precision_of<complex_value<R>> = precision_of<R>;

/// One compiled kernel with its arguments, ready to run again and again: it owns events, a recorded
/// graph or threads, whatever its executor needs.
class program_launch {
 public:
  program_launch() = default;
  program_launch(const program_launch&) = delete;
  program_launch& operator=(const program_launch&) = delete;
  virtual ~program_launch() = default;
  /// Puts a run into the device's stream; it begins with the scalars in args.state[0]. A CPU, and a
  /// GPU's executors that launch from the host, only begin here. `control` must stay until
  /// finish().
  virtual void start(const run_control& control) = 0;
  /// Waits for the end of the run, and until then passes interrupts on and tells of progress.
  /// Returns seconds on the device's clock.
  virtual double finish() = 0;
};

struct program_kernel {
  const char* problem;
  const char* executor;
  precision type;
  backend on;
  bool cooperative;  ///< all teams must be on the device together: they meet while they run
  std::span<const program_config> configs;
  /// Asks the compiled kernel and the driver. `where` must be of this row's backend. Null where no
  /// kernel is compiled ahead.
  config_facts (*probe)(const device& where, int config);
  /// What is known of a config without its device: as many teams as its launch bounds promise on
  /// facts.units multiprocessors; registers and spills are 0.
  config_facts (*assume)(const device_facts& facts, int config);
  /// `args` is a program_args<P, T> whose pointers the device can follow; it must stay as it is,
  /// and where it is, for the life of the launch. Null where no kernel is compiled ahead.
  std::unique_ptr<program_launch> (*prepare)(const void* args, const device& where,
                                             const plan& how);
  bool alone = false;  ///< no team meets another: each has a system of its own, and its scalars
  // Rows for GPUs of the library's own Programs have:
  needed_program needed = {};  ///< what is compiled where no kernel is compiled ahead
  launched_program (*launched)(const void* args) = nullptr;

  bool compiled_ahead() const { return prepare != nullptr; }
};

/// f<R>() for the run-time value `config` of R < Count.
template <std::size_t Count, int R = 0, class F>
auto with_config(int config, F&& f) {
  if constexpr (R + 1 < static_cast<int>(Count))
    return config == R ? f.template operator()<R>() : with_config<Count, R + 1>(config, f);
  else
    return f.template operator()<R>();
}

/// All rows of the table.
std::span<const program_kernel> program_kernels();
/// The rows for GPUs, with or without CUDA: plans are made with them for a GPU that is not here.
/// Nothing of them is compiled ahead.
std::span<const program_kernel> planned_program_kernels();
std::span<const program_kernel> planned_batch_kernels();
/// Adds the rows of `planned` that a table does not have: those are compiled when they are needed.
void add_needed(std::vector<program_kernel>& table, std::span<const program_kernel> planned);

/// Compiles, or finds, what a row needs for a config that is not compiled ahead. Throws
/// unsupported_error without NVRTC, and in a build without CUDA.
DWELL_API kernel_making make_needed(const program_kernel& v, int config, const device& where);
/// What program_kernel::prepare is to other rows. Compiles what is not there.
DWELL_API std::unique_ptr<program_launch> prepare_needed(const program_kernel& v, const void* args,
                                                         const device& where, const plan& how);

/// The rows for complex values, whose precision is that of their parts.
std::span<const program_kernel> complex_kernels();
std::span<const program_kernel> planned_complex_kernels();

/// The rows of executor `batch`, which are not among them: nobody asks for it by name.
std::span<const program_kernel> batch_kernels();
/// Finds one of these. Throws unsupported_error if this build has none.
const program_kernel& find_batch_kernel(std::string_view problem, precision type, backend on);

/// The row asked for. Throws unsupported_error with the list of what exists.
const program_kernel& find_kernel(std::string_view problem, std::string_view executor,
                                  precision type, backend on);
/// Among these rows.
DWELL_API const program_kernel& find_kernel_among(std::span<const program_kernel> rows,
                                                  std::string_view problem,
                                                  std::string_view executor, precision type,
                                                  backend on);

}  // namespace dwell
