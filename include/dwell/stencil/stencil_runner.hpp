// SPDX-License-Identifier: MIT
// A field that stays on a device, for programs that go on from where they were: time stepping with
// work of their own between the steps, many fields of one size, a run to a tolerance and then some
// steps more. Set-up (checks, plan, kernels, memory) is paid once, when the runner is made; a run
// is launches and nothing else. Nothing here needs CUDA.
//
//   dwell::stencil_runner<double> runner(dwell::device::best(), u.size(), options);
//   runner.set_field(u);
//   for (int k = 0; k < 100; ++k) {
//     runner.run(10);
//     ...
//   }
//   runner.field(u);
#pragma once
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "dwell/base/api.hpp"
#include "dwell/device/device.hpp"
#include "dwell/device/device_views.hpp"
#include "dwell/formats/grid.hpp"
#include "dwell/stencil/solve.hpp"

namespace dwell {

struct stencil_goal;
struct stencil_kernel;
template <class T>
class stencil_session;

/// What came of a run; of several started runs together, from wait().
struct stencil_outcome {
  std::int64_t steps = 0;                           ///< done
  stencil_stop stopped = stencil_stop::steps_done;  ///< reason of the last run's end
  std::optional<double> change;  ///< the largest in one step, when last tested; may be NaN
  double solve_s = 0;            ///< from the first to the last step, on the device's clock
};

/// A field, perhaps a source, a plan, and all that runs need, on one device. T is double or float.
/// Results have the bits of solve(): run(a) and then run(b) leave exactly the field of run(a + b),
/// under every executor and plan.
///
/// For one thread at a time; several runners may run on several threads at once. Its destructor
/// waits for what was started and frees everything; it may run while the program ends.
///
/// What the functions throw beside what they say: device_error if the device fails or has too
/// little memory. Once a run has thrown, the field is lost until set_field() gives a new one.
template <class T>
class DWELL_API stencil_runner {
  static_assert(std::is_same_v<T, double> || std::is_same_v<T, float>);

 public:
  /// Sets up runs on a field of `size`. Of the options steps, until and check_every are what run()
  /// without arguments takes. has_source: every step adds a source, which set_source() gives.
  /// Under policy "measured" plans are tried on values that are made up.
  /// Throws input_error if the size or an option cannot be used, unsupported_error if the shape or
  /// the executor does not exist here.
  explicit stencil_runner(const device& where, const extents& size,
                          const stencil_options& options = {}, bool has_source = false);
  /// Makes a runner with the kernels of a table, which must outlive the runner; options.shape is
  /// one of theirs. For stencils of one's own: runner_of() of dwell/custom_stencil.hpp.
  stencil_runner(std::span<const stencil_kernel> table, const device& where, const extents& size,
                 const stencil_options& options = {}, bool has_source = false);
  /// What was moved from can only be destroyed or assigned to.
  stencil_runner(stencil_runner&&) noexcept;
  /// Moves; first frees what this runner had.
  stencil_runner& operator=(stencil_runner&&) noexcept;
  /// Waits for what was started, and frees everything.
  ~stencil_runner();

  const extents& size() const;  ///< size of the field

  /// Copies a field, or a source, to the device, which may be done again at any time. Both throw
  /// input_error if the size is not size(), if a value is not finite, or if the memory is not the
  /// host's; set_source() also if the runner was made without one.
  void set_field(grid_view<const T> u);
  /// Copies a field from a grid.
  void set_field(const grid<T>& u) { set_field(u.view()); }
  /// A source, as set_field() a field.
  void set_source(grid_view<const T> f);
  /// Copies a source from a grid.
  void set_source(const grid<T>& f) { set_source(f.view()); }
  /// Copies a field from the memory of the runner's CUDA device, in C order without padding;
  /// nothing is copied to the host, and values are not looked at. If the device has a stream of the
  /// caller's (device::on_stream), the copy takes its turn there: after what computes the field.
  /// Else that must be done, and the copy is done at the return. Throws input_error if the number
  /// of cells is not the field's, if the memory is not that device's, or if the runner is on a CPU.
  void set_field(device_span<const T> u);
  /// Copies a source from there.
  void set_source(device_span<const T> f);
  /// Weights of the shape's taps in their order, from the next run on; empty: the shape's defaults.
  /// Plans do not depend on them. Throws input_error if their number is not the shape's, or one is
  /// not finite in T.
  void set_weights(std::span<const double> weights);

