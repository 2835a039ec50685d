// SPDX-License-Identifier: MIT
// One plan in full, then all policies and executors side by side.
#include "stencil/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/columns.hpp"
#include "report/table.hpp"
#include "report/units.hpp"
#include "stencil/field_memory.hpp"
#include "stencil/plan_columns.hpp"
#include "stencil/prospect.hpp"

#include "dwell/base/policy_words.hpp"
#include "dwell/execution/device/executors.hpp"
#include "dwell/execution/stencil/plan/policies/table.hpp"
#include "dwell/version.hpp"

namespace dwell::app {

namespace {

std::string device_text(const stencil_explanation& e) {
  if (!e.projected) return e.device.name + " (cpu); no model of CPUs, so no projected time";
  return fmt::format("{} ({} multiprocessors){}", e.device.name, e.device.units,
                     e.probed          ? ""
                     : e.device.limits ? ", not here: from a file of facts"
                                       : ", not here: from its data sheet");
}

std::string kernel_text(const stencil_explanation& e, const stencil_policy_plan& p) {
  std::string out = fmt::format("{} of {} lanes",
                                format_plural(p.teams, on_gpu(e) ? "block" : "thread"), p.lanes);
  if (!on_gpu(e)) return out;
  if (p.registers == 0)
    return out + (e.probed ? "; registers per lane unknown before its kernel is compiled"
                           : "; registers per lane unknown without the device");
  out += fmt::format("; {} registers per lane", p.registers);
  if (p.spill_bytes > 0) out += fmt::format(", {} bytes of them SPILLED", p.spill_bytes);
  return out;
}

/// Cells that are computed for each of a tile's own, because of the halo.
double overhead(const stencil_policy_plan& p) {
  double all = 1, own = 1;
  const auto axis = [&](int cells, int tiles) {
    own *= cells;
    all *= cells + (tiles > 1 || p.of_warps ? 2 * p.halo : 0);
  };
  axis(p.tile.x, p.tiles_along.x);
  axis(p.tile.y, p.tiles_along.y);
  if (p.tile.dims == 3) axis(p.tile.z, p.tiles_along.z);
  return all / own;
}

std::string why(const stencil_explanation& e, const stencil_policy_plan& p) {
  using policies::find_stencil_policy;
  if (&find_stencil_policy(p.policy) != &find_stencil_policy(automatic))
    return "as asked for; " + p.reason;
  std::string out = e.projected ? "the least projected time of all policies; "
                                : "the least cost of all policies by the planner's estimate; ";
  return out + p.reason;
}

void add_time(const stencil_explanation& e, const stencil_policy_plan& p, table& out) {
  out.gap();
  out.row("per step", fmt::format("{} streamed, without halos; {} if nothing were cached anywhere",
                                  format_bytes(p.streamed_bytes),
                                  format_bytes(static_cast<double>(e.bytes_per_step))));
  if (!e.projected) return;
  const stencil_seconds& t = p.projected;
  const stencil_prospect prospect = prospect_of(e, p);
  out.row("modelled", fmt::format("{} per step, {} GCells/s (PP; P {}); {} binds",
                                  format_seconds(t.all), number_cell(prospect.projected * 1e-9),
                                  number_cell(prospect.attainable * 1e-9), prospect.binds));
  out.row("", fmt::format("arithmetic {}, shared memory {}, L2 {}, device memory {}, exchange {}",
                          format_seconds(t.arithmetic), format_seconds(t.shared_memory),
                          format_seconds(t.l2), format_seconds(t.device_memory),
                          format_seconds(t.exchange)));
}

/// Why there is no plan, or one that caches nothing; what is said of several stands there once.
class plan_remarks {
 public:
  void add(const stencil_policy_plan& p) {
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
  // No policy has a plan for perks: one row says so.
  const bool one_row = std::all_of(e.plans.begin(), e.plans.end(), [](const auto& p) {
    return !has_policies(p.executor) || !p.refusal.empty();
  });
  plan_remarks remarks;  // the one above all has its own there
  std::vector<plan_row> shown;
  for (const auto& row : plans_of(e)) {
    if (one_row && has_policies(row.plan->executor) && !row.chosen) continue;
    if (!row.chosen) remarks.add(*row.plan);
    shown.push_back(row);
  }
  const char* roof =
      "roof: bytes over bandwidth, or arithmetic at its full rate if that takes longer. Runs are\n"
      "slower, those of wide stencils several times; compare measures them.\n";
  return table_of(plan_columns(e), shown).text() + remarks.text() + (e.projected ? roof : "");
}

/// Tiles, and what stays of them where.
void add_tiles(const stencil_explanation& e, const stencil_policy_plan& p, table& out) {
  out.row("engine", p.engine);
  out.row("tiles", fmt::format("{} of {} cells each, one per {}", by(p.tiles_along), by(p.tile),
                               p.of_warps ? "warp" : "team"));
  if (p.of_warps && p.side_tiles != p.tiles_along.y)
    out.row("", fmt::format("{} in the first and in the last column, where iterations take longer",
                            p.side_tiles));
  const bool planes = e.size.dims == 3;
  const auto computed = p.halo_computed
                            ? fmt::format("{:.2f} times the cells computed", overhead(p))
                            : std::string("read of neighbours");
  out.row("", fmt::format("{} between exchanges: a halo of {}, {}", format_plural(p.depth, "step"),
                          format_plural(p.halo, "cell"), computed));
  out.row(planes ? "each team" : "each warp",
          fmt::format("{} in registers, {} in {} memory, {} streamed{}: {} cached",
                      format_plural(p.register_rows, planes ? "plane" : "row"), p.scratch_rows,
                      scratch_name(e), p.streamed_rows,
                      p.traversal.empty() ? "" : " (" + p.traversal + ")",
                      format_percent(p.cached_rows)));
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
void add_plan(const stencil_explanation& e, const stencil_policy_plan& p, table& out) {
  out.row("", why(e, p));
  out.row("kernel", kernel_text(e, p));
  if (caches_tiles(p)) add_tiles(e, p, out);
  add_time(e, p, out);
}

}  // namespace

std::string to_text(const stencil_explanation& e) {
  const auto& p = e.plan();
  table out("dwell " DWELL_VERSION_STRING ": what perks would do, and why");
  out.row("stencil", fmt::format("{}: radius {}, {} operations per cell, boundary {}", e.shape,
                                 e.radius, e.flops, to_string(e.edge)));
  out.row("field", fmt::format("{} cells, {}{}", to_string(e.size), e.precision,
                               e.source ? ", and a source" : ""));
  out.row("device", device_text(e));
  if (!fits(e))
    out.row("memory", fmt::format("DOES NOT FIT: {}, the device has {}", need_of(e).text,
                                  format_bytes(static_cast<double>(e.device.memory))));
  if (!e.executor.empty())
    out.row("executor", fmt::format("auto takes {}: {}", e.executor, e.executor_reason));
  out.gap();
  out.row("policy", p.policy);
  if (p.refusal.empty())
    add_plan(e, p, out);
  else
    out.row("", "no plan: " + p.refusal);
  return out.text() + "\n" + all_plans(e);
}

json to_json(const stencil_explanation& e, const std::string& source) {
  json out = document("explain stencil");
  out.update(
      {{"stencil",
        {{"name", e.shape}, {"size", to_string(e.size)}, {"changing_cells", e.changing_cells}}},
       {"boundary", to_string(e.edge)},
       {"source", text_or_null(source)},
       {"precision", e.precision},
       {"device",
        {{"name", e.device.name},
         {"backend", to_string(e.device.on)},
         {"units", e.device.units},
         {"probed", e.probed}}},
       {"memory",
        {{"needed_bytes", need_of(e).bytes}, {"device_bytes", e.device.memory}, {"fits", fits(e)}}},
       {"bytes_per_step", e.bytes_per_step},
       {"executor", text_or_null(e.executor)},
       {"executor_reason", text_or_null(e.executor_reason)},
       {"chosen", e.plan().policy}});
  out["plans"] = array_of(plan_columns(e), plans_of(e));
  return out;
}

}  // namespace dwell::app
