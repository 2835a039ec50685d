// SPDX-License-Identifier: MIT
// Makes weights and memory for each pass, and launches the passes.
#include "dwell/solvers/arrays/convolution/prepared.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dwell/base/error.hpp"
#include "dwell/solvers/arrays/convolution/cell_words.hpp"

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
                             const convolution_filter& filter, const convolution_options& o) {
  convolution_report r;
  r.algorithm = plan.kernel->algorithm;
  r.reason = plan.reason;
  r.passes = static_cast<int>(plan.passes.size());
  r.device = facts.name;
  r.on = facts.on;
  r.threads = plan.threads;
  r.size = size;
  r.images = images;
  r.filter = filter.size();
  r.edge = o.edge;
  r.correlation = o.correlate;
  for (const auto& p : plan.passes) r.taps += static_cast<int>(p.taps.cells());
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

void check_images(const extents& size, std::int64_t images) {
  if (images < 1) throw input_error(fmt::format("images: expected at least 1, found {}", images));
  const auto most = static_cast<std::int64_t>(max_cells / size.cells());
  if (images > most)
    throw input_error(fmt::format("images: expected at most {} of {} (2^40 cells in all), found {}",
                                  most, to_string(size), images));
}

template <class In, class Out>
prepared_convolution<In, Out>::prepared_convolution(const device& where, const extents& size,
                                                    std::int64_t images,
                                                    const convolution_filter& filter,
                                                    const convolution_options& o,
                                                    std::span<const convolution_kernel> table)
    : queue_(where), reverse_lanes_(o.reverse_lanes) {
  const device_facts facts = where.facts();
  plan_ = decide(table, facts, size, images, filter, o, {sizeof(In), sizeof(T), sizeof(Out)});
  report_ = report_of(facts, plan_, size, images, filter, o);
  report_.precision = words_of_cells<T>.name;
  report_.cells = words_of_cells<In>.name;
  report_.result = words_of_cells<Out>.name;
  report_.bytes = (sizeof(In) + sizeof(Out)) * cells();
  if (images == 0) return;
  for (const auto& p : plan_.passes)
    weights_.push_back(buffer<T>::copy_of(queue_.where(), in_columns<T>(p)));
  if (facts.on == backend::cuda) load();
  const auto take = [&](std::size_t k) {
    if (between_[k].size() == 0) between_[k] = buffer<T>(queue_.where(), cells(), fresh::unset);
  };
  for (std::size_t k = 0; k + 1 < plan_.passes.size(); ++k) take(k);
  if (rounds_ && plan_.passes.back().taps.z > 1) take(partial());
  queue_.finish();
}

template <class In, class Out>
std::size_t prepared_convolution<In, Out>::cells() const {
  return report_.size.cells() * static_cast<std::size_t>(report_.images);
}

template <class In, class Out>
std::size_t prepared_convolution<In, Out>::partial() const {
  return plan_.passes.size() == 2 ? 1 : 0;
}

template <class In, class Out>
template <class Pass>
Pass prepared_convolution<In, Out>::pass(std::size_t k) const {
  const filter_pass& p = plan_.passes[k];
  Pass a;
  a.size = report_.size;
  a.images = report_.images;
  a.filter = p.taps;
  a.before_z = p.before_z;
  a.before_y = p.before_y;
  a.before_x = p.before_x;
  a.edge = report_.edge;
  return a;
}

template <class In, class Out>
void prepared_convolution<In, Out>::load() {
  for (std::size_t k = 0; k < plan_.passes.size(); ++k)
    types::with_kind(k, plan_.passes.size(), [&]<class Pass>() {
      const pass_functions<Pass>& f = plan_.kernel->template functions_of<Pass>();
      const Pass a = pass<Pass>(k);
      gpu_.push_back({f.launch(a), f.needs(a), f.compiled ? f.compiled(a) : nullptr});
    });
  const compiled_kernels made = cuda_backend<convolution_functions>().load(gpu_, queue_.where());
  if (made.compiler.empty()) return;
  report_.compiler = made.compiler;
  report_.compile_s = made.seconds;
  report_.reason += fmt::format(
      "; compiled when needed by {}{}", made.compiler,
      made.seconds > 0 ? fmt::format(" in {:.3g} s", made.seconds) : ", from the cache");
}

template <class In, class Out>
template <class Pass>
void prepared_convolution<In, Out>::run(std::size_t k, const Pass& a) const {
  if (!gpu_.empty())
    return cuda_backend<convolution_functions>().launch(gpu_[k], &a, queue_.where());
  const convolution_place place{queue_.where(), std::max(plan_.threads, 1), reverse_lanes_};
  plan_.kernel->template functions_of<Pass>().run(place, a);
}

template <class In, class Out>
void prepared_convolution<In, Out>::start(const In* in, Out* out) const {
  const std::size_t last = plan_.passes.size() - 1;
  for (std::size_t k = 0; k <= last; ++k)
    types::with_kind(k, plan_.passes.size(), [&]<class Pass>() {
      Pass a = pass<Pass>(k);
      a.weights = weights_[k].data();
      if constexpr (std::is_same_v<typename Pass::cell, In>)
        if (k == 0) a.in = in;
      if constexpr (std::is_same_v<typename Pass::cell, T>)
        if (k > 0) a.in = between_[k - 1].data();
      if constexpr (rounds_) {
        if constexpr (Pass::rounds)
          if (k == last) a.rounded = out;
        a.out = between_[k == last ? partial() : k].data();
      } else {
        a.out = k == last ? out : between_[k].data();
      }
      run(k, a);
    });
}

template class prepared_convolution<double, double>;
template class prepared_convolution<float, float>;
template class prepared_convolution<std::uint8_t, std::uint8_t>;
template class prepared_convolution<std::uint8_t, float>;
template class prepared_convolution<half, half>;
template class prepared_convolution<half, float>;

}  // namespace dwell
