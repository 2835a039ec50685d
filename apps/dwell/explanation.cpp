// SPDX-License-Identifier: MIT
// One plan in full, then all policies side by side.
#include "explanation.hpp"

#include <fmt/format.h>

#include "columns.hpp"
#include "table.hpp"
#include "units.hpp"

namespace dwell::app {

namespace {

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

/// "r, x" or "p, q 37 %": the vectors of which a share stays in registers or in scratch.
std::string kept(const policy_plan& p, double vector_plan::*share) {
  std::string out;
  for (const auto& v : p.vectors) {
    if (v.*share <= 0) continue;
    out += (out.empty() ? "" : ", ") + v.name;
    if (v.*share < 1) out += fmt::format(" {}", percent(v.*share));
  }
  return out.empty() ? "-" : out;
}

int tiles_on_chip(const policy_plan& p) { return p.tiles_held + p.tiles_kept; }

std::string tiles(const policy_plan& p) {
  if (tiles_on_chip(p) == 0) return "-";
  return tiles_on_chip(p) >= p.tiles
             ? "all"
             : fmt::format("{} of {}", format_count(tiles_on_chip(p)), format_count(p.tiles));
}

/// "r, x; 24 tiles of the matrix"
std::string in_registers(const policy_plan& p) {
  const std::string vectors = kept(p, &vector_plan::in_registers);
  if (p.tiles_held == 0) return vectors;
  return fmt::format("{}{} of the matrix", vectors == "-" ? "" : vectors + "; ",
                     format_plural(p.tiles_held, "tile"));
}

/// What is read or written beyond the chip's own memories.
std::string streamed(const policy_plan& p) {
  std::string out;
  const auto add = [&](const std::string& what) { out += (out.empty() ? "" : ", ") + what; };
  for (const auto& v : p.vectors) {
    const double held = std::max(v.in_registers, v.in_scratch);
    if (held < 1)
      add(held > 0 ? fmt::format("{} {}", v.name, percent(1 - held)) : v.name);
    else if (v.gathered)
      add(p.halo > 0 ? fmt::format("{} of {}, from block to block",
                                   format_plural(p.halo, "element"), v.name)
                     : v.name + " (stored for others, and gathered)");
  }
  if (const int stay = tiles_on_chip(p); stay < p.tiles)
    add(stay > 0 ? percent(1 - static_cast<double>(stay) / p.tiles) + " of the matrix"
                 : "the matrix");
  return out.empty() ? "nothing" : out;
}

std::string device_text(const cg_explanation& e) {
  if (!e.projected) return e.device.name + " (cpu); no model of CPUs, so no projected time";
  return fmt::format("{} ({} multiprocessors){}; its limits are {}", e.device.name, e.device.units,
                     e.probed ? "" : ", not here: from its data sheet",
                     e.limits_measured ? "measured" : "those of its data sheet, scaled");
}

/// "pipelined, the least of textbook 5.57 us, single-reduction 4.01 us, pipelined 3.50 us".
std::string variant_text(const cg_explanation& e) {
  if (e.considered.empty()) return e.variant;
  if (!e.projected) return e.variant + ", always on CPUs";
  if (e.considered.size() == 1)
    return e.variant + ": its barriers are too little of its time for another to pay";
  std::string all;
  for (const auto& form : e.considered)
    all += fmt::format("{}{} {}", all.empty() ? "" : ", ", form.name, format_seconds(form.seconds));
  return fmt::format("{}, the least of {}", e.variant, all);
}

std::string kernel_text(const cg_explanation& e, const policy_plan& p) {
  const char* unit = e.device.on == backend::cuda ? "block" : "thread";
  std::string out =
      fmt::format("rung {}: {} of {} lanes, ", p.rung, format_plural(p.teams, unit), p.lanes);
  out += p.slots ? fmt::format("{} elements of a vector per lane in registers", p.slots)
                 : std::string("no vectors in registers");
  if (e.in_cluster) out += "; all blocks in one cluster";
  if (e.device.on == backend::cuda)
    out += p.registers ? fmt::format("; {} registers per lane", p.registers)
                       : std::string("; registers per lane unknown without the device");
  return out;
}

void add_time(const cg_explanation& e, const policy_plan& p, table& out) {
  out.gap();
  out.row("per iteration", fmt::format("{} on the chip, {} through L2, {} device memory",
                                       format_bytes(p.resident_bytes), format_bytes(p.l2_bytes),
                                       format_bytes(p.memory_bytes)));
  out.row("", format_bytes(static_cast<double>(e.bytes_per_iteration)) +
                  " if nothing were kept anywhere");
  out.row("barriers", e.projected
                          ? fmt::format("{} of {}{}", e.barriers, format_seconds(e.barrier_seconds),
                                        e.in_cluster ? ", of a cluster" : "")
                          : std::to_string(e.barriers));
  if (!e.projected) return;
  out.row("projected", fmt::format("{} per iteration", format_seconds(p.seconds)));
  out.row("floor", fmt::format("{}: these bytes at the rates of where they are, and the barriers",
                               format_seconds(p.floor)));
}

std::string all_policies(const cg_explanation& e) {
  columns out;
  out.word("policy");
  out.word("registers"), out.word("shared memory"), out.number("tiles");
  out.number("on chip"), out.number("L2"), out.number("memory");
  if (e.projected) out.number("floor"), out.number("projected");
  for (std::size_t i = 0; i < e.policies.size(); ++i) {
    const auto& p = e.policies[i];
    std::vector<std::string> cells = {p.policy + (i == e.chosen ? " *" : ""),
                                      in_registers(p),
                                      kept(p, &vector_plan::in_scratch),
                                      tiles(p),
                                      format_bytes(p.resident_bytes),
                                      format_bytes(p.l2_bytes),
                                      format_bytes(p.memory_bytes)};
    if (e.projected)
      cells.insert(cells.end(), {format_seconds(p.floor),
                                 p.refusal.empty() ? format_seconds(p.seconds) : "refused"});
    out.row(cells);
  }
  std::string text = out.text();
  for (const auto& name : e.policies_that_try)
    text +=
        fmt::format("{}: needs the device, on which it tries these plans; not run here\n", name);
  for (const auto& p : e.policies)
    if (!p.refusal.empty()) text += fmt::format("{}: refused: {}\n", p.policy, p.refusal);
  return text;
}

json to_json(const policy_plan& p, bool projected) {
  const auto seconds = [&](double s) { return projected ? json(s * 1e6) : json(nullptr); };
  json vectors = json::array();
  for (const auto& v : p.vectors)
    vectors.push_back({{"name", v.name},
                       {"loads", v.loads},
                       {"stores", v.stores},
                       {"gathered", v.gathered},
                       {"in_registers", v.in_registers},
                       {"in_scratch", v.in_scratch}});
  return {{"policy", p.policy},
          {"refusal", p.refusal.empty() ? json(nullptr) : json(p.refusal)},
          {"reason", p.reason},
          {"rung", p.rung},
          {"teams", p.teams},
          {"lanes", p.lanes},
          {"slots", p.slots},
          {"registers_per_lane", p.registers ? json(p.registers) : json(nullptr)},
          {"rows_per_team", p.rows},
          {"tiles_per_team", p.tiles},
          {"tiles_held", p.tiles_held},
          {"tiles_kept", p.tiles_kept},
          {"halo", p.halo},
          {"scratch_bytes", {{"kept", p.kept}, {"other", p.other}}},
          {"vectors", vectors},
          {"bytes_per_iteration",
           {{"resident", p.resident_bytes}, {"l2", p.l2_bytes}, {"device_memory", p.memory_bytes}}},
          {"floor_us", seconds(p.floor)},
          {"projected_us", seconds(p.seconds)}};
}

}  // namespace

std::string to_text(const cg_explanation& e, const std::string& matrix) {
  const auto& p = e.plan();
  table out("dwell " DWELL_VERSION ": what perks would do, and why");
  out.row("matrix", fmt::format("{}: {} rows, {} nonzeros", matrix, format_count(e.rows),
                                format_count(e.nonzeros)));
  out.row("device", device_text(e));
  out.row("solve", fmt::format("conjugate gradients, {}, preconditioner {}", e.precision,
                               to_string(e.preconditioner)));
  out.gap();
  out.row("variant", variant_text(e));
  out.row("policy", p.policy);
  out.row("", p.reason);
  out.row("kernel", kernel_text(e, p));
  out.row("teams", fmt::format("{}: {}", format_count(p.teams), e.teams_why));
  out.row("each team",
          fmt::format("{} rows, {} of the matrix; {} of {} of {} kept", format_count(p.rows),
                      format_plural(p.tiles, "tile"), format_bytes(static_cast<double>(p.kept)),
                      format_bytes(static_cast<double>(e.scratch_per_team - p.other)),
                      e.projected ? "shared memory" : "private memory"));
  out.row("stays", "in registers: " + in_registers(p));
  out.row("", (e.projected ? "in shared memory: " : "in private memory: ") +
                  kept(p, &vector_plan::in_scratch));
  out.row("", "tiles of the matrix: " + tiles(p));
  out.row("streamed", streamed(p));
  add_time(e, p, out);
  return out.text() + "\n" + all_policies(e);
}

json to_json(const cg_explanation& e, const std::string& matrix) {
  json considered = json::array();
  for (const auto& form : e.considered)
    considered.push_back(
        {{"variant", form.name},
         {"projected_us", e.projected ? json(form.seconds * 1e6) : json(nullptr)}});
  json policies = json::array();
  for (const auto& p : e.policies) policies.push_back(to_json(p, e.projected));
  return {{"version", DWELL_VERSION},
          {"matrix", {{"name", matrix}, {"rows", e.rows}, {"nonzeros", e.nonzeros}}},
          {"device",
           {{"name", e.device.name},
            {"backend", to_string(e.device.on)},
            {"units", e.device.units},
            {"probed", e.probed},
            {"limits",
             !e.projected ? json(nullptr) : json(e.limits_measured ? "measured" : "data sheet")},
            {"scratch_per_team", e.scratch_per_team}}},
          {"in_cluster", e.in_cluster},
          {"teams_reason", e.teams_why},
          {"variant", e.variant},
          {"variants_considered", considered},
          {"precision", e.precision},
          {"preconditioner", to_string(e.preconditioner)},
          {"bytes_per_iteration", e.bytes_per_iteration},
          {"barriers", e.barriers},
          {"barrier_us", e.projected ? json(e.barrier_seconds * 1e6) : json(nullptr)},
          {"chosen", e.plan().policy},
          {"policies_that_try", e.policies_that_try},
          {"policies", policies}};
}

}  // namespace dwell::app
