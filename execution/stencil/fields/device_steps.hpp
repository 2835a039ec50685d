// SPDX-License-Identifier: MIT
// Steps of several fields on a GPU, launched from the host: a kernel for each stage, alone or many
// steps of them as a graph, many single steps in one launch, passes of several steps, and runs that
// keep fields on the chip. Kernels are compiled when they are first needed (device_kernels.hpp).
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "dwell/execution/device/cuda_backend.hpp"
#include "dwell/execution/device/run_control.hpp"
#include "dwell/execution/stencil/engines/column_fields3d/columns_shape.hpp"
#include "dwell/execution/stencil/engines/ring_fields2d/chain_shape.hpp"
#include "dwell/execution/stencil/fields/field_run.hpp"
#include "dwell/execution/stencil/fields/resident_plan.hpp"

namespace dwell {

/// How steps are taken.
struct device_step_plan {
  bool naive = false;                     ///< single steps are taken cell by cell
  bool graph = false;                     ///< single steps of a run are queued as graphs
  int together = 0;                       ///< single steps of one launch; 0: a launch each stage
  std::optional<chain_config> pass;       ///< several steps a launch; what is left is single steps
  int depth = 0;                          ///< steps of a pass: a multiple of its warps' steps
  pass_demands demands;                   ///< what its steps have besides the stencil
  std::optional<columns_config> columns;  ///< a pass in three dimensions, of its `steps` steps
  std::optional<resident_plan> resident;  ///< fields stay on the chip between steps, or in a pass
  friend bool operator==(const device_step_plan&, const device_step_plan&) = default;
};

/// What compiling took so far.
struct compile_cost {
  std::string compiler;   ///< "NVRTC 13.0"; empty before the first kernel
  double seconds = 0;     ///< 0 if all kernels came from the cache
  int spilled_bytes = 0;  ///< what a lane of passes or tiles has in memory instead of registers
};

template <class T>
class device_steps {
 public:
  virtual ~device_steps() = default;
  /// Compiles or loads the kernels of a plan. Throws unsupported_error without a compiler.
  virtual void prepare(const device_step_plan& plan) = 0;
  virtual compile_cost cost() const = 0;
  /// Do fields that take each other's memory differ in fixed cells?
  virtual bool fixed_cells_differ(const field_places& places) = 0;
  /// No NaN and no infinity in any field.
  virtual bool finite(const field_places& places) = 0;
  /// Subtracts n values, in the stream: both are in the device's memory.
  virtual void subtract(T* from, const T* cells, std::size_t n) = 0;
  /// Ends early, after a whole step or pass, if `control` says so. Throws what its progress
  /// function throws, once the steps that were launched are done.
  virtual field_run_end run(const device_step_plan& plan, field_run<T>& r,
                            const field_places& places, const run_control& control) = 0;
};

/// Those of the CUDA backend; a build without CUDA refuses.
template <class T>
struct device_step_functions {
  /// The device has a stream; domain and memory outlive what is made.
  std::unique_ptr<device_steps<T>> (*make)(const device&, const field_domain&,
                                           const field_memory<T>&);
};
template <>
const device_step_functions<double>& cuda_backend();
template <>
const device_step_functions<float>& cuda_backend();

}  // namespace dwell
