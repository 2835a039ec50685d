// SPDX-License-Identifier: MIT
// Formulas for people. A node that is used once stands where it is used.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <string_view>
#include <vector>

#include "dwell/execution/stencil/fields/definition_text.hpp"

namespace dwell {
namespace {

class formulas {
 public:
  explicit formulas(const cell_tape& tape) : tape_(tape), uses_(tape.nodes.size()) {
    for (const cell_node& n : tape.nodes)
      for (int k = 0; k < operand_count(n.op); ++k) ++use(n.operands[std::size_t(k)]);
    for (const auto& stage : tape.stages)
      for (const cell_output& o : stage) ++use(o.node);
  }

  /// The nodes that an output needs and that are used more than once, each on a line, and then it.
  void add(std::string& out, const cell_output& o) {
    lines_.clear();
    const std::string value = text(o.node, false);
    out += lines_;
    out += fmt::format("  {} = {}\n", tape_.fields[std::size_t(o.field)], value);
  }
  void next_stage() { told_.assign(tape_.nodes.size(), 0); }

 private:
  int& use(int node) { return uses_[std::size_t(node)]; }
  const std::string& array(int index) const {
    const auto i = std::size_t(index), fields = tape_.fields.size();
    return i < fields ? tape_.fields[i] : tape_.coefficients[i - fields];
  }
  std::string text(int node, bool within) {
    const cell_node& n = tape_.nodes[std::size_t(node)];
    const bool leaf = operand_count(n.op) == 0;
    if (leaf || use(node) < 2) return plain(n, within);
    if (!told_[std::size_t(node)]) {
      told_[std::size_t(node)] = 1;
      std::string line = fmt::format("  t{} = {}\n", node, plain(n, false));
      lines_ += line;
    }
    return fmt::format("t{}", node);
  }
  std::string plain(const cell_node& n, bool within) {
    const auto operand = [&](int k, bool inner) { return text(n.operands[std::size_t(k)], inner); };
    const auto infix = [&](std::string_view op) {
      const std::string a = operand(0, true), b = operand(1, true);
      return within ? fmt::format("({} {} {})", a, op, b) : fmt::format("{} {} {}", a, op, b);
    };
    if (const auto symbol = infix_symbol(n.op); !symbol.empty()) return infix(symbol);
    switch (n.op) {
      case cell_op::constant:
        return fmt::format("{}", n.value);
      case cell_op::parameter:
        return tape_.parameters[std::size_t(n.index)];
      case cell_op::tap:
        return fmt::format("{}[{}]", array(n.index),
                           fmt::join(n.offset.begin() + (3 - tape_.dims), n.offset.end(), ","));
      case cell_op::neg:
        return "-" + operand(0, true);
      case cell_op::logical_and:
        return infix("and");
      case cell_op::logical_or:
        return infix("or");
      case cell_op::logical_not:
        return "not " + operand(0, true);
      default: {
        std::vector<std::string> all;
        for (int k = 0; k < operand_count(n.op); ++k) all.push_back(operand(k, false));
        return fmt::format("{}({})", to_string(n.op), fmt::join(all, ", "));
      }
    }
  }

  const cell_tape& tape_;
  std::vector<int> uses_;
  std::vector<char> told_;
  std::string lines_;
};

}  // namespace

std::string_view infix_symbol(cell_op op) {
  switch (op) {
    case cell_op::add:
      return "+";
    case cell_op::sub:
      return "-";
    case cell_op::mul:
      return "*";
    case cell_op::div:
      return "/";
    case cell_op::less:
      return "<";
    case cell_op::less_equal:
      return "<=";
    case cell_op::greater:
      return ">";
    case cell_op::greater_equal:
      return ">=";
    case cell_op::equal:
      return "==";
    case cell_op::not_equal:
      return "!=";
    default:
      return "";
  }
}

std::string description_of(const stencil_definition& d) {
  const cell_tape& tape = d.tape();
  std::string out =
      fmt::format("{}: {} dimension{}, radius {}, {} operation{} per cell\n", tape.name, tape.dims,
                  tape.dims == 1 ? "" : "s", d.radius(), d.flops(), d.flops() == 1 ? "" : "s");
  const auto names = [&](const char* kind, const std::vector<std::string>& list) {
    if (!list.empty())
      out += fmt::format("{}{}: {}\n", kind, list.size() == 1 ? "" : "s", fmt::join(list, ", "));
  };
  names("field", tape.fields);
  names("coefficient", tape.coefficients);
  names("parameter", tape.parameters);
  formulas all(tape);
  for (std::size_t s = 0; s < tape.stages.size(); ++s) {
    out += tape.stages.size() == 1 ? "step\n" : fmt::format("stage {}\n", s + 1);
    all.next_stage();
    for (const cell_output& o : tape.stages[s]) all.add(out, o);
  }
  return out;
}

}  // namespace dwell
