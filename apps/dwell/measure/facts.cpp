// SPDX-License-Identifier: MIT
// See facts.hpp.
#include "measure/facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

#include "report/units.hpp"

#include "dwell/base/error.hpp"
#include "dwell/execution/device/limits.hpp"

namespace dwell::app {

namespace {

class reader {
 public:
  reader(const std::vector<measured_row>& rows, measured_facts& out) : rows_(rows), out_(out) {}

  /// The median of the row, of its probe and threads, with the footprint nearest to this one.
  double take(const char* field, const std::string& probe, int threads, double footprint = 0) {
    const measured_row* best = nullptr;
    const auto distance = [&](const measured_row& r) {
      return footprint > 0 ? std::abs(std::log(r.footprint / footprint)) : 0.0;
    };
    for (const measured_row& r : rows_)
      if (r.probe == probe && r.threads == threads && (!best || distance(r) < distance(*best)))
        best = &r;
    if (!best || !(best->value() > 0))
      throw input_error(fmt::format("--save: expected a measured value of {} with {}, found none",
                                    probe, format_plural(threads, "thread")));
    out_.sources.push_back(fmt::format("{}: measured, {}{}, {}", field, probe,
                                       footprint > 0 ? " of " + format_bytes(best->footprint) : "",
                                       format_plural(threads, "thread")));
    return best->value();
  }

  /// The largest footprint that is read nearer to the first rate than to the second, by their
  /// ratio.
  double held(int threads, double cache, double memory) const {
    double most = 0;
    for (const measured_row& r : rows_)
      if (r.probe == "copy" && r.threads == threads && r.value() > std::sqrt(cache * memory))
        most = std::max(most, r.footprint);
    return most;
  }

 private:
  const std::vector<measured_row>& rows_;
  measured_facts& out_;
};

}  // namespace

std::vector<std::string> groups_for_facts() { return {"sync", "memory", "arithmetic"}; }

measured_facts facts_from_rows(const device_facts& here, const std::vector<measured_row>& rows) {
  measured_facts out;
  out.facts = here;
  out.sources = {"units and sizes: as the operating system says"};
  reader from(rows, out);
  const int all = here.units;
  device_limits l;
  l.measured = true;
  l.units = all;
  double largest = 0;
  for (const measured_row& r : rows) largest = std::max(largest, r.footprint);
  // Well inside each level: a core's own cache, the last one, and memory as far as it was gone
  // over.
  const double own = 0.5 * static_cast<double>(here.shared_per_team);
  const double last = std::min(0.5 * static_cast<double>(here.l2), 0.25 * largest);
  l.memory = from.take("memory_bytes_per_s", "copy", all, largest);
  l.l2 = from.take("l2_bytes_per_s", "copy", all, last);
  l.shared = from.take("shared_bytes_per_s", "copy", all, own * all);
  l.unit_through = from.take("unit_bytes_per_s", "copy", 1, last);
  l.l2_cached = std::clamp(from.held(all, l.l2, l.memory), own * all,
                           std::max(own * all, static_cast<double>(here.l2)));
  out.sources.push_back(
      "l2_cached_bytes: the largest copy that is nearer to the rate of the last-level cache");
  l.clock = from.take("clock_hz", "cycles", 1);
  l.fma_f64 = from.take("fma_f64_per_cycle", "fma f64", 1) / l.clock;
  l.fma_f32 = from.take("fma_f32_per_cycle", "fma f32", 1) / l.clock;
  l.barrier = from.take("barrier_s", "dwell barrier", all);
  l.launch = from.take("launch_s", "launch", all);
  out.facts.limits = std::make_shared<const device_limits>(l);
  return out;
}

}  // namespace dwell::app
