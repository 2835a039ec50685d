// SPDX-License-Identifier: MIT
// One plan in full, then all policies side by side.
#include "linear/explanation.hpp"

#include <fmt/format.h>

#include "dwell/version.hpp"
#include "linear/result.hpp"
#include "report/columns.hpp"
#include "report/table.hpp"
#include "report/units.hpp"

namespace dwell::app {

namespace {

/// "r, x" or "p, q 37 %": the vectors of which a part is cached in registers or in scratch.
std::string cached_text(const policy_plan& p, double vector_plan::*part) {
  std::string out;
  for (const auto& v : p.vectors) {
    if (v.*part <= 0) continue;
    out += (out.empty() ? "" : ", ") + v.name;
    if (v.*part < 1) out += fmt::format(" {}", format_percent(v.*part));
  }
  return out.empty() ? "-" : out;
}

int tiles_on_chip(const policy_plan& p) { return p.tiles_in_registers + p.tiles_in_scratch; }

std::string tiles(const policy_plan& p) {
  if (tiles_on_chip(p) == 0) return "-";
  return tiles_on_chip(p) >= p.tiles
             ? "all"
             : fmt::format("{} of {}", format_count(tiles_on_chip(p)), format_count(p.tiles));
}

/// "r, x; 24 tiles of the matrix"
std::string in_registers(const policy_plan& p) {
  const std::string vectors = cached_text(p, &vector_plan::in_registers);
  if (p.tiles_in_registers == 0) return vectors;
  return fmt::format("{}{} of the matrix", vectors == "-" ? "" : vectors + "; ",
                     format_plural(p.tiles_in_registers, "tile"));
}

/// What is read or written beyond the chip's own memories.
std::string streamed(const policy_plan& p) {
  std::string out;
  const auto add = [&](const std::string& what) { out += (out.empty() ? "" : ", ") + what; };
  for (const auto& v : p.vectors) {
    const double held = std::max(v.in_registers, v.in_scratch);
    if (held < 1)
      add(held > 0 ? fmt::format("{} {}", v.name, format_percent(1 - held)) : v.name);
    else if (v.gathered)
      add(p.halo > 0 ? fmt::format("{} of {}, from block to block",
                                   format_plural(p.halo, "element"), v.name)
                     : v.name + " (stored for others, and gathered)");
  }
  if (const int stay = tiles_on_chip(p); stay < p.tiles)
    add(stay > 0 ? format_percent(1 - static_cast<double>(stay) / p.tiles) + " of the matrix"
                 : "the matrix");
  return out.empty() ? "nothing" : out;
}

std::string device_text(const solve_explanation& e) {
  if (!e.projected) return e.device.name + " (cpu); no model of CPUs, so no projected time";
  return fmt::format("{} ({} multiprocessors){}; its limits are {}", e.device.name, e.device.units,
                     e.probed          ? ""
                     : e.device.limits ? ", not here: from a file of facts"
                                       : ", not here: from its data sheet",
                     e.limits_measured ? "measured"
                     : e.device.limits ? "not all measured"
                                       : "those of its data sheet, scaled");
}

/// "pipelined, the least of textbook 5.57 us, single-reduction 4.01 us, pipelined 3.50 us".
std::string variant_text(const solve_explanation& e) {
  if (e.considered.empty()) return e.variant;
  if (!e.projected) return e.variant + ", always on CPUs";
  if (e.considered.size() == 1)
    return e.variant + ": its barriers are too little of its time for another to pay";
  std::string all;
  for (const auto& variant : e.considered)
    all += fmt::format("{}{} {}", all.empty() ? "" : ", ", variant.name,
                       format_seconds(variant.seconds));
  return fmt::format("{}, the least of {}", e.variant, all);
}

std::string kernel_text(const solve_explanation& e, const policy_plan& p) {
  const char* unit = e.device.on == backend::cuda ? "block" : "thread";
  std::string out =
      fmt::format("config {}: {} of {} lanes, ", p.config, format_plural(p.teams, unit), p.lanes);
  out += p.slots ? fmt::format("{} elements of a vector per lane in registers", p.slots)
                 : std::string("no vectors in registers");
  if (e.in_cluster) out += "; all blocks in one cluster";
  if (e.device.on == backend::cuda)
    out += p.registers ? fmt::format("; {} registers per lane", p.registers)
           : e.probed  ? std::string("; registers per lane unknown before its kernel is compiled")
                       : std::string("; registers per lane unknown without the device");
  return out;
}

void add_time(const solve_explanation& e, const policy_plan& p, table& out) {
  out.gap();
  out.row("per iteration", fmt::format("{} on the chip, {} through L2, {} device memory",
                                       format_bytes(p.cached_bytes_moved), format_bytes(p.l2_bytes),
                                       format_bytes(p.memory_bytes)));
  out.row("", format_bytes(static_cast<double>(e.bytes_per_iteration)) +
                  " if nothing were cached anywhere");
  out.row("barriers", e.projected
                          ? fmt::format("{} of {}{}", e.barriers, format_seconds(e.barrier_seconds),
                                        e.in_cluster ? ", of a cluster" : "")
                          : std::to_string(e.barriers));
  if (!e.projected) return;
  out.row("projected", fmt::format("{} per iteration", format_seconds(p.seconds)));
  out.row("floor", fmt::format("{}: these bytes at the rates of where they are, and the barriers",
                               format_seconds(p.floor)));
}

/// A policy's plan, and what it is a plan for.
struct policy_row {
  const solve_explanation* of;
  const policy_plan* plan;
  bool chosen;
};

std::vector<policy_row> policies_of(const solve_explanation& e) {
  std::vector<policy_row> rows;
  for (std::size_t i = 0; i < e.policies.size(); ++i)
    rows.push_back({&e, &e.policies[i], i == e.chosen});
  return rows;
}

columns<vector_plan> vector_columns() {
  using row = vector_plan;
  return {{"name", "", unit::word, [](const row& v) { return v.name; }},
          {"loads", "", unit::count, [](const row& v) { return v.loads; }},
          {"stores", "", unit::count, [](const row& v) { return v.stores; }},
          {"gathered", "", unit::yes, [](const row& v) { return v.gathered; }},
          {"in_registers", "", unit::percent, [](const row& v) { return v.in_registers; }},
          {"in_scratch", "", unit::percent, [](const row& v) { return v.in_scratch; }}};
}

columns<policy_row> policy_columns(bool projected) {
  using row = policy_row;
  const auto of = [](auto member) {
    return [member](const row& r) -> json { return r.plan->*member; };
  };
  const auto us_of = [projected](double policy_plan::*seconds) {
    return [=](const row& r) { return projected ? json(r.plan->*seconds * 1e6) : json(nullptr); };
  };
  return {
      {"executor", "", unit::word, [](const row&) { return "perks"; }},
      {"policy", "policy", unit::word, of(&policy_plan::policy),
       [](const row& r) { return r.plan->policy + (r.chosen ? " *" : ""); }},
      {"refusal", "", unit::word, [](const row& r) { return text_or_null(r.plan->refusal); }},
      {"reason", "", unit::word, [](const row& r) { return text_or_null(r.plan->reason); }},
      {"config", "", unit::count, of(&policy_plan::config)},
      {"teams", "", unit::count, of(&policy_plan::teams)},
      {"lanes", "", unit::count, of(&policy_plan::lanes)},
      {"slots", "", unit::count, of(&policy_plan::slots)},
      {"registers_per_lane", "", unit::count,
       [](const row& r) { return r.plan->registers ? json(r.plan->registers) : json(nullptr); }},
      {"rows_per_team", "", unit::count, of(&policy_plan::rows)},
      {"tiles_per_team", "", unit::count, of(&policy_plan::tiles)},
      {"tiles_in_registers", "", unit::count, of(&policy_plan::tiles_in_registers)},
      {"tiles_in_scratch", "", unit::count, of(&policy_plan::tiles_in_scratch)},
      {"halo", "", unit::count, of(&policy_plan::halo)},
      {"scratch_bytes.cached", "", unit::bytes, of(&policy_plan::cached)},
      {"scratch_bytes.other", "", unit::bytes, of(&policy_plan::other)},
      {"vectors", "", unit::word,
       [](const row& r) { return array_of(vector_columns(), r.plan->vectors); }},
      {"", "registers", unit::word, {}, [](const row& r) { return in_registers(*r.plan); }},
      {"",
       "shared memory",
       unit::word,
       {},
       [](const row& r) { return cached_text(*r.plan, &vector_plan::in_scratch); }},
      {"", "tiles", unit::range, {}, [](const row& r) { return tiles(*r.plan); }},
      {"bytes.cached", "on chip", unit::bytes, of(&policy_plan::cached_bytes_moved)},
      {"bytes.l2", "L2", unit::bytes, of(&policy_plan::l2_bytes)},
      {"bytes.device_memory", "memory", unit::bytes, of(&policy_plan::memory_bytes)},
      {"floor_us", projected ? "floor" : "", unit::us, us_of(&policy_plan::floor)},
      {"projected_us.total", projected ? "projected" : "", unit::us, us_of(&policy_plan::seconds),
       [](const row& r) {
         return r.plan->refusal.empty() ? format_seconds(r.plan->seconds) : "refused";
       }}};
}

double bytes_of(const iteration_part& m) {
  return m.cached_bytes_moved + m.l2_bytes + m.memory_bytes;
}

/// "device memory 86 %, L2 14 %": where a part's bytes are.
std::string where(const iteration_part& m) {
  std::string out;
  const auto add = [&](const char* place, double bytes) {
    if (bytes < 0.005 * bytes_of(m)) return;
    if (!out.empty()) out += ", ";
    out += place;
    if (bytes < 0.995 * bytes_of(m)) out += " " + format_percent(bytes / bytes_of(m));
  };
  add("on the chip", m.cached_bytes_moved);
  add("L2", m.l2_bytes);
  add("device memory", m.memory_bytes);
  return out.empty() ? "-" : out;
}

columns<iteration_part> part_columns(bool projected) {
  using row = iteration_part;
  const auto of = [](auto member) { return [member](const row& m) -> json { return m.*member; }; };
  const auto count_of = [](index row::*member) {  // the sum has no count
    return [member](const row& m) { return m.rows > 0 ? format_count(m.*member) : "-"; };
  };
  return {{"name", "part", unit::word, of(&row::name)},
          {"rows", "rows", unit::count, of(&row::rows), count_of(&row::rows)},
          {"nonzeros", "nonzeros", unit::count, of(&row::nonzeros), count_of(&row::nonzeros)},
          {"",
           "per row",
           unit::range,
           {},
           [](const row& m) {
             return m.rows > 0 ? fmt::format("{:.1f}", static_cast<double>(m.nonzeros) / m.rows)
                               : std::string("-");
           }},
          {"barriers", "barriers", unit::count, of(&row::barriers)},
          {"bytes.cached", "", unit::bytes, of(&row::cached_bytes_moved)},
          {"bytes.l2", "", unit::bytes, of(&row::l2_bytes)},
          {"bytes.device_memory", "", unit::bytes, of(&row::memory_bytes)},
          {"", "bytes", unit::bytes, [](const row& m) { return bytes_of(m); }},
          {"projected_us", projected ? "projected" : "", unit::us,
           [projected](const row& m) { return projected ? json(m.seconds * 1e6) : json(nullptr); }},
          {"", projected ? "where its bytes are" : "", unit::word, {}, where}};
}

/// The parts of the preconditioner, the iteration around them, and the sum.
std::string all_parts(const solve_explanation& e) {
  if (e.preconditioner_parts.empty()) return {};
  auto rows = e.preconditioner_parts;
  rows.push_back(e.outer_iteration);
  rows.back().name += " itself";
  iteration_part sum{"all"};
  for (const auto& m : rows) {
    sum.barriers += m.barriers;
    sum.cached_bytes_moved += m.cached_bytes_moved;
    sum.l2_bytes += m.l2_bytes;
    sum.memory_bytes += m.memory_bytes;
    sum.seconds += m.seconds;
  }
  rows.push_back(sum);
  std::string text = fmt::format(
      "\nAn iteration by its parts; preconditioner {}{}\n{}", to_string(e.preconditioner),
      e.preconditioner_applications > 1
          ? fmt::format(", applied {} times", e.preconditioner_applications)
          : "",
      table_of(part_columns(e.projected), rows).text());
  if (!e.preconditioner_note.empty()) text += e.preconditioner_note + "\n";
  return text;
}

std::string all_policies(const solve_explanation& e) {
  std::string text = table_of(policy_columns(e.projected), policies_of(e)).text();
  for (const auto& name : e.policies_that_try)
    text +=
        fmt::format("{}: needs the device, on which it tries these plans; not run here\n", name);
  for (const auto& p : e.policies)
    if (!p.refusal.empty()) text += fmt::format("{}: refused: {}\n", p.policy, p.refusal);
  return text;
}

}  // namespace

std::string to_text(const solve_explanation& e, const std::string& matrix,
                    const std::string& command) {
  const auto& p = e.plan();
  table out("dwell " DWELL_VERSION_STRING ": what perks would do, and why");
  out.row("matrix", fmt::format("{}: {} rows, {} nonzeros", matrix, format_count(e.rows),
                                format_count(e.nonzeros)));
  out.row("device", device_text(e));
  out.row("solve", fmt::format("{}, {}, preconditioner {}", title_of(e.method), e.precision,
                               to_string(e.preconditioner)));
  if (command == "solve") out.row("", e.method_reason);
  if (e.preconditioner_reason != "as asked")
    out.row("", fmt::format("{}: {}", to_string(e.preconditioner), e.preconditioner_reason));
  out.gap();
  out.row("variant", variant_text(e));
  out.row("policy", p.policy);
  out.row("", p.reason);
  out.row("kernel", kernel_text(e, p));
  out.row("teams", fmt::format("{}: {}", format_count(p.teams), e.teams_why));
  out.row("each team",
          fmt::format("{} rows, {} of the matrix; {} of {} of {} cached", format_count(p.rows),
                      format_plural(p.tiles, "tile"), format_bytes(static_cast<double>(p.cached)),
                      format_bytes(static_cast<double>(e.scratch_per_team - p.other)),
                      e.projected ? "shared memory" : "private memory"));
  out.row("cached", "in registers: " + in_registers(p));
  out.row("", (e.projected ? "in shared memory: " : "in private memory: ") +
                  cached_text(p, &vector_plan::in_scratch));
  out.row("", "tiles of the matrix: " + tiles(p));
  out.row("streamed", streamed(p));
  add_time(e, p, out);
  out.gap();
  out.row("direct solver", e.direct.words);
  return out.text() + "\n" + all_policies(e) + all_parts(e);
}

json to_json(const solve_explanation& e, const std::string& matrix, const std::string& command) {
  const auto us = [&](double seconds) { return e.projected ? json(seconds * 1e6) : json(nullptr); };
  const json limits =
      !e.projected ? json(nullptr) : json(e.limits_measured ? "measured" : "data sheet");
  json out = document("explain " + command);
  out.update(
      {{"matrix", {{"name", matrix}, {"rows", e.rows}, {"nonzeros", e.nonzeros}}},
       {"device",
        {{"name", e.device.name},
         {"backend", to_string(e.device.on)},
         {"units", e.device.units},
         {"probed", e.probed},
         {"limits", limits},
         {"scratch_per_team", e.scratch_per_team}}},
       {"solver", e.method},
       {"solver_reason", e.method_reason},
       {"precision", e.precision},
       {"preconditioner", to_string(e.preconditioner)},
       {"preconditioner_reason", e.preconditioner_reason},
       {"preconditioner_parts", array_of(part_columns(e.projected), e.preconditioner_parts)},
       {"preconditioner_applications", e.preconditioner_applications},
       {"outer_iteration", array_of(part_columns(e.projected), std::vector{e.outer_iteration})[0]},
       {"preconditioner_note", text_or_null(e.preconditioner_note)},
       {"variant", e.variant},
       {"in_cluster", e.in_cluster},
       {"teams_reason", e.teams_why},
       {"bytes_per_iteration", e.bytes_per_iteration},
       {"barriers", e.barriers},
       {"barrier_us", us(e.barrier_seconds)},
       {"chosen", e.plan().policy},
       {"policies_that_try", e.policies_that_try}});
  const direct_prospect& direct = e.direct;
  const auto counted = [&](double v) { return direct.known ? json(v) : json(nullptr); };
  out["direct"] = {
      {"factors", {{"nonzeros", counted(direct.nonzeros)}, {"bytes", counted(direct.bytes)}}},
      {"projected_s", counted(direct.seconds)},
      {"sooner", direct.known ? json(direct.sooner) : json(nullptr)},
      {"follows", direct.known ? json(direct.follows) : json(nullptr)},
      {"reason", direct.words}};
  using variant = variant_projection;
  out["variants_considered"] = array_of(
      columns<variant>{
          {"variant", "", unit::word, [](const variant& f) { return f.name; }},
          {"projected_us.total", "", unit::us, [&](const variant& f) { return us(f.seconds); }}},
      e.considered);
  out["plans"] = array_of(policy_columns(e.projected), policies_of(e));
  return out;
}

}  // namespace dwell::app
