// SPDX-License-Identifier: MIT
// Rows of probes in the formats that can be asked for.
#include "studies/measure/result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "report/columns.hpp"
#include "report/units.hpp"
#include "studies/measure/parallelism.hpp"
#include "studies/measure/reductions.hpp"

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

json count_or_null(int n) { return n > 0 ? json(n) : json(nullptr); }

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
      {"blocks", "blocks", unit::count, [](const row& r) { return count_or_null(r.blocks); }},
      {"threads", "threads", unit::count, [](const row& r) { return r.threads; }},
      {"loads", "loads", unit::count, [](const row& r) { return count_or_null(r.operations); }},
      {"load_bytes", "bytes", unit::bytes, [](const row& r) { return number_or_null(r.access); }},
      {"work_s", "work", unit::us,
       [](const row& r) { return r.work < 0 ? json(nullptr) : json(r.work); },
       [](const row& r) { return r.work < 0 ? "-" : fmt::format("{:.0f} us", r.work * 1e6); }},
      {"footprint_bytes", "footprint", unit::bytes,
       [](const row& r) { return number_or_null(r.footprint); }},
      {"unit", "", unit::word, [](const row& r) { return to_string(r.unit); }},
      {"median", "median", unit::number, positive(&row::value), cell(&row::value)},
      {"min", "min", unit::number, positive(&row::least), cell(&row::least)},
      {"max", "max", unit::number, positive(&row::most), cell(&row::most)},
      {"sigma", "sigma", unit::number, [](const row& r) { return r.sigma(); }, cell(&row::sigma)},
      {"clock", "by clock", unit::number, positive(&row::by_clock), cell(&row::by_clock)},
      {"cycles", "cycles", unit::number, positive(&row::cycles)},
      {"methods_disagree", "over 5 %", unit::yes,
       [](const row& r) { return methods_disagree(r.time); }},
      {"samples", "", unit::count, [](const row& r) { return r.samples; }}};
}

/// Columns for people without those in which no row has a value.
columns<measured_row> shown_columns(const std::vector<measured_row>& rows) {
  auto all = measured_columns();
  std::erase_if(all, [&](const auto& c) {
    return c.in != unit::yes && std::all_of(rows.begin(), rows.end(), [&](const measured_row& r) {
             return c.value(r).is_null();
           });
  });
  return all;
}

columns<needed_parallelism> parallelism_columns() {
  using row = needed_parallelism;
  const auto bytes = [](double row::*value) {
    return [value](const row& r) { return number_or_null(r.*value); };
  };
  return {
      {"probe", "probe", unit::word, [](const row& r) { return r.probe; }},
      {"load_bytes", "bytes", unit::bytes, bytes(&row::access)},
      {"best_bytes_per_s", "best", unit::number, bytes(&row::best),
       [](const row& r) { return format_rate(r.best); }},
      {"peak_bytes_per_s", "of peak", unit::number, bytes(&row::peak),
       [](const row& r) { return format_percent(r.best / r.peak); }},
      {"littles_law_bytes", "L x THR", unit::bytes, bytes(&row::concurrency)},
      {"at_80_percent_bytes", "80 %", unit::bytes, bytes(&row::at_80)},
      {"at_90_percent_bytes", "90 %", unit::bytes, bytes(&row::at_90)},
      {"at_95_percent_bytes", "95 %", unit::bytes, bytes(&row::at_95)},
  };
}

columns<barrier_behaviour> barrier_columns() {
  using row = barrier_behaviour;
  const auto asked = [](double row::*value) {
    return [value](const row& r) {
      return r.arrivals == 0 && r.departure == 0 ? json(nullptr) : json(r.*value);
    };
  };
  return {{"barrier", "barrier", unit::word, [](const row& r) { return r.barrier; }},
          {"meeting", "meet", unit::word, [](const row& r) { return r.meeting; }},
          {"outcome", "outcome", unit::word, [](const row& r) { return r.outcome; }},
          {"arrival_cycles", "arrivals", unit::count, asked(&row::arrivals)},
          {"departure_cycles", "departure", unit::count, asked(&row::departure)}};
}

