// SPDX-License-Identifier: MIT
// The kernels of a definition on a GPU, which are compiled when they are needed: their sources, and
// the plan of a pass, which is made before its kernel is there.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "dwell/base/precision.hpp"
#include "dwell/device/device.hpp"
#include "dwell/execution/device/compiled_kernel.hpp"
#include "dwell/execution/stencil/engines/column_fields3d/columns_shape.hpp"
#include "dwell/execution/stencil/engines/resident_fields/shape.hpp"
#include "dwell/execution/stencil/engines/ring_fields2d/chain_shape.hpp"
#include "dwell/execution/stencil/fields/field_domain.hpp"

namespace dwell {

/// What engine ring_fields2d has to know of a definition with its borders, in two dimensions.
chain_shape chain_of(const field_domain& domain);
/// And engine column_fields3d, in three.
columns_shape columns_of(const field_domain& domain);

/// Why there is no pass of several steps on a GPU of this compute capability, or nothing. In one
/// dimension passes are tiles of engine resident_fields, on any GPU.
std::optional<std::string> refuses_chain(const field_domain& domain, int compute_capability);

/// What a step computes in a cell.
struct field_work {
  double operations = 0;  ///< what operations cost, in additions (operation_costs.hpp)
  int counted = 0;        ///< operations, each of them as one
  int nodes = 0;          ///< nodes of the tape: operations, taps, constants, parameters
};
/// In values of so many bytes.
field_work work_of(const stencil_definition& definition, int value_bytes);

/// What a multiprocessor has for a pass.
struct chain_room {
  std::size_t scratch = 0;  ///< bytes of a team
  double operations = 0;    ///< operations of a cycle, in the type of the values
};
/// That of a device, for values of so many bytes.
chain_room room_of(const device_facts& device, int value_bytes);

/// Cycles of a multiprocessor for a cell and step that a pass computes, its halos included: by
/// measurements on an H200 of heat, waves and Gray-Scott in f64 and f32 (docs/results/fields.md).
double chain_cycles(const chain_numbers& numbers, const field_work& work, const chain_room& room);

/// The config of a pass for values of so many bytes; nothing where none fits. `depth`: steps of a
/// pass, which its warps may have; 0: as many as they have.
std::optional<chain_config> plan_chain(const chain_shape& shape, const field_work& work,
                                       int value_bytes, const chain_room& room, int depth = 0);

/// Sources of kernels (fields/kernels_cuda.cuh) for values of type T.
template <class T>
class field_kernel_sources {
 public:
  explicit field_kernel_sources(const field_domain& domain);

  kernel_source stage(int number) const;
  kernel_source naive_stage(int number) const;
  kernel_source steps() const;  ///< many single steps
  kernel_source pass(const chain_config& config, const pass_demands& demands = {}) const;
  kernel_source pass(const columns_config& config, const pass_demands& demands = {}) const;
  /// All steps of a run.
  kernel_source resident(const resident_config& config, const pass_demands& demands = {}) const;
  kernel_source keep() const;    ///< gives fixed cells their values again
  kernel_source differ() const;  ///< compares fixed cells of two arrays
  // Kernels of all definitions alike:
  static kernel_source add();     ///< adds values to cells
  static kernel_source record();  ///< copies cells to a row
  static kernel_source finite();  ///< looks for NaN and infinity
  static kernel_source subtract();

 private:
  kernel_source of(const std::string& kernel, const std::string& about) const;
  std::string text_, name_;
};

/// What a runner compiles on a GPU of this compute capability for steps and for its report: all
/// stages, the pass of an engine of rings or columns, if there is one, with what its steps have
/// besides the stencil, looks at the fields; and what reductions of changes need, if there are any.
std::vector<kernel_source> field_sources(const field_domain& domain, precision type,
                                         int compute_capability, const pass_demands& demands = {},
                                         bool changes = false);

}  // namespace dwell
