// SPDX-License-Identifier: MIT
// Iterative stencils on regular grids: options, report, and the one call that runs
// (stencil_runner.hpp: many runs on one field). A run does a
// number of steps, or steps until a cell changes by no more than a tolerance: with a source term
// that is Jacobi's method for a linear system. Nothing here needs CUDA.
#pragma once
#include <atomic>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dwell/base/api.hpp"
#include "dwell/device/device.hpp"
#include "dwell/device/progress_function.hpp"
#include "dwell/formats/grid.hpp"
#include "dwell/stencil/stencil.hpp"
#include "dwell/stencil/stencil_stop.hpp"

namespace dwell {

/// "fixed", "periodic" or "reflect".
DWELL_API std::string to_string(boundary b);
/// Throws input_error unless it is fixed, periodic or reflect.
DWELL_API boundary parse_boundary(std::string_view name);

/// What a running solve tells: called from the thread that called solve().
struct stencil_progress {
  int step = 0;                  ///< done so far
  std::optional<double> change;  ///< the largest in one step, when last tested; if it was
  double seconds = 0;            ///< since the first step
};

/// What a run is asked to do. Defaults are those of the command line.
struct stencil_options {
  std::string shape = "2d5pt";  ///< a name from stencil_shapes()
  /// "auto", "naive", "host-loop", "graph", "persistent", "perks", "temporal".
  std::string executor = "auto";
  /// What perks caches on the chip: "auto", "none", "shared", "registers", "both", "model",
  /// "measured" ("greedy", which leaves, is "both"). The other executors cache nothing.
  std::string policy = "auto";
  boundary edge = boundary::fixed;  ///< what lies beyond the border
  /// Weights of the shape's taps, in their order; empty: the shape's defaults, which sum to 1.
  std::vector<double> weights;
  int steps = 1000;  ///< to do, or allowed where `until` is given
  /// End when no cell changes by more than this in one step, tested every `check_every` steps and
  /// after the last one.
  std::optional<double> until;
  int check_every = 100;  ///< steps
  /// Set to true (from a signal handler or another thread) to end within about a tenth of a second,
  /// or after the step (under perks the pass) that is being done.
  const std::atomic<bool>* interrupt = nullptr;
  /// Called about every `progress_interval` seconds. If it returns a bool, false ends the run as
  /// `interrupt` does; what else it may return is ignored.
  progress_function<stencil_progress> progress;
  double progress_interval = 0.1;  ///< seconds
  /// Overrides of the plan, for tests and tuning; 0 means "as planned".
  int teams = 0;
  /// perks: steps between two exchanges of tiles' edges; temporal: of a pass over the field.
  int depth = 0;
  /// perks, passes of one step: in which order rows (in three dimensions planes) that are not
  /// cached on the chip are taken: "auto", "static", "zig-zag", "ring"; refused where there are
  /// none. This, `depth` and `blocking` are refused under another executor, and make perks of
  /// "auto".
  std::string traversal = "auto";
  /// perks: "spatial", every pass over what is not in registers is one step; "temporal", it is as
  /// many as a lane's registers hold time_steps for (linear stencils; radius 1 and 2 in 3-D);
  /// "auto".
  std::string blocking = "auto";
  /// host-loop, graph, persistent: in which order a step takes the cells of the field (on a GPU its
  /// tiles): "auto", "rows", "tiles:WxH[xD]", "columns:W[xH]", "zigzag:W", "hilbert[:WxH[xD]]", in
  /// cells (execution/stencil/order/cell_order.hpp). The answer has the same bits. "auto" on a CPU
  /// is rows, or columns where a core's cache cannot hold the rows that a cell reads; on a GPU
  /// rows.
  std::string order = "auto";
  /// How the field is laid out, a name of stencil_engines(); "auto".
  std::string engine = "auto";
  /// CPU only, for tests: run the lanes of a team in reverse order. The answer must not change.
  bool reverse_lanes = false;
};

/// What preparing runs took, in seconds on the host's clock.
struct stencil_setup {
  /// Creating the CUDA context, where this was the first use of the device in the process; in no
  /// sum.
  double context_s = 0;
  double check_s = 0;  ///< checks of options and values
  double plan_s = 0;   ///< executor, policy, layout; trials of plans
  /// Compiling kernels that the library does not have (stencil_report::compiler); 0 if all of them
  /// were in the cache.
  double compile_s = 0;
  double load_s = 0;    ///< the kernel, the device's memory, threads
  double upload_s = 0;  ///< field and source to the device
  /// The sum of all but context_s.
  double total() const { return check_s + plan_s + compile_s + load_s + upload_s; }
};

/// What was run, why, what it cost.
struct stencil_report {
  std::string shape;                ///< its name
  std::string executor;             ///< never "auto"
  std::string policy = "none";      ///< what is cached on the chip between steps
  std::string reason;               ///< why this executor and this plan, one line
  std::string device;               ///< its name
  backend on = backend::cpu;        ///< kind of the device
  std::string precision;            ///< "f64" or "f32"
  extents size;                     ///< size of the field
  boundary edge = boundary::fixed;  ///< boundary that was asked for
  int teams = 0;                    ///< threads or thread blocks
  int lanes = 0;                    ///< per team
  /// How the field lay over the chip: "step" and "dataflow_step", or an engine of
  /// engines/perks_engines.hpp or engines/temporal_engines.hpp.
  std::string engine;
  /// What compiled its kernels when they were needed, "NVRTC 13.0"; empty if they were compiled
  /// with the library.
  std::string compiler;
  bool alternates = false;  ///< every second step took the tiles from the last to the first
  std::string order;      ///< cells' order in a step, as options have it; empty if they are cached
  extents subdomains;     ///< so many along each axis, each owned for the whole run; 0 if none are
  extents subdomain;      ///< cells of the largest one, without its halo
  bool of_warps = false;  ///< subdomains are warps', not teams'
  int depth = 1;          ///< steps between two exchanges
  int pass_steps = 1;     ///< steps in one pass over the field, or over what is not in registers
  std::string traversal;  ///< perks: of the rows that are not cached; empty where there are none
  /// Where the field's cells are between steps, by the rows (planes) of its tiles: in registers, in
  /// scratch, elsewhere. Together they are all of its cells; halos are not counted.
  std::size_t cached_registers = 0;
  std::size_t cached_scratch = 0;  ///< see cached_registers
  std::size_t streamed = 0;        ///< see cached_registers

