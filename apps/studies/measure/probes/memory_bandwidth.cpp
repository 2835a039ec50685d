// SPDX-License-Identifier: MIT
// Bandwidth of reading and of copying by footprint: caches, one after the other, and memory. Each
// thread goes over a piece of its own, again and again.
#include <cstdint>

#include "studies/measure/kernels.hpp"
#include "studies/measure/probe.hpp"
#include "studies/measure/probes/thread_arrays.hpp"
#include "studies/measure/timed_threads.hpp"

namespace dwell::app {

namespace {

void measure_read_memory(measuring& m) {
  for (const int threads : m.one_and_all_threads())
    for (const double footprint : m.footprints(m.request().most_footprint)) {
      thread_arrays from(threads, footprint);
      m.add({"memory", "read", threads, from.bytes(), measured_unit::bytes_per_s, from.bytes()},
            [&](double repetitions) {
              return time_of_threads(threads, [&](int t) {
                for (double k = 0; k < repetitions; ++k)
                  kernels::keep(kernels::read_words(from.piece(t), from.words()));
              });
            });
    }
}

void measure_copy_memory(measuring& m) {
  for (const int threads : m.one_and_all_threads())
    for (const double footprint : m.footprints(m.request().most_footprint)) {
      thread_arrays from(threads, 0.5 * footprint), to(threads, 0.5 * footprint);
      const double both = from.bytes() + to.bytes();
      m.add({"memory", "copy", threads, both, measured_unit::bytes_per_s, both},
            [&](double repetitions) {
              return time_of_threads(threads, [&](int t) {
                for (double k = 0; k < repetitions; ++k)
                  kernels::copy_words(to.piece(t), from.piece(t), from.words());
              });
            });
    }
}

}  // namespace

probe read_memory_probe() {
  return {"memory", "read", "bandwidth of reading, by footprint", backend::cpu,
          measure_read_memory};
}
probe copy_memory_probe() {
  return {"memory", "copy", "bandwidth of copying (bytes read and written), by footprint",
          backend::cpu, measure_copy_memory};
}

}  // namespace dwell::app
