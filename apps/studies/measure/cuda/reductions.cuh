// SPDX-License-Identifier: MIT
// Sums of whole arrays by every size, one call after the other in a stream: what probes of group
// reductions share.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "studies/measure/cuda/kernel_timer.hpp"
#include "studies/measure/reductions.hpp"

namespace dwell::app::gpu {

/// Adds a row for each size: call(elements, n) puts a sum of n elements into the timer's stream. At
/// most `most` elements.
template <class T, class Call>
void add_sums(measuring& m, kernel_timer& timer, const char* probe, int blocks, Call&& call,
              std::int64_t most = std::int64_t{1} << 30) {
  const auto sizes = reduced_sizes(m.request().most_footprint, sizeof(T), most);
  const gpu_array<T> from(static_cast<std::size_t>(sizes.back()));
  from.clear();
  for (const std::int64_t n : sizes) {
    measured_row row{"reductions", probe, 1, static_cast<double>(n) * sizeof(T)};
    row.blocks = blocks;
    row.access = sizeof(T);
    m.add(row, [&](double calls) -> run_time {
      return timer.seconds_of([&] {
        for (double k = 0; k < calls; ++k) call(from.data(), n);
      });
    });
  }
}

}  // namespace dwell::app::gpu
