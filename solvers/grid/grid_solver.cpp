// SPDX-License-Identifier: MIT
// Handles of solves on grids: levels and vectors made once, right-hand sides scaled and put into
// halves, runs on threads that are kept, reports.
#include "dwell/grid/grid_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/base/interruption.hpp"
#include "dwell/base/parallel.hpp"
#include "dwell/base/stopwatch.hpp"
#include "dwell/execution/device/array_place.hpp"
#include "dwell/execution/device/work_queue.hpp"
#include "dwell/execution/team/team_threads.hpp"
#include "dwell/solvers/grid/device/device_grid.hpp"
#include "dwell/solvers/grid/grid_run.hpp"
#include "dwell/solvers/grid/level_list.hpp"
#include "dwell/solvers/grid/prepared_grid.hpp"

namespace dwell {

using grids::axes_of, grids::level_value, grids::power_of_two, grids::prepared_grid;

/// Iterations after which a solve may turn out to be slow, where coefficients jump.
constexpr int slow_after = 16;

template <class T>
struct grid_solver<T>::state {
  grid_options options;
  std::string device_name;
  std::size_t dims;
  grids::chosen_method method;
  prepared_grid<T> grid;
  bool on_gpu;
  thread_choice threads;
  cpu::team_threads teams;
  grids::run_vectors<T> vectors;
  std::vector<T> b;        ///< halved rows, scaled
  std::vector<T> natural;  ///< in the caller's order
  double setup_s = 0;

  /// What a solve has on a GPU, in place of teams and vectors.
  struct gpu_part {
    bool has_stream;  ///< given by the caller
    work_queue queue;
    std::unique_ptr<grids::grid_kernel<T>> kernel;
    std::optional<grids::device_grid<T>> grid;
    buffer<T> f, u;
  };
  std::unique_ptr<gpu_part> gpu;

  state(const device& where, const grid_description<T>& d, const grid_options& o)
      : options(o),
        device_name(where.facts().name),
        dims(d.cells.size()),
        method(grids::method_of(o)),
        grid(discretized(d), method),
        on_gpu(where.on() != backend::cpu),
        threads(on_gpu ? thread_choice{where.facts().units, "a block for each multiprocessor"}
                       : grids::threads_of_grid(grid.system.a.shape, where.facts())),
        teams(on_gpu ? 1 : threads.threads),
        vectors(on_gpu ? grids::grid_shape{} : grid.system.a.shape,
                grids::facts_of(method.method).more_vectors),
        b(on_gpu ? 0 : shape().cells()),
        natural(b.size()) {
    if (!on_gpu) return;
    gpu.reset(new gpu_part{where.stream() != nullptr, work_queue(where), nullptr, {}, {}, {}});
    gpu->kernel = cuda_backend<grids::grid_kernel_functions<T>>().make(gpu->queue.where());
    gpu->grid.emplace(on_the_gpu(grid));
  }
  grids::device_grid<T> on_the_gpu(const prepared_grid<T>& made) const {
    return {gpu->queue.where(), made, method, {gpu->kernel->teams(), gpu->kernel->lanes()}};
  }

  grids::system<T> discretized(const grid_description<T>& d) const {
    grids::system<T> made = grids::discretize(d);
    grids::check_definite(made.negative_s, options);
    return made;
  }
  const grids::grid_shape& shape() const { return grid.system.a.shape; }

  /// row(number) for all rows, shared by threads.
  template <class F>
  void each_row(F&& row) const {
    for_parts(threads.threads, [&](int part) {
      const auto [begin, end] = piece(std::int64_t(shape().rows()), part, threads.threads);
      for (std::int64_t r = begin; r < end; ++r) row(std::size_t(r));
    });
  }
  /// The largest magnitude; NaN or infinity where there is one.
  double most_of(std::span<const T> v) const {
    std::vector<double> most(shape().rows());
    const auto nx = std::size_t(shape().n[2]);
    each_row([&](std::size_t r) {
      T m = 0, sum = 0;
      for (std::size_t i = r * nx; i < (r + 1) * nx; ++i) {
        m = std::max(m, std::abs(v[i]));
        sum += v[i] - v[i];  // not 0 where one is not finite
      }
      most[r] = double(m) + double(sum);
    });
    double all = 0;
    for (const double m : most) {
      if (!std::isfinite(m)) return m;
      all = std::max(all, m);
    }
    return all;
  }