columns<switching_point> switching_columns() {
  using row = switching_point;
  const auto number = [](double row::*value) {
    return [value](const row& r) { return number_or_null(r.*value); };
  };
  const auto rate = [](double row::*value) {
    return [value](const row& r) { return r.*value > 0 ? format_rate(r.*value) : "-"; };
  };
  return {
      {"few_threads", "few", unit::count, [](const row& r) { return r.few; }},
      {"many_threads", "many", unit::count, [](const row& r) { return r.many; }},
      {"synchronization_s", "L sync", unit::number, number(&row::synchronization),
       [](const row& r) { return number_cell(r.synchronization * 1e9) + " ns"; }},
      {"few_bytes_per_s", "THR few", unit::number, number(&row::few_throughput),
       rate(&row::few_throughput)},
      {"many_bytes_per_s", "THR many", unit::number, number(&row::many_throughput),
       rate(&row::many_throughput)},
      {"predicted_bytes", "predicted", unit::bytes, number(&row::predicted)},
      {"measured_bytes", "measured", unit::bytes, number(&row::measured)},
  };
}

/// Sums of whole arrays with as many threads: elements (down) by probe (across), and what CUB takes
/// over what Dwell takes.
std::string sums_map(const measure_result& r, double element_bytes, int threads) {
  std::vector<std::string> probes;
  std::set<double> sizes;
  const auto counts = [&](const measured_row& row) {
    return row.group == "reductions" && row.probe.starts_with("sum, ") &&
           row.access == element_bytes && row.threads == threads;
  };
  for (const measured_row& row : r.rows) {
    if (!counts(row)) continue;
    sizes.insert(row.footprint);
    if (std::find(probes.begin(), probes.end(), row.probe) == probes.end())
      probes.push_back(row.probe);
  }
  if (sizes.empty()) return {};
  aligned_table table;
  table.head("elements", true);
  for (const auto& probe : probes) {
    table.head(probe.substr(5) + ", us", true);
    table.head("GB/s", true);
  }
  const bool beside_cub = std::find(probes.begin(), probes.end(), "sum, CUB") != probes.end();
  if (beside_cub) table.head("CUB / dwell", true);
  for (const double bytes : sizes) {
    std::vector<std::string> cells = {fmt::format("{:.0f}", bytes / element_bytes)};
    std::map<std::string, double> seconds;
    for (const measured_row& row : r.rows)
      if (counts(row) && row.footprint == bytes) seconds[row.probe] = row.value();
    for (const auto& probe : probes) {
      const double s = seconds[probe];
      cells.push_back(s > 0 ? number_cell(s * 1e6) : "-");
      cells.push_back(s > 0 ? number_cell(bytes / s * 1e-9) : "-");
    }
    if (beside_cub) {
      const double own = seconds["sum, dwell"], cub = seconds["sum, CUB"];
      cells.push_back(own > 0 && cub > 0 ? fmt::format("{:.2f}", cub / own) : "-");
    }
    table.row(std::move(cells));
  }
  return fmt::format("\nSums of f{:.0f}, {}\n\n{}", element_bytes * 8,
                     r.device.on == backend::cuda ? "one after the other in a stream"
                                                  : format_plural(threads, "thread"),
                     table.text());
}

std::string reduction_summaries(const measure_result& r) {
  std::set<int> threads;
  for (const measured_row& row : r.rows)
    if (row.group == "reductions" && row.probe.starts_with("sum, ")) threads.insert(row.threads);
  std::string text;
  for (const double element_bytes : {8.0, 4.0})
    for (const int t : threads) text += sums_map(r, element_bytes, t);
  const auto switching = switching_points_of(r.rows);
  if (!switching.empty())
    text += fmt::format(
        "\nFrom how much on many threads of a block sum up faster than few\n\n{}\n"
        "predicted: by Little's law, latency and throughput of both; measured: a power of two\n",
        table_of(switching_columns(), switching).text());
  return text;
}

