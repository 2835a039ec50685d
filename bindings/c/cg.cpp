// SPDX-License-Identifier: MIT
// Conjugate gradients of dwell/dwell.h: handles over linear_solver.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <variant>

#include "dwell/base/checked_size.hpp"
#include "dwell/bindings/c/device.hpp"
#include "dwell/bindings/c/linear_options.hpp"
#include "dwell/bindings/c/report.hpp"
#include "dwell/bindings/c/status.hpp"
#include "dwell/bindings/c/stop_status.hpp"
#include "dwell/linear/linear_solver.hpp"
#include "dwell/linear/rigid_body_modes.hpp"
#include "dwell/solvers/linear/api/report_table.hpp"

using namespace dwell::c_api;

/// What dwell/dwell.h declares as opaque.
struct dwell_cg {
  template <class T>
  using solver_of = std::unique_ptr<dwell::linear_solver<T>>;
  std::atomic<bool> interrupt{false};
  dwell::device where = dwell::device::cpu();
  std::variant<solver_of<double>, solver_of<float>> solver;
  /// What was measured when the matrix was prepared, for reports.
  dwell::solve_setup setup() const {
    return std::visit([](const auto& s) { return s->setup(); }, solver);
  }

  /// The end of a solve: its status, and a report if somebody wants one.
  int end(dwell::solve_report of, dwell_report** report) {
    interrupt = false;
    const int status = status_of(of.stopped, of.target_missed);
    if (report) {
      of.setup = setup();
      *report = new_report(dwell::solve_report_table(), of);
    }
    return status;
  }
};

namespace {

/// f(the solver, a value of its type), with the handle's flag of interrupts cleared if f throws.
template <class F>
int with_solver(dwell_cg* handle, F&& f) {
  return guarded([&] {
    require(handle, "solver");
    try {
      return std::visit(
          [&]<class T>(std::unique_ptr<dwell::linear_solver<T>>& s) { return f(*s, T()); },
          handle->solver);
    } catch (...) {
      handle->interrupt = false;
      throw;
    }
  });
}

/// Host arrays of `size` elements as the solver takes them.
template <class T>
std::span<const T> elements(const void* p, std::size_t size, const char* what) {
  if (size > 0) require(p, what);
  return {static_cast<const T*>(p), size};
}
template <class T>
std::span<T> elements(void* p, std::size_t size, const char* what) {
  if (size > 0) require(p, what);
  return {static_cast<T*>(p), size};
}
/// Offset: the type of row_ptr of the Matrix, dwell_csr or dwell_large_csr.
template <class Offset, class Matrix>
int create(dwell_cg** solver, const dwell_device* device, const Matrix* a,
           const dwell_options* options) {
  return guarded([&] {
    require(solver, "solver");
    require(a, "matrix");
    auto made = std::make_unique<dwell_cg>();
    made->where = device_of(device);
    dwell::solve_options o = linear_options_by_name::of(options);
    o.interrupt = &made->interrupt;
    with_precision(a->precision, [&]<class T>(T) {
      const auto* val = static_cast<const T*>(a->val);
      auto& to = made->solver.emplace<dwell_cg::solver_of<T>>();
      if (on_host(a->memory)) {
        require(a->row_ptr, "row_ptr");
        const dwell::csr_view<T, Offset> view{a->rows, a->cols, a->row_ptr, a->col, val};
        to = std::make_unique<dwell::linear_solver<T>>(made->where, view, o);
      } else {
        const dwell::device_csr_view<T, Offset> view{
            a->rows, a->cols, a->nonzeros, a->row_ptr, a->col, val, made->where.ordinal()};
        to = std::make_unique<dwell::linear_solver<T>>(made->where, view, o);
      }
    });
    *solver = made.release();
    return DWELL_SUCCESS;
  });
}

template <class T>
dwell::device_span<T> on_device(T* p, std::size_t size, const dwell_cg& handle) {
  return {p, size, handle.where.ordinal()};
}

}  // namespace

int dwell_rigid_body_modes(int dimension, size_t nodes, const double* coordinates, int rotations,
                           double* modes) {
  return guarded([&] {
    if (nodes > 0) require(coordinates, "coordinates");
    require(modes, "modes");
    const std::size_t each = dimension > 0 ? static_cast<std::size_t>(dimension) : 0;
    constexpr std::size_t most = std::numeric_limits<dwell::index>::max();  // each has rows
    if (nodes > most)
      throw dwell::input_error("nodes: expected at most " + std::to_string(most) + ", found " +
                               std::to_string(nodes));
    const auto made =
        dwell::rigid_body_modes({coordinates, nodes * each}, dimension, rotations != 0);
    std::copy(made.begin(), made.end(), modes);
    return DWELL_SUCCESS;
  });
}

