// SPDX-License-Identifier: MIT
// Runs of a Stencil on a device: owns everything that the teams read and write and what launches
// need, all of it made once; a run goes on from the field that the run before has left, with the
// bits of a single run of as many steps. Used by solvers; knows no executor.
#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/device/work_queue.hpp"
#include "dwell/execution/stencil/launch/flags.hpp"
#include "dwell/execution/stencil/launch/kernel_table.hpp"
#include "dwell/execution/stencil/launch/tile_order.hpp"
#include "dwell/execution/stencil/plan/planning.hpp"

namespace dwell {

/// The kernel of a plan.
inline const stencil_engine& engine_of(const stencil_kernel& v, const stencil_plan& how) {
  return *v.engines[static_cast<std::size_t>(how.config)];
}

/// The cells of a grid all of whose neighbours up to `radius` away lie in it.
cell_box inner_box(const extents& n, int radius);

/// Cells from a row of the field to the next in the device's memory.
int row_pitch(const stencil_kernel& v, const stencil_plan& how, const extents& n,
              std::size_t scalar_bytes);

template <class T>
class stencil_run {
 public:
  stencil_run(const device& of, const stencil_kernel& v, const stencil_plan& how, const extents& n,
              boundary edge, bool has_source)
      : queue_(of) {
    const device& where = queue_.where();
    if (!v.compiled_ahead()) making_ = make_needed(v, how, has_source, where);
    check_plan(v, where, how, has_source);
    row_ = static_cast<std::size_t>(n.x);
    pitch_ = static_cast<std::size_t>(row_pitch(v, how, n, sizeof(T)));
    const std::size_t cells = n.cells() / row_ * pitch_;
    around_ = margin(v, how, n, edge);
    for (auto& f : field_) f = buffer<T>(where, cells + 2 * around_);
    if (has_source) source_ = buffer<T>(where, cells);
    const stencil_engine& engine = engine_of(v, how);
    if (how.subdomains_x > 0) streamed_ = buffer<T>(where, engine.streamed_values(how));
    partial_ = buffer<double>(where, static_cast<std::size_t>(how.teams) + 1);
    const stencil_flags flags(flag_count(engine, how));
    flags_ = buffer<std::byte>(where, flags.bytes());
    flags.place(flags_.data(), args_);
    args_.size = n;
    args_.edge = edge;
    args_.inner = inner_box(n, v.shape.radius);
    args_.pitch = static_cast<int>(pitch_);
    args_.source = has_source ? source_.data() : nullptr;
    args_.plan = how;
    args_.partial = partial_.data();
    args_.streamed = streamed_.data();
    if (engine.shape().across > 0) {  // its lanes are threads, which take tiles
      const std::vector<unsigned> order = tile_order(how, n.dims);
      if (!order.empty()) tile_order_ = buffer<unsigned>::copy_of(where, order);
      args_.tile_order = tile_order_.data();
    }
    point_to_field();
    launcher_ = prepare(v, &args_);
  }

  /// Untested runs of at most `steps` steps go by the launches of another kernel, of an executor
  /// whose time loop runs on the host, which a run in one launch costs more than; or not, if its
  /// plan needs the field to lie otherwise.
  bool add_launches(const stencil_kernel& v, const stencil_plan& how, int steps) {
    const extents& n = args_.size;
    if (row_pitch(v, how, n, sizeof(T)) != args_.pitch || margin(v, how, n, args_.edge) > around_)
      return false;
    few_steps_ = steps;
    few_plan_ = how;
    few_partial_ = buffer<double>(queue_.where(), static_cast<std::size_t>(how.teams) + 1);
    const stencil_args<T> a = args_of_few();
    if (!v.compiled_ahead()) {
      const kernel_making more = make_needed(v, how, a.source != nullptr, queue_.where());
      making_.compiler = more.compiler;
      making_.seconds += more.seconds;
    }
    few_launcher_ = prepare(v, &a);
    return true;
  }

  /// What compiling its kernels took, where they are not compiled ahead.
  const kernel_making& making() const { return making_; }

  /// What the caller sets before a run: steps (at least 1), until and its companions,
  /// reverse_lanes.
  stencil_args<T>& args() { return args_; }
  void set_source(std::span<const T> values) { source_.upload_rows(values, row_, pitch_, 0); }
  /// The start. Both copies hold it, so that cells which never change are right in either.
  void set_field(std::span<const T> values) {
    field_[front_].upload_rows(values, row_, pitch_, around_);
    copy_to_other();
  }
  /// The field, which no run is changing any more.
  void get_field(std::span<T> values) const {
    field_[front_].download_rows(values, row_, pitch_, around_);
  }
  /// Cells of the field, packed.
  void set_box(const grid_box& box, std::span<const T> values) {
    const place_of_box there = place_of(box);
    for (auto& copy : field_)
      memory().upload_box(queue_.where(),
                          {copy.data() + there.first, pitch_ * sizeof(T), values.data(), there.row,
                           there.row, there.rows, there.planes, there.plane_rows, there.rows});
  }
  void get_box(const grid_box& box, std::span<T> values) const {
    const place_of_box there = place_of(box);
    memory().download_box(
        queue_.where(),
        {values.data(), there.row, field_[front_].data() + there.first, pitch_ * sizeof(T),
         there.row, there.rows, there.planes, there.rows, there.plane_rows});
  }
  /// The first cell of the copy that the next run starts from. Rows, counted through planes, are
  /// pitch() cells apart.
  T* field_in_place() const { return field_[front_].data() + around_; }
  std::size_t pitch() const { return pitch_; }
  /// Copies from and to packed cells in the device's memory, in the order of the device's stream.
  void set_field_there(const T* from) {
    copy_cells(args_.field[0], pitch_, from, row_);
    copy_to_other();
  }
  void set_source_there(const T* from) { copy_cells(source_.data(), pitch_, from, row_); }
  void get_field_there(T* to) const { copy_cells(to, row_, args_.field[0], pitch_); }
  /// Waits until all that was put into the device's stream is done.
  void finish() const { queue_.finish(); }

