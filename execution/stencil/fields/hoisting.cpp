// SPDX-License-Identifier: MIT
// Which nodes are the same in every step, and the tapes with and of them.
#include "dwell/execution/stencil/fields/hoisting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "dwell/execution/stencil/fields/field_stage.hpp"
#include "dwell/execution/stencil/fields/operation_costs.hpp"

namespace dwell {
namespace {

const cell_node& node_of(const cell_tape& tape, int i) {
  return tape.nodes[static_cast<std::size_t>(i)];
}
std::span<const int> operands_of(const cell_node& n) {
  return std::span(n.operands).first(static_cast<std::size_t>(operand_count(n.op)));
}

/// For each node: is it of coefficients and numbers alone?
std::vector<char> still_nodes(const cell_tape& tape) {
  std::vector<char> still(tape.nodes.size());
  for (std::size_t i = 0; i < still.size(); ++i) {
    const cell_node& n = tape.nodes[i];
    if (n.op == cell_op::tap)
      still[i] = n.index >= static_cast<int>(tape.fields.size());
    else if (n.op != cell_op::parameter)
      still[i] = std::ranges::all_of(
          operands_of(n), [&](int k) { return still[static_cast<std::size_t>(k)] != 0; });
  }
  return still;
}

/// The nodes that a node is made of, itself among them.
std::set<int> nodes_behind(const cell_tape& tape, int node) {
  std::set<int> all{node};
  std::vector<int> open{node};
  while (!open.empty()) {
    const cell_node& n = node_of(tape, open.back());
    open.pop_back();
    for (const int k : operands_of(n))
      if (all.insert(k).second) open.push_back(k);
  }
  return all;
}

/// Copies nodes, with all that they are made of, in their order.
class copied_nodes {
 public:
  explicit copied_nodes(const cell_tape& from) : from_(from) {}
  /// A node that is another one in the copy.
  void replace(int node, const cell_node& by) { replaced_.insert_or_assign(node, by); }
  /// The coefficients' new places, by the old ones.
  void set_places(std::map<int, int> places) { places_ = std::move(places); }

  /// The copies of all that `outputs` are made of.
  std::vector<cell_node> take(const std::vector<int>& outputs) {
    std::set<int> needed;
    std::vector<int> open = outputs;
    while (!open.empty()) {
      const int node = open.back();
      open.pop_back();
      if (!needed.insert(node).second || replaced_.contains(node)) continue;
      for (const int k : operands_of(node_of(from_, node))) open.push_back(k);
    }
    std::vector<cell_node> nodes;
    for (const int node : needed) {
      const auto other = replaced_.find(node);
      cell_node n = other != replaced_.end() ? other->second : node_of(from_, node);
      if (other == replaced_.end()) {
        for (int k = 0; k < operand_count(n.op); ++k) {
          int& operand = n.operands[static_cast<std::size_t>(k)];
          operand = copy_.at(operand);
        }
        if (n.op == cell_op::tap && places_.contains(n.index)) n.index = places_.at(n.index);
      }
      copy_[node] = static_cast<int>(nodes.size());
      nodes.push_back(n);
    }
    return nodes;
  }
  int operator[](int node) const { return copy_.at(node); }

