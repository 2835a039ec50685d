// SPDX-License-Identifier: MIT
// Reductions on threads. A chunk's tree is gone through column by column, 4 lanes at a time: the 32
// elements of a column are independent of those of all others, so that no addition waits long.
#include <algorithm>
#include <cstring>

#include "dwell/base/parallel.hpp"
#include "dwell/execution/team/thread_pool.hpp"
#include "dwell/solvers/arrays/reduce/reduce_runs.hpp"
#include "dwell/solvers/arrays/reduce/reduce_steps.hpp"

namespace dwell::cpu {
namespace {

using four = double __attribute__((vector_size(32)));

template <class T>
[[gnu::always_inline]] inline four load_four(const T* p) {
  if constexpr (sizeof(T) == 8) {
    four v;
    std::memcpy(&v, p, sizeof v);
    return v;
  } else {
    using four_floats = float __attribute__((vector_size(16)));
    four_floats v;
    std::memcpy(&v, p, sizeof v);
    return __builtin_convertvector(v, four);
  }
}

template <class Op, class T>
[[gnu::always_inline]] inline four elements_at(const Op& op, const T* x, const T* y,
                                               std::ptrdiff_t i) {
  if constexpr (Op::operands == 2)
    return op.element(load_four(x + i), load_four(y + i));
  else
    return op.element(load_four(x + i));
}

/// Lanes l to l + 3 of a chunk.
template <class Op, class T>
[[gnu::always_inline]] inline four lanes_at(const Op& op, const T* x, const T* y, int l) {
  static_assert(pass_chunk == 4 * pass_lanes);
  four v = elements_at(op, x, y, l);
  v = Op::combine(v, elements_at(op, x, y, l + pass_lanes));
  v = Op::combine(v, elements_at(op, x, y, l + 2 * pass_lanes));
  return Op::combine(v, elements_at(op, x, y, l + 3 * pass_lanes));
}

/// f(0 .. 31) is a row of lanes, 4 in each; the total of column 0 to 7 of these. Halves of 128, 64
/// and 32 lanes.
template <class Op, class F>
[[gnu::always_inline]] inline four column_of(F&& f, int j) {
  const auto two = [&](int k) { return Op::combine(f(j + 8 * k), f(j + 8 * (k + 4))); };
  const four even = Op::combine(two(0), two(2));
  return Op::combine(even, Op::combine(two(1), two(3)));
}

/// Halves of 16 lanes to 1.
template <class Op>
[[gnu::always_inline]] inline double total_of(const four (&c)[8]) {
  const auto two = [&](int k) { return Op::combine(c[k], c[k + 4]); };
  const four even = Op::combine(two(0), two(2));
  const four v = Op::combine(even, Op::combine(two(1), two(3)));
  const double a = v[0], b = v[1], c2 = v[2], d = v[3];
  return Op::combine(Op::combine(a, c2), Op::combine(b, d));
}

/// Elements that come after the chunk, and are fetched meanwhile.
template <class T>
[[gnu::always_inline]] inline void fetch_ahead(const T* next, int part) {
  constexpr int line = 64 / sizeof(T), of_part = pass_chunk / 8;
  for (int i = 0; i < of_part; i += line) __builtin_prefetch(next + part * of_part + i);
}

template <bool Ahead, class Op, class T>
double chunk_total(const Op& op, const T* x, const T* y) {
  four column[8];
  for (int j = 0; j < 8; ++j) {
    if constexpr (Ahead) fetch_ahead(x + pass_chunk, j);
    if constexpr (Ahead && Op::operands == 2) fetch_ahead(y + pass_chunk, j);
    column[j] = column_of<Op>([&](int k) { return lanes_at(op, x, y, 4 * k); }, j);
  }
  return total_of<Op>(column);
}

/// Total of `count` elements, fewer than a chunk has: as if others followed that change nothing.
template <class Op, class T>
double rest_total(const Op& op, const T* x, const T* y, std::int64_t count) {
  T rest[Op::operands][pass_chunk];
  const auto filled = [&](std::int64_t size) {
    const auto fill = [&](const T* from, T* to) {
      std::fill(std::copy(from, from + count, to), to + size, static_cast<T>(Op::pad()));
    };
    fill(x, rest[0]);
    if constexpr (Op::operands == 2) fill(y, rest[1]);
  };
  const T* const rest_of_x = rest[0];
  const T* const rest_of_y = rest[Op::operands - 1];
  const auto in_one_row = [&](int k) { return elements_at(op, rest_of_x, rest_of_y, 4 * k); };
  four column[8];
  if (count <= 32) {
    filled(32);
    for (int j = 0; j < 8; ++j) column[j] = in_one_row(j);
  } else if (count <= pass_lanes) {
    filled(pass_lanes);
    for (int j = 0; j < 8; ++j) column[j] = column_of<Op>(in_one_row, j);
  } else {
    filled(pass_chunk);
    return chunk_total<false>(op, rest_of_x, rest_of_y);
  }
  return total_of<Op>(column);
}

/// Totals of chunks begin to end - 1, to the end of the array and not beyond it.
template <bool Ahead, class Op, class T>
void chunk_totals(const Op& op, const reduce_arrays<T>& a, std::int64_t begin, std::int64_t end,
                  double* to) {
  for (std::int64_t c = begin; c < end; ++c) {
    const std::int64_t first = c * pass_chunk;
    const T* const x = a.x + first;
    const T* const y = Op::operands == 2 ? a.y + first : nullptr;
    *to++ = first + pass_chunk <= a.n ? chunk_total<Ahead>(op, x, y)
                                      : rest_total(op, x, y, a.n - first);
  }
}

/// Totals of consecutive chunks, to the lanes of all.
template <class Op>
class lanes_of_chunks {
 public:
  lanes_of_chunks() { std::fill(lane_, lane_ + pass_lanes, Op::none()); }
  /// From a chunk on whose number is a multiple of 256, at most 256 of them.
  void add(const double* totals, std::int64_t count) {
    for (std::int64_t l = 0; l < count; ++l) lane_[l] = Op::combine(lane_[l], totals[l]);
  }
  double total() const {
    four column[8];
    for (int j = 0; j < 8; ++j)
      column[j] = column_of<Op>([&](int k) { return load_four(lane_ + 4 * k); }, j);
    return total_of<Op>(column);
  }

