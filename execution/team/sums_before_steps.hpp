// SPDX-License-Identifier: MIT
// What comes before each item, summed up, as functors for setup_loops: sums of chunks, sums of
// these, and then the items of each chunk.
#pragma once
#include <cstdint>

#include "dwell/base/fn.hpp"
#include "dwell/base/index.hpp"

namespace dwell::summing {

struct sum_chunk_sizes {
  std::int64_t elements, chunks;
};
/// Chunks of n elements and one more, whose place gets the sum of all.
inline sum_chunk_sizes sum_chunks_of(index n) {
  constexpr std::int64_t least = 1024, most_chunks = 4096;
  const std::int64_t all = static_cast<std::int64_t>(n) + 1;
  const std::int64_t shared = (all - 1) / most_chunks + 1;
  const std::int64_t elements = shared > least ? shared : least;
  return {elements, (all - 1) / elements + 1};
}

/// Per chunk, by all lanes: its sum.
struct sum_chunks {
  const index* from;
  index n;
  std::int64_t elements;
  index* sums;
  template <class Warp>
  DWELL_FN void operator()(Warp& w, std::int64_t i, std::int64_t end, std::int64_t step) const {
    for (; i < end; i += step) {
      const std::int64_t first = i * elements;
      const std::int64_t last = first + elements < n ? first + elements : n;
      index sum = 0;
      for (std::int64_t k = first + w.lane(); k < last; k += Warp::lanes) sum += from[k];
      sum = w.sum(sum);
      if (w.lane() == 0) sums[i] = sum;
    }
  }
};

/// Once, by all lanes: the sums of the chunks before each.
struct sums_before_chunks {
  std::int64_t chunks;
  index* sums;
  template <class Warp>
  DWELL_FN void operator()(Warp& w) const {
    index all = 0;
    for (std::int64_t first = 0; first < chunks; first += Warp::lanes) {
      const std::int64_t k = first + w.lane();
      const index here = k < chunks ? sums[k] : 0;
      const index before = all + w.sum_before(here);
      if (k < chunks) sums[k] = before;
      all += w.sum(here);
    }
  }
};

/// Per chunk, by all lanes: the sums before its elements. In place where `to` is `from`.
struct put_sums_before {
  const index* from;
  index n;
  std::int64_t elements;
  const index* sums;
  index* to;
  template <class Warp>
  DWELL_FN void operator()(Warp& w, std::int64_t i, std::int64_t end, std::int64_t step) const {
    for (; i < end; i += step) {
      const std::int64_t begin = i * elements;
      const std::int64_t behind = begin + elements <= n ? begin + elements : n + std::int64_t{1};
      index all = sums[i];
      for (std::int64_t first = begin; first < behind; first += Warp::lanes) {
        const std::int64_t k = first + w.lane();
        const index here = k < behind && k < n ? from[k] : 0;
        const index before = all + w.sum_before(here);
        if (k < behind) to[k] = before;
        all += w.sum(here);
      }
    }
  }
};

}  // namespace dwell::summing
