// SPDX-License-Identifier: MIT
// dwell::complex_solver<R> as ComplexSolverF64 and ComplexSolverF32, with the members of
// linear_solver.cpp that complex systems have.
#include "dwell/linear/complex_solver.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <complex>
#include <optional>
#include <utility>

#include "arrays.hpp"
#include "bindings.hpp"
#include "listener.hpp"
#include "matrix_views.hpp"
#include "solve_values.hpp"

namespace dwell::python {

namespace {

template <class R>
class held_complex_solver {
  using number = std::complex<R>;

 public:
  held_complex_solver(const device& where, const host_vector<const index>& row_ptr,
                      const host_vector<const index>& col, const host_vector<const number>& val,
                      index cols, const solve_options& options)
      : listener_(options.progress_interval), arrays_{keep(row_ptr), keep(col), keep(val)} {
    const auto a = view_of<number>(row_ptr, col, val, cols);
    solve_options o = options;
    o.progress_interval = listener_.library_interval();
    o.progress = [this](const solve_progress& now) {
      return listener_.publish([&](const nb::object& progress) {
        return progress(now.iteration, now.relative_residual, now.target, now.seconds);
      });
    };
    interruptible(listener_, [&] { solver_.emplace(where, a, o); });
  }

  index rows() const { return solver_->rows(); }
  solve_report solve(const host_vector<const number>& b, const host_vector<number>& x,
                     nb::object progress) {
    return run_listening(listener_, std::move(progress),
                         [&, from = view(b), to = view(x)] { return solver_->solve(from, to); });
  }
  /// One after another, until one is interrupted.
  std::vector<solve_report> solve_columns(const host_columns<const number>& b,
                                          const host_columns<number>& x, nb::object progress) {
    const std::size_t n = b.shape(0), count = b.shape(1);
    require_equal(n, static_cast<std::size_t>(rows()), "right-hand side");
    require_equal(x.size(), b.size(), "answer");
    return run_listening(listener_, std::move(progress), [&, from = view(b), to = view(x)] {
      std::vector<solve_report> reports;
      for (std::size_t k = 0; k < count; ++k) {
        reports.push_back(solver_->solve(from.subspan(k * n, n), to.subspan(k * n, n)));
        if (reports.back().stopped == stop_reason::interrupted) break;
      }
      return reports;
    });
  }
  void set_tolerances(double rtol, double atol) { solver_->set_tolerances(rtol, atol); }
  fields setup() const { return setup_dict(solver_->setup()); }
  void raise_pending() { listener_.raise_pending(); }

 private:
  listener listener_;
  kept_array arrays_[3];
  std::optional<complex_solver<R>> solver_;  ///< ends before the arrays that it reads
};

template <class R>
void add_solver(nb::module_& m, const char* name) {
  using solver = held_complex_solver<R>;
  using number = std::complex<R>;
  const auto arg = [](const char* of) { return nb::arg(of).noconvert(); };
  nb::class_<solver>(m, name)
      .def(nb::init<const device&, const host_vector<const index>&, const host_vector<const index>&,
                    const host_vector<const number>&, index, const solve_options&>(),
           nb::arg("device"), arg("indptr"), arg("indices"), arg("data"), nb::arg("cols"),
           nb::arg("options"))
      .def_prop_ro("rows", &solver::rows)
      .def("solve", &solver::solve, arg("b"), arg("x"), nb::arg("progress").none())
      .def("solve_columns", &solver::solve_columns, arg("b"), arg("x"), nb::arg("progress").none())
      .def("set_tolerances", &solver::set_tolerances)
      .def("setup", &solver::setup)
      .def("raise_pending", &solver::raise_pending);
}

}  // namespace

void add_complex_solver(nb::module_& m) {
  add_solver<double>(m, "ComplexSolverF64");
  add_solver<float>(m, "ComplexSolverF32");
}

}  // namespace dwell::python