  /// Starts a run of args().steps steps. How it ends, if that is known already; else wait() comes
  /// before the next one. `control` must stay until then.
  std::optional<stencil_state> start(std::span<const double> weights, const run_control& control) {
    // Polls lie as far apart as requests to end may wait: few steps are not polled.
    const bool few =
        few_launcher_ && !args_.until && args_.steps <= std::min(few_steps_, args_.mark_every);
    stencil_launcher& next = few ? *few_launcher_ : *launcher_;
    if (started_ && started_ != &next) seconds_before_ += started_->wait(control).seconds;
    started_ = &next;
    const stencil_args<T> a = few ? args_of_few() : args_;
    auto known = next.start({&a, weights, {flags_.data(), flags_.size()}}, control);
    waits_ = !known;
    if (known) go_on_from(*known);
    return known;
  }
  /// Waits for the runs since the last wait(); there was one.
  stencil_end wait(const run_control& control) {
    stencil_end end = std::exchange(started_, nullptr)->wait(control);
    end.seconds += std::exchange(seconds_before_, 0);
    if (std::exchange(waits_, false)) go_on_from(end.state);
    return end;
  }
  /// Both in one.
  stencil_end run(std::span<const double> weights, const run_control& control) {
    start(weights, control);
    return wait(control);
  }

 private:
  /// Values before and behind a field that may be read, and never count (step/register_tile.hpp): a
  /// whole number of lines, and so many more that subdomains begin with a line.
  static std::size_t margin(const stencil_kernel& v, const stencil_plan& how, const extents& n,
                            boundary edge) {
    const int radius = v.shape.radius;
    const stencil_problem problem{n, inner_box(n, radius), radius, sizeof(T), edge};
    const std::size_t lines = (static_cast<std::size_t>(radius) + 31) / 32 * 32;
    return lines + engine_of(v, how).margin(how, problem);
  }
  std::unique_ptr<stencil_launcher> prepare(const stencil_kernel& v,
                                            const stencil_args<T>* args) const {
    return v.compiled_ahead() ? v.prepare(args, queue_.where())
                              : prepare_needed(v, args, queue_.where());
  }
  stencil_args<T> args_of_few() const {
    stencil_args<T> a = args_;
    a.plan = few_plan_;
    a.partial = few_partial_.data();
    a.tile_order = nullptr;
    a.poll_every = a.mark_every;
    return a;
  }
  void copy_to_other() {
    memory().copy(queue_.where(), field_[front_ ^ 1].data(), field_[front_].data(),
                  field_[front_].size() * sizeof(T));
  }
  struct place_of_box {
    std::size_t first;                     ///< value of a copy
    std::size_t row;                       ///< bytes
    std::size_t rows, planes, plane_rows;  ///< sizes of the box, and rows of a plane of the field
  };
  place_of_box place_of(const grid_box& box) const {
    const auto size = [](int n) { return static_cast<std::size_t>(n); };
    const std::size_t rows_before = size(box.first.z) * size(args_.size.y) + size(box.first.y);
    return {around_ + rows_before * pitch_ + size(box.first.x), size(box.size.x) * sizeof(T),
            size(box.size.y), size(box.size.z), size(args_.size.y)};
  }
  void copy_cells(T* to, std::size_t to_pitch, const T* from, std::size_t from_pitch) const {
    const std::size_t cells = args_.size.cells();
    if (to_pitch == from_pitch) return memory().copy(queue_.where(), to, from, cells * sizeof(T));
    memory().copy_box(queue_.where(), {to, to_pitch * sizeof(T), from, from_pitch * sizeof(T),
                                       row_ * sizeof(T), cells / row_});
  }
  const memory_space& memory() const { return memory_of(queue_.where().on()); }
  /// The copy that holds the result is the one that the next run starts from.
  void go_on_from(const stencil_state& end) {
    front_ ^= end.copy;
    point_to_field();
  }
  void point_to_field() {
    for (int k = 0; k < 2; ++k) args_.field[k] = field_[front_ ^ k].data() + around_;
  }

  work_queue queue_;
  kernel_making making_;
  std::size_t around_ = 0, row_ = 0, pitch_ = 0;
  buffer<T> field_[2], source_, streamed_;
  buffer<double> partial_;
  buffer<std::byte> flags_;
  buffer<unsigned> tile_order_;  ///< table of a plan whose tiles are not taken as they are numbered
  stencil_args<T> args_;
  int front_ = 0;       ///< the copy that holds the field
  bool waits_ = false;  ///< a run was started whose end is not known
  int few_steps_ = 0;
  stencil_plan few_plan_;
  buffer<double> few_partial_;
  stencil_launcher* started_ = nullptr;  ///< has started runs since the last wait()
  double seconds_before_ = 0;            ///< time of the other one, since then
  // Last: what they have started ends first.
  std::unique_ptr<stencil_launcher> launcher_, few_launcher_;
};

}  // namespace dwell
