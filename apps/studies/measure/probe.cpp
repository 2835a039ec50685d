// SPDX-License-Identifier: MIT
// Chooses repeat counts, and times the runs of a row.
#include "studies/measure/probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "report/units.hpp"

namespace dwell::app {

namespace {

/// Least time of a long run: far more than what the clock or a meeting of threads costs. A GPU that
/// is measured does nothing else, and its events are exact to a microsecond.
constexpr double run_s = 4e-3, full_run_s = 20e-3, cuda_run_s = 1e-3;
constexpr int samples = 9, full_samples = 25, least_samples = 3;
/// After so many seconds a row has fewer samples, so that large footprints do not take minutes.
constexpr double row_s = 0.8, full_row_s = 10;
/// With longer runs, where other work has hidden what the repetitions take.
constexpr int most_attempts = 3;

}  // namespace

const char* to_string(measured_unit u) {
  return u == measured_unit::seconds ? "s" : u == measured_unit::bytes_per_s ? "bytes/s" : "1/s";
}

double measured_row::in_unit(double seconds) const {
  if (!(seconds > 0)) return 0;
  return unit == measured_unit::seconds ? seconds / amount : amount / seconds;
}

double measured_row::sigma() const {
  if (unit == measured_unit::seconds) return time.sigma / amount;
  return time.median > 0 ? value() * time.sigma / time.median : time.sigma;
}

double measured_row::cycles() const {
  return unit == measured_unit::seconds ? time.cycles / amount : time.cycles;
}

std::vector<int> measuring::thread_counts() const {
  std::vector<int> all;
  for (int n = 1; n < request_.threads; n *= 2) all.push_back(n);
  all.push_back(request_.threads);
  return all;
}

std::vector<int> measuring::one_and_all_threads() const {
  return request_.threads > 1 ? std::vector<int>{1, request_.threads} : std::vector<int>{1};
}

std::vector<double> measuring::footprints(double most) const {
  std::vector<double> all;
  const double last = std::min(most, request_.most_footprint);
  for (double bytes = 4096; bytes < last; bytes *= 2) all.push_back(bytes);
  all.push_back(last);
  return all;
}

void measuring::stop_if_asked() const {
  if (request_.interrupt && *request_.interrupt) throw stopped{};
}

double measuring::repetitions_for(double seconds, const run_function& run) const {
  double many = 2;
  for (;;) {
    stop_if_asked();
    const double taken = run(many).seconds;
    if (taken >= seconds) return many;
    // Most of the way at once; the last doublings make sure of it.
    const double far = 0.25 * seconds / std::max(taken, 1e-9);
    many = std::floor(many * std::clamp(far, 2.0, 64.0));
  }
}

repeated_runs measuring::sample(double many, const run_function& run) const {
  const auto begin = std::chrono::steady_clock::now();
  const auto spent = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  repeated_runs runs;
  runs.many = many;
  runs.few = std::max(1.0, std::floor(many / 8));
  const int count = request_.full ? full_samples : samples;
  for (int k = 0; k < count; ++k) {
    if (k >= least_samples && spent() > (request_.full ? full_row_s : row_s)) break;
    stop_if_asked();
    const run_time long_run = run(runs.many);
    runs.many_s.push_back(long_run.seconds);
    if (long_run.inside_s > 0) {
      runs.inside_s.push_back(long_run.inside_s);
      runs.cycles.push_back(long_run.cycles);
    }
    stop_if_asked();
    runs.few_s.push_back(run(runs.few).seconds);
  }
  return runs;
}

void measuring::say(const measured_row& row) const {
  std::string what = row.probe + ", ";
  if (row.blocks > 0) what += format_plural(row.blocks, "block") + " of ";
  what += format_plural(row.threads, "thread");
  if (row.footprint > 0) what += ", " + format_bytes(row.footprint);
  request_.say(what);
}

double measuring::long_run() const {
  if (request_.here.on == backend::cuda) return request_.full ? run_s : cuda_run_s;
  return request_.full ? full_run_s : run_s;
}

void measuring::add(measured_row row, const run_function& run) {
  say(row);
  const double many = repetitions_for(long_run(), run);
  add(std::move(row), many, run);
}

void measuring::add(const std::string& what, const std::function<barrier_behaviour()>& run) {
  request_.say(what);
  stop_if_asked();
  auto found = run();
  stop_if_asked();
  barriers_.push_back(std::move(found));
}

void measuring::add(measured_row row, double many, const run_function& run) {
  say(row);
  for (int attempt = 0; attempt < most_attempts; ++attempt, many *= 4) {
    const auto runs = sample(many, run);
    row.time = by_difference(runs);
    row.samples = static_cast<int>(runs.many_s.size());
    if (row.time.median > 0) break;  // else other work took longer than the repetitions
  }
  rows_.push_back(std::move(row));
}

}  // namespace dwell::app
