// SPDX-License-Identifier: MIT
// Sums of whole arrays on a CPU, by size: Dwell's, with one thread and with all, and std::reduce,
// which has no threads of its own (with an execution policy it needs a library that this build does
// not ask for).
#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "studies/measure/kernels.hpp"
#include "studies/measure/probe.hpp"
#include "studies/measure/reductions.hpp"

#include "dwell/arrays/reduce.hpp"

namespace dwell::app {

namespace {

/// sum(elements) of arrays of 1, 32, 64, 256, 1024, ... elements, again and again.
template <class T, class Sum>
void add_sums(measuring& m, const char* probe, int threads, Sum&& sum) {
  const auto sizes = reduced_sizes(m.request().most_footprint, sizeof(T), std::int64_t{1} << 30);
  const std::vector<T> all(static_cast<std::size_t>(sizes.back()), T(0.75));
  for (const std::int64_t n : sizes) {
    if (n > 32 && n < sizes.back() && (n & 0x5555555555555555) == 0) continue;  // no power of four
    measured_row row{"reductions", probe, threads, static_cast<double>(n) * sizeof(T)};
    row.access = sizeof(T);
    const std::span<const T> v = std::span(all).first(static_cast<std::size_t>(n));
    m.add(row, [&](double calls) -> run_time {
      const auto begin = std::chrono::steady_clock::now();
      for (double k = 0; k < calls; ++k) kernels::keep(sum(v));
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    });
  }
}

template <class T>
void add_dwell(measuring& m) {
  for (const int threads : m.one_and_all_threads()) {
    reducer by(device::cpu(threads));
    add_sums<T>(m, "sum, dwell", threads, [&](std::span<const T> v) { return by.reduce<T>(v); });
  }
}

void measure_dwell(measuring& m) {
  add_dwell<double>(m);
  add_dwell<float>(m);
}

void measure_std(measuring& m) {
  add_sums<double>(m, "sum, std::reduce", 1, kernels::std_sum<double>);
  add_sums<float>(m, "sum, std::reduce", 1, kernels::std_sum<float>);
}

}  // namespace

probe reduce_dwell_probe() {
  return {"reductions", "sum, dwell", "sums of whole arrays by dwell::reducer, by size",
          backend::cpu, measure_dwell};
}
probe reduce_std_probe() {
  return {"reductions", "sum, std::reduce", "the same by the C++ library, with one thread",
          backend::cpu, measure_std};
}

}  // namespace dwell::app
