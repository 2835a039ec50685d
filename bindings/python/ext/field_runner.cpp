// SPDX-License-Identifier: MIT
// dwell::stencil_definition and dwell::field_runner as Definition and FieldRunner. A runner holds
// one of f64 or f32, as its dtype says; arrays of the other are refused.
#include "dwell/stencil/field_runner.hpp"

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <tuple>
#include <utility>
#include <variant>

#include "arrays.hpp"
#include "bindings.hpp"
#include "fields.hpp"
#include "listener.hpp"

#include "dwell/base/error.hpp"
#include "dwell/device/limits.hpp"
#include "dwell/stencil/explain_fields.hpp"

namespace dwell::python {
namespace {

using node_tuple = nb::typed<nb::tuple, nb::any, nb::ellipsis>;

/// The node of a tuple, which the package writes so: ("constant", 1.5), ("parameter", 0),
/// ("tap", array, (dy, dx)), ("add", a, b).
cell_node node_of(const nb::tuple& t) {
  const auto require = [&](std::size_t elements) {
    if (t.size() != elements)
      throw input_error(
          fmt::format("node: expected a tuple of {} elements, found {}", elements, t.size()));
  };
  if (t.size() == 0) require(1);
  const cell_op op = parse_cell_op(nb::cast<std::string>(t[0]));
  switch (op) {
    case cell_op::constant:
      require(2);
      return cell_node::constant(nb::cast<double>(t[1]));
    case cell_op::parameter:
      require(2);
      return cell_node::parameter(nb::cast<int>(t[1]));
    case cell_op::tap:
      require(3);
      return cell_node::tap(nb::cast<int>(t[1]), nb::cast<std::vector<int>>(t[2]));
    default:
      break;
  }
  const auto operands = static_cast<std::size_t>(operand_count(op));
  require(1 + operands);
  const auto at = [&](std::size_t k) { return k < operands ? nb::cast<int>(t[1 + k]) : 0; };
  return cell_node::operation(op, at(0), at(1), at(2));
}

stencil_definition definition_of(const std::string& name, int dims,
                                 const std::vector<std::string>& fields,
                                 const std::vector<std::string>& coefficients,
                                 const std::vector<std::string>& parameters,
                                 const std::vector<node_tuple>& nodes,
                                 const std::vector<std::vector<std::pair<int, int>>>& stages) {
  cell_tape tape{name, dims, fields, coefficients, parameters, {}, {}};
  for (const nb::tuple& t : nodes) {
    tape.nodes.push_back(node_of(t));
    // Missing axes would be those of another number of dimensions.
    if (tape.nodes.back().op == cell_op::tap &&
        nb::len(nb::object(t[2])) != static_cast<std::size_t>(dims))
      throw input_error(fmt::format("node {}: expected an offset for each of {} axes, found {}",
                                    tape.nodes.size() - 1, dims, nb::len(nb::object(t[2]))));
  }
  for (const auto& stage : stages) {
    auto& outputs = tape.stages.emplace_back();
    for (const auto& [field, node] : stage) outputs.push_back({field, node});
  }
  return stencil_definition(std::move(tape));
}

using sides = std::vector<std::vector<std::pair<std::string, std::string>>>;

std::vector<field_boundary> boundaries_of(const sides& fields, int dims) {
  std::vector<field_boundary> all;
  for (const auto& axes : fields) {
    if (axes.size() != static_cast<std::size_t>(dims))
      throw input_error(
          fmt::format("boundary: expected sides for {} axes, found {}", dims, axes.size()));
    field_boundary b;
    for (std::size_t a = 0; a < axes.size(); ++a)
      b.sides[a] = {parse_field_side(axes[a].first), parse_field_side(axes[a].second)};
    all.push_back(b);
  }
  return all;
}

/// instead: facts of a device that need not be here, by name.
fields explain_fields(const stencil_definition& definition, const std::vector<std::int64_t>& size,
                      const std::string& precision, const sides& boundary,
                      const std::string& executor, const device& where,
                      const std::optional<std::string>& instead, int depth,
                      const std::string& hoist) {
  field_options o;
  o.boundaries = boundaries_of(boundary, definition.dims());
  o.executor = executor;
  o.depth = depth;
  o.hoist = hoist;
  const fields_explanation e =
      explain(definition, size, precision, instead ? facts_of(*instead) : where.facts(), o);
  fields out;
  const cell_tape& tape = e.steps.tape();
  std::vector<std::string> arrays = tape.fields;
  arrays.insert(arrays.end(), tape.coefficients.begin(), tape.coefficients.end());
  const auto name = [&](int array) { return arrays[static_cast<std::size_t>(array)]; };
  nb::list stages;
  for (const field_stage_use& use : e.stages) {
    nb::dict stage, read, renamed;
    nb::list computed;
    for (const auto& r : use.read) read[nb::str(name(r.array).c_str())] = r.cells;
    for (const auto& r : use.renamed) renamed[nb::str(name(r.field).c_str())] = name(r.from);
    for (const int f : use.computed) computed.append(name(f));
    stage["read"] = read;
    stage["renamed"] = renamed;
    stage["computed"] = computed;
    stage["cell_bytes"] = use.cell_bytes;
    stages.append(stage);
  }
  out["device"] = e.device.name;
  out["backend"] = to_string(e.device.on);
  out["device_memory"] = e.device.memory;
  out["core_cache"] = e.device.core_cache;
  out["changing_cells"] = e.changing_cells;
  out["dims"] = static_cast<int>(e.size.size());
  out["arrays"] = e.arrays;
  out["memory"] = e.memory;
  out["hoisted"] = e.hoisted.values;
  out["hoisted_operations"] = e.hoisted.operations;
  out["hoisted_cell_bytes"] = e.hoisted.cell_bytes;
  out["hoisted_step_seconds"] = e.hoisted.step_seconds;
  out["operations"] = e.steps.flops();
  out["stages"] = stages;
  out["cell_bytes"] = e.cell_bytes;
  out["bytes_per_step"] = e.bytes_per_step;
  out["executor"] = e.plan.executor;
  out["reason"] = e.plan.reason;
  out["threads"] = e.plan.threads;
  out["depth"] = e.plan.depth;
  out["slabs"] = e.plan.slabs;
  out["tiles"] = e.plan.tiles;
  out["slab_cells"] = e.plan.slab_cells;
  out["tile_cells"] = e.plan.tile_cells;
  out["working_set"] = e.plan.working_set;
  out["registers"] = e.plan.registers;
  out["step_seconds"] = e.plan.step_seconds;
  out["memory_seconds"] = e.roof.memory;
  out["arithmetic_seconds"] = e.roof.arithmetic;
  return out;
}

template <class T>
using host_table = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// Memory of so many elements, and who frees it.
template <class T>
std::pair<T*, nb::capsule> new_array(std::size_t size) {
  T* const first = new T[size > 0 ? size : 1];
  return {first, nb::capsule(first, [](void* p) noexcept { delete[] static_cast<T*>(p); })};
}

class held_fields {
  template <class F>
  auto visit(F&& f) {
    if (auto* r = std::get_if<field_runner<double>>(&runner_)) return f(*r);
    return f(std::get<field_runner<float>>(runner_));
  }

