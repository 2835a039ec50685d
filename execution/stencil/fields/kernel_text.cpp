// SPDX-License-Identifier: MIT
// C++ for compilers. Numbers are hexadecimal, so that none is rounded on
// its way; names are made of the numbers of nodes, rows and fields.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

#include "dwell/execution/stencil/fields/definition_text.hpp"
#include "dwell/execution/stencil/fields/field_stage.hpp"

namespace dwell {
namespace {

std::string constant_text(double v) {
  if (std::isnan(v)) return "m::not_a_number<T>()";
  if (std::isinf(v)) return v > 0 ? "m::infinity<T>()" : "-m::infinity<T>()";
  char digits[40];
  const auto end =
      std::to_chars(digits, digits + sizeof(digits), std::fabs(v), std::chars_format::hex);
  return fmt::format("T({}0x{})", std::signbit(v) ? "-" : "", std::string(digits, end.ptr));
}

std::string expression(const cell_node& n) {
  const auto a = n.operands[0], b = n.operands[1], c = n.operands[2];
  const auto infix = [&](std::string_view op) { return fmt::format("n{} {} n{}", a, op, b); };
  const auto call = [&] {
    const auto name = to_string(n.op);
    switch (operand_count(n.op)) {
      case 1:
        return fmt::format("m::{}(n{})", name, a);
      case 2:
        return fmt::format("m::{}(n{}, n{})", name, a, b);
      default:
        return fmt::format("m::{}(n{}, n{}, n{})", name, a, b, c);
    }
  };
  if (const auto symbol = infix_symbol(n.op); !symbol.empty()) return infix(symbol);
  switch (n.op) {
    case cell_op::constant:
      return constant_text(n.value);
    case cell_op::parameter:
      return fmt::format("v.template parameter<{}>()", n.index);
    case cell_op::tap:
      return fmt::format("v.template tap<{}, {}, {}, {}>()", n.index, n.offset[0], n.offset[1],
                         n.offset[2]);
    case cell_op::neg:
      return fmt::format("-n{}", a);
    case cell_op::logical_and:
      return infix("&");
    case cell_op::logical_or:
      return infix("|");
    case cell_op::logical_not:
      return fmt::format("!n{}", a);
    case cell_op::where:
      return fmt::format("n{} ? n{} : n{}", a, b, c);
    default:
      return call();
  }
}

std::string stage_text(const cell_tape& tape, const field_stage& stage, std::size_t number) {
  std::string out = fmt::format(
      "  template <class View>\n"
      "  DWELL_CELL static void stage{}(const View& v) {{\n"
      "    using T = typename View::value;\n"
      "    namespace m = dwell::cell_math;\n",
      number);
  for (const int i : stage.nodes) {
    const cell_node& n = tape.nodes[static_cast<std::size_t>(i)];
    out +=
        fmt::format("    const {} n{} = {};\n", is_logical(n.op) ? "bool" : "T", i, expression(n));
  }
  for (const computed_output& o : stage.computed)
    out += fmt::format("    v.template put<{}>(n{});\n", o.field, o.node);
  return out + "  }\n";
}

/// The view of one cell of a row, and the loop over the row. Pointers are members of their own, so
/// that they are in registers; stores cannot change them. Cells of a row do not depend on each
/// other: what is written in place is read at its own cell only.
std::string row_text(const stencil_definition& d, const field_stage& stage, std::size_t number) {
  std::string members, taps, starts;
  std::string puts, parameters;
  for (std::size_t r = 0; r < stage.rows.size(); ++r) {
    const row_tap& row = stage.rows[r];
    members += fmt::format("  const real* r{};\n", r);
    starts += fmt::format("  v.r{0} = static_cast<const real*>(rows[{0}]);\n", r);
    taps += fmt::format("    {}if constexpr (A == {} && Z == {} && Y == {}) return r{}[x + X];\n",
                        r ? "else " : "", row.array, row.dz, row.dy, r);
  }
  for (std::size_t k = 0; k < stage.computed.size(); ++k) {
    members += fmt::format("  real* o{};\n", k);
    starts += fmt::format("  v.o{0} = static_cast<real*>(out[{0}]);\n", k);
    puts += fmt::format("    {}if constexpr (F == {}) o{}[x] = value;\n", k ? "else " : "",
                        stage.computed[k].field, k);
  }
  for (int p = 0; p < d.parameters(); ++p) {
    members += fmt::format("  real p{};\n", p);
    starts += fmt::format("  v.p{0} = static_cast<const real*>(parameters)[{0}];\n", p);
    parameters += fmt::format("    {}if constexpr (P == {}) return p{};\n", p ? "else " : "", p, p);
  }
  return fmt::format(
      "struct row{0} {{\n"
      "  using value = real;\n"
      "{1}"
      "  long x;\n"
      "  template <int A, int Z, int Y, int X>\n"
      "  DWELL_CELL real tap() const {{\n{2}  }}\n"
      "  template <int P>\n"
      "  DWELL_CELL real parameter() const {{\n{3}  }}\n"
      "  template <int F>\n"
      "  DWELL_CELL void put(real value) const {{\n{4}  }}\n"
      "}};\n"
      "extern \"C\" void dwell_stage_{0}(const void* const* rows, void* const* out, const void* "
      "parameters, long first, long last) {{\n"
      "  row{0} v;\n"
      "{5}"
      "  DWELL_INDEPENDENT\n"
      "  for (long x = first; x < last; ++x) {{\n"
      "    v.x = x;\n"
      "    kernel::stage{0}(v);\n"
      "  }}\n"
      "}}\n",
      number, members, taps, parameters, puts, starts);
}

}  // namespace

std::string kernel_text(const stencil_definition& definition) {
  std::string out = fmt::format("struct kernel {{\n  static constexpr int stages = {};\n",
                                definition.stages().size());
  for (std::size_t s = 0; s < definition.stages().size(); ++s)
    out += stage_text(definition.tape(), definition.stages()[s], s);
  return out + "};\n";
}

std::string cpu_program(const stencil_definition& definition, std::string_view real) {
  std::string out(cell_math_text());
  out += fmt::format(
      "#define DWELL_CELL [[gnu::always_inline]] inline\n"
      "#if defined(__clang__)\n"
      "#define DWELL_INDEPENDENT _Pragma(\"clang loop vectorize(assume_safety)\")\n"
      "#else\n"
      "#define DWELL_INDEPENDENT _Pragma(\"GCC ivdep\")\n"
      "#endif\n"
      "namespace {{\n"
      "using real = {};\n",
      real);
  out += kernel_text(definition);
  out += "}  // namespace\n";
  for (std::size_t s = 0; s < definition.stages().size(); ++s)
    if (!definition.stages()[s].computed.empty())
      out += row_text(definition, definition.stages()[s], s);
  return out;
}

}  // namespace dwell
