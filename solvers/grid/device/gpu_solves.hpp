// SPDX-License-Identifier: MIT
// The solves of a handle on a GPU: its kernel, the grid in its memory, and the caller's arrays.
#pragma once
#include <cmath>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/stopwatch.hpp"
#include "dwell/device/device_views.hpp"
#include "dwell/execution/device/array_place.hpp"
#include "dwell/execution/device/work_queue.hpp"
#include "dwell/solvers/grid/device/device_grid.hpp"
#include "dwell/solvers/grid/grid_run.hpp"

namespace dwell::grids {

template <class T>
class gpu_solves {
 public:
  /// What came of one, and the exponent by which its right-hand side was divided.
  struct outcome {
    run_output run;
    int scale = 0;
  };

  gpu_solves(const device& where, const prepared_grid<T>& grid, const chosen_method& method)
      : queue_(where),
        kernel_(cuda_backend<grid_kernel_functions<T>>().make(queue_.where())),
        grid_(made(grid, method)) {}

  /// What a solve of another operator reads; for take().
  device_grid<T> made(const prepared_grid<T>& grid, const chosen_method& method) const {
    return {queue_.where(), grid, method, {kernel_->teams(), kernel_->lanes()}};
  }
  void take(device_grid<T> grid) { grid_ = std::move(grid); }

  /// twice: the levels say so. Throws input_error for values that are not finite, and what the
  /// progress function throws.
  outcome solve(const grid_options& options, bool twice, device_span<const T> of, device_span<T> u,
                bool algebraic) {
    require_on_device(queue_.where(), "f", of);
    require_on_device(queue_.where(), "u", u);
    require_apart({"f", of.data, of.size * sizeof(T)}, {"u", u.data, u.size * sizeof(T)});
    return solve(options, twice, of.data, u.data, algebraic);
  }
  /// Likewise with arrays of the host.
  outcome solve(const grid_options& options, bool twice, std::span<const T> of, std::span<T> u,
                bool algebraic) {
    if (f_.size() == 0) {
      f_ = buffer<T>(queue_.where(), of.size());
      u_ = buffer<T>(queue_.where(), u.size());
    }
    f_.upload(of);
    u_.upload(u);
    outcome out = solve(options, twice, f_.data(), u_.data(), algebraic);
    u_.download(u);
    return out;
  }

 private:
  outcome solve(const grid_options& options, bool twice, const T* of, T* u, bool algebraic) {
    outcome all;
    run_output& sum = all.run;
    double seconds = 0;
    while (true) {
      run_control control;
      control.interrupt = options.interrupt;
      control.progress_interval = options.progress_interval;
      const int before = sum.iterations;
      stopwatch running;
      if (options.progress)
        control.progress = [&](int step, double relative) {
          seconds += running.lap();
          return options.progress({before + step, relative, options.rtol, seconds});
        };
      std::vector<double> history;
      const device_outcome out = grid_.solve(*kernel_,
                                             {.f = of,
                                              .u = u,
                                              .algebraic = algebraic,
                                              .rtol = options.rtol,
                                              .atol = options.atol,
                                              .max_iterations = options.max_iterations - before,
                                              .history = options.history,
                                              .twice = twice},
                                             control, history);
      if (out.bad_rhs) throw input_error("grid: right-hand side: a value is not finite");
      if (out.bad_start) throw input_error("grid: start: a value is not finite");
      all.scale = out.scale;
      sum.iterations += out.iterations;
      sum.refinements += out.refinements;
      sum.stopped = stop_reason(out.stopped);
      sum.rhs_norm = out.rhs_norm, sum.removed = out.removed;
      sum.recursive = out.recursive, sum.residual = out.residual;
      sum.target_missed = out.target_missed != 0, sum.stagnated = out.stagnated != 0;
      if (!sum.history.empty()) sum.history.pop_back();
      sum.history.insert(sum.history.end(), history.begin(), history.end());
      // Two visits are not always definite.
      if (!out.indefinite || !twice || sum.stopped != stop_reason::breakdown) return all;
      sum.visits_once = true;
      twice = false;
    }
  }

  work_queue queue_;
  std::unique_ptr<grid_kernel<T>> kernel_;
  device_grid<T> grid_;
  buffer<T> f_, u_;
};

}  // namespace dwell::grids
