// SPDX-License-Identifier: MIT
// The equations are those of scaling.hpp; here they are put together for a run.
#include "studies/models/scaling_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/columns.hpp"
#include "report/units.hpp"

#include "dwell/base/error.hpp"
#include "dwell/device/limits.hpp"

namespace dwell::app {

namespace {

using model::scaling_point;

/// Steps between two exchanges that Dwell's GPUs make at most, unless asked for more.
constexpr int most_steps = 48;

model::grid_cells cells_of(const extents& n) { return {{n.z, n.y, n.x}}; }

std::string size_text(const extents& n) {
  return n.dims == 3 ? fmt::format("{}x{}x{}", n.z, n.y, n.x) : fmt::format("{}x{}", n.y, n.x);
}
std::string counts_text(const model::axis_counts& n, int dims) {
  return dims == 3 ? fmt::format("{}x{}x{}", n[0], n[1], n[2]) : fmt::format("{}x{}", n[1], n[2]);
}

const model::cg_variant& variant_of(const std::string& name) {
  return *std::find_if(model::cg_variants.begin(), model::cg_variants.end(),
                       [&](const model::cg_variant& f) { return f.name == name; });
}

double nonzeros_of(const scaling_request& q) {
  return q.nonzeros_per_row.value_or(q.size.dims == 3 ? 7 : 5);
}

/// What does not depend on the number of GPUs.
class scaled_problem {
 public:
  explicit scaled_problem(const scaling_request& q) : q_(q), bytes_(q.precision == "f64" ? 8 : 4) {
    const device_limits l = limits_of(q.device);
    on_.gpu = {l.memory, l.l2, l.l2_cached, l.launch, l.waits.phase, l.waits.product};
    on_.links = q.links;
    on_.sums = q.sums == "ring"         ? model::rank_sums::ring
               : q.sums == "all-reduce" ? model::rank_sums::library
                                        : model::rank_sums::groups;
    on_.hides = q.overlap == "all"        ? model::overlap::all
                : q.overlap == "exchange" ? model::overlap::exchange
                                          : model::overlap::none;
    if (q.one_gpu_us > 0)
      on_.one_gpu = {q.one_gpu_us * 1e-6,
                     static_cast<double>(q.one_gpu_size.value_or(q.size).cells())};
  }

  scaling_row row(int gpus) const {
    model::division_request where{.cells = cells_of(q_.size),
                                  .of_each_rank = q_.weak,
                                  .ranks = gpus,
                                  .ranks_of_host = q_.links.ranks_of_host,
                                  .cut_axes = q_.division == "slabs"     ? 1
                                              : q_.division == "pencils" ? 2
                                                                         : 3};
    scaling_row out;
    out.gpus = gpus, out.hosts = model::hosts_of(gpus, q_.links);
    if (q_.stencil) {
      const int steps = q_.steps_per_exchange.value_or(planned_steps(where));
      if (gpus > 1) out.steps_per_exchange = steps;
      out.point = scale(model::stencil_scaling{.radius = q_.stencil->radius,
                                               .star = q_.stencil->star(),
                                               .cell_bytes = bytes_,
                                               .steps_per_exchange = steps,
                                               .pass_steps = q_.pass_steps},
                        where, on_);
    } else {
      out.point = scale(model::cg_scaling{.variant = variant_of(q_.variant),
                                          .nonzeros_per_row = nonzeros_of(q_),
                                          .star = nonzeros_of(q_) <= 2 * q_.size.dims + 1,
                                          .value_bytes = bytes_},
                        where, on_);
    }
    out.fits = out.point && out.point->memory_bytes <= static_cast<double>(q_.device.memory);
    return out;
  }

 private:
  /// Plans the steps that distributed_stencil does between exchanges.
  int planned_steps(model::division_request where) const {
    where.layers = q_.stencil->radius;
    const auto division = divide(where);
    if (!division) return 1;
    return model::whole_passes(
        model::steps_that_add_a_tenth(least_cells(where, *division), *division, q_.stencil->radius,
                                      most_steps),
        q_.pass_steps);
  }

