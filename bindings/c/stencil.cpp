// SPDX-License-Identifier: MIT
// Iterative stencils of dwell/dwell.h: handles over stencil_runner.
#include <fmt/format.h>

#include <atomic>
#include <memory>
#include <variant>

#include "dwell/bindings/c/device.hpp"
#include "dwell/bindings/c/report.hpp"
#include "dwell/bindings/c/status.hpp"
#include "dwell/bindings/c/stencil_options.hpp"
#include "dwell/solvers/stencil/api/report_table.hpp"
#include "dwell/stencil/stencil_runner.hpp"

namespace dwell::c_api {
namespace {

int status_of(stencil_stop why) {
  switch (why) {
    case stencil_stop::steps_done:
    case stencil_stop::converged:
      return DWELL_SUCCESS;
    case stencil_stop::step_limit:
      return DWELL_NOT_CONVERGED;
    case stencil_stop::not_finite:
      return DWELL_BREAKDOWN;
    case stencil_stop::interrupted:
      return DWELL_INTERRUPTED;
  }
  return DWELL_INTERNAL_ERROR;
}

extents extents_of(int dims, const int* size) {
  if (dims != 2 && dims != 3)
    throw input_error(fmt::format("dims: expected 2 or 3, found {}", dims));
  require(size, "size");
  return dims == 2 ? extents(size[0], size[1]) : extents(size[0], size[1], size[2]);
}

}  // namespace
}  // namespace dwell::c_api

using namespace dwell::c_api;

/// What dwell/dwell.h declares as opaque.
struct dwell_stencil {
  template <class T>
  using runner_of = std::unique_ptr<dwell::stencil_runner<T>>;
  std::atomic<bool> interrupt{false};
  dwell::device where = dwell::device::cpu();
  std::variant<runner_of<double>, runner_of<float>> runner;
};

namespace {

/// f(the runner, a value of its type).
template <class F>
int with_runner(dwell_stencil* handle, F&& f) {
  return guarded([&] {
    require(handle, "runner");
    return std::visit(
        [&]<class T>(std::unique_ptr<dwell::stencil_runner<T>>& r) { return f(*r, T()); },
        handle->runner);
  });
}

/// The end of a run, run(the runner): its status, and a report if somebody wants one.
template <class Run>
int run_to_end(dwell_stencil* handle, dwell_report** report, Run&& run) {
  const int status = with_runner(handle, [&](auto& r, auto) {
    const int end = status_of(run(r).stopped);
    if (report) *report = new_report(dwell::stencil_report_table(), r.report());
    return end;
  });
  if (handle) handle->interrupt = false;
  return status;
}

/// f(the cells where they are): grid_view or device_span of T or const T.
template <class Cell, class Runner, class F>
int with_cells(const dwell_stencil& handle, const Runner& r, Cell* cells, int memory, F&& f) {
  require(cells, "cells");
  if (on_host(memory))
    f(dwell::grid_view<Cell>{r.size(), cells});
  else
    f(dwell::device_span<Cell>{cells, r.size().cells(), handle.where.ordinal()});
  return DWELL_SUCCESS;
}

}  // namespace

int dwell_stencil_options_create(dwell_options** options) {
  return guarded([&] {
    require(options, "options");
    *options = new stencil_options_by_name;
    return DWELL_SUCCESS;
  });
}

int dwell_stencil_create(dwell_stencil** runner, const dwell_device* device, int precision,
                         int dims, const int* size, int has_source, const dwell_options* options) {
  return guarded([&] {
    require(runner, "runner");
    auto made = std::make_unique<dwell_stencil>();
    made->where = device_of(device);
    dwell::stencil_options o = stencil_options_by_name::of(options);
    o.interrupt = &made->interrupt;
    with_precision(precision, [&]<class T>(T) {
      made->runner = std::make_unique<dwell::stencil_runner<T>>(made->where, extents_of(dims, size),
                                                                o, has_source != 0);
    });
    *runner = made.release();
    return DWELL_SUCCESS;
  });
}

void dwell_stencil_destroy(dwell_stencil* runner) { delete runner; }

int dwell_stencil_set_field(dwell_stencil* runner, const void* cells, int memory) {
  return with_runner(runner, [&]<class T>(dwell::stencil_runner<T>& r, T) {
    return with_cells(*runner, r, static_cast<const T*>(cells), memory,
                      [&](auto from) { r.set_field(from); });
  });
}

int dwell_stencil_set_source(dwell_stencil* runner, const void* cells, int memory) {
  return with_runner(runner, [&]<class T>(dwell::stencil_runner<T>& r, T) {
    return with_cells(*runner, r, static_cast<const T*>(cells), memory,
                      [&](auto from) { r.set_source(from); });
  });
}

int dwell_stencil_get_field(dwell_stencil* runner, void* cells, int memory) {
  return with_runner(runner, [&]<class T>(dwell::stencil_runner<T>& r, T) {
    return with_cells(*runner, r, static_cast<T*>(cells), memory, [&](auto to) { r.field(to); });
  });
}

int dwell_stencil_set_weights(dwell_stencil* runner, const double* weights, std::size_t count) {
  return with_runner(runner, [&](auto& r, auto) {
    if (count > 0) require(weights, "weights");
    r.set_weights({weights, count});
    return int{DWELL_SUCCESS};
  });
}

int dwell_stencil_run(dwell_stencil* runner, int steps, dwell_report** report) {
  return run_to_end(runner, report, [&](auto& r) { return r.run(steps); });
}

int dwell_stencil_run_until(dwell_stencil* runner, double tolerance, int max_steps, int check_every,
                            dwell_report** report) {
  return run_to_end(runner, report,
                    [&](auto& r) { return r.run_until(tolerance, max_steps, check_every); });
}

int dwell_stencil_start(dwell_stencil* runner, int steps) {
  return with_runner(runner, [&](auto& r, auto) {
    r.run_async(steps);
    return int{DWELL_SUCCESS};
  });
}

int dwell_stencil_wait(dwell_stencil* runner, dwell_report** report) {
  return run_to_end(runner, report, [&](auto& r) { return r.wait(); });
}

void dwell_stencil_interrupt(dwell_stencil* runner) {
  if (runner) runner->interrupt = true;
}
