// SPDX-License-Identifier: MIT
// The clock, by a chain of integer additions, one of which takes a cycle; and latency and
// throughput of fused multiply-adds.
#include <chrono>
#include <cstdint>

#include "studies/measure/kernels.hpp"
#include "studies/measure/probe.hpp"
#include "studies/measure/timed_threads.hpp"

namespace dwell::app {

namespace {

/// Seconds of chain(n).
template <class F>
double time_of(F&& chain, double n) {
  const auto begin = std::chrono::steady_clock::now();
  kernels::keep(chain(static_cast<std::int64_t>(n)));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void measure_clock(measuring& m) {
  m.add({"arithmetic", "cycles", 1, 0, measured_unit::operations_per_s},
        [](double n) { return time_of(kernels::add_chain, n); });
}

template <class T>
void measure_latency(measuring& m, const char* name) {
  m.add({"arithmetic", name}, [](double n) { return time_of(kernels::fma_chain<T>, n); });
}

template <class T>
void measure_throughput(measuring& m, const char* name) {
  for (const int threads : m.one_and_all_threads())
    m.add({"arithmetic", name, threads, 0, measured_unit::operations_per_s,
           1.0 * kernels::fmas_of_round<T> * threads},
          [&](double rounds) {
            return time_of_threads(threads, [&](int) {
              kernels::keep(kernels::fma_rounds<T>(static_cast<std::int64_t>(rounds)));
            });
          });
}

}  // namespace

probe clock_probe() {
  return {"arithmetic", "cycles", "the clock: integer additions, one after the other", backend::cpu,
          measure_clock};
}
probe fma_f64_latency_probe() {
  return {"arithmetic", "fma f64 latency", "fused multiply-adds, one after the other", backend::cpu,
          [](measuring& m) { measure_latency<double>(m, "fma f64 latency"); }};
}
probe fma_f32_latency_probe() {
  return {"arithmetic", "fma f32 latency", "the same in f32", backend::cpu,
          [](measuring& m) { measure_latency<float>(m, "fma f32 latency"); }};
}
probe fma_f64_probe() {
  return {"arithmetic", "fma f64", "fused multiply-adds in vector registers", backend::cpu,
          [](measuring& m) { measure_throughput<double>(m, "fma f64"); }};
}
probe fma_f32_probe() {
  return {"arithmetic", "fma f32", "the same in f32", backend::cpu,
          [](measuring& m) { measure_throughput<float>(m, "fma f32"); }};
}

}  // namespace dwell::app