int dwell_cg_options_create(dwell_options** options) {
  return guarded([&] {
    require(options, "options");
    *options = new linear_options_by_name;
    return DWELL_SUCCESS;
  });
}

int dwell_cg_create(dwell_cg** solver, const dwell_device* device, const dwell_csr* a,
                    const dwell_options* options) {
  return create<int>(solver, device, a, options);
}

int dwell_cg_create_large(dwell_cg** solver, const dwell_device* device, const dwell_large_csr* a,
                          const dwell_options* options) {
  return create<std::int64_t>(solver, device, a, options);
}

void dwell_cg_destroy(dwell_cg* solver) { delete solver; }

int dwell_cg_rows(const dwell_cg* solver) {
  return solver ? std::visit([](const auto& s) { return s->rows(); }, solver->solver) : 0;
}

int dwell_cg_solve(dwell_cg* solver, const void* b, void* x, dwell_report** report) {
  return with_solver(solver, [&]<class T>(dwell::linear_solver<T>& s, T) {
    const auto n = static_cast<std::size_t>(s.rows());
    return solver->end(s.solve(elements<T>(b, n, "b"), elements<T>(x, n, "x")), report);
  });
}

int dwell_cg_solve_columns(dwell_cg* solver, int count, const void* b, std::size_t ldb, void* x,
                           std::size_t ldx, dwell_report** reports) {
  return with_solver(solver, [&]<class T>(dwell::linear_solver<T>& s, T) {
    const auto n = static_cast<std::size_t>(s.rows());
    const auto size = [&](const char* what, std::size_t distance) {
      if (count <= 0) return std::size_t(0);
      const std::size_t all =
          dwell::checked_size(what, static_cast<std::size_t>(count - 1), distance, n);
      dwell::checked_size(what, all, sizeof(T));
      return all;
    };
    const auto all = s.solve(elements<T>(b, size("b", ldb), "b"), ldb,
                             elements<T>(x, size("x", ldx), "x"), ldx, count);
    int worst = DWELL_SUCCESS;
    for (std::size_t k = 0; k < all.size(); ++k)
      worst = std::max(worst, solver->end(all[k], reports ? reports + k : nullptr));
    return worst;
  });
}

int dwell_cg_solve_on_device(dwell_cg* solver, const void* b, void* x, dwell_report** report) {
  return with_solver(solver, [&]<class T>(dwell::linear_solver<T>& s, T) {
    const auto n = static_cast<std::size_t>(s.rows());
    return solver->end(s.solve(on_device(static_cast<const T*>(b), n, *solver),
                               on_device(static_cast<T*>(x), n, *solver)),
                       report);
  });
}

int dwell_cg_start(dwell_cg* solver, const void* b, void* x) {
  return with_solver(solver, [&]<class T>(dwell::linear_solver<T>& s, T) {
    const auto n = static_cast<std::size_t>(s.rows());
    s.solve_async(on_device(static_cast<const T*>(b), n, *solver),
                  on_device(static_cast<T*>(x), n, *solver));
    return int{DWELL_SUCCESS};
  });
}

int dwell_cg_wait(dwell_cg* solver, dwell_report** report) {
  return with_solver(solver, [&]<class T>(dwell::linear_solver<T>& s, T) {
    return solver->end(s.wait(), report);
  });
}

int dwell_cg_update_values(dwell_cg* solver, const void* val, int memory) {
  return with_solver(solver, [&]<class T>(dwell::linear_solver<T>& s, T) {
    const auto n = static_cast<std::size_t>(s.nonzeros());
    if (on_host(memory))
      s.update_values(elements<T>(val, n, "val"));
    else
      s.update_values(on_device(static_cast<const T*>(val), n, *solver));
    return int{DWELL_SUCCESS};
  });
}

int dwell_cg_set_tolerances(dwell_cg* solver, double rtol, double atol) {
  return with_solver(solver, [&](auto& s, auto) {
    s.set_tolerances(rtol, atol);
    return int{DWELL_SUCCESS};
  });
}

void dwell_cg_interrupt(dwell_cg* solver) {
  if (solver) solver->interrupt = true;
}
