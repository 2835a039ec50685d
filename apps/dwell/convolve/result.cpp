// SPDX-License-Identifier: MIT
// A convolution's report as text and JSON.
#include "convolve/result.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string_view>

#include "report/fields.hpp"
#include "report/table.hpp"
#include "report/units.hpp"

#include "dwell/base/printable.hpp"
#include "dwell/solvers/arrays/convolution/report_table.hpp"
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
  columns<convolution_report> all;
  for (const std::string_view name : {"passes", "taps", "bytes"}) {
    const auto& row = field_named(convolution_report_table(), name);
    all.push_back({row.json, "", row.unit == report_unit::bytes ? unit::bytes : unit::count,
                   [&row](const convolution_report& r) { return json_of(row.value(r)); }});
  }
  return all;
}

std::string to_text(const convolve_result& r) {
  const convolution_report& c = r.report;
  const report_words<convolution_report> say(convolution_report_table(), c);
  table out("dwell " DWELL_VERSION_STRING ": " +
            (c.correlation ? say.shown("correlation") : "convolution"));
  out.row("image", fmt::format("{}, ", printable(r.image)) +
                       (c.images > 1 ? say("{images} of ") : "") + say("{size} cells, ") +
                       cells_text(c.cells, c.precision, c.result));
  out.row("filter", printable(r.filter) + say(", {filter} taps, border {edge}"));
  out.gap();
  out.row("device", c.device);
  out.row("algorithm", c.threads > 0 ? say("{algorithm} on ") + format_plural(c.threads, "thread")
                                     : c.algorithm);
  out.row("", c.reason);
  out.gap();
  out.row("values", values_of(r.values));
  out.row("time", say("set-up {setup_s}, run {run_s}"));
  if (c.run_s > 0)
    out.row("", say("{cells_per_second}, ") + fmt::format("{}, {} G multiply-adds/s",
                                                          format_rate(bytes_per_second(c)),
                                                          number_cell(fmas_per_second(c) * 1e-9)));
  for (const auto& [what, where] : r.files) out.row(what, where);
  return out.text();
}

json to_json(const convolve_result& r) {
  json out = document("convolve");
  out["image"] = r.image;
  add_report(out, convolution_report_table(), r.report,
             {{"filter", "filter.name", r.filter},
              {"algorithm", "requested.algorithm", r.requested_algorithm},
              {"setup_s", "least", finite_or_null(r.values.least)},
              {"setup_s", "greatest", finite_or_null(r.values.greatest)},
              {"setup_s", "nonfinite_values", r.values.nonfinite},
              {"setup_s", "clipped_values", r.clipped}});
  out.update({{"warnings", r.warnings}, {"files", {{"image", nullptr}, {"report", nullptr}}}});
  for (const auto& [what, where] : r.files) out["files"][what] = where;
  return out;
}

std::string nonfinite_text(const convolve_result& r) {
  const auto values = format_plural(static_cast<std::int64_t>(r.values.nonfinite), "value");
  if (r.overflowed())
    return fmt::format("{} of the outcome beyond the largest number of {}", values,
                       r.report.result);
  return fmt::format("{} of the outcome are not finite: {} of the image are not", values,
                     r.nonfinite_of_image);
}

std::string failure_line(const convolve_result& r) {
  return r.overflowed() ? nonfinite_text(r) : "";
}
exit_code code_of(const convolve_result& r) {
  return r.overflowed() ? exit_code::breakdown : exit_code::done;
}

}  // namespace dwell::app
