// SPDX-License-Identifier: MIT
// See result.hpp.
#include "measure/result.hpp"

#include <fmt/format.h>

#include "report/columns.hpp"
#include "report/units.hpp"

namespace dwell::app {

namespace {

/// In the unit of the row. Times of nanoseconds keep three digits.
std::string shown_value(const measured_row& r, double v) {
  if (!(v > 0)) return "-";
  switch (r.unit) {
    case measured_unit::seconds:
      return v < 999.5e-9 ? number_cell(v * 1e9) + " ns" : format_seconds(v);
    case measured_unit::bytes_per_s:
      return format_rate(v);
    case measured_unit::operations_per_s:
      return number_cell(v * 1e-9) + " G/s";
  }
  return {};
}

columns<measured_row> measured_columns() {
  using row = measured_row;
  const auto positive = [](double (row::*value)() const) {
    return [value](const row& r) { return number_or_null((r.*value)()); };
  };
  const auto cell = [](double (row::*value)() const) {
    return [value](const row& r) { return shown_value(r, (r.*value)()); };
  };
  return {
      {"group", "group", unit::word, [](const row& r) { return r.group; }},
      {"probe", "probe", unit::word, [](const row& r) { return r.probe; }},
      {"threads", "threads", unit::count, [](const row& r) { return r.threads; }},
      {"footprint_bytes", "footprint", unit::bytes,
       [](const row& r) { return number_or_null(r.footprint); }},
      {"unit", "", unit::word, [](const row& r) { return to_string(r.unit); }},
      {"median", "median", unit::number, positive(&row::value), cell(&row::value)},
      {"min", "min", unit::number, positive(&row::least), cell(&row::least)},
      {"max", "max", unit::number, positive(&row::most), cell(&row::most)},
      {"sigma", "sigma", unit::number, [](const row& r) { return r.sigma(); }, cell(&row::sigma)},
      {"clock", "by clock", unit::number, positive(&row::by_clock), cell(&row::by_clock)},
      {"methods_disagree", "over 5 %", unit::yes,
       [](const row& r) { return methods_disagree(r.time); }},
      {"samples", "", unit::count, [](const row& r) { return r.samples; }}};
}

}  // namespace

std::string to_text(const measure_result& r) {
  return fmt::format(
      "{}, {}{}\n\n{}\nmedian, min, max, sigma: by the difference of two repeat counts; by clock: "
      "the time of\nthe longer run over its repetitions; over 5 %: these two differ by more\n",
      r.device.name, format_plural(r.device.units, "thread"), r.interrupted ? ", interrupted" : "",
      table_of(measured_columns(), r.rows).text());
}

std::string to_csv(const measure_result& r) { return csv_of(measured_columns(), r.rows); }

json to_json(const measure_result& r) {
  json out = document("measure");
  out["device"] = {
      {"name", r.device.name}, {"backend", to_string(r.device.on)}, {"units", r.device.units}};
  out["full"] = r.full;
  out["interrupted"] = r.interrupted;
  out["rows"] = array_of(measured_columns(), r.rows);
  return out;
}

}  // namespace dwell::app
