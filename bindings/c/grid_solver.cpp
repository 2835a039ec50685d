// SPDX-License-Identifier: MIT
// Systems on grids of dwell/dwell.h: handles over grid_solver.
#include "dwell/grid/grid_solver.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "dwell/base/checked_size.hpp"
#include "dwell/bindings/c/device.hpp"
#include "dwell/bindings/c/options.hpp"
#include "dwell/bindings/c/report.hpp"
#include "dwell/bindings/c/status.hpp"
#include "dwell/bindings/c/stop_status.hpp"
#include "dwell/solvers/grid/report_table.hpp"

namespace dwell::c_api {
namespace {

struct grid_options_table {
  static constexpr const char* solver = "dwell_grid_solver";
  static constexpr const char* what = "an option of systems on grids";
  static constexpr option_row<grid_options> all[] = {
      {"method", set_member<&grid_options::method>},
      {"preconditioner", set_member<&grid_options::preconditioner>},
      {"cycle", set_member<&grid_options::cycle>},
      {"coarse", set_member<&grid_options::coarse>},
      {"smoother", set_member<&grid_options::smoother>},
      {"full_multigrid", set_member<&grid_options::full_multigrid>},
      {"rtol", set_member<&grid_options::rtol>},
      {"atol", set_member<&grid_options::atol>},
      {"max_iterations", set_member<&grid_options::max_iterations>},
      {"history", set_member<&grid_options::history>},
  };
  static std::span<const option_row<grid_options>> rows() { return all; }
  static void listen(grid_options& o, dwell_progress_function function, void* user) {
    o.progress = [=](const solve_progress& p) {
      const dwell_progress now{p.iteration, p.relative_residual, p.target, p.seconds};
      return function(&now, user) != 0;
    };
  }
};
using grid_options_by_name = options_by_name<grid_options, grid_options_table>;

/// `count` elements, none for a null pointer.
template <class T>
std::span<const T> optional_cells(const void* from, std::size_t count) {
  return {static_cast<const T*>(from), from ? count : 0};
}

bool truth_of(const char* name, int found) {
  if (found != 0 && found != 1)
    throw input_error(fmt::format("{}: expected 0 or 1, found {}", name, found));
  return found == 1;
}

template <class T>
grid_description<T> description_of(const dwell_grid& from) {
  if (from.dims < 1 || from.dims > 3)
    throw input_error(fmt::format("dims: expected 1 to 3, found {}", from.dims));
  require(from.cells, "cells");
  const auto dims = static_cast<std::size_t>(from.dims);
  grid_description<T> d;
  d.cells.assign(from.cells, from.cells + dims);
  std::size_t all = 1;
  for (const int n : d.cells) {
    if (n < 1)
      throw input_error(fmt::format("cells: expected at least 1 along each axis, found {}", n));
    all = checked_size("cells", all, static_cast<std::size_t>(n));
  }
  if (from.spacing) d.spacing.assign(from.spacing, from.spacing + dims);
  d.centring =
      truth_of("vertex_centred", from.vertex_centred) ? grid_centring::vertex : grid_centring::cell;
  d.mean = truth_of("arithmetic_mean", from.arithmetic_mean) ? face_mean::arithmetic
                                                             : face_mean::harmonic;
  if (!from.k_cells) d.k = from.k;
  d.k_cells = optional_cells<T>(from.k_cells, all);
  d.s = from.s_cells ? 0 : from.s;
  d.s_cells = optional_cells<T>(from.s_cells, all);
  d.boundary = parse_grid_boundary(from.boundary ? from.boundary : "dirichlet", from.dims);
  for (std::size_t axis = 0; axis < dims; ++axis) {
    const std::size_t others = all / static_cast<std::size_t>(d.cells[axis]);
    if (from.k_axes) d.k_axes[axis] = from.k_axes[axis];
    d.k_faces[axis] = optional_cells<T>(from.k_faces[axis], all + others);
    for (std::size_t high = 0; high < 2; ++high)
      if (const double* values = from.side_values[axis][high])
        d.boundary.sides[axis][high].values.assign(values, values + others);
  }
  return d;
}

}  // namespace
}  // namespace dwell::c_api

using namespace dwell::c_api;

/// What dwell/dwell.h declares as opaque.
struct dwell_grid_solver {
  template <class T>
  using solver_of = std::unique_ptr<dwell::grid_solver<T>>;
  std::variant<solver_of<double>, solver_of<float>> solver;
  dwell::device where = dwell::device::cpu();
  std::atomic<bool> interrupt = false;
};