 public:
  held_fields(const stencil_definition& definition, const std::vector<std::int64_t>& size,
              const std::string& dtype, const sides& boundary, const std::string& kernel,
              const std::string& executor, const device& where, double progress_interval, int depth,
              const std::string& hoist)
      : listener_(progress_interval), dims_(definition.dims()) {
    field_options o;
    o.boundaries = boundaries_of(boundary, dims_);
    o.kernel = kernel;
    o.executor = executor;
    o.depth = depth;
    o.hoist = hoist;
    o.progress_interval = listener_.library_interval();
    o.progress = [this](const field_progress& now) {
      return listener_.publish(
          [&](const nb::object& progress) { return progress(now.step, now.seconds); });
    };
    interruptible(listener_, [&] {
      if (dtype == "float64")
        runner_.emplace<field_runner<double>>(where, definition, size, o);
      else if (dtype == "float32")
        runner_.emplace<field_runner<float>>(where, definition, size, o);
      else
        throw input_error(fmt::format("dtype: expected float64 or float32, found '{}'", dtype));
    });
  }

  template <class T>
  void set_field(int i, const host_field<const T>& u) {
    of<T>().set_field(i, host_span(u));
  }
  template <class T>
  void set_coefficient(int i, const host_field<const T>& c) {
    of<T>().set_coefficient(i, host_span(c));
  }
  template <class T>
  void set_field_there(int i, const cuda_field<const T>& u) {
    of<T>().set_field(i, cuda_span(u));
  }
  template <class T>
  void set_coefficient_there(int i, const cuda_field<const T>& c) {
    of<T>().set_coefficient(i, cuda_span(c));
  }
  void set_parameter(int i, double value) {
    visit([&](auto& r) { r.set_parameter(i, value); });
  }
  void set_parameter_table(int i, const host_vector<const double>& values) {
    visit([&](auto& r) { r.set_parameter(i, host_span(values)); });
  }
  template <class T>
  void set_sources(int field, const host_table<const std::int64_t>& cells,
                   const host_table<const T>& series) {
    require_indices(cells.shape(1));
    if (series.shape(1) != cells.shape(0))
      throw input_error(
          fmt::format("sources: expected a series with a column for each of {} cells, found {}",
                      cells.shape(0), series.shape(1)));
    of<T>().set_sources(field, host_span(cells), host_span(series));
  }
  int set_receivers(int field, const host_table<const std::int64_t>& cells) {
    require_indices(cells.shape(1));
    widths_.push_back(cells.shape(0));
    return visit([&](auto& r) { return r.set_receivers(field, host_span(cells)); });
  }
  void clear_points() {
    visit([](auto& r) { r.clear_points(); });
    widths_.clear();
  }

