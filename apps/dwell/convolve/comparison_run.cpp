// SPDX-License-Identifier: MIT
// The baseline is direct. Its first outcome is what all later ones, its own too, must equal.
#include "convolve/comparison_run.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "convolve/choices.hpp"
#include "stencil/field.hpp"
#include "stencil/field_difference.hpp"
#include "stencil/field_memory.hpp"

#include "dwell/base/error.hpp"
#include "dwell/base/policy_words.hpp"
#include "dwell/base/stopwatch.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/solvers/convolution/convolution_runner.hpp"

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

/// A prepared filter, and images where its calls need them: in the GPU's memory, or the host's.
template <class T>
class prepared_run {
 public:
  prepared_run(const device& where, const extents& size, const convolution_filter& filter,
               const convolution_options& o, const buffer<T>& from, grid<T>& found)
      : runner_(where, size, filter, o, static_cast<std::int64_t>(from.size() / size.cells())),
        from_(from),
        found_(found) {
    if (where.on() == backend::cuda) there_ = buffer<T>(where, from.size(), fresh::unset);
    in_ = {from.data(), from.size(), where.ordinal()};
    out_ = {there_.data(), there_.size(), where.ordinal()};
  }

  const convolution_report& report() const { return runner_.report(); }
  /// A call and the wait for its end, in microseconds.
  double call() {
    if (on_gpu())
      runner_.run(in_, out_);
    else
      runner_.run(std::span<const T>(from_.data(), from_.size()), found_.cells());
    return runner_.report().run_s * 1e6;
  }
  /// Per call of so many that are waited for at the end; on a CPU each is done at its return.
  double calls_in_a_row(int count) {
    stopwatch clock;
    for (int k = 0; k < count; ++k)
      if (on_gpu())
        runner_.run_async(in_, out_);
      else
        call();
    runner_.wait();
    return clock.lap() * 1e6 / count;
  }
  /// The outcome to where it is compared.
  void fetch() {
    if (on_gpu()) there_.download(found_.cells());
  }

 private:
  bool on_gpu() const { return report().on == backend::cuda; }

  convolution_runner<T> runner_;
  const buffer<T>& from_;
  grid<T>& found_;
  buffer<T> there_;
  device_span<const T> in_;
  device_span<T> out_;
};

template <class T>
class measurement {
 public:
  measurement(const convolution_request& request, const convolution_filter& filter,
              compared_convolution& out)
      : request_(request),
        filter_(filter),
        images_(make_initial<T>("random:1", stacked(out.size, request.images))),
        from_(buffer<T>::borrow(request.where, images_.cells())),
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
    std::optional<prepared_run<T>> prepared;
    std::vector<double>& row = run.in_a_row.us;
    const bool finished = repeat(request_.runs, run, [&] {
      const bool counted = prepared.has_value();
      if (!counted) prepared.emplace(request_.where, out_.size, filter_, o, from_, found_);
      const double call = prepared->call();
      run.report = prepared->report();
      run.how.ran.executor = run.report.way;
      prepared->fetch();
      compare(run);
      const int calls = std::max(1, static_cast<int>(std::lround(row_us / std::max(call, 1.0))));
      const double in_a_row = calls == 1 ? call : prepared->calls_in_a_row(calls);
      if (counted) row.push_back(in_a_row);
      return call;
    });
    run.in_a_row.outcome = run.outcome;
    if (!run.measured()) row.clear();
    std::sort(row.begin(), row.end());
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
  const buffer<T> from_;  ///< of the images, where calls read them
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