  /// Copies the field to the host, once all started runs have ended. Throws input_error if the size
  /// is not size() or the memory is not the host's.
  void field(grid_view<T> u);
  /// Copies the field to a grid.
  void field(grid<T>& u) { field(u.view()); }
  /// A copy of the field, likewise.
  grid<T> field();
  /// Copies the field to the memory of the runner's CUDA device, likewise in the order of the
  /// caller's stream.
  void field(device_span<T> u);

  /// Copies the cells of a box of the field, as large as `some`, to the host. For programs that
  /// exchange the edges of fields, or look at a part. Throws input_error if the box is not in the
  /// field, if there is no field, or if the memory is not the host's.
  void box(const grid_offset& first, grid_view<T> some);
  /// Copies cells from the host, likewise; their values may be any.
  void set_box(const grid_offset& first, grid_view<const T> some);
  /// Cells in the memory of a CUDA device.
  struct cells_in_place {
    T* first = nullptr;          ///< the first one
    std::size_t row_pitch = 0;   ///< cells from a row to the next
    std::size_t plane_rows = 0;  ///< rows from a plane to the next
  };
  /// The field where it is in the memory of the runner's CUDA device, to be read and written in the
  /// order of the device's stream (device::on_stream) until the next run, which starts from there:
  /// for programs that exchange the edges of fields between devices. What is between two rows
  /// counts for nothing and may be overwritten; cells of a fixed border must stay what they are.
  /// Throws input_error if there is no field, or if the runner is on a CPU.
  cells_in_place field_in_place();

  /// Does steps and waits for their end. With `progress` and `interrupt` as in the options; if
  /// interrupted, the field is that after the steps of the outcome. Throws input_error if a number
  /// cannot be used, or if a field, or a source, has not been given.
  stencil_outcome run(int steps);
  /// Does what the options say: steps, until, check_every.
  stencil_outcome run();
  /// Steps until no cell changes by more than `tolerance` in one step, tested after every
  /// `check_every` steps of this run and after max_steps.
  stencil_outcome run_until(double tolerance, int max_steps, int check_every = 100);

  /// The field between two pieces of a run, for callbacks.
  class moment {
   public:
    int step() const { return step_; }                        ///< done since the run began
    void field(grid_view<T> u) const { runner_.field(u); }    ///< see stencil_runner::field()
    void field(grid<T>& u) const { runner_.field(u); }        ///< see stencil_runner::field()
    grid<T> field() const { return runner_.field(); }         ///< see stencil_runner::field()
    void field(device_span<T> u) const { runner_.field(u); }  ///< see stencil_runner::field()

   private:
    friend class stencil_runner;
    moment(stencil_runner& runner, int step) : runner_(runner), step_(step) {}
    stencil_runner& runner_;
    int step_;
  };
  /// Does steps, and calls callback(moment) after every `every` of them and after the last one,
  /// from the calling thread. If it returns a bool, false ends the run there, as `interrupt` does;
  /// what it throws ends the run, too, and the field stays.
  template <std::invocable<const moment&> F>
  stencil_outcome run(int steps, int every, F&& callback) {
    return run_pieces(steps, every, [&](const moment& now) {
      if constexpr (std::is_same_v<std::invoke_result_t<F&, const moment&>, bool>)
        return callback(now);
      else
        return static_cast<void>(callback(now)), true;
    });
  }

  /// Starts steps and may return before they are done: what a run costs the host is then a launch.
  /// Runs are done in the order in which they are started. They are waited for by wait(), field()
  /// and whatever else needs their end; set `interrupt` is seen before they start. Throws as run().
  void run_async(int steps);
  /// Waits for the end of what run_async() has started since the last wait; together. Throws what
  /// went wrong meanwhile.
  stencil_outcome wait();

  /// The plan and why, what set-up took, and the last run that was waited for. least and greatest
  /// are NaN: only solve() looks through the result. Valid, and updated, as long as the runner
  /// lives.
  const stencil_report& report() const;

 private:
  void require_source() const;
  stencil_outcome run_goal(const stencil_goal& goal);
  stencil_outcome run_pieces(int steps, int every, const std::function<bool(const moment&)>& go_on);

  std::unique_ptr<stencil_session<T>> session_;
};

extern template class stencil_runner<double>;
extern template class stencil_runner<float>;

}  // namespace dwell
