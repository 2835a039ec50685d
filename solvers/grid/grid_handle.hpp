// SPDX-License-Identifier: MIT
// What a solver of systems on a grid holds, of one rank or of several: levels and vectors made
// once; it solves by threads or by a GPU. All ranks make the same calls.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/base/stopwatch.hpp"
#include "dwell/solvers/grid/grid_reports.hpp"
#include "dwell/solvers/grid/grid_setup.hpp"
#include "dwell/solvers/grid/slow_end.hpp"
#include "dwell/solvers/grid/thread_solves.hpp"

namespace dwell::grids {

template <class T>
struct grid_handle : thread_solves<T> {
  using base = thread_solves<T>;
  using base::comm, base::options, base::cells, base::where, base::gpu, base::grid, base::natural,
      base::turned;
  using base::may_be_slow, base::add_galerkin;
  using base::rows, base::first, base::own_shape, base::divided, base::prepared, base::solve_for;
  using base::setup_s, base::ran_galerkin, base::rtol_given, base::begin_solve;
  using base::threads;
  using typename base::prepared_parts;

  /// Made by all ranks together; options are checked.
  grid_handle(const device& on, std::shared_ptr<communicator> by, const grid_description<T>& d,
              const grid_options& o, std::size_t gather_below,
              std::size_t gpu_makes = made_by_gpu_from, const device_coefficients<T>& there = {},
              reordering may = reordering::any)
      : base(on, std::move(by), d, o, gather_below, gpu_makes, there, may) {}

  /// Solves for the right-hand side f, with what sides give, or for b as it is.
  grid_report solve(std::span<const T> f, std::span<T> u, bool algebraic) {
    where.on_all([&] { check(f, u); });
    if (gpu) return solve_by(f, u, algebraic);
    const axis_order::sizes n = own_shape().n;
    if (!where.order.turns(n)) return solve_in_order(f, u, algebraic);
    stopwatch turning;
    const std::span<T> mine = std::span(natural).subspan(first(), rows());
    where.order.template take<T>(f, mine, n, threads.threads);
    where.order.template take<T>(u, turned, n, threads.threads);
    const double before = turning.lap();
    grid_report r = solve_in_order(mine, turned, algebraic);
    turning.lap();
    where.order.template give<T>(turned, u, n, threads.threads);
    r.solve_s += before + turning.lap();
    if (r.iterations > 0) r.per_iteration_us = r.solve_s * 1e6 / r.iterations;
    return r;
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
      if (d.cells != cells)
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
  void set_tolerances(std::optional<double> rtol, double atol) {
    check_tolerances(rtol, atol);
    rtol_given = rtol.has_value();
    options.rtol = rtol;
    options.atol = atol;
    options = with_tolerance<T>(std::move(options));
  }

 private:
  /// With vectors in the order of a solve.
  grid_report solve_in_order(std::span<const T> f, std::span<T> u, bool algebraic) {
    if (algebraic) return solve_for(f, u);
    const std::span<T> mine = std::span(natural).subspan(first(), rows());
    if (comm->size() == 1) {
      right_hand_side<T>(grid.system, f, natural);
    } else {
      if (f.data() != mine.data()) std::ranges::copy(f, mine.begin());
      right_hand_side<T>(grid.system, natural, natural);
    }
    return solve_for(mine, u);
  }
  /// On a GPU, with arrays of the host or of the GPU.
  template <class F, class U>
  grid_report solve_by(F f, U u, bool algebraic) {
    stopwatch clock;
    begin_solve();
    galerkin_maker galerkin;
    if (may_be_slow())
      galerkin = [this] {
        const slow_end end = add_galerkin();
        return next_levels{end, end == slow_end::galerkin ? grid.galerkin->own.get() : nullptr};
      };
    const auto out = gpu->solve(options, galerkin, f, u, algebraic);
    if (!out.without_galerkin.empty()) this->without_galerkin = out.without_galerkin;
    ran_galerkin = out.slow >= 0;
    return report_of(*this, out.run, out.scale, out.slow, clock.lap());
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
