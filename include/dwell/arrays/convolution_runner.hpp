// SPDX-License-Identifier: MIT
// A filter that an application holds: prepared once for a device and a size of images, and then run
// over as many of them as come. A run is launches and nothing else. Nothing here needs CUDA.
//
//   dwell::convolution_runner<float> blur(gpu.on_stream(stream), size, filter);
//   for (...) blur.run_async(image, blurred);  // device_spans, in the stream's order
#pragma once
#include <cstdint>
#include <memory>
#include <span>

#include "dwell/arrays/convolution.hpp"
#include "dwell/base/api.hpp"

namespace dwell {

/// A filter and all that its runs need, on one device. In and Out: as of convolve(). Results have
/// the bits of convolve().
///
/// On a GPU all work goes to the stream of `where` (device::on_stream), or to a stream of the
/// runner's own. A caller's stream must outlive the runner. What the caller put into it before a
/// run, such as a kernel that computes the images, is done before the run reads them, and what the
/// caller puts into it afterwards comes after the run. Without a stream of the caller's the images
/// must be there when a run is called.
///
/// For one thread at a time; several runners may run on several threads at once. What the functions
/// throw beside what they say: device_error if the device fails or has too little memory.
template <class In, class Out = In>
class DWELL_API convolution_runner {
  static_assert(convolution_has_cells<In, Out>);

 public:
  /// Sets up runs over `images` images of `size`, which lie one after the other. Throws input_error
  /// and unsupported_error as convolve() does, and input_error for fewer than one image.
  convolution_runner(const device& where, const extents& size, const convolution_filter& filter,
                     const convolution_options& options = {}, std::int64_t images = 1);
  /// What was moved from can only be destroyed or assigned to.
  convolution_runner(convolution_runner&&) noexcept;
  /// Moves; first waits for and frees what this runner had.
  convolution_runner& operator=(convolution_runner&&) noexcept;
  /// Waits for what was started, and frees everything.
  ~convolution_runner();

  /// The filter over `images`, to `out`, both of all images in the memory of the runner's CUDA
  /// device; done when it returns. Throws input_error for sizes that do not agree, for memory that
  /// overlaps or is not that device's, or if the runner is on a CPU.
  void run(device_span<const In> images, device_span<Out> out);
  /// Runs over images in the memory of the host. A GPU's runner copies the images there and back,
  /// in memory that it takes with the first such run and keeps.
  void run(std::span<const In> images, std::span<Out> out);

  /// Starts a run and may return before it is done: what it costs the host is a launch for each
  /// pass. Runs are done in the order in which they are started. The images and `out` must stay
  /// until wait(), or until something in the caller's stream that comes after them is done. Throws
  /// as run().
  void run_async(device_span<const In> images, device_span<Out> out);
  /// Waits for the end of what run_async() has started.
  void wait();

  /// The plan and why, and what set-up took; run_s and cells_per_second are those of the last run()
  /// and without copies, 0 before it. Valid, and updated, as long as the runner lives.
  const convolution_report& report() const;

 private:
  struct state;
  std::unique_ptr<state> s_;
};

extern template class convolution_runner<double>;
extern template class convolution_runner<float>;
extern template class convolution_runner<std::uint8_t>;
extern template class convolution_runner<std::uint8_t, float>;
extern template class convolution_runner<half>;
extern template class convolution_runner<half, float>;

}  // namespace dwell
