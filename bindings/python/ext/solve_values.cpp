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
#include "report_values.hpp"
#include "solve_values.hpp"

#include "dwell/linear/rigid_body_modes.hpp"
#include "dwell/linear/solve.hpp"
#include "dwell/solvers/linear/api/options_table.hpp"
#include "dwell/solvers/linear/api/report_table.hpp"
#include "dwell/solvers/linear/api/without_effect.hpp"

namespace dwell::python {

fields setup_dict(const solve_setup& s) {
  solve_report of;
  of.setup = s;
  return nb::cast<fields>(report_fields(solve_report_table(), of)["setup"]);
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

/// What is to be said of an option that none of these runs heeds; else empty.
std::string words_of_no_effect(const std::string& option,
                               const std::vector<const solve_report*>& runs,
                               const solve_options& asked) {
  std::vector<heeded> had;
  for (const solve_report* run : runs)
    had.push_back({run->method, run->preconditioner, !asked.preconditioning.near_null.empty()});
  return words_without_effect(solve_option_named(option), option, had);
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

/// The arguments of Attempt.
std::vector<fields> attempts_of(const solve_report& report) {
  std::vector<fields> all;
  for (const solve_attempt& one : report.attempts) {
    fields f;
    f["method"] = one.method;
    f["preconditioner"] = to_string(one.preconditioner);
    f["iterations"] = one.iterations;
    f["residual_relative_true"] = one.residual_relative_true;
    f["setup_s"] = one.setup_s;
    f["solve_s"] = one.solve_s;
    f["ended"] = one.ended;
    all.push_back(f);
  }
  return all;
}

}  // namespace

void add_solve_values(nb::module_& m) {
  nb::class_<solve_options> options(m, "CgOptions");
  options.def(nb::init<>());
  for (const solve_option& option : solve_option_table())
    if (option.is_on(surface::python))
      std::visit([&](auto member) { add_member(options, option.name, member); }, option.member);
  m.def("solve_option_table", &option_table);
  nb::class_<solve_report> report(m, "CgReport");
  add_report(report, solve_report_table());
  report.def("attempts", &attempts_of);
  m.def("solve_report_table", [] { return report_rows(solve_report_table()); });
  m.def("variants_of", [](const std::string& method) { return variants_of(method); });
  m.def("preconditioners", &preconditioner_names);
  m.def("words_without_effect", &words_of_no_effect, nb::arg("option"), nb::arg("runs"),
        nb::arg("asked"));
  m.def("rigid_body_modes", &modes_of, nb::arg("coordinates"), nb::arg("dimension"),
        nb::arg("rotations"));
}

}  // namespace dwell::python
