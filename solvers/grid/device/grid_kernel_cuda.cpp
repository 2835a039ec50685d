// SPDX-License-Identifier: MIT
// The kernels of solves on grids: compiled, loaded, launched.
#include <cuda_runtime_api.h>
#include <algorithm>

#include "dwell/base/error.hpp"
#include "dwell/execution/device/kernel_cuda.cuh"
#include "dwell/execution/device/loaded_kernel_cuda.hpp"
#include "dwell/execution/device/watch_cuda.hpp"
#include "dwell/solvers/grid/device/grid_kernel.hpp"
#include "dwell/solvers/grid/device/needed.hpp"

namespace dwell::cuda {
namespace {

template <class T>
class kernel_of_grid final : public grids::grid_kernel<T> {
 public:
  explicit kernel_of_grid(const device& where)
      : where_(where),
        clock_(where),
        // What a team of this many lanes needs for its sums (team_cuda.cuh), levels and steps.
        scratch_(2 * 6 * 32 * sizeof(double) + grids::most_levels * sizeof(grids::device_level) +
                 (grids::most_levels + 1) * sizeof(grids::device_box_level) +
                 grids::most_steps_kept * sizeof(grids::cycle_step) + 48) {
    teams_ = where.facts().units;
  }

  int teams() const override { return teams_; }
  int lanes() const override { return grids::grid_lanes; }
  std::string compiler() const override { return compiler_; }
  double compile_seconds() const override { return seconds_; }

  void prepare(grids::grid_kernel_form form) override {
    load(kernel_of(form), grids::source_of(form, precision_of<T>), scratch_);
  }
  void make(const grids::grid_setup_args<T>& a) override {
    load(setup_, grids::setup_source_of(precision_of<T>), 0);
    const current_device here = clock_.use_device();
    launch_together(setup_->handle(), teams_, grids::grid_lanes, 0, clock_.stream(), false, a);
  }

  double run(const grids::grid_solve_args<T>& a, const run_control& control) override {
    const grids::grid_kernel_form form = grids::form_of(a);
    prepare(form);
    const current_device here = clock_.use_device();
    watcher watch(control, a.seen, clock_.stream());
    watch.poll();  // an interrupt may be there already
    clock_.begin();
    launch_together(kernel_of(form)->handle(), teams_, grids::grid_lanes, scratch_, clock_.stream(),
                    false, a);
    clock_.end();
    watch.wait_for(clock_.ended());
    watch.finish();
    return clock_.seconds();
  }

 private:
  std::unique_ptr<loaded_kernel>& kernel_of(grids::grid_kernel_form form) {
    return kernels_[form.flat][static_cast<int>(form.kind)][form.fused];
  }
  /// Compiles it, unless that is done.
  void load(std::unique_ptr<loaded_kernel>& kernel, const kernel_source& source,
            std::size_t scratch) {
    if (kernel) return;
    auto code = compile_kernel(source, target_of(where_));
    compiler_ = code->compiler;
    seconds_ += code->seconds;
    auto made = std::make_unique<loaded_kernel>(std::move(code));
    const current_device here = clock_.use_device();
    int per_unit = 0;
    // Not by allow_scratch(), which remembers kernels by addresses: those of unloaded ones come
    // again.
    DWELL_CUDA(cudaFuncSetAttribute(made->handle(), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(scratch)));
    DWELL_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_unit, made->handle(),
                                                             grids::grid_lanes, scratch));
    if (per_unit < 1) throw unsupported_error("grid: the kernel does not fit this GPU");
    kernel = std::move(made);
  }

  device where_;
  run_clock clock_;
  std::size_t scratch_;
  std::string compiler_;
  double seconds_ = 0;
  std::unique_ptr<loaded_kernel> kernels_[2][grids::level_kinds][2], setup_;
  int teams_ = 0;
};

template <class T>
std::unique_ptr<grids::grid_kernel<T>> make_kernel(const device& where) {
  return std::make_unique<kernel_of_grid<T>>(where);
}

}  // namespace
}  // namespace dwell::cuda

namespace dwell {

template <>
const grids::grid_kernel_functions<double>& cuda_backend() {
  static constexpr grids::grid_kernel_functions<double> table{&cuda::make_kernel<double>};
  return table;
}
template <>
const grids::grid_kernel_functions<float>& cuda_backend() {
  static constexpr grids::grid_kernel_functions<float> table{&cuda::make_kernel<float>};
  return table;
}

}  // namespace dwell
