// SPDX-License-Identifier: MIT
// The data caches of a core of this machine.
#pragma once
#include <cstdint>

namespace dwell {

struct cpu_cache {
  std::int64_t bytes;
  int ways;  ///< lines that a set has
  int line;  ///< bytes
};

/// The first level as the operating system says or, where it does not, 32 KiB of 8 ways.
cpu_cache first_level_cache();
/// Or 1 MiB of 16 ways.
cpu_cache second_level_cache();

/// Do rows that are read again and again push each other out of the cache, although it is large
/// enough? Addresses that lie bytes / ways apart have the same set, so rows a power of two apart
/// share few sets. They do where a set has a quarter more lines than ways (measured,
/// docs/results/systolic.md). row_bytes: from a row to the next one.
bool rows_share_sets(std::int64_t row_bytes, int rows, const cpu_cache& cache);

}  // namespace dwell
