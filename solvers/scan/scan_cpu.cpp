// SPDX-License-Identifier: MIT
// Scans on threads, which take tiles in their order.
#include <algorithm>
#include <atomic>

#include "dwell/base/interruption.hpp"
#include "dwell/base/parallel.hpp"
#include "dwell/execution/team/row_warp_cpu.hpp"
#include "dwell/execution/team/scan_warp_cpu.hpp"
#include "dwell/solvers/scan/scan.hpp"
#include "dwell/solvers/scan/scan_backends.hpp"
#include "dwell/solvers/scan/scan_steps.hpp"

namespace dwell::cpu {
namespace {

template <class Op, class T>
void scan_on_threads(const scan_place& place, const scan_args<T>& a, std::byte* begin) {
  const auto words = words_at<T>(begin, a.tiles());
  cpu_waiting waiting(place.threads);
  for_parts(place.threads, [&](int) {
    scan_team<T, scan_warps, look_back_words<T>> team(words, waiting, place.reverse_lanes);
    for (std::int64_t tile; (tile = team.take()) < a.tiles();) scan_tile<Op>(team, a, tile);
  });
}

/// f(i) for i from 0 to n - 1, whoever is free the next ones.
template <class F>
void each_of(const scan_place& place, std::int64_t n, F&& f) {
  const std::int64_t together = std::clamp<std::int64_t>(n / (8 * place.threads), 1, 16);
  std::atomic<std::int64_t> next{0};
  for_parts(place.threads, [&](int) {
    for (std::int64_t i; (i = next.fetch_add(together, std::memory_order_relaxed)) < n;)
      for (std::int64_t k = i; k < std::min(i + together, n); ++k) {
        poll_interruption();
        f(k);
      }
  });
}

}  // namespace

template <class T>
void run_scan(const scan_place& place, const scan_args<T>& a, scan_operation operation,
              std::byte* words) {
  if (operation == scan_operation::sum)
    scan_on_threads<scan_sum<T>>(place, a, words);
  else
    scan_on_threads<scan_max<T>>(place, a, words);
}

template <class T>
void run_table(const scan_place& place, const T* in, const table_args<T>& a) {
  each_of(place, a.rows, [&](std::int64_t y) {
    scan_line<scan_sum<T>, T, scan_warp<T>>(in + y * a.columns, a.table + y * a.columns, a.columns);
  });
  using warp_type = row_warp<T, 8>;
  const int strips = (a.columns - 1) / warp_type::columns + 1;
  const auto strip = [&](std::int64_t number, auto&& f) {
    warp_type warp(place.reverse_lanes);
    f(table_strip<T, warp_type>(warp, a, static_cast<int>(number % strips) * warp_type::columns),
      static_cast<int>(number / strips));
  };
  const auto all = static_cast<std::int64_t>(a.bands()) * strips;
  each_of(place, all,
          [&](std::int64_t i) { strip(i, [](auto s, int band) { s.sum_band(band); }); });
  each_of(place, strips, [&](std::int64_t i) { strip(i, [](auto s, int) { s.fold_bands(); }); });
  each_of(place, all,
          [&](std::int64_t i) { strip(i, [](auto s, int band) { s.add_down(band); }); });
}

template <class T>
void run_means(const scan_place& place, const window_means& means, T* out) {
  each_of(place, means.rows, [&](std::int64_t y) {
    const window_means::row row = means.of_row(static_cast<int>(y));
    T* const to = out + y * means.columns;
    for (int x = 0; x < means.columns; ++x) to[x] = static_cast<T>(means.mean(row, x));
  });
}

template <class From, class To>
void run_convert(const scan_place& place, const From* from, std::int64_t count, To* to) {
  constexpr std::int64_t piece = 1 << 14;
  each_of(place, (count - 1) / piece + 1, [&](std::int64_t k) {
    const std::int64_t begin = k * piece, end = std::min(count, begin + piece);
    std::transform(from + begin, from + end, to + begin, [](From v) { return static_cast<To>(v); });
  });
}

DWELL_COMPILE_SCANS

}  // namespace dwell::cpu
