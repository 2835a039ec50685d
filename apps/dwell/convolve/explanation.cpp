// SPDX-License-Identifier: MIT
// What would be done, the quantities of the model, then all algorithms side by side.
#include "convolve/explanation.hpp"

#include <fmt/format.h>

#include "convolve/result.hpp"
#include "report/columns.hpp"
#include "report/table.hpp"
#include "report/units.hpp"

#include "dwell/base/printable.hpp"
#include "dwell/version.hpp"

namespace dwell::app {
namespace {

/// An algorithm with the explanation that owns it.
struct explained_algorithm {
  const convolution_explanation* of;
  const convolution_algorithm_plan* algorithm;
};
struct explained_pass {
  const convolution_explanation* of;
  const convolution_pass_plan* pass;
};

bool on_gpu(const convolution_explanation& e) { return e.device.on == backend::cuda; }

json microseconds(const convolution_explanation& e, double seconds) {
  return e.projected ? json(seconds * 1e6) : json(nullptr);
}

columns<explained_algorithm> explained_algorithm_columns(const convolution_explanation& e) {
  using row = explained_algorithm;
  const auto us_of = [](double convolution_seconds::*part) {
    return [part](const row& r) { return microseconds(*r.of, r.algorithm->projected.*part); };
  };
  const auto if_projected = [&](const char* head) { return e.projected ? head : ""; };
  return {
      {"algorithm", "algorithm", unit::word, [](const row& r) { return r.algorithm->algorithm; },
       [](const row& r) {
         return r.algorithm->algorithm + (r.algorithm->algorithm == r.of->algorithm ? " *" : "");
       }},
      {"refusal", "", unit::word, [](const row& r) { return text_or_null(r.algorithm->refusal); }},
      {"projected_us.total", if_projected("time"), unit::us, us_of(&convolution_seconds::all)},
      {"projected_us.memory", if_projected("memory"), unit::us,
       us_of(&convolution_seconds::memory)},
      {"projected_us.multiply_adds", if_projected("multiply-adds"), unit::us,
       us_of(&convolution_seconds::multiply_adds)},
      {"projected_us.moves", if_projected("moves"), unit::us, us_of(&convolution_seconds::moves)},
      {"projected_us.chain", if_projected("chain"), unit::us, us_of(&convolution_seconds::chain)},
      {"projected_us.launch", if_projected("launch"), unit::us,
       us_of(&convolution_seconds::launch)},
      {"largest_part", "", unit::word,
       [](const row& r) { return text_or_null(largest_part(r.algorithm->projected)); }},
      {"tile", "tile", unit::range,
       [](const row& r) { return fmt::format("{}x{}", r.algorithm->rows, r.algorithm->columns); }},
      {"halo", "halo", unit::percent, [](const row& r) { return r.algorithm->halo; }},
      {"shared_bytes", on_gpu(e) ? "shared/block" : "", unit::bytes,
       [](const row& r) { return on_gpu(*r.of) ? json(r.algorithm->shared) : json(nullptr); }}};
}

columns<explained_pass> explained_pass_columns() {
  using row = explained_pass;
  return {{"taps", "", unit::word, [](const row& r) { return to_string(r.pass->taps); }},
          {"projected_us", "", unit::us,
           [](const row& r) { return microseconds(*r.of, r.pass->projected.all); }}};
}

std::vector<explained_algorithm> explained_algorithms(const convolution_explanation& e) {
  std::vector<explained_algorithm> rows;
  for (const auto& w : e.algorithms) rows.push_back({&e, &w});
  return rows;
}
std::vector<explained_pass> explained_passes(const convolution_explanation& e) {
  std::vector<explained_pass> rows;
  for (const auto& p : e.passes) rows.push_back({&e, &p});
  return rows;
}

std::string device_text(const convolution_explanation& e) {
  if (!e.projected) return e.device.name + " (cpu); no model of CPUs, so no projected time";
  return fmt::format("{} ({} multiprocessors){}", e.device.name, e.device.units,
                     e.device.limits ? ", by the facts of a file" : "");
}

/// The quantities of the document, of the pass that decides.
void add_systolic(const convolution_explanation& e, table& out) {
  const systolic_quantities& q = e.systolic;
  out.row("systolic", fmt::format("M x N = {} x {} taps, P = {} sums of a lane below one another",
                                  q.tap_columns, q.tap_rows, q.sum_rows));
  out.row("", fmt::format("C = N + P - 1 = {} rows of cells in registers, a warp's {} columns wide",
                          q.cached_rows, q.warp_columns));
  out.row("",
          fmt::format("halo ratio {:.2f}: of the cells that a warp loads, those that give no sum",
                      q.halo_ratio));
  if (!q.has_latencies()) return;
  out.row("",
          fmt::format("L_smem / L_reg = {:.0f} / {:.0f} cycles = {:.2f} (latencies: "
                      "multiply-add {:.0f}, shared memory {:.0f}, shuffle {:.0f})",
                      q.latency_shared, q.latency_systolic, q.latency_shared / q.latency_systolic,
                      q.latencies.multiply_add, q.latencies.shared_read, q.latencies.shuffle));
}

std::string taps_of_passes(const convolution_explanation& e) {
  std::string out;
  for (const auto& p : e.passes) {
    out += fmt::format("{}{} taps", out.empty() ? "" : ", then ", to_string(p.taps));
    if (e.projected) out += fmt::format(" ({})", format_seconds(p.projected.all));
  }
  return out;
}

}  // namespace

std::string to_text(const convolution_explanation& e, const std::string& filter) {
  table out("dwell " DWELL_VERSION_STRING ": how a convolution would be computed, and why");
  out.row("images", fmt::format("{} of {} cells, {}", format_count(e.images), to_string(e.size),
                                cells_text(e.cells, e.precision, e.result)));
  out.row("filter", fmt::format("{}, {} taps, border {}{}", printable(filter), to_string(e.filter),
                                to_string(e.edge), e.correlation ? ", not turned round" : ""));
  out.row("device", device_text(e));
  out.gap();
  out.row("algorithm",
          e.threads > 0 ? fmt::format("{} on {}", e.algorithm, format_plural(e.threads, "thread"))
                        : e.algorithm);
  out.row("", e.reason);
  out.row(e.passes.size() > 1 ? "passes" : "pass", taps_of_passes(e));
  if (e.projected)
    out.row("", fmt::format("largest part of {}: {}",
                            e.passes.size() > 1 ? fmt::format("the pass of {} taps",
                                                              to_string(e.passes[e.decides].taps))
                                                : "that",
                            largest_part(e.passes[e.decides].projected)));
  if (!e.chosen().refusal.empty()) out.row("", "CANNOT RUN: " + e.chosen().refusal);
  if (on_gpu(e)) {
    out.gap();
    add_systolic(e, out);
  }
  std::string remarks;
  for (const auto& w : e.algorithms)
    if (!w.refusal.empty() && w.algorithm != e.algorithm)
      remarks += fmt::format("{}: cannot run: {}\n", w.algorithm, w.refusal);
  if (e.passes.size() > 1)
    remarks += fmt::format("The algorithms are those of the pass of {} taps, which has the most.\n",
                           to_string(e.passes[e.decides].taps));
  if (e.projected)
    remarks +=
        "time: by a model fitted to an H100, memory or multiply-adds and moves, whichever is "
        "longer, "
        "then\n"
        "chain and launch; compare measures it. chain: of one tile, which others hide where there "
        "are\n"
        "many. halo: of the cells read for a tile.\n";
  return out.text() + "\n" +
         table_of(explained_algorithm_columns(e), explained_algorithms(e)).text() + remarks;
}

json to_json(const convolution_explanation& e, const std::string& filter) {
  const systolic_quantities& q = e.systolic;
  const auto known = [](double cycles) { return cycles > 0 ? json(cycles) : json(nullptr); };
  json out = document("explain convolve");
  out.update(
      {{"size", to_string(e.size)},
       {"images", e.images},
       {"precision", e.precision},
       {"cells", e.cells},
       {"result", e.result},
       {"filter", {{"name", filter}, {"size", to_string(e.filter)}}},
       {"border", to_string(e.edge)},
       {"correlation", e.correlation},
       {"device",
        {{"name", e.device.name}, {"backend", to_string(e.device.on)}, {"units", e.device.units}}},
       {"threads", e.threads > 0 ? json(e.threads) : json(nullptr)},
       {"algorithm", e.algorithm},
       {"reason", e.reason},
       {"taps", e.taps},
       {"bytes", e.bytes},
       {"passes", array_of(explained_pass_columns(), explained_passes(e))},
       {"decides", e.decides},
       {"systolic",
        {{"tap_columns", q.tap_columns},
         {"tap_rows", q.tap_rows},
         {"sum_rows", q.sum_rows},
         {"cached_rows", q.cached_rows},
         {"warp_columns", q.warp_columns},
         {"halo_ratio", q.halo_ratio},
         {"multiply_add_cycles", known(q.latencies.multiply_add)},
         {"shared_read_cycles", known(q.latencies.shared_read)},
         {"shuffle_cycles", known(q.latencies.shuffle)},
         {"latency_shared_cycles", known(q.latency_shared)},
         {"latency_systolic_cycles", known(q.latency_systolic)}}},
       {"algorithms", array_of(explained_algorithm_columns(e), explained_algorithms(e))}});
  return out;
}

}  // namespace dwell::app
