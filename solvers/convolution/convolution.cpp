// SPDX-License-Identifier: MIT
// See convolution.hpp: checks, copies, the passes.
#include "dwell/solvers/convolution/convolution.hpp"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"
#include "dwell/base/stopwatch.hpp"
#include "dwell/execution/device/array_place.hpp"
#include "dwell/solvers/convolution/kernels.hpp"
#include "dwell/solvers/convolution/prepared.hpp"

namespace dwell {
namespace {

constexpr std::array borders = {"zero", "replicate", "reflect", "periodic"};

void check_sizes(const extents& size, std::size_t in, std::size_t out,
                 const convolution_filter& filter) {
  check_image_size(size, filter);
  if (in % size.cells() != 0)
    throw input_error(fmt::format("images: expected a multiple of {} cells ({}), found {}",
                                  size.cells(), to_string(size), in));
  if (out != in) throw input_error(fmt::format("out: expected {} cells, found {}", in, out));
}

/// What both kinds of arrays share. run(filter, report, clock) does the passes.
template <class T, class Run>
convolution_report convolve_checked(const device& where, const extents& size, std::size_t cells,
                                    const convolution_filter& filter, const convolution_options& o,
                                    Run&& run) {
  stopwatch clock;
  const auto images = static_cast<std::int64_t>(cells / size.cells());
  const prepared_convolution<T> prepared(where, size, images, filter, o);
  convolution_report report = prepared.report();
  if (cells > 0) run(prepared, report, clock);
  return report;
}

/// in and out: in memory of the device.
template <class T>
void run_passes(const prepared_convolution<T>& filter, const T* in, T* out,
                convolution_report& report, stopwatch& clock) {
  filter.queue().finish();
  report.setup_s += clock.lap();
  filter.start(in, out);
  filter.queue().finish();
  report.run_s = clock.lap();
  if (report.run_s > 0)
    report.cells_per_second = static_cast<double>(filter.cells()) / report.run_s;
}

}  // namespace

std::string to_string(border edge) { return borders[static_cast<std::size_t>(edge)]; }

border parse_border(std::string_view name) {
  for (std::size_t k = 0; k < borders.size(); ++k)
    if (name == borders[k]) return static_cast<border>(k);
  throw input_error(fmt::format("border: expected zero, replicate, reflect or periodic, found {}",
                                found_word(name, borders)));
}

std::span<const char* const> border_names() { return borders; }

std::span<const char* const> convolution_ways() {
  static const auto& names = *new const std::vector<const char*>([] {
    std::vector<const char*> all;
    for (const auto& k : convolution_kernels())
      if (k.on == backend::cpu) all.push_back(k.way);
    return all;
  }());
  return names;
}

template <class T>
convolution_report convolve(const device& where, const extents& size, std::span<const T> images,
                            std::span<T> out, const convolution_filter& filter,
                            const convolution_options& o) {
  check_sizes(size, images.size(), out.size(), filter);
  const named_memory in_memory{"images", images.data(), images.size_bytes()};
  const named_memory out_memory{"out", out.data(), out.size_bytes()};
  require_on_host(in_memory);
  require_on_host(out_memory);
  require_apart(out_memory, in_memory);
  return convolve_checked<T>(
      where, size, images.size(), filter, o,
      [&](const prepared_convolution<T>& prepared, convolution_report& report, stopwatch& clock) {
        const device& there = prepared.queue().where();
        const auto in = buffer<T>::borrow(there, images);
        if (memory_of(where.on()).host_visible)
          return run_passes(prepared, in.data(), out.data(), report, clock);
        const buffer<T> result(there, out.size(), fresh::unset);
        run_passes(prepared, in.data(), result.data(), report, clock);
        result.download(out);
        report.setup_s += clock.lap();
      });
}

template <class T>
convolution_report convolve(const device& where, const extents& size, device_span<const T> images,
                            device_span<T> out, const convolution_filter& filter,
                            const convolution_options& o) {
  check_sizes(size, images.size, out.size, filter);
  require_on_device(where, "images", images);
  require_on_device(where, "out", out);
  require_apart({"out", out.data, out.size * sizeof(T)},
                {"images", images.data, images.size * sizeof(T)});
  return convolve_checked<T>(
      where, size, images.size, filter, o,
      [&](const prepared_convolution<T>& prepared, convolution_report& report, stopwatch& clock) {
        run_passes(prepared, images.data, out.data, report, clock);
      });
}

template <class T>
convolution_report convolve(const device& where, grid_view<const T> image, grid_view<T> out,
                            const convolution_filter& filter, const convolution_options& o) {
  if (out.size != image.size)
    throw input_error(fmt::format("out: expected {} cells as the image has, found {}",
                                  to_string(image.size), to_string(out.size)));
  return convolve(where, image.size, image.cells(), out.cells(), filter, o);
}

#define DWELL_CONVOLVE(T)                                                                      \
  template convolution_report convolve(const device&, grid_view<const T>, grid_view<T>,        \
                                       const convolution_filter&, const convolution_options&); \
  template convolution_report convolve(const device&, const extents&, std::span<const T>,      \
                                       std::span<T>, const convolution_filter&,                \
                                       const convolution_options&);                            \
  template convolution_report convolve(const device&, const extents&, device_span<const T>,    \
                                       device_span<T>, const convolution_filter&,              \
                                       const convolution_options&);
DWELL_CONVOLVE(double)
DWELL_CONVOLVE(float)
#undef DWELL_CONVOLVE

}  // namespace dwell