  grid_report solve(std::span<const T> of, std::span<T> u) {
    stopwatch clock;
    const auto nx = std::size_t(shape().n[2]);
    const double most = most_of(of);
    if (!std::isfinite(most)) throw input_error("grid: right-hand side: a value is not finite");
    if (!std::isfinite(most_of(u))) throw input_error("grid: start: a value is not finite");
    int scale = 0;
    std::frexp(most, &scale);
    // A / 2^a (u 2^(a - b)) = f / 2^b
    const int to_u = grid.scale - scale;
    const bool zero = most == 0;
    const power_of_two<T> b_by(-scale), x_by(to_u), back(-to_u);
    each_row([&](std::size_t r) {
      T *const to_b = b.data() + r * nx, *const to_x = vectors.x[0].data() + r * nx;
      grids::split_row(of.data() + r * nx, to_b, int(nx));
      grids::split_row(u.data() + r * nx, to_x, int(nx));
      for (std::size_t i = 0; i < nx; ++i) {
        to_b[i] = b_by * to_b[i];
        to_x[i] = zero ? T(0) : x_by * to_x[i];
      }
    });
    stopwatch running;
    double seconds = 0;
    grids::run_output out;
    const bool may_be_slow = method.coarse == grids::coarse_operators::automatic &&
                             grid.levels.jumps && !grid.levels.lines && method.has_levels();
    // Iterations with the levels `h`, from x[0].
    const auto run_with = [&](grids::hierarchy<level_value>& h, const grids::chosen_method& how,
                              int before, bool may_end_slow) {
      monitor seen{};
      seen.step = -1;
      if (options.interrupt && options.interrupt->load()) seen.interrupt = 1;
      grids::run_input<T> in{.a = &grid.system.a,
                             .b = b.data(),
                             .singular = grid.system.singular,
                             .method = how,
                             .rtol = options.rtol,
                             .atol = options.atol > 0 ? std::ldexp(options.atol, -scale) : 0,
                             .max_iterations = options.max_iterations - before,
                             .history = options.history,
                             .slow_after = may_end_slow ? slow_after : 0,
                             .seen = &seen};
      out = {};
      grids::grid_run<T, level_value> run(in, vectors, h, out);
      run_control control;
      control.interrupt = options.interrupt;
      control.progress_interval = options.progress_interval;
      if (options.progress)
        control.progress = [&](int step, double relative) {
          seconds += running.lap();
          return options.progress({before + step, relative, options.rtol, seconds});
        };
      cpu::run_watch watch(control, &seen);
      teams.run(watch, [&](int team, cpu_barrier& barrier) {
        grids::cycle_rows<level_value> rows(h);
        run({team, threads.threads, &barrier}, rows);
      });
      watch.finish();
    };
    // Goes on from the answer so far.
    const auto go_on_with = [&](grids::hierarchy<level_value>& h) {
      const grids::run_output before = std::move(out);
      if (before.answer == 1) std::swap(vectors.x[0], vectors.x[1]);
      grids::chosen_method how = method;
      how.full = false;
      run_with(h, how, before.iterations, false);
      out.iterations += before.iterations;
      out.refinements += before.refinements;
      if (!out.history.empty())
        out.history.insert(out.history.begin(), before.history.begin(), before.history.end() - 1);
    };
    run_with(grid.levels, method, 0, may_be_slow);
    int slow = -1;  // iterations before Galerkin's levels were taken
    if (out.slow) {
      slow = out.iterations;
      if (add_galerkin()) {
        go_on_with(*grid.galerkin);
      } else {
        out.stopped = stop_reason::interrupted;
        slow = -1;
      }
    }
    const std::vector<T>& x = vectors.x[out.answer];
    each_row([&](std::size_t r) {
      T* const to = u.data() + r * nx;
      grids::join_row(x.data() + r * nx, to, int(nx));
      for (std::size_t i = 0; i < nx; ++i) to[i] = back * to[i];
    });
    return report_of(out, scale, slow, clock.lap());
  }

