// SPDX-License-Identifier: MIT
// dwell::grid_solver<T> as GridSolverF64 and GridSolverF32, grid_operator<T> as GridOperatorF64 and
// F32; boundary conditions come as words, and values of sides as vectors. _grid.py has made sure of
// shapes and dtypes.
#include "dwell/grid/grid_solver.hpp"

#include <nanobind/nanobind.h>
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
#include "csr_arrays.hpp"
#include "device_facts.hpp"
#include "fields.hpp"
#include "listener.hpp"
#include "report_values.hpp"

#include "dwell/device/limits.hpp"
#include "dwell/grid/boundary.hpp"
#include "dwell/grid/explain_grid.hpp"
#include "dwell/solvers/grid/report_table.hpp"

namespace dwell::python {
namespace {

/// Axis, high side?, values.
using side_values = std::tuple<int, bool, std::vector<double>>;

/// What the coefficients and conditions of a problem are, in the order of arguments.
template <class T>
struct grid_coefficients {
  using vector = std::optional<host_vector<const T>>;
  using gpu_array = std::optional<cuda_field<const T>>;
  double k = 1;
  vector k_cells;
  std::vector<double> k_axes;
  std::vector<vector> k_faces;  ///< per axis, or none at all
  bool arithmetic = false;
  double s = 0;
  vector s_cells;
  std::string boundary;
  std::vector<side_values> values;
  gpu_array k_cuda, s_cuda;  ///< in place of k_cells and s_cells

  grid_coefficients(double k_all, vector of_cells, std::vector<double> axes,
                    std::vector<vector> faces, bool arithmetic_mean, double s_all, vector of_s,
                    std::string conditions, std::vector<side_values> of_sides, gpu_array k_there,
                    gpu_array s_there)
      : k(k_all),
        k_cells(std::move(of_cells)),
        k_axes(std::move(axes)),
        k_faces(std::move(faces)),
        arithmetic(arithmetic_mean),
        s(s_all),
        s_cells(std::move(of_s)),
        boundary(std::move(conditions)),
        values(std::move(of_sides)),
        k_cuda(std::move(k_there)),
        s_cuda(std::move(s_there)) {}

  device_coefficients<T> there() const {
    device_coefficients<T> all;
    if (k_cuda) all.k_cells = cuda_span(*k_cuda);
    if (s_cuda) all.s_cells = cuda_span(*s_cuda);
    return all;
  }
};

/// The grid itself.
struct grid_layout {
  std::vector<int> cells;
  std::vector<double> spacing;
  bool vertex = false;

