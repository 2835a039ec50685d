// SPDX-License-Identifier: MIT
// Checks, copies and waits around a prepared convolution.
#include "dwell/arrays/convolution_runner.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dwell/base/error.hpp"
#include "dwell/base/stopwatch.hpp"
#include "dwell/execution/device/array_place.hpp"
#include "dwell/solvers/arrays/convolution/prepared.hpp"

namespace dwell {

template <class In, class Out>
struct convolution_runner<In, Out>::state {
  stopwatch clock;
  prepared_convolution<In, Out> filter;
  buffer<In> in;  ///< device copy of images of the host, once there were some
  buffer<Out> out;
  convolution_report report;

  state(const device& where, const extents& size, const convolution_filter& f,
        const convolution_options& o, std::int64_t images)
      : filter(where, size, images, f, o), report(filter.report()) {
    report.setup_s = std::max(0.0, clock.lap() - report.compile_s);
  }
  ~state() {
    try {
      filter.queue().finish();
    } catch (const error&) {  // whoever wants to know has waited
    }
  }

  void check_sizes(std::size_t images, std::size_t to) const {
    const std::size_t expected = filter.cells();
    const auto check = [&](const char* name, std::size_t found) {
      if (found != expected)
        throw input_error(fmt::format("{}: expected {} cells, found {}", name, expected, found));
    };
    check("images", images);
    check("out", to);
  }
  /// From the first launch to the end of the last one.
  void run(const In* from, Out* to) {
    filter.queue().finish();  // what was started before is not part of this run
    clock.lap();
    filter.start(from, to);
    filter.queue().finish();
    report.run_s = clock.lap();
    if (report.run_s > 0)
      report.cells_per_second = static_cast<double>(filter.cells()) / report.run_s;
  }
};

template <class In, class Out>
convolution_runner<In, Out>::convolution_runner(const device& where, const extents& size,
                                                const convolution_filter& filter,
                                                const convolution_options& options,
                                                std::int64_t images) {
  check_image_size(size, filter);
  check_images(size, images);
  s_ = std::make_unique<state>(where, size, filter, options, images);
}
template <class In, class Out>
convolution_runner<In, Out>::convolution_runner(convolution_runner&&) noexcept = default;
template <class In, class Out>
convolution_runner<In, Out>& convolution_runner<In, Out>::operator=(convolution_runner&&) noexcept =
    default;
template <class In, class Out>
convolution_runner<In, Out>::~convolution_runner() = default;

namespace {
template <class In, class Out>
void check_on_device(const device& where, device_span<const In> images, device_span<Out> out) {
  require_on_device(where, "images", images);
  require_on_device(where, "out", out);
  require_apart({"out", out.data, out.size * sizeof(Out)},
                {"images", images.data, images.size * sizeof(In)});
}
}  // namespace

template <class In, class Out>
void convolution_runner<In, Out>::run(device_span<const In> images, device_span<Out> out) {
  s_->check_sizes(images.size, out.size);
  check_on_device(s_->filter.queue().where(), images, out);
  s_->run(images.data, out.data);
}

template <class In, class Out>
void convolution_runner<In, Out>::run(std::span<const In> images, std::span<Out> out) {
  s_->check_sizes(images.size(), out.size());
  const named_memory from{"images", images.data(), images.size_bytes()};
  const named_memory to{"out", out.data(), out.size_bytes()};
  require_on_host(from);
  require_on_host(to);
  require_apart(to, from);
  const device& where = s_->filter.queue().where();
  if (memory_of(where.on()).host_visible) return s_->run(images.data(), out.data());
  if (s_->in.size() == 0) {
    s_->in = buffer<In>(where, images.size(), fresh::unset);
    s_->out = buffer<Out>(where, out.size(), fresh::unset);
  }
  s_->in.upload(images);
  s_->run(s_->in.data(), s_->out.data());
  s_->out.download(out);
}

template <class In, class Out>
void convolution_runner<In, Out>::run_async(device_span<const In> images, device_span<Out> out) {
  s_->check_sizes(images.size, out.size);
  check_on_device(s_->filter.queue().where(), images, out);
  s_->filter.start(images.data, out.data);
}

template <class In, class Out>
void convolution_runner<In, Out>::wait() {
  s_->filter.queue().finish();
}

template <class In, class Out>
const convolution_report& convolution_runner<In, Out>::report() const {
  return s_->report;
}

template class convolution_runner<double>;
template class convolution_runner<float>;
template class convolution_runner<std::uint8_t>;
template class convolution_runner<std::uint8_t, float>;
template class convolution_runner<half>;
template class convolution_runner<half, float>;

}  // namespace dwell
