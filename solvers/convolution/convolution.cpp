// SPDX-License-Identifier: MIT
// See convolution.hpp: checks, the plan, memory, the passes.
#include "dwell/solvers/convolution/convolution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"
#include "dwell/base/stopwatch.hpp"
#include "dwell/execution/device/array_place.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/device/work_queue.hpp"
#include "dwell/solvers/convolution/decide.hpp"

namespace dwell {
namespace {

constexpr std::array borders = {"zero", "replicate", "reflect", "periodic"};
constexpr int most_cells_of_an_axis = 1 << 30;  // numbers of cells beyond the border are 32 bits

void check_sizes(const extents& size, std::size_t in, std::size_t out,
                 const convolution_filter& filter) {
  check_extents(size);
  if (std::max({size.z, size.y, size.x}) > most_cells_of_an_axis)
    throw input_error(
        fmt::format("image: expected at most 2^30 cells along an axis, found {}", to_string(size)));
  if (size.dims != filter.size().dims)
    throw input_error(fmt::format("filter: expected {} dimensions as the image has, found {}",
                                  size.dims, filter.size().dims));
  if (in % size.cells() != 0)
    throw input_error(fmt::format("images: expected a multiple of {} cells ({}), found {}",
                                  size.cells(), to_string(size), in));
  if (out != in) throw input_error(fmt::format("out: expected {} cells, found {}", in, out));
}

/// The weights as kernels want them: column after column.
template <class T>
std::vector<T> in_columns(const filter_pass& p) {
  const auto z = static_cast<std::size_t>(p.taps.z), y = static_cast<std::size_t>(p.taps.y),
             x = static_cast<std::size_t>(p.taps.x);
  const auto pitch = static_cast<std::size_t>(column_pitch(p.taps.y));
  std::vector<T> out(z * x * pitch);
  for (std::size_t k = 0; k < z; ++k)
    for (std::size_t n = 0; n < y; ++n)
      for (std::size_t m = 0; m < x; ++m) {
        const double w = p.weights[(k * y + n) * x + m];
        const T rounded = static_cast<T>(w);
        if (rounded - rounded != T(0))
          throw input_error(
              fmt::format("filter: expected weights that are finite in f32, found {}", w));
        out[(k * x + m) * pitch + n] = rounded;
      }
  return out;
}

convolution_report report_of(const device_facts& facts, const convolution_plan& plan,
                             const extents& size, std::int64_t images,
                             const convolution_filter& filter, const convolution_options& o,
                             std::size_t element_bytes) {
  convolution_report r;
  r.way = plan.kernel->way;
  r.reason = plan.reason;
  r.passes = static_cast<int>(plan.passes.size());
  r.device = facts.name;
  r.on = facts.on;
  r.threads = plan.threads;
  r.precision = element_bytes == 8 ? "f64" : "f32";
  r.size = size;
  r.images = images;
  r.filter = filter.size();
  r.edge = o.edge;
  r.correlation = o.correlate;
  for (const auto& p : plan.passes) r.taps += static_cast<int>(p.taps.cells());
  r.bytes = 2 * element_bytes * size.cells() * static_cast<std::size_t>(images);
  return r;
}

/// in and out: in memory of `queue`'s device. Several passes write `out` and memory of their own in
/// turn, such that the last one writes `out`.
template <class T>
void run_passes(const work_queue& queue, const convolution_plan& plan, const extents& size,
                std::size_t cells, const T* in, T* out, const convolution_options& o,
                convolution_report& report, stopwatch& clock) {
  std::vector<buffer<T>> weights;
  for (const auto& p : plan.passes)
    weights.push_back(buffer<T>::copy_of(queue.where(), in_columns<T>(p)));
  const std::size_t passes = plan.passes.size();
  std::array<buffer<T>, 2> between;
  for (std::size_t k = 0; k + 1 < passes; ++k)
    between[k] = buffer<T>(queue.where(), cells, fresh::unset);
  queue.finish();
  report.setup_s += clock.lap();
  const convolution_place place{queue.where(), std::max(plan.threads, 1), o.reverse_lanes};
  for (std::size_t k = 0; k < passes; ++k) {
    const filter_pass& p = plan.passes[k];
    convolution_pass<T> a;
    a.in = k == 0 ? in : between[k - 1].data();
    a.out = k + 1 == passes ? out : between[k].data();
    a.size = size;
    a.images = static_cast<std::int64_t>(cells / size.cells());
    a.filter = p.taps;
    a.before_z = p.before_z;
    a.before_y = p.before_y;
    a.before_x = p.before_x;
    a.edge = o.edge;
    a.weights = weights[k].data();
    plan.kernel->run(place, a);
  }
  queue.finish();
  report.run_s = clock.lap();
  if (report.run_s > 0) report.cells_per_second = static_cast<double>(cells) / report.run_s;
}

/// What both kinds of arrays share. run(report, queue, plan, clock) does the passes.
template <class T, class Run>
convolution_report convolve_checked(const device& where, const extents& size, std::size_t cells,
                                    const convolution_filter& filter, const convolution_options& o,
                                    Run&& run) {
  stopwatch clock;
  const device_facts facts = where.facts();
  const auto images = static_cast<std::int64_t>(cells / size.cells());
  const convolution_plan plan = decide(facts, size, images, filter, o, sizeof(T));
  convolution_report report = report_of(facts, plan, size, images, filter, o, sizeof(T));
  if (cells == 0) return report;
  const work_queue queue(where);
  run(report, queue, plan, clock);
  return report;
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
  return convolve_checked<T>(where, size, images.size(), filter, o,
                             [&](convolution_report& report, const work_queue& queue,
                                 const convolution_plan& plan, stopwatch& clock) {
                               const auto in = buffer<T>::borrow(queue.where(), images);
                               if (memory_of(where.on()).host_visible)
                                 return run_passes(queue, plan, size, images.size(), in.data(),
                                                   out.data(), o, report, clock);
                               const buffer<T> there(queue.where(), out.size(), fresh::unset);
                               run_passes(queue, plan, size, images.size(), in.data(), there.data(),
                                          o, report, clock);
                               there.download(out);
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
  return convolve_checked<T>(where, size, images.size, filter, o,
                             [&](convolution_report& report, const work_queue& queue,
                                 const convolution_plan& plan, stopwatch& clock) {
                               run_passes(queue, plan, size, images.size, images.data, out.data, o,
                                          report, clock);
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