  template <class T>
  grid_description<T> description(const grid_coefficients<T>& c) const {
    grid_description<T> d;
    d.cells = cells;
    d.spacing = spacing;
    d.centring = vertex ? grid_centring::vertex : grid_centring::cell;
    d.k = c.k;
    if (c.k_cells) d.k_cells = host_span(*c.k_cells);
    for (std::size_t a = 0; a < c.k_axes.size() && a < 3; ++a) d.k_axes[a] = c.k_axes[a];
    for (std::size_t a = 0; a < c.k_faces.size() && a < 3; ++a)
      if (c.k_faces[a]) d.k_faces[a] = host_span(*c.k_faces[a]);
    d.mean = c.arithmetic ? face_mean::arithmetic : face_mean::harmonic;
    d.s = c.s;
    if (c.s_cells) d.s_cells = host_span(*c.s_cells);
    d.boundary = parse_grid_boundary(c.boundary, static_cast<int>(cells.size()));
    for (const auto& [axis, high, of_side] : c.values)
      d.boundary.sides[static_cast<std::size_t>(axis)][high].values = of_side;
    return d;
  }
};

nb::tuple cells_of(const std::vector<int>& cells) { return nb::tuple(nb::cast(cells)); }

fields dict_of(const grid_level_plan& l) {
  fields out;
  out["cells"] = cells_of(l.cells);
  out["halved"] = l.halved;
  out["solved_by"] = l.solved_by;
  out["threads"] = l.threads;
  out["visits"] = l.visits;
  out["bytes"] = l.bytes;
  out["lives_in"] = l.lives_in;
  out["bytes_per_cycle"] = l.bytes_per_cycle;
  return out;
}

fields dict_of(const grid_explanation& e) {
  fields out;
  out["device"] = facts_dict(e.device);
  out["method"] = e.method;
  out["preconditioner"] = e.preconditioner;
  out["precision"] = e.precision;
  out["threads"] = e.threads;
  out["reason"] = e.reason;
  out["cycle"] = e.cycle;
  out["singular"] = e.singular;
  out["shared_rows"] = e.shared_rows;
  out["vector_bytes"] = e.vector_bytes;
  out["vectors_live_in"] = e.vectors_live_in;
  nb::list levels;
  for (const grid_level_plan& l : e.levels) levels.append(dict_of(l));
  out["levels"] = levels;
  out["cycle_bytes"] = e.cycle_bytes;
  out["bytes_per_iteration"] = e.bytes_per_iteration;
  out["barriers"] = e.barriers;
  out["least_s"] = e.least_s;
  out["start_barriers"] = e.start_barriers;
  out["start_least_s"] = e.start_least_s;
  return out;
}

template <class T>
class held_grid_operator {
 public:
  held_grid_operator(const device& where, std::vector<int> cells, std::vector<double> spacing,
                     bool vertex, const grid_coefficients<T>& c) {
    const grid_layout layout{std::move(cells), std::move(spacing), vertex};
    interruptible([&] { operator_.emplace(where, layout.description(c)); });
  }
  bool singular() const { return operator_->singular(); }
  void apply(const host_vector<const T>& u, const host_vector<T>& y) {
    const auto from = host_span(u);
    const auto to = host_span(y);
    const nb::gil_scoped_release released;
    operator_->apply(from, to);
  }
  void rhs(const host_vector<const T>& f, const host_vector<T>& b) const {
    operator_->rhs(host_span(f), host_span(b));
  }
  csr_arrays<T> to_matrix() const {
    return arrays_of(interruptible([&] { return operator_->to_matrix(); }));
  }

 private:
  std::optional<grid_operator<T>> operator_;
};

template <class T>
class held_grid_solver {
 public:
  held_grid_solver(const device& where, std::vector<int> cells, std::vector<double> spacing,
                   bool vertex, const grid_coefficients<T>& c, const std::string& method,
                   const std::string& preconditioner, const std::string& cycle,
                   const std::string& coarse, const std::string& smoother, bool full_multigrid,
                   std::optional<double> rtol, double atol, int maxiter, bool history,
                   double progress_interval)
      : layout_{std::move(cells), std::move(spacing), vertex},
        where_(where),
        receiver_(progress_interval) {
    grid_options& o = options_;
    o.method = method;
    o.preconditioner = preconditioner;
    o.cycle = cycle;
    o.coarse = coarse;
    o.smoother = smoother;
    o.full_multigrid = full_multigrid;
    o.rtol = rtol;
    o.atol = atol;
    o.max_iterations = maxiter;
    o.history = history;
    o.progress_interval = progress_interval >= 0 ? receiver_.library_interval() : progress_interval;
    o.progress = [this](const solve_progress& now) {
      return receiver_.publish([&](const nb::object& progress) {
        return progress(now.iteration, now.relative_residual, now.target, now.seconds);
      });
    };
    interruptible([&] { solver_.emplace(where, layout_.description(c), o, c.there()); });
  }

  void update(const grid_coefficients<T>& c) {
    interruptible([&] { solver_->update(layout_.description(c), c.there()); });
  }
  bool singular() const { return solver_->singular(); }
  double setup_s() const { return solver_->setup_s(); }

  /// algebraic: of A u = f, without what the sides give.
  fields solve(const host_vector<const T>& f, const host_vector<T>& u, bool algebraic,
               std::optional<double> rtol, double atol, nb::object progress) {
    return solved(host_span(f), host_span(u), algebraic, rtol, atol, std::move(progress));
  }
  /// Likewise, in the memory of the solver's GPU.
  fields solve_cuda(const cuda_field<const T>& f, const cuda_field<T>& u, bool algebraic,
                    std::optional<double> rtol, double atol, nb::object progress) {
    return solved(cuda_span(f), cuda_span(u), algebraic, rtol, atol, std::move(progress));
  }
  /// How systems with these coefficients, of the host, would be solved, here or on `instead`.
  fields explain(const grid_coefficients<T>& c, const std::optional<std::string>& instead) const {
    return dict_of(interruptible([&] {
      return dwell::explain(layout_.description(c), instead ? facts_of(*instead) : where_.facts(),
                            options_);
    }));
  }
  /// Raises what ended the last solve, whose report the caller has by now.
  void raise_pending() { receiver_.raise_pending(); }

