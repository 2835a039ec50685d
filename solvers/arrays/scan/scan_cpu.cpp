// SPDX-License-Identifier: MIT
// Scans on threads, which take tiles in their order.
#include <algorithm>
#include <atomic>

#include "dwell/arrays/scan.hpp"
#include "dwell/base/interruption.hpp"
#include "dwell/base/parallel.hpp"
#include "dwell/execution/team/row_warp_cpu.hpp"
#include "dwell/execution/team/scan_warp_cpu.hpp"
#include "dwell/solvers/arrays/scan/scan_runs.hpp"
#include "dwell/solvers/arrays/scan/scan_steps.hpp"
#include "dwell/solvers/arrays/scan/window_steps.hpp"

namespace dwell::cpu {
namespace {

template <class Op, class T>
void scan_on_threads(const scan_place& place, const scan_args<T>& a, std::byte* begin) {
  const auto flags = flags_at<T>(begin, a.tiles());
  cpu_waiting waiting(place.threads);
  for_parts(place.threads, [&](int) {
    scan_team<T, scan_warps, look_back_flags<T>> team(flags, waiting, place.reverse_lanes);
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
              std::byte* flags) {
  if (operation == scan_operation::sum)
    scan_on_threads<scan_sum<T>>(place, a, flags);
  else
    scan_on_threads<scan_max<T>>(place, a, flags);
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

template <class From>
void run_windows(const scan_place& place, const window_args<From>& a) {
  using warp_type = row_warp<double, 4>;
  const std::int64_t strips = (a.columns - 1) / warp_type::columns + 1;
  const auto each_strip = [&](std::int64_t parts, auto&& f) {
    each_of(place, parts * strips, [&](std::int64_t i) {
      warp_type warp(place.reverse_lanes);
      f(window_strip<From, warp_type>(warp, a, static_cast<int>(i % strips) * warp_type::columns),
        i / strips);
    });
  };
  const window_axis& axis = a.axis;
  if (axis.bands_of_block() > 1) {
    each_strip(axis.bands(), [](auto s, std::int64_t band) { s.sum_band(band); });
    each_strip(axis.blocks(), [](auto s, std::int64_t block) { s.fold_block(block); });
  }
  if (axis.size() > 1)
    each_strip(axis.bands(), [](auto s, std::int64_t band) { s.sum_ends(band); });
  each_strip(axis.bands(), [](auto s, std::int64_t band) { s.add_beginnings(band); });
}

template <class To, class Become>
void run_transpose(const scan_place& place, const double* from, int rows, int columns,
                   const Become& become, To* to) {
  constexpr std::int64_t tile = 32;
  const std::int64_t tiles = (columns - 1) / tile + 1;
  each_of(place, ((rows - 1) / tile + 1) * tiles, [&](std::int64_t i) {
    const std::int64_t top = i / tiles * tile, left = i % tiles * tile;
    for (std::int64_t y = top; y < std::min<std::int64_t>(top + tile, rows); ++y)
      for (std::int64_t x = left; x < std::min<std::int64_t>(left + tile, columns); ++x)
        to[y * columns + x] = static_cast<To>(become(from[x * rows + y], y, x));
  });
}

DWELL_COMPILE_SCANS

}  // namespace dwell::cpu
