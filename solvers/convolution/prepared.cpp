// SPDX-License-Identifier: MIT
// See prepared.hpp.
#include "dwell/solvers/convolution/prepared.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dwell/base/error.hpp"

namespace dwell {
namespace {

constexpr int most_cells_of_an_axis = 1 << 30;  // numbers of cells beyond the border are 32 bits

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

}  // namespace

void check_image_size(const extents& size, const convolution_filter& filter) {
  check_extents(size);
  if (std::max({size.z, size.y, size.x}) > most_cells_of_an_axis)
    throw input_error(
        fmt::format("image: expected at most 2^30 cells along an axis, found {}", to_string(size)));
  if (size.dims != filter.size().dims)
    throw input_error(fmt::format("filter: expected {} dimensions as the image has, found {}",
                                  size.dims, filter.size().dims));
}

template <class T>
prepared_convolution<T>::prepared_convolution(const device& where, const extents& size,
                                              std::int64_t images, const convolution_filter& filter,
                                              const convolution_options& o)
    : queue_(where), reverse_lanes_(o.reverse_lanes) {
  const device_facts facts = where.facts();
  plan_ = decide(facts, size, images, filter, o, sizeof(T));
  report_ = report_of(facts, plan_, size, images, filter, o, sizeof(T));
  if (images == 0) return;
  for (const auto& p : plan_.passes)
    weights_.push_back(buffer<T>::copy_of(queue_.where(), in_columns<T>(p)));
  for (std::size_t k = 0; k + 1 < plan_.passes.size(); ++k)
    between_[k] = buffer<T>(queue_.where(), cells(), fresh::unset);
  queue_.finish();
}

template <class T>
std::size_t prepared_convolution<T>::cells() const {
  return report_.size.cells() * static_cast<std::size_t>(report_.images);
}

template <class T>
void prepared_convolution<T>::start(const T* in, T* out) const {
  const convolution_place place{queue_.where(), std::max(plan_.threads, 1), reverse_lanes_};
  const std::size_t passes = plan_.passes.size();
  for (std::size_t k = 0; k < passes; ++k) {
    const filter_pass& p = plan_.passes[k];
    convolution_pass<T> a;
    a.in = k == 0 ? in : between_[k - 1].data();
    a.out = k + 1 == passes ? out : between_[k].data();
    a.size = report_.size;
    a.images = report_.images;
    a.filter = p.taps;
    a.before_z = p.before_z;
    a.before_y = p.before_y;
    a.before_x = p.before_x;
    a.edge = report_.edge;
    a.weights = weights_[k].data();
    plan_.kernel->run(place, a);
  }
}

template class prepared_convolution<double>;
template class prepared_convolution<float>;

}  // namespace dwell
