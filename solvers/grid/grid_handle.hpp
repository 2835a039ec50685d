// SPDX-License-Identifier: MIT
// What a solver of systems on a grid holds, of one rank or of several: levels and vectors made
// once, right-hand sides scaled and put into halves, runs on threads that are kept, reports. All
// ranks make the same calls.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/interruption.hpp"
#include "dwell/base/parallel.hpp"
#include "dwell/base/stopwatch.hpp"
#include "dwell/base/threads_at_most.hpp"
#include "dwell/comm/agreement.hpp"
#include "dwell/execution/device/threads/host_threads.hpp"
#include "dwell/execution/team/team_threads.hpp"
#include "dwell/solvers/grid/device/args.hpp"
#include "dwell/solvers/grid/device/given_arrays.hpp"
#include "dwell/solvers/grid/device/gpu_solves.hpp"
#include "dwell/solvers/grid/grid_memory.hpp"
#include "dwell/solvers/grid/grid_run.hpp"
#include "dwell/solvers/grid/level_list.hpp"
#include "dwell/solvers/grid/prepared_grid.hpp"
#include "dwell/solvers/grid/ranks/slab_input.hpp"
#include "dwell/solvers/grid/slow_end.hpp"

namespace dwell::grids {

/// Operators with arrays of coefficients and their levels are made by kernels of a GPU from so many
/// unknowns on, where that can be done; smaller ones by the host, sooner than a kernel is compiled.
inline constexpr std::size_t made_by_gpu_from = std::size_t{1} << 12;

template <class T>
struct grid_handle {
  std::shared_ptr<communicator> comm;
  grid_options options;
  std::string device_name;
  std::size_t dims;
  chosen_method method;
  bool on_gpu;       ///< then teams and vectors are not used
  int host_threads;  ///< for set-ups by the host
  divided_grid where;
  slab here;
  exchange_cost cost;
  std::size_t gpu_makes_from;  ///< see made_by_gpu_from
  std::unique_ptr<gpu_solves<T>> gpu;
  prepared_grid<T> grid;
  thread_choice threads;
  cpu::team_threads teams;
  run_vectors<T> vectors;
  std::vector<T> b;                     ///< halved rows, scaled; with ghosts
  std::vector<T> natural;               ///< in the caller's order, likewise
  std::optional<solve_ranks<T>> ranks;  ///< if there are several
  double setup_s = 0;
  bool ran_galerkin = false;  ///< the last solve went on with Galerkin's levels
  /// Why Galerkin's levels are not there, if the last solve asked for them.
  std::string without_galerkin;

  /// Made by all ranks together; options are checked.
  grid_handle(const device& on, std::shared_ptr<communicator> by, const grid_description<T>& d,
              const grid_options& o, std::size_t gather_below,
              std::size_t gpu_makes = made_by_gpu_from, const device_coefficients<T>& there = {})
      : comm(std::move(by)),
        options(o),
        device_name(on.facts().name),
        dims(d.cells.size()),
        method(method_of(o, on.on())),
        on_gpu(on.on() != backend::cpu),
        host_threads(host_threads_beside(on)),
        where(divided(d, gather_below)),
        here(where.here()),
        gpu_makes_from(gpu_makes),
        gpu(on_gpu ? std::make_unique<gpu_solves<T>>(on) : nullptr),
        grid(first_grid(d, there)),
        threads(on_gpu ? blocks_of(on.facts()) : threads_of_grid(own_shape(), on.facts())),
        teams(on_gpu ? 1 : threads.threads),
        vectors(on_gpu ? grid_shape{} : shape(), facts_of(method.method).more_vectors),
        b(on_gpu ? 0 : shape().cells()),
        natural(b.size()) {
    if (comm->size() > 1) ranks.emplace(*comm, where.division, shape().plane(), cost);
  }
  grid_handle(const grid_handle&) = delete;

