// SPDX-License-Identifier: MIT
// The solves of a handle on a GPU: its kernels, the grid in its memory, and the caller's arrays.
#pragma once
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/stopwatch.hpp"
#include "dwell/device/device_views.hpp"
#include "dwell/execution/device/array_place.hpp"
#include "dwell/execution/device/work_queue.hpp"
#include "dwell/solvers/grid/device/device_grid.hpp"
#include "dwell/solvers/grid/device/made_grid.hpp"
#include "dwell/solvers/grid/grid_run.hpp"
#include "dwell/solvers/grid/slow_end.hpp"

namespace dwell::grids {

/// How a slow solve goes on, and Galerkin's levels where it goes on with them.
struct next_levels {
  slow_end end;
  const hierarchy<level_value>* galerkin;
};
using galerkin_maker = std::function<next_levels()>;

template <class T>
class gpu_solves {
 public:
  /// What came of one, the exponent by which its right-hand side was divided, and the iterations
  /// before Galerkin's levels were taken, or -1.
  struct outcome {
    run_output run;
    int scale = 0, slow = -1;
    std::string without_galerkin;  ///< why its levels were not taken, if the GPU had no room
  };
  /// What a solve of an operator reads.
  struct copied_grid {
    std::optional<device_memory> made;  ///< where kernels have made the operator and its levels
    device_grid<T> grid;
    device_levels levels;
    std::optional<device_levels> galerkin;  ///< where `levels` turned out to be slow
    bool twice;                             ///< `levels` visit small ones twice
  };

  explicit gpu_solves(const device& where)
      : queue_(where), kernel_(cuda_backend<grid_kernel_functions<T>>().make(queue_.where())) {}

  const device& where() const { return queue_.where(); }
  /// What the host has made, for take().
  copied_grid copied(const prepared_grid<T>& grid, const chosen_method& method) const {
    const hierarchy<level_value>& h = *grid.levels.own;
    kernel_->prepare(form_of(is_flat(grid.system.a), method, !h.galerkin.levels.empty(), h.lines));
    return {std::nullopt,
            {queue_.where(), grid, nullptr, method, limits()},
            {queue_.where(), h, {}, limits(), method.full},
            std::nullopt,
            h.twice};
  }
  /// Makes an operator and its levels by kernels.
  made_grid<T> make(const undiscretized<T>& problem, const chosen_method& method) const {
    return make_grid(queue_.where(), *kernel_, problem, method, limits());
  }
  /// What they have made, for take(); `grid` has its levels.
  copied_grid copied(const prepared_grid<T>& grid, const chosen_method& method,
                     made_grid<T> made) const {
    const hierarchy<level_value>& h = *grid.levels.own;
    kernel_->prepare(form_of(made.a.flat, method, false, false));
    return {std::move(made.memory),
            {queue_.where(), grid, &made.a, method, limits()},
            {queue_.where(), h, std::move(made.levels), limits(), method.full, made.bottom_inverse},
            std::nullopt,
            h.twice};
  }
  /// The rows of an operator that is not on the host.
  void fetch(coefficients<T>& a) const { grid_->grid.fetch(a); }
  void take(copied_grid grid) { grid_.emplace(std::move(grid)); }

  /// Throws input_error for values that are not finite, and what the progress function throws.
  /// galerkin: where slow iterations go on with its levels, else empty.
  outcome solve(const grid_options& options, const galerkin_maker& galerkin,
                device_span<const T> of, device_span<T> u, bool algebraic) {
    require_on_device(queue_.where(), "f", of);
    require_on_device(queue_.where(), "u", u);
    require_apart({"f", of.data, of.size * sizeof(T)}, {"u", u.data, u.size * sizeof(T)});
    return solve(options, galerkin, of.data, u.data, algebraic);
  }
  /// Likewise with arrays of the host.
  outcome solve(const grid_options& options, const galerkin_maker& galerkin, std::span<const T> of,
                std::span<T> u, bool algebraic) {
    if (f_.size() == 0) {
      f_ = buffer<T>(queue_.where(), of.size());
      u_ = buffer<T>(queue_.where(), u.size());
    }
    f_.upload(of);
    u_.upload(u);
    outcome out = solve(options, galerkin, f_.data(), u_.data(), algebraic);
    u_.download(u);
    return out;
  }

 private:
  deal_limits limits() const { return {kernel_->teams(), kernel_->lanes()}; }

  outcome solve(const grid_options& options, const galerkin_maker& galerkin, const T* of, T* u,
                bool algebraic) {
    outcome all;
    run_output& sum = all.run;
    double seconds = 0;
    const device_levels* levels = &grid_->levels;
    bool twice = grid_->twice, may_be_slow = bool(galerkin), full = options.full_multigrid;
    while (true) {
      run_control control;
      control.interrupt = options.interrupt;
      control.progress_interval = options.progress_interval;
      const int before = sum.iterations;
      stopwatch running;
      if (options.progress)
        control.progress = [&](int step, double relative) {
          seconds += running.lap();
          return options.progress({before + step, relative, *options.rtol, seconds});
        };
      std::vector<double> history;
      const device_outcome out =
          grid_->grid.solve(*kernel_,
                            {.f = of,
                             .u = u,
                             .algebraic = algebraic,
                             .rtol = *options.rtol,
                             .atol = options.atol,
                             .max_iterations = options.max_iterations - before,
                             .history = options.history,
                             .levels = levels,
                             .twice = twice,
                             .full = full,
                             .slow_after = may_be_slow ? slow_after : 0},
                            control, history);
      full = false;  // what follows begins with the answer so far
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
      if (out.slow) {
        may_be_slow = false;
        const auto [end, h] = galerkin();
        if (end == slow_end::interrupted) {
          sum.stopped = stop_reason::interrupted;
          return all;
        }
        if (end == slow_end::as_before) continue;
        try {
          if (!grid_->galerkin)
            grid_->galerkin.emplace(queue_.where(), *h, std::vector<device_level>{}, limits());
        } catch (const device_error& e) {  // too little memory: another failure is the next run's
          all.without_galerkin = e.what();
          continue;
        }
        levels = &*grid_->galerkin;
        twice = h->twice;
        all.slow = sum.iterations;
        continue;
      }
      // Two visits are not always definite.
      if (!out.indefinite || !twice || sum.stopped != stop_reason::breakdown) return all;
      sum.visits_once = true;
      sum.once_after = sum.iterations;
      twice = false;
    }
  }

  work_queue queue_;
  std::unique_ptr<grid_kernel<T>> kernel_;
  std::optional<copied_grid> grid_;
  buffer<T> f_, u_;
};

}  // namespace dwell::grids
