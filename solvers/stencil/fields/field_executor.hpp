// SPDX-License-Identifier: MIT
// Where the fields of a runner lie and its steps are taken: on a CPU (cpu_fields.cpp) or on a GPU
// (gpu_fields.cpp).
#pragma once
#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "dwell/execution/device/run_control.hpp"
#include "dwell/execution/stencil/fields/field_memory.hpp"
#include "dwell/execution/stencil/fields/field_run.hpp"
#include "dwell/solvers/stencil/fields/field_schedule.hpp"
#include "dwell/stencil/field_runner.hpp"

namespace dwell {

/// What a schedule is made for, besides what it knows. It depends on the fields: on whether fixed
/// cells of renamed ones are the same.
template <class T>
struct field_demand {
  bool fixed_cells_differ = false;
  bool parameters_change = false;
  const field_points<T>* points = nullptr;
};

/// What computes the cells.
struct field_kernel_facts {
  std::string name;    ///< "compiled", "interpreted" or "built-in"
  std::string reason;  ///< one line
  double compile_seconds = 0;
};

template <class T>
class field_executor {
 public:
  virtual ~field_executor() = default;
  virtual field_memory<T>& memory() = 0;
  virtual field_kernel_facts kernel() const = 0;
  /// Compares fixed cells of every field and of the one whose memory it takes.
  virtual bool fixed_cells_differ(const field_places& places) = 0;
  /// No NaN and no infinity in any field.
  virtual bool finite(const field_places& places) = 0;
  /// Subtracts n values, each rounded to T: both are where fields are.
  virtual void subtract(T* from, const T* cells, std::size_t n) = 0;
  /// Throws input_error for options that cannot be used.
  virtual field_schedule plan(const field_demand<T>& demand) const = 0;
  /// Ends early, after a whole step or pass, if `control` says so. Throws what its progress
  /// function throws.
  virtual field_run_end run(const field_schedule& schedule, field_run<T>& r,
                            const field_places& places, const run_control& control) = 0;
};

/// Why there are no passes, on any device, where fixed cells of renamed fields differ.
inline constexpr const char* differing_fixed_cells =
    "fields that exchange their memory have different values in fixed cells";
/// Why steps of these demands are not taken in passes on a CPU, or nothing.
template <class T>
std::optional<std::string> refuses_passes_of(const stencil_definition& definition,
                                             const field_demand<T>& demand) {
  if (demand.fixed_cells_differ) return differing_fixed_cells;
  if (!demand.points) return std::nullopt;
  const auto& last = definition.stages().back().computed;
  for (const source_list<T>& list : demand.points->sources)
    if (std::ranges::none_of(last, [&](const auto& o) { return o.field == list.field; }))
      return "field '" + definition.tape().fields[static_cast<std::size_t>(list.field)] +
             "' has sources, and the last stage does not compute it";
  return std::nullopt;
}

/// That of a CPU. `built`: kernels that are compiled with the program, or null.
template <class T>
std::unique_ptr<field_executor<T>> fields_on_cpu(const built_row_kernels* built,
                                                 const device_facts& facts,
                                                 const field_domain& domain,
                                                 const field_options& options);
/// That of a GPU; the device has a stream. Throws input_error for a kernel that is not compiled,
/// unsupported_error without the compiler of kernels at run time.
template <class T>
std::unique_ptr<field_executor<T>> fields_on_gpu(const device& where, const field_domain& domain,
                                                 const field_options& options);

}  // namespace dwell
