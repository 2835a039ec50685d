// SPDX-License-Identifier: MIT
// Checks, memory, the steps of one backend or the other.
#include "dwell/arrays/scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/base/stopwatch.hpp"
#include "dwell/execution/device/array_place.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/device/threads/threads_worth.hpp"
#include "dwell/execution/device/work_queue.hpp"
#include "dwell/solvers/arrays/scan/scan_runs.hpp"
#include "dwell/solvers/arrays/scan/scan_steps.hpp"
#include "dwell/solvers/arrays/scan/window_steps.hpp"

namespace dwell {
namespace {

scan_report report_of(const device_facts& facts, std::int64_t elements, std::size_t element_bytes,
                      std::int64_t parts) {
  scan_report r;
  r.device = facts.name;
  r.on = facts.on;
  r.elements = elements;
  r.bytes = 2 * element_bytes * static_cast<std::size_t>(elements);
  if (facts.on == backend::cpu) {
    const thread_choice threads = threads_worth(static_cast<double>(r.bytes), parts, "scan", facts);
    r.threads = threads.threads;
    r.reason = threads.why;
  }
  return r;
}

scan_place place_of(const work_queue& queue, const scan_report& report, const scan_options& o) {
  return {queue.where(), std::max(report.threads, 1), o.reverse_lanes};
}

void check_sizes(std::size_t in, std::size_t out) {
  if (in != out) throw input_error(fmt::format("out: expected {} elements, found {}", in, out));
}

/// Requires the same array, or none of its memory.
void require_same_or_apart(const named_memory& out, const named_memory& in) {
  if (out.begin != in.begin) require_apart(out, in);
}

template <class T>
void check_host_arrays(const char* in_name, std::span<const T> in, std::span<T> out) {
  const named_memory a{in_name, in.data(), in.size_bytes()}, b{"out", out.data(), out.size_bytes()};
  require_on_host(a);
  require_on_host(b);
  require_same_or_apart(b, a);
}

void check_image(const extents& image, const extents& out) {
  check_extents(image);
  if (image.dims != 2)
    throw input_error(fmt::format("image: expected 2 dimensions, found {}", image.dims));
  if (out != image)
    throw input_error(fmt::format("out: expected {} cells as the image has, found {}",
                                  to_string(image), to_string(out)));
}

/// In memory of the queue's device.
template <class T>
void scan_there(const work_queue& queue, std::span<const T> in, std::span<T> out,
                const scan_options& o, scan_report& report, stopwatch& clock) {
  const scan_args<T> a{in.data(), out.data(), static_cast<std::int64_t>(in.size()), o.exclusive};
  report.tiles = a.tiles();
  if (a.tiles() > std::numeric_limits<int>::max())
    throw input_error(fmt::format("scan: expected fewer than 2^31 tiles of {} elements, found {}",
                                  scan_tile_size<T>, a.tiles()));
  const buffer<std::byte> flags(queue.where(), scan_flags_size<T>(a.tiles()));
  queue.finish();
  report.setup_s += clock.lap();
  const scan_place place = place_of(queue, report, o);
  if (report.on == backend::cpu)
    cpu::run_scan(place, a, o.operation, flags.data());
  else
    cuda_backend<scan_functions<T>>().run(place, a, o.operation, flags.data());
  queue.finish();
  report.run_s = clock.lap();
}

template <class T>
void sum_table(const scan_place& place, const T* in, T* table, const extents& size) {
  buffer<T> above(
      place.where,
      static_cast<std::size_t>((size.y - 1) / table_band + 1) * static_cast<std::size_t>(size.x),
      fresh::unset);
  const table_args<T> a{table, size.y, size.x, above.data()};
  if (place.where.on() == backend::cpu)
    cpu::run_table(place, in, a);
  else
    cuda_backend<table_functions<T>>().table(place, in, a);
}

/// The sums of windows down the columns of `from`.
template <class From>
void sum_windows(const scan_place& place, const From* from, double* to, int columns,
                 const window_axis& axis) {
  const auto sums = axis.bands_of_block() > 1
                        ? static_cast<std::size_t>(axis.bands()) * static_cast<std::size_t>(columns)
                        : 0;
  buffer<double> before(place.where, sums, fresh::unset), behind(place.where, sums, fresh::unset);
  const window_args<From> a{from, to, columns, axis, before.data(), behind.data()};
  if (place.where.on() == backend::cpu)
    cpu::run_windows(place, a);
  else
    cuda_backend<table_functions<From>>().windows(place, a);
}

template <class To, class Become>
void transpose(const scan_place& place, const double* from, int rows, int columns,
               const Become& become, To* to) {
  if (place.where.on() == backend::cpu)
    return cpu::run_transpose(place, from, rows, columns, become, to);
  const transpose_run<To, Become>& kernel = cuda_backend<table_functions<To>>();
  kernel.transpose(place, from, rows, columns, become, to);
}

/// What a call on images shares: run(place, in, out) with arrays of the device.
template <class T, class Run>
scan_report run_on_image(const device& where, grid_view<const T> image, grid_view<T> out,
                         const scan_options& o, Run&& run) {
  stopwatch clock;
  check_image(image.size, out.size);
  check_host_arrays<T>("image", image.cells(), out.cells());
  scan_report report = report_of(where.facts(), static_cast<std::int64_t>(image.size.cells()),
                                 sizeof(T), image.size.y);
  const work_queue queue(where);
  const auto in = buffer<T>::borrow(queue.where(), image.cells());
  const bool visible = memory_of(where.on()).host_visible;
  const buffer<T> there =
      visible ? buffer<T>() : buffer<T>(queue.where(), out.cells().size(), fresh::unset);
  queue.finish();
  report.setup_s = clock.lap();
  run(place_of(queue, report, o), in.data(), visible ? out.data : there.data());
  queue.finish();
  report.run_s = clock.lap();
  if (!visible) there.download(out.cells());
  report.setup_s += clock.lap();
  return report;
}

/// And one on images that are there.
template <class T, class Run>
scan_report run_on_image(const device& where, const extents& size, device_span<const T> image,
                         device_span<T> out, const scan_options& o, Run&& run) {
  stopwatch clock;
  check_image(size, size);
  for (const auto& [name, cells] : {std::pair{"image", image.size}, std::pair{"out", out.size}})
    if (cells != size.cells())
      throw input_error(fmt::format("{}: expected {} cells, of {}, found {}", name, size.cells(),
                                    to_string(size), cells));
  require_on_device(where, "image", image);
  require_on_device(where, "out", out);
  require_same_or_apart({"out", out.data, out.size * sizeof(T)},
                        {"image", image.data, image.size * sizeof(T)});
  scan_report report =
      report_of(where.facts(), static_cast<std::int64_t>(size.cells()), sizeof(T), size.y);
  const work_queue queue(where);
  queue.finish();
  report.setup_s = clock.lap();
  run(place_of(queue, report, o), image.data, out.data);
  queue.finish();
  report.run_s = clock.lap();
  return report;
}

template <class T>
auto table_of(const extents& size) {
  return [size](const scan_place& place, const T* in, T* to) { sum_table(place, in, to, size); };
}

/// Means of windows of an image of `size`.
template <class T>
auto means_of(const extents& size, int rows, int columns) {
  constexpr int most = 1 << 30;
  for (const int cells : {rows, columns})
    if (cells < 1 || cells > most)
      throw input_error(fmt::format("window: expected 1 to 2^30 cells along each axis, found {}x{}",
                                    rows, columns));
  if (std::max(size.y, size.x) > most)
    throw input_error(
        fmt::format("image: expected at most 2^30 cells along an axis, found {}", to_string(size)));
  return [size, rows, columns](const scan_place& place, const T* in, T* to) {
    const window_axis down = window_axis::of(size.y, rows),
                      across = window_axis::of(size.x, columns);
    const buffer<double> sums(place.where, size.cells(), fresh::unset),
        turned(place.where, size.cells(), fresh::unset);
    sum_windows(place, in, sums.data(), size.x, down);
    transpose(place, sums.data(), size.x, size.y, unchanged{}, turned.data());
    sum_windows<double>(place, turned.data(), sums.data(), size.y, across);
    transpose(place, sums.data(), size.y, size.x, mean_of_window{down, across}, to);
  };
}

}  // namespace

template <class T>
scan_report scan(const device& where, std::span<const T> in, std::span<T> out,
                 const scan_options& o) {
  stopwatch clock;
  check_sizes(in.size(), out.size());
  check_host_arrays<T>("in", in, out);
  scan_report report = report_of(where.facts(), static_cast<std::int64_t>(in.size()), sizeof(T),
                                 static_cast<std::int64_t>(in.size()) / scan_tile_size<T>);
  if (in.empty()) return report;
  const work_queue queue(where);
  if (memory_of(where.on()).host_visible) {
    scan_there(queue, in, out, o, report, clock);
    return report;
  }
  const auto there = buffer<T>::copy_of(queue.where(), in);
  scan_there<T>(queue, {there.data(), in.size()}, {there.data(), in.size()}, o, report, clock);
  there.download(out);
  report.setup_s += clock.lap();
  return report;
}

template <class T>
scan_report scan(const device& where, device_span<const T> in, device_span<T> out,
                 const scan_options& o) {
  stopwatch clock;
  check_sizes(in.size, out.size);
  require_on_device(where, "in", in);
  require_on_device(where, "out", out);
  require_same_or_apart({"out", out.data, out.size * sizeof(T)},
                        {"in", in.data, in.size * sizeof(T)});
  scan_report report = report_of(where.facts(), static_cast<std::int64_t>(in.size), sizeof(T), 1);
  if (in.size == 0) return report;
  const work_queue queue(where);
  scan_there<T>(queue, {in.data, in.size}, {out.data, out.size}, o, report, clock);
  return report;
}

template <class T>
scan_report summed_area_table(const device& where, grid_view<const T> image, grid_view<T> out,
                              const scan_options& o) {
  return run_on_image<T>(where, image, out, o, table_of<T>(image.size));
}
template <class T>
scan_report summed_area_table(const device& where, const extents& size, device_span<const T> image,
                              device_span<T> out, const scan_options& o) {
  return run_on_image<T>(where, size, image, out, o, table_of<T>(size));
}

template <class T>
scan_report box_mean(const device& where, grid_view<const T> image, grid_view<T> out, int rows,
                     int columns, const scan_options& o) {
  return run_on_image<T>(where, image, out, o, means_of<T>(image.size, rows, columns));
}
template <class T>
scan_report box_mean(const device& where, const extents& size, device_span<const T> image,
                     device_span<T> out, int rows, int columns, const scan_options& o) {
  return run_on_image<T>(where, size, image, out, o, means_of<T>(size, rows, columns));
}

#define DWELL_SCAN(T)                                                                              \
  template scan_report scan(const device&, std::span<const T>, std::span<T>, const scan_options&); \
  template scan_report scan(const device&, device_span<const T>, device_span<T>,                   \
                            const scan_options&);
#define DWELL_TABLE(T)                                                                        \
  template scan_report summed_area_table(const device&, grid_view<const T>, grid_view<T>,     \
                                         const scan_options&);                                \
  template scan_report summed_area_table(const device&, const extents&, device_span<const T>, \
                                         device_span<T>, const scan_options&);                \
  template scan_report box_mean(const device&, grid_view<const T>, grid_view<T>, int, int,    \
                                const scan_options&);                                         \
  template scan_report box_mean(const device&, const extents&, device_span<const T>,          \
                                device_span<T>, int, int, const scan_options&);
DWELL_SCAN(double)
DWELL_SCAN(float)
DWELL_SCAN(std::int32_t)
DWELL_SCAN(std::int64_t)
DWELL_TABLE(double)
DWELL_TABLE(float)
#undef DWELL_SCAN
#undef DWELL_TABLE

}  // namespace dwell
