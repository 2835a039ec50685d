// SPDX-License-Identifier: MIT
// Steps of several fields on a GPU: what a prepared one has.
#pragma once
#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "dwell/base/error.hpp"
#include "dwell/execution/device/cuda_check.hpp"
#include "dwell/execution/device/kernel_cuda.cuh"
#include "dwell/execution/device/loaded_kernel_cuda.hpp"
#include "dwell/execution/device/progress_publisher.hpp"
#include "dwell/execution/stencil/engines/column_fields3d/args.hpp"
#include "dwell/execution/stencil/engines/ring_fields2d/args.hpp"
#include "dwell/execution/stencil/fields/columns_plan.hpp"
#include "dwell/execution/stencil/fields/device_kernels.hpp"
#include "dwell/execution/stencil/fields/device_points_cuda.hpp"
#include "dwell/execution/stencil/fields/device_resident_cuda.hpp"
#include "dwell/execution/stencil/fields/device_single_launch_cuda.hpp"
#include "dwell/execution/stencil/fields/device_steps.hpp"
#include "dwell/execution/stencil/fields/device_text.hpp"
#include "dwell/execution/stencil/fields/plain_step.hpp"
#include "dwell/execution/stencil/partition/strips.hpp"

namespace dwell::cuda {

inline constexpr dim3 cell_block{64, 4};
inline constexpr unsigned most_blocks = 65535;  ///< along the second and third index of a grid

template <class T>
class steps_on_gpu final : public device_steps<T> {
 public:
  steps_on_gpu(const device& where, const field_domain& domain, const field_memory<T>& memory)
      : where_(where),
        clock_(where),
        target_(target_of(where)),
        units_(where.facts().units),
        domain_(domain),
        memory_(memory),
        sources_(domain),
        blank_(without_arrays()) {
    for (const std::int64_t n : domain.size().n)
      if (n > std::int64_t{1} << 30)
        throw unsupported_error(
            fmt::format("fields on a GPU: expected at most 2^30 cells along an axis, found {}", n));
  }

  void prepare(const device_step_plan& plan) override;
  compile_cost cost() const override { return cost_; }

  bool fixed_cells_differ(const field_places& places) override {
    if (!domain_.has_fixed_cells()) return false;
    std::vector<std::array<const T*, 2>> pairs;
    for (const field_stage& stage : domain_.definition().stages())
      for (const renamed_output& r : stage.renamed)
        pairs.push_back({memory_.field(places, r.field), memory_.field(places, r.from)});
    return !pairs.empty() && found(sources_.differ(), pairs);
  }
  bool finite(const field_places& places) override {
    std::vector<std::array<const T*, 2>> fields;
    for (int f = 0; f < domain_.definition().fields(); ++f)
      fields.push_back({memory_.field(places, f), nullptr});
    return !found(field_kernel_sources<T>::finite(), fields);
  }

  void subtract(T* from, const T* cells, std::size_t n) override {
    const current_device here = clock_.use_device();
    constexpr unsigned block = 256;
    const auto count = static_cast<std::int64_t>(n);
    launch_apart(kernel_of(field_kernel_sources<T>::subtract()).handle(),
                 std::min(blocks_of(count, block), most_blocks), block, 0, stream(), from, cells,
                 count);
  }

  field_run_end run(const device_step_plan& plan, field_run<T>& r, const field_places& places,
                    const run_control& control) override;

 private:
  /// What is the same for all launches of a run.
  struct turn {
    const device_step_plan& plan;
    field_run<T>& run;
    std::vector<buffer<T>> fixed;         ///< fixed cells that have to be given again
    const loaded_kernel* keep = nullptr;  ///< that gives them
    const loaded_kernel *add = nullptr, *record = nullptr;  ///< sources and receivers
    buffer<T> table;                                        ///< parameters of every step
    int done = 0;
    field_places places;
  };

  void load(const std::vector<kernel_source>& wanted);
  const loaded_kernel& kernel_of(const kernel_source& source) {
    if (!kernels_.contains(source.kernel)) load({source});
    return *kernels_.at(source.kernel);
  }
  /// A pass's kernel gets its scratch.
  void allow(const loaded_kernel& pass, int lanes, std::size_t scratch);
  cudaStream_t stream() const { return clock_.stream(); }
  fields_stage_args<T> without_arrays() const;
  fields_stage_args<T> args_of(const field_stage& stage, const stage_memory<T>& memory,
                               const T* p) const;
  /// Blocks of a kernel that goes over all cells, a lane over so many rows.
  dim3 grid(int rows) const {
    const auto& n = domain_.size().n;
    const unsigned of_block = cell_block.y * static_cast<unsigned>(rows);
    return {blocks_of(n[2], cell_block.x), std::min(blocks_of(n[1], of_block), most_blocks),
            std::min(static_cast<unsigned>(n[0]), most_blocks)};
  }
  void launch_cells(const loaded_kernel& kernel, const fields_stage_args<T>& a, int* found,
                    cudaStream_t on, int rows = 1) const {
    if (found)
      launch_apart(kernel.handle(), grid(rows), cell_block, 0, on, a, found);
    else
      launch_apart(kernel.handle(), grid(rows), cell_block, 0, on, a);
  }
  bool found(const kernel_source& source, const std::vector<std::array<const T*, 2>>& arrays);

  /// Launches the next steps of a run: as many as one launch or graph has, or one.
  void advance(turn& t);
  void single_step(turn& t, cudaStream_t on);
  void pass(turn& t, int warps);
  void columns_pass(turn& t);
  template <class Args>
  void give_arrays(turn& t, Args& a) const;
  bool graph(turn& t);
  void steps_together(turn& t);
  /// The places from which steps go, until they are `first` again.
  std::vector<field_places> cycle_from(const field_places& first) const;

  device where_;
  run_clock clock_;
  kernel_target target_;
  int units_;
  const field_domain& domain_;
  const field_memory<T>& memory_;
  field_kernel_sources<T> sources_;
  std::map<std::string, const loaded_kernel*> kernels_;  ///< by their names
  compile_cost cost_;
  const fields_stage_args<T> blank_;  ///< arguments of a stage without arrays

  /// A stage's, and the rows of a lane; null where it computes nothing.
  struct stage_kernel {
    const loaded_kernel* kernel = nullptr;
    int rows = 1;
  };
  std::vector<stage_kernel> stages_;
  bool stages_are_naive_ = false;
  /// The pass that was prepared last.
  struct pass_kernel {
    const loaded_kernel* kernel;
    chain_numbers numbers;
    pass_demands demands;
  };
  std::optional<pass_kernel> pass_;
  struct columns_kernel {
    const loaded_kernel* kernel;
    columns_numbers numbers;
    pass_demands demands;
  };
  std::optional<columns_kernel> columns_;
  std::optional<resident_launches<T>> resident_;  ///< launches of the plan that was prepared last

  /// The steps that are recorded, and from where.
  struct recorded {
    executable_graph ready;
    int steps = 0;
    field_places from;
    std::vector<T> parameters;
  };
  std::unique_ptr<recorded> graph_;
  /// Launches of many single steps, and from where, once they were given their stages.
  std::optional<single_launches<T>> together_;
  struct given_stages {
    field_places from;
    std::vector<T> parameters;
    int cycle = 1;
  };
  std::optional<given_stages> given_;
  std::optional<device_points<T>> points_;  ///< those that the last run had
};

}  // namespace dwell::cuda