  int steps = 0;                                    ///< done
  stencil_stop stopped = stencil_stop::steps_done;  ///< why it ended
  std::optional<double> change;     ///< the largest in one step, when last tested; may be NaN
  double least = 0;                 ///< least of the result's finite cells; NaN where there is none
  double greatest = 0;              ///< greatest of them
  bool finite = true;               ///< no NaN and no infinity in the result
  std::size_t nonfinite_cells = 0;  ///< number in the result
  std::size_t bytes_per_step = 0;   ///< that a step must move if nothing stays on the chip
  std::size_t changing_cells = 0;   ///< per step: all but the ring of `fixed`
  stencil_setup setup;              ///< what preparing took
  double setup_s = 0;               ///< setup.total()
  double solve_s = 0;               ///< from the first to the last step, on the device's clock
  double per_step_us = 0;           ///< solve_s / steps
  double cells_per_second = 0;      ///< changing_cells * steps / solve_s
};

/// A shape that this build has.
struct stencil_shape {
  std::string name;             ///< name in stencil_options::shape
  int dims = 2;                 ///< 2 or 3
  int radius = 1;               ///< cells to the farthest neighbour along an axis
  int flops = 0;                ///< per cell and step
  bool linear = true;           ///< a weighted sum
  std::vector<tap> taps;        ///< the cells that a cell reads
  std::vector<double> weights;  ///< defaults
  std::string about;            ///< what it computes, in lines; empty if it does not say
  /// All neighbours lie on the axes.
  bool star() const;
};
/// All shapes of this build.
DWELL_API std::vector<stencil_shape> stencil_shapes();
/// Throws unsupported_error with the list of shapes if there is none of this name.
DWELL_API stencil_shape find_stencil_shape(std::string_view name);

/// The engines by which executors lay a field over the chip, "step", "skewed", ...: of all
/// backends, with or without CUDA, in the order of their names.
DWELL_API std::vector<std::string> stencil_engines();

/// Does steps on `u` in place; also when interrupted, it then holds the field after report.steps
/// steps. `source`, if given, has u's size and is added to every changing cell in every step.
/// Throws input_error before any work if a size, an option or a value cannot be used,
/// unsupported_error if the shape or the executor does not exist here, device_error if the device
/// fails or has too little memory.
DWELL_API stencil_report solve(const device& where, grid<double>& u,
                               const stencil_options& options = {},
                               const grid<double>* source = nullptr);
/// Solves a field in f32.
DWELL_API stencil_report solve(const device& where, grid<float>& u,
                               const stencil_options& options = {},
                               const grid<float>* source = nullptr);

}  // namespace dwell
