// SPDX-License-Identifier: MIT
// One table per stencil and size.
#include "stencil/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "compare/forms.hpp"
#include "compare/layout.hpp"
#include "report/columns.hpp"
#include "report/units.hpp"
#include "stencil/result.hpp"

#include "dwell/base/policy_words.hpp"
#include "dwell/base/printable.hpp"
#include "dwell/execution/stencil/order/cell_order.hpp"
#include "dwell/version.hpp"

namespace dwell::app {

namespace {

/// A run with the field that it is of. Both are owned by the comparison.
struct stencil_row {
  const compared_stencil* of;
  const compared_stencil_run* run;
};

std::vector<stencil_row> rows_of_field(const compared_stencil& s) {
  std::vector<stencil_row> rows;
  for (const auto& r : s.runs) rows.push_back({&s, &r});
  return rows;
}

/// So many of something per step, per second; 0 where there is no time.
double per_second(std::size_t each, const compared_stencil_run& r) {
  const double us = r.median_us();
  return us > 0 ? static_cast<double>(each) / us * 1e6 : 0;
}
double bandwidth(const stencil_row& r) { return per_second(r.of->bytes_per_step, *r.run); }

/// Columns of the field that runs are of.
columns<compared_stencil> field_columns() {
  using row = compared_stencil;
  return {{"name", "", unit::word, [](const row& s) { return s.name; }},
          {"size", "", unit::word, [](const row& s) { return to_string(s.size); }},
          {"refusal", "", unit::word, [](const row& s) { return text_or_null(s.refusal); }},
          {"changing_cells", "", unit::count, [](const row& s) { return s.changing_cells; }},
          {"bytes_per_step", "", unit::bytes, [](const row& s) { return s.bytes_per_step; }},
          {"roof", "", unit::word, [](const row& s) { return text_or_null(s.roof); }},
          {"roof_bytes_per_s", "", unit::giga,
           [](const row& s) { return number_or_null(s.roof_bytes_per_s); }},
          {"flops_per_cell", "", unit::count, [](const row& s) { return s.flops_per_cell; }}};
}

/// Columns of its runs.
columns<stencil_row> field_run_columns(bool order = false, bool modelled = false,
                                       bool ranks = false) {
  using row = stencil_row;
  const auto run = [](const row& r) -> const measured_run& { return *r.run; };
  auto all = columns_of_part<row>(run_columns(false), run);
  append(all, columns_of_part<row>(ranks_column(ranks), run));
  append(all, columns<row>{{"requested.order", order ? "order" : "", unit::word,
                            [](const row& r) { return text_or_null(r.run->how.requested.order); },
                            [](const row& r) {
                              return choice_cell(r.run->how.requested.order, r.run->plan.order);
                            }}});
  append(all, columns_of_part<row>(
                  stencil_plan_columns(), [](const row& r) -> const auto& { return r.run->plan; }));
  append(all, columns_of_part<row>(time_columns("time.per_step_us", "us/step"), run));
  append(
      all,
      columns<row>{
          {"speed_up", "speed-up", unit::number,
           [](const row& r) { return number_or_null(speed_up_over(r.of->runs[0], *r.run)); }},
          {"cells_per_s", "GCells/s", unit::giga,
           [](const row& r) { return number_or_null(per_second(r.of->changing_cells, *r.run)); }},
          {"bandwidth_bytes_per_s", "GB/s", unit::giga,
           [](const row& r) { return number_or_null(bandwidth(r)); }},
          {"fraction_of_roof", "of roof", unit::percent,
           [](const row& r) {
             const double roof = r.of->roof_bytes_per_s;
             return number_or_null(roof > 0 ? bandwidth(r) / roof : 0);
           }},
          {"attainable_cells_per_s", modelled ? "P" : "", unit::giga,
           [](const row& r) { return number_or_null(r.run->prospect.attainable); }},
          {"projected_cells_per_s", modelled ? "PP" : "", unit::giga,
           [](const row& r) { return number_or_null(r.run->prospect.projected); }},
          {"measured_over_projected", modelled ? "of PP" : "", unit::percent,
           [](const row& r) {
             const double projected = r.run->prospect.projected;
             return number_or_null(
                 projected > 0 ? per_second(r.of->changing_cells, *r.run) / projected : 0);
           }},
          {"binds", modelled ? "binds" : "", unit::word,
           [](const row& r) { return text_or_null(r.run->prospect.binds); }},
          {"streamed_bytes_per_step", "", unit::bytes,
           [](const row& r) {
             const double bytes = r.run->prospect.streamed_bytes;
             return bytes < 0 ? json(nullptr) : json(bytes);
           }},
          {"same_bits", "same bits", unit::yes,
           [](const row& r) {
             return r.run->measured() && !r.run->peer ? json(r.run->same_bits) : json(nullptr);
           }},
          {"steps", "", unit::count,
           [](const row& r) { return r.run->measured() ? json(r.run->steps) : json(nullptr); }}});
  return all;
}

/// Is a peer among the rows?
bool has_peers(const stencil_comparison& c) {
  for (const auto& s : c.stencils)
    if (std::any_of(s.runs.begin(), s.runs.end(), [](const auto& r) { return r.peer; }))
      return true;
  return false;
}

/// Whether there is something to tell of orders.
bool shows_orders(const compared_stencil& s) {
  return std::any_of(s.runs.begin(), s.runs.end(), [](const auto& r) {
    const auto& asked = r.how.requested.order;
    const auto& taken = r.plan.order;
    return !asked.empty() &&
           (asked != automatic || (!taken.empty() && taken != to_string(cell_order{})));
  });
}

/// Whether a model says something of a run.
bool has_model(const compared_stencil& s) {
  return std::any_of(s.runs.begin(), s.runs.end(),
                     [](const auto& r) { return r.prospect.attainable > 0; });
}

std::string caption(const stencil_comparison& c) {
  return fmt::format("Iterative stencils on {} ({}), {} each:\n{}, boundary {}, start {}{}.",
                     c.device, c.backend, format_plural(c.steps, "step"), c.precision, c.boundary,
                     c.start, c.source.empty() ? "" : ", source " + printable(c.source));
}

std::string heading(const compared_stencil& s) {
  auto text = fmt::format("{}: {} cells", s.name, to_string(s.size));
  if (s.roof_bytes_per_s > 0)
    text += fmt::format(", roof {} at {}", s.roof, format_rate(s.roof_bytes_per_s));
  return text;
}

/// Why rows are empty, and the plans of those that have a choice.
std::vector<std::string> remarks(const compared_stencil& s) {
  std::vector<std::string> out;
  for (const auto& r : s.runs) {
    if (!r.measured())
      out.push_back(fmt::format("{}: {}: {}", label(r), to_string(r.outcome), r.why));
    else if (!r.how.requested.policy.empty() || r.ranks > 0)
      out.push_back(fmt::format("{}: {}", label(r), r.how.reason));
    if (const auto peer = peer_remark(r); !peer.empty()) out.push_back(peer);
  }
  return out;
}

std::vector<std::string> legend(const stencil_comparison& c) {
  std::vector<std::string> out = {
      fmt::format("us/step: median of {}, after one that is not counted, without set-up.",
                  format_plural(c.repetitions, "run")),
      "speed-up: over the first row, host-loop on the same device. GCells/s: cells that change, "
      "per second.",
      fmt::format("GB/s: a load and a store of every cell that changes{} (the same for all), over "
                  "the time.",
                  c.source.empty() ? "" : ", and a load of its source"),
      c.backend == "cuda"
          ? fmt::format(
                "of roof: of the rate of L2 or of device memory, whichever both copies of "
                "the field{} need\n  ({}); more than all of it where the field is cached on the "
                "chip.",
                c.source.empty() ? "" : " and the source",
                c.roofs_measured ? "measured" : "from the data sheet, scaled")
          : "of roof: there is no model of CPUs.",
      c.backend == "cuda" ? "P, PP: GCells/s by the planner's model, as if the resource that binds "
                            "were all, and with "
                            "halos,\n  exchanges and barriers. of PP: measured, over PP."
                          : "",
      c.on_ranks ? ranks_legend : "",
      "same bits: the whole field, as host-loop's, after every run.",
      has_peers(c) ? "Peers: by what they print; their fields are not compared, their bytes are "
                     "taken for ours."
                   : "",
      "Measured by dwell " DWELL_VERSION_STRING "."};
  std::erase(out, "");
  return out;
}

comparison_layout layout_of(const stencil_comparison& c) {
  comparison_layout out{caption(c), {}, legend(c)};
  out.note = interrupted_note(c);
  for (const auto& s : c.stencils)
    out.sections.push_back(
        {heading(s), s.refusal,
         table_of(field_run_columns(shows_orders(s), has_model(s), c.on_ranks), rows_of_field(s)),
         remarks(s)});
  return out;
}

}  // namespace

std::size_t rows_of(const stencil_comparison& c) { return count_runs(c.stencils); }

std::string to_text(const stencil_comparison& c) { return layout_of(c).text(); }
std::string to_markdown(const stencil_comparison& c) { return layout_of(c).markdown(); }

std::string to_csv(const stencil_comparison& c) {
  return csv_of("stencil.", field_columns(), c.stencils, field_run_columns(), rows_of_field);
}

json to_json(const stencil_comparison& c) {
  const json limits = c.backend != "cuda" ? json(nullptr)
                      : c.roofs_measured  ? json("measured")
                                          : json("data sheet");
  json out = document("compare stencil");
  out.update({{"device",
               {{"name", c.device},
                {"backend", c.backend},
                {"limits", limits},
                {"rates",
                 {{"memory_bytes_per_s", number_or_null(c.rates.memory)},
                  {"l2_bytes_per_s", number_or_null(c.rates.l2)},
                  {"shared_bytes_per_s", number_or_null(c.rates.shared)},
                  {"flops_per_s", number_or_null(c.rates.flops)}}}}},
              {"precision", c.precision},
              {"boundary", c.boundary},
              {"start", c.start},
              {"source", text_or_null(c.source)},
              {"max_steps", c.steps},
              {"repetitions", c.repetitions},
              {"interrupted", c.interrupted}});
  out["stencils"] = json_of(field_columns(), c.stencils, field_run_columns(), rows_of_field);
  return out;
}

}  // namespace dwell::app
