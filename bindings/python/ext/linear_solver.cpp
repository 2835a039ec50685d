// SPDX-License-Identifier: MIT
// dwell::linear_solver<T> as CgSolverF64 and CgSolverF32: keeps the arrays alive that a CPU reads
// in place, and releases the interpreter's lock while it works.
#include "dwell/linear/linear_solver.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "arrays.hpp"
#include "bindings.hpp"
#include "listener.hpp"
#include "matrix_views.hpp"
#include "solve_values.hpp"

namespace dwell::python {

namespace {

template <class T>
class held_solver {
 public:
  static std::unique_ptr<held_solver> on_cuda(const device& where,
                                              const cuda_vector<const index>& row_ptr,
                                              const cuda_vector<const index>& col,
                                              const cuda_vector<const T>& val, index cols,
                                              const solve_options& options) {
    return std::make_unique<held_solver>(where, row_ptr, col, val, cols, options);
  }
  /// Arrays of the host, or all three of a GPU.
  template <class Ends, class Indices, class Values>
  held_solver(const device& where, const Ends& row_ptr, const Indices& col, const Values& val,
              index cols, const solve_options& options)
      : listener_(options.progress_interval),
        pattern_{keep(row_ptr), keep(col)},
        values_(keep(val)) {
    const auto a = view_of<T>(row_ptr, col, val, cols);
    solve_options o = options;
    o.progress_interval = listener_.library_interval();
    o.progress = telling();
    o.interrupt = &interrupt_;
    interruptible(listener_, [&] { solver_.emplace(where, a, o); });
  }

  index rows() const { return solver_->rows(); }

  template <class Vector, class Answer>
  solve_report solve(const Vector& b, const Answer& x, nb::object progress) {
    return run_listening(listener_, std::move(progress),
                         [&, from = view(b), to = view(x)] { return solver_->solve(from, to); });
  }
  /// Solves columns, several in one pass over the matrix, as the library plans; with a progress
  /// function, which is told of one, column after column. Until one is interrupted.
  template <class Columns, class Answers>
  std::vector<solve_report> solve_columns(const Columns& b, const Answers& x, nb::object progress) {
    const std::size_t n = b.shape(0), count = b.shape(1);
    require_equal(n, static_cast<std::size_t>(rows()), "right-hand side");
    require_equal(x.size(), b.size(), "answer");
    if (count == 0) return {};
    if (progress.is_none()) return solve_block(view(b), view(x), n, static_cast<int>(count));
    return run_listening(listener_, std::move(progress), [&, from = view(b), to = view(x)] {
      std::vector<solve_report> reports;
      for (std::size_t k = 0; k < count; ++k) {
        reports.push_back(solver_->solve(part(from, k * n, n), part(to, k * n, n)));
        if (reports.back().stopped == stop_reason::interrupted) break;
      }
      return reports;
    });
  }
  template <class Vector>
  void update_values(const Vector& values) {
    kept_array kept = keep(values);
    interruptible(listener_, [&, now = view(values)] { solver_->update_values(now); });
    values_ = std::move(kept);
  }
  void set_tolerances(double rtol, double atol) { solver_->set_tolerances(rtol, atol); }
  fields setup() const { return setup_dict(solver_->setup()); }
  void raise_pending() { listener_.raise_pending(); }

 private:
  progress_function<solve_progress> telling() {
    return [this](const solve_progress& now) {
      return listener_.publish([&](const nb::object& progress) {
        return progress(now.iteration, now.relative_residual, now.target, now.seconds);
      });
    };
  }
  /// A block hears signals by its interrupt, not by its progress.
  template <class From, class To>
  std::vector<solve_report> solve_block(From b, To x, std::size_t n, int count) {
    struct without_progress {
      held_solver& of;
      explicit without_progress(held_solver& s) : of(s) { of.solver_->set_progress({}); }
      ~without_progress() { of.solver_->set_progress(of.telling()); }
    };
    const without_progress now(*this);
    std::vector<solve_report> reports =
        run_watched(listener_, interrupt_, [&] { return solver_->solve(b, n, x, n, count); });
    // Groups after an interrupted one have hardly begun.
    for (std::size_t first = 0; first < reports.size();) {
      const auto next = first + static_cast<std::size_t>(reports[first].columns_together);
      const bool ended =
          std::any_of(reports.begin() + static_cast<std::ptrdiff_t>(first),
                      reports.begin() + static_cast<std::ptrdiff_t>(next),
                      [](const solve_report& r) { return r.stopped == stop_reason::interrupted; });
      if (ended) reports.resize(next);
      first = next;
    }
    return reports;
  }
  template <class E>
  static std::span<E> part(std::span<E> all, std::size_t begin, std::size_t n) {
    return all.subspan(begin, n);
  }
  template <class E>
  static device_span<E> part(device_span<E> all, std::size_t begin, std::size_t n) {
    return {all.data + begin, n, all.device};
  }

  listener listener_;
  std::atomic<bool> interrupt_{false};
  kept_array pattern_[2], values_;
  std::optional<linear_solver<T>> solver_;  ///< ends before the arrays that it reads
};

template <class T>
void add_solver(nb::module_& m, const char* name) {
  using solver = held_solver<T>;
  const auto arg = [](const char* of) { return nb::arg(of).noconvert(); };
  nb::class_<solver>(m, name)
      .def(nb::init<const device&, const host_vector<const index>&, const host_vector<const index>&,
                    const host_vector<const T>&, index, const solve_options&>(),
           nb::arg("device"), arg("indptr"), arg("indices"), arg("data"), nb::arg("cols"),
           nb::arg("options"))
      .def(nb::init<const device&, const host_vector<const std::int64_t>&,
                    const host_vector<const index>&, const host_vector<const T>&, index,
                    const solve_options&>(),
           nb::arg("device"), arg("indptr"), arg("indices"), arg("data"), nb::arg("cols"),
           nb::arg("options"))
      .def_static("on_cuda", &solver::on_cuda, nb::arg("device"), arg("indptr"), arg("indices"),
                  arg("data"), nb::arg("cols"), nb::arg("options"))
      .def_prop_ro("rows", &solver::rows)
      .def("solve", &solver::template solve<host_vector<const T>, host_vector<T>>, arg("b"),
           arg("x"), nb::arg("progress").none())
      .def("solve_cuda", &solver::template solve<cuda_vector<const T>, cuda_vector<T>>, arg("b"),
           arg("x"), nb::arg("progress").none())
      .def("solve_columns", &solver::template solve_columns<host_columns<const T>, host_columns<T>>,
           arg("b"), arg("x"), nb::arg("progress").none())
      .def("solve_columns_cuda",
           &solver::template solve_columns<cuda_columns<const T>, cuda_columns<T>>, arg("b"),
           arg("x"), nb::arg("progress").none())
      .def("update_values", &solver::template update_values<host_vector<const T>>, arg("data"))
      .def("update_values_cuda", &solver::template update_values<cuda_vector<const T>>, arg("data"))
      .def("set_tolerances", &solver::set_tolerances)
      .def("setup", &solver::setup)
      .def("raise_pending", &solver::raise_pending);
}

}  // namespace

void add_linear_solver(nb::module_& m) {
  add_solver<double>(m, "CgSolverF64");
  add_solver<float>(m, "CgSolverF32");
}

}  // namespace dwell::python