 private:
  template <class F, class U>
  fields solved(F from, U to, bool algebraic, std::optional<double> rtol, double atol,
                nb::object progress) {
    solver_->set_tolerances(rtol, atol);
    const grid_report r = run_listening(receiver_, std::move(progress), [&] {
      return algebraic ? solver_->solve_algebraic(from, to) : solver_->solve(from, to);
    });
    fields d = report_fields(grid_report_table(), r);
    nb::list levels;
    for (const grid_level& l : r.levels) levels.append(cells_of(l.cells));
    d["levels"] = levels;
    return d;
  }

  grid_layout layout_;
  device where_;
  grid_options options_;
  listener receiver_;
  std::optional<grid_solver<T>> solver_;
};

template <class T>
void add(nb::module_& m, const std::string& precision) {
  using coefs = grid_coefficients<T>;
  using vector = typename coefs::vector;
  nb::class_<coefs>(m, ("GridCoefficients" + precision).c_str())
      .def(nb::init<double, vector, std::vector<double>, std::vector<vector>, bool, double, vector,
                    std::string, std::vector<side_values>, typename coefs::gpu_array,
                    typename coefs::gpu_array>(),
           nb::arg("k"), nb::arg("k_cells").none(), nb::arg("k_axes"), nb::arg("k_faces"),
           nb::arg("arithmetic"), nb::arg("s"), nb::arg("s_cells").none(), nb::arg("boundary"),
           nb::arg("values"), nb::arg("k_cuda").none(), nb::arg("s_cuda").none());
  using applied = held_grid_operator<T>;
  nb::class_<applied>(m, ("GridOperator" + precision).c_str())
      .def(nb::init<const device&, std::vector<int>, std::vector<double>, bool, const coefs&>(),
           nb::arg("device"), nb::arg("cells"), nb::arg("spacing"), nb::arg("vertex"),
           nb::arg("coefficients"))
      .def_prop_ro("singular", &applied::singular)
      .def("apply", &applied::apply, nb::arg("u").noconvert(), nb::arg("y").noconvert())
      .def("rhs", &applied::rhs, nb::arg("f").noconvert(), nb::arg("b").noconvert())
      .def("to_matrix", &applied::to_matrix);
  using held = held_grid_solver<T>;
  nb::class_<held>(m, ("GridSolver" + precision).c_str())
      .def(nb::init<const device&, std::vector<int>, std::vector<double>, bool, const coefs&,
                    const std::string&, const std::string&, const std::string&, const std::string&,
                    const std::string&, bool, std::optional<double>, double, int, bool, double>(),
           nb::arg("device"), nb::arg("cells"), nb::arg("spacing"), nb::arg("vertex"),
           nb::arg("coefficients"), nb::arg("method"), nb::arg("preconditioner"), nb::arg("cycle"),
           nb::arg("coarse"), nb::arg("smoother"), nb::arg("full_multigrid"),
           nb::arg("rtol").none(), nb::arg("atol"), nb::arg("maxiter"), nb::arg("history"),
           nb::arg("progress_interval"))
      .def("update", &held::update, nb::arg("coefficients"))
      .def_prop_ro("singular", &held::singular)
      .def_prop_ro("setup_s", &held::setup_s)
      .def("solve", &held::solve, nb::arg("f").noconvert(), nb::arg("u").noconvert(),
           nb::arg("algebraic"), nb::arg("rtol").none(), nb::arg("atol"),
           nb::arg("progress").none())
      .def("solve_cuda", &held::solve_cuda, nb::arg("f").noconvert(), nb::arg("u").noconvert(),
           nb::arg("algebraic"), nb::arg("rtol").none(), nb::arg("atol"),
           nb::arg("progress").none())
      .def("explain", &held::explain, nb::arg("coefficients"), nb::arg("device_facts").none())
      .def("raise_pending", &held::raise_pending);
}

}  // namespace

void add_grid_solver(nb::module_& m) {
  add<double>(m, "F64");
  add<float>(m, "F32");
  m.def("grid_report_table", [] { return report_rows(grid_report_table()); });
}

}  // namespace dwell::python
