// SPDX-License-Identifier: MIT
// One plan in full, then all policies and executors side by side.
#include "stencil_explanation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "columns.hpp"
#include "comparison_layout.hpp"
#include "field_memory.hpp"
#include "table.hpp"
#include "units.hpp"

namespace dwell::app {

namespace {

bool keeps_tiles(const stencil_plan& p) { return p.depth > 0; }
bool on_gpu(const stencil_explanation& e) { return e.device.on == backend::cuda; }

/// "9 x 14", "2 x 3 x 22".
std::string by(const extents& n) {
  return n.dims == 3 ? fmt::format("{} x {} x {}", n.z, n.y, n.x)
                     : fmt::format("{} x {}", n.y, n.x);
}

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

/// What scratch is on this device.
const char* scratch_name(const stencil_explanation& e) { return on_gpu(e) ? "shared" : "private"; }

/// Rows of a warp (planes of a team): "18 / 20 / 1".
std::string rows(const stencil_plan& p) {
  return fmt::format("{} / {} / {}", p.register_rows, p.scratch_rows, p.streamed_rows);
}

std::string device_text(const stencil_explanation& e) {
  if (!e.projected) return e.device.name + " (cpu); no model of CPUs, so no projected time";
  return fmt::format("{} ({} multiprocessors){}", e.device.name, e.device.units,
                     e.probed ? "" : ", not here: from its data sheet");
}

std::string kernel_text(const stencil_explanation& e, const stencil_plan& p) {
  std::string out = fmt::format("{} of {} lanes",
                                format_plural(p.teams, on_gpu(e) ? "block" : "thread"), p.lanes);
  if (!on_gpu(e)) return out;
  if (p.registers == 0) return out + "; registers per lane unknown without the device";
  out += fmt::format("; {} registers per lane", p.registers);
  if (p.spill_bytes > 0) out += fmt::format(", {} bytes of them SPILLED", p.spill_bytes);
  return out;
}

/// Cells that are computed for each of a tile's own, because of the rim.
double overhead(const stencil_plan& p) {
  double all = 1, own = 1;
  const auto axis = [&](int cells, int tiles) {
    own *= cells;
    all *= cells + (tiles > 1 || p.of_warps ? 2 * p.rim : 0);
  };
  axis(p.tile.x, p.tiles_along.x);
  axis(p.tile.y, p.tiles_along.y);
  if (p.tile.dims == 3) axis(p.tile.z, p.tiles_along.z);
  return all / own;
}

std::string why(const stencil_explanation& e, const stencil_plan& p) {
  if (p.policy != "auto" && p.policy != "model") return "as asked for; " + p.reason;
  std::string out = e.projected ? "the least projected time of all policies; "
                                : "the least cost of all policies by the planner's estimate; ";
  return out + p.reason;
}

void add_time(const stencil_explanation& e, const stencil_plan& p, table& out) {
  out.gap();
  out.row("per step", fmt::format("{} streamed, without rims; {} if nothing were kept anywhere",
                                  format_bytes(p.streamed_bytes),
                                  format_bytes(static_cast<double>(e.bytes_per_step))));
  if (!e.projected) return;
  const stencil_seconds& t = p.projected;
  out.row("modelled", fmt::format("{} per step, {} GCells/s; {} binds", format_seconds(t.all),
                                  number_cell(static_cast<double>(e.changing_cells) / t.all * 1e-9),
                                  binding_part(t)));
  out.row("", fmt::format("arithmetic {}, shared memory {}, L2 {}, device memory {}, exchange {}",
                          format_seconds(t.arithmetic), format_seconds(t.shared_memory),
                          format_seconds(t.l2), format_seconds(t.device_memory),
                          format_seconds(t.exchange)));
}

/// Why there is no plan, or one that keeps nothing; what is said of several stands there once.
class plan_remarks {
 public:
  void add(const stencil_plan& p) {
    const auto why = p.refusal.empty() ? p.idle : "no plan: " + p.refusal;
    if (why.empty()) return;
    const auto& name = p.policy.empty() ? p.executor : p.policy;
    for (auto& [names, said] : all_)
      if (said == why) {
        names += ", " + name;
        return;
      }
    all_.emplace_back(name, why);
  }
  std::string text() const {
    std::string out;
    for (const auto& [names, said] : all_) out += fmt::format("{}: {}\n", names, said);
    return out;
  }