 private:
  double lane_[pass_lanes];
};

template <bool Ahead, class Op, class T>
double run(const Op& op, const reduce_arrays<T>& a, reduce_team& team, int threads) {
  const std::int64_t chunks = pass_chunks(a.n);
  if (chunks == 1) {
    double total;
    chunk_totals<Ahead>(op, a, 0, 1, &total);
    return total;
  }
  lanes_of_chunks<Op> lanes;
  const auto row_size = [&](std::int64_t c) {
    return std::min<std::int64_t>(pass_lanes, chunks - c);
  };
  if (threads == 1) {
    double row[pass_lanes];
    for (std::int64_t c = 0; c < chunks; c += pass_lanes) {
      chunk_totals<Ahead>(op, a, c, c + row_size(c), row);
      lanes.add(row, row_size(c));
    }
    return lanes.total();
  }
  double* const partial = team.partial(static_cast<std::size_t>(chunks));
  team.pool().launch([&](int t) {
    if (t >= threads) return;
    const auto [begin, end] = piece(chunks, t, threads);
    chunk_totals<Ahead>(op, a, begin, end, partial + begin);
  });
  for (std::int64_t c = 0; c < chunks; c += pass_lanes) lanes.add(partial + c, row_size(c));
  return lanes.total();
}

}  // namespace

reduce_team::reduce_team(int most_threads) : most_(most_threads) {}
reduce_team::~reduce_team() = default;

int reduce_team::threads_for(double bytes) const {
  // A barrier of threads takes about as long as one of them needs for so much.
  constexpr double bytes_per_thread = 512 << 10;
  return static_cast<int>(std::clamp(bytes / bytes_per_thread, 1.0, static_cast<double>(most_)));
}

thread_pool& reduce_team::pool() {
  if (!pool_) pool_ = std::make_unique<thread_pool>(most_);
  return *pool_;
}

double* reduce_team::partial(std::size_t chunks) {
  if (partial_.size() < chunks) partial_.resize(chunks);
  return partial_.data();
}

template <class Op, class T>
double run_reduce(const Op& op, const reduce_arrays<T>& a, reduce_team& team) {
  // Caches of a core feed it without being told what comes.
  constexpr double held = 256 << 10;
  const double bytes = static_cast<double>(a.n) * sizeof(T) * Op::operands;
  const int threads = team.threads_for(bytes);
  const double total =
      bytes / threads > held ? run<true>(op, a, team, threads) : run<false>(op, a, team, threads);
  return reduce_step::result_of<Op>(total);
}

#define DWELL_COMPILE(op, T) \
  template double run_reduce(const reduce_step::op&, const reduce_arrays<T>&, reduce_team&);
DWELL_EACH_REDUCTION(DWELL_COMPILE)
#undef DWELL_COMPILE

}  // namespace dwell::cpu
