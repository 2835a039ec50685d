// SPDX-License-Identifier: MIT
// Little's law: how much must be under way for a device to be busy, how much a kernel has under
// way, and the time of a task that does not fill the device. With the equations' numbers of Zhang
// 2023. Pure functions; latency, throughput and amounts in any units that agree (seconds or cycles;
// bytes, instructions or elements).
#pragma once
#include <algorithm>

namespace dwell::model {

/// What a device has under way when it is busy: latency times throughput (Zhang 2023, equations 2.6
/// and 4.9).
constexpr double concurrency(double latency, double throughput) { return latency * throughput; }

/// What a kernel has under way: threads, times independent operations of a thread, times the amount
/// of one operation, 1 to count operations (equations 2.7 and 2.8).
constexpr double parallelism(double threads, double operations, double amount = 1) {
  return threads * operations * amount;
}

/// The part of the throughput that the parallelism reaches: all of it from the concurrency on
/// (equations 2.9 and 4.8), and below it as much as is under way.
constexpr double efficiency(double parallelism, double concurrency) {
  return std::min(1.0, parallelism / concurrency);
}

/// Rate of a way to do a task: its latency, which a synchronisation adds to, and its throughput.
struct rate_of_task {
  double latency = 0;
  double throughput = 0;
};

/// Time for a task of `size`: T = L + max(0, N - C) / THR, with C = L THR (equation 3.6).
constexpr double task_time(const rate_of_task& by, double size) {
  return by.latency + std::max(0.0, size - concurrency(by.latency, by.throughput)) / by.throughput;
}

/// Two ways to do a task: `few` threads, and `many`, with the same latency of an element, a larger
/// throughput, and a synchronisation of this latency besides.
struct thread_choice_of_task {
  rate_of_task few;
  double many_throughput = 0;
  double synchronization = 0;
};

/// The size from which on many threads are faster, where it is no larger than their concurrency
/// (equation 3.9).
constexpr double switching_size_within_concurrency(const thread_choice_of_task& c) {
  return (c.few.latency + c.synchronization) * c.few.throughput;
}

/// And where it is larger (equation 3.10).
constexpr double switching_size(const thread_choice_of_task& c) {
  return c.synchronization * c.many_throughput * c.few.throughput /
         (c.many_throughput - c.few.throughput);
}

}  // namespace dwell::model
