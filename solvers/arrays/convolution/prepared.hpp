// SPDX-License-Identifier: MIT
// All that passes of one filter over images of one size need, on a device: the plan, the weights,
// and memory for what lies between two passes. What is left to do is launches.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "dwell/arrays/convolution.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/device/work_queue.hpp"
#include "dwell/solvers/arrays/convolution/decide.hpp"
#include "dwell/solvers/arrays/convolution/gpu_passes.hpp"

namespace dwell {

/// Throws input_error as convolve() does for a size of images and the dimensions of a filter.
void check_image_size(const extents& size, const convolution_filter& filter);
/// So many of a size that has been checked.
void check_images(const extents& size, std::int64_t images);

/// In and Out: as of convolve().
template <class In, class Out>
class prepared_convolution {
 public:
  /// images: there may be none. table: kernels. Throws as convolve() does, but for the images.
  prepared_convolution(const device& where, const extents& size, std::int64_t images,
                       const convolution_filter& filter, const convolution_options& options,
                       std::span<const convolution_kernel> table = convolution_kernels());

  /// The order of its work.
  const work_queue& queue() const { return queue_; }
  std::size_t cells() const;  ///< cells of all images
  /// What can be said before a run.
  const convolution_report& report() const { return report_; }

  /// Puts the passes into the queue; on a CPU they are done at the return. in and out: of all
  /// images, in memory of the device, or of the host if that is a CPU, apart from each other.
  /// Several passes write `out` and memory of their own in turn, such that the last one writes
  /// `out`.
  void start(const In* in, Out* out) const;

 private:
  using types = convolution_types<In, Out>;
  using T = typename types::sum;
  static constexpr bool rounds_ = !std::is_same_v<Out, T>;

  /// A pass of this kind, but for where it reads and writes.
  template <class Pass>
  Pass pass(std::size_t k) const;
  template <class Pass>
  void run(std::size_t k, const Pass& a) const;
  /// The kernels of all passes, on a GPU.
  void load();
  /// Where the sums of all planes of the last pass but its last one lie: of those between passes
  /// the one that it does not read.
  std::size_t partial() const;

  convolution_plan plan_;
  convolution_report report_;
  work_queue queue_;
  bool reverse_lanes_;
  std::vector<gpu_pass> gpu_;       ///< each pass, on a GPU
  std::vector<buffer<T>> weights_;  ///< weights of each pass
  /// The outcome of each pass but the last; and partial sums of the last one, if it rounds them.
  std::array<buffer<T>, 2> between_;
};

extern template class prepared_convolution<double, double>;
extern template class prepared_convolution<float, float>;
extern template class prepared_convolution<std::uint8_t, std::uint8_t>;
extern template class prepared_convolution<std::uint8_t, float>;
extern template class prepared_convolution<half, half>;
extern template class prepared_convolution<half, float>;

}  // namespace dwell
