// SPDX-License-Identifier: MIT
// Asks sysconf() for the sizes of both levels.
#include "dwell/base/cpu_cache.hpp"

#include <unistd.h>

#include <numeric>
#include <type_traits>

namespace dwell {
namespace {

/// Each number that is known takes the place of that of `otherwise`.
cpu_cache cache_of(int bytes, int ways, int line, cpu_cache otherwise) {
  const auto take = [](int name, auto& value) {
    const long known = sysconf(name);
    if (known > 0) value = static_cast<std::remove_reference_t<decltype(value)>>(known);
  };
  take(bytes, otherwise.bytes);
  take(ways, otherwise.ways);
  take(line, otherwise.line);
  return otherwise;
}

}  // namespace

cpu_cache first_level_cache() {
  return cache_of(_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL1_DCACHE_ASSOC, _SC_LEVEL1_DCACHE_LINESIZE,
                  {32 << 10, 8, 64});
}

cpu_cache second_level_cache() {
  return cache_of(_SC_LEVEL2_CACHE_SIZE, _SC_LEVEL2_CACHE_ASSOC, _SC_LEVEL2_CACHE_LINESIZE,
                  {1 << 20, 16, 64});
}

bool rows_share_sets(std::int64_t row_bytes, int rows, const cpu_cache& cache) {
  const std::int64_t way = cache.bytes / cache.ways;
  const std::int64_t places = way / std::gcd(row_bytes, way);
  return 4 * static_cast<std::int64_t>(rows) >= 5 * cache.ways * places;
}

}  // namespace dwell
