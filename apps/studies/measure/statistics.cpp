// SPDX-License-Identifier: MIT
// Medians and deviations of both ways.
#include "studies/measure/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace dwell::app {

namespace {

/// With N - 1: the mean is that of the samples.
double variance(const std::vector<double>& values) {
  double mean = 0, squares = 0;
  for (const double v : values) mean += v / static_cast<double>(values.size());
  for (const double v : values) squares += (v - mean) * (v - mean);
  return squares / (static_cast<double>(values.size()) - 1);
}

}  // namespace

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

repetition_time by_difference(const repeated_runs& runs) {
  const double more = runs.many - runs.few;
  const double few = median_of(runs.few_s);
  const auto [least, most] = std::minmax_element(runs.many_s.begin(), runs.many_s.end());
  repetition_time t;
  t.median = (median_of(runs.many_s) - few) / more;
  t.min = (*least - few) / more;
  t.max = (*most - few) / more;
  t.sigma = std::sqrt(variance(runs.many_s) + variance(runs.few_s)) / more;
  t.clock = median_of(runs.inside_s.empty() ? runs.many_s : runs.inside_s) / runs.many;
  if (!runs.cycles.empty()) t.cycles = median_of(runs.cycles) / runs.many;
  return t;
}

bool methods_disagree(const repetition_time& t) {
  return std::abs(t.clock - t.median) > 0.05 * std::abs(t.median);
}

}  // namespace dwell::app
