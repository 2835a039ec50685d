// SPDX-License-Identifier: MIT
// What a solver of systems on a grid is prepared of, of one rank or of several, by the host or by
// kernels of a GPU. All ranks make the same calls.
#pragma once
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/base/interruption.hpp"
#include "dwell/base/lap_timer.hpp"
#include "dwell/base/threads_at_most.hpp"
#include "dwell/comm/agreement.hpp"
#include "dwell/execution/device/threads/host_threads.hpp"
#include "dwell/solvers/grid/device/given_arrays.hpp"
#include "dwell/solvers/grid/device/gpu_solves.hpp"
#include "dwell/solvers/grid/grid_memory.hpp"
#include "dwell/solvers/grid/prepared_grid.hpp"
#include "dwell/solvers/grid/ranks/slab_input.hpp"
#include "dwell/solvers/grid/slow_end.hpp"

namespace dwell::grids {

/// Operators with arrays of coefficients and their levels are made by kernels of a GPU from so many
/// unknowns on, where that can be done; smaller ones by the host, sooner than a kernel is compiled.
inline constexpr std::size_t made_by_gpu_from = std::size_t{1} << 12;

template <class T>
struct grid_setup {
  std::shared_ptr<communicator> comm;
  grid_options options;  ///< with an rtol
  bool rtol_given;       ///< by the caller
  std::string device_name;
  std::vector<int> cells;  ///< unknowns along the axes of the description
  chosen_method method;
  bool on_gpu;             ///< then teams and vectors are not used
  reordering may_reorder;  ///< see axis_order
  int host_threads;        ///< for set-ups by the host
  divided_grid where;
  slab here;
  exchange_cost cost;
  std::size_t gpu_makes_from;  ///< see made_by_gpu_from
  std::unique_ptr<gpu_solves<T>> gpu;
  prepared_grid<T> grid;
  thread_choice threads;
  double setup_s = 0;
  /// Why Galerkin's levels are not there, if the last solve asked for them.
  std::string without_galerkin;
  double galerkin_s = 0;  ///< that the last solve took to make them

  /// Made by all ranks together; options are checked.
  grid_setup(const device& on, std::shared_ptr<communicator> by, const grid_description<T>& d,
             const grid_options& o, std::size_t gather_below, std::size_t gpu_makes,
             const device_coefficients<T>& there, reordering may)
      : comm(std::move(by)),
        options(with_tolerance<T>(o)),
        rtol_given(o.rtol.has_value()),
        device_name(on.facts().name),
        cells(d.cells),
        method(method_of(o, on.on())),
        on_gpu(on.on() != backend::cpu),
        may_reorder(may),
        host_threads(host_threads_beside(on)),
        where(divided(d, gather_below)),
        here(where.here()),
        gpu_makes_from(gpu_makes),
        gpu(on_gpu ? std::make_unique<gpu_solves<T>>(on) : nullptr),
        grid(first_grid(d, there)),
        threads(on_gpu ? blocks_of(on.facts()) : threads_of_grid(own_shape(), on.facts())) {}
  grid_setup(const grid_setup&) = delete;

  divided_grid divided(const grid_description<T>& d, std::size_t gather_below) const {
    divided_grid g{comm.get(), {}, {}, gather_below};
    const auto shape = [&] {
      g.order = axis_order(d.cells, may_reorder);
      g.all = shape_of_description(d.cells, d.boundary, g.order, comm->size());
    };
    if (comm->size() > 1)
      together(*comm, [&] {
        shape();
        if (method.smoother == grid_smoother::lines)
          throw unsupported_error(
              "grid: smoother lines: lines go along the axis that is divided among ranks, too; "
              "expected points, or one rank");
        g.division = divide_planes(g.all, comm->size(), gather_below);
      });
    else
      shape(), g.division = divide_planes(g.all, 1, 0);
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
  undiscretized<T> described(const grid_description<T>& d) const {
    try {
      return discretize_elsewhere(d, where.order);
    } catch (const input_error&) {
      discretize(d, where.order);
      throw;
    }
  }
  prepared_parts made_by_gpu(const grid_description<T>& d) {
    undiscretized<T> problem = described(d);
    return made_by_gpu(problem, [&] { discretize(d, where.order); });
  }
  prepared_parts made_by_gpu(given_arrays<T>& given) {
    // A value that is refused may be in an array that the host has not looked at.
    undiscretized<T> problem = [&] {
      try {
        return discretize_elsewhere(given.looked_at(where.order), where.order);
      } catch (const input_error&) {
        discretize(given.whole(), where.order);
        throw;
      }
    }();
    given.put(problem, where.order);
    return made_by_gpu(problem, [&] { discretize(given.whole(), where.order); });
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

  /// Where a solve goes on with Galerkin's levels, should it be slow.
  bool may_be_slow() const {
    return method.coarse == coarse_operators::automatic && grid.levels.own->jumps &&
           !grid.levels.own->lines && method.has_levels();
  }
  /// Forgets what a solve before has noted.
  void begin_solve() {
    without_galerkin.clear();
    galerkin_s = 0;
  }
  /// Makes Galerkin's levels, if they are not there. Where memory does not suffice for them, the
  /// solve goes on as it began, and its report says so.
  slow_end add_galerkin() {
    const threads_at_most these(host_threads);
    const lap_timer time(galerkin_s);
    without_galerkin.clear();
    try {
      const interruption_scope scope([this] { return options.interrupt && *options.interrupt; },
                                     std::chrono::milliseconds(50));
      const bool fetched = gpu && grid.system.a.pool.empty();
      if (!grid.galerkin && comm->size() == 1)
        without_galerkin =
            lack_of_memory(cells, galerkin_bytes(double(where.all.cells())) +
                                      (fetched ? double(grid.system.a.elements()) * sizeof(T) : 0));
      if (!without_galerkin.empty()) return slow_end::as_before;
      if (fetched) gpu->fetch(grid.system.a);
      grid.add_galerkin(where, method, cost);
      return slow_end::galerkin;
    } catch (const interrupted_error&) {
      return slow_end::interrupted;
    }
  }
};

}  // namespace dwell::grids