  divided_grid divided(const grid_description<T>& d, std::size_t gather_below) const {
    divided_grid g{comm.get(), {}, {}, gather_below};
    if (comm->size() > 1)
      together(*comm, [&] {
        g.all = shape_of_description(d.cells, d.boundary, comm->size());
        if (method.smoother == grid_smoother::lines)
          throw unsupported_error(
              "grid: smoother lines: lines go along the axis that is divided among ranks, too; "
              "expected points, or one rank");
        g.division = divide_planes(g.all, comm->size(), gather_below);
      });
    else
      g.all = shape_of_description(d.cells, d.boundary, 1), g.division = divide_planes(g.all, 1, 0);
    return g;
  }
  /// A grid and, on a GPU, what solves read of it.
  struct prepared_parts {
    prepared_grid<T> grid;
    std::optional<typename gpu_solves<T>::copied_grid> copied;
  };
  prepared_parts prepared(const grid_description<T>& d, const device_coefficients<T>& there) {
    const threads_at_most these(host_threads);
    const bool made_there = gpu && where.all.cells() >= gpu_makes_from && can_be_made(method);
    if (!is_empty(there)) {
      if (!gpu)
        throw input_error(
            "grid: k, s: expected memory of the host for a CPU, found a view of a GPU's");
      given_arrays<T> given(gpu->where(), d, there);
      if (made_there) return made_by_gpu(given);
      return prepared_on_host(given.whole());
    }
    if (made_there && has_arrays(d)) return made_by_gpu(d);
    return prepared_on_host(d);
  }
  prepared_parts prepared_on_host(const grid_description<T>& d) {
    if (gpu && has_arrays(d))
      require_host_memory(d.cells, gpu_setup_bytes(double(where.all.cells()), sizeof(T), options));
    prepared_parts all{prepared_here(d), {}};
    if (gpu) all.copied.emplace(gpu->copied(all.grid, method));
    return all;
  }
  /// What discretize() refuses, in its words: values of arrays come before what follows from them.
  static undiscretized<T> described(const grid_description<T>& d) {
    try {
      return discretize_elsewhere(d);
    } catch (const input_error&) {
      discretize(d);
      throw;
    }
  }
  prepared_parts made_by_gpu(const grid_description<T>& d) {
    undiscretized<T> problem = described(d);
    return made_by_gpu(problem, [&] { discretize(d); });
  }
  prepared_parts made_by_gpu(given_arrays<T>& given) {
    // A value that is refused may be in an array that the host has not looked at.
    undiscretized<T> problem = [&] {
      try {
        return discretize_elsewhere(given.looked_at());
      } catch (const input_error&) {
        discretize(given.whole());
        throw;
      }
    }();
    given.put(problem);
    return made_by_gpu(problem, [&] { discretize(given.whole()); });
  }
  /// say_why: throws input_error for what is wrong.
  template <class F>
  prepared_parts made_by_gpu(undiscretized<T>& problem, F&& say_why) {
    check_definite(problem.system.negative_s, options);
    made_grid<T> made = gpu->make(problem, method);
    if (!made.good) {
      say_why();
      throw device_error("grid: a set-up on the GPU found values that the host takes");
    }
    prepared_parts all{{std::move(problem.system), std::move(made.h), made.scale}, {}};
    all.copied.emplace(gpu->copied(all.grid, method, std::move(made)));
    return all;
  }
  prepared_grid<T> first_grid(const grid_description<T>& d, const device_coefficients<T>& there) {
    prepared_parts all = prepared(d, there);
    if (gpu) gpu->take(std::move(*all.copied));
    return std::move(all.grid);
  }
  prepared_grid<T> prepared_here(const grid_description<T>& d) {
    system<T> made = discretize_slab(where, d);
    where.on_all([&] { check_definite(made.negative_s, options); });
    coefficients<T> whole = whole_operator(where, d);
    return prepared_grid<T>(where, std::move(made), std::move(whole), method, cost);
  }
  /// Shape of the slab; of one rank that of the grid.
  const grid_shape& shape() const { return grid.system.a.shape; }
  grid_shape own_shape() const {
    grid_shape g = shape();
    g.n[0] = here.own.size();
    return g;
  }
  /// Unknowns of this rank, and where they begin in its vectors.
  std::size_t rows() const { return own_shape().cells(); }
  std::size_t first() const { return std::size_t(here.own.begin) * shape().plane(); }