 private:
  const cell_tape& from_;
  std::map<int, cell_node> replaced_;
  std::map<int, int> places_, copy_;
};

/// Arrays, by their numbers, of coefficients that nodes read.
std::vector<int> coefficients_of(const cell_tape& tape, const std::vector<cell_node>& nodes) {
  std::set<int> found;
  for (const cell_node& n : nodes)
    if (n.op == cell_op::tap && n.index >= static_cast<int>(tape.fields.size()))
      found.insert(n.index);
  return {found.begin(), found.end()};
}

std::vector<std::string> names_beside(const cell_tape& tape, std::size_t count) {
  std::set<std::string> taken(tape.fields.begin(), tape.fields.end());
  taken.insert(tape.coefficients.begin(), tape.coefficients.end());
  taken.insert(tape.parameters.begin(), tape.parameters.end());
  std::vector<std::string> names;
  for (int k = 1; names.size() < count; ++k)
    if (std::string name = fmt::format("once{}", k); !taken.contains(name))
      names.push_back(std::move(name));
  return names;
}

/// What computes nodes, as fields of these names.
hoisted_values_definition values_of(const cell_tape& tape, std::span<const int> nodes,
                                    std::span<const std::string> names) {
  const int fields = static_cast<int>(tape.fields.size());
  const int count = static_cast<int>(nodes.size());
  copied_nodes all(tape);
  cell_tape values{tape.name, tape.dims, {names.begin(), names.end()}, {}, {}, {}, {}};
  values.nodes = all.take({nodes.begin(), nodes.end()});
  std::vector<int> reads = coefficients_of(tape, values.nodes);
  for (cell_node& n : values.nodes)
    if (n.op == cell_op::tap)
      n.index = count + static_cast<int>(std::ranges::find(reads, n.index) - reads.begin());
  for (int& array : reads) {
    array -= fields;
    values.coefficients.push_back(tape.coefficients[static_cast<std::size_t>(array)]);
  }
  auto& stage = values.stages.emplace_back();
  for (int k = 0; k < count; ++k) stage.push_back({k, all[nodes[static_cast<std::size_t>(k)]]});
  return {stencil_definition(std::move(values)), std::move(reads)};
}

/// What steps read instead of `nodes`.
std::optional<hoisting> without(const cell_tape& tape, std::span<const int> nodes) {
  const int fields = static_cast<int>(tape.fields.size());
  const std::vector<std::string> names = names_beside(tape, nodes.size());
  std::vector<int> outputs;
  for (const auto& stage : tape.stages)
    for (const cell_output& o : stage) outputs.push_back(o.node);
  // A tap that stands for a value reads an array that no other has yet.
  constexpr std::array<int, 3> own{};
  const auto own_cell = [&](int array) {
    return cell_node::tap(array, std::span(own).last(static_cast<std::size_t>(tape.dims)));
  };
  const auto copied = [&](copied_nodes& copy, int first) {
    for (std::size_t k = 0; k < nodes.size(); ++k)
      copy.replace(nodes[k], own_cell(first + static_cast<int>(k)));
    return copy.take(outputs);
  };
  const int given = fields + static_cast<int>(tape.coefficients.size());
  copied_nodes trial(tape);
  std::vector<int> left = coefficients_of(tape, copied(trial, given));
  std::erase_if(left, [&](int array) { return array >= given; });
  if (left.size() + nodes.size() > stencil_definition::most_coefficients) return std::nullopt;

  cell_tape steps{tape.name, tape.dims, tape.fields, {}, tape.parameters, {}, tape.stages};
  std::map<int, int> places;
  for (const int array : left) {
    places[array] = fields + static_cast<int>(steps.coefficients.size());
    steps.coefficients.push_back(tape.coefficients[static_cast<std::size_t>(array - fields)]);
  }
  const int first = fields + static_cast<int>(steps.coefficients.size());
  steps.coefficients.insert(steps.coefficients.end(), names.begin(), names.end());
  copied_nodes copy(tape);
  copy.set_places(places);
  steps.nodes = copied(copy, first);
  for (auto& stage : steps.stages)
    for (cell_output& o : stage) o.node = copy[o.node];

  hoisting made{stencil_definition(std::move(steps)), {}, {}};
  for (const int array : left) made.left.push_back(array - fields);
  const auto most = static_cast<std::size_t>(stencil_definition::most_fields);
  for (std::size_t begin = 0; begin < nodes.size(); begin += most) {
    const std::size_t count = std::min(most, nodes.size() - begin);
    made.values.push_back(
        values_of(tape, nodes.subspan(begin, count), std::span(names).subspan(begin, count)));
  }
  return made;
}

}  // namespace

int hoisting::kept() const {
  std::set<int> all;
  for (const hoisted_values_definition& v : values) all.insert(v.reads.begin(), v.reads.end());
  return static_cast<int>(all.size());
}

std::vector<int> hoistable_nodes(const stencil_definition& definition, bool dear) {
  const cell_tape& tape = definition.tape();
  const std::vector<char> still = still_nodes(tape);
  std::set<int> found;
  const auto add = [&](int node) {
    const cell_node& n = node_of(tape, node);
    if (still[static_cast<std::size_t>(node)] && operand_count(n.op) > 0 && !is_logical(n.op))
      found.insert(node);
  };
  for (const field_stage& stage : definition.stages()) {
    for (const int i : stage.nodes)
      if (!still[static_cast<std::size_t>(i)])
        for (const int k : operands_of(node_of(tape, i))) add(k);
    for (const computed_output& o : stage.computed) add(o.node);
  }
  std::vector<std::pair<double, int>> costs;
  for (const int node : found) {
    double cost = 0;
    bool reads = false, is_dear_itself = false;
    for (const int k : nodes_behind(tape, node)) {
      const cell_op op = node_of(tape, k).op;
      cost += operation_cost(op, sizeof(double));
      reads |= op == cell_op::tap;
      is_dear_itself |= is_dear(op);
    }
    if (reads && (!dear || is_dear_itself)) costs.emplace_back(-cost, node);
  }
  std::ranges::sort(costs);
  std::vector<int> nodes;
  for (const auto& [cost, node] : costs) nodes.push_back(node);
  return nodes;
}

field_boundary boundary_of_values(const field_domain& domain) {
  field_boundary sides;
  const int slowest = domain.size().slowest();
  for (int axis = slowest; axis < 3; ++axis) {
    const field_side side{domain.is_periodic(axis) ? side_kind::periodic : side_kind::nearest};
    sides.sides[static_cast<std::size_t>(axis - slowest)] = {side, side};
  }
  return sides;
}

std::optional<hoisting> hoisted(const stencil_definition& definition, std::span<const int> nodes) {
  std::size_t count = std::min<std::size_t>(nodes.size(), stencil_definition::most_coefficients);
  for (; count > 0; --count) {
    auto made = without(definition.tape(), nodes.first(count));
    if (made && made->steps.radius() == definition.radius()) return made;
  }
  return std::nullopt;
}

}  // namespace dwell
