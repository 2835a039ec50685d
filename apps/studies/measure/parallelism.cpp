// SPDX-License-Identifier: MIT
// Bytes in flight by Little's law, beside those of the sweep.
#include "studies/measure/parallelism.hpp"

#include <algorithm>
#include <cmath>

#include "studies/models/littles_law.hpp"

namespace dwell::app {

namespace {

bool copies(const measured_row& row) { return row.probe.ends_with("copy"); }
bool of_l2(const measured_row& row) { return row.probe.ends_with("L2"); }
bool of_shared(const measured_row& row) { return row.probe.ends_with("shared"); }

/// Latency of a load: in device memory that of the largest footprint, in L2 that of the nearest
/// one, in shared memory its own. 0: none was measured.
double latency_for(const measured_row& row, const std::vector<measured_row>& rows) {
  const measured_row* best = nullptr;
  const auto better = [&](const measured_row& a, const measured_row& b) {
    if (!of_l2(row)) return a.footprint > b.footprint;
    return std::abs(std::log(a.footprint / row.footprint)) <
           std::abs(std::log(b.footprint / row.footprint));
  };
  for (const measured_row& r : rows)
    if (r.group == "latency" && r.probe == (of_shared(row) ? "shared load" : "load") &&
        r.value() > 0 && (!best || better(r, *best)))
      best = &r;
  return best ? best->value() : 0;
}

/// The most of all that do the same with the same memory.
double peak_for(const measured_row& row, const std::vector<measured_row>& rows) {
  double peak = 0;
  for (const measured_row& r : rows)
    if (r.group == "concurrency" && copies(r) == copies(row) && of_l2(r) == of_l2(row) &&
        of_shared(r) == of_shared(row))
      peak = std::max(peak, r.value());
  return peak;
}

/// Keeps the least of those that reach the share of the peak.
void keep_least(double& least, double bytes, bool reached) {
  if (reached && (least == 0 || bytes < least)) least = bytes;
}

}  // namespace

double bytes_under_way(const measured_row& row, int units) {
  return model::parallelism(static_cast<double>(row.threads) * row.blocks / units, row.operations,
                            row.access);
}

std::vector<needed_parallelism> needed_parallelism_of(const std::vector<measured_row>& rows,
                                                      int units) {
  std::vector<needed_parallelism> all;
  for (const measured_row& r : rows) {
    if (r.group != "concurrency" || !(r.value() > 0)) continue;
    auto at = std::find_if(all.begin(), all.end(), [&](const auto& n) {
      return n.probe == r.probe && n.access == r.access;
    });
    if (at == all.end()) {
      needed_parallelism one;
      one.probe = r.probe;
      one.access = r.access;
      one.peak = peak_for(r, rows);
      one.concurrency =
          model::concurrency(latency_for(r, rows), one.peak * (copies(r) ? 0.5 : 1) / units);
      at = all.insert(all.end(), one);
    }
    const double bytes = bytes_under_way(r, units), part = r.value() / at->peak;
    at->best = std::max(at->best, r.value());
    keep_least(at->at_80, bytes, part >= 0.80);
    keep_least(at->at_90, bytes, part >= 0.90);
    keep_least(at->at_95, bytes, part >= 0.95);
  }
  return all;
}

}  // namespace dwell::app
