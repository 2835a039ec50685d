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
#include <type_traits>
#include <utility>
#include <vector>

#include "compare/peers/run.hpp"
#include "convolve/choices.hpp"
#include "stencil/field.hpp"
#include "stencil/field_difference.hpp"
#include "stencil/field_memory.hpp"

#include "dwell/arrays/convolution_runner.hpp"
#include "dwell/base/error.hpp"
#include "dwell/base/policy_words.hpp"
#include "dwell/base/stopwatch.hpp"
#include "dwell/execution/device/buffer.hpp"

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
template <class In, class Out>
class prepared_run {
 public:
  prepared_run(const device& where, const extents& size, const convolution_filter& filter,
               const convolution_options& o, const buffer<In>& from, grid<Out>& found)
      : runner_(where, size, filter, o, static_cast<std::int64_t>(from.size() / size.cells())),
        from_(from),
        found_(found) {
    if (where.on() == backend::cuda) there_ = buffer<Out>(where, from.size(), fresh::unset);
    in_ = {from.data(), from.size(), where.ordinal()};
    out_ = {there_.data(), there_.size(), where.ordinal()};
  }

  const convolution_report& report() const { return runner_.report(); }
  /// A call and the wait for its end, in microseconds.
  double call() {
    if (on_gpu())
      runner_.run(in_, out_);
    else
      runner_.run(std::span<const In>(from_.data(), from_.size()), found_.cells());
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

  convolution_runner<In, Out> runner_;
  const buffer<In>& from_;
  grid<Out>& found_;
  buffer<Out> there_;
  device_span<const In> in_;
  device_span<Out> out_;
};

/// From -1 to 1; of 8 bits all that they can be.
template <class Cell>
grid<Cell> random_images(const extents& size) {
  if constexpr (sizeof(Cell) >= sizeof(float)) {
    return make_initial<Cell>("random:1", size);
  } else {
    const grid<float> from = make_initial<float>("random:1", size);
    grid<Cell> out(size);
    std::transform(from.cells().begin(), from.cells().end(), out.cells().begin(), [](float v) {
      return std::is_same_v<Cell, half> ? Cell(v) : static_cast<Cell>((v + 1) * 127.5f);
    });
    return out;
  }
}

template <class In, class Out>
class measurement {
 public:
  measurement(const convolution_request& request, const convolution_filter& filter,
              compared_convolution& out)
      : request_(request),
        filter_(filter),
        images_(random_images<In>(stacked(out.size, request.images))),
        from_(buffer<In>::borrow(request.where, images_.cells())),
        found_(images_.size()),
        out_(out),
        peers_(request.peers, peer_problem_of(request, out), request.where, request.runs,
               (1 + static_cast<std::size_t>(std::ranges::count_if(
                        request.algorithms, [](const auto& a) { return a != baseline; }))) *
                   (static_cast<std::size_t>(request.runs.count) + 1)),
        runs_(with_peers(request.runs, peers_)) {}

  void run_all() {
    if (!add(baseline)) return;
    for (const auto& algorithm : request_.algorithms)
      if (algorithm != baseline && !add(algorithm)) return;
    const auto peers = peers_.finish();
    if (!peers) return;
    for (const auto& peer : *peers) {
      compared_algorithm run;
      static_cast<measured_run&>(run) = peer.run;
      run.in_a_row = peer.run;  // how it calls is its own affair
      run.report.images = request_.images;
      run.report.taps = static_cast<int>(out_.taps.cells());
      run.report.bytes =
          static_cast<std::int64_t>(images_.cells().size_bytes() + found_.cells().size_bytes());
      out_.runs.push_back(std::move(run));
    }
  }

 private:
  static peer_problem peer_problem_of(const convolution_request& request,
                                      const compared_convolution& of) {
    peer_problem p;
    p.problem = "convolve";
    p.precision = request.cells;
    p.shape = of.filter;
    p.size = of.size;
    p.cells = p.changing = static_cast<double>(of.size.cells()) * request.images;
    p.values["taps"] = to_string(of.taps);
    p.values["images"] = std::to_string(request.images);
    p.values["border"] = to_string(request.options.edge);
    add_field_values(p, 0);
    return p;
  }

  bool add(const std::string& algorithm) {
    compared_algorithm run(algorithm, "", "");
    if (algorithm == automatic) run.how.ran.executor = "";
    convolution_options o = request_.options;
    o.algorithm = algorithm;
    if (algorithm == automatic) o.passes = filter_passes::automatic;
    std::optional<prepared_run<In, Out>> prepared;
    std::vector<double>& row = run.in_a_row.us;
    const bool finished = repeat(runs_, run, [&] {
      const bool counted = prepared.has_value();
      if (!counted) prepared.emplace(request_.where, out_.size, filter_, o, from_, found_);
      const double call = prepared->call();
      run.report = prepared->report();
      run.how.ran.executor = run.report.algorithm;
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

  static double number(Out v) {
    return static_cast<std::conditional_t<sizeof(Out) == 8, double, float>>(v);
  }

  /// Throws device_error if an outcome of one pass is not the baseline's.
  void compare(compared_algorithm& run) {
    if (!expected_ && out_.runs.empty()) expected_ = found_;
    if (!expected_) return;
    const auto difference = field_difference(*expected_, found_);
    run.same_bits = difference.empty();
    if (!run.same_bits && run.report.passes == 1)
      throw device_error("differs from direct: " + difference);
    const auto a = expected_->cells(), b = found_.cells();
    for (std::size_t i = 0; !run.same_bits && i < a.size(); ++i)
      run.difference = std::max(run.difference, std::fabs(number(a[i]) - number(b[i])));
  }

  const convolution_request& request_;
  const convolution_filter& filter_;
  const grid<In> images_;
  const buffer<In> from_;  ///< device copy of the images, where calls read them
  grid<Out> found_;
  std::optional<grid<Out>> expected_;
  compared_convolution& out_;
  peer_runs peers_;
  const repetition runs_;
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
    const std::string sums = request.cells == "f64" ? "f64" : "f32";
    require_memory({stacked(size, request.images), sums, 1, false}, request.where);
    const auto run = [&]<class Cell>(Cell) {
      if constexpr (sizeof(Cell) < sizeof(float))
        if (request.keeps_sums) return measurement<Cell, float>(request, taps, out).run_all();
      measurement<Cell, Cell>(request, taps, out).run_all();
    };
    if (request.cells == "f64")
      run(double());
    else if (request.cells == "f32")
      run(float());
    else if (request.cells == "f16")
      run(half());
    else
      run(std::uint8_t());
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
