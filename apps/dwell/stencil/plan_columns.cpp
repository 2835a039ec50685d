// SPDX-License-Identifier: MIT
// Columns of plans, and words for their parts.
#include "stencil/plan_columns.hpp"

#include "stencil/prospect.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dwell/execution/stencil/order/cell_order.hpp"

namespace dwell::app {

namespace {

/// Rows of a warp (planes of a team): "18 / 20 / 1".
std::string rows(const stencil_policy_plan& p) {
  return fmt::format("{} / {} / {}", p.register_rows, p.scratch_rows, p.streamed_rows);
}

/// Whether a plan takes cells otherwise than by rows, so that people are shown how.
bool some_order_is_shown(const stencil_explanation& e) {
  return std::any_of(e.plans.begin(), e.plans.end(), [](const auto& p) {
    return !p.order.empty() && p.order != to_string(cell_order{});
  });
}

double cells_per_s(const plan_row& r) {
  return static_cast<double>(r.of->changing_cells) / r.plan->projected.all;
}

}  // namespace

bool caches_tiles(const stencil_policy_plan& p) { return p.depth > 0; }
bool on_gpu(const stencil_explanation& e) { return e.device.on == backend::cuda; }

std::string by(const extents& n) {
  return n.dims == 3 ? fmt::format("{} x {} x {}", n.z, n.y, n.x)
                     : fmt::format("{} x {}", n.y, n.x);
}

const char* scratch_name(const stencil_explanation& e) { return on_gpu(e) ? "shared" : "private"; }

std::vector<plan_row> plans_of(const stencil_explanation& e) {
  std::vector<plan_row> rows;
  for (std::size_t i = 0; i < e.plans.size(); ++i) rows.push_back({&e, &e.plans[i], i == e.chosen});
  return rows;
}

columns<plan_row> plan_columns(const stencil_explanation& e) {
  using row = plan_row;
  using plan = stencil_policy_plan;
  const auto planned = [](auto value) {
    return
        [value](const row& r) { return r.plan->refusal.empty() ? json(value(*r.plan)) : json(); };
  };
  const auto tiled = [](auto value) {
    return [value](const row& r) {
      return r.plan->refusal.empty() && caches_tiles(*r.plan) ? json(value(*r.plan)) : json();
    };
  };
  const auto known = [planned](int plan::*n) {
    return planned([n](const plan& p) { return p.*n ? json(p.*n) : json(nullptr); });
  };
  const auto us_of = [planned, projected = e.projected](double stencil_seconds::*part) {
    return planned(
        [=](const plan& p) { return projected ? json(p.projected.*part * 1e6) : json(nullptr); });
  };
  const auto tiles_cell = [](auto text) {
    return [text](const row& r) -> std::string {
      return !r.plan->refusal.empty() || !caches_tiles(*r.plan) ? "-" : text(*r.plan);
    };
  };
  const auto if_projected = [&](const char* head) { return e.projected ? head : ""; };
  const auto rows_head =
      fmt::format("{} reg/{}/streamed", e.size.dims == 3 ? "planes" : "rows", scratch_name(e));
  return {
      {"executor", "executor", unit::word, [](const row& r) { return r.plan->executor; }},
      {"policy", "policy", unit::word, [](const row& r) { return text_or_null(r.plan->policy); },
       [](const row& r) {
         return (r.plan->policy.empty() ? "-" : r.plan->policy) + (r.chosen ? " *" : "");
       }},
      {"refusal", "", unit::word, [](const row& r) { return text_or_null(r.plan->refusal); }},
      {"reason", "", unit::word, planned([](const plan& p) { return text_or_null(p.reason); })},
      {"engine", "", unit::word, planned([](const plan& p) { return text_or_null(p.engine); })},
      {"order", some_order_is_shown(e) ? "order" : "", unit::word,
       planned([](const plan& p) { return text_or_null(p.order); })},
      {"teams", "", unit::count, known(&plan::teams)},
      {"lanes", "", unit::count, known(&plan::lanes)},
      {"registers_per_lane", "", unit::count, known(&plan::registers)},
      {"spill_bytes_per_lane", "", unit::bytes,
       planned([](const plan& p) { return p.registers ? json(p.spill_bytes) : json(nullptr); })},
      {"tiles_along", "tiles", unit::range,
       tiled([](const plan& p) { return to_string(p.tiles_along); }),
       [tiles_cell](const row& r) {
         return r.plan->refusal.empty()
                    ? tiles_cell([](const plan& p) { return by(p.tiles_along); })(r)
                    : std::string("none");
       }},
      {"tile", "", unit::word, tiled([](const plan& p) { return to_string(p.tile); })},
      {"tile_of", "", unit::word,
       tiled([](const plan& p) { return p.of_warps ? "warp" : "team"; })},
      {"side_tiles", "", unit::count,
       tiled([](const plan& p) { return p.of_warps ? json(p.side_tiles) : json(nullptr); })},
      {"steps_per_exchange", "depth", unit::count, tiled([](const plan& p) { return p.depth; }),
       [tiles_cell](const row& r) {
         const plan& p = *r.plan;
         return p.refusal.empty() && !caches_tiles(p) && p.pass_steps > 1
                    ? std::to_string(p.pass_steps)
                    : tiles_cell([](const plan& q) { return std::to_string(q.depth); })(r);
       }},
      {"steps_per_pass", "", unit::count, planned([](const plan& p) { return p.pass_steps; })},
      {"halo", "", unit::count, tiled([](const plan& p) { return p.halo; })},
      {"halo_computed", "", unit::yes, tiled([](const plan& p) { return p.halo_computed; })},
      {"", rows_head, unit::range, {}, tiles_cell([](const plan& p) { return rows(p); })},
      {"rows_per_warp.registers", "", unit::count,
       tiled([](const plan& p) { return p.register_rows; })},
      {"rows_per_warp.scratch", "", unit::count,
       tiled([](const plan& p) { return p.scratch_rows; })},
      {"rows_per_warp.streamed", "", unit::count,
       tiled([](const plan& p) { return p.streamed_rows; })},
      {"traversal", "", unit::word, tiled([](const plan& p) { return text_or_null(p.traversal); })},
      {"cached", "cached", unit::percent, planned([](const plan& p) { return p.cached_rows; })},
      {"caches_nothing_because", "", unit::word,
       planned([](const plan& p) { return text_or_null(p.idle); })},
      {"bytes.streamed", "streamed/step", unit::bytes,
       planned([](const plan& p) { return p.streamed_bytes; })},
      {"projection", if_projected("time"), unit::word,
       planned([projected = e.projected](const plan& p) {
         return projected ? json(p.roof ? "roof" : "model") : json(nullptr);
       })},
      {"projected_us.total", if_projected("us/step"), unit::number, us_of(&stencil_seconds::all)},
      {"projected_us.arithmetic", "", unit::us, us_of(&stencil_seconds::arithmetic)},
      {"projected_us.shared_memory", "", unit::us, us_of(&stencil_seconds::shared_memory)},
      {"projected_us.l2", "", unit::us, us_of(&stencil_seconds::l2)},
      {"projected_us.device_memory", "", unit::us, us_of(&stencil_seconds::device_memory)},
      {"projected_us.exchange", "", unit::us, us_of(&stencil_seconds::exchange)},
      {"attainable_cells_per_s", "", unit::giga,
       [](const row& r) { return number_or_null(prospect_of(*r.of, *r.plan).attainable); }},
      {"", if_projected("GCells/s"), unit::giga,
       [](const row& r) { return r.plan->refusal.empty() ? json(cells_per_s(r)) : json(nullptr); }},
      {"binds", if_projected("binds"), unit::word,
       planned([](const plan& p) { return text_or_null(binding_part(p.projected)); })}};
}

}  // namespace dwell::app
