// SPDX-License-Identifier: MIT
// Steps of a stencil with several fields, which stay where they are between runs. What a step
// computes is a stencil_definition; the kernels that compute it are compiled when they are first
// needed and kept in a cache on the disk: for CPUs by the system's compiler, for GPUs by NVRTC. For
// CPUs they can also be interpreted, or compiled with the program (define.hpp).
//
//   dwell::field_runner<double> runner(dwell::device::cpu(), wave, {500, 400}, options);
//   runner.set_field(0, u);
//   runner.set_parameter(0, dt);
//   runner.run(1000);
//   runner.field(0, u);
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "dwell/base/api.hpp"
#include "dwell/device/device.hpp"
#include "dwell/device/device_views.hpp"
#include "dwell/device/progress_function.hpp"
#include "dwell/stencil/definition.hpp"
#include "dwell/stencil/field_boundary.hpp"
#include "dwell/stencil/field_reduction.hpp"
#include "dwell/stencil/stencil_stop.hpp"

namespace dwell {

/// What a running field_runner tells, from the thread that called run().
struct field_progress {
  std::int64_t step = 0;  ///< done in this run
  double seconds = 0;     ///< since its first step
};

/// What a runner is asked for.
struct field_options {
  /// One for each field, or one for all of them.
  std::vector<field_boundary> boundaries{field_boundary{}};
  /// "compiled": by the system's compiler when first needed, from then on from the cache;
  /// "interpreted": no compiler is needed, several times slower; "auto": compiled where there is a
  /// compiler and DWELL_STENCIL_KERNEL is not "interpreted", and the report says why if not. On a
  /// GPU kernels are compiled.
  std::string kernel = "auto";
  /// On CPUs "naive": one thread, step by step; "persistent": threads that have a part of the rows
  /// each and meet after every stage; "temporal": several steps while rows are in a core's cache.
  /// On GPUs "naive": every cell by itself; "host-loop": a launch for every stage; "graph": many
  /// of them in one; "persistent": many steps in one kernel; "temporal": several steps in a launch,
  /// while rows are on the chip; "perks": fields that fit the chip stay there for all steps of a
  /// run. "auto".
  std::string executor = "auto";
  /// Values of coefficients alone, such as a mean of two conductivities, are the same in every
  /// step. "always": they are computed once, in arrays that steps read as they read coefficients,
  /// as many as there may be; "never": in every step; "auto": once where a step is projected to
  /// take at most 1 / 1.1 of its time then, on a CPU 1 / 1.25, by what a division costs this one.
  /// Results have the same bits.
  std::string hoist = "auto";
  /// temporal: steps of a pass; perks: steps between two exchanges of halos; 0: as planned.
  int depth = 0;
  /// Set to true (from a signal handler or another thread) to end within about a tenth of a second,
  /// or after the step or pass that is being done.
  const std::atomic<bool>* interrupt = nullptr;
  /// Called about every `progress_interval` seconds; false ends the run as `interrupt` does.
  progress_function<field_progress> progress;
  double progress_interval = 0.1;  ///< seconds
};

/// What came of a run.
struct field_outcome {
  int steps = 0;             ///< done
  bool interrupted = false;  ///< fewer than asked for, because the caller asked to stop
  double seconds = 0;        ///< that steps took, without reductions
  /// steps_done; with reductions that may end a run converged, step_limit or not_finite;
  /// interrupted.
  stencil_stop stopped = stencil_stop::steps_done;
};

/// What is run, why, what it cost.
struct field_report {
  std::string definition;          ///< its name
  std::string kernel;              ///< "compiled", "interpreted" or "built-in"
  std::string kernel_reason;       ///< one line
  double compile_seconds = 0;      ///< 0 if the kernel came from the cache
  std::string executor;            ///< never "auto"
  std::string reason;              ///< why this executor, one line
  std::string device;              ///< its name
  std::string backend;             ///< "cpu" or "cuda"
  std::string precision;           ///< "f64" or "f32"
  std::vector<std::int64_t> size;  ///< cells along each axis, slowest first
  int threads = 1;                 ///< that share the rows, or a GPU's multiprocessors
  int depth = 1;                   ///< steps of a pass
  int hoisted = 0;                 ///< values of coefficients alone that are computed once
  std::int64_t cells = 0;          ///< that a step changes: all but the fixed ones
  std::size_t bytes_per_step = 0;  ///< what a step must move if nothing stays in a cache
  std::size_t memory = 0;          ///< bytes of all arrays
  std::int64_t total_steps = 0;    ///< done by this runner
  int steps = 0;                   ///< done in the last run
  double seconds = 0;              ///< that the last run took
  double cells_per_second = 0;     ///< cells * steps / seconds
  bool finite = true;              ///< no NaN and no infinity in any field
  stencil_stop stopped = stencil_stop::steps_done;  ///< why the last run ended
  std::vector<reduced_field> reductions;            ///< with the values computed last
  int reduce_every = 0;                             ///< steps; 0: there are none
  double reduce_seconds = 0;                        ///< that reductions took since they were set
};

struct built_row_kernels;
template <class T>
class field_session;

/// Fields, coefficients, parameters, points and threads or a GPU. T is double or float. run(a) and
/// then run(b) leave exactly the fields of run(a + b), and results have the same bits under every
/// executor, kernel, number of threads and on every device (but for what kind of NaN a NaN is).
///
/// Arrays of a caller are in C order, without padding. Fields and coefficients are zero until they
/// are set. For one thread at a time.
template <class T>
class DWELL_API field_runner {
  static_assert(std::is_same_v<T, double> || std::is_same_v<T, float>);