  void set_reductions(const std::vector<std::tuple<int, std::string, std::optional<double>>>& list,
                      int every) {
    std::vector<field_reduction> wanted;
    for (const auto& [field, quantity, until] : list)
      wanted.push_back({field, parse_field_quantity(quantity), until});
    visit([&](auto& r) { r.set_reductions(std::move(wanted), every); });
  }
  /// The steps, and the values [row, reduction].
  nb::typed<nb::tuple, nb::any, nb::any> reductions() {
    const auto& rows = visit([](auto& r) -> const auto& { return r.reductions(); });
    const std::size_t width = rows.empty() ? 0 : rows[0].values.size();
    auto steps = new_array<std::int64_t>(rows.size());
    auto values = new_array<double>(rows.size() * width);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      steps.first[k] = rows[k].step;
      std::copy(rows[k].values.begin(), rows[k].values.end(), values.first + k * width);
    }
    return nb::typed<nb::tuple, nb::any, nb::any>(nb::make_tuple(
        nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>>(steps.first, {rows.size()}, steps.second),
        nb::ndarray<nb::numpy, double, nb::ndim<2>>(values.first, {rows.size(), width},
                                                    values.second)));
  }

  /// steps done, why the run ended, seconds
  nb::typed<nb::tuple, int, nb::str, double> run(int steps, nb::object progress) {
    const field_outcome o = run_listening(listener_, std::move(progress), [&] {
      return visit([&](auto& r) { return r.run(steps); });
    });
    return nb::typed<nb::tuple, int, nb::str, double>(
        nb::make_tuple(o.steps, to_string(o.stopped), o.seconds));
  }
  /// A copy, [steps, cells].
  nb::object record(int number) {
    return visit([&](auto& r) { return record_of(r, number); });
  }
  template <class T>
  void field(int i, const host_field<T>& u) {
    of<T>().field(i, host_span(u));
  }
  template <class T>
  void field_there(int i, const cuda_field<T>& u) {
    of<T>().field(i, cuda_span(u));
  }
  fields report() {
    const field_report r = visit([](auto& runner) { return runner.report(); });
    fields out;
    out["definition"] = r.definition;
    out["kernel"] = r.kernel;
    out["kernel_reason"] = r.kernel_reason;
    out["compile_seconds"] = r.compile_seconds;
    out["executor"] = r.executor;
    out["reason"] = r.reason;
    out["device"] = r.device;
    out["backend"] = r.backend;
    out["precision"] = r.precision;
    out["size"] = nb::tuple(nb::cast(r.size));
    out["threads"] = r.threads;
    out["depth"] = r.depth;
    out["hoisted"] = r.hoisted;
    out["cells"] = r.cells;
    out["bytes_per_step"] = r.bytes_per_step;
    out["memory"] = r.memory;
    out["total_steps"] = r.total_steps;
    out["steps"] = r.steps;
    out["seconds"] = r.seconds;
    out["cells_per_second"] = r.cells_per_second;
    out["finite"] = r.finite;
    out["stopped"] = to_string(r.stopped);
    nb::dict last, until;
    for (const reduced_field& one : r.reductions) {
      last[nb::str(one.name.c_str())] = one.last;
      if (one.until) until[nb::str(one.name.c_str())] = *one.until;
    }
    out["reductions"] = last;
    out["until"] = until;
    out["reduce_every"] = r.reduce_every;
    out["reduce_seconds"] = r.reduce_seconds;
    return out;
  }
  void raise_pending() { listener_.raise_pending(); }

 private:
  template <class T>
  field_runner<T>& of() {
    if (auto* r = std::get_if<field_runner<T>>(&runner_)) return *r;
    throw input_error(fmt::format("expected an array of float{}, found float{}",
                                  sizeof(T) == 8 ? 32 : 64, sizeof(T) == 8 ? 64 : 32));
  }
  void require_indices(std::size_t found) const {
    if (found != static_cast<std::size_t>(dims_))
      throw input_error(
          fmt::format("cells: expected {} indices for each cell, found {}", dims_, found));
  }
  template <class T>
  nb::object record_of(const field_runner<T>& runner, int number) {
    const auto values = runner.record(number);
    const std::size_t cells = widths_[static_cast<std::size_t>(number)];
    const std::size_t steps = cells > 0 ? values.size() / cells : 0;
    const auto [copy, owner] = new_array<T>(values.size());
    std::copy(values.begin(), values.end(), copy);
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<2>>(copy, {steps, cells}, owner));
  }

