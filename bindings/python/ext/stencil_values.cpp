// SPDX-License-Identifier: MIT
// Options and reports of stencils, and the shapes of this build. The names are the library's
// (include/dwell/stencil/solve.hpp).
#include "stencil_values.hpp"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <optional>
#include <string>

#include "bindings.hpp"

#include "dwell/base/error.hpp"
#include "dwell/execution/stencil/plan/policies/table.hpp"

namespace dwell::python {

extents extents_of(const std::vector<std::int64_t>& shape) {
  if (shape.size() != 2 && shape.size() != 3)
    throw input_error(fmt::format("field: expected 2 or 3 axes, found {}", shape.size()));
  for (const auto cells : shape)
    if (cells < 1 || cells > std::numeric_limits<int>::max())
      throw input_error(fmt::format("field: expected 1 to {} cells along each axis, found {}",
                                    std::numeric_limits<int>::max(), cells));
  const auto at = [&](std::size_t axis) { return static_cast<int>(shape[axis]); };
  return shape.size() == 2 ? extents(at(0), at(1)) : extents(at(0), at(1), at(2));
}

nb::tuple tuple_of(const extents& n) {
  return n.dims == 3 ? nb::make_tuple(n.z, n.y, n.x) : nb::make_tuple(n.y, n.x);
}

fields stencil_report_dict(const stencil_report& r) {
  fields out;
  out["shape"] = r.shape;
  out["executor"] = r.executor;
  out["policy"] = r.policy;
  out["reason"] = r.reason;
  out["device"] = r.device;
  out["backend"] = to_string(r.on);
  out["precision"] = r.precision;
  out["size"] = tuple_of(r.size);
  out["boundary"] = to_string(r.edge);
  out["teams"] = r.teams;
  out["lanes"] = r.lanes;
  out["engine"] = r.engine;
  out["depth"] = r.depth;
  out["pass_steps"] = r.pass_steps;
  out["traversal"] = r.traversal;
  out["order"] = r.order;
  out["cached_registers"] = r.cached_registers;
  out["cached_scratch"] = r.cached_scratch;
  out["streamed"] = r.streamed;
  out["steps"] = r.steps;
  out["stopped"] = to_string(r.stopped);
  out["change"] = r.change;
  out["bytes_per_step"] = r.bytes_per_step;
  out["changing_cells"] = r.changing_cells;
  nb::dict setup;
  setup["context_s"] = r.setup.context_s;
  setup["check_s"] = r.setup.check_s;
  setup["plan_s"] = r.setup.plan_s;
  setup["load_s"] = r.setup.load_s;
  setup["upload_s"] = r.setup.upload_s;
  out["setup"] = setup;
  out["setup_s"] = r.setup_s;
  out["solve_s"] = r.solve_s;
  out["per_step_us"] = r.per_step_us;
  out["cells_per_second"] = r.cells_per_second;
  return out;
}

namespace {

fields shape_dict(const stencil_shape& s) {
  fields out;
  out["name"] = s.name;
  out["dims"] = s.dims;
  out["radius"] = s.radius;
  out["flops"] = s.flops;
  out["linear"] = s.linear;
  out["star"] = s.star();
  nb::list taps;
  for (const auto& t : s.taps)
    taps.append(s.dims == 3 ? nb::make_tuple(t.dz, t.dy, t.dx) : nb::make_tuple(t.dy, t.dx));
  out["taps"] = nb::tuple(taps);
  out["weights"] = nb::tuple(nb::cast(s.weights));
  out["about"] = s.about;
  return out;
}

nb::typed<nb::list, fields> shapes() {
  nb::typed<nb::list, fields> out;
  for (const auto& s : stencil_shapes()) out.append(shape_dict(s));
  return out;
}

/// Replacement of a policy that the next minor version removes; else None.
std::optional<std::string> replacement_of(const std::string& policy) {
  const char* same = policies::find_stencil_policy(policy).replacement;
  return same ? std::optional<std::string>(same) : std::nullopt;
}

}  // namespace

void add_stencil_values(nb::module_& m) {
  nb::class_<stencil_options>(m, "StencilOptions")
      .def(nb::init<>())
      .def_rw("shape", &stencil_options::shape)
      .def_rw("executor", &stencil_options::executor)
      .def_rw("policy", &stencil_options::policy)
      .def_prop_rw(
          "boundary", [](const stencil_options& o) { return to_string(o.edge); },
          [](stencil_options& o, const std::string& name) { o.edge = parse_boundary(name); })
      .def_rw("weights", &stencil_options::weights)
      .def_rw("progress_interval", &stencil_options::progress_interval)
      .def_rw("depth", &stencil_options::depth)
      .def_rw("traversal", &stencil_options::traversal)
      .def_rw("blocking", &stencil_options::blocking)
      .def_rw("engine", &stencil_options::engine)
      .def_rw("order", &stencil_options::order);
  m.def("shapes", &shapes);
  m.def("policy_replacement", &replacement_of, nb::arg("policy"));
}

}  // namespace dwell::python
