// SPDX-License-Identifier: MIT
// Tables, CSV and JSON of a trace.
#include "studies/trace/trace_result.hpp"

#include <fmt/format.h>

#include "report/columns.hpp"
#include "report/table.hpp"
#include "report/units.hpp"

#include "dwell/version.hpp"

namespace dwell::app {

namespace {

json rounded(const std::optional<double>& v) { return v ? json(*v) : json(nullptr); }

json levels_json(const std::vector<trace::level_counts>& levels) {
  json all = json::array();
  for (const auto& l : levels)
    all.push_back({{"accesses", l.accesses},
                   {"hits", l.hits},
                   {"fetches", l.fetches()},
                   {"hit_rate", l.accesses > 0 ? json(l.hit_rate()) : json(nullptr)}});
  return all;
}

columns<traced_order> order_columns(const trace_result& r) {
  using row = traced_order;
  columns<row> all = {
      {"requested", "", unit::word, [](const row& o) { return o.requested; }},
      {"order", "order", unit::word, [](const row& o) { return o.order; },
       [](const row& o) {
         return o.requested == o.order ? o.order : fmt::format("{} ({})", o.requested, o.order);
       }},
      {"accesses", "", unit::count, [](const row& o) { return o.simulated.accesses; }},
      {"fetches", "fetches", unit::count,
       [](const row& o) { return o.simulated.levels.back().fetches(); }}};
  for (std::size_t k = 0; k < r.caches.size(); ++k)
    all.push_back({"", r.caches.size() == 1 ? "hits" : fmt::format("hits {}", k + 1), unit::percent,
                   [k](const row& o) { return o.simulated.levels[k].hit_rate(); },
                   [k](const row& o) {
                     return fmt::format("{:.2f} %", 100 * o.simulated.levels[k].hit_rate());
                   }});
  append(
      all,
      columns<row>{
          {"seconds", r.orders.front().seconds ? "ms" : "", unit::milli,
           [](const row& o) { return rounded(o.seconds); }},
          {"model.once", "once", unit::count, [](const row& o) { return o.model.once; }},
          {"model.every_row", "every row", unit::count,
           [](const row& o) { return o.model.every_row; }},
          {"model.lines_needed", "needs", unit::count,
           [](const row& o) { return o.model.lines_needed; }},
          {"model.interference", r.problem.tasks.dims == 2 ? "Lam et al." : "", unit::count,
           [](const row& o) { return rounded(o.model.interference); },
           [](const row& o) {
             return o.model.interference
                        ? format_count(static_cast<std::int64_t>(*o.model.interference + 0.5))
                        : "-";
           }},
          {"model.conflicts", r.problem.tasks.dims == 2 ? "by sets" : "", unit::count,
           [](const row& o) {
             return o.model.conflicts ? json(*o.model.conflicts) : json(nullptr);
           },
           [](const row& o) { return o.model.conflicts ? format_count(*o.model.conflicts) : "-"; }},
          {"document.equation", "", unit::word,
           [](const row& o) { return text_or_null(o.model.equation); }},
          {"document.lines", "", unit::count,
           [](const row& o) { return rounded(o.model.document_lines); }},
          {"document.fetches", r.problem.is_product() ? "" : "equation", unit::count,
           [](const row& o) { return rounded(o.model.document_fetches); },
           [](const row& o) {
             return o.model.document_fetches
                        ? fmt::format(
                              "{}: {}", o.model.equation,
                              format_count(static_cast<std::int64_t>(*o.model.document_fetches)))
                        : "-";
           }}});
  return all;
}

std::string cache_text(const trace::cache_shape& c) {
  return fmt::format("{}: {} lines of {} bytes, {}, {}", format_bytes(static_cast<double>(c.bytes)),
                     format_count(c.lines()), c.line,
                     c.ways > 0 ? format_plural(c.ways, "way") : "one set", to_string(c.replaces));
}

}  // namespace

std::string to_string(trace::replacement r) {
  return r == trace::replacement::lru ? "lru" : "random4";
}

std::string to_text(const trace_result& r) {
  table out("dwell " DWELL_VERSION_STRING ": lines that a simulated cache fetches");
  const auto& p = r.problem;
  if (p.is_product())
    out.row("product", fmt::format("C of {} cells, A with {} columns, {}", to_string(r.size),
                                   p.inner, r.precision));
  else
    out.row("stencil", fmt::format("{} on {} cells, of which {} are computed, {}", p.name,
                                   to_string(r.size), to_string(p.tasks), r.precision));
  out.row("accesses",
          fmt::format("{}{}, by {}{}", format_count(r.orders.front().simulated.accesses),
                      p.writes ? ", stores among them" : ", loads only",
                      format_plural(r.threads, "thread"), r.threads > 1 ? " side by side" : ""));
  for (std::size_t k = 0; k < r.caches.size(); ++k)
    out.row(r.caches.size() == 1 ? "cache" : fmt::format("cache {}", k + 1),
            cache_text(r.caches[k]));
  std::string legend =
      "\nfetches: lines from memory, as simulated. Models, of loads by one thread through a cache\n"
      "alone: once, if blocks of the order are fetched once each, which needs so many lines of\n"
      "cache; every row, if each row of tasks is.";
  if (p.tasks.dims == 2)
    legend +=
        " Lam et al.: by the probability of interference,\n"
        "as if sets were hit at random; by sets: by the lines in each set.";
  legend += p.is_product() ? "\n" : " equation: the bound of\nPrasetya 2022.\n";
  if (r.orders.front().seconds) legend += "ms: of a run on one thread of this CPU.\n";
  if (!r.diagram.empty()) out.row("diagram", r.diagram);
  return out.text() + "\n" + table_of(order_columns(r), r.orders).text() + legend;
}

std::string to_csv(const trace_result& r) { return csv_of(order_columns(r), r.orders); }

json to_json(const trace_result& r) {
  json out = document("trace");
  const auto& p = r.problem;
  out["subject"] = {{"name", p.name},
                    {"size", to_string(r.size)},
                    {"tasks", to_string(p.tasks)},
                    {"inner", p.is_product() ? json(p.inner) : json(nullptr)},
                    {"precision", r.precision},
                    {"writes", p.writes}};
  out["threads"] = r.threads;
  out["caches"] = json::array();
  for (const auto& c : r.caches)
    out["caches"].push_back({{"bytes", c.bytes},
                             {"line_bytes", c.line},
                             {"lines", c.lines()},
                             {"ways", c.lines_of_set()},
                             {"replacement", to_string(c.replaces)}});
  out["orders"] = array_of(order_columns(r), r.orders);
  for (std::size_t k = 0; k < r.orders.size(); ++k)
    out["orders"][k]["levels"] = levels_json(r.orders[k].simulated.levels);
  out["files"] = {{"diagram", text_or_null(r.diagram)}};
  return out;
}

}  // namespace dwell::app