  /// f and u are on the GPU.
  grid_report solve_on_gpu(const T* of, T* u, bool algebraic, double before_s) {
    stopwatch clock;
    grids::run_output all;
    int scale = 0;
    double seconds = 0;
    for (bool twice = grid.levels.twice;; twice = false) {
      run_control control;
      control.interrupt = options.interrupt;
      control.progress_interval = options.progress_interval;
      const int before = all.iterations;
      stopwatch running;
      if (options.progress)
        control.progress = [&](int step, double relative) {
          seconds += running.lap();
          return options.progress({before + step, relative, options.rtol, seconds});
        };
      std::vector<double> history;
      const grids::device_outcome out =
          gpu->grid->solve(*gpu->kernel,
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
      scale = out.scale;
      all.iterations += out.iterations;
      all.refinements += out.refinements;
      all.stopped = stop_reason(out.stopped);
      all.rhs_norm = out.rhs_norm, all.removed = out.removed;
      all.recursive = out.recursive, all.residual = out.residual;
      all.target_missed = out.target_missed != 0, all.stagnated = out.stagnated != 0;
      if (!all.history.empty()) all.history.pop_back();
      all.history.insert(all.history.end(), history.begin(), history.end());
      // Two visits are not always definite.
      if (!out.indefinite || !twice || all.stopped != stop_reason::breakdown) break;
      all.visits_once = true;
    }
    return report_of(all, scale, -1, before_s + clock.lap());
  }
  /// Likewise with arrays of the host.
  grid_report solve_on_gpu(std::span<const T> of, std::span<T> u, bool algebraic) {
    stopwatch clock;
    const device& where = gpu->queue.where();
    if (gpu->f.size() == 0) {
      gpu->f = buffer<T>(where, of.size());
      gpu->u = buffer<T>(where, u.size());
    }
    gpu->f.upload(of);
    gpu->u.upload(u);
    grid_report r = solve_on_gpu(gpu->f.data(), gpu->u.data(), algebraic, clock.lap());
    gpu->u.download(u);
    r.solve_s += clock.lap();
    return r;
  }
  grid_report solve_there(device_span<const T> of, device_span<T> u, bool algebraic) {
    if (!gpu)
      throw input_error("grid: expected memory of the host for a CPU, found a view of a GPU's");
    check_sizes(of.size, u.size);
    require_on_device(gpu->queue.where(), "f", of);
    require_on_device(gpu->queue.where(), "u", u);
    require_apart({"f", of.data, of.size * sizeof(T)}, {"u", u.data, u.size * sizeof(T)});
    return solve_on_gpu(of.data, u.data, algebraic, 0);
  }

  /// False if that was interrupted.
  bool add_galerkin() {
    try {
      const interruption_scope scope([this] { return options.interrupt && *options.interrupt; },
                                     std::chrono::milliseconds(50));
      grid.add_galerkin(method);
      return true;
    } catch (const interrupted_error&) {
      return false;
    }
  }

  grid_report report_of(const grids::run_output& out, int scale, int slow, double seconds) const {
    grid_report r;
    r.method = options.method;
    r.preconditioner = grids::name_of(method.preconditioner);
    r.device = device_name;
    r.precision = sizeof(T) == 8 ? "f64" : "f32";
    r.threads = threads.threads;
    r.reason = threads.why;
    const grids::hierarchy<level_value>& levels = slow >= 0 ? *grid.galerkin : grid.levels;
    r.cycle = grids::cycle_name(levels, method);
    if (slow >= 0)
      r.cycle += fmt::format("; Galerkin's coarse operators after {} slow iterations", slow);
    if (out.visits_once) r.cycle += "; then a V-cycle, since that was not positive definite";
    const bool twice = levels.twice && !out.visits_once;
    for (const auto& l : grids::list_levels(levels, method, twice))
      r.levels.push_back({axes_of(l.shape, dims)});
    if (r.levels.empty()) r.levels.push_back({axes_of(shape(), dims)});
    r.iterations = out.iterations;
    r.stopped = out.stopped;
    const double up = std::ldexp(1.0, scale), over = out.rhs_norm > 0 ? 1 / out.rhs_norm : up;
    r.rhs_norm = out.rhs_norm * up;
    if (grid.system.singular) {
      r.null_space = "constant";
      const double all = std::hypot(out.rhs_norm, out.removed);
      r.rhs_outside_range = all > 0 ? std::abs(out.removed) / all : 0;
      r.rhs_inconsistent = r.rhs_outside_range > (sizeof(T) == 8 ? 1e-6 : 1e-3);
    }
    r.residual_relative_recursive = out.recursive * over;
    r.residual_relative_true = out.residual * over;
    r.target_missed = out.target_missed;
    r.refinements = out.refinements;
    r.stagnated = out.stagnated;
    for (const double h : out.history) r.history.push_back(h * up);
    r.bytes_per_iteration = grids::iteration_bytes(grid, levels, method, twice);
    r.setup_s = setup_s;
    r.solve_s = seconds;
    return r;
  }

  void check_sizes(std::size_t f, std::size_t u) const {
    if (f != shape().cells() || u != shape().cells())
      throw input_error(fmt::format("grid: solve: expected {} elements, found f of {} and u of {}",
                                    shape().cells(), f, u));
  }
  void check(std::span<const T> f, std::span<T> u) const {
    check_sizes(f.size(), u.size());
    if (std::less<>{}(f.data(), u.data() + u.size()) &&
        std::less<>{}(u.data(), f.data() + f.size()))
      throw input_error("grid: solve: f and u overlap");
  }
};

template <class T>
grid_solver<T>::grid_solver(const device& where, const grid_description<T>& d,
                            const grid_options& options) {
  if (where.on() != backend::cpu) grids::require_gpu_options(options);
  grids::check_options(options);
  stopwatch clock;
  s_ = std::make_unique<state>(where, d, options);
  s_->setup_s = clock.lap();
}
template <class T>
grid_solver<T>::grid_solver(grid_solver&&) noexcept = default;
template <class T>
grid_solver<T>& grid_solver<T>::operator=(grid_solver&&) noexcept = default;
template <class T>
grid_solver<T>::~grid_solver() = default;

template <class T>
std::size_t grid_solver<T>::rows() const {
  return s_->shape().cells();
}
template <class T>
bool grid_solver<T>::singular() const {
  return s_->grid.system.singular;
}

template <class T>
grid_report grid_solver<T>::solve(std::span<const T> f, std::span<T> u) {
  s_->check(f, u);
  if (s_->gpu) return s_->solve_on_gpu(f, u, false);
  grids::right_hand_side<T>(s_->grid.system, f, s_->natural);
  return s_->solve(s_->natural, u);
}
template <class T>
grid_report grid_solver<T>::solve_algebraic(std::span<const T> b, std::span<T> u) {
  s_->check(b, u);
  if (s_->gpu) return s_->solve_on_gpu(b, u, true);
  return s_->solve(b, u);
}
template <class T>
grid_report grid_solver<T>::solve(device_span<const T> f, device_span<T> u) {
  return s_->solve_there(f, u, false);
}
template <class T>
grid_report grid_solver<T>::solve_algebraic(device_span<const T> b, device_span<T> u) {
  return s_->solve_there(b, u, true);
}

template <class T>
void grid_solver<T>::update(const grid_description<T>& d) {
  stopwatch clock;
  grids::system<T> made = s_->discretized(d);
  if (made.a.shape.n != s_->shape().n || d.cells.size() != s_->dims)
    throw input_error("grid: update: expected as many cells along each axis as before");
  prepared_grid<T> fresh(std::move(made), s_->method);
  if (s_->gpu) s_->gpu->grid = s_->on_the_gpu(fresh);
  s_->grid = std::move(fresh);
  s_->setup_s = clock.lap();
}
template <class T>
void grid_solver<T>::set_tolerances(double rtol, double atol) {
  grids::check_tolerances(rtol, atol);
  s_->options.rtol = rtol;
  s_->options.atol = atol;
}

template class grid_solver<double>;
template class grid_solver<float>;

}  // namespace dwell
