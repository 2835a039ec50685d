// SPDX-License-Identifier: MIT
// Launches of engine resident_fields: many steps each, or a pass, between which fields are in
// memory, so that the host can end a run.
#pragma once
#include <algorithm>
#include <cstddef>
#include <utility>

#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/device/kernel_cuda.cuh"
#include "dwell/execution/device/loaded_kernel_cuda.hpp"
#include "dwell/execution/stencil/engines/resident_fields/args.hpp"
#include "dwell/execution/stencil/fields/field_memory.hpp"
#include "dwell/execution/stencil/fields/plain_step.hpp"
#include "dwell/execution/stencil/fields/resident_plan.hpp"

namespace dwell::cuda {

template <class T>
class resident_launches {
 public:
  /// The kernel of the plan, which outlives this. The driver gives it its scratch.
  resident_launches(const device& where, const loaded_kernel& kernel, const resident_plan& plan,
                    const resident_numbers& numbers, const pass_demands& demands)
      : kernel_(&kernel),
        plan_(plan),
        numbers_(numbers),
        demands_(demands),
        flags_(where,
               plan.apart ? 0 : static_cast<std::size_t>(plan.count()) * resident_flag_distance) {
    note_facts(kernel.code(), kernel.handle(), numbers.lanes(), plan.scratch, where);
  }

  const resident_plan& plan() const { return plan_; }
  const resident_numbers& numbers() const { return numbers_; }
  const pass_demands& demands() const { return demands_; }
  /// In registers' place, for a lane.
  int spilled_bytes() const { return static_cast<int>(loaded(kernel_->handle()).localSizeBytes); }
  /// Steps of a launch: some milliseconds of them, beside which a launch is nothing.
  int steps_of_launch() const {
    if (plan_.apart) return plan_.depth;
    constexpr double long_enough = 2e-3;
    const double passes = long_enough / (plan_.step_seconds * plan_.depth);
    return plan_.depth * static_cast<int>(std::clamp(passes, 1.0, 1e6 / plan_.depth));
  }

  /// What steps of a launch take besides fields.
  struct inputs {
    const T* parameters;  ///< on the host, of all steps alike
    const T* table;       ///< in the device's memory, of every step, or null
    resident_points<T> points;
  };
  /// Queues so many steps. blank: sizes and constants beyond borders.
  void queue(const stencil_definition& d, const field_memory<T>& memory, field_places& places,
             const fields_stage_args<T>& blank, const inputs& in, int steps,
             cudaStream_t on) const {
    resident_run<T> a;
    std::copy_n(blank.n, 3, a.n);
    a.pitch = static_cast<int>(blank.pitch);
    std::ranges::copy(plan_.tiles, a.tiles);
    a.depth = plan_.depth;
    a.passes = (steps + plan_.depth - 1) / plan_.depth;
    a.last = steps - (a.passes - 1) * plan_.depth;
    a.flags = flags_.data();
    for (int f = 0; f < d.fields(); ++f) {
      int& free = places.free[static_cast<std::size_t>(places.free_arrays - 1 - f)];
      int& own = places.of_field[static_cast<std::size_t>(f)];
      field_places other = places;
      other.of_field[static_cast<std::size_t>(f)] = free;
      a.fields[0][f] = memory.field(places, f);
      a.fields[1][f] = memory.field(other, f);
      if (a.passes % 2 == 1) std::swap(free, own);
    }
    for (int c = 0; c < d.coefficients(); ++c) a.coefficients[c] = memory.coefficient(c);
    for (int array = 0; array < d.fields() + d.coefficients(); ++array)
      for (int axis = 0; axis < 3; ++axis)
        std::copy_n(blank.outside[array][axis], 2, a.outside[array][axis]);
    std::copy_n(in.parameters, d.parameters(), a.p);
    a.table = in.table;
    a.points = in.points;
    const int lanes = numbers_.lanes();
    if (plan_.apart) {
      launch_apart(kernel_->handle(), static_cast<unsigned>(plan_.count()),
                   static_cast<unsigned>(lanes), plan_.scratch, on, a);
      return;
    }
    DWELL_CUDA(cudaMemsetAsync(flags_.data(), 0, flags_.size() * sizeof(unsigned), on));
    launch_together(kernel_->handle(), plan_.count(), lanes, plan_.scratch, on, false, a);
  }

 private:
  const loaded_kernel* kernel_;
  resident_plan plan_;
  resident_numbers numbers_;
  pass_demands demands_;
  buffer<unsigned> flags_;
};

}  // namespace dwell::cuda