/// A probe by blocks of a multiprocessor (down) and threads of a block (across).
template <class Value>
std::string block_map(const measure_result& r, const std::string& probe, const char* what,
                      Value&& value) {
  std::set<int> blocks, threads;
  for (const measured_row& row : r.rows)
    if (row.probe == probe) blocks.insert(row.blocks), threads.insert(row.threads);
  if (blocks.empty()) return {};
  aligned_table table;
  table.head("blocks", true);
  for (const int t : threads) table.head(std::to_string(t), true);
  for (const int b : blocks) {
    std::vector<std::string> cells = {std::to_string(b / r.device.units)};
    for (const int t : threads) {
      const auto at = std::find_if(r.rows.begin(), r.rows.end(), [&](const measured_row& row) {
        return row.probe == probe && row.blocks == b && row.threads == t;
      });
      cells.push_back(at == r.rows.end() ? "-" : number_cell(value(*at)));
    }
    table.row(std::move(cells));
  }
  return fmt::format("\n{}, {}, by blocks of a multiprocessor and threads of a block\n\n{}", probe,
                     what, table.text());
}

std::string barrier_map(const measure_result& r, const std::string& probe) {
  return block_map(r, probe, "us", [](const measured_row& row) { return row.value() * 1e6; });
}

/// Warps that meet in a cycle of a multiprocessor.
std::string throughput_map(const measure_result& r) {
  return block_map(r, block_throughput, "warps a cycle", [](const measured_row& row) {
    return row.time.cycles > 0 ? row.amount / row.time.cycles : 0;
  });
}

std::string summaries(const measure_result& r) {
  if (r.device.on == backend::cpu) return reduction_summaries(r);
  std::string text;
  if (!r.barriers.empty())
    text = fmt::format(
        "\nThreads that are not together at a barrier\n\n{}\n"
        "arrivals: cycles from the first to the last; departure: from that to the first one that "
        "leaves\n",
        table_of(barrier_columns(), r.barriers).text());
  text += throughput_map(r) + barrier_map(r, "cooperative grid barrier") +
          barrier_map(r, "dwell grid barrier");
  const auto needed = needed_parallelism_of(r.rows, r.device.units);
  if (!needed.empty())
    text += fmt::format(
        "\nBytes under way on a multiprocessor, for so much of the peak\n\n{}\n"
        "L x THR: latency of a load times the bytes loaded at the peak\n",
        table_of(parallelism_columns(), needed).text());
  return text + reduction_summaries(r);
}

}  // namespace

std::string to_text(const measure_result& r) {
  const bool on_gpu = r.device.on == backend::cuda;
  const auto heading =
      fmt::format("{}, {}{}\n", r.device.name,
                  format_plural(r.device.units, on_gpu ? "multiprocessor" : "thread"),
                  r.interrupted ? ", interrupted" : "");
  if (r.rows.empty() && !r.barriers.empty()) return heading + summaries(r);
  return fmt::format(
      "{}\n{}\nmedian, min, max, sigma: by the difference of two repeat counts; by clock: {}\n{}",
      heading, table_of(shown_columns(r.rows), r.rows).text(),
      on_gpu
          ? "by that\nof the multiprocessors, of launches the time of the longer run over its "
            "repetitions;\nover 5 %: these two differ by more"
          : "the time of\nthe longer run over its repetitions; over 5 %: these two differ by more",
      summaries(r));
}

std::string to_csv(const measure_result& r) { return csv_of(measured_columns(), r.rows); }

json to_json(const measure_result& r) {
  json out = document("measure");
  out["device"] = {
      {"name", r.device.name}, {"backend", to_string(r.device.on)}, {"units", r.device.units}};
  out["full"] = r.full;
  out["interrupted"] = r.interrupted;
  out["rows"] = array_of(measured_columns(), r.rows);
  out["parallelism"] =
      array_of(parallelism_columns(), needed_parallelism_of(r.rows, r.device.units));
  out["barriers"] = array_of(barrier_columns(), r.barriers);
  out["switching"] = array_of(switching_columns(), switching_points_of(r.rows));
  return out;
}

}  // namespace dwell::app