  listener listener_;
  int dims_;
  std::variant<std::monostate, field_runner<double>, field_runner<float>> runner_;
  std::vector<std::size_t> widths_;  ///< cells of each list of receivers
};

}  // namespace

void add_field_runner(nb::module_& m) {
  nb::class_<stencil_definition>(m, "Definition")
      .def(
          "__init__",
          [](stencil_definition* self, const std::string& name, int dims,
             const std::vector<std::string>& fields, const std::vector<std::string>& coefficients,
             const std::vector<std::string>& parameters, const std::vector<node_tuple>& nodes,
             const std::vector<std::vector<std::pair<int, int>>>& stages) {
            new (self) stencil_definition(
                definition_of(name, dims, fields, coefficients, parameters, nodes, stages));
          },
          nb::arg("name"), nb::arg("dims"), nb::arg("fields"), nb::arg("coefficients"),
          nb::arg("parameters"), nb::arg("nodes"), nb::arg("stages"))
      .def_prop_ro("name", &stencil_definition::name)
      .def_prop_ro("dims", &stencil_definition::dims)
      .def_prop_ro("source", &stencil_definition::source)
      .def_prop_ro("radius", &stencil_definition::radius)
      .def_prop_ro("flops", &stencil_definition::flops)
      .def("describe", &stencil_definition::describe);

  m.def("explain_fields", &explain_fields, nb::arg("definition"), nb::arg("size"),
        nb::arg("precision"), nb::arg("boundary"), nb::arg("executor"), nb::arg("device"),
        nb::arg("device_facts").none(), nb::arg("depth"), nb::arg("hoist"));

  using runner = held_fields;
  const auto arg = [](const char* of) { return nb::arg(of).noconvert(); };
  nb::class_<runner>(m, "FieldRunner")
      .def(nb::init<const stencil_definition&, const std::vector<std::int64_t>&, const std::string&,
                    const sides&, const std::string&, const std::string&, const device&, double,
                    int, const std::string&>(),
           nb::arg("definition"), nb::arg("size"), nb::arg("dtype"), nb::arg("boundary"),
           nb::arg("kernel"), nb::arg("executor"), nb::arg("device"),
           nb::arg("progress_interval") = 0.1, nb::arg("depth") = 0, nb::arg("hoist") = "auto")
      .def("set_field", &runner::set_field<double>, nb::arg("i"), arg("u"))
      .def("set_field", &runner::set_field<float>, nb::arg("i"), arg("u"))
      .def("set_coefficient", &runner::set_coefficient<double>, nb::arg("i"), arg("c"))
      .def("set_coefficient", &runner::set_coefficient<float>, nb::arg("i"), arg("c"))
      .def("set_field_cuda", &runner::set_field_there<double>, nb::arg("i"), arg("u"))
      .def("set_field_cuda", &runner::set_field_there<float>, nb::arg("i"), arg("u"))
      .def("set_coefficient_cuda", &runner::set_coefficient_there<double>, nb::arg("i"), arg("c"))
      .def("set_coefficient_cuda", &runner::set_coefficient_there<float>, nb::arg("i"), arg("c"))
      .def("set_parameter", &runner::set_parameter_table, nb::arg("i"), arg("values"))
      .def("set_parameter", &runner::set_parameter, nb::arg("i"), nb::arg("value"))
      .def("set_sources", &runner::set_sources<double>, nb::arg("field"), arg("cells"),
           arg("series"))
      .def("set_sources", &runner::set_sources<float>, nb::arg("field"), arg("cells"),
           arg("series"))
      .def("set_receivers", &runner::set_receivers, nb::arg("field"), arg("cells"))
      .def("clear_points", &runner::clear_points)
      .def("set_reductions", &runner::set_reductions, nb::arg("list"), nb::arg("every"))
      .def("reductions", &runner::reductions)
      .def("run", &runner::run, nb::arg("steps"), nb::arg("progress").none() = nb::none())
      .def("record", &runner::record, nb::arg("k"))
      .def("field", &runner::field<double>, nb::arg("i"), arg("out"))
      .def("field", &runner::field<float>, nb::arg("i"), arg("out"))
      .def("field_cuda", &runner::field_there<double>, nb::arg("i"), arg("out"))
      .def("field_cuda", &runner::field_there<float>, nb::arg("i"), arg("out"))
      .def("report", &runner::report)
      .def("raise_pending", &runner::raise_pending);
}

}  // namespace dwell::python
