// SPDX-License-Identifier: MIT
// dwell::grid_solver<T> as GridSolverF64 and GridSolverF32; boundary conditions come as words, and
// values of sides as vectors. _grid.py has made sure of shapes and dtypes.
#include "dwell/grid/grid_solver.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "dwell/grid/boundary.hpp"
#include "fields.hpp"
#include "listener.hpp"

namespace dwell::python {
namespace {

/// Axis, high side?, values.
using side_values = std::tuple<int, bool, std::vector<double>>;

template <class T>
class held_grid_solver {
 public:
  using vector = std::optional<host_vector<const T>>;

  held_grid_solver(const device& where, std::vector<int> cells, std::vector<double> spacing,
                   bool vertex, double k, const vector& k_cells, std::vector<double> k_axes,
                   bool arithmetic, double s, const vector& s_cells, const std::string& boundary,
                   std::vector<side_values> values, const std::string& method,
                   const std::string& preconditioner, double rtol, double atol, int maxiter,
                   bool history)
      : cells_(std::move(cells)), spacing_(std::move(spacing)), vertex_(vertex) {
    grid_options o;
    o.method = method;
    o.preconditioner = preconditioner;
    o.rtol = rtol;
    o.atol = atol;
    o.max_iterations = maxiter;
    o.history = history;
    o.progress = [this](const solve_progress&) {
      return receiver_.publish([](const nb::object&) { return nb::none(); });
    };
    const auto d = description(k, k_cells, k_axes, arithmetic, s, s_cells, boundary, values);
    interruptible([&] { solver_.emplace(where, d, o); });
  }

  void update(double k, const vector& k_cells, std::vector<double> k_axes, bool arithmetic,
              double s, const vector& s_cells, const std::string& boundary,
              std::vector<side_values> values) {
    const auto d = description(k, k_cells, k_axes, arithmetic, s, s_cells, boundary, values);
    interruptible([&] { solver_->update(d); });
  }
  bool singular() const { return solver_->singular(); }

  fields solve(const host_vector<const T>& f, const host_vector<T>& u, double rtol, double atol) {
    const auto from = host_span(f);
    const auto to = host_span(u);
    solver_->set_tolerances(rtol, atol);
    const grid_report r =
        run_listening(receiver_, nb::none(), [&] { return solver_->solve(from, to); });
    receiver_.raise_pending();
    fields d;
    d["method"] = r.method.c_str();
    d["preconditioner"] = r.preconditioner.c_str();
    d["device"] = r.device.c_str();
    d["precision"] = r.precision.c_str();
    d["threads"] = r.threads;
    d["reason"] = r.reason.c_str();
    d["cycle"] = r.cycle.c_str();
    nb::list levels;
    for (const grid_level& l : r.levels) {
      nb::list cells;
      for (const int c : l.cells) cells.append(c);
      levels.append(nb::tuple(cells));
    }
    d["levels"] = levels;
    d["iterations"] = r.iterations;
    d["stopped"] = to_string(r.stopped).c_str();
    d["rhs_norm"] = r.rhs_norm;
    d["null_space"] = r.null_space.c_str();
    d["rhs_outside_range"] = r.rhs_outside_range;
    d["rhs_inconsistent"] = r.rhs_inconsistent;
    d["residual_relative_recursive"] = r.residual_relative_recursive;
    d["residual_relative_true"] = r.residual_relative_true;
    d["target_missed"] = r.target_missed;
    d["refinements"] = r.refinements;
    d["stagnated"] = r.stagnated;
    nb::list history;
    for (const double h : r.history) history.append(h);
    d["history"] = history;
    d["bytes_per_iteration"] = r.bytes_per_iteration;
    d["setup_s"] = r.setup_s;
    d["solve_s"] = r.solve_s;
    return d;
  }

 private:
  grid_description<T> description(double k, const vector& k_cells,
                                  const std::vector<double>& k_axes, bool arithmetic, double s,
                                  const vector& s_cells, const std::string& boundary,
                                  std::vector<side_values>& values) const {
    grid_description<T> d;
    d.cells = cells_;
    d.spacing = spacing_;
    d.centring = vertex_ ? grid_centring::vertex : grid_centring::cell;
    d.k = k;
    if (k_cells) d.k_cells = host_span(*k_cells);
    for (std::size_t a = 0; a < k_axes.size() && a < 3; ++a) d.k_axes[a] = k_axes[a];
    d.mean = arithmetic ? face_mean::arithmetic : face_mean::harmonic;
    d.s = s;
    if (s_cells) d.s_cells = host_span(*s_cells);
    d.boundary = parse_grid_boundary(boundary, static_cast<int>(cells_.size()));
    for (auto& [axis, high, of_side] : values)
      d.boundary.sides[static_cast<std::size_t>(axis)][high].values = std::move(of_side);
    return d;
  }

  std::vector<int> cells_;
  std::vector<double> spacing_;
  bool vertex_;
  listener receiver_{0.1};
  std::optional<grid_solver<T>> solver_;
};

template <class T>
void add(nb::module_& m, const char* name) {
  using held = held_grid_solver<T>;
  nb::class_<held>(m, name)
      .def(nb::init<const device&, std::vector<int>, std::vector<double>, bool, double,
                    const typename held::vector&, std::vector<double>, bool, double,
                    const typename held::vector&, const std::string&, std::vector<side_values>,
                    const std::string&, const std::string&, double, double, int, bool>(),
           nb::arg("device"), nb::arg("cells"), nb::arg("spacing"), nb::arg("vertex"), nb::arg("k"),
           nb::arg("k_cells").none(), nb::arg("k_axes"), nb::arg("arithmetic"), nb::arg("s"),
           nb::arg("s_cells").none(), nb::arg("boundary"), nb::arg("values"), nb::arg("method"),
           nb::arg("preconditioner"), nb::arg("rtol"), nb::arg("atol"), nb::arg("maxiter"),
           nb::arg("history"))
      .def("update", &held::update, nb::arg("k"), nb::arg("k_cells").none(), nb::arg("k_axes"),
           nb::arg("arithmetic"), nb::arg("s"), nb::arg("s_cells").none(), nb::arg("boundary"),
           nb::arg("values"))
      .def_prop_ro("singular", &held::singular)
      .def("solve", &held::solve, nb::arg("f").noconvert(), nb::arg("u").noconvert(),
           nb::arg("rtol"), nb::arg("atol"));
}

}  // namespace

void add_grid_solver(nb::module_& m) {
  add<double>(m, "GridSolverF64");
  add<float>(m, "GridSolverF32");
}

}  // namespace dwell::python
