// SPDX-License-Identifier: MIT
// What the stages of a tape read and write.
#include "dwell/execution/stencil/fields/field_stage.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "dwell/stencil/built_row_kernels.hpp"

namespace dwell {
namespace {

/// The field whose own cell a node is.
std::optional<int> own_cell(const cell_tape& tape, int node) {
  const cell_node& n = tape.nodes[static_cast<std::size_t>(node)];
  const bool field = n.index < static_cast<int>(tape.fields.size());
  if (n.op != cell_op::tap || n.offset != std::array{0, 0, 0} || !field) return std::nullopt;
  return n.index;
}

/// Sorts the outputs of a stage into computed and renamed ones. Those that are the field itself
/// are none.
void sort_outputs(const cell_tape& tape, std::vector<cell_output> outputs, field_stage& stage) {
  std::erase_if(outputs, [&](const cell_output& o) { return own_cell(tape, o.node) == o.field; });
  const auto updated = [&](int field) {
    return std::ranges::any_of(outputs, [&](const cell_output& o) { return o.field == field; });
  };
  for (const cell_output& o : outputs) {
    const auto from = own_cell(tape, o.node);
    const auto taken = [&](const renamed_output& r) { return r.from == *from; };
    if (from && updated(*from) && std::ranges::none_of(stage.renamed, taken))
      stage.renamed.push_back({o.field, *from});
    else
      stage.computed.push_back({o.field, o.node});
  }
}

void find_nodes(const cell_tape& tape, field_stage& stage) {
  std::vector<char> needed(tape.nodes.size(), 0);
  for (const computed_output& o : stage.computed) needed[static_cast<std::size_t>(o.node)] = 1;
  for (std::size_t i = tape.nodes.size(); i-- > 0;) {
    const cell_node& n = tape.nodes[i];
    if (!needed[i]) continue;
    for (int k = 0; k < operand_count(n.op); ++k)
      needed[static_cast<std::size_t>(n.operands[static_cast<std::size_t>(k)])] = 1;
  }
  for (std::size_t i = 0; i < needed.size(); ++i)
    if (needed[i]) stage.nodes.push_back(static_cast<int>(i));
}

void find_rows(const cell_tape& tape, field_stage& stage) {
  for (const int i : stage.nodes) {
    const cell_node& n = tape.nodes[static_cast<std::size_t>(i)];
    if (n.op != cell_op::tap) continue;
    const auto [dz, dy, dx] = n.offset;
    if (stage.row_of(n) < 0) stage.rows.push_back({n.index, dz, dy});
    row_tap& row = stage.rows[static_cast<std::size_t>(stage.row_of(n))];
    row.low = std::min(row.low, dx);
    row.high = std::max(row.high, dx);
    stage.low = std::min(stage.low, dx);
    stage.high = std::max(stage.high, dx);
    const auto reach = [](int& to, int offset) { to = std::max(to, std::abs(offset)); };
    reach(stage.layers, tape.dims == 3 ? dz : tape.dims == 2 ? dy : dx);
    if (tape.dims > 1) reach(stage.across, tape.dims == 3 ? dy : dx);
  }
}

/// Fields that only their own cells read first take their own memory, so that no two fields ever
/// exchange theirs.
void place_outputs(const cell_tape& tape, field_stage& stage) {
  std::vector<char> free(tape.fields.size(), 0);
  const auto at = [&](int field) -> char& { return free[static_cast<std::size_t>(field)]; };
  for (const computed_output& o : stage.computed) at(o.field) = 1;
  for (const renamed_output& r : stage.renamed) at(r.field) = 1;
  for (const renamed_output& r : stage.renamed) at(r.from) = 0;
  for (const row_tap& r : stage.rows)
    if (r.array < static_cast<int>(free.size()) && (r.dz || r.dy || r.low || r.high))
      at(r.array) = 0;
  for (computed_output& o : stage.computed)
    if (at(o.field)) {
      o.in_place_of = o.field;
      at(o.field) = 0;
    }
  for (computed_output& o : stage.computed) {
    if (o.in_place_of >= 0) continue;
    const auto found = std::ranges::find(free, 1);
    if (found == free.end()) return;
    o.in_place_of = static_cast<int>(found - free.begin());
    *found = 0;
  }
}

}  // namespace

int field_stage::row_of(const cell_node& tap) const {
  const auto found = std::ranges::find_if(rows, [&](const row_tap& r) {
    return r.array == tap.index && r.dz == tap.offset[0] && r.dy == tap.offset[1];
  });
  return found == rows.end() ? -1 : static_cast<int>(found - rows.begin());
}

std::vector<row_layout> row_layouts(const stencil_definition& definition) {
  std::vector<row_layout> all;
  for (const field_stage& stage : definition.stages()) {
    row_layout& layout = all.emplace_back();
    for (const row_tap& r : stage.rows) layout.rows.push_back({r.array, r.dz, r.dy});
    for (const computed_output& o : stage.computed) layout.outputs.push_back(o.field);
  }
  return all;
}

std::vector<field_stage> field_stages(const cell_tape& tape) {
  std::vector<field_stage> stages;
  for (const auto& outputs : tape.stages) {
    field_stage& stage = stages.emplace_back();
    sort_outputs(tape, outputs, stage);
    find_nodes(tape, stage);
    find_rows(tape, stage);
    place_outputs(tape, stage);
  }
  return stages;
}

}  // namespace dwell
