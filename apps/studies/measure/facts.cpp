// SPDX-License-Identifier: MIT
// Chooses the row for each fact, and says where it comes from.
#include "studies/measure/facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "report/units.hpp"

#include "dwell/base/error.hpp"
#include "dwell/device/limits.hpp"

namespace dwell::app {

namespace {

/// Which row: a probe, its threads, on a GPU its blocks, and the footprint nearest to this one.
struct wanted_row {
  std::string probe;
  int threads = 1;
  double footprint = 0;
  int blocks = 0;
};

class reader {
 public:
  reader(const std::vector<measured_row>& rows, measured_facts& out) : rows_(rows), out_(out) {}

  /// The row; null where it was not measured.
  const measured_row* find(const wanted_row& wanted) const {
    const measured_row* best = nullptr;
    const auto distance = [&](const measured_row& r) {
      return wanted.footprint > 0 ? std::abs(std::log(r.footprint / wanted.footprint)) : 0.0;
    };
    for (const measured_row& r : rows_)
      if (r.probe == wanted.probe && r.threads == wanted.threads &&
          (wanted.blocks == 0 || r.blocks == wanted.blocks) &&
          (!best || distance(r) < distance(*best)))
        best = &r;
    return best && best->value() > 0 ? best : nullptr;
  }

  /// The median of the row.
  double take(const char* field, const wanted_row& wanted) {
    const measured_row* best = find(wanted);
    if (!best)
      throw input_error(fmt::format("--save: expected a measured value of {} with {}, found none",
                                    wanted.probe, format_plural(wanted.threads, "thread")));
    out_.sources.push_back(
        fmt::format("{}: measured, {}{}, {}{}", field, wanted.probe,
                    wanted.footprint > 0 ? " of " + format_bytes(best->footprint) : "",
                    wanted.blocks > 0 ? format_plural(wanted.blocks, "block") + " of " : "",
                    format_plural(wanted.threads, "thread")));
    return best->value();
  }

  /// The largest footprint that is copied nearer to the first rate than to the second, by their
  /// ratio.
  double held(int threads, double cache, double memory) const {
    double most = 0;
    for (const measured_row& r : rows_)
      if (r.probe == "copy" && r.threads == threads && r.value() > std::sqrt(cache * memory))
        most = std::max(most, r.footprint);
    return most;
  }

  /// The planner takes it that of a pass over f bytes, again and again, the part h = 2 c / f - 1
  /// hits, if the cache holds c (execution/krylov/plan/projection.cpp). That c by the rates of
  /// copies larger than the fastest one, the median over those of which a part hits; 0: there is
  /// none.
  double hit(double cache, double memory) const {
    const measured_row* fastest = nullptr;
    for (const measured_row& r : rows_)
      if (r.probe == "copy" && (!fastest || r.value() > fastest->value())) fastest = &r;
    std::vector<double> all;
    for (const measured_row& r : rows_) {
      if (r.probe != "copy" || !(r.value() > 0) || r.footprint <= fastest->footprint) continue;
      const double h = (1 / memory - 1 / r.value()) / (1 / memory - 1 / cache);
      if (h > 0.1 && h < 0.9) all.push_back(r.footprint * (1 + h) / 2);
    }
    return all.empty() ? 0 : median_of(std::move(all));
  }

  /// The largest footprint of a copy.
  double largest() const {
    double most = 0;
    for (const measured_row& r : rows_)
      if (r.probe == "copy") most = std::max(most, r.footprint);
    return most;
  }

  /// Cycles of the row by the clock; 0 where it was not measured.
  double cycles(const char* field, const wanted_row& wanted, double clock) {
    return find(wanted) ? take(field, wanted) * clock : 0;
  }

  void note(const std::string& source) { out_.sources.push_back(source); }