  /// row(number) for the rows of this rank's own planes, shared by threads.
  template <class F>
  void each_row(F&& row) const {
    for_parts(threads.threads, [&](int part) {
      const auto [begin, end] = piece(std::int64_t(own_shape().rows()), part, threads.threads);
      for (std::int64_t r = begin; r < end; ++r) row(std::size_t(r));
    });
  }
  /// The largest magnitude of all ranks; NaN or infinity where there is one.
  double most_of(std::span<const T> v) const {
    double all = 0;
    for (const double m : values_of_ranks(*comm, most_here(v))) {
      if (!std::isfinite(m)) return m;
      all = std::max(all, m);
    }
    return all;
  }
  double most_here(std::span<const T> v) const {
    std::vector<double> most(own_shape().rows());
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

  /// Solves for the right-hand side f, with what sides give, or for b as it is.
  grid_report solve(std::span<const T> f, std::span<T> u, bool algebraic) {
    where.on_all([&] { check(f, u); });
    if (gpu) return solve_by(f, u, algebraic);
    if (algebraic) return solve_for(f, u);
    if (comm->size() == 1) {
      right_hand_side<T>(grid.system, f, natural);
    } else {
      std::ranges::copy(f, natural.begin() + std::ptrdiff_t(first()));
      right_hand_side<T>(grid.system, natural, natural);
    }
    return solve_for(std::span<const T>(natural).subspan(first(), rows()), u);
  }

  /// With arrays in the memory of a GPU.
  grid_report solve(device_span<const T> f, device_span<T> u, bool algebraic) {
    if (!gpu)
      throw input_error("grid: f: expected memory of the host for a CPU, found a view of a GPU's");
    check_sizes(f.size, u.size);
    return solve_by(f, u, algebraic);
  }

  /// Does what grid_solver::update() does.
  void update(const grid_description<T>& d, const device_coefficients<T>& there = {}) {
    stopwatch clock;
    const divided_grid other = divided(d, where.gather_below);
    where.on_all([&] {
      if (other.all.n != where.all.n || d.cells.size() != dims)
        throw input_error("grid: update: expected as many cells along each axis as before");
      if (comm->size() > 1 && other.all.wraps[0] != where.all.wraps[0])
        throw input_error(
            "grid: update: expected the axis that is divided among ranks to stay periodic, or not");
    });
    const divided_grid before = std::exchange(where, other);
    try {
      prepared_parts fresh = prepared(d, there);
      if (gpu) gpu->take(std::move(*fresh.copied));
      grid = std::move(fresh.grid);
    } catch (...) {
      where = before;
      throw;
    }
    setup_s = clock.lap();
  }
  void set_tolerances(double rtol, double atol) {
    check_tolerances(rtol, atol);
    options.rtol = rtol;
    options.atol = atol;
  }

 private:
  /// On a GPU, with arrays of the host or of the GPU.
  template <class F, class U>
  grid_report solve_by(F f, U u, bool algebraic) {
    stopwatch clock;
    without_galerkin.clear();
    galerkin_maker galerkin;
    if (may_be_slow())
      galerkin = [this] {
        const slow_end end = add_galerkin();
        return next_levels{end, end == slow_end::galerkin ? grid.galerkin->own.get() : nullptr};
      };
    const auto out = gpu->solve(options, galerkin, f, u, algebraic);
    if (!out.without_galerkin.empty()) without_galerkin = out.without_galerkin;
    ran_galerkin = out.slow >= 0;
    return report_of(out.run, out.scale, out.slow, clock.lap());
  }
  /// Where a solve goes on with Galerkin's levels, should it be slow.
  bool may_be_slow() const {
    return method.coarse == coarse_operators::automatic && grid.levels.own->jumps &&
           !grid.levels.own->lines && method.has_levels();
  }
  grid_report solve_for(std::span<const T> of, std::span<T> u) {
    stopwatch clock;
    without_galerkin.clear();
    const auto nx = std::size_t(shape().n[2]);
    const double most = most_of(of);
    const double most_of_start = most_of(u);
    where.on_all([&] {
      if (!std::isfinite(most)) throw input_error("grid: right-hand side: a value is not finite");
      if (!std::isfinite(most_of_start)) throw input_error("grid: start: a value is not finite");
    });
    int scale = 0;
    std::frexp(most, &scale);
    // A / 2^a (u 2^(a - b)) = f / 2^b
    const int to_u = grid.scale - scale;
    const bool zero = most == 0;
    const power_of_two<T> b_by(-scale), x_by(to_u), back(-to_u);
    each_row([&](std::size_t r) {
      T *const to_b = b.data() + first() + r * nx, *const to_x =
                                                       vectors.x[0].data() + first() + r * nx;
      split_row(of.data() + r * nx, to_b, int(nx));
      split_row(u.data() + r * nx, to_x, int(nx));
      for (std::size_t i = 0; i < nx; ++i) {
        to_b[i] = b_by * to_b[i];
        to_x[i] = zero ? T(0) : x_by * to_x[i];
      }
    });
    stopwatch running;
    double seconds = 0;
    run_output out;
    // Iterations with the levels `h`, from x[0].
    const auto run_with = [&](divided_levels& levels, const chosen_method& how, int before,
                              bool may_end_slow) {
      monitor seen{};
      seen.step = -1;
      if (options.interrupt && options.interrupt->load()) seen.interrupt = 1;
      run_input<T> in{.a = &grid.system.a,
                      .b = b.data(),
                      .singular = grid.system.singular,
                      .method = how,
                      .rtol = options.rtol,
                      .atol = options.atol > 0 ? std::ldexp(options.atol, -scale) : 0,
                      .max_iterations = options.max_iterations - before,
                      .history = options.history,
                      .slow_after = may_end_slow ? slow_after : 0,
                      .seen = &seen,
                      .ranks = ranks ? &*ranks : nullptr};
      out = {};
      if (ranks) ranks->begin();
      hierarchy<level_value>& h = *levels.own;
      grid_run<T, level_value> run(in, vectors, h, out);
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
        cycle_rows<level_value> rows(h);
        run({team, threads.threads, &barrier}, rows, levels.ghosts.get());
      });
      where.on_all([&] { watch.finish(); });
    };
    // Goes on from the answer so far.
    const auto go_on_with = [&](divided_levels& levels) {
      const run_output before = std::move(out);
      if (before.answer == 1) std::swap(vectors.x[0], vectors.x[1]);
      chosen_method how = method;
      how.full = false;
      run_with(levels, how, before.iterations, false);
      out.iterations += before.iterations;
      out.refinements += before.refinements;
      out.begin = before.begin;
      if (!out.history.empty())
        out.history.insert(out.history.begin(), before.history.begin(), before.history.end() - 1);
    };
    run_with(grid.levels, method, 0, may_be_slow());
    int slow = -1;  // iterations before Galerkin's levels were taken
    if (out.slow) {
      const int before = out.iterations;
      switch (add_galerkin()) {
        case slow_end::galerkin:
          slow = before;
          go_on_with(*grid.galerkin);
          break;
        case slow_end::as_before:
          go_on_with(grid.levels);
          break;
        case slow_end::interrupted:
          out.stopped = stop_reason::interrupted;
      }
    }
    ran_galerkin = slow >= 0;
    const std::vector<T>& x = vectors.x[out.answer];
    const bool in_range =
        std::abs(to_u) < far_exponent<T> && out.stopped != stop_reason::not_finite;
    if (in_range || is_held(out, x, x_by, back, scale))
      each_row([&](std::size_t r) {
        T* const to = u.data() + r * nx;
        join_row(x.data() + first() + r * nx, to, int(nx));
        for (std::size_t i = 0; i < nx; ++i) to[i] = back * to[i];
      });
    return report_of(out, scale, slow, clock.lap());
  }

