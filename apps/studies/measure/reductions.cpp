// SPDX-License-Identifier: MIT
// Sizes in steps, and where two curves of time cross.
#include "studies/measure/reductions.hpp"

#include <algorithm>
#include <map>

#include "studies/models/littles_law.hpp"

namespace dwell::app {

namespace {

/// Seconds by footprint.
using times = std::map<double, double>;

model::rate_of_task rate_of(const times& t) {
  const auto last = std::prev(t.end()), before = std::prev(last);
  const double longer = last->second - before->second;
  return {t.begin()->second, longer > 0 ? (last->first - before->first) / longer : 0};
}

/// The smallest footprint from which on `many` are always faster.
double first_faster(const times& few, const times& many) {
  double first = 0;
  for (const auto& [bytes, seconds] : many) {
    const auto other = few.find(bytes);
    if (other == few.end()) continue;
    if (seconds >= other->second)
      first = 0;
    else if (first == 0)
      first = bytes;
  }
  return first;
}

double predicted_size(const model::thread_choice_of_task& c) {
  if (!(c.many_throughput > c.few.throughput)) return 0;
  const double within = model::switching_size_within_concurrency(c);
  return within <= model::concurrency(c.few.latency, c.many_throughput) ? within
                                                                        : model::switching_size(c);
}

}  // namespace

std::vector<std::int64_t> reduced_sizes(double most_bytes, std::size_t element_bytes,
                                        std::int64_t most) {
  std::vector<std::int64_t> all = {1};
  for (std::int64_t n = 32;
       n <= most && static_cast<double>(n) * static_cast<double>(element_bytes) <= most_bytes;
       n *= 2)
    all.push_back(n);
  return all;
}

std::vector<switching_point> switching_points_of(const std::vector<measured_row>& rows) {
  std::map<int, times> by_threads;
  for (const measured_row& r : rows)
    if (r.probe == block_sums && r.value() > 0) by_threads[r.threads][r.footprint] = r.value();
  std::erase_if(by_threads, [](const auto& of) { return of.second.size() < 2; });
  std::vector<switching_point> all;
  if (!by_threads.contains(1)) return all;
  const double of_an_element = by_threads.at(1).begin()->second;
  for (const auto& [many, many_times] : by_threads) {
    const int few = many > 32 ? 32 : 1;
    const auto basic = by_threads.find(few);
    if (many < 32 || basic == by_threads.end()) continue;
    const auto few_rate = rate_of(basic->second), many_rate = rate_of(many_times);
    const double synchronization = std::max(0.0, many_rate.latency - few_rate.latency);
    all.push_back(
        {few, many, synchronization, few_rate.throughput, many_rate.throughput,
         predicted_size(
             {{of_an_element, few_rate.throughput}, many_rate.throughput, synchronization}),
         first_faster(basic->second, many_times)});
  }
  return all;
}

}  // namespace dwell::app