  const scaling_request& q_;
  double bytes_;
  model::scaling_setting on_;
};

void check(const scaling_request& q) {
  if (q.stencil && q.size.dims != q.stencil->dims)
    throw input_error(fmt::format("--size: {} works on {} dimensions, found {}", q.stencil->name,
                                  q.stencil->dims, size_text(q.size)));
  if (q.one_gpu_size && q.one_gpu_size->dims != q.size.dims)
    throw input_error(fmt::format("--one-gpu-size: expected {} dimensions as --size has, found {}",
                                  q.size.dims, size_text(*q.one_gpu_size)));
  if (!q.stencil && q.overlap == "all" && !variant_of(q.variant).can_hide_sums)
    throw input_error(
        fmt::format("--overlap: expected none or exchange of the variant {}, whose products wait "
                    "for the sums before them, found 'all'",
                    q.variant));
  if (q.one_gpu_size && q.one_gpu_us == 0)
    throw input_error("--one-gpu-size: expected --one-gpu with it, found none");
  if (q.device.on != backend::cuda)
    throw input_error("--device-facts: expected those of a GPU, found those of " + q.device.name);
  if (q.pass_steps > 1 && q.one_gpu_us == 0)
    throw input_error(
        "--pass: expected --one-gpu with it, found none: what a pass of several steps takes is "
        "not in the device's facts");
}

const char* word_of(model::scaling_part part) {
  constexpr std::array words = {"compute", "exchange", "reduction", "latency"};
  return words[static_cast<std::size_t>(part)];
}

using valuation = std::function<json(const scaling_point&)>;
column<scaling_row>::valuation of_point(valuation value) {
  return [value](const scaling_row& r) { return r.point ? value(*r.point) : json(nullptr); };
}
/// A column of microseconds.
column<scaling_row> time_column(const std::string& key, const std::string& head,
                                double (*seconds)(const model::iteration_time&)) {
  return {key, head, unit::number,
          of_point([seconds](const scaling_point& p) { return json(1e6 * seconds(p.time)); })};
}

columns<scaling_row> row_columns(const scaling_request& q) {
  using row = scaling_row;
  using point = scaling_point;
  using time = model::iteration_time;
  const int dims = q.size.dims;
  return {
      {"gpus", "GPUs", unit::count, [](const row& r) { return r.gpus; }},
      {"hosts", "", unit::count, [](const row& r) { return r.hosts; }},
      {"parts", "parts", unit::range,
       of_point([dims](const point& p) { return counts_text(p.division.parts, dims); })},
      {"own", "cells of each", unit::range,
       of_point([dims](const point& p) { return counts_text(p.own.of, dims); })},
      {"memory_bytes", "", unit::bytes, of_point([](const point& p) { return p.memory_bytes; })},
      {"fits", "", unit::yes, [](const row& r) { return r.fits; }},
      {"steps_per_exchange", q.stencil ? "steps" : "", unit::count,
       [](const row& r) {
         return r.steps_per_exchange ? json(*r.steps_per_exchange) : json(nullptr);
       }},
      {"messages", "messages", unit::count,
       of_point([](const point& p) { return p.halo.messages; })},
      {"messages_off_host", "", unit::count,
       of_point([](const point& p) { return p.halo.off_host; })},
      {"halo_bytes", "sent", unit::bytes, of_point([](const point& p) { return p.halo_bytes; })},
      {"reductions", q.stencil ? "" : "sums", unit::count,
       of_point([](const point& p) { return static_cast<int>(p.reductions); })},
      {"sum_steps", "", unit::count, of_point([](const point& p) { return p.sum.steps; })},
      {"sum_bytes", "", unit::bytes, of_point([](const point& p) { return p.sum.bytes; })},
      time_column("compute_us", "compute", [](const time& t) { return t.compute; }),
      time_column("exchange_us", "exchange", [](const time& t) { return t.exchange; }),
      time_column("reduction_us", q.stencil ? "" : "reduction",
                  [](const time& t) { return t.reduction; }),
      time_column("latency_us", "latency", [](const time& t) { return t.latency; }),
      time_column("hidden_us", q.overlap == "none" ? "" : "hidden",
                  [](const time& t) { return t.hidden; }),
      time_column("total_us", "total, us", [](const time& t) { return t.seconds(); }),
      {"efficiency", "efficiency", unit::percent,
       [](const row& r) { return r.efficiency ? json(*r.efficiency) : json(nullptr); }},
      {"binds", "binds", unit::word,
       of_point([](const point& p) { return word_of(p.time.binds()); }), [](const row& r) {
         if (!r.point) return std::string("too few layers");
         return std::string(word_of(r.point->time.binds())) +
                (r.fits ? "" : " (memory is too small)");
       }}};
}

std::string problem_text(const scaling_table& s) {
  const scaling_request& q = s.asked;
  std::string out = q.stencil
                        ? q.stencil->name
                        : fmt::format("cg, {}, {:.4g} nonzeros a row", q.variant, nonzeros_of(q));
  out += fmt::format(", {}, {}{}, {}", q.precision, size_text(q.size), q.weak ? " on each GPU" : "",
                     q.division);
  if (!q.stencil) out += ", sums: " + q.sums;
  if (q.overlap != "none") out += ", overlap: " + q.overlap;
  return out + fmt::format("\n{}, {} of a host; {}\n\n", q.device.name, q.links.ranks_of_host,
                           q.one_gpu_us > 0
                               ? fmt::format("one takes {} us with {}", number_cell(q.one_gpu_us),
                                             size_text(q.one_gpu_size.value_or(q.size)))
                               : std::string("what one takes is projected from its rates"));
}

json link_json(const model::link& l) {
  return {{"latency_us", 1e6 * l.latency},
          {"large_latency_us", 1e6 * l.large_latency},
          {"bandwidth_bytes_per_s", l.bandwidth},
          {"ring_step_us", 1e6 * l.ring_step},
          {"overhead_us", 1e6 * l.overhead}};
}

}  // namespace

scaling_table project_scaling(const scaling_request& request) {
  check(request);
  scaling_table out{request, {}};
  const scaled_problem problem(request);
  std::optional<double> first;  // GPUs times seconds, or in weak scaling seconds
  for (const int gpus : request.gpus) {
    scaling_row& row = out.rows.emplace_back(problem.row(gpus));
    if (!row.point) continue;
    const double cost = row.point->time.seconds() * (request.weak ? 1 : gpus);
    if (!first) first = cost;
    row.efficiency = *first / cost;
  }
  return out;
}

std::string to_text(const scaling_table& s) {
  return problem_text(s) + table_of(row_columns(s.asked), s.rows).text() +
         fmt::format(
             "\nmicroseconds of {}, of a GPU in the midst; sent: in one exchange; latency: "
             "launches and\nwaits of phases; efficiency: over the first row\n",
             s.asked.stencil ? "a step" : "an iteration");
}

std::string to_csv(const scaling_table& s) { return csv_of(row_columns(s.asked), s.rows); }

json to_json(const scaling_table& s) {
  const scaling_request& q = s.asked;
  json out = document("model scaling");
  out["problem"] = {{"name", q.stencil ? q.stencil->name : "cg"},
                    {"size", size_text(q.size)},
                    {"weak", q.weak},
                    {"precision", q.precision},
                    {"variant", q.stencil ? json(nullptr) : json(q.variant)},
                    {"nonzeros_per_row", q.stencil ? json(nullptr) : json(nonzeros_of(q))},
                    {"radius", q.stencil ? json(q.stencil->radius) : json(nullptr)},
                    {"pass_steps", q.stencil ? json(q.pass_steps) : json(nullptr)}};
  out["division"] = q.division;
  out["sums"] = q.stencil ? json(nullptr) : json(q.sums);
  out["overlap"] = q.overlap;
  out["device"] = q.device.name;
  out["one_gpu_us"] = number_or_null(q.one_gpu_us);
  out["one_gpu_size"] =
      q.one_gpu_us > 0 ? json(size_text(q.one_gpu_size.value_or(q.size))) : json(nullptr);
  out["links"] = {
      {"gpus_of_host", q.links.ranks_of_host},     {"call_us", 1e6 * q.links.call},
      {"large_call_us", 1e6 * q.links.large_call}, {"small_bytes", q.links.small_bytes},
      {"host", link_json(q.links.host)},           {"network", link_json(q.links.network)}};
  out["rows"] = array_of(row_columns(q), s.rows);
  return out;
}

}  // namespace dwell::app
