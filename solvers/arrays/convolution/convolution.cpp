// SPDX-License-Identifier: MIT
// Checks, copies, the passes.
#include "dwell/arrays/convolution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"
#include "dwell/base/stopwatch.hpp"
#include "dwell/execution/device/array_place.hpp"
#include "dwell/solvers/arrays/convolution/kernels.hpp"
#include "dwell/solvers/arrays/convolution/prepared.hpp"

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
template <class In, class Out, class Run>
convolution_report convolve_checked(const device& where, const extents& size, std::size_t cells,
                                    const convolution_filter& filter, const convolution_options& o,
                                    Run&& run) {
  stopwatch clock;
  const auto images = static_cast<std::int64_t>(cells / size.cells());
  const prepared_convolution<In, Out> prepared(where, size, images, filter, o);
  convolution_report report = prepared.report();
  if (cells > 0) run(prepared, report, clock);
  return report;
}

/// in and out: in memory of the device.
template <class In, class Out>
void run_passes(const prepared_convolution<In, Out>& filter, const In* in, Out* out,
                convolution_report& report, stopwatch& clock) {
  filter.queue().finish();
  report.setup_s += std::max(0.0, clock.lap() - report.compile_s);
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

std::span<const char* const> convolution_algorithms() {
  static const auto& names = *new const std::vector<const char*>([] {
    std::vector<const char*> all;
    for (const auto& k : convolution_kernels())
      if (k.on == backend::cpu) all.push_back(k.algorithm);
    return all;
  }());
  return names;
}

template <class In, class Out>
convolution_report convolve(const device& where, const extents& size, std::span<const In> images,
                            std::span<std::type_identity_t<Out>> out,
                            const convolution_filter& filter, const convolution_options& o) {
  check_sizes(size, images.size(), out.size(), filter);
  const named_memory in_memory{"images", images.data(), images.size_bytes()};
  const named_memory out_memory{"out", out.data(), out.size_bytes()};
  require_on_host(in_memory);
  require_on_host(out_memory);
  require_apart(out_memory, in_memory);
  return convolve_checked<In, Out>(where, size, images.size(), filter, o,
                                   [&](const prepared_convolution<In, Out>& prepared,
                                       convolution_report& report, stopwatch& clock) {
                                     const device& there = prepared.queue().where();
                                     const auto in = buffer<In>::borrow(there, images);
                                     if (memory_of(where.on()).host_visible)
                                       return run_passes(prepared, in.data(), out.data(), report,
                                                         clock);
                                     const buffer<Out> result(there, out.size(), fresh::unset);
                                     run_passes(prepared, in.data(), result.data(), report, clock);
                                     result.download(out);
                                     report.setup_s += clock.lap();
                                   });
}

template <class In, class Out>
convolution_report convolve(const device& where, const extents& size, device_span<const In> images,
                            device_span<std::type_identity_t<Out>> out,
                            const convolution_filter& filter, const convolution_options& o) {
  check_sizes(size, images.size, out.size, filter);
  require_on_device(where, "images", images);
  require_on_device(where, "out", out);
  require_apart({"out", out.data, out.size * sizeof(Out)},
                {"images", images.data, images.size * sizeof(In)});
  return convolve_checked<In, Out>(
      where, size, images.size, filter, o,
      [&](const prepared_convolution<In, Out>& prepared, convolution_report& report,
          stopwatch& clock) { run_passes(prepared, images.data, out.data, report, clock); });
}

template <class In, class Out>
convolution_report convolve(const device& where, grid_view<const In> image,
                            grid_view<std::type_identity_t<Out>> out,
                            const convolution_filter& filter, const convolution_options& o) {
  if (out.size != image.size)
    throw input_error(fmt::format("out: expected {} cells as the image has, found {}",
                                  to_string(image.size), to_string(out.size)));
  return convolve<In, Out>(where, image.size, image.cells(), out.cells(), filter, o);
}

#define DWELL_CONVOLVE(In, Out)                                                            \
  template convolution_report convolve<In, Out>(const device&, grid_view<const In>,        \
                                                grid_view<Out>, const convolution_filter&, \
                                                const convolution_options&);               \
  template convolution_report convolve<In, Out>(                                           \
      const device&, const extents&, std::span<const In>, std::span<Out>,                  \
      const convolution_filter&, const convolution_options&);                              \
  template convolution_report convolve<In, Out>(                                           \
      const device&, const extents&, device_span<const In>, device_span<Out>,              \
      const convolution_filter&, const convolution_options&);
DWELL_CONVOLVE(double, double)
DWELL_CONVOLVE(float, float)
DWELL_CONVOLVE(std::uint8_t, std::uint8_t)
DWELL_CONVOLVE(std::uint8_t, float)
DWELL_CONVOLVE(half, half)
DWELL_CONVOLVE(half, float)
#undef DWELL_CONVOLVE

}  // namespace dwell
