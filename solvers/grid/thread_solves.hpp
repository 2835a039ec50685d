// SPDX-License-Identifier: MIT
// The solves of systems on a grid by threads of a CPU, on one rank or on several: right-hand sides
// scaled and put into halves, runs on threads that are kept.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/parallel.hpp"
#include "dwell/base/stopwatch.hpp"
#include "dwell/comm/agreement.hpp"
#include "dwell/execution/team/team_threads.hpp"
#include "dwell/formats/field_values.hpp"
#include "dwell/solvers/grid/device/args.hpp"
#include "dwell/solvers/grid/grid_reports.hpp"
#include "dwell/solvers/grid/grid_run.hpp"
#include "dwell/solvers/grid/grid_setup.hpp"
#include "dwell/solvers/grid/slow_end.hpp"

namespace dwell::grids {

/// On a GPU it has neither threads nor vectors.
template <class T>
struct thread_solves : grid_setup<T> {
  using base = grid_setup<T>;
  using base::comm, base::options, base::method, base::on_gpu, base::where, base::here, base::cost;
  using base::grid, base::threads, base::begin_solve;
  using base::shape, base::own_shape, base::rows, base::first, base::may_be_slow,
      base::add_galerkin;

  cpu::team_threads teams;
  run_vectors<T> vectors;
  std::vector<T> b;        ///< halved rows, scaled; with ghosts
  std::vector<T> natural;  ///< rows as in memory, likewise
  std::vector<T> turned;   ///< this rank's answer, where the caller's is in another order
  std::optional<solve_ranks<T>> ranks;  ///< if there are several
  bool ran_galerkin = false;            ///< the last solve went on with Galerkin's levels

  /// Made by all ranks together, see grid_setup.
  thread_solves(const device& on, std::shared_ptr<communicator> by, const grid_description<T>& d,
                const grid_options& o, std::size_t gather_below, std::size_t gpu_makes,
                const device_coefficients<T>& there, reordering may)
      : base(on, std::move(by), d, o, gather_below, gpu_makes, there, may),
        teams(on_gpu ? 1 : threads.threads),
        vectors(on_gpu ? grid_shape{} : shape(), facts_of(method.method).more_vectors),
        b(on_gpu ? 0 : shape().cells()),
        natural(b.size()),
        turned(!on_gpu && where.order.turns(own_shape().n) ? rows() : 0) {
    if (comm->size() > 1) ranks.emplace(*comm, where.division, shape().plane(), cost);
  }

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

  /// Throws input_error: a value of some rank is not finite. Of one rank it is found.
  [[noreturn]] void refuse_values(const char* name, std::span<const T> v) const {
    if (comm->size() > 1) throw input_error(fmt::format("grid: {}: a value is not finite", name));
    const auto at = std::find_if(v.begin(), v.end(), [](T e) { return !std::isfinite(e); });
    const axis_order::sizes n = shape().n;
    const auto by = where.order.distances(n);
    const auto cell = std::size_t(at - v.begin()), nx = std::size_t(n[2]), ny = std::size_t(n[1]);
    const std::size_t callers =
        cell / (nx * ny) * by[0] + cell / nx % ny * by[1] + cell % nx * by[2];
    throw input_error(fmt::format("grid: {}: expected finite numbers, found {} at {}", name, *at,
                                  place_of_cell(where.order.described(n), callers)));
  }

  grid_report solve_for(std::span<const T> of, std::span<T> u) {
    stopwatch clock;
    begin_solve();
    const auto nx = std::size_t(shape().n[2]);
    const double most = most_of(of);
    const double most_of_start = most_of(u);
    where.on_all([&] {
      if (!std::isfinite(most)) refuse_values("right-hand side", of);
      if (!std::isfinite(most_of_start)) refuse_values("start", u);
    });
    int scale = 0;
    std::frexp(most, &scale);
    // A / 2^a (u 2^(a - b)) = f / 2^b
    const int to_u = grid.scale - scale;
    // Zeros are closer than a start whose residual would leave the range.
    int scale_of_start = 0;
    std::frexp(most_of_start, &scale_of_start);
    const bool zero = most == 0 || scale_of_start + to_u > far_start<T>;
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
      std::unique_ptr<double[]> every;
      if (options.progress && options.progress_interval == 0) {
        every = std::make_unique_for_overwrite<double[]>(
            std::size_t(options.max_iterations - before) + 1);
        every[0] = -1;  // nothing is told of the start
      }
      run_input<T> in{.a = &grid.system.a,
                      .b = b.data(),
                      .singular = grid.system.singular,
                      .method = how,
                      .rtol = *options.rtol,
                      .atol = options.atol > 0 ? std::ldexp(options.atol, -scale) : 0,
                      .max_iterations = options.max_iterations - before,
                      .history = options.history,
                      .slow_after = may_end_slow ? slow_after : 0,
                      .seen = &seen,
                      .every = every.get(),
                      .ranks = ranks ? &*ranks : nullptr};
      out = {};
      if (ranks) ranks->begin();
      hierarchy<level_value>& h = *levels.own;
      grid_run<T, level_value> run(in, vectors, h, out);
      run_control control;
      control.interrupt = options.interrupt;
      control.progress_interval = options.progress_interval;
      control.every = every.get();
      if (options.progress)
        control.progress = [&](int step, double relative) {
          seconds += running.lap();
          // The norm was there before the step was published.
          const double wanted = out.rhs_norm > 0 ? std::max(in.rtol, in.atol / out.rhs_norm)
                                                 : std::ldexp(in.atol, scale);
          return options.progress({before + step, relative, wanted, seconds});
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
      if (out.visits_once) out.once_after += before.iterations;
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
    return report_of(*this, out, scale, slow, clock.lap());
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
        !(out.residual <= std::max(*options.rtol * out.rhs_norm, atol))) {
      out.stopped = stop_reason::accuracy_limit;
      out.target_missed = true;
    }
    return true;
  }
};

}  // namespace dwell::grids