namespace {

/// f(the solver, a value of its type).
template <class F>
int with_grid_solver(const dwell_grid_solver* handle, F&& f) {
  return guarded([&] {
    require(handle, "solver");
    return std::visit(
        [&]<class T>(const std::unique_ptr<dwell::grid_solver<T>>& s) { return f(*s, T()); },
        handle->solver);
  });
}

/// solve(solver, f, u), with arrays of the host or, if `there`, of the handle's GPU.
template <class F>
int solve_on_grid(dwell_grid_solver* handle, bool there, const void* f, const char* name, void* u,
                  dwell_report** report, F&& solve) {
  return with_grid_solver(handle, [&]<class T>(dwell::grid_solver<T>& s, T) {
    require(f, name);
    require(u, "u");
    struct flag_reset {
      std::atomic<bool>& flag;
      ~flag_reset() { flag = false; }
    } reset{handle->interrupt};
    const T* const from = static_cast<const T*>(f);
    T* const to = static_cast<T*>(u);
    const std::size_t n = s.rows();
    const int gpu = handle->where.ordinal();
    const dwell::grid_report r = there ? solve(s, dwell::device_span<const T>{from, n, gpu},
                                               dwell::device_span<T>{to, n, gpu})
                                       : solve(s, std::span(from, n), std::span(to, n));
    if (report) *report = new_report(dwell::grid_report_table(), r);
    return status_of(r.stopped, r.target_missed);
  });
}

}  // namespace

int dwell_grid_options_create(dwell_options** options) {
  return guarded([&] {
    require(options, "options");
    *options = new grid_options_by_name;
    return DWELL_SUCCESS;
  });
}

int dwell_grid_solver_create(dwell_grid_solver** solver, const dwell_device* device,
                             const dwell_grid* grid, const dwell_options* options) {
  return guarded([&] {
    require(solver, "solver");
    require(grid, "grid");
    auto made = std::make_unique<dwell_grid_solver>();
    if (device) made->where = device_of(device);
    dwell::grid_options o = grid_options_by_name::of(options);
    o.interrupt = &made->interrupt;
    with_precision(grid->precision, [&]<class T>(T) {
      made->solver =
          std::make_unique<dwell::grid_solver<T>>(made->where, description_of<T>(*grid), o);
    });
    *solver = made.release();
    return DWELL_SUCCESS;
  });
}

void dwell_grid_solver_destroy(dwell_grid_solver* solver) { delete solver; }

size_t dwell_grid_solver_rows(const dwell_grid_solver* solver) {
  return solver ? std::visit([](const auto& s) { return s->rows(); }, solver->solver) : 0;
}

int dwell_grid_solver_singular(const dwell_grid_solver* solver) {
  return solver && std::visit([](const auto& s) { return s->singular(); }, solver->solver) ? 1 : 0;
}

namespace {
constexpr auto for_f = [](auto& s, auto from, auto to) { return s.solve(from, to); };
constexpr auto for_b = [](auto& s, auto from, auto to) { return s.solve_algebraic(from, to); };
}  // namespace

int dwell_grid_solver_solve(dwell_grid_solver* solver, const void* f, void* u,
                            dwell_report** report) {
  return solve_on_grid(solver, false, f, "f", u, report, for_f);
}

int dwell_grid_solver_solve_algebraic(dwell_grid_solver* solver, const void* b, void* u,
                                      dwell_report** report) {
  return solve_on_grid(solver, false, b, "b", u, report, for_b);
}

int dwell_grid_solver_solve_on_device(dwell_grid_solver* solver, const void* f, void* u,
                                      dwell_report** report) {
  return solve_on_grid(solver, true, f, "f", u, report, for_f);
}

int dwell_grid_solver_solve_algebraic_on_device(dwell_grid_solver* solver, const void* b, void* u,
                                                dwell_report** report) {
  return solve_on_grid(solver, true, b, "b", u, report, for_b);
}

int dwell_grid_solver_update(dwell_grid_solver* solver, const dwell_grid* grid) {
  return with_grid_solver(solver, [&]<class T>(dwell::grid_solver<T>& s, T) {
    require(grid, "grid");
    constexpr int precision = sizeof(T) == 8 ? DWELL_F64 : DWELL_F32;
    if (grid->precision != precision)
      throw dwell::input_error(fmt::format("precision: expected that of the solver ({}), found {}",
                                           precision, grid->precision));
    s.update(description_of<T>(*grid));
    return int{DWELL_SUCCESS};
  });
}

int dwell_grid_solver_set_tolerances(dwell_grid_solver* solver, double rtol, double atol) {
  return with_grid_solver(solver, [&](auto& s, auto) {
    s.set_tolerances(rtol, atol);
    return int{DWELL_SUCCESS};
  });
}

void dwell_grid_solver_interrupt(dwell_grid_solver* solver) {
  if (solver) solver->interrupt = true;
}
