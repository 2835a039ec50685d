// SPDX-License-Identifier: MIT
// The baseline is direct. Its first outcome is what all later ones, its own too, must equal.
#include "convolve/comparison_run.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <new>
#include <optional>
#include <utility>

#include "convolve/choices.hpp"
#include "stencil/field.hpp"
#include "stencil/field_difference.hpp"
#include "stencil/field_memory.hpp"

#include "dwell/base/error.hpp"
#include "dwell/base/policy_words.hpp"

namespace dwell::app {
namespace {

constexpr const char* baseline = "direct";

/// Images one after the other, as planes.
extents stacked(const extents& size, int images) {
  const auto planes = static_cast<std::int64_t>(size.z) * images;
  if (planes > std::numeric_limits<int>::max())
    throw input_error("--images: expected fewer than 2^31 planes of all of them");
  return {static_cast<int>(planes), size.y, size.x};
}

template <class T>
class measurement {
 public:
  measurement(const convolution_request& request, const convolution_filter& filter,
              compared_convolution& out)
      : request_(request),
        filter_(filter),
        images_(make_initial<T>("random:1", stacked(out.size, request.images))),
        found_(images_.size()),
        out_(out) {}

  void run_all() {
    if (!add(baseline)) return;
    for (const auto& way : request_.ways)
      if (way != baseline && !add(way)) return;
  }

 private:
  bool add(const std::string& way) {
    compared_way run(way, "", "");
    if (way == automatic) run.how.ran.executor = "";
    convolution_options o = request_.options;
    o.way = way;
    if (way == automatic) o.passes = filter_passes::automatic;
    const bool finished = repeat(request_.runs, run, [&] {
      run.report =
          convolve<T>(request_.where, out_.size, images_.cells(), found_.cells(), filter_, o);
      run.how.ran.executor = run.report.way;
      compare(run);
      return run.report.run_s * 1e6;
    });
    if (finished) out_.runs.push_back(std::move(run));
    return finished;
  }

  /// Throws device_error if an outcome of one pass is not the baseline's.
  void compare(compared_way& run) {
    if (!expected_ && out_.runs.empty()) expected_ = found_;
    if (!expected_) return;
    const auto difference = field_difference(*expected_, found_);
    run.same_bits = difference.empty();
    if (!run.same_bits && run.report.passes == 1)
      throw device_error("differs from direct: " + difference);
    const auto a = expected_->cells(), b = found_.cells();
    for (std::size_t i = 0; !run.same_bits && i < a.size(); ++i)
      run.difference = std::max(run.difference,
                                std::fabs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  }

  const convolution_request& request_;
  const convolution_filter& filter_;
  const grid<T> images_;
  grid<T> found_;
  std::optional<grid<T>> expected_;
  compared_convolution& out_;
};

}  // namespace

compared_convolution measure(const convolution_request& request, const std::string& filter,
                             const extents& size) {
  compared_convolution out;
  out.filter = filter;
  out.size = size;
  const auto refuse = [&](const char* why, bool too_large) {
    out.refusal = why;
    out.too_large = too_large;
    out.runs.clear();
  };
  try {
    const convolution_filter taps = parse_filter(filter, size.dims);
    out.taps = taps.size();
    // The images; those of the outcome and of the baseline are as many as a run's own copies.
    require_memory({stacked(size, request.images), request.precision, 1, false}, request.where);
    if (request.precision == "f64")
      measurement<double>(request, taps, out).run_all();
    else
      measurement<float>(request, taps, out).run_all();
  } catch (const input_error& e) {
    refuse(e.what(), false);
  } catch (const device_error& e) {
    refuse(e.what(), true);
  } catch (const std::bad_alloc&) {
    refuse("too little memory for the images", true);
  }
  return out;
}

}  // namespace dwell::app
