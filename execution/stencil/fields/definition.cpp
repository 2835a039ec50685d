// SPDX-License-Identifier: MIT
// The check of a tape.
#include "dwell/stencil/definition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"
#include "dwell/execution/stencil/fields/definition_text.hpp"
#include "dwell/execution/stencil/fields/field_stage.hpp"

namespace dwell {
namespace {

struct op_facts {
  cell_op op;
  std::string_view name;
  int operands;
  bool takes_logical, logical;
  int flops;
};
constexpr op_facts ops[] = {
    {cell_op::constant, "constant", 0, false, false, 0},
    {cell_op::parameter, "parameter", 0, false, false, 0},
    {cell_op::tap, "tap", 0, false, false, 0},
    {cell_op::add, "add", 2, false, false, 1},
    {cell_op::sub, "sub", 2, false, false, 1},
    {cell_op::mul, "mul", 2, false, false, 1},
    {cell_op::div, "div", 2, false, false, 1},
    {cell_op::neg, "neg", 1, false, false, 1},
    {cell_op::fma, "fma", 3, false, false, 2},
    {cell_op::min, "min", 2, false, false, 1},
    {cell_op::max, "max", 2, false, false, 1},
    {cell_op::abs, "abs", 1, false, false, 1},
    {cell_op::sqrt, "sqrt", 1, false, false, 1},
    {cell_op::exp, "exp", 1, false, false, 1},
    {cell_op::log, "log", 1, false, false, 1},
    {cell_op::sin, "sin", 1, false, false, 1},
    {cell_op::cos, "cos", 1, false, false, 1},
    {cell_op::tanh, "tanh", 1, false, false, 1},
    {cell_op::floor, "floor", 1, false, false, 1},
    {cell_op::less, "lt", 2, false, true, 1},
    {cell_op::less_equal, "le", 2, false, true, 1},
    {cell_op::greater, "gt", 2, false, true, 1},
    {cell_op::greater_equal, "ge", 2, false, true, 1},
    {cell_op::equal, "eq", 2, false, true, 1},
    {cell_op::not_equal, "ne", 2, false, true, 1},
    {cell_op::logical_and, "and", 2, true, true, 0},
    {cell_op::logical_or, "or", 2, true, true, 0},
    {cell_op::logical_not, "not", 1, true, true, 0},
    {cell_op::where, "where", 3, false, false, 1},  // its first operand is logical
};
const op_facts& facts(cell_op op) { return ops[static_cast<std::size_t>(op)]; }

[[noreturn]] void refuse(const cell_tape& tape, const std::string& what) {
  throw input_error(fmt::format("stencil {}: {}", tape.name, what));
}

bool is_identifier(std::string_view name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && name.size() <= 63 && letter(name[0]) &&
         std::ranges::all_of(name, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

void check_names(const cell_tape& tape) {
  if (!is_identifier(tape.name))
    throw input_error(fmt::format(
        "stencil: expected an identifier of at most 63 characters as name, found '{}'", tape.name));
  if (tape.dims < 1 || tape.dims > 3)
    refuse(tape, fmt::format("expected 1, 2 or 3 dimensions, found {}", tape.dims));
  std::set<std::string_view> seen;
  const auto check = [&](const std::vector<std::string>& names, const char* kind, int least,
                         int most) {
    const int count = static_cast<int>(names.size());
    if (count < least || count > most)
      refuse(tape, fmt::format("expected {} to {} {}s, found {}", least, most, kind, count));
    for (const auto& name : names) {
      if (!is_identifier(name))
        refuse(tape, fmt::format("{}: expected an identifier of at most 63 characters, found '{}'",
                                 kind, name));
      if (!seen.insert(name).second)
        refuse(tape, fmt::format("the name '{}' is there twice", name));
    }
  };
  check(tape.fields, "field", 1, stencil_definition::most_fields);
  check(tape.coefficients, "coefficient", 0, stencil_definition::most_coefficients);
  check(tape.parameters, "parameter", 0, stencil_definition::most_parameters);
}

void check_tap(const cell_tape& tape, int node, const cell_node& n) {
  const int arrays = static_cast<int>(tape.fields.size() + tape.coefficients.size());
  if (n.index < 0 || n.index >= arrays)
    refuse(tape,
           fmt::format("node {}: there are {} arrays, found array {}", node, arrays, n.index));
  for (int axis = 0; axis < 3; ++axis) {
    const int offset = n.offset[static_cast<std::size_t>(axis)];
    const int reach = axis < 3 - tape.dims ? 0 : stencil_definition::most_radius;
    if (offset < -reach || offset > reach)
      refuse(tape, fmt::format("node {}: a tap may reach {} cells in {} dimension{}, found {}",
                               node, reach, tape.dims, tape.dims == 1 ? "" : "s", offset));
  }
}

void check_operands(const cell_tape& tape, int node, const cell_node& n) {
  const op_facts& f = facts(n.op);
  for (int k = 0; k < f.operands; ++k) {
    const int operand = n.operands[static_cast<std::size_t>(k)];
    if (operand < 0 || operand >= node)
      refuse(tape, fmt::format("node {} ({}): operands are nodes before it, found {}", node, f.name,
                               operand));
    const bool logical = is_logical(tape.nodes[static_cast<std::size_t>(operand)].op);
    const bool wanted = f.takes_logical || (n.op == cell_op::where && k == 0);
    if (logical != wanted)
      refuse(tape, fmt::format("node {} ({}): operand {} is to be {}", node, f.name, k + 1,
                               wanted ? "true or false, such as a comparison, and is a number"
                                      : "a number, and is true or false"));
  }
}

void check_nodes(const cell_tape& tape) {
  const int count = static_cast<int>(std::min<std::size_t>(tape.nodes.size(), 1u << 30));
  if (count > stencil_definition::most_nodes)
    refuse(tape, fmt::format("expected at most {} nodes, found {}", stencil_definition::most_nodes,
                             tape.nodes.size()));
  for (int node = 0; node < count; ++node) {
    const cell_node& n = tape.nodes[static_cast<std::size_t>(node)];
    if (static_cast<std::size_t>(n.op) >= std::size(ops))
      refuse(tape, fmt::format("node {}: no such operation", node));
    const int parameters = static_cast<int>(tape.parameters.size());
    if (n.op == cell_op::parameter && (n.index < 0 || n.index >= parameters))
      refuse(tape, fmt::format("node {}: there are {} parameters, found parameter {}", node,
                               parameters, n.index));
    if (n.op == cell_op::tap) check_tap(tape, node, n);
    check_operands(tape, node, n);
  }
}

void check_stages(const cell_tape& tape) {
  const int fields = static_cast<int>(tape.fields.size());
  const int nodes = static_cast<int>(tape.nodes.size());
  if (tape.stages.empty() || tape.stages.size() > stencil_definition::most_stages)
    refuse(tape, fmt::format("expected 1 to {} stages, found {}", stencil_definition::most_stages,
                             tape.stages.size()));
  std::set<int> updated;
  for (std::size_t s = 0; s < tape.stages.size(); ++s) {
    std::set<int> outputs;
    if (tape.stages[s].empty()) refuse(tape, fmt::format("stage {} updates no field", s + 1));
    for (const cell_output& o : tape.stages[s]) {
      if (o.field < 0 || o.field >= fields)
        refuse(tape, fmt::format("stage {}: there are {} fields, found field {}", s + 1, fields,
                                 o.field));
      const auto& name = tape.fields[static_cast<std::size_t>(o.field)];
      if (!outputs.insert(o.field).second)
        refuse(tape, fmt::format("stage {} updates field '{}' twice", s + 1, name));
      if (o.node < 0 || o.node >= nodes)
        refuse(tape, fmt::format("stage {}, field '{}': there are {} nodes, found node {}", s + 1,
                                 name, nodes, o.node));
      const cell_node& n = tape.nodes[static_cast<std::size_t>(o.node)];
      if (is_logical(n.op))
        refuse(tape,
               fmt::format("stage {}, field '{}': its value is to be a number, and is true or "
                           "false",
                           s + 1, name));
      const bool itself =
          n.op == cell_op::tap && n.index == o.field && n.offset == std::array{0, 0, 0};
      if (!itself) updated.insert(o.field);
    }
  }
  for (int f = 0; f < fields; ++f)
    if (!updated.contains(f))
      refuse(tape, fmt::format("no stage updates field '{}': make it a coefficient",
                               tape.fields[static_cast<std::size_t>(f)]));
}

}  // namespace

std::string_view to_string(cell_op op) { return facts(op).name; }

cell_op parse_cell_op(std::string_view name) {
  const auto* found = std::ranges::find(ops, name, &op_facts::name);
  if (found != std::end(ops)) return found->op;
  std::vector<std::string_view> names;
  for (const auto& f : ops) names.push_back(f.name);
  throw input_error("operation: expected one of a stencil's, found " + found_word(name, names));
}

int operand_count(cell_op op) { return facts(op).operands; }
bool is_logical(cell_op op) { return facts(op).logical; }

cell_node cell_node::constant(double value) {
  cell_node n;
  n.value = value;
  return n;
}
cell_node cell_node::parameter(int index) {
  cell_node n;
  n.op = cell_op::parameter;
  n.index = index;
  return n;
}
cell_node cell_node::tap(int array, std::span<const int> offset) {
  if (offset.empty() || offset.size() > 3)
    throw input_error(
        fmt::format("tap: expected an offset for each of 1 to 3 axes, found {}", offset.size()));
  cell_node n;
  n.op = cell_op::tap;
  n.index = array;
  std::ranges::copy(offset, n.offset.end() - static_cast<std::ptrdiff_t>(offset.size()));
  return n;
}
cell_node cell_node::operation(cell_op op, int a, int b, int c) {
  cell_node n;
  n.op = op;
  n.operands = {a, b, c};
  return n;
}

struct stencil_definition::content {
  cell_tape tape;
  std::vector<field_stage> stages;
  int radius = 0;
  int flops = 0;
};

stencil_definition::stencil_definition(cell_tape tape) {
  check_names(tape);
  check_nodes(tape);
  check_stages(tape);
  content made;
  made.stages = field_stages(tape);
  for (const field_stage& stage : made.stages) {
    for (const row_tap& r : stage.rows)
      for (const int d : {std::abs(r.dz), std::abs(r.dy), -r.low, r.high})
        made.radius = std::max(made.radius, d);
    for (const int n : stage.nodes)
      made.flops += facts(tape.nodes[static_cast<std::size_t>(n)].op).flops;
  }
  made.tape = std::move(tape);
  content_ = std::make_shared<const content>(std::move(made));
}

const cell_tape& stencil_definition::tape() const { return content_->tape; }
const std::string& stencil_definition::name() const { return tape().name; }
int stencil_definition::dims() const { return tape().dims; }
int stencil_definition::fields() const { return static_cast<int>(tape().fields.size()); }
int stencil_definition::coefficients() const {
  return static_cast<int>(tape().coefficients.size());
}
int stencil_definition::parameters() const { return static_cast<int>(tape().parameters.size()); }
int stencil_definition::radius() const { return content_->radius; }
int stencil_definition::flops() const { return content_->flops; }
std::string stencil_definition::describe() const { return description_of(*this); }
std::string stencil_definition::source() const { return kernel_text(*this); }
std::span<const field_stage> stencil_definition::stages() const { return content_->stages; }

}  // namespace dwell
