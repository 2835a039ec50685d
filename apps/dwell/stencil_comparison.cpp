// SPDX-License-Identifier: MIT
// One table per stencil and size.
#include "stencil_comparison.hpp"

#include <fmt/format.h>

#include "comparison_layout.hpp"
#include "units.hpp"

#include "dwell/formats/printable.hpp"

namespace dwell::app {

namespace {

/// What follows from the median time of a row; 0 where there is none.
struct figures {
  double speed_up = 0, cells_per_s = 0, bandwidth = 0, of_roof = 0;
};

figures figures_of(const compared_stencil& s, const compared_sweep& r) {
  const double us = r.median_us();
  if (us <= 0) return {};
  figures f;
  f.speed_up = speed_up_over(s.runs[0], r);
  f.cells_per_s = static_cast<double>(s.changing_cells) / us * 1e6;
  f.bandwidth = static_cast<double>(s.bytes_per_step) / us * 1e6;
  if (s.roof_bytes_per_s > 0) f.of_roof = f.bandwidth / s.roof_bytes_per_s;
  return f;
}

columns table_of(const compared_stencil& s) {
  columns out;
  out.word("executor"), out.word("policy");
  out.number("us/step"), out.number("min..max"), out.number("speed-up");
  out.number("GCells/s"), out.number("GB/s"), out.number("of roof"), out.word("same bits");
  for (const auto& r : s.runs) {
    std::vector<std::string> cells = {r.executor, policy_cell(r)};
    if (!r.measured()) {
      cells.push_back(to_string(r.outcome));
      cells.insert(cells.end(), 6, "-");
    } else {
      const figures f = figures_of(s, r);
      cells.insert(cells.end(), {number_cell(r.median_us()),
                                 number_cell(r.us.front()) + ".." + number_cell(r.us.back()),
                                 number_or_dash(f.speed_up), number_or_dash(f.cells_per_s * 1e-9),
                                 number_or_dash(f.bandwidth * 1e-9), percent_or_dash(f.of_roof),
                                 r.same_bits ? "yes" : "-"});
    }
    out.row(cells);
  }
  return out;
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
    else if (!r.policy.empty())
      out.push_back(fmt::format("{}: {}", label(r), r.detail));
  }
  return out;
}

std::vector<std::string> legend(const stencil_comparison& c) {
  std::vector<std::string> out = {
      fmt::format("us/step: median of {}, after one that is not counted, without set-up.",
                  format_plural(c.repetitions, "run")),
      "speed-up: over host-loop on the same device. GCells/s: cells that change, per second.",
      fmt::format("GB/s: a load and a store of every cell that changes{} (the same for all), over "
                  "the time.",
                  c.source.empty() ? "" : ", and a load of its source"),
      c.backend == "cuda"
          ? fmt::format(
                "of roof: of the rate of L2 or of device memory, whichever both copies of "
                "the field{} need\n  ({}); more than all of it where the field stays on the "
                "chip.",
                c.source.empty() ? "" : " and the source",
                c.roofs_measured ? "measured" : "from the data sheet, scaled")
          : "of roof: there is no model of CPUs.",
      "same bits: the whole field, as host-loop's, after every run.",
      "Measured by dwell " DWELL_VERSION "."};
  return out;
}

comparison_layout layout_of(const stencil_comparison& c) {
  comparison_layout out{caption(c), {}, legend(c)};
  if (c.interrupted)
    out.note = fmt::format("The comparison was {}.", interrupted_words(rows_of(c)));
  for (const auto& s : c.stencils)
    out.sections.push_back({heading(s), s.refusal, table_of(s), remarks(s)});
  return out;
}

json to_json(const compared_stencil& s, const compared_sweep& r) {
  const figures f = figures_of(s, r);
  json j = json_of_run(r, "per_step_us");
  j.update({{"steps", r.measured() ? json(r.steps) : json(nullptr)},
            {"speed_up", number_or_null(f.speed_up)},
            {"cells_per_s", number_or_null(f.cells_per_s)},
            {"bandwidth_bytes_per_s", number_or_null(f.bandwidth)},
            {"fraction_of_roof", number_or_null(f.of_roof)},
            {"same_bits", r.measured() ? json(r.same_bits) : json(nullptr)}});
  return j;
}

}  // namespace

std::size_t rows_of(const stencil_comparison& c) {
  std::size_t rows = 0;
  for (const auto& s : c.stencils) rows += s.runs.size();
  return rows;
}

std::string to_text(const stencil_comparison& c) { return layout_of(c).text(); }
std::string to_markdown(const stencil_comparison& c) { return layout_of(c).markdown(); }

std::string to_csv(const stencil_comparison& c) {
  std::string out = fmt::format(
      "stencil,size,{},speed_up,cells_per_s,bandwidth_bytes_per_s,roof,"
      "fraction_of_roof,same_bits,remark\n",
      csv_run_heads);
  for (const auto& s : c.stencils) {
    if (!s.refusal.empty())
      out += fmt::format("{},{},,,,,refused,,,,,,,,,,{}\n", s.name, to_string(s.size),
                         csv_text(s.refusal));
    for (const auto& r : s.runs) {
      const figures f = figures_of(s, r);
      out += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", s.name, to_string(s.size),
                         csv_run_fields(r), csv_number(f.speed_up), csv_number(f.cells_per_s),
                         csv_number(f.bandwidth), s.roof, csv_number(f.of_roof),
                         r.measured() ? (r.same_bits ? "yes" : "unknown") : "",
                         csv_text(r.measured() ? r.detail : r.why));
    }
  }
  return out;
}

json to_json(const stencil_comparison& c) {
  json stencils = json::array();
  for (const auto& s : c.stencils) {
    json runs = json::array();
    for (const auto& r : s.runs) runs.push_back(to_json(s, r));
    stencils.push_back({{"stencil", s.name},
                        {"size", to_string(s.size)},
                        {"refusal", text_or_null(s.refusal)},
                        {"changing_cells", s.changing_cells},
                        {"bytes_per_step", s.bytes_per_step},
                        {"roof", text_or_null(s.roof)},
                        {"roof_bytes_per_s", number_or_null(s.roof_bytes_per_s)},
                        {"runs", runs}});
  }
  return {{"version", DWELL_VERSION},
          {"device", {{"name", c.device}, {"backend", c.backend}}},
          {"precision", c.precision},
          {"boundary", c.boundary},
          {"start", c.start},
          {"source", text_or_null(c.source)},
          {"steps", c.steps},
          {"repetitions", c.repetitions},
          {"roofs", c.backend != "cuda" ? json(nullptr)
                    : c.roofs_measured  ? json("measured")
                                        : json("data sheet")},
          {"interrupted", c.interrupted},
          {"stencils", stencils}};
}

}  // namespace dwell::app