  /// Is back x no overflow? Else the solve has come to what is not finite, and the start stays.
  /// Adds to the residual what x loses where back x is too small for all of its digits.
  bool is_held(run_output& out, const std::vector<T>& x, power_of_two<T> forth,
               power_of_two<T> back, int scale) const {
    const auto nx = std::size_t(shape().n[2]);
    std::vector<double> lost(own_shape().rows());
    each_row([&](std::size_t r) {
      const T* const of = x.data() + first() + r * nx;
      for (std::size_t i = 0; i < nx; ++i) {
        const double one = double(of[i]) - double(forth * (back * of[i]));
        lost[r] += one * one;
      }
    });
    double all = 0;
    for (const double row : lost) all += row;
    double sum = 0;
    for (const double of_rank : values_of_ranks(*comm, all)) sum += of_rank;
    if (!std::isfinite(sum)) {
      out.stopped = stop_reason::not_finite;
      out.residual = out.begin;
      out.target_missed = out.stagnated = false;
      return false;
    }
    out.residual += norm_of_divided * std::sqrt(sum);
    const double atol = options.atol > 0 ? std::ldexp(options.atol, -scale) : 0;
    if (out.stopped == stop_reason::converged &&
        !(out.residual <= std::max(options.rtol * out.rhs_norm, atol))) {
      out.stopped = stop_reason::accuracy_limit;
      out.target_missed = true;
    }
    return true;
  }

