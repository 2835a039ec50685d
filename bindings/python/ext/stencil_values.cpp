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
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "bindings.hpp"
#include "report_values.hpp"

#include "dwell/base/error.hpp"
#include "dwell/execution/stencil/order/cell_order.hpp"
#include "dwell/execution/stencil/plan/policies/table.hpp"
#include "dwell/solvers/stencil/api/options_table.hpp"
#include "dwell/solvers/stencil/api/report_table.hpp"

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
  return report_fields(stencil_report_table(), r);
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

/// A property of this name.
template <class M>
void add_member(nb::class_<stencil_options>& to, const char* name, M& (*member)(stencil_options&)) {
  if constexpr (std::is_same_v<M, boundary>)
    to.def_prop_rw(
        name, [member](stencil_options& o) { return to_string(member(o)); },
        [member](stencil_options& o, const std::string& v) { member(o) = parse_boundary(v); });
  else
    to.def_prop_rw(
        name, [member](stencil_options& o) { return member(o); },
        [member](stencil_options& o, M v) { member(o) = std::move(v); });
}

/// The rows that Python has.
std::vector<fields> option_table() {
  std::vector<fields> rows;
  for (const stencil_option& option : stencil_option_table()) {
    if (!option.is_on(stencil_surface::python)) continue;
    fields row;
    row["name"] = option.python();
    std::string help = option.help;
    if (std::string_view(option.name) == "order") {
      help += ": auto";
      for (const auto& one : cell_order_helps()) help += ", " + one.form;
    }
    row["help"] = help;
    row["words"] = option.words ? option.words() : std::vector<std::string>();
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

void add_stencil_values(nb::module_& m) {
  nb::class_<stencil_options> options(m, "StencilOptions");
  options.def(nb::init<>());
  for (const stencil_option& option : stencil_option_table())
    if (option.is_on(stencil_surface::python))
      std::visit([&](auto member) { add_member(options, option.python(), member); }, option.member);
  m.def("stencil_option_table", &option_table);
  m.def("stencil_report_table", [] { return report_rows(stencil_report_table()); });
  m.def("shapes", &shapes);
  m.def("policy_replacement", &replacement_of, nb::arg("policy"));
}

}  // namespace dwell::python
