// SPDX-License-Identifier: MIT
#include "dwell/execution/stencil/fields/device_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "dwell/execution/stencil/fields/definition_text.hpp"

namespace dwell {
namespace {

std::string taps_text(const cell_tape& tape, const field_stage& stage, std::size_t number) {
  std::vector<field_tap> taps = taps_of(tape, stage);
  if (taps.empty()) taps.push_back({0, 0, 0, 0});  // an array has an element
  std::string list;
  for (const field_tap& t : taps)
    list +=
        fmt::format("{}{{{}, {}, {}, {}}}", list.empty() ? "" : ", ", t.array, t.dy, t.dx, t.dz);
  return fmt::format("    if constexpr (Stage == {}) return std::array<field_tap, {}>{{{{{}}}}};\n",
                     number, taps.size(), list);
}

/// Lines of a switch over (stage, field): what a field becomes.
std::string outputs_text(const stencil_definition& d) {
  std::string writes, copies;
  for (std::size_t s = 0; s < d.stages().size(); ++s) {
    const field_stage& stage = d.stages()[s];
    for (const computed_output& o : stage.computed)
      writes += fmt::format("    if (Stage == {} && f == {}) return true;\n", s, o.field);
    for (const renamed_output& r : stage.renamed) {
      writes += fmt::format("    if (Stage == {} && f == {}) return true;\n", s, r.field);
      copies += fmt::format("    if (Stage == {} && f == {}) return {};\n", s, r.field, r.from);
    }
  }
  return fmt::format(
      "  template <int Stage>\n"
      "  static constexpr bool writes([[maybe_unused]] int f) {{\n{}    return false;\n  }}\n"
      "  template <int Stage>\n"
      "  static constexpr int copy_of([[maybe_unused]] int f) {{\n{}    return -1;\n  }}\n",
      writes, copies);
}

/// beyond(): kinds of all sides, from a table.
std::string borders_text(const field_domain& domain, int arrays) {
  std::string rows;
  for (int array = 0; array < arrays; ++array)
    for (const int axis : kernel_axes)
      rows += fmt::format("        side_kind::{}, side_kind::{},\n",
                          side_kind_name(domain.side(array, axis, 0).kind),
                          side_kind_name(domain.side(array, axis, 1).kind));
  return fmt::format(
      "  static constexpr side_kind beyond(int array, int axis, int side) {{\n"
      "    constexpr side_kind all[] = {{\n{}    }};\n"
      "    return all[(array * 3 + axis) * 2 + side];\n"
      "  }}\n",
      rows);
}

}  // namespace

std::vector<field_tap> taps_of(const cell_tape& tape, const field_stage& stage) {
  std::vector<field_tap> taps;
  for (const int i : stage.nodes) {
    const cell_node& n = tape.nodes[static_cast<std::size_t>(i)];
    if (n.op == cell_op::tap) taps.push_back({n.index, n.offset[1], n.offset[2], n.offset[0]});
  }
  for (const renamed_output& r : stage.renamed) taps.push_back({r.from, 0, 0, 0});
  return taps;
}

std::string device_stencil_text(const field_domain& domain) {
  const stencil_definition& d = domain.definition();
  std::array<int, 3> reach{};
  for (const cell_node& n : d.tape().nodes)
    if (n.op == cell_op::tap)
      for (std::size_t k = 0; k < 3; ++k)
        reach[k] = std::max(reach[k], std::abs(n.offset[static_cast<std::size_t>(kernel_axes[k])]));
  std::string taps, steps;
  for (std::size_t s = 0; s < d.stages().size(); ++s) {
    taps += taps_text(d.tape(), d.stages()[s], s);
    steps += fmt::format("    if constexpr (Stage == {0}) kernel::stage{0}(v);\n", s);
  }
  return fmt::format(
      "#include \"dwell/execution/stencil/fields/plain_step.hpp\"\n"
      "#include \"dwell/stencil/cell_math.hpp\"\n"
      "#define DWELL_CELL DWELL_HD\n"
      "namespace dwell {{\n"
      "{kernel}"
      "struct own_stencil {{\n"
      "  static constexpr int fields = {fields}, coefficients = {coefficients}, parameters = "
      "{parameters}, stages = {stages}, radius = {radius};\n"
      "  static constexpr int reach[] = {{{y}, {x}, {z}}};\n"
      "  template <int Stage>\n"
      "  static constexpr auto taps() {{\n{taps}  }}\n"
      "{outputs}{borders}"
      "  template <int Stage, class View>\n"
      "  DWELL_HD static void step(const View& v) {{\n{steps}  }}\n"
      "}};\n"
      "}}  // namespace dwell\n",
      fmt::arg("kernel", kernel_text(d)), fmt::arg("fields", d.fields()),
      fmt::arg("coefficients", d.coefficients()), fmt::arg("parameters", d.parameters()),
      fmt::arg("stages", d.stages().size()), fmt::arg("radius", d.radius()),
      fmt::arg("y", reach[0]), fmt::arg("x", reach[1]), fmt::arg("z", reach[2]),
      fmt::arg("taps", taps), fmt::arg("outputs", outputs_text(d)),
      fmt::arg("borders", borders_text(domain, d.fields() + d.coefficients())),
      fmt::arg("steps", steps));
}

}  // namespace dwell