  /// Makes Galerkin's levels, if they are not there. Where memory does not suffice for them, the
  /// solve goes on as it began, and its report says so.
  slow_end add_galerkin() {
    const threads_at_most these(host_threads);
    without_galerkin.clear();
    try {
      const interruption_scope scope([this] { return options.interrupt && *options.interrupt; },
                                     std::chrono::milliseconds(50));
      const bool fetched = gpu && grid.system.a.pool.empty();
      if (!grid.galerkin && comm->size() == 1)
        without_galerkin =
            lack_of_memory(axes_of(where.all, dims),
                           galerkin_bytes(double(where.all.cells())) +
                               (fetched ? double(grid.system.a.elements()) * sizeof(T) : 0));
      if (!without_galerkin.empty()) return slow_end::as_before;
      if (fetched) gpu->fetch(grid.system.a);
      grid.add_galerkin(where, method, cost);
      return slow_end::galerkin;
    } catch (const interrupted_error&) {
      return slow_end::interrupted;
    }
  }

  grid_report report_of(const run_output& out, int scale, int slow, double seconds) const {
    grid_report r;
    r.method = options.method;
    r.preconditioner = name_of(method.preconditioner);
    r.device = device_name;
    r.precision = sizeof(T) == 8 ? "f64" : "f32";
    r.threads = threads.threads;
    r.reason = threads.why;
    const divided_levels& used = slow >= 0 ? *grid.galerkin : grid.levels;
    const hierarchy<level_value>& levels = *used.own;
    r.cycle = cycle_name(levels, method);
    if (slow >= 0)
      r.cycle += fmt::format("; Galerkin's coarse operators after {} slow iterations", slow);
    if (!without_galerkin.empty())
      r.cycle +=
          fmt::format("; slow, and without Galerkin's coarse operators: {}", without_galerkin);
    if (out.visits_once) r.cycle += "; then a V-cycle, since that was not positive definite";
    const bool twice = levels.twice && !out.visits_once;
    for (const auto& cells : cells_of_levels(used, twice)) r.levels.push_back({cells});
    if (r.levels.empty()) r.levels.push_back({axes_of(where.all, dims)});
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
    r.bytes_per_iteration = bytes_of_iteration(used, twice);
    r.setup_s = setup_s;
    r.solve_s = seconds;
    return r;
  }

  /// Cells along the axes of all levels, on all ranks.
  std::vector<std::vector<int>> cells_of_levels(const divided_levels& levels, bool twice) const {
    std::vector<grid_shape> shapes, below;
    for (std::size_t n = 0; n < levels.shared(); ++n) shapes.push_back(levels.own->levels[n].all);
    if (const hierarchy<level_value>* const h =
            levels.ghosts ? levels.whole.get() : levels.own.get())
      for (const listed_level& l : list_levels(*h, method, twice)) below.push_back(l.shape);
    if (levels.ghosts) below = list_of_rank(*comm, 0, std::span<const grid_shape>(below));
    shapes.insert(shapes.end(), below.begin(), below.end());
    std::vector<std::vector<int>> cells;
    for (const grid_shape& g : shapes) cells.push_back(axes_of(g, dims));
    return cells;
  }
  /// Bytes of all ranks, their ghosts among them.
  std::size_t bytes_of_iteration(const divided_levels& levels, bool twice) const {
    if (!levels.ghosts && comm->size() == 1)
      return iteration_bytes(grid, *levels.own, method, twice);
    std::size_t cycle = 0;
    std::vector<listed_level> mine = list_levels(*levels.own, method, twice);
    for (std::size_t n = 0; n < levels.shared(); ++n) cycle += mine[n].bytes_per_cycle;
    if (levels.whole)
      for (const listed_level& l : list_levels(*levels.whole, method, twice))
        cycle += l.bytes_per_cycle;
    std::size_t all = 0;
    for (const std::size_t one :
         values_of_ranks(*comm, method_bytes(grid, method) +
                                    std::size_t(facts_of(method.method).applications) * cycle))
      all += one;
    return all;
  }

  void check_sizes(std::size_t f, std::size_t u) const {
    if (f != rows() || u != rows())
      throw input_error(fmt::format("grid: solve: expected {} elements, found f of {} and u of {}",
                                    rows(), f, u));
  }
  void check(std::span<const T> f, std::span<T> u) const {
    check_sizes(f.size(), u.size());
    if (std::less<>{}(f.data(), u.data() + u.size()) &&
        std::less<>{}(u.data(), f.data() + f.size()))
      throw input_error("grid: solve: f and u overlap");
  }
};

}  // namespace dwell::grids