 private:
  std::vector<std::pair<std::string, std::string>> all_;
};

std::string all_plans(const stencil_explanation& e) {
  columns out;
  out.word("executor"), out.word("policy"), out.number("tiles"), out.number("depth");
  out.number(
      fmt::format("{} reg/{}/streamed", e.size.dims == 3 ? "planes" : "rows", scratch_name(e)));
  out.number("resident"), out.number("streamed/step");
  if (e.projected)
    out.word("time"), out.number("us/step"), out.number("GCells/s"), out.word("binds");
  // No policy has a plan for perks: one row says so.
  const bool one_row = std::all_of(e.plans.begin(), e.plans.end(), [](const auto& p) {
    return p.executor != "perks" || !p.refusal.empty();
  });
  plan_remarks remarks;  // the one above all has its own there
  for (std::size_t i = 0; i < e.plans.size(); ++i) {
    const auto& p = e.plans[i];
    if (one_row && p.executor == "perks" && i != e.chosen) continue;
    if (i != e.chosen) remarks.add(p);
    std::vector<std::string> cells = {
        p.executor, (p.policy.empty() ? "-" : p.policy) + (i == e.chosen ? " *" : "")};
    if (!p.refusal.empty()) {
      cells.push_back("none");
      cells.insert(cells.end(), e.projected ? 8 : 4, "-");
    } else {
      const bool tiles = keeps_tiles(p);
      cells.insert(cells.end(),
                   {tiles ? by(p.tiles_along) : "-", tiles ? std::to_string(p.depth) : "-",
                    tiles ? rows(p) : "-", percent(p.resident), format_bytes(p.streamed_bytes)});
      if (e.projected)
        cells.insert(cells.end(),
                     {p.roof ? "roof" : "model", number_or_dash(p.projected.all * 1e6),
                      number_cell(static_cast<double>(e.changing_cells) / p.projected.all * 1e-9),
                      binding_part(p.projected)});
    }
    out.row(cells);
  }
  const char* roof =
      "roof: bytes over bandwidth, or arithmetic at its full rate if that takes longer. Runs are\n"
      "slower, those of wide stencils several times; compare measures them.\n";
  return out.text() + remarks.text() + (e.projected ? roof : "");
}

json to_json(const stencil_explanation& e, const stencil_plan& p) {
  const auto us = [&](double s) { return e.projected ? json(s * 1e6) : json(nullptr); };
  const stencil_seconds& t = p.projected;
  json j = {{"executor", p.executor},
            {"policy", text_or_null(p.policy)},
            {"refusal", text_or_null(p.refusal)}};
  if (!p.refusal.empty()) return j;
  j.update({{"reason", p.reason},
            {"teams", p.teams ? json(p.teams) : json(nullptr)},
            {"lanes", p.lanes ? json(p.lanes) : json(nullptr)},
            {"registers_per_lane", p.registers ? json(p.registers) : json(nullptr)},
            {"spill_bytes_per_lane", p.registers ? json(p.spill_bytes) : json(nullptr)},
            {"streamed_bytes_per_step", p.streamed_bytes},
            {"projected_us",
             {{"step", us(t.all)},
              {"arithmetic", us(t.arithmetic)},
              {"shared_memory", us(t.shared_memory)},
              {"l2", us(t.l2)},
              {"device_memory", us(t.device_memory)},
              {"exchange", us(t.exchange)}}},
            {"projection", !e.projected ? json(nullptr) : json(p.roof ? "roof" : "model")},
            {"binds", text_or_null(binding_part(t))},
            {"keeps_nothing_because", text_or_null(p.idle)}});
  if (!keeps_tiles(p)) return j;
  j.update({{"tiles_along", to_string(p.tiles_along)},
            {"tile", to_string(p.tile)},
            {"tile_of", p.of_warps ? "warp" : "team"},
            {"side_tiles", p.of_warps ? json(p.side_tiles) : json(nullptr)},
            {"steps_per_exchange", p.depth},
            {"steps_per_pass", p.pass_steps},
            {"rim", p.rim},
            {"rim_computed", p.rim_computed},
            {"rows_per_warp",
             {{"registers", p.register_rows},
              {"shared_memory", p.scratch_rows},
              {"streamed", p.streamed_rows}}},
            {"traversal", text_or_null(p.traversal)},
            {"resident", p.resident}});
  return j;
}

/// Tiles, and what stays of them where.
void add_tiles(const stencil_explanation& e, const stencil_plan& p, table& out) {
  out.row("tiles", fmt::format("{} of {} cells each, one per {}", by(p.tiles_along), by(p.tile),
                               p.of_warps ? "warp" : "team"));
  if (p.of_warps && p.side_tiles != p.tiles_along.y)
    out.row("", fmt::format("{} in the first and in the last column, where turns take longer",
                            p.side_tiles));
  const bool planes = e.size.dims == 3;
  const auto computed = p.rim_computed ? fmt::format("{:.2f} times the cells computed", overhead(p))
                                       : std::string("read of neighbours");
  out.row("", fmt::format("{} between exchanges: a rim of {}, {}", format_plural(p.depth, "step"),
                          format_plural(p.rim, "cell"), computed));
  out.row(planes ? "each team" : "each warp",
          fmt::format("{} in registers, {} in {} memory, {} streamed{}: {} stay",
                      format_plural(p.register_rows, planes ? "plane" : "row"), p.scratch_rows,
                      scratch_name(e), p.streamed_rows,
                      p.traversal.empty() ? "" : " (" + p.traversal + ")", percent(p.resident)));
  if (p.pass_steps > 1) out.row("each pass", format_plural(p.pass_steps, "step"));
}

/// What a run of the field needs of the device's memory.
memory_need need_of(const stencil_explanation& e) {
  return need_on_device({e.size, e.precision, 1, e.source}, e.device.on);
}
bool fits(const stencil_explanation& e) {
  return need_of(e).bytes <= static_cast<double>(e.device.memory);
}

/// Kernel, tiles, and how long a step should take.
void add_plan(const stencil_explanation& e, const stencil_plan& p, table& out) {
  out.row("", why(e, p));
  out.row("kernel", kernel_text(e, p));
  if (keeps_tiles(p)) add_tiles(e, p, out);
  add_time(e, p, out);
}

}  // namespace

std::string to_text(const stencil_explanation& e) {
  const auto& p = e.plan();
  table out("dwell " DWELL_VERSION ": what perks would do, and why");
  out.row("stencil", fmt::format("{}: radius {}, {} operations per cell, boundary {}", e.shape,
                                 e.radius, e.flops, to_string(e.edge)));
  out.row("field", fmt::format("{} cells, {}{}", to_string(e.size), e.precision,
                               e.source ? ", and a source" : ""));
  out.row("device", device_text(e));
  if (!fits(e))
    out.row("memory", fmt::format("DOES NOT FIT: {}, the device has {}", need_of(e).text,
                                  format_bytes(static_cast<double>(e.device.memory))));
  out.gap();
  out.row("policy", p.policy);
  if (p.refusal.empty())
    add_plan(e, p, out);
  else
    out.row("", "no plan: " + p.refusal);
  return out.text() + "\n" + all_plans(e);
}

json to_json(const stencil_explanation& e) {
  json plans = json::array();
  for (const auto& p : e.plans) plans.push_back(to_json(e, p));
  return {
      {"version", DWELL_VERSION},
      {"stencil", e.shape},
      {"size", to_string(e.size)},
      {"boundary", to_string(e.edge)},
      {"precision", e.precision},
      {"source", e.source},
      {"device",
       {{"name", e.device.name},
        {"backend", to_string(e.device.on)},
        {"units", e.device.units},
        {"probed", e.probed}}},
      {"memory",
       {{"needed_bytes", need_of(e).bytes}, {"device_bytes", e.device.memory}, {"fits", fits(e)}}},
      {"changing_cells", e.changing_cells},
      {"bytes_per_step", e.bytes_per_step},
      {"chosen", e.plan().policy},
      {"plans", plans}};
}

}  // namespace dwell::app
