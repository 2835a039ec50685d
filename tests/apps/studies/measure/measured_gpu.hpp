// SPDX-License-Identifier: MIT
// Rows of `dwell measure` as a GPU would give them, for tests where there is none: a device of two
// multiprocessors whose figures follow from a few numbers.
#pragma once
#include "studies/measure/result.hpp"

namespace dwell::test {

/// An H100 cut down to two multiprocessors, of clusters of four blocks.
device_facts small_gpu();
/// A row whose median, least, most and clock are `value` in its unit.
app::measured_row gpu_row(const char* group, const char* probe, int blocks, int threads,
                          app::measured_unit unit, double value, double footprint = 0);
/// Rows of all groups that facts are made of, and of latency and concurrency.
app::measure_result measured_on_small_gpu();

}  // namespace dwell::test
