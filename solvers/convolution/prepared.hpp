// SPDX-License-Identifier: MIT
// All that passes of one filter over images of one size need, on a device: the plan, the weights,
// and memory for what lies between two passes. What is left to do is launches.
#pragma once
#include <array>
#include <cstddef>
#include <vector>

#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/device/work_queue.hpp"
#include "dwell/solvers/convolution/convolution.hpp"
#include "dwell/solvers/convolution/decide.hpp"

namespace dwell {

/// Throws input_error as convolve() does for a size of images and the dimensions of a filter.
void check_image_size(const extents& size, const convolution_filter& filter);

/// T is double or float.
template <class T>
class prepared_convolution {
 public:
  /// images: there may be none. Throws as convolve() does, but for the images.
  prepared_convolution(const device& where, const extents& size, std::int64_t images,
                       const convolution_filter& filter, const convolution_options& options);

  /// The order of its work.
  const work_queue& queue() const { return queue_; }
  std::size_t cells() const;  ///< of all images
  /// What can be said before a run.
  const convolution_report& report() const { return report_; }

  /// Puts the passes into the queue; on a CPU they are done at the return. in and out: of all
  /// images, in memory of the device, or of the host if that is a CPU, apart from each other.
  /// Several passes write `out` and memory of their own in turn, such that the last one writes
  /// `out`.
  void start(const T* in, T* out) const;

 private:
  convolution_plan plan_;
  convolution_report report_;
  work_queue queue_;
  bool reverse_lanes_;
  std::vector<buffer<T>> weights_;    ///< of each pass
  std::array<buffer<T>, 2> between_;  ///< the outcome of each pass but the last
};

extern template class prepared_convolution<double>;
extern template class prepared_convolution<float>;

}  // namespace dwell
