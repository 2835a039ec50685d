// SPDX-License-Identifier: MIT
// Options and reports of linear solves. The names are the library's
// (include/dwell/linear/solve.hpp, options_table.hpp).
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "solve_values.hpp"

#include "dwell/linear/rigid_body_modes.hpp"
#include "dwell/linear/solve.hpp"
#include "dwell/solvers/linear/api/options_table.hpp"

namespace dwell::python {

fields setup_dict(const solve_setup& s) {
  fields out;
  out["context_s"] = s.context_s;
  out["check_s"] = s.check_s;
  out["upload_s"] = s.upload_s;
  out["plan_s"] = s.plan_s;
  out["cut_s"] = s.cut_s;
  out["preconditioner_s"] = s.preconditioner_s;
  out["load_s"] = s.load_s;
  return out;
}

namespace {

/// Vectors one after the other.
using flat_array = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// Nodes by node; the modes one after the other.
nb::ndarray<nb::numpy, double, nb::ndim<1>, nb::c_contig> modes_of(const flat_array& coordinates,
                                                                   int dimension, bool rotations) {
  auto* const kept = new std::vector<double>(
      rigid_body_modes({coordinates.data(), coordinates.size()}, dimension, rotations));
  const nb::capsule owner(kept,
                          [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  return {kept->data(), {kept->size()}, owner};
}

std::vector<std::string> preconditioner_names() {
  std::vector<std::string> names;
  for (const auto one : preconditioners()) names.push_back(to_string(one));
  return names;
}

/// A property of this name.
template <class M>
void add_member(nb::class_<solve_options>& to, const char* name, M& (*member)(solve_options&)) {
  if constexpr (std::is_same_v<M, preconditioner>)
    to.def_prop_rw(
        name, [member](solve_options& o) { return to_string(member(o)); },
        [member](solve_options& o, const std::string& v) { member(o) = parse_preconditioner(v); });
  else if constexpr (std::is_same_v<M, std::vector<double>>)
    to.def_prop_rw(
        name, [member](solve_options& o) { return member(o); },
        [member](solve_options& o, const flat_array& v) {
          member(o).assign(v.data(), v.data() + v.size());
        });
  else
    to.def_prop_rw(
        name, [member](solve_options& o) { return member(o); },
        [member](solve_options& o, M v) { member(o) = std::move(v); });
}

/// The rows that Python has; methods: those that heed the option, empty for all.
std::vector<fields> option_table() {
  std::vector<fields> rows;
  for (const solve_option& option : solve_option_table()) {
    if (!option.is_on(surface::python)) continue;
    fields row;
    row["name"] = option.name;
    row["help"] = option.help_text();
    row["words"] = option.words ? option.words() : std::vector<std::string>();
    row["methods"] = option.methods ? option.methods : "";
    rows.push_back(row);
  }
  return rows;
}

/// The fields of dwell.Report.
fields report_dict(const solve_report& r) {
  fields out;
  out["method"] = r.method;
  out["method_reason"] = r.method_reason;
  out["executor"] = r.executor;
  out["variant"] = r.variant;
  out["policy"] = r.policy;
  out["policy_chosen"] = r.policy_chosen;
  out["reason"] = r.reason;
  out["device"] = r.device;
  out["backend"] = to_string(r.on);
  out["precision"] = r.precision;
  out["preconditioner"] = to_string(r.preconditioner);
  out["preconditioner_reason"] = r.preconditioner_reason;
  out["preconditioner_note"] = r.preconditioner_note;
  out["teams"] = r.teams;
  out["lanes"] = r.lanes;
  out["bytes_per_iteration"] = r.bytes_per_iteration;
  out["iterations"] = r.iterations;
  out["stopped"] = to_string(r.stopped);
  out["rhs_norm"] = r.rhs_norm;
  out["null_space"] = r.null_space;
  out["rhs_outside_range"] = r.rhs_outside_range;
  out["rhs_inconsistent"] = r.rhs_inconsistent;
  out["residual_relative_recursive"] = r.residual_relative_recursive;
  out["residual_relative_true"] = r.residual_relative_true;
  out["residuals_disagree"] = r.residuals_disagree;
  out["componentwise_backward_error"] = r.componentwise_backward_error;
  out["rows_missed"] = r.rows_missed;
  out["target_missed"] = r.target_missed;
  out["refinements"] = r.refinements;
  out["history"] = r.history;
  out["condition_estimate"] = r.condition_estimate;
  out["error_estimate"] = r.error_estimate;
  out["no_digit_safe"] = r.no_digit_safe;
  out["stagnated"] = r.stagnated;
  out["advice"] = r.advice;
  out["setup"] = setup_dict(r.setup);
  out["setup_s"] = r.setup_s;
  out["solve_s"] = r.solve_s;
  out["finish_s"] = r.finish_s;
  out["per_iteration_us"] = r.per_iteration_us;
  return out;
}

}  // namespace

void add_solve_values(nb::module_& m) {
  nb::class_<solve_options> options(m, "CgOptions");
  options.def(nb::init<>());
  for (const solve_option& option : solve_option_table())
    if (option.is_on(surface::python))
      std::visit([&](auto member) { add_member(options, option.name, member); }, option.member);
  m.def("solve_option_table", &option_table);
  nb::class_<solve_report>(m, "CgReport")
      .def_prop_ro("stopped", [](const solve_report& r) { return to_string(r.stopped); })
      .def_ro("iterations", &solve_report::iterations)
      .def_ro("target_missed", &solve_report::target_missed)
      .def_ro("rhs_norm", &solve_report::rhs_norm)
      .def_ro("null_space", &solve_report::null_space)
      .def_ro("residual_relative_true", &solve_report::residual_relative_true)
      .def_ro("rhs_outside_range", &solve_report::rhs_outside_range)
      .def_ro("rhs_inconsistent", &solve_report::rhs_inconsistent)
      .def_ro("componentwise_backward_error", &solve_report::componentwise_backward_error)
      .def_ro("rows_missed", &solve_report::rows_missed)
      .def("fields", &report_dict);
  m.def("variants_of", [](const std::string& method) { return variants_of(method); });
  m.def("preconditioners", &preconditioner_names);
  m.def("rigid_body_modes", &modes_of, nb::arg("coordinates"), nb::arg("dimension"),
        nb::arg("rotations"));
}

}  // namespace dwell::python
