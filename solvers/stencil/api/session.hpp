// SPDX-License-Identifier: MIT
// A field that is set up on a device: what stencil_runner holds, and solve() makes for one run. The
// constructor checks the options, decides and allocates; a run is launches and nothing else. For
// one thread at a time.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "dwell/device/device.hpp"
#include "dwell/device/device_views.hpp"
#include "dwell/execution/stencil/launch/kernel_table.hpp"
#include "dwell/execution/stencil/launch/run.hpp"
#include "dwell/formats/grid.hpp"
#include "dwell/solvers/stencil/api/check.hpp"
#include "dwell/solvers/stencil/api/decide.hpp"
#include "dwell/stencil/solve.hpp"
#include "dwell/stencil/stencil_runner.hpp"

namespace dwell {

template <class T>
class stencil_session {
 public:
  /// For many runs, on values that are not known yet. Throws as solve() does. `table` must outlive
  /// it.
  stencil_session(std::span<const stencil_kernel> table, const device& where, const extents& size,
                  const stencil_options& options, bool has_source)
      : stencil_session(table, where, size, options, has_source, {}, {}) {}
  /// For one run; field, source: what plans are tried on, where the policy tries some.
  stencil_session(std::span<const stencil_kernel> table, const device& where, const extents& size,
                  const stencil_options& options, bool has_source, grid_view<const T> field,
                  grid_view<const T> source);
  stencil_session(const stencil_session&) = delete;
  stencil_session& operator=(const stencil_session&) = delete;

  /// The caller has checked the values.
  void set_field(std::span<const T> values);
  void set_source(std::span<const T> values);
  void get_field(std::span<T> values);
  /// Cells of a box that is in the field.
  void set_box(const grid_box& box, std::span<const T> values);
  void get_box(const grid_box& box, std::span<T> values);
  /// The first cell in the device's memory, in the order of its stream and until the next run.
  T* field_in_place();
  std::size_t pitch() const { return run_->pitch(); }
  /// In the device's memory: in the order of its stream, and done at the return if the stream is
  /// not the caller's.
  void set_field(device_span<const T> values);
  void set_source(device_span<const T> values);
  void get_field(device_span<T> values);
  void set_weights(std::span<const double> weights);

  /// Starts a run, and may return before it has ended.
  void start(const stencil_goal& goal);
  /// Notes a run that was interrupted before its first step.
  void note_interrupt();
  /// Ends all that was started: what came of the runs since the last wait(), together. Throws what
  /// a progress function has thrown, or the device's error; then there is no field any more.
  stencil_outcome wait();

  const extents& size() const { return problem_.size; }
  const device& where() const { return where_; }
  const stencil_options& options() const { return options_; }
  bool has_source() const { return has_source_; }
  bool is_interrupted() const { return options_.interrupt && options_.interrupt->load(); }
  /// The plan, what set-up took, and the last outcome.
  const stencil_report& report() const { return report_; }
  /// Sets the outcome of runs that the caller counts as one.
  void set_outcome(const stencil_outcome& end);

 private:
  void set_up(std::span<const stencil_kernel> table, grid_view<const T> field,
              grid_view<const T> source);
  void take_making();
  void add_launches(const stencil_request& q, const stencil_choice& plan);
  template <class F>
  void uploading(F&& f);
  void finish_copy();
  void require_field() const;
  /// How long the steps go on, and how often the run polls.
  void set_steps(const stencil_goal& goal);
  void take(const stencil_state& end);
  void finish();
  template <class F>
  void guarded(F&& f);

  stencil_options options_;
  bool has_source_;
  device where_;
  backend on_;
  stencil_shape shape_;
  stencil_problem problem_;
  std::vector<double> weights_;
  bool caches_ = false;  ///< the plan, on the chip
  int depth_ = 1;
  run_control control_;
  std::optional<stencil_run<T>> run_;
  stencil_report report_;

  bool has_field_ = false, source_is_set_ = false;
  stencil_goal goal_;      ///< goal of the last run
  double began_ = 0;       ///< when it did
  bool started_ = false;   ///< something, since the last finish()
  bool running_ = false;   ///< how the last run ends is not known yet
  stencil_outcome since_;  ///< outcome of the runs since the last wait(), as far as it is known
};

extern template class stencil_session<double>;
extern template class stencil_session<float>;

}  // namespace dwell