 private:
  const std::vector<measured_row>& rows_;
  measured_facts& out_;
};

constexpr const char* held_source =
    "l2_cached_bytes: the largest copy that is nearer to the rate of the last-level cache";

device_limits limits_of_cpu(const device_facts& here, reader& from) {
  const int all = here.units;
  device_limits l;
  l.measured = true;
  l.units = all;
  // Well inside each level: a core's own cache, the last one, and memory as far as it was gone
  // over.
  const double largest = from.largest();
  const double own = 0.5 * static_cast<double>(here.shared_per_team);
  const double last = std::min(0.5 * static_cast<double>(here.l2), 0.25 * largest);
  l.memory = from.take("memory_bytes_per_s", {"copy", all, largest});
  l.l2 = from.take("l2_bytes_per_s", {"copy", all, last});
  l.shared = from.take("shared_bytes_per_s", {"copy", all, own * all});
  l.unit_through = from.take("unit_bytes_per_s", {"copy", 1, last});
  l.l2_cached = std::clamp(from.held(all, l.l2, l.memory), own * all,
                           std::max(own * all, static_cast<double>(here.l2)));
  from.note(held_source);
  l.clock = from.take("clock_hz", {"cycles", 1});
  l.fma_f64 = from.take("fma_f64_per_cycle", {"fma f64", 1}) / l.clock;
  l.fma_f32 = from.take("fma_f32_per_cycle", {"fma f32", 1}) / l.clock;
  l.barrier = from.take("barrier_s", {"dwell barrier", all});
  l.launch = from.take("launch_s", {"launch", all});
  return l;
}

device_limits limits_of_gpu(const device_facts& here, reader& from) {
  constexpr int most_threads = 1024, usual_threads = 512, warp = 32;
  const int units = here.units;
  device_limits l = limits_of(here);
  l.units = units;
  l.measured = true;
  const double l2 = static_cast<double>(here.l2), largest = from.largest();
  l.memory = from.take("memory_bytes_per_s", {"copy", most_threads, largest});
  l.l2 = from.take("l2_bytes_per_s",
                   {"read", most_threads, std::min(0.5 * l2, 0.25 * largest), units});
  l.shared = from.take("shared_bytes_per_s", {"shared read", most_threads, 0, units});
  l.unit_through = from.take("unit_bytes_per_s", {"read", most_threads, 0.25 * l2, 1});
  l.l2_cached = std::clamp(from.hit(l.l2, l.memory), 0.25 * l2, l2);
  from.note(
      "l2_cached_bytes: c, if of a pass over f bytes the part 2 c / f - 1 hits: median over "
      "copies");
  l.clock = from.take("clock_hz", {"cycles", warp, 0, units});
  l.fma_f64 = from.take("fma_f64_per_cycle", {"fma f64", most_threads, 0, units}) / l.clock / units;
  l.fma_f32 = from.take("fma_f32_per_cycle", {"fma f32", most_threads, 0, units}) / l.clock / units;
  l.barrier = from.take("barrier_s", {"dwell grid barrier", usual_threads, 0, units});
  if (here.cluster_teams > 0)
    l.cluster_barrier = from.take("cluster_barrier_s",
                                  {"dwell cluster barrier", usual_threads, 0, here.cluster_teams});
  l.latencies = {from.cycles("fma_f32_latency_cycles", {"fma f32 latency", warp, 0, 1}, l.clock),
                 from.cycles("shared_latency_cycles", {"shared load", 1, 0, 1}, l.clock),
                 from.cycles("shuffle_latency_cycles", {"shuffle 32 bits", warp, 0, 1}, l.clock)};
  from.note(fmt::format(
      "launch_s, phase_s, product_s and those of whole, cluster and ghost: as Dwell has "
      "them of {}; they are fitted to times of solves, which no probe measures",
      here.name));
  return l;
}

}  // namespace

std::vector<std::string> groups_for_facts() { return {"sync", "memory", "arithmetic"}; }

measured_facts facts_from_rows(const device_facts& here, const std::vector<measured_row>& rows) {
  measured_facts out;
  out.facts = here;
  out.sources = {here.on == backend::cpu ? "units and sizes: as the operating system says"
                                         : "units and sizes: as the driver says"};
  reader from(rows, out);
  out.facts.limits = std::make_shared<const device_limits>(
      here.on == backend::cpu ? limits_of_cpu(here, from) : limits_of_gpu(here, from));
  return out;
}

}  // namespace dwell::app