 public:
  /// Sets up runs on fields of `size`, slowest axis first. Compiles the kernel, or loads it. Throws
  /// input_error if a size, a boundary or an option cannot be used; unsupported_error if a kernel
  /// that was asked for cannot be compiled, and on a GPU without NVRTC; device_error.
  field_runner(const device& where, const stencil_definition& definition,
               const std::vector<std::int64_t>& size, const field_options& options = {});
  /// A runner with kernels that are compiled with the program: runner_of() of define.hpp. A GPU has
  /// those of the definition.
  field_runner(const built_row_kernels& kernels, const device& where,
               const stencil_definition& definition, const std::vector<std::int64_t>& size,
               const field_options& options = {});
  /// What was moved from can only be destroyed or assigned to.
  field_runner(field_runner&&) noexcept;
  /// Frees what this runner had.
  field_runner& operator=(field_runner&&) noexcept;
  ~field_runner();

  /// Copies all cells of a field, or of a coefficient, by its place in the definition, from the
  /// host. Throws input_error if there is no such array, if the number of cells is another one, or
  /// if the memory is not the host's.
  void set_field(int i, std::span<const T> cells);
  /// Likewise.
  void set_coefficient(int i, std::span<const T> cells);
  /// Copies from the memory of the runner's CUDA device; nothing goes through the host. If the
  /// device has a stream of the caller's (device::on_stream), the copy takes its turn there: after
  /// what computes the cells. Else that must be done, and the copy is done at the return. Throws
  /// input_error as the others, and if the memory is not that device's or the runner is on a CPU.
  void set_field(int i, device_span<const T> cells);
  /// Likewise.
  void set_coefficient(int i, device_span<const T> cells);
  /// A parameter's value for all steps from now on. Parameters are 0 until they are set. Throws
  /// input_error for what is not finite.
  void set_parameter(int i, double value);
  /// A value for each step from now on. A run beyond the last one is refused.
  void set_parameter(int i, std::span<const double> values);
  /// Adds values to cells of a field after each step from now on: series has a row for each step
  /// with a value for each cell, and cells has an index along each axis for each cell. Cells may be
  /// there more than once, and lists are added to those that there are. A run beyond the last row
  /// is refused. Throws input_error for a cell that is not in the field or is fixed.
  void set_sources(int field, std::span<const std::int64_t> cells, std::span<const T> series);
  /// Records cells of a field after each step from now on, and after its sources: gives the number
  /// of the record.
  int set_receivers(int field, std::span<const std::int64_t> cells);
  /// Forgets all sources, receivers and records.
  void clear_points();
  /// What receivers have recorded: a row for each step done since they were set, a value for each
  /// cell.
  std::span<const T> record(int number) const;

  /// Computes quantities of fields after every `every` steps from now on, in place of those that
  /// there were; an empty list: none. Fields are looked at after sources were added. Takes memory
  /// of the device for one more field, and for one more for each field whose change is wanted.
  /// Throws input_error for a field that there is not, a quantity that is there twice, `every`
  /// below 1.
  void set_reductions(std::vector<field_reduction> list, int every);
  /// What was computed since set_reductions(), a row for each step after which it was.
  const std::vector<field_reduction_row>& reductions() const;

  /// Does steps, fewer if a reduction ends the run. If interrupted, the fields are those after the
  /// steps of the outcome. Throws input_error for a negative number, or more steps than a table or
  /// a series has.
  field_outcome run(int steps);
  /// Likewise, and calls `look` after every `every` of these steps, when the fields may be copied:
  /// for frames of a film, say. Passes of several steps end there, and launches. It may return
  /// false to end the run there. Throws input_error also for `every` below 1.
  field_outcome run(int steps, int every, const progress_function<field_progress>& look);

  /// Copies a field to the caller. Throws as set_field().
  void field(int i, std::span<T> cells) const;
  /// Copies a field to the memory of the runner's CUDA device, likewise in the order of the
  /// caller's stream.
  void field(int i, device_span<T> cells) const;

  const stencil_definition& definition() const;  ///< the one that was given
  /// The last run, and what it was done with. Looks through all fields for NaN and infinity.
  field_report report() const;

 private:
  std::unique_ptr<field_session<T>> session_;
};

extern template class field_runner<double>;
extern template class field_runner<float>;

}  // namespace dwell
