// SPDX-License-Identifier: MIT
// A convolution's report as text and JSON.
#include "convolve/result.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

#include "report/table.hpp"
#include "report/units.hpp"

#include "dwell/base/printable.hpp"
#include "dwell/version.hpp"

namespace dwell::app {
namespace {

json finite_or_null(double v) { return std::isfinite(v) ? json(v) : json(nullptr); }

std::string values_of(const value_range& v) {
  if (!(v.least <= v.greatest)) return "none is finite";
  auto text = fmt::format("{:.6g} to {:.6g}", v.least, v.greatest);
  if (v.nonfinite > 0)
    text += fmt::format("; {} not finite",
                        format_plural(static_cast<std::int64_t>(v.nonfinite), "value"));
  return text;
}

/// Fused multiply-adds.
double fmas_per_second(const convolution_report& r) { return r.cells_per_second * r.taps; }
double bytes_per_second(const convolution_report& r) {
  return r.run_s > 0 ? static_cast<double>(r.bytes) / r.run_s : 0;
}

}  // namespace

std::string cells_text(const std::string& cells, const std::string& precision,
                       const std::string& result) {
  if (cells == precision) return cells;
  return fmt::format("{}, summed in {}{}", cells, precision,
                     result == precision ? "" : " and rounded");
}

columns<convolution_report> convolution_columns() {
  using row = convolution_report;
  return {{"passes", "", unit::count, [](const row& r) { return r.passes; }},
          {"taps", "", unit::count, [](const row& r) { return r.taps; }},
          {"bytes", "", unit::bytes, [](const row& r) { return r.bytes; }}};
}

std::string to_text(const convolve_result& r) {
  const convolution_report& c = r.report;
  table out("dwell " DWELL_VERSION_STRING ": " +
            std::string(c.correlation ? "correlation" : "convolution"));
  out.row("image", fmt::format("{}, {}{} cells, {}", printable(r.image),
                               c.images > 1 ? fmt::format("{} of ", format_count(c.images)) : "",
                               to_string(c.size), cells_text(c.cells, c.precision, c.result)));
  out.row("filter", fmt::format("{}, {} taps, border {}", printable(r.filter), to_string(c.filter),
                                to_string(c.edge)));
  out.gap();
  out.row("device", c.device);
  out.row("way", c.threads > 0 ? fmt::format("{} on {}", c.way, format_plural(c.threads, "thread"))
                               : c.way);
  out.row("", c.reason);
  out.gap();
  out.row("values", values_of(r.values));
  out.row("time",
          fmt::format("set-up {}, run {}", format_seconds(c.setup_s), format_seconds(c.run_s)));
  if (c.run_s > 0)
    out.row("", fmt::format(
                    "{} GCells/s, {}, {} G multiply-adds/s", number_cell(c.cells_per_second * 1e-9),
                    format_rate(bytes_per_second(c)), number_cell(fmas_per_second(c) * 1e-9)));
  for (const auto& [what, where] : r.files) out.row(what, where);
  return out.text();
}

json to_json(const convolve_result& r) {
  const convolution_report& c = r.report;
  json out = document("convolve");
  out.update({{"image", r.image},
              {"size", to_string(c.size)},
              {"images", c.images},
              {"precision", c.precision},
              {"cells", c.cells},
              {"result", c.result},
              {"filter", {{"name", r.filter}, {"size", to_string(c.filter)}}},
              {"border", to_string(c.edge)},
              {"correlation", c.correlation},
              {"device", {{"name", c.device}, {"backend", to_string(c.on)}}},
              {"threads", c.threads > 0 ? json(c.threads) : json(nullptr)},
              {"requested", {{"way", r.requested_way}}},
              {"way", c.way},
              {"reason", c.reason}});
  add_fields(out, convolution_columns(), c);
  out.update({{"least", finite_or_null(r.values.least)},
              {"greatest", finite_or_null(r.values.greatest)},
              {"nonfinite_values", r.values.nonfinite},
              {"clipped_values", r.clipped},
              {"time", {{"setup_s", c.setup_s}, {"run_s", c.run_s}}},
              {"cells_per_s", number_or_null(c.cells_per_second)},
              {"warnings", r.warnings},
              {"files", {{"image", nullptr}, {"report", nullptr}}}});
  for (const auto& [what, where] : r.files) out["files"][what] = where;
  return out;
}

std::string failure_line(const convolve_result&) { return {}; }
exit_code code_of(const convolve_result&) { return exit_code::done; }

}  // namespace dwell::app
